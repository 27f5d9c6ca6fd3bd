use super::*;

#[test]
fn a_line_is_one_line_and_bounded() {
    assert_eq!(one_line("line 2\n  ^ here\x1b[31m\0"), "line 2 |   ^ here\\u{1b}[31m\\u{0}");
    assert!(one_line(&"x".repeat(5000)).len() <= LONGEST_LINE + 3);
    let long = Line::new(Priority::Error, keys::INTERNAL_ERROR, "x".repeat(5000)).shown();
    assert!(long.ends_with("xxx... [internal-error]"), "the key is not cut off: {long}");
    assert_eq!(one_line("réseau"), "réseau");
    assert_eq!(one_line("a\u{202e}b\u{2028}c\u{200b}"), "a\\u{202e}b\\u{2028}c\\u{200b}");
}

#[test]
fn a_filter_that_is_not_for_this_process_is_named_with_how_to_let_it_in() {
    let unusable = |trouble| Unusable {
        cause: Cause::Filter,
        trouble,
        detail: "/f: cannot be opened: Permission denied".to_owned(),
        key: keys::FILE_DENIED,
        ..Unusable::fault()
    };
    let denied = cause(&unusable(Trouble::Denied("/f".into()))).shown();
    assert!(denied.contains("--group") && denied.ends_with(" [file-denied]"), "{denied}");
    assert_eq!(
        cause(&unusable(Trouble::Missing("/f".into()))).shown(),
        "/f: cannot be opened: Permission denied [file-denied]"
    );
}

#[test]
fn a_public_filter_is_warned_of() {
    let warning = public_filter(Path::new("/var/cache/nearmiss/words.filter")).shown();
    assert!(warning.starts_with("/var/cache/nearmiss/words.filter: any user may read"), "{warning}");
    assert!(warning.contains("filterctl update") && warning.contains("--group"), "{warning}");
}
