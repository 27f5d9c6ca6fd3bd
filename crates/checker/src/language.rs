//! The sentences in other languages than English: the PAM module's sentences, by language tag. No file and no
//! locale is read: a server serves users of several languages, and the system may lack locales for some of
//! them.

use crate::{answer::Answer, sentence};

// `ENGLISH` and `CATALOGUES`, which build.rs generates from `packaging/po/`.
include!(concat!(env!("OUT_DIR"), "/catalogues.rs"));

/// The sentence of an answer in the language of a tag (RFC 5646: `de`, `pt-BR`, also `pt_BR.UTF-8`); none if
/// there is no such translation, or no sentence.
pub fn translated(answer: &Answer, tag: &[u8]) -> Option<String> {
    let catalogue = catalogue(std::str::from_utf8(tag).ok()?)?;
    let Some(reason) = answer.reason else {
        return found(catalogue, sentence::told_by_the_module(&answer.sentence)?);
    };
    let text = found(catalogue, reason.sentence())?;
    // The caller adds its own heading, in every language.
    let clause = text.split_once([':', '：'])?.1.trim();
    Some(reason.filled(clause))
}

/// The catalogue of the language and the region, else of the language alone, else of another region.
fn catalogue(tag: &str) -> Option<&'static str> {
    let wanted = tag.split(['.', '@']).next().unwrap_or_default().replace('-', "_");
    let language = wanted.split('_').next().unwrap_or_default();
    let of = |name: &str| CATALOGUES.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    let related = || {
        let is_related =
            |own: &str| own.split('_').next().is_some_and(|own| own.eq_ignore_ascii_case(language));
        CATALOGUES.iter().find(|(own, _)| is_related(own))
    };
    of(&wanted).or_else(|| of(language)).or_else(related).map(|(_, catalogue)| *catalogue)
}

/// The translation of a text in a catalogue.
fn found(catalogue: &str, text: &str) -> Option<String> {
    let at = ENGLISH.lines().position(|own| own == text)?;
    catalogue.split('\n').nth(at).filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Verdict;
    use nearmiss_policy::{policy::Reason, site::Cause};

    fn rejected(reason: Reason) -> Answer {
        let sentence = sentence::rejection(reason);
        Answer {
            verdict: Verdict::Rejected,
            reason: Some(reason),
            sentence,
            detail: String::new(),
            is_audited: false,
        }
    }

    #[test]
    fn every_reason_has_a_clause_in_every_language() {
        assert_eq!(CATALOGUES.len(), 15);
        for (tag, _) in CATALOGUES {
            for reason in Reason::ALL {
                let text = translated(&rejected(reason), tag.as_bytes());
                let text = text.unwrap_or_else(|| panic!("{tag}: {reason}"));
                assert!(!text.is_empty() && !text.contains(['{', '}', '\\', '"']), "{tag}: {text}");
                assert_ne!(text, rejected(reason).sentence, "{tag}");
            }
        }
    }

    #[test]
    fn what_is_not_checked_is_said_in_every_language() {
        for (tag, _) in CATALOGUES {
            for cause in Cause::ALL.into_iter().filter(|cause| *cause != Cause::Fault) {
                let sentence = sentence::unusable(cause).to_owned();
                let answer = Answer {
                    verdict: Verdict::Unusable,
                    reason: None,
                    sentence,
                    detail: String::new(),
                    is_audited: false,
                };
                assert!(translated(&answer, tag.as_bytes()).is_some(), "{tag}: {cause:?}");
            }
        }
    }

    /// libnearmiss has room for 255 bytes, and would cut the end, which says whom to tell.
    #[test]
    fn no_sentence_is_cut_in_any_language() {
        let unusable = |cause| Answer {
            verdict: Verdict::Unusable,
            reason: None,
            sentence: sentence::unusable(cause).to_owned(),
            detail: String::new(),
            is_audited: false,
        };
        for (tag, _) in CATALOGUES {
            let answers = Reason::ALL.map(rejected).into_iter().chain(Cause::ALL.map(unusable));
            for text in answers.filter_map(|answer| translated(&answer, tag.as_bytes())) {
                assert!(text.len() < 256, "{tag}: {} bytes: {text}", text.len());
            }
        }
    }

    #[test]
    fn a_tag_names_the_nearest_catalogue_or_none() {
        let of = |tag: &str| translated(&rejected(Reason::TooShort { min_length: 9 }), tag.as_bytes());
        let german = of("de").unwrap();
        assert!(german.starts_with("Es hat weniger als 9 Zeichen"), "{german}");
        for tag in ["de-AT", "de_DE.UTF-8", "DE", "de@euro"] {
            assert_eq!(of(tag).as_ref(), Some(&german), "{tag}");
        }
        assert_eq!(of("pt"), of("pt-br"));
        assert_eq!(of("zh-hans"), of("zh_CN"));
        for tag in ["", "en", "xx", "d", "../de", "\u{fc}"] {
            assert_eq!(of(tag), None, "{tag}");
        }
        assert_eq!(translated(&rejected(Reason::Empty), b"\xff"), None);
    }

    #[test]
    fn an_accepted_password_has_nothing_to_translate() {
        assert_eq!(translated(&Answer::noted(""), b"de"), None);
    }
}
