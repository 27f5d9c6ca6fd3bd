use proptest::prelude::*;

use super::*;

fn word(text: &str) -> Word {
    Word::clean(text.as_bytes()).unwrap()
}

fn ranks(texts: &[&str]) -> Ranks {
    let words: Vec<Word> = texts.iter().map(|text| word(text)).collect();
    Ranks::new(Key::new([7; 16]), &words)
}

#[test]
fn a_word_has_the_first_rank_that_it_was_given() {
    let ranks = ranks(&["the", "of", "The", "élan"]);
    let rank = |text| ranks.rank(&word(text));
    assert_eq!([rank("the"), rank("of"), rank("Élan"), rank("and")], [Some(1), Some(2), Some(4), None]);
    assert_eq!((ranks.len(), ranks.is_empty()), (3, false));
    assert_eq!(Ranks::empty(Key::new([7; 16])).rank(&word("the")), None);
}

/// The layout of FORMAT-RANKS.md, byte by byte.
#[test]
fn the_file_is_laid_out_as_documented() {
    let key = Key::new(std::array::from_fn(|at| u8::try_from(at).unwrap()));
    let bytes = Ranks::new(key.clone(), &[word("guess"), word("elephant")]).encode();
    let expected = [0x89, 0x4e, 0x4d, 0x52, 0x0d, 0x0a, 0x1a, 0x0a, 0x01, 0x00, 0x00, 0x00];
    assert_eq!(bytes[..12], expected);
    assert_eq!(bytes[16..24], key.hash(b"nearmiss ranks").to_le_bytes());
    assert_eq!((bytes[24], bytes.len()), (2, 48));
    let mut entries: Vec<u64> = [("guess", 0), ("elephant", 1)]
        .map(|(text, rank)| key.hash(text.as_bytes()) >> 24 << 24 | rank)
        .into();
    entries.sort_unstable();
    assert_eq!(bytes[32..40], entries[0].to_le_bytes());
    assert_eq!(bytes[40..48], entries[1].to_le_bytes());
    assert_eq!(Ranks::decode(&bytes, &key).unwrap().rank(&word("elephant")), Some(2));
    let other = Key::new([9; 16]);
    assert_eq!(Ranks::decode(&bytes, &other).err(), Some(RanksProblem::OtherFilter));
}

#[test]
fn wrong_files_say_what_is_wrong_with_them() {
    let good = ranks(&["one", "two", "three"]).encode();
    let problem = |bytes: &[u8]| Ranks::decode(bytes, &Key::new([7; 16])).err();
    let changed = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        bytes
    };
    let sealed = |bytes: Vec<u8>| {
        let mut writer = Writer::with_capacity(bytes.len());
        writer.put(&bytes);
        writer.finish_sealed(CHECKSUM_AT)
    };
    assert_eq!(problem(&good), None);
    assert_eq!(problem(b""), Some(RanksProblem::NotRanks));
    assert_eq!(problem(&changed(3, b'F')), Some(RanksProblem::NotRanks));
    assert_eq!(problem(&changed(8, 2)), Some(RanksProblem::Version { got: 2 }));
    assert_eq!(problem(&good[..good.len() - 1]), Some(RanksProblem::Damaged));
    for (at, byte) in [(10, 1), (24, 4), (31, 0x80)] {
        assert_eq!(problem(&sealed(changed(at, byte))), Some(RanksProblem::Damaged), "{at}");
    }
    let mut swapped = good.clone();
    let (first, second) = swapped[32..48].split_at_mut(8);
    first.swap_with_slice(second);
    assert_eq!(problem(&sealed(swapped)), Some(RanksProblem::Damaged));
}

proptest! {
    #[test]
    fn whatever_is_written_is_read_back(texts in prop::collection::vec("[a-zé]{1,6}", 0..60)) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let ranks = ranks(&texts);
        let again = Ranks::decode(&ranks.encode(), &Key::new([7; 16])).unwrap();
        for text in &texts {
            let first = texts.iter().position(|other| word(other) == word(text)).unwrap();
            prop_assert_eq!(again.rank(&word(text)), u32::try_from(first + 1).ok());
        }
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..99), is_headed: bool) {
        let head: &[u8] = if is_headed { b"\x89NMR\r\n\x1a\n\x01\0\0\0" } else { b"" };
        prop_assert!(Ranks::decode(&[head, &bytes].concat(), &Key::new([7; 16])).is_err());
    }

    #[test]
    fn no_byte_can_be_changed_unseen(at in 0..56_usize, bit in 0..8_u32) {
        let mut bytes = ranks(&["one", "two", "three"]).encode();
        bytes[at] ^= 1 << bit;
        prop_assert!(Ranks::decode(&bytes, &Key::new([7; 16])).is_err());
    }
}
