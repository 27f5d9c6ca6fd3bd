use super::*;
use crate::storage::Act;

#[test]
fn every_message_about_a_header_says_what_is_wrong() {
    let errors = [
        (HeaderError::Magic, "not a ladder file"),
        (HeaderError::Version { got: 9, expected: 3 }, "format 9 by a newer nearmiss"),
        (HeaderError::Version { got: 2, expected: 3 }, "filterctl ladder init --fix keeps it aside"),
        (HeaderError::Hash, "hash"),
        (HeaderError::PageBytes { expected: 4096 }, "4096 bytes"),
        (HeaderError::Stamps, "stamps"),
        (HeaderError::SlowHash, "slow hash"),
        (HeaderError::Reserved, "reserved"),
        (HeaderError::Checksum, "checksum"),
        (HeaderError::Length { expected: 8192, got: 1 }, "1 bytes long instead of 8192"),
    ];
    for (error, part) in errors {
        let text = LadderError::File { path: "/l".into(), problem: error }.to_string();
        assert!(text.starts_with("/l") && text.contains(part), "{text}");
    }
}

#[test]
fn every_message_about_a_key_says_which_file() {
    for (problem, part) in [
        (KeyProblem::Length, "the length of a ladder key"),
        (KeyProblem::Magic, "not a ladder key"),
        (KeyProblem::Version, "of a format"),
        (KeyProblem::Damaged, "damaged"),
    ] {
        let text = LadderError::Key { path: "/k".into(), problem }.to_string();
        assert!(text.starts_with("/k") && text.contains(part), "{text}");
    }
}

#[test]
fn only_a_later_format_is_of_a_newer_program() {
    let of = |problem| LadderError::File { path: "/l".into(), problem };
    for (got, is_newer) in [(1, false), (3, false), (4, true)] {
        assert_eq!(of(HeaderError::Version { got, expected: 3 }).is_newer(), is_newer, "{got}");
    }
    let key = |problem| LadderError::Key { path: "/k".into(), problem };
    assert!(key(KeyProblem::Version).is_newer());
    assert!(!of(HeaderError::Magic).is_newer() && !LadderError::Exists { path: "/l".into() }.is_newer());
}

#[test]
fn an_error_has_the_source_it_was_made_of() {
    let access = || io::Error::other("gone");
    let sources = |error: LadderError| error.source().map(ToString::to_string);
    let path = PathBuf::from("/l");
    assert_eq!(sources(LadderError::Access { path: path.clone(), source: access() }), Some("gone".into()));
    assert_eq!(sources(LadderError::Random(access())), Some("gone".into()));
    let problem = HeaderError::Checksum;
    assert_eq!(sources(LadderError::File { path: path.clone(), problem }), Some(problem.to_string()));
    let storage = || StorageError::io(&path, Act::Open, access());
    assert_eq!(sources(storage().into()), Some(storage().to_string()));
    assert!(
        sources(SlowHashError::Memory.into()).unwrap().starts_with("not enough memory for the slow hash")
    );
    assert!(sources(SlowHashError::Refused.into()).unwrap().contains("does not accept this password"));
    assert_eq!(sources(LadderError::Exists { path }), None);
}
