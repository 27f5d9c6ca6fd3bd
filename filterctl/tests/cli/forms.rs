//! Lists in forms other than a word a line: words are found in them, or they are refused with the flag that
//! reads them, and left out by `filterctl update`.

use std::{fs, process::Command};

use crate::{Folder, run, run_with};

const SHA1: &str = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179\n";
const NTLM: &str = "8846F7EAEE8FB117AD06BDD830B7586C:9\n";
const COUNTED: &str = "  290729 zebrapassword\n   79076 quokka\n";
const USERS: &str = "anna:zebrapassword\nbob:quokka\ncarla:p:q-r-s-t\n";

#[test]
fn words_are_found_in_the_forms_that_people_publish() {
    for (text, form, flags) in [
        (COUNTED, "(count,word by blanks, UTF-8)", "--columns count,word"),
        (USERS, "(user:word, UTF-8)", "--form colons"),
    ] {
        let folder = Folder::new();
        let (list, filter) = (folder.file("list", text), folder.path("f"));
        let [list, filter] = [&list, &filter].map(|path| path.to_str().unwrap());
        for more in [&[][..], &flags.split(' ').collect::<Vec<_>>()] {
            let done = run([&["build", "--output", filter, list], more].concat());
            assert_eq!(done.code, 0, "{done:?}");
            assert!(done.out.contains(form), "{done:?}");
            assert_eq!(run_with(["check", "--filter", filter], b"zebrapassword").code, 1, "{form}");
        }
        let done = run(["build", "--output", filter, list, "--columns", "word"]);
        assert_eq!(done.code, 0, "as it is, where that is asked for");
        assert_eq!(run_with(["check", "--filter", filter], b"zebrapassword").code, 0, "{form}");
    }
}

#[test]
fn a_document_is_read_without_its_byte_order_mark() {
    let folder = Folder::new();
    let list = folder.file("list", "\u{feff}[\"zebrapassword\", \"quokka\", \"elephant\"]\n");
    let filter = folder.path("f");
    let [list, filter] = [&list, &filter].map(|path| path.to_str().unwrap());
    let done = run(["build", "--output", filter, list]);
    assert!(done.code == 0 && done.out.contains("(JSON, UTF-8): 3 of 3 lines"), "{done:?}");
}

#[test]
fn digests_are_refused_with_the_flag_that_reads_them() {
    for (text, what, flags, word) in [
        (SHA1, "SHA-1 digests", "--kind sha1", "password"),
        (NTLM, "NTLM digests (or MD5, which no filter can use)", "--kind ntlm", "password"),
    ] {
        let folder = Folder::new();
        let (list, filter) = (folder.file("list", text), folder.path("f"));
        let [list, filter] = [&list, &filter].map(|path| path.to_str().unwrap());
        let build = |more: &[&str]| run([&["build", "--output", filter, list], more].concat());
        let refused = build(&[]);
        let line = refused.error_line();
        assert!(
            line.contains(&format!("seems to contain {what},"))
                && line.ends_with(&format!("{flags} [list-form]")),
            "{line}"
        );
        assert!(!fs::exists(filter).unwrap());
        let done = build(&flags.split(' ').collect::<Vec<_>>());
        assert_eq!(done.code, 0, "{done:?}");
        assert_eq!(run_with(["check", "--filter", filter], word.as_bytes()).code, 1, "{what}");
    }
}

/// Also with `-q`; `--form plain` takes the lines as they are.
#[test]
fn words_that_nobody_types_are_refused_and_doubts_are_warnings() {
    let digest = |n: u32| format!("{:08x}c9b93f3f0682250b6cf8331b7ee68fd8", n.wrapping_mul(0x9e37_79b9));
    let rows = |row: &dyn Fn(u32) -> String| (0..100).map(|n| row(n) + "\n").collect::<String>();
    for (text, said) in [
        (rows(&|n| format!("\"{}\"", digest(n))), "digests that have signs around them"),
        (rows(&|n| format!("{}:salt{n}", digest(n))), "a text beside them that does not give them"),
        ("404: Not Found\n".to_owned(), "an error message of a server"),
    ] {
        let folder = Folder::new();
        let (list, filter) = (folder.file("list", text), folder.path("f"));
        let [list, filter] = [&list, &filter].map(|path| path.to_str().unwrap());
        let build = |more: &[&str]| run([&["build", "-q", "-o", filter, list], more].concat());
        let refused = build(&[]);
        assert!(refused.error_line().contains(said) && !fs::exists(filter).unwrap(), "{refused:?}");
        assert_eq!(build(&["--form", "plain"]).code, 0);
    }
    let folder = Folder::new();
    let text = rows(&|n| if n % 30 == 0 { digest(n) } else { format!("{}word", digest(n)) });
    let strange = rows(&|n| if n % 20 == 5 { format!("\u{1}{n}") } else { format!("{n}word") });
    for (text, said) in
        [(text, "has hashes among its words"), (strange, "of it is left out, such as line 6:")]
    {
        let list = folder.file("list", text);
        let filter = folder.path("f");
        let [list, filter] = [&list, &filter].map(|path| path.to_str().unwrap());
        let told = run(["build", "-q", "-o", filter, list]);
        assert!(told.code == 0 && told.err.contains(said), "{told:?}");
    }
}

#[test]
fn archives_in_compressed_files_are_refused() {
    let folder = Folder::new();
    folder.file("a.txt", "elephant\n");
    let mut tar = Command::new("tar");
    tar.arg("-C").arg(folder.path("")).arg("-czf").arg(folder.path("a.tar.gz")).arg("a.txt");
    assert!(tar.status().unwrap().success());
    let refused = run([
        "build",
        "--output",
        folder.path("f").to_str().unwrap(),
        folder.path("a.tar.gz").to_str().unwrap(),
    ]);
    assert!(refused.error_line().contains("is a tar archive; unpack it first"), "{refused:?}");
}

#[test]
fn update_leaves_digests_out_with_a_line_each() {
    let folder = Folder::new();
    fs::create_dir(folder.path("dict")).unwrap();
    for (name, text) in [("a", SHA1), ("b", NTLM), ("c", COUNTED), ("d", USERS), ("words", "elephant\n")] {
        fs::write(folder.path("dict").join(name), text).unwrap();
    }
    let [lists, filter] = ["dict", "f"].map(|name| folder.path(name).to_str().unwrap().to_owned());
    let done = run(["update", "--json", "--no-common", "--folder", &lists, "--output", &filter]);
    assert_eq!(done.code, 0, "{done:?}");
    let report = done.json().remove(0);
    assert_eq!((&report["words"], report["skipped"].as_array().unwrap().len()), (&4.into(), 2), "{report}");
    assert_eq!(
        done.err.lines().filter(|line| line.ends_with("; skipped [list-lost]")).count(),
        2,
        "{}",
        done.err
    );
}

/// Digests in columns are read, and digests of another kind have their right name.
#[test]
fn digests_are_found_in_the_columns_that_people_publish() {
    let folder = Folder::new();
    let filter = folder.path("f");
    let build = |list: &str| {
        let list = folder.file("list", list);
        let [filter, list] = [&filter, &list].map(|path| path.to_str().unwrap());
        run(["build", "--kind", "sha1", "--min-count", "3", "--output", filter, list])
    };
    let digest = &SHA1[..40];
    for (list, form) in [
        (format!("{digest},7\n0AE9E4DEBA26021986FFD99636DA6601F6393631,2\n"), "digests and counts by commas"),
        (format!("7\t{digest}\n2\t0AE9E4DEBA26021986FFD99636DA6601F6393631\n"), "digests and counts by tabs"),
    ] {
        let done = build(&list);
        assert!(done.code == 0 && done.out.contains(form), "{done:?}");
        for (password, code) in [("password", 1), ("elephant", 0)] {
            assert_eq!(
                run_with(["check", "--filter", filter.to_str().unwrap()], password.as_bytes()).code,
                code
            );
        }
    }
    let sha256 = "5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8\n";
    let refused = build(sha256);
    assert!(
        refused.error_line().contains("seems to contain SHA-256 digests, which no filter can use"),
        "{refused:?}"
    );
}

/// Code page 850: its letters are signs in every charset that could be meant.
#[test]
fn a_charset_that_is_not_known_is_reported() {
    let folder = Folder::new();
    let words: [&[u8]; 6] = [b"bl\x86", b"br\x9bd", b"k\x91re", b"\x92r\x9b", b"g\x86rd", b"k\x9bn"];
    let line = |n: u8| [words[usize::from(n) % 6], &[b'a' + n / 26, b'a' + n % 26, b'\n']].concat();
    let danish: Vec<u8> = (0..180).flat_map(line).collect();
    let (list, filter) = (folder.file("list", danish), folder.path("f"));
    let [list, filter] = [&list, &filter].map(|path| path.to_str().unwrap());
    let build =
        |more: &[&str]| run([&["build", "--match", "exact", "--output", filter, list], more].concat());
    let told = build(&[]);
    assert!(told.code == 0 && told.err.trim_end().ends_with("with iconv [list-charset]"), "{told:?}");
    assert_eq!(build(&["--charset", "windows-1252"]).err, "");
}

/// A column that is empty on most lines is the wrong one; a few passwords may be empty.
#[test]
fn lines_whose_column_of_words_is_empty_are_of_another_form() {
    let rows = |empty: u32, header: &str| -> String {
        let row = |n: u32| {
            let word = if n < empty { String::new() } else { format!("quokka{n}x") };
            format!("note{n};{word};end{n}\n")
        };
        format!("{header}{}", (0..300).map(row).collect::<String>())
    };
    let folder = Folder::new();
    let filter = folder.path("f");
    let filter = filter.to_str().unwrap();
    let build = |text: &str, more: &[&str]| {
        let list = folder.file("list", text);
        let _ = fs::remove_file(filter);
        run([&["build", "--match", "exact", "--output", filter, list.to_str().unwrap()], more].concat())
    };
    for (empty, code, said) in
        [(2, 0, ""), (20, 0, "no word in the column"), (60, 2, "without a word"), (299, 2, "without a word")]
    {
        let told = build(&rows(empty, ""), &["--columns", "2"]);
        assert_eq!(told.code, code, "{empty}: {told:?}");
        assert!(told.err.contains(said) && (said.is_empty() == told.err.is_empty()), "{empty}: {told:?}");
        if code == 0 {
            let out = format!("{empty} lines are without a word in their column, the first is line 1");
            assert!(told.out.contains(&out) && !told.out.contains("blank"), "{told:?}");
        }
    }
    // Where the first line names the column, entries of an export may lack it.
    for (empty, said) in [(2, ""), (60, "no word in the column"), (299, "no word in the column")] {
        let told = build(&rows(empty, "name;password;notes\n"), &[]);
        assert!(told.code == 0 && told.err.contains(said), "{empty}: {told:?}");
        assert_eq!(said.is_empty(), told.err.is_empty(), "{empty}: {told:?}");
    }
}
