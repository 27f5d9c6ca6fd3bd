//! `filterlab study`: what is written, and that the measurements agree with theory.

use std::fs;

use serde_json::Value;

use crate::{Folder, Run, run, run_with};

fn told(run: &Run) -> Value {
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{run:?}");
    let told: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(told["schema"], 1);
    told
}

/// Random-looking words of 5 to 9 letters, each once.
fn words(count: u64) -> String {
    let letters = |mut number: u64| {
        let mut word = String::new();
        for _ in 0..5 + number % 5 {
            word.push(char::from(b'a' + u8::try_from(number % 26).unwrap()));
            number /= 26;
        }
        word
    };
    (1..=count).map(|i| letters(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)) + "\n").collect()
}

fn rows(csv: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(csv).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// A plot is SVG with these words, and without NaN or infinity.
fn assert_plot(path: &str, labels: &[&str]) {
    let svg = fs::read_to_string(path).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{path}");
    for label in labels {
        assert!(svg.contains(label), "{path}: {label}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{path}");
}

#[test]
fn false_positives_are_swept_and_plotted() {
    let folder = Folder::new();
    let (list, output) = (folder.file("list.txt", words(2000)), folder.path("out"));
    let sweep =
        ["--bits", "16000", "8000", "--probes", "3", "1", "2", "4", "5", "6", "7", "8", "--keys", "1"];
    let arguments = ["study", "false-positives", &list, "--json", "--output", &output];
    let told = told(&run(arguments.iter().chain(&sweep)));
    let sizes = told["sizes"].as_array().unwrap();
    assert_eq!(sizes.len(), 2);
    for size in sizes {
        let [formula, measured] =
            ["probes_by_formula", "probes_measured"].map(|name| size[name].as_u64().unwrap());
        assert!(formula.abs_diff(measured) <= 1, "{size}");
    }
    let rows = rows(&format!("{output}/false-positives.csv"));
    assert_eq!((rows.len(), rows[0][6].as_str()), (1 + 2 * 8, "measured_rate"));
    for row in &rows[1..] {
        let [measured, formula]: [f64; 2] = [6, 7].map(|at| row[at].parse().unwrap());
        assert!((measured / formula - 1.0).abs() < 0.1, "{row:?}");
    }
    let labels = ["false positive rate", "probes k", "4 bits a word", "8 bits a word", "(m/n) ln 2"];
    assert_plot(&format!("{output}/false-positives.svg"), &labels);
}

#[test]
fn structures_are_compared() {
    let folder = Folder::new();
    let (list, output) = (folder.file("list.txt", words(50_000)), folder.path("out"));
    let told = told(&run(["study", "structures", &list, "--runs", "3", "--json", "--output", &output]));
    let structures = told["structures"].as_array().unwrap();
    let bytes: Vec<f64> =
        structures.iter().map(|numbers| numbers["resident_bytes"].as_f64().unwrap() / 50_000.0).collect();
    // The filter's 60 kB may lie in pages that were resident before, and the kernel counts pages in batches
    // of 64 a processor: only an upper bound is sure. The others hold the words and at least a pointer and a
    // length each.
    assert!(bytes[0] < 8.0 && bytes[1] > 20.0 && bytes[2] > 20.0, "{bytes:?}");
    let rate = structures[0]["false_positive_rate"].as_f64().unwrap();
    assert!((0.0077..0.0123).contains(&rate), "{rate}: 500 expected, five standard deviations are 112");
    assert_eq!(rows(&format!("{output}/structures.csv")).len(), 4);
    assert_plot(&format!("{output}/structures-memory.svg"), &["bytes a word", "hash table"]);
    assert_plot(&format!("{output}/structures-time.svg"), &["nanoseconds", "look up a word"]);
}

/// The paper's Table 2 at a hundredth of its size: the formula gives the same rates, the measurement is
/// beside it.
#[test]
fn locality_is_measured() {
    let folder = Folder::new();
    let (list, output) = (folder.file("list.txt", words(4000)), folder.path("out"));
    let size = ["--extension", "30268", "--megabytes", "0.05", "0.075", "--queries", "100000"];
    let told = told(&run(["study", "locality", &list, "--json", "--output", &output].iter().chain(&size)));
    assert!(told["strings"].as_u64().unwrap().abs_diff(30_268) <= 20, "{told}");
    let table = told["table_2"].as_array().unwrap();
    assert_eq!(table.len(), 4);
    for (row, formula) in table.iter().zip([0.0093, 0.0093, 0.0514, 0.0514]) {
        // Whole pages of 4 KiB: 0.05 MB are 12 of them, 1.7 % less; the load of 12 pages varies, too.
        let [rate, expected] = ["rate", "formula"].map(|name| row[name].as_f64().unwrap());
        assert!((expected / formula - 1.0).abs() < 0.1, "{row}");
        assert!((rate / expected - 1.0).abs() < 0.25, "{row}");
    }
    assert_eq!(rows(&format!("{output}/locality.csv")).len(), 1 + 2 * 13);
    assert_eq!(rows(&format!("{output}/table-2.csv")).len(), 5);
    let labels = ["page size (bytes)", "passwords rejected by accident (%)", "64K", "none"];
    assert_plot(&format!("{output}/locality.svg"), &labels);
}

/// Rules and lists made for this test: what each is caught by is known.
#[test]
fn what_a_policy_catches_is_counted_by_rule_and_rank() {
    let folder = Folder::new();
    let words = ["elephant", "butterfly", "accommodate", "marmalade"].join("\n");
    let list = folder.file("words.txt", &words);
    let filter = folder.filter("words.filter", &list);
    // Ten rules that are caught, two that are not, one that is not known.
    let rules = "# of this test\n:\nc\nu\n$1\n$1 $2\n^7\nr\nd\nse3\nT2\n$q $z $j $x\n^q ^z ^j ^v\n?9\n";
    let rules = folder.file("own.rule", rules);
    let leaked =
        folder.file("leaked.txt", "elephant\n48213975\n77117711\nbutterflyaccommodate\nxkqzvwjp\nshort\n");
    let output = folder.path("out");
    let run = run([
        "study",
        "catch",
        "--rules",
        &rules,
        "--passwords",
        &leaked,
        "--filter",
        &filter,
        "--checker",
        "kind=sed s/.*/OK/",
        "--checked",
        "3",
        "--generated",
        "200",
        "--each-rule",
        "--json",
        "--output",
        &output,
        &list,
    ]);
    let told = told(&run);
    let differences = told["differences"].as_array().unwrap();
    let more = |rule: &str, of: &str| {
        let found = differences.iter().find(|one| one["rule"] == rule && one["of"] == of).unwrap();
        (found["policy"].as_str().unwrap().to_owned(), found["more"]["rejected"].as_u64().unwrap())
    };
    assert_eq!(more("digits_max", "leaked.txt"), ("without".to_owned(), 1));
    assert_eq!(more("two_words", "leaked.txt"), ("without".to_owned(), 1));
    assert_eq!(more("reversed", "own.rule"), ("without".to_owned(), 4));
    assert_eq!(more("substring all-but-4", "own.rule"), ("with".to_owned(), 8));
    assert_eq!(rows(&format!("{output}/rules.csv")).len(), 1 + differences.len());
    assert_eq!(told["skipped_rules"], serde_json::json!([["own.rule", 1]]));
    let caught = told["caught"].as_array().unwrap();
    let share = |at: usize| (caught[at]["all"]["tried"].as_u64(), caught[at]["all"]["rejected"].as_u64());
    let named = |at: usize| (caught[at]["set"].as_str().unwrap(), caught[at]["checker"].as_str().unwrap());
    assert_eq!((named(0), named(1)), (("own.rule", "nearmiss"), ("own.rule", "kind")));
    assert_eq!((named(2), named(3)), (("leaked.txt", "nearmiss"), ("leaked.txt", "kind")));
    assert_eq!((share(0), share(2)), ((Some(48), Some(40)), (Some(5), Some(4))));
    assert_eq!((share(1), share(3)), ((Some(3), Some(0)), (Some(3), Some(0))));
    let by_rank = serde_json::json!([[10, {"tried": 40, "rejected": 40}]]);
    assert_eq!(caught[0]["by_rank"], by_rank);
    let kinds = told["false_rejections"].as_array().unwrap();
    let (ours, others): (Vec<&Value>, Vec<&Value>) =
        kinds.iter().partition(|kind| kind["checker"] == "nearmiss");
    assert!(ours.len() > 10 && ours.iter().all(|kind| kind["all"]["tried"] == 200), "{ours:?}");
    let is_accepted = |kind: &&Value| kind["all"] == serde_json::json!({"tried": 3, "rejected": 0});
    assert!(others.len() == ours.len() && others.iter().all(is_accepted), "{others:?}");
    let is_strong = |kind: &&Value| kind["bits"].as_f64() > Some(42.0);
    let is_rejected = |kind: &Value| kind["all"]["rejected"].as_u64() > Some(2);
    assert!(!kinds.iter().filter(is_strong).any(is_rejected), "{kinds:?}");
    assert_eq!(rows(&format!("{output}/catch.csv"))[1][..5], ["own.rule", "nearmiss", "all", "48", "40"]);
    assert_eq!(rows(&format!("{output}/false-rejections.csv")).len(), 1 + kinds.len());
    assert_plot(&format!("{output}/catch.svg"), &["own.rule", "rejected, %", "nearmiss"]);
}

#[test]
fn what_cannot_be_studied_is_an_error() {
    let folder = Folder::new();
    let list = folder.file("list.txt", words(100));
    let output = folder.path("out");
    let told = run(["study", "locality", &list, "--output", &output]);
    assert!(told.code == 2 && told.err.contains("use a larger list"), "{told:?}");
    let told = run(["study", "structures", &folder.path("none"), "--output", &output]);
    assert!(told.code == 2 && told.err.contains("none"), "{told:?}");
    assert_eq!(run_with(["study"], b"").code, 2);
}

/// Manber and Wu as they measured: repetitions, and the deviation between them.
#[test]
fn the_papers_measurements_are_repeated() {
    let folder = Folder::new();
    let (list, output) = (folder.file("list.txt", words(4000)), folder.path("out"));
    let common = ["study", "locality", "--json", "--output", &output, "--repetitions", "5"];
    let figure = ["--figure", "1", "--keys", "2000", "--bits", "20000", "--queries", "4000"];
    let one = told(&run(common.iter().chain(&figure)));
    let points = one["rows"].as_array().unwrap();
    assert_eq!(points.len(), 2 * 9);
    for row in points.iter().filter(|row| row["page_bytes"].is_null()) {
        let [mean, deviation, formula] =
            ["mean", "deviation", "formula"].map(|name| row[name].as_f64().unwrap());
        assert!((mean - formula).abs() < 5.0 * deviation && deviation > 0.0, "{row}");
    }
    assert_plot(&format!("{output}/figure-1.svg"), &["Figure 1.", "k = 7, measured", "5 repetitions"]);
    let size = ["--extension", "30268", "--megabytes", "0.05", "0.075", "--queries", "5000", &list];
    let table = told(&run(common.iter().chain(&["--table", "2"]).chain(&size)));
    let means: Vec<f64> =
        table["rows"].as_array().unwrap().iter().map(|row| row["mean"].as_f64().unwrap()).collect();
    for (mean, formula) in means.iter().zip([0.0093, 0.0093, 0.0514, 0.0514]) {
        assert!((mean / formula - 1.0).abs() < 0.35, "{means:?}");
    }
}

#[test]
fn the_toy_is_drawn_empty_and_full() {
    let folder = Folder::new();
    let output = folder.path("out");
    let toy = ["study", "toy", "--letters", "ac", "--primes", "3", "5", "--json", "--output", &output];
    let told = told(&run(toy));
    assert_eq!(told["bits"], "0001010001000001");
    let letters = told["letters"].as_array().unwrap();
    let of = |verdict: &str| -> String {
        letters
            .iter()
            .filter(|one| one["verdict"] == verdict)
            .map(|one| one["letter"].as_str().unwrap())
            .collect()
    };
    assert_eq!((of("member").as_str(), of("false-positive").as_str()), ("AC", "EGQSUW"));
    assert_plot(
        &format!("{output}/toy.svg"),
        &["Empty: letter n", "With A and C; false positives: E, G, Q, S, U and W"],
    );
    assert_plot(&format!("{output}/toy-rate.svg"), &["letters added"]);
    for wrong in [&["--primes", "4"][..], &["--letters", "a1"], &["--bits", "1"]] {
        assert_eq!(run(["study", "toy"].iter().chain(wrong)).code, 2, "{wrong:?}");
    }
}

/// Misspellings of which it is known that they are: all are unknown and near, the others are not.
#[test]
fn unknown_words_near_words_and_mistakes_are_counted() {
    let folder = Folder::new();
    let list = folder.file("words.txt", "elephant\nbutterfly\nmarmalade\nand\n");
    let filter = folder.filter("words.filter", &list);
    let text =
        folder.file("text.txt", "The elephan and the buterfly like Marmalade and elephants and xylophones.");
    let mistakes = folder.file("mistakes.tsv", "# known\n1 2 elephan elephant\nbuterfly\n");
    let output = folder.path("out");
    let arguments = ["study", "spelling", "--json", "--output", &output, "--filter", &filter];
    let told = told(&run(arguments.iter().chain(&["--mistakes", &mistakes, &text])));
    let own = &told["checkers"][0];
    let [words, unknown, near, mistakes] =
        ["words", "unknown", "near", "mistakes"].map(|name| own[name].as_u64().unwrap());
    // The, the, like and xylophones are unknown, too; elephants is near.
    assert_eq!((words, unknown, near, mistakes), (9, 7, 3, 2), "{own}");
    assert_eq!(fs::read_to_string(format!("{output}/near.txt")).unwrap(), "buterfly\nelephan\nelephants\n");
    for peer in &told["checkers"].as_array().unwrap()[1..] {
        let is_skipped = peer["skipped"].as_str().is_some_and(|reason| reason.contains("is not installed"));
        assert!(is_skipped || peer["unknown"].as_u64() < Some(7), "{peer}");
    }
}
