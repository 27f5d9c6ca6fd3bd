//! What is found in word lists and in lists of digests, and how it is named.

use nearmiss_filters::{
    dictionary::Edit,
    digest::digest_of,
    format::{Kind, Match, SchemeId},
    word::Word,
};

use super::{
    small_filters::{digests_of, filter_of},
    *,
};

const WORDS: [&str; 5] = ["planet", "horse", "fish", "cat", "quite unlikely"];

fn rules() -> [OpenDictionary<Vec<u8>>; 3] {
    let exact =
        OpenDictionary { filter: filter_of(&["windmill"], SchemeId::Whole, 0, 1), matching: Match::Exact };
    let near = OpenDictionary { filter: filter_of(&WORDS, SchemeId::Deletions, 8, 5), matching: Match::Near };
    let listed = ["5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8", "874572e7a5ae6a49466a6ac578b98adba78c6aa6"];
    [exact, near, OpenDictionary { filter: digests_of(Kind::Sha1, &listed), matching: Match::Exact }]
}

/// A finding: reason, transforms, number of the rule, edit, and word.
type Plain = (Reason, Vec<&'static str>, Option<usize>, Option<Edit>, Option<String>);

fn examine(policy: &Policy, rules: &[OpenDictionary<Vec<u8>>], password: &str) -> Option<Plain> {
    let examination = Examination::new(rules, Ladders::default());
    let Finding { reason, evidence } =
        policy.examine(password.as_bytes(), &Context::default(), examination).complete().unwrap()?;
    let names = |transforms: Transforms| transforms.names().collect();
    Some(match evidence {
        Evidence::None => (reason, Vec::new(), None, None, None),
        Evidence::Variant { transforms } => (reason, names(transforms), None, None, None),
        Evidence::Digest { transforms, dictionary } => {
            (reason, names(transforms), Some(dictionary), None, None)
        }
        Evidence::Word { transforms, dictionary, edit, neighbour } => {
            let word = neighbour.map(|word| word.to_text());
            (reason, names(transforms), Some(dictionary), Some(edit), word)
        }
        Evidence::Distance2 { transforms, dictionary, found } => {
            assert_eq!(reason, Reason::NearDictionary);
            (reason, names(transforms), Some(dictionary), Some(found.edits[1]), Some(found.word.to_text()))
        }
        Evidence::Pieces { transforms, pieces } => {
            let words: Vec<String> = pieces.iter().map(|(_, word)| word.to_text()).collect();
            (
                reason,
                names(transforms),
                pieces.first().and_then(|&(rule, _)| rule),
                None,
                Some(words.join("+")),
            )
        }
    })
}

fn in_dictionary(transforms: &[&'static str], rule: usize, word: &str) -> Plain {
    (Reason::Dictionary, transforms.to_vec(), Some(rule), Some(Edit::None), Some(word.to_owned()))
}

fn near(transforms: &[&'static str], edit: Edit, word: &str) -> Plain {
    (Reason::NearDictionary, transforms.to_vec(), Some(1), Some(edit), Some(word.to_owned()))
}

#[test]
fn what_is_left_of_a_candidate_is_looked_up_from_4_characters_and_its_neighbours_from_6() {
    let (policy, rules, stripped) = (Policy::default(), rules(), &["ends stripped"]);
    for (password, expected) in [
        ("planet99!!", Some(in_dictionary(stripped, 1, "planet"))),
        ("horse99!!", Some(in_dictionary(stripped, 1, "horse"))),
        ("fish99!!", Some(in_dictionary(stripped, 1, "fish"))),
        ("cat90817!!", None),
        ("plenet99!!", Some(near(stripped, Edit::Replace { at: 2 }, "planet"))),
        ("hoarse99!!", Some(near(stripped, Edit::Remove { at: 2 }, "horse"))),
        ("planex99!!", Some(near(stripped, Edit::Replace { at: 5 }, "planet"))),
        ("plane99!!", None),
        ("t3nalp99!", Some(in_dictionary(&["ends stripped", "reversed", "leet undone"], 1, "planet"))),
        ("t3nelp99!", None),
        ("tnelp99!", None),
        ("tenelp99!", None),
        ("tenalp99!", Some(in_dictionary(&["ends stripped", "reversed"], 1, "planet"))),
        ("hprse99!!", None),
        ("hors99!!", None),
    ] {
        assert_eq!(examine(&policy, &rules, password), expected, "{password}");
    }
}

/// The false rejection rate is stated for that many lookups, so that the last variant of a candidate that has
/// as many, and is none of them itself, is not looked up.
#[test]
fn a_candidate_is_looked_up_in_a_list_of_digests_64_times_at_most() {
    let password = "É1!XÉ1!X";
    let word = Word::clean(password.as_bytes()).unwrap();
    let variants = variants::of(word, VariantRules::ALL);
    let policy = Policy { min_length: 3, structure: StructureRules::NONE, ..Policy::default() };
    assert_eq!(variants.len(), MAX_VARIANTS);
    for (at, is_found) in [(0, true), (MAX_VARIANTS - 2, true), (MAX_VARIANTS - 1, false)] {
        let digest = digest_of(Kind::Sha1, variants[at].word.to_text().as_bytes()).unwrap();
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let rules =
            [OpenDictionary { filter: digests_of(Kind::Sha1, &[&digest, &digest]), matching: Match::Exact }];
        assert_eq!(examine(&policy, &rules, password).is_some(), is_found, "{at}");
    }
}

/// A finding is in no log with the word that it is of.
#[test]
fn what_is_shown_of_a_finding_is_its_reason() {
    let rules = rules();
    let examination = Examination::new(&rules, Ladders::default());
    let found = Policy::default().examine(b"planet99!!", &Context::default(), examination).complete();
    assert_eq!(format!("{:?}", found.unwrap().unwrap()), "Finding { reason: Dictionary, .. }");
}

/// What is disguised in two ways is random too often, unless it is long.
#[test]
fn neighbours_of_what_is_disguised_in_two_ways_are_looked_up_from_nine_characters() {
    let rules = [OpenDictionary {
        filter: filter_of(&["elephants", "elephant", "planets"], SchemeId::Deletions, 8, 5),
        matching: Match::Near,
    }];
    for (password, is_found) in [
        ("tnahxele9", true),
        ("3lexhant!", true),
        ("stexalp99", false),
        ("pl4nexs99", false),
        ("stn4hxele", true),
        ("tn4hxele", false),
        ("tn4hpele", true),
        ("tn4hxele9", false),
        ("pl4nexsa", false),
        ("pl4nexs", true),
    ] {
        let policy = Policy { min_length: 3, structure: StructureRules::NONE, ..Policy::default() };
        assert_eq!(examine(&policy, &rules, password).is_some(), is_found, "{password}");
    }
}

#[test]
fn a_name_and_a_word_are_two_words_too_close_to_the_name() {
    let context = Context { host: b"webserver01.acmecorp.com", ..Context::default() };
    let found = |password: &[u8]| {
        let rules = rules();
        let examination = Examination::new(&rules, Ladders::default());
        Policy::default().examine(password, &context, examination).complete().unwrap()
    };
    for (password, expected) in [
        ("horsewebserver", Some(["horse", "webserver"])),
        ("Acmecorp-planet2026", Some(["acmecorp", "planet"])),
        ("hoursewebserver", None),
    ] {
        let finding = found(password.as_bytes());
        let words = finding.map(|finding| {
            assert_eq!(finding.reason, Reason::NearHostName, "{password}");
            let Evidence::Pieces { pieces, .. } = finding.evidence else { panic!("{password}") };
            assert_eq!(pieces.iter().filter(|(dictionary, _)| dictionary.is_none()).count(), 1);
            pieces.iter().map(|(_, word)| word.to_text()).collect::<Vec<_>>()
        });
        assert_eq!(words, expected.map(|words| words.map(str::to_owned).to_vec()), "{password}");
    }
}

#[test]
fn a_finding_says_which_list_has_what() {
    let (policy, rules) = (Policy { min_length: 3, ..Policy::default() }, rules());
    let breached =
        |transforms: &[&'static str]| Some((Reason::Breached, transforms.to_vec(), Some(2), None, None));
    for (password, expected) in [
        ("windmill", Some(in_dictionary(&[], 0, "windmill"))),
        ("llimdniw", Some(in_dictionary(&["reversed"], 0, "windmill"))),
        ("windmil", None),
        ("cat", Some(in_dictionary(&[], 1, "cat"))),
        ("cats", Some(near(&[], Edit::Remove { at: 3 }, "cat"))),
        ("quite  unlikely", Some(near(&[], Edit::Remove { at: 5 }, "quite unlikely"))),
        ("password", breached(&[])),
        ("PASSWORD", breached(&[])),
        ("drowssap", breached(&["reversed"])),
        ("p4ssw0rd77", breached(&["ends stripped", "leet undone"])),
        ("Tr0ub4dor&3", breached(&[])),
        ("tr0ub4dor&3", None),
        ("passwork", None),
    ] {
        assert_eq!(examine(&policy, &rules, password), expected, "{password}");
    }
    let as_typed = Policy { variants: VariantRules::NONE, structure: StructureRules::NONE, ..policy };
    assert_eq!(examine(&as_typed, &rules, "password"), breached(&[]));
    assert_eq!(examine(&as_typed, &rules, "PASSWORD"), None);
    assert_eq!(examine(&as_typed, &rules, "drowssap"), None);
    assert_eq!(examine(&as_typed, &rules[2..], "catcatcat"), None);
}

#[allow(clippy::unnecessary_wraps, reason = "as `examine` returns it")]
fn pieces(transforms: &[&'static str], words: &str) -> Option<Plain> {
    Some((Reason::TwoWords, transforms.to_vec(), Some(1), None, Some(words.to_owned())))
}

#[test]
fn two_words_are_found_with_their_pieces() {
    let (policy, rules) = (Policy::default(), rules());
    for (password, expected) in [
        ("planethorse", pieces(&[], "planet+horse")),
        ("Horse-Planet", pieces(&[], "horse+planet")),
        ("horse42fish", pieces(&[], "horse+fish")),
        ("catfish!!", None),
        ("catplanet!!", pieces(&["ends stripped"], "cat+planet")),
        ("catplanet", pieces(&[], "cat+planet")),
        ("horse-cat", pieces(&[], "horse+cat")),
        ("cat.planet", pieces(&[], "cat+planet")),
        ("cat-cat-x", None),
        ("horse123fish", None),
        ("catcat", None),
        ("planethorsefish", None),
        ("planethorse2026!", pieces(&["ends stripped"], "planet+horse")),
        ("...planethorse..", pieces(&["ends stripped"], "planet+horse")),
        ("planethorse....202611", None),
        ("planexhorse", pieces(&[], "horse+planet")),
        ("catplxnet", pieces(&[], "cat+planet")),
        ("xplanetfish", pieces(&[], "fish+planet")),
        ("planexhorze", None),
        ("planexhorse99", None),
        ("windmillfish", Some((Reason::TwoWords, vec![], Some(0), None, Some("windmill+fish".to_owned())))),
    ] {
        assert_eq!(
            examine(&Policy { min_length: 3, ..policy.clone() }, &rules, password)
                .filter(|found| found.0 != Reason::Pattern && found.0 != Reason::Dictionary),
            expected,
            "{password}"
        );
    }
    let off = Policy { structure: StructureRules::NONE, ..policy };
    assert_eq!(examine(&off, &rules, "planethorse"), None);
}

#[test]
fn words_of_three_characters_are_those_of_near_filters() {
    let rule = |scheme, deletion_bits, probes| {
        [OpenDictionary {
            filter: filter_of(&["cat", "fish", "planet"], scheme, deletion_bits, probes),
            matching: Match::Exact,
        }]
    };
    let [exact, near] = [rule(SchemeId::Whole, 0, 9), rule(SchemeId::Deletions, 8, 9)];
    for (password, in_near, in_exact) in [("catplanet", true, false), ("planetfish", true, true)] {
        let structure = StructureRules { two_words: true, ..StructureRules::NONE };
        let policy = Policy { structure, ..Policy::default() };
        let found = |rules| examine(&policy, rules, password).is_some();
        assert_eq!((found(&near[..]), found(&exact[..])), (in_near, in_exact), "{password}");
    }
}

#[test]
fn most_of_a_password_may_not_be_a_word_where_that_is_switched_on() {
    let rules = rules();
    let found = |substring, password| {
        let structure = StructureRules { substring, ..StructureRules::NONE };
        let policy = Policy { structure, variants: VariantRules::NONE, ..Policy::default() };
        let (reason, _, _, _, words) = examine(&policy, &rules, password)?;
        assert_eq!(reason, Reason::MostlyWord);
        words
    };
    let planet = Some("planet".to_owned());
    for (password, two_thirds, all_but_4) in [
        ("xyplanetz", planet.clone(), planet.clone()),
        ("xyplanetzw", None, planet),
        ("xyplanetzwv", None, None),
        ("xyzfishv", None, None),
    ] {
        assert_eq!(found(Substring::TwoThirds, password), two_thirds, "{password}");
        assert_eq!(found(Substring::AllBut4, password), all_but_4, "{password}");
        assert_eq!(found(Substring::Off, password), None);
    }
}

#[test]
fn a_word_of_6_letters_and_3_characters_are_found_where_only_that_is_switched_on() {
    let filter = filter_of(&["planet", "horse", "831590"], SchemeId::Whole, 0, 3);
    let rules = [OpenDictionary { filter, matching: Match::Exact }];
    let structure = StructureRules { word_plus_few: true, ..StructureRules::NONE };
    let policy = Policy { min_length: 1, structure, variants: VariantRules::NONE, ..Policy::default() };
    let found = |password| examine(&policy, &rules, password).map(|found| (found.0, found.4.unwrap()));
    let planet = Some((Reason::MostlyWord, "planet".to_owned()));
    for (password, expected) in [
        ("planetqzx", planet.clone()),
        ("qzplanetx", planet.clone()),
        ("qplanet", planet),
        ("planetqzxw", None),
        ("horseq", None),
        ("831590qzx", Some((Reason::MostlyWord, "831590".to_owned()))),
        ("831590472", None),
    ] {
        assert_eq!(found(password), expected, "{password}");
    }
}

#[test]
fn long_words_are_found_at_distance_2_and_named() {
    let rule = |matching| OpenDictionary {
        filter: filter_of(&["watermelon", "carnation"], SchemeId::Deletions, 8, 5),
        matching,
    };
    let found = |policy: &Policy, matching, password| examine(policy, &[rule(matching)], password);
    let policy = Policy::default();
    let expected = Some((
        Reason::NearDictionary,
        vec!["ends stripped"],
        Some(0),
        Some(Edit::Replace { at: 2 }),
        Some("watermelon".to_owned()),
    ));
    assert_eq!(found(&policy, Match::Near, "Waxermelxn99!").filter(|plain| plain.4.is_some()), expected);
    assert_eq!(found(&policy, Match::Exact, "Waxermelxn99!"), None);
    assert_eq!(found(&policy, Match::Near, "caxnatixn99!"), None, "nine characters");
    assert_eq!(found(&policy, Match::Near, "Waxexmelxn99!"), None, "three edits");
    let structure = StructureRules { distance_2: false, ..StructureRules::default() };
    assert_eq!(found(&Policy { structure, ..policy }, Match::Near, "Waxermelxn99!"), None);
}

#[test]
fn neighbours_are_looked_up_by_near_rules_only() {
    let [_, mut rule, _] = rules();
    let policy = Policy { variants: VariantRules::NONE, min_length: 3, ..Policy::default() };
    let [swapped, replaced] = ["palnet", "plamet"];
    let rules = std::slice::from_ref(&rule);
    let found = |password| examine(&policy, rules, password).map(|plain| plain.0);
    assert_eq!(found(swapped), None, "two swapped characters are two edits");
    assert_eq!(found(replaced), Some(Reason::NearDictionary));
    rule.matching = Match::Exact;
    let rules = std::slice::from_ref(&rule);
    let found = |password| examine(&policy, rules, password).map(|plain| plain.0);
    assert_eq!([swapped, replaced].map(found), [None, None]);
    assert_eq!(found("planet"), Some(Reason::Dictionary));
}
