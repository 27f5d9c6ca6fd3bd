//! The names that a password must not be near: the user's names, the host's name and the old password.

#![allow(clippy::arithmetic_side_effects, reason = "lengths of words of at most 256 characters")]

use nearmiss_filters::{
    storage::Bytes,
    word::{Symbol, Word},
};

use super::{
    candidate::Candidate,
    examination::Examination,
    finding::{Evidence, Finding},
    names::ContextWords,
    reason::Reason,
    variants::{MIN_LEFT_EXACT, Variant},
};

/// The least length of a shortened variant that is compared with the neighbours of a name: less than for a
/// dictionary, since there are few names.
const MIN_LEFT_NEAR_NAME: usize = 5;

/// Finds candidates at most one edit away from a name of the user or the host, or from the old password.
pub(super) fn find<D: Bytes>(candidate: &Candidate<'_>, examination: &mut Examination<'_, D>) {
    let (rules, context) = (candidate.policy.context, candidate.context);
    let variants = candidate.variants();
    let words = ContextWords::new(context, rules);
    let mut near = words.iter().filter_map(|(reason, word)| {
        let variant = variants.iter().find(|variant| is_too_close(variant, word))?;
        // An old password is not shown.
        let pieces = (*reason != Reason::NearOldPassword).then(|| (None, word.clone()));
        let evidence =
            Evidence::Pieces { transforms: variant.transforms, pieces: pieces.into_iter().collect() };
        Some(Finding { reason: *reason, evidence })
    });
    if let Some(finding) = near.next() {
        examination.found(finding);
    }
}

fn is_too_close(variant: &Variant, word: &Word) -> bool {
    let is_same = variant.may_match(MIN_LEFT_EXACT) && variant.word == *word;
    is_same || (variant.may_match(MIN_LEFT_NEAR_NAME) && is_within_1(&variant.word, word))
}

/// True when the distance is at most 1: between their common beginning and their common end, each has at most
/// one character.
pub(super) fn is_within_1(a: &Word, b: &Word) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let common =
        |pairs: &mut dyn Iterator<Item = (Symbol, Symbol)>| pairs.take_while(|(x, y)| x == y).count();
    let start = common(&mut short.symbols().zip(long.symbols()));
    let end = common(&mut short.symbols().rev().zip(long.symbols().rev()));
    start + end + 1 >= long.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Context, ContextRules, Ladders, Policy, StructureRules, tests::reason};

    fn near(context: &Context<'_>, password: &str) -> Option<Reason> {
        let policy = Policy { min_length: 1, ..Policy::default() };
        reason(&policy, password.as_bytes(), context)
    }

    fn word(text: &str) -> Word {
        Word::clean(text.as_bytes()).unwrap_or_default()
    }

    #[test]
    fn within_1_is_levenshteins() {
        for (a, b, near) in [
            ("", "", true),
            ("", "a", true),
            ("", "ab", false),
            ("abc", "abc", true),
            ("abc", "abd", true),
            ("abc", "bbd", false),
            ("aab", "ab", true),
            ("abab", "ab", false),
            ("ab", "ba", false),
            ("elephant", "elzhant", false),
        ] {
            assert_eq!(is_within_1(&word(a), &word(b)), near, "{a} {b}");
            assert_eq!(is_within_1(&word(b), &word(a)), near, "{b} {a}");
        }
    }

    /// chfn lets a user fill the telephone numbers, and a directory sets no limit.
    #[test]
    fn a_long_field_of_names_has_names_too() {
        let gecos = format!("Xavorquin Zwiebelkornovic,{}", "r".repeat(2000));
        let context = Context { gecos: gecos.as_bytes(), ..Context::default() };
        for password in ["Zwiebelkornovic", "xavorquinzwiebelkornovic1"] {
            assert_eq!(near(&context, password), Some(Reason::NearRealName), "{password}");
        }
    }

    #[test]
    fn a_name_that_is_repeated_to_any_length_is_near() {
        let context = Context { user: b"xavorquinovich", ..Context::default() };
        for times in [2, 18, 19, 30] {
            let password = "xavorquinovich".repeat(times);
            assert_eq!(near(&context, &password), Some(Reason::NearUserName), "{times}");
            assert_eq!(near(&context, &format!("{password}!")), Some(Reason::NearUserName), "{times}");
        }
    }

    #[test]
    fn further_names_are_on_lines_of_their_own() {
        let context = Context {
            user: b"test\ntest@EXAMPLE.ORG\nNEWEXAMPLE.ORG",
            gecos: b"Anna Zwiebelkorn\nannabella.z@kornfelder.example\nannabella.z",
            ..Context::default()
        };
        for (password, expected) in [
            ("test@EXAMPLE.ORG", Some(Reason::NearUserName)),
            ("NewExample.Org", Some(Reason::NearUserName)),
            ("gro.elpmaxewen", Some(Reason::NearUserName)),
            ("annazwiebelkorn", Some(Reason::NearRealName)),
            ("annabella.z", Some(Reason::NearRealName)),
            ("annabella.z@kornfelder.example", Some(Reason::NearRealName)),
            ("Kornfelder1", Some(Reason::NearRealName)),
            ("testannabella", Some(Reason::NearUserName)),
        ] {
            assert_eq!(near(&context, password), expected, "{password}");
        }
    }

    #[test]
    fn names_of_user_and_host_in_any_disguise() {
        let context = Context {
            user: b"someuser",
            gecos: "Zoë Müller-Lüdenscheidt,Room 7,555-0100".as_bytes(),
            host: b"workbench.example.org",
            old_password: Some(b"Tr0ub4dor"),
            ..Context::default()
        };
        for (password, reason) in [
            ("someuser", Reason::NearUserName),
            ("resuemos", Reason::NearUserName),
            ("someuser123", Reason::NearUserName),
            ("123someuser", Reason::NearUserName),
            ("1someuser2", Reason::NearUserName),
            ("Müller42", Reason::NearRealName),
            ("ludenscheidt", Reason::NearRealName),
            ("zoemullerludenscheidt", Reason::NearRealName),
            ("workbench", Reason::NearHostName),
            ("w0rkbench!", Reason::NearHostName),
            ("workbench.example.org1", Reason::NearHostName),
            ("Tr0ub4dor1", Reason::NearOldPassword),
            ("rod4bu0rt", Reason::NearOldPassword),
        ] {
            assert_eq!(near(&context, password), Some(reason), "{password}");
        }
        assert_eq!(near(&context, "someusre"), None, "a swap is distance 2");
        assert_eq!(near(&context, "correct horse battery staple"), None);
    }

    const AT_WORK: Context<'_> = Context {
        user: b"anna.schmidt",
        gecos: b"Anna Schmidt",
        host: b"webserver01.acmecorp.com",
        old_password: None,
        in_locale: None,
    };

    #[test]
    fn names_without_their_numbers_domains_and_parts_of_two_words() {
        for password in
            ["w3bs3rv3r01", "annawebserver01", "anna@webserver01", "annab2026", "Acm3C0rp!", "acmecorp.com"]
        {
            assert!(near(&AT_WORK, password).is_some(), "{password}");
        }
        assert_eq!(near(&AT_WORK, "ilovewebserver"), None, "a word that no dictionary here has");
        for (user, host, password) in [
            ("anna@corp.contoso.com", "", "Contoso2026"),
            ("anna@corp.contoso.com", "", "contoso.com"),
            ("CONTOSO\\anna", "", "c0nt0so!"),
            ("x", "a.b.contoso.co.uk", "contoso.co.uk"),
            ("x", "a.b.contoso.co.uk", "Contoso7"),
            ("x", "db-07", "db-07"),
            ("zwiebelkorn77", "", "zwiebelkorn!"),
        ] {
            let context = Context { user: user.as_bytes(), host: host.as_bytes(), ..Context::default() };
            assert!(near(&context, password).is_some(), "{user} {host} {password}");
        }
        for password in ["company-info", "company", "annex-room", "vq7mz.info"] {
            let context = Context { host: b"a.vq7mz-rkwpt.info", ..AT_WORK };
            assert_eq!(near(&context, password), None, "{password}");
        }
    }

    #[test]
    fn parts_of_two_words_follow_their_rule_and_the_old_password_is_none() {
        let structure = StructureRules { two_words: false, ..StructureRules::default() };
        let policy = Policy { structure, ..Policy::default() };
        assert_eq!(reason(&policy, b"annawebserver01", &AT_WORK), None);
        let context = Context { old_password: Some(b"zwiebelkorn"), ..AT_WORK };
        assert_eq!(near(&context, "annazwiebelkorn"), None);
    }

    #[test]
    fn what_is_left_of_a_stripped_password_is_compared_from_4_characters_and_its_neighbours_from_5() {
        let rejected = Some(Reason::NearUserName);
        for (user, password, verdict) in [
            ("bob", "bob4971!", None),
            ("anna", "anna4971!", rejected),
            ("anna", "anne4971!", None),
            ("donna", "donne4971!", rejected),
            ("donna", "donn4971!", None),
            ("ronald", "donald4971!", rejected),
        ] {
            let context = Context { user: user.as_bytes(), ..Context::default() };
            assert_eq!(near(&context, password), verdict, "{user} {password}");
        }
    }

    #[test]
    fn the_finding_shows_the_name_and_never_the_old_password() {
        let pieces_of = |context: &Context<'_>, password: &[u8]| {
            let examination = Examination::<Vec<u8>>::new(&[], Ladders::default());
            let found = Policy::default().examine(password, context, examination).finding.unwrap();
            match found.evidence {
                Evidence::Pieces { pieces, .. } => {
                    pieces.into_iter().map(|(_, word)| word.to_text()).collect()
                }
                _ => Vec::new(),
            }
        };
        let named = Context { user: b"zwiebelkorn", ..Context::default() };
        assert_eq!(pieces_of(&named, b"zwiebelk0rn!"), ["zwiebelkorn"]);
        let changed = Context { old_password: Some(b"quokkas4ever"), ..Context::default() };
        assert!(pieces_of(&changed, b"quokkas5ever").is_empty());
    }

    #[test]
    fn a_name_is_not_stripped_to_fewer_than_4_characters() {
        let context = Context { user: b"ab12", ..Context::default() };
        assert_eq!(near(&context, "abq"), None);
        assert_eq!(near(&context, "ab13"), Some(Reason::NearUserName));
    }

    #[test]
    fn the_old_password_is_rejected_also_when_it_is_too_long_to_be_a_word() {
        let old = [b'x'; 300];
        let context = Context { old_password: Some(&old), ..Context::default() };
        assert_eq!(reason(&Policy::default(), &old, &context), Some(Reason::NearOldPassword));
        assert_eq!(reason(&Policy::default(), &[b'y'; 300], &context), Some(Reason::Pattern));
        // One more character at the end is no other password, as of a short one.
        let next = [b'x'; 301];
        assert_eq!(reason(&Policy::default(), &next, &context), Some(Reason::NearOldPassword));
    }

    #[test]
    fn a_name_that_is_not_utf_8_is_latin_1() {
        let context = Context { gecos: b"Zo\xeb M\xfcller-L\xfcdenscheidt", ..Context::default() };
        for password in ["Müller42", "mueller2026!", "zoemullerludenscheidt"] {
            assert_eq!(near(&context, password), Some(Reason::NearRealName), "{password}");
        }
    }

    #[test]
    fn switched_off_and_unknown_parts_do_not_count() {
        assert_eq!(near(&Context::default(), "someuser"), None);
        let context = Context { user: b"someuser", ..Context::default() };
        let rules = ContextRules { user: false, ..ContextRules::default() };
        let policy = Policy { context: rules, ..Policy::default() };
        assert_eq!(reason(&policy, b"someuser", &context), None);
    }
}
