//! The words of a site: forbidden ones that no password contains as they are written, and the list that
//! passphrases are drawn from.

use std::path::Path;

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::storage::read_trusted;
use nearmiss_policy::{
    config::{Config, MAX_BYTES},
    suggest::{ListProblem, WordList, WordListError},
};

use super::{Subject, remedy};
use crate::report::counted;

const CHECK: &str = "words";

/// Characters that no name has, and that other forms of lists have: quotes, separators, markup.
const SIGNS: &[u8] = b"\"`<>{}[]()\\,;:#=|\t";

/// A warning for a list of suggestions that cannot be used, and one for a file of forbidden words that is
/// empty or not one word a line.
pub(super) fn examine(subject: &Subject, config: &Config) -> Vec<Finding> {
    suggestions(subject, config).into_iter().chain(forbidden(config)).collect()
}

fn suggestions(subject: &Subject, config: &Config) -> Option<Finding> {
    let guidance = &config.guidance;
    let of_line = subject.line().and_then(|line| line.options().suggest);
    if of_line.unwrap_or(guidance.suggest) == 0 {
        return None;
    }
    let error = WordList::open(&guidance.suggest_words).err()?;
    let fix = match &error {
        WordListError::Storage(error) => remedy::of_storage(error),
        WordListError::List { path, problem: ListProblem::NotSorted { .. } } => {
            let path = remedy::quoted(path);
            Some(format!("LC_ALL=C sort -u -o {path} {path}"))
        }
        _ => None,
    };
    let message = format!("{error}: no passphrase is suggested");
    let fix = fix.unwrap_or_else(|| subject.changed_settings());
    Some(Finding::warning(&error, CHECK, message).fix(fix))
}

fn forbidden(config: &Config) -> Option<Finding> {
    let file = config.forbidden_words_file.as_deref()?;
    // A file that cannot be read makes the configuration unusable.
    let text = read_trusted(file, MAX_BYTES).ok()?;
    let lines = || (1..).zip(text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii));
    let words = || lines().filter(|(_, line)| !matches!(line, [] | [b'#', ..]));
    if words().next().is_none() {
        let message = format!("{}: has no words: nothing is forbidden by it", file.display());
        return Some(weak(message).fix(remedy::on_files("vi", [file])));
    }
    let mut strange = words().filter(|(_, line)| is_strange(line)).map(|(number, _)| number);
    let first: usize = strange.next()?;
    Some(not_words(file, first, strange.count()))
}

fn not_words(file: &Path, first: usize, more: usize) -> Finding {
    let others = match more {
        0 => String::new(),
        more => format!(", nor are {} more", counted(more as u64, "line")),
    };
    let message = format!(
        "{}: line {first} is not one word{others}: a password is rejected only if it contains the whole \
         line, with its quotes, separators and remarks",
        file.display()
    );
    weak(message).fix(format!("vi +{first} {}", remedy::quoted(file)))
}

fn weak(message: String) -> Finding {
    Finding::warning(keys::SETTINGS_WEAK, CHECK, message)
}

/// True for a line that is more than a word or a name of several words: in quotes, with a separator, a
/// remark, a number or a bullet beside it, or a part of a document.
fn is_strange(line: &[u8]) -> bool {
    let is_quoted = line.starts_with(b"'") && line.ends_with(b"'");
    let has_bullet = [&b"- "[..], b"* "].iter().any(|bullet| line.starts_with(bullet));
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    let first = line.split(|&byte| byte == b' ').next().unwrap_or_default();
    let has_number = first != line && is_number(first);
    is_quoted || has_bullet || has_number || line.iter().any(|byte| SIGNS.contains(byte))
}
