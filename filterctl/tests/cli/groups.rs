//! Filters of digests that come in order: written group by group from a file, a pipe or a folder of ranges.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{Folder, Run, build_arguments, run, run_with};

/// Digests in ascending order, spread evenly, with counts from 1 to 4, as lines.
fn sorted(digits: usize, count: u64) -> Vec<String> {
    let step = u64::MAX / count;
    let digest = |n: u64| {
        let mixed = n.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hex = format!("{:016X}{mixed:016X}{:016X}", n * step + mixed % step, !mixed);
        format!("{}:{}", &hex[..digits], n % 4 + 1)
    };
    (0..count).map(digest).collect()
}

fn arguments(folder: &Folder, kind: &str, list: &Path, more: &[&str]) -> Vec<PathBuf> {
    let mut arguments = build_arguments(&folder.path("f"), &[list]);
    arguments.extend(["--kind", kind, "--json"].iter().chain(more).map(PathBuf::from));
    arguments
}

/// The filter and its group bits.
fn built(folder: &Folder, done: &Run) -> (Vec<u8>, u64) {
    assert_eq!(done.code, 0, "{done:?}");
    (fs::read(folder.path("f")).unwrap(), done.json()[0]["group_bits"].as_u64().unwrap())
}

fn ranges(folder: &Folder, lines: &[String]) -> PathBuf {
    let path = folder.path("ranges");
    fs::create_dir(&path).unwrap();
    for line in lines.chunk_by(|a, b| a[..5] == b[..5]) {
        let rest: Vec<&str> = line.iter().map(|line| &line[5..]).collect();
        // One name in another case: the digits decide the order.
        let name =
            if line[0].starts_with('F') { line[0][..5].to_lowercase() } else { line[0][..5].to_owned() };
        fs::write(path.join(name), rest.join("\r\n")).unwrap();
    }
    path
}

#[test]
fn a_file_a_pipe_and_a_folder_of_ranges_give_the_same_filter_in_groups() {
    for (kind, digits) in [("sha1", 40), ("ntlm", 32)] {
        let folder = Folder::new();
        let lines = sorted(digits, 3000);
        let text = lines.join("\r\n");
        let (file, ranges) = (folder.file("list", &text), ranges(&folder, &lines));
        for more in [&["--group-bits", "3"][..], &["--group-bits", "3", "--min-count", "3", "--jobs", "3"]] {
            let (filter, bits) = built(&folder, &run(arguments(&folder, kind, &file, more)));
            assert_eq!((bits, &filter[29..32]), (3, &[3, 1, 3][..]), "hash version, cleaning, group bits");
            let of_pipe = run_with(arguments(&folder, kind, "-".as_ref(), more), text.as_bytes());
            assert!(built(&folder, &of_pipe).0 == filter, "{kind} {more:?}: pipe");
            let of_ranges = run(arguments(&folder, kind, &ranges, &[more, &["--partial"]].concat()));
            assert!(built(&folder, &of_ranges).0 == filter, "{kind} {more:?}: ranges");
        }
        let plain = built(&folder, &run(arguments(&folder, kind, &file, &["--group-bits", "0"])));
        let short = built(&folder, &run(arguments(&folder, kind, &file, &[])));
        assert!(plain == short && short.1 == 0, "a short list has no groups");
        assert_eq!(folder.names(), ["f", "list", "ranges"], "nothing left behind");
    }
}

#[test]
fn a_plan_says_what_a_list_in_order_takes_and_is_the_size_of_the_filter() {
    let plan = |entries: &str, more: &[&str]| {
        let mut arguments = vec!["plan", "--json", "--entries", entries];
        arguments.extend(more);
        run(arguments).json().remove(0)["in_order"].clone()
    };
    let billions = plan("2e9", &["--kind", "sha1"]);
    let memory = billions["memory_bytes"].as_u64().unwrap();
    assert!(billions["group_bits"] == 16 && memory < 64 << 20, "{billions}");
    assert!(plan("1e5", &["--kind", "ntlm"]).is_null() && plan("2e9", &["--match", "exact"]).is_null());
    let text = run(["plan", "--entries", "2e9", "--kind", "sha1"]).out;
    assert!(text.contains("from a list in ascending order; 16 group bits\n"), "{text}");
}

#[test]
fn every_command_knows_a_filter_in_groups() {
    let folder = Folder::new();
    let digest = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:9".to_owned();
    let mut lines = sorted(40, 3000);
    lines.push(digest);
    lines.sort();
    let list = folder.file("list", lines.join("\n"));
    built(&folder, &run(arguments(&folder, "sha1", &list, &["--group-bits", "4", "--capacity", "9000"])));
    let filter = folder.path("f");
    let with = |command: &[&str]| {
        let before: Vec<PathBuf> = command.iter().map(PathBuf::from).collect();
        run(before.into_iter().chain([filter.clone()]))
    };
    assert!(with(&["info"]).out.contains("; sorted by the first 4 bits of the digests\n"));
    assert_eq!(with(&["verify"]).code, 0);
    let check = ["check", "--json", "--filter", filter.to_str().unwrap()];
    let told = run_with(check, b"password\nqvortrupz\nvorwerkelix\n");
    let reasons: Vec<_> = told.json().iter().map(|verdict| verdict["reason"].clone()).collect();
    assert_eq!(reasons, ["breached".into(), serde_json::Value::Null, serde_json::Value::Null], "{told:?}");

    let more = folder.file("more", "112BB791304791DDCF692E29FD5CF149B35FEA37\n");
    let added = run(["add".as_ref(), filter.as_path(), more.as_path()]);
    assert_eq!(added.code, 0, "{added:?}");
    let told =
        run_with(["check", "--json", "--no-variants", "--filter", filter.to_str().unwrap()], b"PASSWORD\n");
    assert_eq!(told.json()[0]["reason"], "breached", "{told:?}");

    let mut like: Vec<PathBuf> = ["build", "--output"].map(PathBuf::from).into();
    like.extend([folder.path("other"), "--like".into(), filter.clone(), more.clone()]);
    assert_eq!(run(&like).code, 0);
    let mut union: Vec<PathBuf> = ["union", "--output"].map(PathBuf::from).into();
    union.extend([folder.path("both"), filter.clone(), folder.path("other")]);
    let both = run(&union);
    assert_eq!(both.code, 0, "{both:?}");
    let plain = folder.path("plain");
    let mut arguments = build_arguments(&plain, &[&list]);
    arguments.extend(["--kind", "sha1"].map(PathBuf::from));
    assert_eq!(run(&arguments).code, 0);
    let refused = run(["union".as_ref(), "--output".as_ref(), folder.path("no").as_path(), &filter, &plain]);
    assert!(refused.error_line().contains("one filter has 4 group bits, the other 0"), "{refused:?}");
}

#[test]
fn a_list_that_is_not_in_order_or_filled_by_somebody_has_no_groups() {
    let folder = Folder::new();
    let mut lines = sorted(40, 3000);
    let filled: Vec<String> = (0..1000).map(|n| format!("5C00{n:036X}:1")).chain(lines.clone()).collect();
    lines.swap(0, 2999);
    let list = folder.file("list", lines.join("\n"));
    folder.file("f", crate::OLD_FILTER);
    let told = run(arguments(&folder, "sha1", &list, &["--group-bits", "3"]));
    assert!(told.error_line().contains("the digests are not in ascending order"), "{told:?}");
    let mut filled = filled;
    filled.sort();
    let list = folder.file("list", filled.join("\n"));
    let told = run(arguments(&folder, "sha1", &list, &["--group-bits", "8"]));
    assert!(
        told.error_line().contains("the group of digests that begin with 5C000 to 5CFFF contains"),
        "{told:?}"
    );
    assert_eq!(fs::read(folder.path("f")).unwrap(), crate::OLD_FILTER);
    assert_eq!(folder.names(), ["f", "list"], "nothing left behind");
    for more in [&["--kind", "words"][..], &["--kind", "sha1", "second-list"]] {
        let mut arguments = build_arguments(&folder.path("f"), &[&list]);
        arguments.extend(["--group-bits", "3"].iter().chain(more).map(PathBuf::from));
        assert!(run(&arguments).error_line().contains("needs one list of digests"), "{more:?}");
    }
}

/// A list long enough for groups by default.
#[test]
fn a_long_list_in_order_has_groups_and_one_that_only_begins_so_is_read_again() {
    const DIGESTS: u64 = 1_050_000;
    let folder = Folder::new();
    let mut lines = sorted(32, DIGESTS);
    let text = lines.join("\n") + "\n";
    let list = folder.file("list", &text);
    let (filter, bits) = built(&folder, &run(arguments(&folder, "ntlm", &list, &[])));
    assert_eq!(bits, 5);
    let of_pipe = run_with(arguments(&folder, "ntlm", "-".as_ref(), &[]), text.as_bytes());
    assert!(built(&folder, &of_pipe).0 == filter, "pipe");
    let plain = built(&folder, &run(arguments(&folder, "ntlm", &list, &["--group-bits", "0"]))).0;
    let larger = filter.len() as f64 / plain.len() as f64;
    assert!((1.0..1.08).contains(&larger), "{larger} of a filter without groups");

    let (_, half) = text.split_at(text.len() / 2 + 17);
    let half = &text[..text.len() - half.len()];
    let told = run_with(arguments(&folder, "ntlm", "-".as_ref(), &[]), half.as_bytes());
    assert!(told.error_line().contains("fewer than the 10"), "{told:?}");
    let list = folder.file("list", half);
    assert_eq!(built(&folder, &run(arguments(&folder, "ntlm", &list, &[]))).1, 0, "half of a list");

    let first = lines.remove(20);
    lines.push(first);
    let text = lines.join("\n") + "\n";
    let list = folder.file("list", &text);
    let done = run(arguments(&folder, "ntlm", &list, &[]));
    assert_eq!(built(&folder, &done).1, 0);
    let warning =
        "is in ascending order only at its beginning; restarting without groups [digests-unsorted]\n";
    assert!(done.err.ends_with(warning), "{done:?}");
    let before = fs::read(folder.path("f")).unwrap();
    let told = run_with(arguments(&folder, "ntlm", "-".as_ref(), &[]), text.as_bytes());
    assert!(told.error_line().contains("only at its beginning; build with --group-bits 0"), "{told:?}");
    assert!(fs::read(folder.path("f")).unwrap() == before && folder.names() == ["f", "list"]);
    let told = run_with(arguments(&folder, "ntlm", "-".as_ref(), &["--group-bits", "0"]), text.as_bytes());
    assert_eq!(built(&folder, &told), (before, 0), "a pipe without groups is copied first");
}
