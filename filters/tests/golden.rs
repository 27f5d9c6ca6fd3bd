//! Frozen files of format 1: the builder still writes them byte for byte, and what they answer has not
//! changed. `UPDATE_GOLDEN=1` rewrites them, for a new format version only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::disallowed_methods, reason = "tests")]
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "tests")]

mod common;

use std::{fs, path::PathBuf};

use common::{build, exact, settings, stating, word};
use nearmiss_filters::{
    dictionary::{Buffers, Build, DictionaryFilter},
    format::{Kind, SchemeId, StatedRate},
};

const WORDS: &str = "aegean\naccommodate\nelephant\nguess\npassword\néléphant\n日本語\n";
const SHA1: &str =
    "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179\n7C4A8D09CA3762AF61E59520943DC26494F8941B:37359195\n";
const NTLM: &str = "8846F7EAEE8FB117AD06BDD830B7586C\n32ED87BDB5FDC5E9CBA88547376818D4\n";

const STATED: StatedRate = StatedRate { false_rejection: 0.01, characters: 8, lookups: 1 };

fn configurations() -> Vec<(&'static str, Build, &'static str)> {
    let near = |scheme, bits| stating(STATED, settings(scheme, bits));
    let whole = |kind| exact(kind, near(SchemeId::Whole, 0));
    vec![
        ("near-8", near(SchemeId::Deletions, 8), WORDS),
        ("near-4", near(SchemeId::Deletions, 4), WORDS),
        ("near-0", near(SchemeId::Deletions, 0), WORDS),
        ("paper", near(SchemeId::Paper, 0), WORDS),
        ("exact", whole(Kind::Words), WORDS),
        ("sha1", whole(Kind::Sha1), SHA1),
        ("ntlm", whole(Kind::Ntlm), NTLM),
    ]
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).with_extension("filter")
}

#[test]
fn the_builder_writes_the_frozen_files() {
    for (name, settings, list) in configurations() {
        let built = build(&settings, &[list.as_bytes()]);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(path(name), &built).unwrap();
        }
        assert!(built == fs::read(path(name)).expect("golden file"), "{name}");
    }
}

#[test]
fn the_frozen_files_answer_as_they_did() {
    let mut buffers = Buffers::default();
    for (name, _, _) in configurations().iter().take(5) {
        let filter = DictionaryFilter::from_bytes(fs::read(path(name)).unwrap()).unwrap();
        for listed in WORDS.lines() {
            assert!(filter.contains(&word(listed), &mut buffers).unwrap(), "{name}: {listed}");
        }
        let mut near = |query: &str| filter.nearest(&word(query), false, &mut buffers).unwrap().is_some();
        let is_near = *name != "exact";
        for query in ["Ae-ean", "accomodate", "elephqnt", "gue;ss", "pass.word", "日語"] {
            assert_eq!(near(query), is_near, "{name}: {query}");
        }
        assert!(!near("elzhant") && !near("stranger"), "{name}");
    }
}

/// Hash, probing and layout in one line: the first numbers that a small, overfull exact filter takes for
/// members.
#[test]
fn false_positives_are_the_frozen_ones() {
    let list: String = (0..3000).map(|i| format!("word{i}\n")).collect();
    let settings = exact(Kind::Words, stating(STATED, settings(SchemeId::Whole, 0)));
    let filter = common::filter(&settings, list.as_bytes());
    let mut buffers = Buffers::default();
    let strangers = (3000..).filter(|i| filter.contains(&word(format!("word{i}")), &mut buffers).unwrap());
    assert_eq!(strangers.take(10).collect::<Vec<u32>>(), FALSE_POSITIVES);
}

const FALSE_POSITIVES: [u32; 10] = [3134, 3183, 3193, 3336, 3395, 3461, 3751, 3769, 3956, 3961];
