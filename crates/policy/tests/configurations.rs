//! Evil configurations: what a hand, a damaged disk or a clever neighbour may leave in the file.

fn deep(open: &str, close: &str, depth: usize) -> Vec<u8> {
    format!("min_length = {}1{}\n", open.repeat(depth), close.repeat(depth)).into_bytes()
}

fn dictionaries(count: usize) -> Vec<u8> {
    "[[dictionary]]\nfile = \"/a\"\n".repeat(count).into_bytes()
}

/// Name, bytes and a part of the error of each.
pub fn all() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("binary", (0..=255).collect(), "UTF-8"),
        ("null-bytes", vec![0; 64], "line 1"),
        ("latin-1", b"# caf\xe9\nmin_length = 8\n".to_vec(), "UTF-8"),
        ("byte-order-mark-utf-16", b"\xff\xfem\0i\0n\0".to_vec(), "UTF-8"),
        ("one-byte-too-long", [dictionaries(0), vec![b'#'; 65_537]].concat(), "larger than"),
        ("arrays-in-arrays", deep("[", "]", 20_000), "line 1"),
        ("tables-in-tables", deep("{a=", "}", 10_000), "line 1"),
        ("dotted-key", format!("a{} = 1\n", ".a".repeat(20_000)).into_bytes(), "recursion limit"),
        ("key-twice", text("min_length = 8\nmin_length = 9\n"), "line 2"),
        ("key-misspelt", text("min_lenght = 9\n"), "min_lenght"),
        ("key-of-another-case", text("Min_Length = 9\n"), "Min_Length"),
        ("length-0", text("min_length = 0\n"), "1 to 511"),
        ("length-negative", text("min_length = -1\n"), "1 to 511"),
        ("length-beyond-64-bits", text("min_length = 99999999999999999999\n"), "line 1"),
        ("length-not-a-number", text("min_length = nan\n"), "line 1"),
        ("on-error-unknown", text("on_error = \"Allow\"\n"), "line 1"),
        ("path-relative", text("[[dictionary]]\nfile = \"words.filter\"\n"), "absolute"),
        ("path-climbs", text("[[dictionary]]\nfile = \"/a/../../b\"\n"), "absolute"),
        ("path-empty", text("[ladder]\nkey = \"\"\n"), "absolute"),
        ("table-for-array", text("[dictionary]\nfile = \"/a\"\n"), "line 1"),
        ("word-without-quotes", text("log = none\n"), "write text in quotes"),
        ("string-open", text("on_error = \"reject\n"), "line 1"),
    ]
}
