//! The reference for developers of other programs: header, manual page, exports and Python's structures of
//! libnearmiss say the same, and the examples in C, Python and Rust are compiled and run.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use nearmiss_tests::{
    artifacts::{example, library, tool, workspace},
    filters,
    pam::python,
};

use crate::capi::compile;

fn file(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap()
}

fn header() -> String {
    file("crates/capi/include/nearmiss.h")
}

fn manual() -> String {
    file("crates/capi/man/nearmiss.3")
}

/// One space between words, none at brackets.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The part of a text between two marks.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    text.split_once(from).unwrap().1.split_once(to).unwrap().0
}

/// The header without comments and lines of the preprocessor.
fn declarations() -> String {
    let header = header();
    let parts = header.split("/*").map(|part| part.split_once("*/").map_or(part, |(_, code)| code));
    let code: String = parts.collect();
    code.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n")
}

/// The prototypes of the header.
fn prototypes() -> Vec<String> {
    let code = declarations();
    let statements = code.split(';').map(|statement| statement.rsplit('}').next().unwrap());
    statements.filter(|statement| statement.contains('(')).map(spaced).collect()
}

/// The name in a prototype.
fn name_of(prototype: &str) -> &str {
    prototype.split_once('(').unwrap().0.rsplit([' ', '*']).next().unwrap()
}

/// The words of a line of the manual: `.BI "int f(" x ", int " y );` has five, joined without spaces.
fn set_in_two_fonts(line: &str) -> String {
    let parts: Vec<&str> = line.split('"').collect();
    let unquoted =
        |(at, part): (usize, &&str)| if at % 2 == 1 { (*part).to_owned() } else { part.replace(' ', "") };
    parts.iter().enumerate().map(unquoted).collect()
}

/// The prototypes of the manual page's synopsis.
fn synopsis() -> Vec<String> {
    let manual = manual();
    let lines = between(&manual, ".SH SYNOPSIS\n", ".SH").lines();
    let text = lines.filter_map(|line| {
        line.strip_prefix(".BI ")
            .map(set_in_two_fonts)
            .or_else(|| line.strip_prefix(".B ").map(str::to_owned))
    });
    let text = text.filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join(" ");
    text.split_terminator(';').map(spaced).collect()
}

#[test]
fn the_synopsis_has_the_prototypes_of_the_header() {
    assert_eq!(synopsis(), prototypes());
    assert_eq!(prototypes().len(), 6, "{:?}", prototypes());
}

#[test]
fn the_manual_describes_every_function_and_the_library_exports_it() {
    let (manual, map) = (manual(), file("crates/capi/nearmiss.map"));
    let listed = spaced(between(&manual, ".SH NAME\n", " \\-"));
    let described = between(&manual, ".SH DESCRIPTION\n", ".SH ");
    for prototype in prototypes() {
        let name = name_of(&prototype);
        assert!(listed.split(", ").any(|listed| listed == name), "NAME has no {name}");
        assert!(described.lines().any(|line| line == format!(".B {name}")), "DESCRIPTION has no {name}");
        assert!(map.contains(&format!("        {name};\n")), "nearmiss.map has no {name}");
    }
    assert_eq!((listed.split(", ").count(), map.matches(';').count() - 2), (6, 6));
    for name in ["NEARMISS_QUESTION_INIT", "NEARMISS_ANSWER_INIT"] {
        assert!(header().contains(&format!("#define {name} ")) && described.contains(name), "{name}");
    }
}

/// The constants of the header with number and meaning.
fn constants() -> BTreeMap<String, (String, String)> {
    let header = header();
    let rows = header.lines().filter_map(|line| {
        let (name, rest) = line.trim().split_once(" = ").filter(|(name, _)| name.starts_with("NEARMISS_"))?;
        let (number, comment) = rest.split_once("/*").unwrap();
        let number = number.trim().trim_end_matches(',').to_owned();
        Some((name.to_owned(), (number, comment.trim_end_matches("*/").trim().to_owned())))
    });
    rows.collect()
}

#[test]
fn the_manual_lists_every_constant_with_its_number_and_meaning() {
    let manual = manual();
    let lines: Vec<&str> = manual.lines().collect();
    let rows = lines.windows(2).filter_map(|pair| {
        let (name, number) = pair[0].strip_prefix(".BR NEARMISS_")?.split_once(" \" (")?;
        Some((format!("NEARMISS_{name}"), (number.trim_end_matches(")\"").to_owned(), pair[1].to_owned())))
    });
    let listed: BTreeMap<_, _> = rows.collect();
    assert_eq!(listed, constants());
    assert_eq!(listed.len(), 25);
}

/// The members of a structure of the header, in order.
fn members(structure: &str) -> Vec<String> {
    let code = declarations();
    let members = between(&code, &format!("struct nearmiss_{structure} {{"), "}").split(';').map(str::trim);
    let name = |member: &str| member.split('[').next().unwrap().rsplit([' ', '*']).next().unwrap().to_owned();
    members.filter(|member| !member.is_empty()).map(name).collect()
}

#[test]
fn the_structures_in_python_are_those_of_the_header() {
    let script = "from nearmiss import _library as l; import ctypes\n\
                  for s in l.Question, l.Answer:\n  \
                  print(ctypes.sizeof(s), *[name for name, _ in s._fields_])";
    let mut python = Command::new(python());
    let output = python.args(["-c", script]).env("PYTHONPATH", workspace().join("crates/python")).output();
    let said = String::from_utf8(output.unwrap().stdout).unwrap();
    // The sizes are frozen: the tests of the C interface.
    let lines = [("72", "question"), ("784", "answer")]
        .map(|(bytes, name)| format!("{bytes} {}\n", members(name).join(" ")));
    assert_eq!(said, lines.concat());
}

/// The code of the manual page, in a function with what it takes from its program.
#[test]
fn the_code_of_the_manual_compiles() {
    let manual = manual();
    let code = between(&manual, ".SH EXAMPLES\n.nf\n", ".fi");
    let program = format!(
        "#include <nearmiss.h>\n#include <string.h>\n\
         static void log_error(const char *text) {{ (void)text; }}\n\
         static void refuse(const char *text) {{ (void)text; }}\n\
         static void change(const char *password, const char *user) {{\n{code}nearmiss_free(checker);\n\
         }}\n\
         int main(void) {{ change(\"\", \"\"); return 0; }}\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("manual.c");
    fs::write(&source, program).unwrap();
    compile(folder.path(), &source, &["-pedantic"]);
}

#[test]
fn everything_public_in_python_is_typed_and_described() {
    let mut python = Command::new(python());
    let output = python.arg(tool("typed.py")).env("PYTHONPATH", workspace().join("crates/python")).output();
    let output = output.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "8\n", "{output:?}");
}

/// Runs an example with a password, by a configuration with a filter and by one that is broken.
fn answers(mut program: impl FnMut() -> Command) -> Vec<(Option<i32>, String)> {
    let folder = tempfile::tempdir().unwrap();
    filters::build(folder.path());
    let write = |name: &str, text: String| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let path = |name: &str| folder.path().join(name).display().to_string();
    let [words, none, key] = ["words.filter", "none", "none.key"].map(path);
    let rule = format!("packaged = false\n[[dictionary]]\nfile = {words:?}\n");
    let good = write("good.conf", format!("{rule}[ladder]\nfile = {none:?}\nkey = {key:?}\n"));
    let broken = write("broken.conf", "nonsense = 1\n".to_owned());
    let mut ask = |conf: &Path, password: &str| {
        let mut command = program();
        command.arg(conf).arg("annabella").env("LD_LIBRARY_PATH", library());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it can be run");
        child.stdin.take().unwrap().write_all(format!("{password}\n").as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    vec![
        ask(&good, filters::GOOD),
        ask(&good, "elephqnt1"),
        ask(&good, "annabella7"),
        ask(&broken, filters::GOOD),
    ]
}

/// What every example answers.
fn assert_right(said: &[(Option<i32>, String)]) {
    let statuses: Vec<Option<i32>> = said.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [Some(0), Some(1), Some(1), Some(2)], "{said:?}");
    let near = "it is one or two characters away from a dictionary word; choose several unrelated words \
                [near-dictionary]\n";
    assert_eq!((said[0].1.as_str(), said[1].1.as_str()), ("", near));
    assert!(said[2].1.ends_with(" [near-user-name]\n"), "{said:?}");
    assert!(said[3].1.ends_with("your password is not at fault [none]\n"), "{said:?}");
}

#[test]
fn the_example_in_c_is_compiled_and_right() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), &workspace().join("crates/capi/examples/check.c"), &["-pedantic"]);
    assert_right(&answers(|| Command::new(&program)));
}

#[test]
fn the_example_in_python_is_right() {
    let script = workspace().join("crates/python/examples/check.py");
    assert_right(&answers(|| {
        let mut command = Command::new(python());
        command.arg(&script).env("PYTHONPATH", workspace().join("crates/python"));
        command
    }));
}

#[test]
fn the_example_in_rust_is_right() {
    let program = example("nearmiss-checker", "check");
    assert_right(&answers(|| Command::new(&program)));
}

/// The pages show the code that is run.
#[test]
fn the_page_for_programs_names_every_example() {
    let page = file("docs/programs.md");
    for path in ["capi/examples/check.c", "python/examples/check.py", "checker/examples/check.rs"] {
        assert!(page.contains(path) && workspace().join("crates").join(path).exists(), "{path}");
    }
}
