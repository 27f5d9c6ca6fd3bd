//! The options of every line of the module, in every stack: the module ignores one that is misspelt, and says
//! so in the log alone.

use std::{fs, path::Path};

use nearmiss_cli::finding::Finding;
use nearmiss_policy::config::{DEFAULT_PATH, drop_in_folder, stack_options::Mistake};

use super::edits::{Edits, bracketed};
use crate::{
    doctor::remedy,
    host::pam_stack::{self, StackEntry},
    migrate::{Counterpart, counterpart},
};

const CHECK: &str = "PAM options";

/// Reads the lines of all services.
pub(super) fn examine(root: &Path) -> Vec<Finding> {
    let lines = pam_stack::entries_of_module(root);
    let message = |line: &StackEntry| {
        let mistakes = line.mistakes();
        mistakes.iter().map(|mistake| misspelt(line, mistake)).collect::<Vec<_>>()
    };
    let findings: Vec<Finding> = lines.iter().flat_map(message).collect();
    if findings.is_empty() {
        let module = pam_stack::MODULE;
        let message = match lines.len() {
            0 => format!("no PAM file names {module}"),
            lines => format!("lines: {lines} of {module}: every option is known"),
        };
        return vec![Finding::fine(CHECK, message)];
    }
    findings
}

fn misspelt(line: &StackEntry, mistake: &Mistake) -> Finding {
    let message = format!("{}: {mistake}{}", line.place(), line.did_you_mean(mistake));
    let of_other = matches!(mistake, Mistake::Unknown(_)).then(|| counterpart(mistake.argument())).flatten();
    match of_other {
        Some(found) => Finding::wrong(mistake, CHECK, format!("{message}; {}", meaning(&found))).fix(moved(
            line,
            mistake.argument(),
            &found.settings,
        )),
        None => Finding::wrong(mistake, CHECK, message).fix(edit(line, mistake)),
    }
}

/// The meaning of an option of `pam_pwquality` or `pam_cracklib`.
fn meaning(found: &Counterpart) -> String {
    let settings = found.settings.iter().map(|(key, value)| format!("{key} = {value} in nearmiss.conf"));
    let all: Vec<String> = settings.chain(found.notes.iter().cloned()).collect();
    let all = if all.is_empty() { "nearmiss always does it".to_owned() } else { all.join("; ") };
    format!("it is an option of pam_pwquality: {all}")
}

/// The command that takes the option off the line, and puts its settings into a drop-in of the configuration;
/// an editor at the place if the option is not one word of the file's line.
fn moved(line: &StackEntry, argument: &str, settings: &[(String, String)]) -> String {
    let own = own_text(line);
    let forms = [argument.to_owned(), bracketed(argument), format!("[{argument}]")];
    let Some(word) = forms.into_iter().find(|form| own.split_whitespace().any(|word| word == form)) else {
        return remedy::edit(line);
    };
    let conf = line.value("conf").unwrap_or(DEFAULT_PATH);
    let folder = drop_in_folder(Path::new(conf));
    let quoted_folder = remedy::quoted(&folder);
    let to_drop_in = |(key, value): &(String, String)| {
        let (text, file) = (format!("{key} = {value}"), folder.join(format!("60-{key}.conf")));
        let (text, file) = (remedy::quoted(Path::new(&text)), remedy::quoted(&file));
        format!("mkdir -p {quoted_folder} && echo {text} > {file} && ")
    };
    let command: String = settings.iter().map(to_drop_in).collect();
    command + &Edits::default().word(line, &word, "").command()
}

/// The text of the file at the line's number.
fn own_text(line: &StackEntry) -> String {
    let text = fs::read(&line.file).unwrap_or_default();
    let own = text.split(|byte| *byte == b'\n').nth(line.number.saturating_sub(1)).unwrap_or_default();
    pam_stack::decoded(own).0
}

/// A command that replaces the option, where it is one word of the file's line; else an editor at the place.
fn edit(line: &StackEntry, mistake: &Mistake) -> String {
    let given = mistake.argument();
    let is_plain = |text: &str| text.chars().all(|one| one.is_ascii_alphanumeric() || "_=-/:".contains(one));
    let is_there = own_text(line).split_whitespace().any(|word| word == given);
    match line.meant(mistake).filter(|meant| is_there && is_plain(given) && is_plain(meant)) {
        Some(meant) => Edits::default().word(line, given, &meant).command(),
        None => remedy::edit(line),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use nearmiss_cli::finding::State;
    use nearmiss_policy::config::Config;

    use super::*;

    /// Hardening scripts put the options of `pam_pwquality` on the line that they find.
    #[test]
    fn an_option_of_pwquality_is_named_by_its_setting_and_the_fix_moves_it_there() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("etc/pam.d")).unwrap();
        let (file, conf) = (root.path().join("etc/pam.d/passwd"), root.path().join("site.conf"));
        let line = "password requisite pam_nearmiss.so retry=3 minlen=12 [difok=3] usercheck=0";
        fs::write(&file, format!("# minlen=12\n{line} conf={}\n", conf.display())).unwrap();
        fs::write(&conf, "").unwrap();
        let findings = examine(root.path());
        let messages: String = findings.iter().map(|finding| finding.message.clone() + "\n").collect();
        for says in
            ["min_length = 12 in nearmiss.conf", "the old one", "context.user = false in nearmiss.conf"]
        {
            assert!(messages.contains(says), "{says}: {messages}");
        }
        for finding in &findings {
            let fix = finding.fix.as_ref().unwrap();
            assert!(Command::new("sh").args(["-c", fix]).status().unwrap().success(), "{fix}");
        }
        assert_eq!(examine(root.path())[0].state, State::Fine);
        let config = Config::load(&conf).unwrap();
        assert_eq!((config.policy.min_length, config.policy.context.user), (12, false));
        assert!(
            fs::read_to_string(&file).unwrap().starts_with("# minlen=12\npassword requisite pam_nearmiss.so")
        );
    }

    #[test]
    fn a_file_that_is_also_reached_by_a_link_is_read_once() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("etc/pam.d")).unwrap();
        let at = |name: &str| root.path().join("etc/pam.d").join(name);
        fs::write(at("common-password-site"), "password requisite pam_nearmiss.so retyr=3\n").unwrap();
        std::os::unix::fs::symlink("common-password-site", at("common-password")).unwrap();
        assert_eq!(examine(root.path()).len(), 1);
    }

    #[test]
    fn one_plain_word_has_a_line_that_replaces_it_and_anything_else_an_editor() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("passwd");
        let path = file.display();
        let replaced = |from: &str, to: &str| {
            let script = format!(r"2s/[[:space:]]{from}\([[:space:]]\|$\)/ {to}\1/");
            format!("sed -i -e '{script}' {path}")
        };
        for (options, fix) in [
            ("retyr=3", replaced("retyr=3", "retry=3")),
            ("use_authtok Retry:3", replaced("Retry:3", "retry=3")),
            // Other modes would take the check away, and the words are a part of others.
            ("pass", format!("vi +2 {path}")),
            ("recor", format!("vi +2 {path}")),
            ("[retyr=3]", format!("vi +2 {path}")),
            ("confg=/a'b", format!("vi +2 {path}")),
            ("retries=3", format!("vi +2 {path}")),
        ] {
            let text = format!("password requisite pam_nearmiss.so {options}");
            fs::write(&file, format!("# retyr=3\n{text}\n")).unwrap();
            let line = StackEntry { file: file.clone(), number: 2, ..StackEntry::parse(&text).unwrap() };
            let mistakes = line.mistakes();
            assert_eq!(mistakes.len(), 1, "{options}: {mistakes:?}");
            assert_eq!(edit(&line, &mistakes[0]), fix, "{options}");
        }
    }
}
