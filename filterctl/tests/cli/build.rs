//! `filterctl build`: what is read, what is reported, what is written.

use std::{ffi::OsStr, fs, io::Write, os::unix::fs::PermissionsExt, path::PathBuf};

use crate::{Folder, KEY, build_arguments, run, run_with};

#[test]
fn the_report_tells_every_line_that_is_left_out() {
    let folder = Folder::new();
    let long = "x".repeat(256);
    let list = folder.file("list", format!("one\r\n\r\ntwo\n{long}\nta\tb\n \nthree"));
    let latin = folder.file("latin", b"caf\xe9\nna\xefve\n");
    let mut arguments = build_arguments(&folder.path("f"), &[&list, &latin]);
    arguments.push("--json".into());
    let told = run(&arguments).json().remove(0);
    // "cafe" and "naive" are in it, too.
    assert_eq!((&told["words"], &told["lines"], &told["kind"]), (&7.into(), &5.into(), &"words".into()));
    assert_eq!((&told["match"], &told["scheme"]), (&"near".into(), &"deletions".into()));
    let (first, second) = (&told["lists"][0], &told["lists"][1]);
    assert_eq!((&first["encoding"], &second["encoding"]), (&"utf-8".into(), &"windows-1252".into()));
    assert_eq!((&first["lines"], &first["accepted"]), (&7.into(), &3.into()));
    let skipped = serde_json::json!([
        {"reason": "blank", "lines": 2, "first_line": 2},
        {"reason": "longer than 255 characters", "lines": 1, "first_line": 4},
        {"reason": "with control characters", "lines": 1, "first_line": 5},
    ]);
    assert_eq!(first["skipped"], skipped);
    assert_eq!(second["skipped"], serde_json::json!([]));
    let text = run(build_arguments(&folder.path("f"), &[&list])).out;
    assert!(text.contains("left out: 2 lines are blank, the first is line 2\n"), "{text}");
}

#[test]
fn compressed_lists_are_known_by_content_and_give_the_same_filter() {
    let folder = Folder::new();
    let words: String = (0..5000).map(|n| format!("word{n}\nélan{n}\n")).collect();
    let plain = folder.file("plain.gz", &words);
    assert_eq!(run(build_arguments(&folder.path("expected"), &[&plain])).code, 0);
    let expected = fs::read(folder.path("expected")).unwrap();
    for (name, bytes) in [("gzip.txt", gzip(&words)), ("zstd.txt", zstd(&words)), ("xz.txt", xz(&words))] {
        let list = folder.file(name, bytes);
        assert_eq!(run(build_arguments(&folder.path("f"), &[&list])).code, 0, "{name}");
        assert!(fs::read(folder.path("f")).unwrap() == expected, "{name}");
        let piped = run_with(build_arguments(&folder.path("f"), &["-".as_ref()]), &fs::read(&list).unwrap());
        assert_eq!(piped.code, 0, "{piped:?}");
        assert!(fs::read(folder.path("f")).unwrap() == expected, "{name} on standard input");
    }
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).unwrap()
}

fn xz(text: &str) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 3);
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_key_makes_a_build_reproducible_and_no_key_makes_a_new_filter() {
    let folder = Folder::new();
    let list = folder.file("list", "one\ntwo\nthree\n");
    let build = |name: &str, more: &[&str]| {
        let output = folder.path(name);
        let mut arguments: Vec<PathBuf> = ["build", "--output"].map(PathBuf::from).into();
        arguments.extend([output.clone(), list.clone()]);
        arguments.extend(more.iter().map(PathBuf::from));
        assert_eq!(run(arguments).code, 0);
        fs::read(output).unwrap()
    };
    let keyed = build("a", &["--key", KEY, "--jobs", "1"]);
    assert!(keyed == build("b", &["--key", KEY, "--jobs", "7"]));
    assert!(build("c", &[]) != build("d", &[]));
}

#[test]
fn the_file_is_private_and_nothing_else_is_left() {
    let folder = Folder::new();
    let filter = folder.filter("password\n");
    assert_eq!(fs::metadata(filter).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(folder.names(), ["words.filter", "words.txt"]);
}

#[test]
fn the_built_in_list_is_what_its_provenance_says() {
    let folder = Folder::new();
    let (filter, quick) = (folder.path("f"), ["--key", KEY, "--deletion-bits", "0", "--json"]);
    let mut arguments: Vec<PathBuf> = ["build", "--common", "--output"].map(PathBuf::from).into();
    arguments.push(filter.clone());
    arguments.extend(quick.map(PathBuf::from));
    let told = run(arguments).json().remove(0);
    assert_eq!(told["lists"][0]["name"], "the built-in list");
    assert_eq!(told["lists"][0]["skipped"], serde_json::json!([]));
    let forms = 5333;
    assert_eq!((&told["lists"][0]["lines"], &told["words"]), (&189_728.into(), &(189_728 + forms).into()));
    let filter = filter.to_str().unwrap();
    let judged =
        run_with(["check", "--filter", filter, "--only", "accepted"], b"password\nelephqnt\naccomodate\n");
    assert_eq!((judged.code, judged.out.as_str()), (1, ""));
}

#[test]
fn settings_reach_the_filter() {
    let folder = Folder::new();
    let list = folder.file("list", "one\ntwo\nthree\n");
    for (more, expected) in [
        (&["--match", "exact"][..], serde_json::json!({"match": "exact", "scheme": "whole"})),
        (&["--scheme", "paper"], serde_json::json!({"match": "near", "scheme": "paper"})),
        (&["--deletion-bits", "4"], serde_json::json!({"deletion_bits": 4})),
        (&["--false-rejection", "0.25"], serde_json::json!({"false_rejection": 0.25})),
        (&["--capacity", "5000"], serde_json::json!({"capacity": 5000, "words": 3})),
        (
            &["--characters", "8", "--no-variants"],
            serde_json::json!({"rate_characters": 8, "rate_lookups": 1}),
        ),
    ] {
        let mut arguments = build_arguments(&folder.path("f"), &[&list]);
        arguments.extend(more.iter().map(PathBuf::from));
        assert_eq!(run(arguments).code, 0);
        let told = run(["info".as_ref(), folder.path("f").as_os_str(), "--json".as_ref()]).json().remove(0);
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(&told[name], value, "{more:?}: {name}");
        }
    }
}

#[test]
fn digests_are_a_kind_of_their_own() {
    let folder = Folder::new();
    let list = folder.file(
        "sha1",
        "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:3\n5baa61e4c9b93f3f0682250b6cf8331b7ee68fd9:1\n",
    );
    let mut arguments = build_arguments(&folder.path("f"), &[&list]);
    arguments.extend(["--kind", "sha1", "--min-count", "2", "--json"].map(PathBuf::from));
    let told = run(&arguments).json().remove(0);
    assert_eq!((&told["kind"], &told["match"], &told["words"]), (&"sha1".into(), &"exact".into(), &1.into()));
    assert_eq!(told["lists"][0]["skipped"][0]["reason"], "below the minimum count");
    arguments.extend(["--match", "near"].map(PathBuf::from));
    assert!(run(&arguments).error_line().contains("digests have no near matches"));
}

/// A filter without words rejects nothing and says so; words are added as to any other, and it is the same
/// then as one that was built with them.
#[test]
fn an_empty_filter_is_built_and_filled() {
    let folder = Folder::new();
    let (empty, whole) = (folder.path("empty"), folder.path("whole"));
    let [empty, whole] = [&empty, &whole].map(|path| path.to_str().unwrap());
    let shape = ["--match", "exact", "--bits", "60000", "--probes", "5", "--capacity", "5000", "--key", KEY];
    let built = run(["build", "--empty", "--output", empty].iter().chain(&shape));
    assert_eq!(built.code, 0, "{built:?}");
    assert!(built.err.contains("contains no words yet"), "{built:?}");
    let told = run(["info", empty, "--json"]).json().remove(0);
    assert_eq!((&told["words"], &told["capacity"]), (&0.into(), &5000.into()));
    let text = run(["info", empty]).out;
    assert!(text.contains("holds           0 words of 0 lines") && !text.contains("inf"), "{text}");
    let words: String = (0..1000).map(|n| format!("word{n}\n")).collect();
    let list = folder.file("list", &words);
    let list = list.to_str().unwrap();
    let added = run(["add", empty, list, "--json"]).json().remove(0);
    assert_eq!((&added["added"], &added["words"]), (&1000.into(), &1000.into()));
    assert_eq!(run(["build", "--output", whole, list].iter().chain(&shape)).code, 0);
    let pages = |path| fs::read(path).unwrap()[4096..].to_vec();
    assert!(pages(empty) == pages(whole), "the bits differ");
    for (wrong, part) in [
        (&["--capacity", "100"][..], "--match exact"),
        (&["--match", "exact"], "--capacity"),
        (&["--match", "exact", "--capacity", "9", list], "cannot be used with"),
    ] {
        let told = run(["build", "--empty", "--output", whole].iter().chain(wrong));
        assert!(told.code == 2 && told.err.contains(part), "{wrong:?}: {told:?}");
    }
}

/// A name given by mistake: only a filter is replaced by a filter, and counts by counts.
#[test]
fn a_file_that_is_no_filter_is_not_overwritten() {
    let folder = Folder::new();
    let (list, other) = (folder.file("list", "elephant\n"), folder.file("other", "one\n"));
    let refused = |arguments: &[&OsStr]| {
        let told = run(arguments);
        let line = told.error_line();
        assert_eq!(told.code, 2, "{told:?}");
        assert!(line.contains("refused to overwrite it") && line.ends_with("[file-not-replaced]"), "{line}");
        assert_eq!(fs::read(&other).unwrap(), b"one\n");
    };
    let (filter, counts) = (folder.path("f"), folder.path("c"));
    let [build, exact, update, union] = ["build", "--match=exact", "update", "union"].map(OsStr::new);
    let [output, with_counts, dict, conf] = ["--output", "--counts", "--folder", "--conf"].map(OsStr::new);
    refused(&[build, output, other.as_os_str(), list.as_os_str()]);
    refused(&[build, exact, output, filter.as_os_str(), with_counts, other.as_os_str(), list.as_os_str()]);
    let (lists, empty) = (folder.path("lists"), folder.file("n.conf", ""));
    fs::create_dir(&lists).unwrap();
    fs::copy(&list, lists.join("list")).unwrap();
    for _ in 0..2 {
        let (lists, empty) = (lists.as_os_str(), empty.as_os_str());
        refused(&[update, dict, lists, conf, empty, output, other.as_os_str()]);
    }
    for existing in [&b""[..], b"\0\0\0\0\0\0\0\0\0\0\0\0", b"\x89NMF\r\n\x1a\n damaged", b"\x89NMF"] {
        fs::write(&filter, existing).unwrap();
        fs::write(&counts, if existing.is_empty() { &b""[..] } else { &b"\x89NMC\r\n\x1a\n damaged"[..] })
            .unwrap();
        let paths = [filter.as_os_str(), with_counts, counts.as_os_str(), list.as_os_str()];
        assert_eq!(run([&[build, exact, output][..], &paths].concat()).code, 0, "{existing:?}");
    }
    refused(&[union, output, other.as_os_str(), filter.as_os_str(), filter.as_os_str()]);
    refused(&[OsStr::new("install"), filter.as_os_str(), other.as_os_str()]);
    let told = run([OsStr::new("install"), filter.as_os_str(), lists.as_os_str()]);
    let named = format!(
        "is a folder; name the file in it, by which the configuration names the filter, for \
                         instance {}",
        lists.join("f").display()
    );
    assert!(told.code == 2 && told.error_line().contains(&named), "{told:?}");
}
