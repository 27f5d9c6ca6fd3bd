//! Who is counted, who is not, and what two at once come to.

use super::super::words::MemoryWords;
use super::*;

fn keys() -> StampKeys {
    let key = MasterKey::new(std::array::from_fn(|i| u8::try_from(i).unwrap()));
    StampKeys::new(&key, &std::array::from_fn(|i| u8::try_from(i + 32).unwrap()))
}

fn choice<'a>(account: &'a [u8], field: Option<&'a [u8]>, day: u64) -> AccountChoice<'a> {
    AccountChoice { account, shadow_field: field, day }
}

/// The vectors of FORMAT-LADDER.md.
#[test]
fn stamps_of_the_format_text() {
    let (words, keys) = (MemoryWords::zeros(2 * 8192), keys());
    let stamps = Stamps::new(&words, 8192, &keys);
    assert_eq!(stamps.claim(&choice(b"alice", Some(b"$6$salt$hash"), 20_000)).unwrap(), Claim::Granted);
    assert_eq!(stamps.claim(&choice(b"bob", None, 20_000)).unwrap(), Claim::Granted);
    let filled: Vec<(u64, u64)> = (0..2 * 8192)
        .map(|word| (word, words.load(word).unwrap()))
        .filter(|(_, value)| *value != 0)
        .collect();
    let (bob, alice) = (2 * 3 * 256, 2 * 27 * 256);
    let expected = vec![
        (bob, 0x065f_b7ee_78f5_63e6),
        (bob + 1, 0xe8af_35cc),
        (alice, 0x2273_f15b_2af0_cc0b),
        (alice + 1, 0xa890_41aa_ffe5_55fc),
    ];
    assert_eq!(filled, expected);
    assert_eq!(stamps.taken().unwrap(), 2);
}

#[test]
fn an_account_counts_once_a_day() {
    let (words, keys) = (MemoryWords::zeros(512), keys());
    let stamps = Stamps::new(&words, 256, &keys);
    for field in [None, Some(b"$y$".as_slice())] {
        let account: &[u8] = if field.is_some() { b"alice" } else { b"bob" };
        for day in [20_000, 20_001, 20_003, 20_002] {
            let new = format!("$y${day}");
            let field = field.map(|_| new.as_bytes());
            assert_eq!(stamps.look(&choice(account, field, day)).unwrap(), Claim::Granted);
            assert_eq!(stamps.claim(&choice(account, field, day)).unwrap(), Claim::Granted);
            for again in [None, Some(b"$y$other".as_slice())] {
                assert_eq!(stamps.look(&choice(account, again, day)).unwrap(), Claim::Today);
                assert_eq!(stamps.claim(&choice(account, again, day)).unwrap(), Claim::Today);
            }
        }
    }
    assert_eq!(stamps.taken().unwrap(), 2);
}

#[test]
fn a_password_counts_once_and_one_that_was_left_out_counts_on_a_later_day() {
    let (words, keys) = (MemoryWords::zeros(512), keys());
    let stamps = Stamps::new(&words, 256, &keys);
    let claim = |field: &[u8], day| stamps.claim(&choice(b"alice", Some(field), day)).unwrap();
    assert_eq!(claim(b"$y$1", 5), Claim::Granted);
    assert_eq!([claim(b"$y$1", 5), claim(b"$y$1", 6), claim(b"$y$1", 400)], [Claim::Counted; 3]);
    assert_eq!(claim(b"$y$2", 5), Claim::Today);
    assert_eq!([claim(b"$y$2", 6), claim(b"$y$2", 7)], [Claim::Granted, Claim::Counted]);
    // The clock goes back: a day is only compared, so this one counts, once.
    assert_eq!([claim(b"$y$3", 5), claim(b"$y$4", 5)], [Claim::Granted, Claim::Today]);
}

#[test]
fn accounts_with_the_same_field_on_the_same_day_look_different_and_count_each() {
    let (words, keys) = (MemoryWords::zeros(512), keys());
    let stamps = Stamps::new(&words, 256, &keys);
    for account in 0_u8..250 {
        assert_eq!(stamps.claim(&choice(&[account], Some(b"$y$"), 7)).unwrap(), Claim::Granted);
    }
    let halves = |shift| -> std::collections::HashSet<u64> {
        (0..250).map(|slot| words.load(2 * slot + 1).unwrap() >> shift & DAY).collect()
    };
    assert_eq!((halves(0).len(), halves(32).len()), (250, 250));
    assert_eq!(stamps.look(&choice(b"another", None, 7)).unwrap(), Claim::Granted);
    assert_eq!(stamps.taken().unwrap(), 250, "looking takes no slot");
}

#[test]
fn accounts_without_room_are_not_counted() {
    let (words, keys) = (MemoryWords::zeros(512), keys());
    let stamps = Stamps::new(&words, 256, &keys);
    for account in 0_u32..256 {
        assert_eq!(stamps.claim(&choice(&account.to_le_bytes(), None, 7)).unwrap(), Claim::Granted);
    }
    assert_eq!(stamps.taken().unwrap(), 256);
    let further = choice(b"one more", Some(b"$y$"), 7);
    assert_eq!([stamps.look(&further).unwrap(), stamps.claim(&further).unwrap()], [Claim::NoRoom; 2]);
    assert_eq!(stamps.claim(&choice(&255_u32.to_le_bytes(), None, 8)).unwrap(), Claim::Granted);
    let none = Stamps::new(&words, 0, &keys);
    assert_eq!([none.look(&further).unwrap(), none.claim(&further).unwrap()], [Claim::NoRoom; 2]);
    assert_eq!(none.taken().unwrap(), 0);
}

/// Words in which another process takes a slot, or a day, between a look and an exchange.
struct Rival {
    words: MemoryWords,
    name: u64,
}

impl WordStore for Rival {
    fn load(&self, word: u64) -> io::Result<u64> {
        self.words.load(word)
    }

    fn replace(&self, word: u64, old: u64, new: u64) -> io::Result<bool> {
        if old == 0 && self.words.load(word)? == 0 {
            self.words.replace(word, 0, if word.is_multiple_of(2) { self.name } else { 1 })?;
        }
        self.words.replace(word, old, new)
    }
}

#[test]
fn a_slot_that_is_taken_meanwhile_is_another_accounts_or_this_ones() {
    let keys = keys();
    let own = keys.account.hash(b"alice").1;
    let rival = |name| Rival { words: MemoryWords::zeros(512), name };
    // Each free slot goes to somebody else, to the last.
    let stamps = Stamps::new(rival(!own), 256, &keys);
    assert_eq!(stamps.claim(&choice(b"alice", None, 7)).unwrap(), Claim::NoRoom);
    // Another process of the same account is first, with the slot and with the day.
    let stamps = Stamps::new(rival(own), 256, &keys);
    assert_eq!(stamps.claim(&choice(b"alice", None, 7)).unwrap(), Claim::Today);
    assert_eq!(stamps.taken().unwrap(), 1);
}

#[test]
fn slots_for_accounts() {
    assert_eq!((stamps_for(0), stamps_for(4096), stamps_for(4097)), (8192, 8192, 16_384));
    assert_eq!((stamps_for(1 << 23), stamps_for(u64::MAX)), (1 << 24, 1 << 24));
}
