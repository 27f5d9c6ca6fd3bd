//! `filterlab ladder` as scripts use it: exact spellings, JSON, exit codes, files.

use std::fs;

use serde_json::Value;

use crate::{Folder, run};

/// Runs `ladder` with a line of arguments and parses the one JSON object it must print.
fn json(line: &str) -> Value {
    let told = run(["ladder"].into_iter().chain(line.split_whitespace()));
    assert_eq!((told.code, told.err.as_str()), (0, ""), "{line}");
    let value: Value = serde_json::from_str(&told.out).unwrap();
    assert_eq!(value["schema"], 1, "{line}");
    value
}

fn close(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value / expected - 1.0).abs() < 1e-4, "{value} for {expected}");
}

#[test]
fn odds_as_in_the_paper() {
    let line = "odds --bits 536870912 --rungs 48 --threshold 44 --frequency 1e-6 --observations 30 --json";
    let odds = json(line);
    close(&odds["detect"], 0.967_790_4);
    close(&odds["reject"], 0.032_209_59);
    let sticky = json(&line.replace("--threshold 44", "--threshold 48 --sticky --steps 1"));
    close(&sticky["detect"], 0.768_066_2);
    let curve = json(&format!("{line} --curve"));
    assert_eq!(curve["curve"].as_array().unwrap().len(), 30);
    assert_eq!(curve["curve"][29]["detect"], odds["detect"]);
}

#[test]
fn the_other_numbers() {
    let refused = json("refusals --rungs 16 --threshold 16 --steps 3 --users 4 --json");
    close(&refused["refused"], 0.989_364_6);
    let table = json("refusals --rungs 16 --threshold 16 --steps 3 --json");
    assert_eq!(table["table"].as_array().unwrap().len(), 7);
    let privacy = json("privacy --rungs 48 --from 24 --steps 5 --json");
    close(&privacy["likelihood_ratio"], 5.762_634_9);
    assert!(privacy["information_bits"].as_f64().unwrap() > 1.0);
    assert!(privacy["guess_speedup"].as_f64().unwrap() > 1.0);
    let height = json("equilibrium --bits 2^29 --rungs 48 --frequency 2e-8 --json");
    close(&height["height"], 26.684_354_6);
    let longrun = json("longrun --bits 2^29 --rungs 48 --threshold 44 --frequency 1e-6 --json");
    close(&longrun["reject"], 1.359_422_7e-4);
}

#[test]
fn what_cannot_be_is_an_error_of_one_line() {
    for line in [
        "odds --bits 1000 --rungs 48 --threshold 44 --frequency 1e-6 --observations 30",
        "odds --bits 2^29 --rungs 48 --threshold 49 --frequency 1e-6 --observations 30",
        "odds --bits 2^29 --rungs 48 --threshold 44 --frequency 1e-13 --observations 30",
    ] {
        let told = run(["ladder"].into_iter().chain(line.split_whitespace()));
        assert_eq!((told.code, told.err.lines().count()), (2, 1), "{told:?}");
        assert!(told.err.starts_with("filterlab: "), "{told:?}");
    }
    for line in ["odds --frequency 2", "privacy --rungs 0", "equilibrium --bits 2^64"] {
        assert_eq!(run(["ladder"].into_iter().chain(line.split_whitespace())).code, 2, "{line}");
    }
}

#[test]
fn a_simulation_is_reproducible_and_drawn() {
    let folder = Folder::new();
    let list = folder.file("list", "value|occurrence\npopular|100\nsecond|50\n");
    let (csv, plot) = (folder.path("run.csv"), folder.path("run.svg"));
    let line = format!("simulate {list} --users 3000 --total 1000 --rows 30 --json");
    let first = json(&format!("{line} --csv {csv} --plot {plot}"));
    assert_eq!(first, json(&line));
    assert!(first["top_users_with"].as_u64().unwrap() < 12);
    assert!(first["top_users_without"].as_u64().unwrap() > 200);
    let rows = fs::read_to_string(&csv).unwrap();
    assert_eq!(rows.lines().count(), 31);
    assert!(rows.lines().skip(1).all(|row| row.split(',').count() == 5));
    assert!(fs::read_to_string(&plot).unwrap().contains("</svg>"));
    assert_ne!(first, json(&format!("{line} --seed 2")));
}

/// The points of a curve, by the CSV: theory, or simulation with its interval.
fn points(csv: &str, of: &str) -> Vec<[f64; 4]> {
    let text = fs::read_to_string(csv).unwrap();
    let rows = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let number = |cell: &str| cell.parse().unwrap_or(f64::NAN);
    rows.filter(|row| row[1] == of).map(|row| [2, 3, 4, 5].map(|at| number(row[at]))).collect()
}

/// A curve at the parameters of the paper, and a simulation that lies around it.
#[test]
fn curves_are_theory_with_trials_around_them() {
    let folder = Folder::new();
    let (csv, plot) = (folder.path("c.csv"), folder.path("c.svg"));
    let line =
        "odds --bits 2^29 --rungs 48 --threshold 44 --frequency 1e-6 --observations 30 --over observations";
    let told = json(&format!("{line} --trials 200 --csv {csv} --plot {plot} --json"));
    let theory = points(&csv, "theory");
    assert_eq!((theory.len(), told["curves"][0]["theory"].as_array().unwrap().len()), (30, 30));
    assert!((theory[29][1] - 0.967_79).abs() < 1e-4, "{theory:?}");
    let trials = points(&csv, "simulation");
    assert!(trials.len() >= 4, "{trials:?}");
    for [x, value, low, high] in trials {
        let expected = theory.iter().find(|[at, ..]| (at - x).abs() < 0.5).unwrap()[1];
        let deviation = (expected * (1.0 - expected) / 200.0).sqrt();
        assert!((value - expected).abs() < 5.0 * deviation + 0.01, "{x}: {value} beside {expected}");
        assert!(low <= value && value <= high, "{low} {value} {high}");
    }
    let svg = fs::read_to_string(&plot).unwrap();
    assert!(svg.contains("probability that it is detected") && svg.contains("T = 44"), "{svg}");
    assert_eq!(json(&format!("{line} --trials 200 --json"))["curves"], told["curves"]);
}

/// Sweeps of the other commands: as many curves as values, and numbers that the commands print, too.
#[test]
fn every_number_can_be_swept() {
    let curves = |line: &str| json(&format!("{line} --json"))["curves"].as_array().unwrap().clone();
    let at = |curve: &Value, x: f64| {
        let theory = curve["theory"].as_array().unwrap();
        let point = theory.iter().find(|point| (point[0].as_f64().unwrap() / x - 1.0).abs() < 1e-6);
        point.unwrap_or_else(|| panic!("nothing at {x}: {curve}"))[1].clone()
    };
    let base = "--bits 2^29 --rungs 48 --threshold 44";
    let thresholds = curves(&format!("longrun {base} --frequency 1e-6 --over threshold --missed --log"));
    close(&at(&thresholds[0], 44.0), 1.359_422_7e-4);
    let two = curves(&format!("longrun {base} --frequency 1e-6 2e-8 --over rungs --range 44..50"));
    assert_eq!((two.len(), two[1]["name"].as_str().unwrap()), (2, "f = 2·10⁻⁸"));
    let rest = curves(
        "equilibrium --bits 2^29 --rungs 48 --frequency 2e-8 --over bits --range 536870912..536870912",
    );
    close(&at(&rest[0], f64::from(1 << 29)), 26.684_354_6);
    let refused = curves("refusals --rungs 16 --threshold 16 --steps 2 3 --over users");
    close(&at(&refused[1], 4.0), 0.989_364_6);
    let privacy = curves("privacy --rungs 48 --steps 5 --over height --range 24..24");
    close(&at(&privacy[0], 24.0), 5.762_634_9);
    let heights = json("heights --bits 64 --rungs 48 --json");
    close(&at(&heights["curves"][0], 24.0), 0.226_465_78);
    let told =
        run("ladder odds --bits 2^29 --rungs 48 --threshold 44 48 --frequency 1e-6 --observations 3"
            .split(' '));
    assert!(told.code == 2 && told.err.contains("--over"), "{told:?}");
}

/// The caption names the parts that do not follow from the paper's model.
#[test]
fn figure_7_says_where_its_caption_errs() {
    let folder = Folder::new();
    let plot = folder.path("7.svg");
    let told = json(&format!("odds --figure 7 --plot {plot} --json"));
    let remark = told["remarks"][0].as_str().unwrap();
    assert!(remark.contains("1.36·10⁻⁴ are not detected") && remark.contains("2.19·10⁻⁷"), "{remark}");
    assert!(fs::read_to_string(plot).unwrap().contains("The caption has both errors of 44 of 48"));
    let help = run(["ladder", "longrun", "--help"]).out;
    assert!(help.contains("By the paper's own model 1.36e-4"), "{help}");
}

#[test]
fn a_step_costs_the_same_in_a_file() {
    let folder = Folder::new();
    let told = json(&format!("step-cost --bits 2^17 --steps 500 --folder {} --json", folder.path("ladder")));
    let costs = told["costs"].as_array().unwrap();
    let of = |store: &str, form: &str, place: &str| {
        let is_it = |row: &&Value| row["store"] == store && row["form"] == form && row["place"] == place;
        costs.iter().find(is_it).unwrap().clone()
    };
    assert!((of("memory", "exact", "below")["further_reads"].as_f64().unwrap() - 2.0).abs() < 0.3, "{told}");
    assert_eq!(of("memory", "exact", "below")["writes"], 2.0);
    for store in ["memory", "file"] {
        assert_eq!(of(store, "probable", "below")["writes"], 3.0);
        assert_eq!(of(store, "probable", "top")["writes"], 4.0);
        assert_eq!(of(store, "probable", "below")["further_reads"], 0.0);
    }
    assert_eq!(fs::read_dir(folder.path("ladder")).unwrap().count(), 0, "the ladder was left behind");
}

/// The table that the design of guess tracking rests on, by the counts of one honeynet: 1,219,333 guesses.
fn honeynet(line: &str) -> Value {
    let counts = format!("{}/tests/fixtures/guess-counts.tsv", env!("CARGO_MANIFEST_DIR"));
    json(&format!("simulate {counts} --guessed --mistypings 0.2 --json {line}"))
}

fn within_two_percent(value: &Value, expected: f64) {
    let value = value.as_f64().unwrap();
    assert!((value / expected - 1.0).abs() <= 0.02, "{value} for {expected}");
}

#[test]
fn the_guesses_of_a_honeynet_are_detected_where_accounts_are_many() {
    let many = honeynet("");
    within_two_percent(&many["detected"], 8814.0);
    assert_eq!(many["at_attempt"], serde_json::json!([17, 22, 27, 31]));
    assert_eq!((&many["often"][0], &many["often"][1]), (&6952.into(), &6952.into()));
    assert_eq!(many["mistypings_detected"], 0);
    let shares = many["with_detected"].as_array().unwrap();
    assert!((shares[0].as_f64().unwrap() - 0.24).abs() < 0.006, "{shares:?}");
    assert!((shares[4].as_f64().unwrap() - 0.58).abs() < 0.006, "{shares:?}");
    assert!((many["density"].as_f64().unwrap() - 0.5).abs() < 0.0007);
    let thirty = honeynet("--accounts 30");
    within_two_percent(&thirty["detected"], 6858.0);
    assert_eq!(honeynet("--accounts 5")["detected"], 0);
}

/// The same guesses, spread over hosts that share a ladder: as many are detected as by one host that sees
/// all, hardly any would be by one that sees its own, and what is lost climbs again.
#[test]
fn a_fleet_detects_what_none_of_its_hosts_sees_and_gets_over_lost_shards() {
    let whole = honeynet("--fleet --hosts 1000 --shards 128");
    within_two_percent(&whole["detected"], 9200.0);
    assert_eq!((&whole["shards_lost"], &whole["flags_lost"]), (&0.into(), &0.into()));
    assert!(whole["seen_as_often_at_one_host"].as_u64().unwrap() < 60, "{whole}");
    let third = honeynet("--fleet --hosts 1000 --shards 128 --loss 0.33");
    assert_eq!(third["shards_lost"], 42);
    let [lost, back] = ["flags_lost", "flags_back"].map(|name| third[name].as_f64().unwrap());
    assert!(lost > 1000.0 && back > 0.5 * lost, "{third}");
    assert!((third["density"].as_f64().unwrap() - 0.5).abs() < 0.0007);
}

#[test]
fn what_is_not_a_list_of_counts_is_refused() {
    let folder = Folder::new();
    for (text, part) in [("3 2\n", "line 1"), ("# nothing\n", "no password"), ("3\t-2\n", "line 1")] {
        let list = folder.file("counts", text);
        let told = run(["ladder", "simulate", "--guessed", &list]);
        assert!(told.code == 2 && told.err.contains(part), "{told:?}");
    }
}

#[test]
fn heights_above_the_rungs_are_an_error() {
    for (line, says) in [
        ("privacy --rungs 48 --from 60", "--from 60 is above the 48 rungs"),
        ("privacy --rungs 48 --steps 49", "--steps 49 is more than the 48 rungs"),
    ] {
        let told = run(["ladder"].into_iter().chain(line.split_whitespace()));
        assert_eq!((told.code, told.out.as_str()), (2, ""), "{told:?}");
        assert!(told.err.contains(says), "{told:?}");
    }
    json("privacy --rungs 48 --from 48 --json");
}
