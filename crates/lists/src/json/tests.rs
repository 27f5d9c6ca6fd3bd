use super::*;

fn read(text: &str, field: Option<&str>) -> io::Result<(Vec<(u64, String)>, Elements)> {
    let mut words = Vec::new();
    let elements = read_document(text.as_bytes(), field, &mut |count, word| {
        words.push((count, word.to_owned()));
        Ok(())
    })?;
    Ok((words, elements))
}

#[test]
fn a_spooled_line_keeps_the_word_and_its_count() {
    for (count, word) in [(0, ""), (7, " a b "), (u64::MAX, "3 4")] {
        let line = spooled(count, word);
        assert_eq!(of_spooled(line.trim_end_matches('\n').as_bytes()), Some((count, word.as_bytes())));
    }
    assert_eq!(spooled(1, "a\nb"), "1 a\u{b}b\n");
    assert_eq!((of_spooled(b"word"), of_spooled(b"x y")), (None, None));
}

/// The words of an array within an object come one by one: a reader that fails later has passed them on.
#[test]
fn an_array_in_an_object_is_not_kept() {
    let mut words = 0;
    let read = read_document(&br#"{"words": ["a", "b", !"#[..], None, &mut |_, _| {
        words += 1;
        Ok(())
    });
    assert_eq!((read.is_err(), words), (true, 2));
}

#[test]
fn documents_are_read_an_element_at_a_time() {
    let words =
        |text: &str| read(text, None).unwrap().0.into_iter().map(|(_, word)| word).collect::<Vec<_>>();
    assert_eq!(words(r#"["a", "b\u00e9", 12, null]"#), ["a", "bé", "12"]);
    assert_eq!(words(r#"[{"id": "7", "word": "a"}, {"x": "b"}]"#), ["a", "b"]);
    assert_eq!(words(r#"{"source": "x", "words": ["a", "b"]}"#), ["a", "b"]);
    assert_eq!(words(r#"[["a", 3], ["b", 1]]"#), ["a", "b"]);
    assert_eq!(read(r#"{"a": 3}"#, None).unwrap().0, [(3_000_000, "a".to_owned())]);
    assert_eq!(
        words(r#"{"a": 0.3, "b": -2, "c": true, "d": null, "e": {"x": ["y"]}, "f": 2}"#),
        ["a", "b", "y", "f"]
    );
    assert_eq!(words(r#"{"common": ["a"], "more": {"x": ["b"], "y": {"z": ["c"]}}}"#), ["a", "b", "c"]);
    assert_eq!(words(r#"{"lists": [{"lang": "de", "words": ["a", "b"]}]}"#), ["a", "b"]);
    assert_eq!(words(r#"{"anna": {"password": "a"}, "bert": {"password": "b"}}"#), ["a", "b"]);
    let counts = read(r#"{"words": ["a"], "en": {"b": 3, "c": 2, "d": 1}}"#, None).unwrap().1;
    assert_eq!(counts, Elements { taken: 1, others: 3, unclear: 0 });
    let elements = read(r#"{"x": "y", "z": {"v": 1}, "words": ["a", "b", null]}"#, None).unwrap().1;
    assert_eq!(elements, Elements { taken: 2, others: 3, unclear: 0 });
    assert_eq!(read(r#"[{"w": "a", "v": "b"}]"#, Some("v")).unwrap().0, [(0, "b".to_owned())]);
    let unclear = read(r#"[{"w": "a", "v": "b"}]"#, None).unwrap();
    assert_eq!(unclear, (Vec::new(), Elements { taken: 0, others: 1, unclear: 0 }));
    assert!(read("[1, 2", None).is_err() && read("[1] x", None).is_err());
}
