//! `filterctl plan`: the filter that build then makes.

use std::path::PathBuf;

use crate::{Folder, build_arguments, run};

fn plan(arguments: &str) -> serde_json::Value {
    run(["plan", "--json"].into_iter().chain(arguments.split(' '))).json().remove(0)
}

/// Words of 8 characters with 16 letters: as the flags of the plan say.
fn words(count: u64) -> String {
    (1..=count).map(|n| format!("{:08x}\n", (n as u32).wrapping_mul(0x9e37_79b9))).collect()
}

#[test]
fn the_filter_planned_is_the_one_that_is_built() {
    let folder = Folder::new();
    let list = folder.file("list", words(30_000));
    for flags in
        ["--match exact", "--deletion-bits 0", "--deletion-bits 8 --false-rejection 0.01", "--no-variants"]
    {
        let planned = plan(&format!("--entries 3e4 --mean-length 8 --symbols 16 {flags}"));
        let mut arguments = build_arguments(&folder.path("f"), &[&list]);
        arguments.extend(["--json"].into_iter().chain(flags.split(' ')).map(PathBuf::from));
        let built = run(&arguments).json().remove(0);
        for exact in ["deletion_bits", "rate_lookups", "match", "scheme", "false_rejection"] {
            assert_eq!(planned[exact], built[exact], "{flags}: {exact}");
        }
        let [planned_bits, bits] = [&planned, &built].map(|told| told["word_bits"].as_u64().unwrap());
        assert!(planned_bits.abs_diff(bits) <= 1, "{flags}: {planned_bits} bits planned, {bits} built");
        let [planned, built] = [&planned, &built].map(|told| told["pages"].as_f64().unwrap());
        assert!((planned / built - 1.0).abs() < 0.06, "{flags}: {planned} pages planned, {built} built");
    }
}

/// Size and probes chosen by hand: the rate that follows is planned as the builder then states it.
#[test]
fn a_filter_planned_by_hand_is_the_one_that_is_built() {
    let folder = Folder::new();
    let list = folder.file("list", words(30_000));
    for flags in ["--bits 430000 --probes 10", "--bits 200000 --probes 5 --no-variants"] {
        let flags = format!("--match exact {flags}");
        let planned = plan(&format!("--entries 30000 --mean-length 8 {flags}"));
        let mut arguments = build_arguments(&folder.path("f"), &[&list]);
        arguments.extend(["--json"].into_iter().chain(flags.split(' ')).map(PathBuf::from));
        let built = run(&arguments).json().remove(0);
        for exact in ["pages", "word_bits", "file_bytes", "rate_lookups"] {
            assert_eq!(planned[exact], built[exact], "{flags}: {exact}");
        }
        let told = |told: &serde_json::Value, name: &str| told[name].as_f64().unwrap();
        let [a, b] = [&planned, &built].map(|facts| told(facts, "false_rejection"));
        assert!((a / b - 1.0).abs() < 1e-9, "{flags}: {a} planned, {b} built");
        let a = told(&planned, "expected_rate_per_lookup");
        let b = told(&built, "stated_rate_per_lookup");
        assert!((a / b - 1.0).abs() < 1e-9, "{flags}: {a} planned for each lookup, {b} built");
    }
    let figure_1 = "plan --entries 98361 --match exact --bits 1000000 --probes 5".split(' ');
    let useless = run(figure_1.clone()).out;
    assert!(useless.contains("USELESS") && useless.contains("at most 0.74"), "{useless}");
    let useful = run(figure_1.chain(["--no-variants"])).out;
    assert!(!useful.contains("USELESS") && useful.contains("at most 0.0083"), "{useful}");
    let near = run(["plan", "--entries", "10", "--bits", "8", "--probes", "1"]);
    assert!(near.code == 2 && near.err.contains("add --match exact"), "{near:?}");
}

/// Bloom's 1.44 log2(1/ε) bits an entry, with checksums and uneven pages.
#[test]
fn a_billion_digests_have_a_plan() {
    for (rate, bits) in [("0.01", 9.6), ("0.001", 14.4)] {
        let told = plan(&format!("--entries 1e9 --kind sha1 --no-variants --false-rejection {rate}"));
        assert_eq!((&told["entries"], &told["match"]), (&1_000_000_000_u64.into(), &"exact".into()));
        assert!((told["bits_per_entry"].as_f64().unwrap() / bits - 1.0).abs() < 0.02, "{told}");
        assert_eq!(told["file_bytes"].as_u64().unwrap(), (told["pages"].as_u64().unwrap() + 1) * 4096);
        assert!(
            told["build_seconds"].as_f64().unwrap() > 1.0 && told["reading_seconds"].as_f64().unwrap() > 1.0
        );
        assert!(told["memory_bytes"].as_u64() > told["file_bytes"].as_u64());
    }
    let text = run(["plan", "--entries", "1e9", "--false-rejection", "0.01"]).out;
    assert!(text.contains("1,000,000,000 words, 7,900,000,000 strings derived"), "{text}");
}

#[test]
fn what_cannot_be_is_told() {
    for wrong in ["0", "-1", "x", "1e16"] {
        assert_eq!(run(["plan", "--entries", wrong]).code, 2, "{wrong}");
    }
    let told = run(["plan", "--entries", "1e15", "--false-rejection", "1e-18"]);
    assert!(told.error_line().contains("no filter keeps this rate"), "{told:?}");
    let near = run(["plan", "--entries", "10", "--kind", "ntlm", "--match", "near"]);
    assert!(near.error_line().contains("digests have no near matches"), "{near:?}");
}
