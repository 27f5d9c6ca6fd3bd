//! Mail addresses with a text after them and blanks between: accounts in a part of a list.

use crate::refusal::Refusal;

/// Refuses words of which more than one in three are an address and a text; more than one in fifteen are a
/// doubt.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    let number = words.iter().filter(|word| is_account(word)).count();
    let content =
        format!("mail addresses with a text behind each: {number} of {} that were looked at", words.len());
    if super::is_part(number, words.len(), 3) {
        return Err(Refusal::or_copy(
            content,
            "of what is behind them (sed -E 's/^[^ ]+@[^ ]+[[:blank:]]+(- +)?//')",
        ));
    }
    if super::is_part(number, words.len(), super::DOUBTED) {
        doubts.push(format!("has {content}; are these passwords?"));
    }
    Ok(())
}

/// `anna@mail.example password`.
fn is_account(word: &str) -> bool {
    word.split_once(char::is_whitespace).is_some_and(|(mail, text)| {
        let is_host = |host: &str| host.contains('.') && !host.contains('@');
        mail.split_once('@').is_some_and(|(name, host)| !name.is_empty() && is_host(host))
            && !text.trim().is_empty()
    })
}
