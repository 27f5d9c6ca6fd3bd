//! `libnearmiss.so.1` as programs in C use it: what it exports, its structures, and its answers under
//! valgrind, from many threads, after fork, and while its filter is replaced.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use nearmiss_tests::{
    artifacts::{library, plugin, tool, workspace},
    filters, report_tried,
    skip::{no_namespace, skipped},
};
use tempfile::TempDir;

/// The exports of the shared object, which stay.
const SYMBOLS: [&str; 6] = [
    "nearmiss_check@@NEARMISS_1.0",
    "nearmiss_free@@NEARMISS_1.0",
    "nearmiss_open@@NEARMISS_1.0",
    "nearmiss_reason_code@@NEARMISS_1.0",
    "nearmiss_record@@NEARMISS_1.0",
    "nearmiss_version@@NEARMISS_1.0",
];

/// A folder with a filter, a configuration without a ladder, and the program in C.
struct Caller {
    folder: TempDir,
    program: PathBuf,
}

/// The minimum number of times that a filter is replaced under a program.
const REPLACED: u32 = 20;

impl Caller {
    fn new() -> Caller {
        Caller::of("capi.c")
    }

    /// The program of this source in `tests/tools`.
    fn of(source: &str) -> Caller {
        let folder = tempfile::tempdir().unwrap();
        let program = compile(folder.path(), &tool(source), &[]);
        filters::build(folder.path());
        let path = |name: &str| folder.path().join(name).display().to_string();
        let text = format!(
            "packaged = false\n[[dictionary]]\nfile = {:?}\n[ladder]\nfile = {:?}\nkey = {:?}\n",
            path("words.filter"),
            path("none"),
            path("none.key")
        );
        fs::write(folder.path().join("nearmiss.conf"), text).unwrap();
        Caller { folder, program }
    }

    fn command(&self, under: &[&str], arguments: &[&str]) -> Command {
        let program = self.program.to_str().unwrap();
        let words: Vec<&str> = under.iter().copied().chain([program]).collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(arguments[0]).arg(self.folder.path().join("nearmiss.conf"));
        command.args(&arguments[1..]).env("LD_LIBRARY_PATH", library());
        command
    }

    fn run(&self, under: &[&str], arguments: &[&str], input: &[u8]) -> String {
        let mut command = self.command(under, arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it can be run");
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?} {:?}: {}", output.status, text(&output.stdout));
        text(&output.stdout)
    }

    /// Runs the program while the filter is put in its own place again and again. The program goes on until
    /// it was replaced often enough, however slow that is.
    fn run_while_replaced(&self, arguments: &[&str]) -> String {
        let filter = self.folder.path().join("words.filter");
        let bytes = fs::read(&filter).unwrap();
        let mut command = self.command(&[], arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut input = child.stdin.take();
        let mut replaced = 0;
        while child.try_wait().unwrap().is_none() {
            let next = self.folder.path().join("next");
            fs::write(&next, &bytes).unwrap();
            filters::make_private(&next);
            fs::rename(&next, &filter).unwrap();
            replaced += 1;
            if replaced == REPLACED {
                drop(input.take());
            }
        }
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?} {:?}", output.status);
        text(&output.stdout)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Compiles a program in C against the header, and links it with the library; gives its path in the folder.
pub(crate) fn compile(folder: &Path, source: &Path, further: &[&str]) -> PathBuf {
    let program = folder.join("program");
    let mut compiler = Command::new("cc");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-pthread", "-o"]).arg(&program);
    compiler.arg("-I").arg(workspace().join("crates/capi/include")).arg(source).args(further);
    let status = compiler.arg("-L").arg(library()).arg("-lnearmiss").status();
    assert!(status.expect("cc can be run; install gcc").success(), "{} does not compile", source.display());
    program
}

const LINES: &[u8] =
    b"Zz9-uncommon-phrase\nelephqnt1\n\xff\xfebutterfly\nannabella7\nOld-Passphrase-7\nzebulonquist\n\n";
/// The third as Latin-1: two letters and a word.
const CODES: [&str; 7] = [
    "none",
    "near-dictionary",
    "mostly-word",
    "near-user-name",
    "near-old-password",
    "near-real-name",
    "empty",
];

#[test]
fn a_program_in_c_gets_every_answer() {
    let caller = Caller::new();
    let said = caller.run(&[], &["ask"], LINES);
    let codes: Vec<&str> = said.lines().map(|line| line.split('|').nth(1).unwrap()).collect();
    assert_eq!(codes, CODES, "{said}");
    assert!(said.starts_with("0|none||\n1|near-dictionary|it is one or two characters away"), "{said}");
    assert_eq!(caller.run(&[], &["bad"], b""), "3 3 1 3 3 3 3 3 3 3\n");
}

#[test]
fn valgrind_finds_nothing() {
    let caller = Caller::new();
    let valgrind = [
        "valgrind",
        "--quiet",
        "--error-exitcode=99",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect,possible",
    ];
    let said = caller.run(&valgrind, &["ask"], LINES);
    assert_eq!(said.lines().count(), CODES.len(), "{said}");
    assert_eq!(caller.run(&valgrind, &["bad"], b""), "3 3 1 3 3 3 3 3 3 3\n");
    assert!(caller.run(&valgrind, &["open"], b"").starts_with("0|none||"));
}

/// No null pointer, length, size, signal, closed descriptor or limit has a weak password accepted, or a
/// strong one rejected where it can be checked; and the program lives on.
#[test]
fn callers_that_do_what_nobody_should_get_the_right_answer_or_a_refusal() {
    let caller = Caller::of("hostile.c");
    for mode in ["null", "lengths", "sizes", "signals", "descriptors", "limits", "churn"] {
        assert_eq!(caller.run(&[], &[mode], b""), "called, 0 accepted, 0 wrong\n", "{mode}");
    }
    let valgrind = ["valgrind", "--quiet", "--error-exitcode=99"];
    for mode in ["null", "lengths", "sizes"] {
        assert_eq!(caller.run(&valgrind, &[mode], b""), "called, 0 accepted, 0 wrong\n", "{mode}");
    }
}

/// The same with the plugins of servers and the drop-in for cracklib, in a private namespace that has a
/// configuration of its own. The servers are not needed: the program has stand-ins for what they export.
#[test]
fn servers_that_do_what_nobody_should_get_the_right_answer_or_a_refusal() {
    if skipped(no_namespace()) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("plugins");
    let mut compiler = Command::new("cc");
    compiler
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-pthread", "-rdynamic", "-o"])
        .arg(&program);
    assert!(compiler.arg(tool("plugins.c")).arg("-ldl").status().expect("cc can be run").success());
    filters::build(folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let text = format!("packaged = false\n[[dictionary]]\nfile = {:?}\n", path("words.filter"));
    fs::write(folder.path().join("nearmiss.conf"), text).unwrap();
    let script = "mount -t tmpfs none /etc/security && mount -t tmpfs none /var/lib \
                  && cp \"$1\" /etc/security/nearmiss.conf && exec \"$2\" \"$3\" \"$4\"";
    for (kind, package, target) in [
        ("krb5", "nearmiss-mit-krb5", "nearmiss_pwqual"),
        ("mariadb", "nearmiss-mariadb", "nearmiss_password_check"),
        ("postgresql", "nearmiss-postgresql", "nearmiss_pg"),
        ("openldap", "nearmiss-openldap", "nearmiss_ppolicy"),
        ("cracklib", "nearmiss-cracklib", "nearmiss_crack"),
    ] {
        let plugin = plugin(package, target);
        let mut command = Command::new("unshare");
        if kind == "cracklib" {
            command.env("LD_PRELOAD", cracklib_needed_by(&plugin, folder.path()));
        }
        command.args(["-m", "--propagation", "private", "sh", "-euc", script, "sh"]);
        command.arg(path("nearmiss.conf")).arg(&program).arg(kind).arg(&plugin);
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{kind} {output:?}");
        assert_eq!(self::text(&output.stdout), "called, 0 accepted, 0 wrong\n", "{kind} {output:?}");
    }
}

/// An empty library by the name of cracklib's own, which the drop-in has the loader look for.
fn cracklib_needed_by(drop_in: &Path, folder: &Path) -> PathBuf {
    let dynamic = output("readelf", &["-d", "-W"], drop_in);
    let needed = dynamic.lines().filter(|line| line.contains("(NEEDED)"));
    let names = needed.filter_map(|line| line.split(['[', ']']).nth(1));
    let name = names.into_iter().find(|name| name.contains("libcrack.so")).expect("it needs cracklib");
    let library = folder.join("libreal.so");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-nostdlib", &format!("-Wl,-soname,{name}"), "-x", "c", "/dev/null", "-o"]);
    assert!(compiler.arg(&library).status().expect("cc can be run").success());
    library
}

#[test]
fn sixteen_threads_at_once() {
    let caller = Caller::new();
    assert_eq!(caller.run(&[], &["threads", "16", "10000"], b""), "10000 calls, 0 wrong\n");
}

/// So many children of a program whose threads go on, while the filter, with the same words, is put in its
/// own place again and again.
fn forked(children: u32) {
    let caller = Caller::new();
    let children = children.to_string();
    let said = caller.run_while_replaced(&["fork", &children]);
    assert_eq!(said, format!("{children} children right, 0 wrong\n"));
}

#[test]
fn children_of_a_program_with_threads() {
    forked(100);
}

#[test]
#[ignore = "make torture"]
fn many_children_of_a_program_with_threads() {
    forked(5_000);
    report_tried("children forked by a program whose threads check, each of which checks", 5_000);
}

#[test]
fn a_filter_that_is_replaced_under_many_threads() {
    assert_eq!(Caller::new().run_while_replaced(&["threads", "16", "10000"]), "10000 calls, 0 wrong\n");
}

#[test]
fn a_repaired_configuration_is_noticed_by_a_running_program() {
    let caller = Caller::new();
    let mut command = caller.command(&[], &["ask"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut asked = |password: &str| {
        writeln!(input, "{password}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line
    };
    assert!(asked("Zz9-uncommon-phrase").starts_with("0|"));
    let conf = caller.folder.path().join("nearmiss.conf");
    let right = fs::read_to_string(&conf).unwrap();
    fs::write(&conf, format!("min_length = 30\n{right}")).unwrap();
    assert!(asked("Zz9-uncommon-phrase").starts_with("1|too-short|"));
    fs::write(&conf, "nonsense = 1\n").unwrap();
    let broken = asked("Zz9-uncommon-phrase");
    assert!(broken.starts_with("2|none|") && broken.contains("nonsense"), "{broken}");
    assert!(!broken.contains("Zz9"), "{broken}");
    fs::write(&conf, right).unwrap();
    assert!(asked("Zz9-uncommon-phrase").starts_with("0|"));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn nothing_of_the_password_stays_in_memory() {
    let caller = Caller::new();
    for (password, verdict) in [
        ("Fjord+Quixote+5519+Bramble+Ukulele", "0|none|"),
        ("Quokka-Marimba-8842-Zephyr-Vortex", "1|dictionary|"),
    ] {
        let masked: Vec<u8> = password.bytes().map(|byte| byte ^ 0x5a).collect();
        assert_eq!(caller.run(&[], &["scan"], &masked), format!("{verdict}0 copies\n"));
        let kept = caller.run(&[], &["scan", "keep"], &masked);
        assert!(
            kept.starts_with(verdict) && !kept.ends_with("|0 copies\n"),
            "the scan finds nothing: {kept}"
        );
    }
}

fn output(program: &str, arguments: &[&str], file: &Path) -> String {
    let output = Command::new(program).args(arguments).arg(file).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}; install binutils"));
    assert!(output.status.success(), "{program} failed");
    text(&output.stdout)
}

#[test]
fn the_exported_symbols_and_their_versions_are_frozen() {
    let symbols = output(
        "nm",
        &["-D", "--defined-only", "--with-symbol-versions"],
        &library().join("libnearmiss.so.1"),
    );
    let functions = symbols.lines().filter_map(|line| line.split(" T ").nth(1));
    assert_eq!(functions.collect::<Vec<_>>(), SYMBOLS, "{symbols}");
    let further = symbols.lines().filter(|line| !line.contains(" T ")).collect::<Vec<_>>();
    assert!(further.iter().all(|line| line.contains(" A NEARMISS_1.0")), "{further:?}");
}

/// Sizes and offsets as the header has them, compared with those that ever were: a test in C, since C
/// programs are what would break.
#[test]
fn the_structures_of_the_header_are_frozen() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("abi.c");
    let offset = |of: &str, member: &str, at: usize| {
        format!("_Static_assert(offsetof(struct nearmiss_{of}, {member}) == {at}, \"{of}.{member}\");\n")
    };
    let mut text =
        "#include <nearmiss.h>\n_Static_assert(sizeof(struct nearmiss_question) == 72, \"question\");\n\
                    _Static_assert(sizeof(struct nearmiss_answer) == 784, \"answer\");\n"
            .to_owned();
    let question =
        ["size", "password", "password_bytes", "old_password", "old_password_bytes", "user", "gecos", "host"];
    let question = question.iter().chain(&["language"]);
    for (member, at) in question.zip((0..72).step_by(8)) {
        text.push_str(&offset("question", member, at));
    }
    for (member, at) in [("size", 0), ("verdict", 8), ("reason", 12), ("sentence", 16), ("detail", 272)] {
        text.push_str(&offset("answer", member, at));
    }
    text.push_str("int main(void) { return nearmiss_version() == NULL; }\n");
    fs::write(&source, text).unwrap();
    if cfg!(target_pointer_width = "64") {
        compile(folder.path(), &source, &["-pedantic"]);
    }
}

#[test]
fn the_header_is_also_for_cxx() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("plus.cpp");
    fs::write(&source, "#include <nearmiss.h>\nnearmiss_question q = NEARMISS_QUESTION_INIT;\n").unwrap();
    let mut compiler = Command::new("c++");
    compiler.args(["-Wall", "-Werror", "-fsyntax-only", "-I"]).arg(workspace().join("crates/capi/include"));
    match compiler.arg(&source).status() {
        Ok(status) => assert!(status.success(), "the header is not C++"),
        Err(_) => assert!(
            fs::read_to_string(workspace().join("crates/capi/include/nearmiss.h"))
                .unwrap()
                .contains("extern \"C\"")
        ),
    }
}

/// The library takes nothing from the environment and does not change the locale, fork or execute: what it
/// imports is in the tests of what is shipped.
#[test]
fn nothing_of_the_process_is_touched() {
    let caller = Caller::new();
    let trace = caller.folder.path().join("trace");
    let strace = ["strace", "-f", "-e", "trace=process,network,%file", "-o", trace.to_str().unwrap()];
    caller.run(&strace, &["open"], b"");
    let calls = fs::read_to_string(&trace).unwrap();
    let (_, inside) = calls.split_once("nearmiss.conf").expect("the configuration is opened");
    for unwanted in ["execve(", "socket(", "connect(", "locale"] {
        assert!(!inside.split_once('\n').unwrap().1.contains(unwanted), "{unwanted} in {inside}");
    }
}
