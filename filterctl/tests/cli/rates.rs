//! Rates that are stated: true, readable, and called useless where they are.

use std::fs;

use crate::{Folder, Run, run};

/// Figure 1 of Manber and Wu: 98,361 words, a million bits, five probes.
const WORDS: u32 = 98_361;

fn words() -> String {
    (0..WORDS).map(|n| format!("{:08x}\n", n.wrapping_mul(2_654_435_761))).collect()
}

fn build(folder: &Folder, name: &str, list: &str, more: &[&str]) -> Run {
    let (list, filter) = (folder.file("list", list), folder.path(name));
    let arguments = ["build", "--output", filter.to_str().unwrap(), list.to_str().unwrap()];
    run(arguments.iter().chain(more))
}

#[test]
fn a_rate_of_many_lookups_is_true_and_told_to_be_useless() {
    let folder = Folder::new();
    let by_hand = ["--match", "exact", "--bits", "1000000", "--probes", "5"];
    let done = build(&folder, "f", &words(), &by_hand);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(
        done.err.contains(": false rejection rate is 0.74") && done.err.contains("--no-variants"),
        "{done:?}"
    );
    let filter = folder.path("f");
    let filter = filter.to_str().unwrap();
    let facts = run(["info", filter, "--json"]).json().remove(0);
    let number = |name: &str| facts[name].as_f64().unwrap();
    // Bloom 1970: (1 − e^(−kn/m))ᵏ, a little more because pages are unevenly full.
    let lookup = (-(-5.0 * f64::from(WORDS) / (31.0 * 32_736.0)).exp_m1()).powi(5);
    for name in ["stated_rate_per_lookup", "actual_rate_per_lookup"] {
        assert!((0.95..1.1).contains(&(number(name) / lookup)), "{name}: {facts}, {lookup}");
    }
    let check = 1.0 - (1.0 - number("stated_rate_per_lookup")).powi(164);
    assert!((number("false_rejection") / check - 1.0).abs() < 1e-9, "{facts}");
    assert!((number("actual_false_rejection") - check).abs() < 0.05, "{facts}");
    let measured = run(["verify", "--measure", "200000", filter]);
    assert_eq!(measured.code, 0, "{measured:?}");
    let text = run(["info", filter]).out;
    assert!(text.contains("\n  USELESS         false rejection rate is 0.74"), "{text}");
}

#[test]
fn a_filter_that_rejects_everything_promises_nothing() {
    let folder = Folder::new();
    let done = build(&folder, "f", &words(), &["--match", "exact", "--bits", "1", "--probes", "1"]);
    assert!(done.err.contains("false rejection rate is 1 ("), "{done:?}");
    let filter = folder.path("f");
    let measured = run(["verify", "--measure", "1000", filter.to_str().unwrap()]);
    assert_eq!(measured.code, 0, "{measured:?}");
    assert!(measured.out.contains("stated      at most 1 for each lookup: no guarantee"), "{measured:?}");
}

#[test]
fn a_useful_rate_has_few_digits_and_no_warning() {
    let folder = Folder::new();
    let by_hand = ["--match", "exact", "--bits", "3000000", "--probes", "16", "--no-variants"];
    let done = build(&folder, "f", &words(), &by_hand);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{done:?}");
    let line = done.out.lines().find(|line| line.starts_with("  stated rate")).unwrap();
    let (rate, rest) = line["  stated rate     ".len()..].split_once(' ').unwrap();
    assert!(rate.len() <= "1.234e-5".len() && rate.parse::<f64>().is_ok_and(|rate| rate < 1e-4), "{line}");
    assert!(rest.ends_with("at up to 1 lookup each"), "{line}");
    assert!(!done.out.contains("USELESS"), "{done:?}");
}

#[test]
fn counts_are_words_with_their_things() {
    let folder = Folder::new();
    let one = build(&folder, "f", "elephant\n", &[]);
    assert!(one.out.contains("  holds           1 word of 1 line; room for 1\n"), "{one:?}");
    let planned =
        run(["plan", "--entries", "550000000", "--kind", "sha1", "--no-variants", "--jobs", "1"]).out;
    assert!(planned.contains("  holds           550,000,000 SHA-1 digests\n"), "{planned}");
    assert!(planned.contains(" on 1 thread, and "), "{planned}");
}

/// A file of a folder above is trusted or not for what it is, not for how it is named.
#[test]
fn a_path_with_parents_is_no_reason_to_refuse_a_filter() {
    let folder = Folder::new();
    let filter = folder.filter("elephant\n");
    fs::create_dir(folder.path("inner")).unwrap();
    let name = filter.file_name().unwrap().to_str().unwrap();
    let through = folder.path(&format!("inner/../{name}"));
    let refused = |path: &std::path::Path| {
        let told = run(["verify".as_ref(), path.as_os_str(), "--json".as_ref()]).json().remove(0);
        told["refused"].as_str().map(ToOwned::to_owned)
    };
    assert_eq!(refused(&through), refused(&filter));
    std::os::unix::fs::symlink(&filter, folder.path("inner/link")).unwrap();
    assert_eq!(refused(&folder.path("inner/../inner/link")), refused(&filter));
}
