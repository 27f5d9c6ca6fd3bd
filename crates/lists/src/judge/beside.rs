//! Words with something beside them that nobody types: their numbers in a list, tags of parts of speech,
//! shares.

use super::{DOUBTED, SOME, is_part};
use crate::{line::nine_in_ten, refusal::Refusal};

/// More than one word in so many is refused.
const REFUSED: usize = 3;

/// The most letters of a tag.
const LONGEST_TAG: usize = 5;

/// What may be beside a word: the name of such words, the test of a word, and the command that removes it.
struct Beside {
    words: &'static str,
    is_of: fn(&str) -> bool,
    command: &'static str,
}

const BESIDE: [Beside; 3] = [
    Beside { words: "words with a tag behind them", is_of: has_tag, command: "sed 's/_[A-Z]*$//'" },
    Beside {
        words: "words with their number before them",
        is_of: has_number,
        command: "sed 's/^[0-9]*[.):] *//'",
    },
    Beside {
        words: "words with a share behind them",
        is_of: has_share,
        command: "sed 's/[[:blank:]]*[0-9.,]*[[:blank:]]*%$//'",
    },
];

/// Refuses words of which more than one in three have the same beside them, of a few nearly all.
///
/// # Errors
/// The [`Refusal`].
pub(super) fn judge(words: &[String], doubts: &mut Vec<String>) -> Result<(), Refusal> {
    for beside in BESIDE {
        let number = words.iter().filter(|word| (beside.is_of)(word)).count();
        let content = format!("{}: {number} of {} that were looked at", beside.words, words.len());
        let is_most = words.len() >= SOME || nine_in_ten(number, words.len());
        if is_most && is_part(number, words.len(), REFUSED) {
            return Err(Refusal::or_copy(content, format!("without it ({})", beside.command)));
        }
        if is_part(number, words.len(), DOUBTED) {
            doubts.push(format!("has {content}"));
        }
    }
    Ok(())
}

/// `word_NN`, as the tags of parts of speech are written.
fn has_tag(word: &str) -> bool {
    word.rsplit_once('_').is_some_and(|(word, tag)| {
        (1..=LONGEST_TAG).contains(&tag.len())
            && tag.bytes().all(|byte| byte.is_ascii_uppercase())
            && word.contains(char::is_lowercase)
    })
}

/// `7) word`, `7. word`, `7: word`.
fn has_number(word: &str) -> bool {
    word.split_once([')', '.', ':']).is_some_and(|(number, rest)| {
        is_number(number) && rest.starts_with(' ') && rest.contains(char::is_alphabetic)
    })
}

/// `word 7.5%`, `word 7 %`.
fn has_share(word: &str) -> bool {
    let before = word.strip_suffix('%').map(str::trim_ascii_end);
    before.and_then(|before| before.rsplit_once([' ', '\t'])).is_some_and(|(word, share)| {
        is_number(&share.replace(['.', ','], "")) && word.contains(char::is_alphabetic)
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcome where one word in `parts` has this form: refused, doubted, or neither.
    fn outcome(form: fn(&str) -> String, parts: usize) -> (bool, usize) {
        let word = |n: usize| format!("word{n}");
        let of = |n: usize| if n.is_multiple_of(parts) { form(&word(n)) } else { word(n) };
        let words: Vec<String> = (0..600).map(of).collect();
        let mut doubts = Vec::new();
        let refused = judge(&words, &mut doubts).is_err();
        (refused, doubts.len())
    }

    #[test]
    fn a_third_is_refused_and_fewer_are_doubted() {
        let forms: [fn(&str) -> String; 6] = [
            |word| format!("{word}_NN"),
            |word| format!("12) {word}"),
            |word| format!("12. {word}"),
            |word| format!("{word} 0.5%"),
            |word| format!("{word}\t12 %"),
            |word| format!("{word} 1,5 %"),
        ];
        for (number, form) in forms.into_iter().enumerate() {
            assert_eq!(outcome(form, 2), (true, 0), "{number}");
            assert_eq!(outcome(form, 4), (false, 1), "{number}");
            assert_eq!(outcome(form, 20), (false, 0), "{number}");
        }
        let words: [fn(&str) -> String; 6] = [
            |word| format!("{word}_nn"),
            |word| format!("7{word}."),
            |word| format!("12:{word}"),
            |word| format!("{word}100%"),
            |_| "10. 12".to_owned(),
            |_| "100 %".to_owned(),
        ];
        for (number, form) in words.into_iter().enumerate() {
            assert_eq!(outcome(form, 1), (false, 0), "{number}");
        }
    }
}
