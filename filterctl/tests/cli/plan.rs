//! `filterctl plan`: the filter that build then makes.

use std::path::PathBuf;

use crate::{Folder, build_arguments, run};

fn plan(arguments: &str) -> serde_json::Value {
    run(["plan", "--json"].into_iter().chain(arguments.split(' '))).json().remove(0)
}

/// Words of 8 characters with 16 letters: as the plan is told.
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
    assert!(near.error_line().contains("digests have no neighbours"), "{near:?}");
}
