//! The troubleshooting page has every message of the module and of the tool, as their sources say them, and
//! no other.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use nearmiss_tests::artifacts::workspace;

/// The texts between double quotes of a source, but for its tests and comments, in one line each.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let (mut texts, mut rest) = (Vec::new(), code.as_str());
    while let Some((_, after)) = rest.split_once('"') {
        let mut end = 0;
        while let Some(at) = after[end..].find(['"', '\\']) {
            end += at;
            if after[end..].starts_with('"') {
                break;
            }
            end += 2;
        }
        let text = after[..end].replace("\\\"", "\"");
        let parts = text.split("\\\n").map(str::trim_start);
        let first = text.split("\\\n").next().unwrap_or_default().to_owned();
        texts.push(parts.skip(1).fold(first, |text, part| text + part));
        rest = after.get(end + 1..).unwrap_or_default();
    }
    texts
}

/// The parts of a text between its holes that say something.
fn fragments(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, after)| after))
        .filter(|part| part.len() >= 12)
}

/// What the module shows and the library has: the reading of a line, and the reasons.
const OPTIONS: &str = "../../filters/src/config/stack_options.rs";
const REASON: &str = "../../filters/src/policy/reason.rs";

#[test]
fn every_message_of_the_module_is_on_the_page() {
    let page = fs::read_to_string(workspace().join("docs/troubleshoot.md")).expect("the page");
    let mut seen = 0;
    for source in ["messages/log.rs", "messages/decision.rs", "messages/sentences.rs", OPTIONS, REASON] {
        let code = fs::read_to_string(workspace().join("pam-module/src").join(source)).expect("a source");
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        for text in literals(code).iter().filter(|text| text.contains(' ') && !text.starts_with("each is a"))
        {
            for fragment in fragments(text) {
                seen += 1;
                assert!(page.contains(fragment.trim()), "{source}: docs/troubleshoot.md has not: {text}");
            }
        }
    }
    assert!(seen > 60, "{seen} fragments");
}

/// The arguments of each of these calls, up to the closing parenthesis; and the rest of the code.
fn calls<'c>(code: &'c str, names: &[&str]) -> (String, String) {
    let (mut inside, mut outside, mut rest) = (String::new(), String::new(), code);
    let next = |rest: &'c str| {
        let found = names.iter().filter_map(|name| rest.find(name).map(|at| at + name.len()));
        found.min()
    };
    while let Some(start) = next(rest) {
        let (before, call) = rest.split_at(start);
        outside.push_str(before);
        let (mut depth, mut is_text, mut end) = (1_u32, false, call.len());
        let mut letters = call.char_indices();
        while let Some((at, letter)) = letters.next() {
            match (letter, is_text) {
                ('\\', true) => drop(letters.next()),
                ('"', _) => is_text = !is_text,
                ('(', false) => depth += 1,
                (')', false) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                end = at;
                break;
            }
        }
        let (call, after) = call.split_at(end);
        inside.extend([call, "\n"]);
        rest = after;
    }
    outside.push_str(rest);
    (inside, outside)
}

/// The sources below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(sources(&entry));
        } else if entry.extension().is_some_and(|end| end == "rs") {
            found.push(entry);
        }
    }
    found
}

/// The tool's messages about faults: all texts of the files that are about errors or examine the
/// system, but for the lines that fix it, which need no other advice; of the others the texts that are
/// handed to an error or a warning.
fn texts_of_the_tool() -> Vec<String> {
    const ERRORS: [&str; 5] =
        ["Failure::plain(", "Failure::new(", "warn(", "Finding::wrong(", "Finding::new("];
    let mut texts = Vec::new();
    for folder in ["filterctl/src", "toolkit/src", "fetch/src", "filters/src"] {
        for source in sources(&workspace().join(folder)) {
            let name = source.strip_prefix(workspace()).unwrap_or(&source).display().to_string();
            let code = fs::read_to_string(&source).expect("a source");
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            let is_whole = name.ends_with("/error.rs")
                || name.ends_with("site/failure.rs")
                || name.ends_with("client/fault.rs")
                || name.contains("/doctor/")
                    && !["/remedy.rs", "/replica.rs"].iter().any(|end| name.ends_with(end));
            if is_whole {
                texts.extend(literals(&calls(code, &["Finding::fine(", ".fix("]).1));
            } else if folder != "filters/src" {
                texts.extend(literals(&calls(code, &ERRORS).0));
            }
        }
    }
    let is_command = |text: &String| COMMANDS.iter().any(|command| text.starts_with(command));
    texts.retain(|text| text.contains(' ') && fragments(text).any(|part| part.trim().len() >= 12));
    texts.retain(|text| !is_command(text));
    texts
}

/// The beginnings of lines that fix something: they are typed, not looked up.
const COMMANDS: [&str; 10] = [
    "apt-get ",
    "dnf ",
    "filterctl update --",
    "filterctl config ",
    "filterctl fleet ",
    "fleet join ",
    "install -",
    "man ",
    "systemctl ",
    "mount -",
];

/// As the page has it: one line.
fn in_one_line(text: &str) -> String {
    text.replace("\\n", " ")
}

#[test]
fn every_message_of_the_tool_is_on_the_page() {
    let page = fs::read_to_string(workspace().join("docs/troubleshoot.md")).expect("the page");
    let texts = texts_of_the_tool();
    assert!(texts.len() > 200, "{} texts", texts.len());
    let is_there = |text: &String| fragments(&in_one_line(text)).all(|part| page.contains(part.trim()));
    let is_reason = |text: &String| REASONS.contains(&text.as_str());
    let missing: Vec<String> = texts
        .iter()
        .filter(|text| !is_there(text) && !is_reason(text))
        .map(|text| format!("| {} | |\n", in_one_line(text)))
        .collect();
    assert!(missing.is_empty(), "docs/troubleshoot.md has not:\n{}", missing.concat());
}

/// Why a lint is allowed: not said to anybody.
const REASONS: [&str; 3] = [
    "positions in a text of at most 64 KiB",
    "pages of an array that is in memory, and slots of 32 bits",
    "signed or not and 32 or 64 bits wide by machine; the numbers are 32 bits",
];

#[test]
fn what_the_page_says_of_the_tool_is_said_by_it() {
    let page = fs::read_to_string(workspace().join("docs/troubleshoot.md")).expect("the page");
    let (_, tool) = page.split_once("## The tool").expect("the part about the tool");
    let texts: Vec<String> = texts_of_the_tool().iter().map(|text| in_one_line(text)).collect();
    for line in tool.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| message")) {
        let message = line.trim_start_matches("| ").split(" | ").next().unwrap_or_default();
        for fragment in fragments(message) {
            assert!(texts.iter().any(|text| text.contains(fragment.trim())), "nothing says: {message}");
        }
    }
}

/// `man nearmiss_check` finds the page that describes it.
#[test]
fn every_function_of_the_library_has_a_manual_page() {
    let read =
        |path: &str| fs::read_to_string(workspace().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let (exported, page) = (read("capi/nearmiss.map"), read("capi/man/nearmiss.3"));
    let folder = tempfile::tempdir().unwrap();
    let mut install = Command::new(workspace().join("packaging/parts.sh"));
    install.arg(folder.path()).arg("none").arg("development");
    assert!(install.status().unwrap().success(), "parts.sh");
    let functions: Vec<&str> = exported
        .lines()
        .filter_map(|line| line.trim().strip_suffix(';'))
        .filter(|name| *name != "*")
        .collect();
    let functions: Vec<&&str> = functions.iter().filter(|name| name.starts_with("nearmiss_")).collect();
    assert_eq!(functions.len(), 6, "{functions:?}");
    let manuals = folder.path().join("usr/share/man/man3");
    assert_eq!(fs::read_dir(&manuals).unwrap().count(), 1 + functions.len());
    let names = page.split(".SH NAME").nth(1).and_then(|rest| rest.split(".SH").next()).unwrap_or_default();
    for function in functions {
        assert_eq!(fs::read_to_string(manuals.join(format!("{function}.3"))).ok().as_ref(), Some(&page));
        assert!(names.contains(*function), "the NAME of nearmiss.3 has not {function}");
    }
}
