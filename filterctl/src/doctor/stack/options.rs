//! The options of every line of the module, in every stack: the module ignores one that is misspelt, and says
//! so in the log alone.

use std::{fs, path::Path};

use nearmiss_cli::finding::Finding;
use nearmiss_policy::config::stack_options::Mistake;

use crate::{
    doctor::remedy,
    host::pam_stack::{self, StackEntry},
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
        let message = format!("{} of {}: every option is known", lines.len(), pam_stack::MODULE);
        return vec![Finding::fine(CHECK, format!("lines: {message}"))];
    }
    findings
}

fn misspelt(line: &StackEntry, mistake: &Mistake) -> Finding {
    let message = format!("{}: {mistake}{}", line.place(), pam_stack::did_you_mean(mistake));
    Finding::wrong(mistake, CHECK, message).fix(edit(line, mistake))
}

/// A line that replaces the option, where it is one word of the file's line; else an editor at the place.
fn edit(line: &StackEntry, mistake: &Mistake) -> String {
    let (number, file, given) = (line.number, remedy::quoted(&line.file), mistake.argument());
    let is_plain = |text: &str| text.chars().all(|one| one.is_ascii_alphanumeric() || "_=-/:".contains(one));
    let text = fs::read_to_string(&line.file).unwrap_or_default();
    let own = text.lines().nth(number.saturating_sub(1)).unwrap_or_default();
    let is_there = own.split_whitespace().any(|word| word == given);
    match mistake.meant().filter(|meant| is_there && is_plain(given) && is_plain(meant)) {
        Some(meant) => format!("sed -i '{number}s|{given}|{meant}|' {file}"),
        None => format!("vi +{number} {file}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_plain_word_has_a_line_that_replaces_it_and_anything_else_an_editor() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("passwd");
        let path = file.display();
        for (options, fix) in [
            ("retyr=3", format!("sed -i '2s|retyr=3|retry=3|' {path}")),
            ("use_authtok Retry:3", format!("sed -i '2s|Retry:3|retry=3|' {path}")),
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
