//! Command lines that are not understood: one line, which repeats no argument, since it may be a password.

use crate::run;

#[test]
fn an_argument_that_may_be_a_password_is_not_repeated() {
    for words in [
        &["check", "hunter2"][..],
        &["check", "--hunter2"],
        &["check", "--", "--hunter2"],
        &["check", "--user=anna", "-zhunter2"],
        &["check", "--json=hunter2"],
        &["check", "--min-length", "hunter2"],
        &["hunter2"],
        &["ladder", "hunter2"],
        &["ladder", "height", "hunter2"],
        &["rollback", "words", "hunter2"],
        &["rollback", "--hunter2"],
        &["build", "--match", "hunter2"],
        &["build", "--key", "hunter2"],
        &["completions", "hunter2"],
    ] {
        let told = run(words);
        let line = told.error_line();
        assert!(line.ends_with(" [usage]") && !line.contains("hunter2"), "{line}");
    }
    let line = run(["build", "--jobs", "271828", "--output", "x", "y"]).error_line().to_owned();
    assert!(
        line.contains("--jobs <N>: expected a number from 1 to 1024") && !line.contains("271828"),
        "{line}"
    );
}

#[test]
fn a_command_of_passwords_says_where_it_reads_them() {
    for words in
        [&["check", "x"][..], &["ladder", "height", "x"], &["ladder", "step", "x"], &["hook", "samba", "x"]]
    {
        let told = run(words);
        assert!(told.error_line().contains("passwords are read from standard input"), "{told:?}");
        let words = words[..words.len() - 1].join(" ");
        assert!(told.err.contains(&format!("is neither an option of filterctl {words} nor")), "{told:?}");
    }
    assert!(!run(["config", "x"]).error_line().contains("standard input"));
}

#[test]
fn options_commands_and_values_that_exist_are_named() {
    for (words, expected) in [
        (&["chek"][..], "argument 1 is no command of filterctl; did you mean check?"),
        (&["frobnicate"], "argument 1 is no command of filterctl; its commands: build, plan, "),
        (&["ladder", "frobnicate"], "argument 2 is no command of filterctl ladder; its commands: init, "),
        (&["ladder"], "missing: a command of filterctl ladder: init, "),
        (&["check", "--usr", "anna"], "argument 2 is no option of filterctl check; did you mean --user?"),
        (&["check", "--usr=anna"], "argument 2 is no option of filterctl check; did you mean --user?"),
        (
            &["build", "--match", "naer"],
            "--match <MATCH>: unknown value; expected near, exact; did you mean near?",
        ),
        (&["build", "--output"], "--output <FILE>: needs a value; filterctl build --help lists"),
        (&["check", "--json=1"], "--json takes no value"),
        (&["union", "a", "--output", "b"], "needs at least 2 values; filterctl union --help"),
        (&["check", "--json", "--json"], "--json cannot be given twice; filterctl check --help"),
        (&["build"], "missing: --output <FILE>, <LIST|--common|--everyday|--empty>; filterctl build --help"),
    ] {
        let told = run(words);
        assert!(told.error_line().contains(expected), "{words:?}: {told:?}");
        assert!(!told.err.contains("doctor-child"), "{told:?}");
    }
}
