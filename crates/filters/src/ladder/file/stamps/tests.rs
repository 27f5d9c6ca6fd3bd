//! Who is counted, who is not, and what two at once come to.

use super::super::words::MemoryWords;
use super::*;

fn keys() -> StampKeys {
    let key = MasterKey::new(std::array::from_fn(|i| u8::try_from(i).unwrap()));
    StampKeys::new(&key, &std::array::from_fn(|i| u8::try_from(i + 32).unwrap()))
}

fn choice<'a>(account: &'a [u8], field: Option<&'a [u8]>, day: u64) -> AccountChoice<'a> {
    AccountChoice { account, shadow_field: field, day, by: Setter::Owner }
}

fn by_root<'a>(account: &'a [u8], field: Option<&'a [u8]>, day: u64) -> AccountChoice<'a> {
    AccountChoice { by: Setter::Root, ..choice(account, field, day) }
}

/// The vectors of FORMAT-LADDER.md: by both setters, and by the owner alone.
#[test]
fn stamps_of_the_format_text() {
    let (alice, bob) = (choice(b"alice", Some(b"$6$salt$hash"), 20_000), choice(b"bob", None, 20_000));
    let roots = by_root(b"alice", Some(b"$6$salt$first"), 20_000);
    let of_both = ([roots, alice, bob].to_vec(), [0x35cc, 0xa890_41aa_ffe5_55fc]);
    let of_owner = ([alice, bob].to_vec(), [0x35cc, 0xa890_41aa_0000_55fc]);
    for (choices, [bobs_mark, alices_mark]) in [of_both, of_owner] {
        let (words, keys) = (MemoryWords::zeros(2 * 8192), keys());
        let stamps = Stamps::new(&words, 8192, &keys);
        for choice in choices {
            assert_eq!(stamps.claim(&choice).unwrap(), Claim::Granted);
        }
        let filled: Vec<(u64, u64)> = (0..2 * 8192)
            .map(|word| (word, words.load(word).unwrap()))
            .filter(|(_, value)| *value != 0)
            .collect();
        let (bob, alice) = (2 * 3 * 256, 2 * 27 * 256);
        let expected = vec![
            (bob, 0x065f_b7ee_78f5_63e6),
            (bob + 1, bobs_mark),
            (alice, 0x2273_f15b_2af0_cc0b),
            (alice + 1, alices_mark),
        ];
        assert_eq!(filled, expected);
        assert_eq!(stamps.taken().unwrap(), 2);
    }
}

/// A part that is 0 says that the setter has none: of these accounts, the hash of a few has one.
#[test]
fn no_part_of_a_mark_is_that_of_a_fresh_slot() {
    let (words, keys) = (MemoryWords::zeros(512), keys());
    let stamps = Stamps::new(&words, 256, &keys);
    let marks = (0_u32..400_000).map(|account| stamps.mark(&choice(&account.to_le_bytes(), None, 5)));
    let hash =
        |account: u32| keys.day.hash(&[&5_u64.to_le_bytes()[..], &account.to_le_bytes()].concat()).0 >> 32;
    for part in [ROOTS_DAY, OWNERS_DAY] {
        assert!((0..400_000).any(|account| hash(account) & part == 0));
        assert!(marks.clone().all(|mark| mark & part != 0));
    }
}

#[test]
fn root_and_the_owner_count_once_a_day_each_in_any_order() {
    use Claim::{Granted, Today};
    for order in [[Setter::Root, Setter::Owner], [Setter::Owner, Setter::Root]] {
        let (words, keys) = (MemoryWords::zeros(512), keys());
        let stamps = Stamps::new(&words, 256, &keys);
        for (day, fields) in [(5, [b"$y$1", b"$y$2"]), (9, [b"$y$3", b"$y$4"]), (7, [b"$y$5", b"$y$6"])] {
            for (field, by) in fields.into_iter().zip(order) {
                let first = AccountChoice { by, ..choice(b"alice", Some(field), day) };
                assert_eq!([stamps.look(&first).unwrap(), stamps.claim(&first).unwrap()], [Granted; 2]);
            }
            // Ten more of either, one after the other.
            for turn in 0..10 {
                let field = format!("$y$again{turn}");
                for by in order {
                    let again = AccountChoice { by, ..choice(b"alice", Some(field.as_bytes()), day) };
                    assert_eq!([stamps.look(&again).unwrap(), stamps.claim(&again).unwrap()], [Today; 2]);
                }
            }
        }
        assert_eq!(stamps.taken().unwrap(), 1);
    }
}

#[test]
fn a_password_that_root_set_is_counted_by_no_login() {
    let (words, keys) = (MemoryWords::zeros(512), keys());
    let stamps = Stamps::new(&words, 256, &keys);
    assert_eq!(stamps.claim(&by_root(b"alice", Some(b"$y$1"), 5)).unwrap(), Claim::Granted);
    for day in [5, 6] {
        assert_eq!(stamps.claim(&choice(b"alice", Some(b"$y$1"), day)).unwrap(), Claim::Counted);
    }
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
    mark: u64,
}

impl WordStore for Rival {
    fn load(&self, word: u64) -> io::Result<u64> {
        self.words.load(word)
    }

    fn replace(&self, word: u64, old: u64, new: u64) -> io::Result<bool> {
        if old == 0 && self.words.load(word)? == 0 {
            self.words.replace(word, 0, if word.is_multiple_of(2) { self.name } else { self.mark })?;
        }
        self.words.replace(word, old, new)
    }
}

#[test]
fn a_slot_that_is_taken_meanwhile_is_another_accounts_or_this_ones() {
    let keys = keys();
    let own = keys.account.hash(b"alice").1;
    let mark = |choice: &AccountChoice<'_>| {
        let (words, slots) = (MemoryWords::zeros(512), 256);
        let rival = Stamps::new(&words, slots, &keys);
        assert_eq!(rival.claim(choice).unwrap(), Claim::Granted);
        (0..slots).map(|slot| words.load(2 * u64::from(slot) + 1).unwrap()).find(|mark| *mark != 0).unwrap()
    };
    let own_choice = choice(b"alice", None, 7);
    let rival = |name, choice| Rival { words: MemoryWords::zeros(512), name, mark: mark(choice) };
    // Each free slot goes to somebody else, to the last.
    let claimed = |rival: Rival| {
        let stamps = Stamps::new(rival, 256, &keys);
        (stamps.claim(&own_choice).unwrap(), stamps.taken().unwrap())
    };
    assert_eq!(claimed(rival(!own, &own_choice)), (Claim::NoRoom, 256));
    // Another process of the same account is first, with the slot and with the day.
    assert_eq!(claimed(rival(own, &own_choice)), (Claim::Today, 1));
    // Or with the day of root, whose password this is not.
    assert_eq!(claimed(rival(own, &by_root(b"alice", Some(b"$y$"), 7))), (Claim::Granted, 1));
}

#[test]
fn slots_for_accounts() {
    assert_eq!((stamps_for(0), stamps_for(4096), stamps_for(4097)), (8192, 8192, 16_384));
    assert_eq!((stamps_for(1 << 23), stamps_for(u64::MAX)), (1 << 24, 1 << 24));
}
