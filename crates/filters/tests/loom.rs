//! Every interleaving (loom) of two steps of a ladder: what one process sets and clears in a byte is never
//! undone by another that changes other bits of it; of two claims of a stamp: an account is counted once; and
//! of two failed logins that are seen. Run by `make torture`:
//! `RUSTFLAGS="--cfg loom" cargo test -p nearmiss-filters --test loom`.
#![cfg(loom)]
#![allow(clippy::unwrap_used, clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "tests")]

use std::{
    io,
    sync::{Arc, Mutex},
};

use nearmiss_filters::ladder::{
    AccountChoice, BitStore, Claim, FailureKey, LadderFilter, MasterKey, MemoryBits, MemoryWords, Params,
    RandomSource, SeenFailures, Setter, StampKeys, Stamps, WordStore,
};

/// A source that always gives these words.
struct Script([u64; 4]);

impl RandomSource for Script {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        bytes
            .iter_mut()
            .zip(self.0.iter().flat_map(|word| word.to_le_bytes()))
            .for_each(|(to, from)| *to = from);
        Ok(())
    }
}

const BYTES: usize = 64;

fn ladder(array: Vec<u8>) -> LadderFilter<MemoryBits> {
    let params = Params::new(512, 2, 2, 1).unwrap();
    LadderFilter::new(params, &MasterKey::new([7; 32]), &[1; 16], MemoryBits::from_bytes(array))
}

fn array(ladder: &LadderFilter<MemoryBits>) -> Vec<u8> {
    (0..BYTES as u64).map(|byte| ladder.bits().load(byte).unwrap()).collect()
}

/// The bit that a step with the choice 0 sets in an empty array; what it clears are zeros, or that bit
/// itself.
fn first_rung(element: &str) -> usize {
    let ladder = ladder(vec![0; BYTES]);
    ladder.step(&ladder.rungs_of(element.as_bytes()), &mut Script([0, 0, 511, 511])).unwrap();
    let array = array(&ladder);
    (0..512).find(|bit| array[bit / 8] >> (bit % 8) & 1 == 1).unwrap_or(511)
}

/// Two elements whose first rungs are different bits of one byte, that byte, and two further bits of it.
#[derive(Clone)]
struct Neighbours {
    elements: [String; 2],
    byte: usize,
    clears: [u64; 2],
}

fn neighbours() -> Neighbours {
    let elements: Vec<(String, usize)> =
        (0..40).map(|i| format!("element {i}")).map(|e| (e.clone(), first_rung(&e))).collect();
    let pairs = elements.iter().flat_map(|one| elements.iter().map(move |two| (one, two)));
    let (one, two) = pairs.into_iter().find(|(one, two)| one.1 / 8 == two.1 / 8 && one.1 != two.1).unwrap();
    let byte = one.1 / 8;
    let mut free =
        (byte * 8..byte * 8 + 8).filter(|bit| *bit != one.1 && *bit != two.1).map(|bit| bit as u64);
    let clears = [free.next().unwrap(), free.next().unwrap()];
    Neighbours { elements: [one.0.clone(), two.0.clone()], byte, clears }
}

/// Runs `work` under every interleaving of its threads; the last result, and how many there were.
fn explore<T: Send + 'static>(work: impl Fn() -> T + Send + Sync + 'static) -> (T, usize) {
    let seen = Arc::new(Mutex::new((None, 0)));
    let keep = seen.clone();
    let mut model = loom::model::Builder::new();
    model.max_branches = 100_000;
    model.check(move || {
        let result = work();
        let mut seen = keep.lock().unwrap();
        *seen = (Some(result), seen.1 + 1);
    });
    let (last, count) = &mut *seen.lock().unwrap();
    (last.take().unwrap(), *count)
}

#[test]
fn two_steps_in_one_byte_both_happen() {
    let (found, _) = explore(neighbours);
    let ((), count) = explore(move || {
        let Neighbours { elements: [one, two], byte, clears } = found.clone();
        let mut start = vec![0; BYTES];
        start[byte] = clears.iter().fold(0, |bits, bit| bits | 1 << (bit % 8));
        let ladder = Arc::new(ladder(start));
        let other = ladder.clone();
        let thread = loom::thread::spawn(move || {
            other.step(&other.rungs_of(one.as_bytes()), &mut Script([0, 0, clears[0], clears[0]])).unwrap();
        });
        ladder.step(&ladder.rungs_of(two.as_bytes()), &mut Script([0, 0, clears[1], clears[1]])).unwrap();
        thread.join().unwrap();
        let after = array(&ladder);
        assert_eq!(after[byte].count_ones(), 2, "both rungs set, both others cleared: {:08b}", after[byte]);
        assert_eq!(after.iter().map(|byte| byte.count_ones()).sum::<u32>(), 2, "and nothing else");
    });
    assert!(count >= 100, "{count} interleavings");
    println!("torture: interleavings of two steps in one byte (loom): {count} tried, {count} held");
}

/// Slots: one page of them.
const SLOTS: u32 = 256;

fn claim(words: &MemoryWords, choice: &AccountChoice<'_>) -> Claim {
    let keys = StampKeys::new(&MasterKey::new([7; 32]), &[1; 16]);
    Stamps::new(words, SLOTS, &keys).claim(choice).unwrap()
}

/// What the claims of two processes at once return, in every interleaving, on stamps that hold `before`
/// already.
fn claims_of_two(
    before: &'static [AccountChoice<'static>],
    choices: [AccountChoice<'static>; 2],
    is_right: fn([Claim; 2], u32) -> bool,
) -> usize {
    let ((), count) = explore(move || {
        let words = Arc::new(MemoryWords::zeros(2 * SLOTS as usize));
        for choice in before {
            assert_eq!(claim(&words, choice), Claim::Granted);
        }
        let other = words.clone();
        let thread = loom::thread::spawn(move || claim(&other, &choices[0]));
        let second = claim(&words, &choices[1]);
        let claims = [thread.join().unwrap(), second];
        let keys = StampKeys::new(&MasterKey::new([7; 32]), &[1; 16]);
        let taken = Stamps::new(&*words, SLOTS, &keys).taken().unwrap();
        assert!(is_right(claims, taken), "{claims:?}, {taken} slots");
    });
    count
}

const fn choice(account: &'static str, field: Option<&'static [u8]>, day: u64) -> AccountChoice<'static> {
    AccountChoice { account: account.as_bytes(), shadow_field: field, day, by: Setter::Owner }
}

const OLD: Option<&[u8]> = Some(b"$y$old");
const NEW: Option<&[u8]> = Some(b"$y$new");

fn is_one_granted(claims: [Claim; 2], taken: u32) -> bool {
    claims.iter().filter(|claim| **claim == Claim::Granted).count() == 1 && taken == 1
}

#[test]
fn two_claims_of_one_account_count_once() {
    const YESTERDAY: &[AccountChoice<'static>] = &[choice("ann", OLD, 6)];
    let mut count = 0;
    for before in [&[], YESTERDAY] {
        // Two logins; a change and a login with it; two changes; two without a shadow field.
        for [one, two] in [[NEW, NEW], [NEW, None], [NEW, Some(b"$y$newer")], [None, None]] {
            count += claims_of_two(before, [choice("ann", one, 7), choice("ann", two, 7)], is_one_granted);
        }
    }
    assert!(count >= 50, "{count} interleavings");
    println!("torture: interleavings of two claims of one account (loom): {count} tried, {count} held");
}

/// Root and the owner at once: neither's count is lost to the other's, and a further one of either is none.
#[test]
fn claims_of_root_and_the_owner_count_both() {
    const FIRST: AccountChoice<'static> = AccountChoice { by: Setter::Root, ..choice("ann", OLD, 7) };
    const OTHER_DAY: &[AccountChoice<'static>] = &[choice("ann", OLD, 6)];
    let both = |claims, taken| claims == [Claim::Granted; 2] && taken == 1;
    let count = claims_of_two(&[], [FIRST, choice("ann", NEW, 7)], both)
        + claims_of_two(
            OTHER_DAY,
            [AccountChoice { shadow_field: None, ..FIRST }, choice("ann", NEW, 7)],
            both,
        )
        + claims_of_two(&[FIRST], [choice("ann", NEW, 7), choice("ann", None, 7)], is_one_granted)
        + claims_of_two(
            &[FIRST],
            [choice("ann", NEW, 7), AccountChoice { shadow_field: None, ..FIRST }],
            is_one_granted,
        );
    assert!(count >= 20, "{count} interleavings");
    println!("torture: interleavings of claims of root and an owner (loom): {count} tried, {count} held");
}

#[test]
fn two_accounts_that_claim_at_once_get_a_slot_each() {
    let both = |claims, taken| claims == [Claim::Granted; 2] && taken == 2;
    let count = claims_of_two(&[], [choice("ann", NEW, 7), choice("bob", NEW, 7)], both);
    assert!(count >= 5, "{count} interleavings");
    println!("torture: interleavings of claims of two accounts (loom): {count} tried, {count} held");
}

/// The words of the set of seen failures that one failure or another touches: the header, and one bucket for
/// all.
struct Few(MemoryWords);

impl Few {
    fn at(word: u64) -> u64 {
        word.min(8)
    }
}

impl WordStore for Few {
    fn load(&self, word: u64) -> io::Result<u64> {
        self.0.load(Few::at(word))
    }

    fn replace(&self, word: u64, old: u64, new: u64) -> io::Result<bool> {
        self.0.replace(Few::at(word), old, new)
    }
}

fn few() -> SeenFailures<Few> {
    let words = MemoryWords::zeros(9);
    for (at, word) in [(0, u64::from_le_bytes(*b"NMRECENT")), (2, 7), (3, 11)] {
        assert!(words.replace(at, 0, word).unwrap());
    }
    SeenFailures::new(Few(words)).unwrap().unwrap()
}

fn is_new(set: &SeenFailures<Few>, account: &str) -> bool {
    set.is_new(&FailureKey { account: account.as_bytes(), password: b"guess", network: b"" }).unwrap()
}

/// The same failure twice at once counts once; two different ones in one bucket both count, and both are
/// remembered.
#[test]
fn failures_at_once_count_once_each() {
    let mut count = 0;
    for accounts in [["ann", "ann"], ["ann", "bob"]] {
        let ((), tried) = explore(move || {
            let set = Arc::new(few());
            let other = set.clone();
            let thread = loom::thread::spawn(move || is_new(&other, accounts[0]));
            let second = is_new(&set, accounts[1]);
            let counted = [thread.join().unwrap(), second];
            let expected = if accounts[0] == accounts[1] { 1 } else { 2 };
            assert_eq!(counted.iter().filter(|is_new| **is_new).count(), expected, "{accounts:?}");
            assert!(accounts.iter().all(|account| !is_new(&set, account)), "one is forgotten");
        });
        count += tried;
    }
    assert!(count >= 10, "{count} interleavings");
    println!("torture: interleavings of two failed logins in one bucket (loom): {count} tried, {count} held");
}

/// Two that forget at once, and a failure between them: at most one miscount, and the set works afterwards.
#[test]
fn forgetting_at_once_leaves_a_set_that_works() {
    let ((), count) = explore(move || {
        let set = Arc::new(few());
        let other = set.clone();
        let forget = |set: &SeenFailures<Few>, word| set.forget_if_old(9, 0, &mut Script([word; 4])).unwrap();
        let thread = loom::thread::spawn(move || forget(&other, 5));
        forget(&set, 6);
        thread.join().unwrap();
        assert_eq!(set.born().unwrap(), 9);
        assert!(is_new(&set, "ann") && !is_new(&set, "ann"));
    });
    println!("torture: interleavings of two that forget (loom): {count} tried, {count} held");
}
