//! `filterctl build --top` and the ranks that it keeps, and `--bits` with `--probes`.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use crate::{Folder, Run, build_arguments, run, run_with};

/// Builds `words.filter` in the folder from this list with these further arguments.
fn build(folder: &Folder, list: &str, more: &[&str]) -> (Run, PathBuf) {
    let (list, filter) = (folder.file("list", list), folder.path("words.filter"));
    let mut arguments = build_arguments(&filter, &[&list]);
    arguments.extend(more.iter().map(PathBuf::from));
    (run(arguments), filter)
}

fn verdicts(filter: &std::path::Path, candidates: &str) -> Vec<serde_json::Value> {
    let arguments = ["check", "--explain", "--json", "--filter", filter.to_str().unwrap()];
    run_with(arguments, candidates.as_bytes()).json()
}

#[test]
fn the_first_words_are_the_most_common_and_the_order_is_kept() {
    let folder = Folder::new();
    let (done, filter) =
        build(&folder, "house\nmouse\nHouse\ngrouse\nzebrafish\n", &["--top", "3", "--json"]);
    assert_eq!(done.code, 0, "{done:?}");
    let told = &done.json()[0];
    assert_eq!((&told["words"], &told["lists"][0]["accepted"]), (&3.into(), &4.into()));
    assert_eq!(told["ranks"], format!("{}.ranks", filter.display()));
    let info = run(["info", filter.to_str().unwrap()]).out;
    assert!(info.contains("  ranks           of 3 words, beside the filter\n"), "{info}");
    let told = verdicts(&filter, "grouse99\nzebrafish\n");
    assert_eq!((&told[0]["reason"], &told[0]["rank"]), (&"dictionary".into(), &3.into()));
    assert_eq!(told[1]["verdict"], "accept", "not among the first three");
    let mode = |path: &str| fs::metadata(folder.path(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("words.filter"), mode("words.filter.ranks")), (0o600, 0o600));
}

#[test]
fn counts_are_better_than_the_order() {
    let folder = Folder::new();
    let list = "  3 elephant\n  9 telephone\n  1 hippopotamus\n  7 crocodile\n";
    let (done, filter) = build(&folder, list, &["--top", "2", "--columns", "count,word"]);
    assert_eq!(done.code, 0, "{done:?}");
    let told = verdicts(&filter, "telephone\ncrocodile\nelephant\n");
    let seen: Vec<_> = told.iter().map(|verdict| verdict["rank"].as_u64()).collect();
    assert_eq!(seen, [Some(1), Some(2), None]);
}

#[test]
fn the_most_common_neighbour_is_named_first() {
    let folder = Folder::new();
    let (done, filter) = build(&folder, "shaken\nstaged\nstages\nstated\nstatus\n", &["--top", "99"]);
    assert_eq!(done.code, 0, "{done:?}");
    let told = verdicts(&filter, "staqed123\n");
    assert_eq!((&told[0]["neighbour"], &told[0]["rank"]), (&"staged".into(), &2.into()), "{told:?}");
    assert_eq!(told[0]["further"], serde_json::json!(["stated"]));
    let (done, filter) = build(&folder, "stated\nstaged\n", &["--top", "99"]);
    assert_eq!(done.code, 0, "{done:?}");
    let told = verdicts(&filter, "staqed123\n");
    assert_eq!(
        (&told[0]["neighbour"], &told[0]["further"]),
        (&"stated".into(), &serde_json::json!(["staged"]))
    );
    let text = run_with(["check", "--explain", "--filter", filter.to_str().unwrap()], b"staqed123\n").out;
    assert!(text.contains("    neighbour: stated\n    rank: 1\n    also near: staged\n"), "{text}");
}

#[test]
fn ranks_of_an_earlier_filter_are_reported_and_left_out() {
    let folder = Folder::new();
    let (done, filter) = build(&folder, "elephant\n", &["--top", "9"]);
    assert_eq!(done.code, 0, "{done:?}");
    let list = folder.path("list");
    let again = ["build", "--output", filter.to_str().unwrap(), list.to_str().unwrap()];
    let ranks = fs::read(folder.path("words.filter.ranks")).unwrap();
    assert_eq!(run(again).code, 0, "a new random key");
    // As `filterctl install` leaves them, for a rollback.
    fs::write(folder.path("words.filter.ranks"), ranks).unwrap();
    let told = run_with(["check", "--explain", "--filter", filter.to_str().unwrap()], b"elephant\n");
    assert!(told.err.contains("words.filter.ranks: belongs to another filter"), "{told:?}");
    assert!(told.code == 1 && !told.out.contains("rank:"), "{told:?}");
    let info = run(["info", filter.to_str().unwrap()]).out;
    assert!(info.contains("words.filter.ranks: belongs to another filter"), "{info}");
}

#[test]
fn digests_and_exact_filters_take_the_most_common_and_keep_no_order() {
    let folder = Folder::new();
    let (done, _) = build(&folder, "elephant\ntelephone\n", &["--top", "1", "--match", "exact", "--json"]);
    assert_eq!((&done.json()[0]["words"], folder.names().len()), (&1.into(), 2));
    let sha1 = |digit: &str, count: u32| format!("{}:{count}\n", digit.repeat(20));
    let list = [sha1("AB", 5), sha1("CD", 9), sha1("EF", 7)].concat();
    let (done, _) = build(&folder, &list, &["--top", "2", "--kind", "sha1", "--json"]);
    assert_eq!((&done.json()[0]["words"], folder.names().len()), (&2.into(), 2));
    let (done, _) = build(&folder, "elephant\n", &["--top", "0"]);
    assert_eq!(done.code, 2);
}

/// Words that no password is made of.
fn words(count: u32) -> String {
    (0..count).map(|n| format!("{:08x}\n", n.wrapping_mul(2_654_435_761))).collect()
}

#[test]
fn the_rate_that_follows_from_size_and_probes_is_stated_and_true() {
    let folder = Folder::new();
    let by_hand = ["--match", "exact", "--bits", "327360", "--probes", "7", "--no-variants", "--json"];
    let (done, filter) = build(&folder, &words(40_000), &by_hand);
    assert_eq!(done.code, 0, "{done:?}");
    let told = &done.json()[0];
    assert_eq!((&told["pages"], &told["word_bits"], &told["words"]), (&10.into(), &7.into(), &40_000.into()));
    // Bloom 1970: (1 − e^(−kn/m))ᵏ, a little more because pages are unevenly full.
    let formula = (-(-7.0 * 40_000.0 / 327_360.0_f64).exp()).ln_1p().mul_add(7.0, 0.0).exp();
    let stated = told["false_rejection"].as_f64().unwrap();
    assert!((1.0..1.03).contains(&(stated / formula)), "{stated} {formula}");
    let text = run(["info", filter.to_str().unwrap()]).out;
    assert!(
        text.contains(&format!("stated rate     {stated:.5}").trim_end_matches('0').to_owned()),
        "{text}"
    );
    let strangers: String = (0..40_000).map(|n| format!("stranger{n}\n")).collect();
    let arguments = ["check", "--no-variants", "--summary", "--json", "--filter", filter.to_str().unwrap()];
    let summary = run_with(arguments, strangers.as_bytes()).json().remove(0);
    let found = summary["reasons"]["dictionary"].as_f64().unwrap();
    let expected = 40_000.0 * stated;
    assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{found} {expected}");
    let digests = (0..500).map(|n| format!("{n:040X}\n")).collect::<String>();
    let (done, _) =
        build(&folder, &digests, &["--kind", "sha1", "--bits", "9999", "--probes", "3", "--json"]);
    assert_eq!((&done.json()[0]["pages"], &done.json()[0]["word_bits"]), (&1.into(), &3.into()));
}

#[test]
fn size_and_probes_are_for_exact_matches_and_go_together() {
    let folder = Folder::new();
    let near = build(&folder, "word\n", &["--bits", "9999", "--probes", "3"]).0;
    assert!(near.error_line().contains("add --match exact"), "{near:?}");
    for wrong in [
        &["--match", "exact", "--bits", "9999"][..],
        &["--match", "exact", "--probes", "3"],
        &["--match", "exact", "--bits", "0", "--probes", "3"],
        &["--match", "exact", "--bits", "9999", "--probes", "65"],
        &["--match", "exact", "--bits", "9999", "--probes", "3", "--false-rejection", "0.01"],
    ] {
        assert_eq!(build(&folder, "word\n", wrong).0.code, 2, "{wrong:?}");
    }
}

#[test]
fn a_large_near_filter_and_short_passwords_are_warned_of() {
    let folder = Folder::new();
    let many = words(300_001);
    let (done, filter) = build(&folder, &many, &["--deletion-bits", "0"]);
    assert_eq!(done.code, 0);
    assert!(
        done.err.contains("a near filter of 300001 words") && done.err.contains("min_length"),
        "{done:?}"
    );
    let check = |more: &[&str]| {
        run_with(["check", "--filter", filter.to_str().unwrap()].iter().chain(more), b"Vq7#mzt0Lp2x\n").err
    };
    assert!(check(&[]).contains("match = \"exact\""), "{}", check(&[]));
    assert_eq!(check(&["--min-length", "10"]), "");
    let site = |settings: &str| {
        let text = format!("packaged = false\n{settings}\n[[dictionary]]\nfile = {filter:?}\n");
        let conf = folder.file("site.conf", text);
        let told = run(["doctor", "--json", "--conf", conf.to_str().unwrap()]);
        told.out.contains("rejects many random passwords")
    };
    assert!(site("") && !site("min_length = 10"));
    let (done, _) = build(&folder, &many, &["--match", "exact"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""));
}

/// The ranks of a filter that is gone order nothing: under another key, each use of the new one would warn.
#[test]
fn ranks_do_not_outlive_their_filter() {
    let folder = Folder::new();
    for key in ["000102030405060708090a0b0c0d0e0f", "ffff02030405060708090a0b0c0d0e0f"] {
        let (done, filter) = build(&folder, "house\nmouse\n", &["--top", "2"]);
        assert!(done.code == 0 && folder.path("words.filter.ranks").exists(), "{done:?}");
        let list = folder.file("more", "zebra\n");
        let [filter, list] = [&filter, &list].map(|path| path.to_str().unwrap());
        assert_eq!(run(["build", "-q", "--key", key, "-o", filter, list]).code, 0);
        assert!(!folder.path("words.filter.ranks").exists(), "{key}");
        assert_eq!(run(["add", "-q", filter, list]).err, "");
    }
}

/// 200 words of which the later ones have higher counts.
fn counted(line: impl Fn(&str, u32) -> String) -> String {
    let all = words(200);
    (1..).zip(all.lines()).map(|(count, word)| line(word, count) + "\n").collect()
}

#[test]
fn counts_are_found_by_what_they_are_and_the_report_says_so() {
    let of_json =
        |name: &'static str| counted(move |word, n| format!("{{\"word\": \"x{word}\", \"{name}\": {n}}}"));
    for list in [
        of_json("score"),
        of_json("cnt"),
        format!("[{}]", of_json("c").trim_end().replace('\n', ",")),
        counted(|word, n| format!("x{word}\t{}00000000000000000000", n + 100)),
        format!("rank,word\n{}", counted(|word, n| format!("{},x{word}", 201 - n))),
        counted(|word, n| format!("x{word},0.{n:04}")),
    ] {
        for more in [&["--top", "20", "--match", "exact"][..], &["--top", "20", "--match", "exact", "--json"]]
        {
            let folder = Folder::new();
            let (done, filter) = build(&folder, &list, more);
            assert!(done.code == 0 && done.err.is_empty(), "{list:.60} {done:?}");
            assert!(done.out.contains("highest counts") || done.out.contains("\"counts\""), "{done:?}");
            let all = words(200);
            let (first, last) = (all.lines().nth(1).unwrap(), all.lines().last().unwrap());
            let told = run_with(
                ["check", "--filter", filter.to_str().unwrap(), "--json", "--no-variants"],
                format!("x{first}\nx{last}\n").as_bytes(),
            )
            .json();
            assert_eq!(
                (&told[0]["verdict"], &told[1]["verdict"]),
                (&"accept".into(), &"reject".into()),
                "{list:.60}"
            );
        }
    }
}

#[test]
fn the_first_words_are_taken_only_where_that_is_said() {
    let folder = Folder::new();
    let (plain, _) = build(&folder, &words(50), &["--top", "20", "--match", "exact"]);
    assert!(
        plain.code == 0 && plain.err.is_empty() && plain.out.contains("no counts were found"),
        "{plain:?}"
    );
    let names = counted(|word, n| format!("{{\"word\": \"x{word}\", \"id\": {n}}}"));
    let (told, _) = build(&folder, &names, &["--top", "20", "--match", "exact"]);
    assert!(told.code == 0 && told.err.contains("its first words were taken"), "{told:?}");
    let two = counted(|word, n| format!("{{\"word\": \"x{word}\", \"x\": {n}, \"y\": {n}}}"));
    for list in [two.clone(), format!("[{}]", two.trim_end().replace('\n', ","))] {
        let (refused, _) = build(&folder, &list, &["--top", "20", "--match", "exact"]);
        assert!(refused.error_line().contains("any of which may be the counts"), "{refused:?}");
    }
}

/// Counts of some lists say nothing about the words of others, none of which would be taken.
#[test]
fn lists_without_counts_beside_lists_with_counts_are_refused() {
    let folder = Folder::new();
    let plain = folder.file("plain", words(50));
    let other = folder.file("other", words(60));
    let counts = counted(|word, n| format!("{n:7} x{word}"));
    for more in [&[&plain][..], &[&plain, &other]] {
        let more: Vec<&str> = more.iter().map(|path| path.to_str().unwrap()).collect();
        let (refused, filter) =
            build(&folder, &counts, &[&["--top", "20", "--match", "exact"], more.as_slice()].concat());
        let line = refused.error_line();
        assert!(line.contains(&format!("{}: without counts", more.join(", "))), "{line}");
        assert!(line.contains("/list)") && line.contains("filterctl add"), "{line}");
        assert!(refused.code == 2 && !filter.exists());
    }
    let digests = |count: &str| (0..50).map(|n| format!("{:040X}{count}\n", n * 7919)).collect::<String>();
    let plain = folder.file("digests", digests(""));
    let more = ["--top", "20", "--kind", "sha1", plain.to_str().unwrap()];
    let (refused, _) = build(&folder, &digests(":7"), &more);
    assert!(refused.error_line().contains("/digests: without counts"), "{refused:?}");
}

/// What the message tells to do instead.
#[test]
fn words_without_counts_are_added_to_the_most_common_ones() {
    let folder = Folder::new();
    let plain = folder.file("plain", words(50));
    let counts = counted(|word, n| format!("{n:7} x{word}"));
    let (done, filter) = build(&folder, &counts, &["--top", "20", "--match", "exact", "--capacity", "70"]);
    assert_eq!(done.code, 0, "{done:?}");
    let added = run(["add", "--json", filter.to_str().unwrap(), plain.to_str().unwrap()]);
    assert!(added.code == 0 && added.err.is_empty(), "{added:?}");
    assert_eq!(added.json()[0]["words"], 70, "{added:?}");
}

#[test]
fn a_list_after_enough_words_is_said_to_be_unread() {
    let folder = Folder::new();
    let other = folder.file("other", words(60));
    let more = ["--top", "20", "--match", "exact", other.to_str().unwrap()];
    let (done, _) = build(&folder, &words(50), &more);
    assert!(done.code == 0 && done.out.contains("/other (UTF-8): not read, since"), "{done:?}");
}

/// Shares as they are, in the columns that the user names.
#[test]
fn named_columns_may_have_shares() {
    let folder = Folder::new();
    let list = counted(|word, n| format!("x{word},0.{n:04}"));
    let (done, _) = build(&folder, &list, &["--columns", "word,count"]);
    assert!(done.code == 0 && done.out.contains("200 of 200 lines"), "{done:?}");
}

/// The list is not empty: its counts, or their absence, are the reason.
#[test]
fn a_list_without_counts_that_are_high_enough_is_not_called_empty() {
    let digest = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8";
    for list in [format!("{digest}\n"), format!("{digest}:9\n")] {
        let folder = Folder::new();
        let (refused, _) = build(&folder, &list, &["--kind", "sha1", "--min-count", "10"]);
        assert!(refused.error_line().contains("has 1 digest, none with a count"), "{refused:?}");
        let (done, _) = build(&folder, &list, &["--kind", "sha1"]);
        assert_eq!(done.code, 0, "{done:?}");
    }
}
