//! Parts that are enforced at levels of their own, and parts that fail while they are asked.

use std::io;

use nearmiss_filters::{
    dictionary::{FilterError, Problem},
    ladder::LadderError,
};
use rustix::io::Errno;

use super::{
    tests::{Folder, NOBODY, make_common, reason_of, spoil},
    *,
};
use crate::{
    config::OnError,
    policy::{Examination, Ladders, Reason, SourceError},
};

const SHORT: Reason = Reason::TooShort { min_length: 8 };

#[test]
fn one_part_that_rejects_does_so_where_all_others_only_count() {
    let mut folder = Folder::new(OnError::Reject);
    folder.config.ladder_enforce = Some(Enforce::Audit);
    assert_eq!(reason_of(&folder.site(), b"quokk"), Some(SHORT), "the policy");
    let mut folder = Folder::new(OnError::Reject);
    folder.config.enforce = Enforce::Audit;
    folder.add_words("enforced", "quokkas4ever\n");
    folder.config.dictionaries[0].enforce = Some(Enforce::Reject);
    assert_eq!(reason_of(&folder.site(), b"quokkas4ever"), Some(Reason::Dictionary), "the filter");
    let mut folder = Folder::new(OnError::Reject).with_ladder();
    (folder.config.enforce, folder.config.ladder_enforce) = (Enforce::Audit, Some(Enforce::Reject));
    let site = folder.site();
    make_common(&site, b"a rare one");
    assert_eq!(reason_of(&site, b"a rare one"), Some(Reason::TooCommonHere), "the ladder");
}

#[test]
fn a_filter_that_rejects_has_no_rule_of_a_policy_reject_that_only_counts() {
    let mut folder = Folder::new(OnError::Reject);
    folder.config.enforce = Enforce::Audit;
    folder.add_words("enforced", "quokkas4ever\n");
    folder.config.dictionaries[0].enforce = Some(Enforce::Reject);
    let site = folder.site();
    for password in ["quokk", "8305719246", "ab830571", "vqzkvqzkvqzk", "aaaaaaaaaaaa", "qwertyuiop"] {
        let decision = site.decide(password.as_bytes(), &NOBODY);
        assert!(decision.finding.is_some(), "{password} breaks a rule");
        assert_eq!(decision.enforce, Enforce::Audit, "{password} {decision:?}");
        assert!(decision.rejection().is_ok_and(|found| found.is_none()), "{password}");
    }
}

#[test]
fn a_filter_that_fails_is_noted_once_and_the_next_one_is_asked() {
    let mut folder = Folder::new(OnError::Allow).with_filter("near-8", None);
    spoil(&folder.config.dictionaries[0].file, 5000);
    folder.add_words("whole", "stranger\n");
    let site = folder.site();
    assert_eq!(reason_of(&site, b"stranger"), Some(Reason::Dictionary));
    let examination = Examination::new(site.rules(), Ladders::default());
    let examined = site.config().policy.examine(b"5tr4ng35t-0n3", &NOBODY, examination);
    assert_eq!(examined.failures.len(), 1, "{examined:?}");
}

#[test]
fn what_fails_after_the_finding_takes_nothing_from_it() {
    let mut folder = Folder::new(OnError::Reject);
    folder.add_words("whole", "stranger\n");
    let folder = folder.with_filter("near-8", None);
    spoil(&folder.config.dictionaries[1].file, 5000);
    let decision = folder.site().decide(b"stranger", &NOBODY);
    let found = decision.rejection().unwrap().map(|finding| finding.reason);
    assert_eq!(found, Some(Reason::Dictionary));
}

/// A program with few descriptors or little memory is the caller's doing: no `on_error` accepts for that.
#[test]
fn what_a_caller_can_provoke_while_a_source_is_asked_is_never_allowed() {
    let config = Config { on_error: OnError::Allow, ladder_on_error: OnError::Allow, ..Config::default() };
    let filter = |code: Errno| {
        let problem = Problem::UnreadablePage { index: 3, source: code.into() };
        FilterError { path: Some("/f".into()), problem }
    };
    let ladder = |code: Errno| LadderError::Access { path: "/f".into(), source: io::Error::from(code) };
    for (code, is_allowed) in [(Errno::MFILE, false), (Errno::NOMEM, false), (Errno::IO, true)] {
        for error in [
            SourceError::Filter(filter(code)),
            SourceError::Ladder(ladder(code)),
            SourceError::Guesses(ladder(code)),
        ] {
            let unusable = Unusable::source(&error, &config);
            assert_eq!(unusable.is_allowed, is_allowed, "{error}");
            assert!(unusable.detail.contains("/f"), "{unusable:?}");
        }
    }
}
