//! A site in a folder of its own: what is rejected, what is counted, and what each failure means.

use std::{
    fs, io,
    os::unix::fs::{FileExt, PermissionsExt},
    path::Path,
};

use nearmiss_filters::{
    dictionary::{Build, Problem, Spec},
    format::{Kind, Match},
    hash::Key,
    ladder::{LadderError, LadderFiles, NewLadder, Params, Setter, create},
    storage::{Act, StorageError},
};
use rustix::io::Errno;

use super::*;
use crate::{
    config::{DictionaryRule, GuessRules, OnError, PACKAGED},
    policy::{Context, Reason, StructureRules, Substring},
};

pub(super) const NOBODY: Context<'static> =
    Context { user: b"", gecos: b"", host: b"", old_password: None, in_locale: None };

/// Why the site rejects a password, where nothing that it could not ask forbids an answer.
pub(super) fn reason_of(site: &Site, password: &[u8]) -> Option<Reason> {
    site.decide(password, &NOBODY).rejection().unwrap().map(|finding| finding.reason)
}

/// A configuration whose files lie in a folder: none is there yet.
pub(super) struct Folder {
    folder: tempfile::TempDir,
    pub(super) config: Config,
}

impl Folder {
    pub(super) fn new(on_error: OnError) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        let [file, key] = ["l.ladder", "l.key"].map(|name| folder.path().join(name));
        let ladder = LadderFiles { file, key };
        let [file, seen] = ["g.ladder", "run/failures"].map(|name| folder.path().join(name));
        let guesses = GuessRules { file, seen, ..GuessRules::default() };
        let config = Config {
            on_error,
            dictionaries: Vec::new(),
            ladder,
            ladder_on_error: on_error,
            guesses,
            ..Config::default()
        };
        Folder { folder, config }
    }

    /// A copy of one of the frozen filters: the folder of the sources need not pass the trusted walk.
    pub(super) fn with_filter(mut self, golden: &str, matching: Option<Match>) -> Folder {
        let file = self.folder.path().join(format!("{golden}.filter"));
        fs::copy(format!("{}/../filters/tests/golden/{golden}.filter", env!("CARGO_MANIFEST_DIR")), &file)
            .unwrap();
        self.config.dictionaries.push(DictionaryRule { matching, ..DictionaryRule::new(file) });
        self
    }

    /// A filter of these words, asked for members only.
    pub(super) fn add_words(&mut self, name: &str, words: &str) {
        let file = self.folder.path().join(name);
        let spec = Spec { matching: Match::Exact, ..Spec::default() };
        let build = Build::new(spec, Key::new([7; 16]));
        fs::write(&file, build.in_memory(&[words.as_bytes()]).unwrap()).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        self.config.dictionaries.push(DictionaryRule::new(file));
    }

    fn with_missing_filter(mut self) -> Folder {
        let file = self.folder.path().join("none.filter");
        self.config.dictionaries.push(DictionaryRule::new(file));
        self
    }

    /// A new ladder without a slow hash. That a password is too common at once has probability 2⁻³².
    pub(super) fn with_ladder(self) -> Folder {
        let new = NewLadder { params: Params::new(1 << 22, 32, 32, 2).unwrap(), cost: None, stamps: 256 };
        create(&self.config.ladder, &new, false).unwrap();
        self
    }

    pub(super) fn site(&self) -> Site {
        Site::new(self.config.clone())
    }
}

/// Damages the byte at this offset of a file.
pub(super) fn spoil(file: &Path, at: u64) {
    fs::File::options().write(true).open(file).unwrap().write_all_at(&[0xff], at).unwrap();
}

fn choice<'a>(account: &'a [u8], shadow_field: Option<&'a [u8]>) -> AccountChoice<'a> {
    AccountChoice { account, shadow_field, day: 7, by: Setter::Owner }
}

/// Many accounts choose the same password.
pub(super) fn make_common(site: &Site, password: &[u8]) {
    for account in 0_u8..32 {
        assert_eq!(site.record(password, &choice(&[account], None)), Ok(Some(Claim::Granted)));
    }
}

#[test]
fn a_filter_is_asked_for_no_more_than_it_was_built_for() {
    use Match::{Exact, Near};
    for (golden, wanted, got) in [
        ("near-8", None, Some(Near)),
        ("near-8", Some(Near), Some(Near)),
        ("near-8", Some(Exact), Some(Exact)),
        ("exact", None, Some(Exact)),
        ("exact", Some(Exact), Some(Exact)),
        ("exact", Some(Near), None),
    ] {
        let folder = Folder::new(OnError::Reject).with_filter(golden, wanted);
        let matching = folder.site().rules().first().map(|rule| rule.matching);
        assert_eq!(matching, got, "{golden} {wanted:?}");
    }
}

#[test]
fn the_finding_has_the_reason() {
    let folder = Folder::new(OnError::Reject).with_filter("near-8", None);
    let site = folder.site();
    for (password, reason) in [
        (b"elephant".as_slice(), Some(Reason::Dictionary)),
        (b"elephqnt", Some(Reason::NearDictionary)),
        (b"stranger", None),
    ] {
        assert_eq!(reason_of(&site, password), reason);
    }
}

#[test]
fn what_cannot_be_opened_leaves_no_verdict_but_what_the_others_found() {
    let folder = Folder::new(OnError::Reject).with_missing_filter().with_filter("near-8", None);
    let site = folder.site();
    assert_eq!(site.unusable().len(), 1);
    let decision = site.decide(b"elephqnt", &NOBODY);
    assert_eq!(decision.finding.as_ref().map(|finding| finding.reason), Some(Reason::NearDictionary));
    assert_eq!(decision.failures, site.unusable());
    let refused = decision.rejection().unwrap_err();
    assert!(refused.detail.contains("none.filter"), "{refused:?}");
    assert!(decision.unasked().contains("none.filter"));
    let none = site.decide(b"stranger", &NOBODY);
    assert!(none.finding.is_none() && none.rejection().is_err());
}

#[test]
fn on_error_allow_goes_without_what_failed_and_with_the_rest() {
    let folder = Folder::new(OnError::Allow).with_missing_filter().with_filter("near-8", None);
    let site = folder.site();
    for (password, reason) in [
        (b"elephqnt".as_slice(), Some(Reason::NearDictionary)),
        (b"stranger", None),
        (b"short", Some(Reason::TooShort { min_length: 8 })),
    ] {
        assert_eq!(site.decide(password, &NOBODY).failures.len(), 1);
        assert_eq!(reason_of(&site, password), reason);
    }
}

#[test]
fn a_page_that_is_damaged_fails_once_and_the_ladder_is_still_asked() {
    let folder = Folder::new(OnError::Allow).with_filter("near-8", None).with_ladder();
    spoil(&folder.config.dictionaries[0].file, 5000);
    let site = folder.site();
    assert_eq!(site.unusable(), []);
    make_common(&site, b"stranger");
    let decision = site.decide(b"stranger", &NOBODY);
    let causes: Vec<Cause> = decision.failures.iter().map(|unusable| unusable.cause).collect();
    assert_eq!(causes, [Cause::Filter]);
    assert_eq!(decision.finding.map(|finding| finding.reason), Some(Reason::TooCommonHere));
}

#[test]
fn a_missing_filter_and_one_that_is_not_for_this_process_are_known() {
    let trouble = |code| {
        let error = filter_error(Problem::Storage(system_error(code)));
        Unusable::filter(&error, OnError::Allow, Enforce::Reject).trouble
    };
    assert_eq!(trouble(Errno::NOENT), Trouble::Missing("/f".into()));
    assert_eq!(trouble(Errno::ACCESS), Trouble::Denied("/f".into()));
    assert_eq!(trouble(Errno::IO), Trouble::System);
}

#[test]
fn advice_fits_what_the_filter_holds() {
    let text = |kind| OpenError::NotNear { path: "/f".into(), kind }.to_string();
    assert!(text(Kind::Words).contains("rebuild it with --match near"));
    assert!(text(Kind::Sha1).contains("contains sha1 digests") && !text(Kind::Ntlm).contains("rebuild"));
}

#[test]
fn a_configuration_that_is_named_must_exist() {
    let missing = Site::load(Path::new("/nonexistent/nearmiss.conf")).err().unwrap();
    assert_eq!((missing.cause, missing.is_allowed), (Cause::Configuration, false));
    assert!(missing.detail.contains("/nonexistent"), "{missing}");
}

fn filter_error(problem: Problem) -> OpenError {
    OpenError::Filter(nearmiss_filters::dictionary::FilterError { path: Some("/f".into()), problem })
}

fn system_error(code: Errno) -> StorageError {
    StorageError::io(Path::new("/f"), Act::Open, code)
}

#[test]
fn allow_covers_files_that_are_missing_untrusted_or_damaged() {
    let untrusted = StorageError::rule(Path::new("/f"), Act::OthersMayWrite);
    let cut = StorageError::io(Path::new("/f"), Act::Read, io::Error::from(io::ErrorKind::UnexpectedEof));
    let errors = [
        filter_error(Problem::Storage(system_error(Errno::NOENT))),
        filter_error(Problem::Storage(system_error(Errno::CONNREFUSED))),
        filter_error(Problem::Storage(untrusted)),
        filter_error(Problem::Storage(cut)),
        filter_error(Problem::DamagedPage { index: 3 }),
        filter_error(Problem::UnreadablePage { index: 3, source: Errno::IO.into() }),
        OpenError::NotNear { path: "/f".into(), kind: Kind::Words },
    ];
    for error in errors {
        assert!(Unusable::filter(&error, OnError::Allow, Enforce::Reject).is_allowed, "{error}");
        assert!(!Unusable::filter(&error, OnError::Reject, Enforce::Reject).is_allowed, "{error}");
    }
}

#[test]
fn allow_does_not_cover_what_a_caller_can_provoke() {
    for code in [Errno::MFILE, Errno::NFILE, Errno::NOMEM, Errno::AGAIN, Errno::PERM] {
        let filter = filter_error(Problem::Storage(system_error(code)));
        assert!(!Unusable::filter(&filter, OnError::Allow, Enforce::Reject).is_allowed, "{filter}");
        let ladder = LadderError::Access { path: "/l".into(), source: code.into() };
        assert!(!Unusable::ladder(Cause::Ladder, &ladder, OnError::Allow).is_allowed, "{ladder}");
    }
    let slow = LadderError::SlowHash(nearmiss_filters::ladder::SlowHashError::Memory);
    assert!(!Unusable::ladder(Cause::Ladder, &slow, OnError::Allow).is_allowed);
}

#[test]
fn a_ladder_is_out_of_reach_only_for_a_process_without_power_that_is_denied() {
    let meaning = |is_root, code, on_error| {
        let error = LadderError::Storage(system_error(code));
        let cause = Cause::Ladder;
        let unusable = Unusable::ladder_opened_by(is_root, cause, &error, on_error, Enforce::Reject);
        (unusable.is_out_of_reach, unusable.is_allowed)
    };
    for on_error in [OnError::Reject, OnError::Allow] {
        assert_eq!(meaning(false, Errno::ACCESS, on_error), (true, true));
        assert_eq!(meaning(true, Errno::ACCESS, on_error), (false, false));
        for is_root in [false, true] {
            let is_allowed = on_error == OnError::Allow;
            assert_eq!(meaning(is_root, Errno::IO, on_error), (false, is_allowed));
            assert_eq!(meaning(is_root, Errno::MFILE, on_error), (false, false));
        }
    }
}

#[test]
fn a_ladder_that_was_never_made_is_off_and_one_without_key_is_not() {
    let folder = Folder::new(OnError::Reject);
    assert_eq!(folder.site().has_ladder(), Ok(false));
    assert_eq!(folder.site().record(b"a rare one", &choice(b"ann", None)), Ok(None));
    let folder = folder.with_ladder();
    assert_eq!(folder.site().has_ladder(), Ok(true));
    fs::remove_file(&folder.config.ladder.key).unwrap();
    let unusable = folder.site().has_ladder().unwrap_err();
    assert!(unusable.cause == Cause::Ladder && unusable.detail.contains("l.key"), "{unusable}");
}

#[test]
fn what_many_accounts_chose_is_too_common() {
    let folder = Folder::new(OnError::Reject).with_ladder();
    let site = folder.site();
    let reason = |password: &[u8]| reason_of(&site, password);
    assert_eq!(reason(b"a rare one"), None);
    make_common(&site, b"a rare one");
    assert_eq!((reason(b"a rare one"), reason(b"another one")), (Some(Reason::TooCommonHere), None));
    let without = Site::without_ladder(folder.config.clone());
    assert_eq!(reason_of(&without, b"a rare one"), None);
}

#[test]
fn what_one_account_chose_often_is_not() {
    let folder = Folder::new(OnError::Reject).with_ladder();
    let site = folder.site();
    for turn in 0_u8..100 {
        site.record(b"a rare one", &choice(b"ann", Some(&[b'$', turn]))).unwrap();
        site.record(b"a rare one", &choice(b"bob", None)).unwrap();
    }
    assert_eq!(reason_of(&site, b"a rare one"), None);
}

#[test]
fn what_is_near_a_word_is_not_suggested_even_where_only_words_are_rejected() {
    for matching in [Match::Near, Match::Exact] {
        let folder = Folder::new(OnError::Reject).with_filter("near-8", Some(matching));
        let site = folder.site();
        let may = |text: &[u8]| site.may_be_suggested(text, &NOBODY).unwrap();
        assert!(!may(b"elephant") && !may(b"elephqnt") && may(b"stranger"), "{matching:?}");
    }
}

#[test]
fn what_is_rejected_without_its_separators_is_not_suggested() {
    let mut folder = Folder::new(OnError::Reject);
    folder.add_words("two", "corral\ntestament\n");
    let site = folder.site();
    let may = |text: &[u8]| site.may_be_suggested(text, &NOBODY).unwrap();
    assert_eq!(reason_of(&site, b"cor-ral-testament"), None);
    assert!(!may(b"cor-ral-testament") && may(b"cor-ral-pavement"));
    assert!(may(b"cor-rals"), "eight characters, seven without the separator");
}

#[test]
fn a_suggestion_is_drawn_for_the_policy_and_never_without_a_filter() {
    let list = include_bytes!("../../../../packaging/wordlists/suggest.lst").to_vec();
    let words = crate::suggest::WordList::parse(list).unwrap();
    let mut folder = Folder::new(OnError::Allow).with_filter("near-8", None);
    folder.config.policy.min_length = 40;
    let suggestion = folder.site().suggest(&words, 60, &NOBODY).unwrap();
    let passphrase = suggestion.passphrase.as_str();
    assert!(passphrase.chars().count() >= 40 && suggestion.recipe.bits() >= 60.0, "{passphrase}");
    assert_eq!(passphrase.split('-').count(), suggestion.recipe.words);
    assert_eq!(reason_of(&folder.site(), passphrase.as_bytes()), None);
    let mut too_long = Folder::new(OnError::Reject);
    too_long.config.policy.min_length = 511;
    assert!(matches!(too_long.site().suggest(&words, 60, &NOBODY), Err(Unsuggested::Rejected)));
    let without = folder.with_missing_filter().site();
    assert!(matches!(without.suggest(&words, 60, &NOBODY), Err(Unsuggested::Unusable(_))));
}

/// A part that is only counted never hides one that rejects, whatever the order in which they are listed.
#[test]
fn each_part_is_enforced_at_its_own_level_and_the_strictest_wins() {
    let mut folder = Folder::new(OnError::Reject);
    folder.add_words("audited", "zebrapassword\nbutterfly\n");
    folder.add_words("warned", "butterfly\nquokkas4ever\n");
    folder.add_words("enforced", "quokkas4ever\n");
    let levels = [Some(Enforce::Audit), Some(Enforce::Warn), None];
    for (rule, level) in folder.config.dictionaries.iter_mut().zip(levels) {
        rule.enforce = level;
    }
    let decided = |config: &Config, password: &str| {
        let decision = Site::new(config.clone()).decide(password.as_bytes(), &NOBODY);
        assert!(decision.failures.is_empty(), "{decision:?}");
        decision.finding.map(|finding| (finding.reason, decision.enforce))
    };
    let dictionary = |level| Some((Reason::Dictionary, level));
    assert_eq!(decided(&folder.config, "zebrapassword"), dictionary(Enforce::Audit));
    assert_eq!(decided(&folder.config, "butterfly"), dictionary(Enforce::Warn));
    assert_eq!(decided(&folder.config, "quokkas4ever"), dictionary(Enforce::Reject));
    assert_eq!(decided(&folder.config, "correct horse battery"), None);
    let too_short = Reason::TooShort { min_length: 8 };
    assert_eq!(decided(&folder.config, "quokk"), Some((too_short, Enforce::Reject)));
    let mut audited = Config { enforce: Enforce::Audit, ..folder.config.clone() };
    assert_eq!(decided(&audited, "quokk"), Some((too_short, Enforce::Audit)));
    audited.dictionaries[2].enforce = Some(Enforce::Reject);
    assert_eq!(decided(&audited, "quokkas4ever"), dictionary(Enforce::Reject));
    let site = Site::new(folder.config.clone());
    assert_eq!(reason_of(&site, b"butterfly"), None, "warned of, not rejected");
    let all = Site::new(audited).enforcing(Enforce::Audit);
    assert_eq!(all.decide(b"quokkas4ever", &NOBODY).enforce, Enforce::Audit);
}

/// The second one, too: a host that lost it does not check less without a word.
#[test]
fn each_packaged_filter_must_exist() {
    for lost in PACKAGED {
        let mut folder = Folder::new(OnError::Reject).with_filter("near-8", None);
        let file = folder.folder.path().join(lost.trim_start_matches('/'));
        folder.config.dictionaries.push(DictionaryRule::new(file));
        let unusable = Site::new(folder.config).unusable();
        assert_eq!((unusable.len(), unusable[0].is_allowed), (1, false), "{lost}");
    }
}

/// While nothing is rejected, nothing that fails rejects either.
#[test]
fn a_part_that_is_missing_rejects_nothing_where_it_would_reject_nothing() {
    for level in Enforce::ALL {
        let mut folder = Folder::new(OnError::Reject);
        folder.config.enforce = level;
        folder.config.dictionaries.push(DictionaryRule::new("/nonexistent.filter".into()));
        let unusable = Site::new(folder.config).unusable();
        assert_eq!((unusable.len(), unusable[0].is_allowed), (1, level != Enforce::Reject), "{level:?}");
    }
}

/// `filterctl check` warns of rules that stay without effect, each by itself.
#[test]
fn a_filter_that_does_not_know_its_members_is_named_where_a_rule_asks_for_them() {
    let none = StructureRules::NONE;
    let asking = [
        StructureRules { two_words: true, ..none },
        StructureRules { distance_2: true, ..none },
        StructureRules { word_plus_few: true, ..none },
        StructureRules { substring: Substring::TwoThirds, ..none },
    ];
    let named = |structure, golden| {
        let mut folder = Folder::new(OnError::Reject).with_filter(golden, None);
        folder.config.policy.structure = structure;
        Site::new(folder.config.clone()).partly_used().count()
    };
    for rules in asking {
        assert_eq!([named(rules, "paper"), named(rules, "near-6")], [1, 0], "{rules:?}");
    }
    assert_eq!(named(StructureRules { repetition: true, sequences: true, ..none }, "paper"), 0);
}
