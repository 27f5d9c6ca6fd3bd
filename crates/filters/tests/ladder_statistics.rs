//! What a ladder must do with real bits and many elements, held against the mathematics. Seeds are fixed and
//! bounds are several standard deviations wide.

use std::os::unix::fs::FileExt;

use nearmiss_filters::ladder::LadderFiles;
use nearmiss_filters::ladder::{
    BitStore, FileBits, HEADER_BYTES, LadderFilter, MasterKey, MemoryBits, NewLadder, PAGE_BYTES, Params,
    Preset, RandomSource, SeededRandom, create, equilibrium, heights, ones, open_array, page_skew, refusals,
};

/// A ladder file made as `init` makes it, its bits then replaced by seeded ones and its key by a fixed one,
/// so that every run is the same.
fn file_ladder(folder: &std::path::Path, params: Params, seed: u64) -> LadderFilter<FileBits> {
    let files = LadderFiles { file: folder.join("state/l.ladder"), key: folder.join("etc/l.key") };
    create(&files, &NewLadder { params, cost: None, stamps: 0 }, false).unwrap();
    let mut bytes = vec![0; params.bits() as usize / 8];
    SeededRandom::new(seed).fill(&mut bytes).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&files.file).unwrap();
    file.write_all_at(&bytes, HEADER_BYTES as u64).unwrap();
    let (header, bits) = open_array(&files.file).unwrap().unwrap();
    assert_eq!(header.params, params);
    LadderFilter::new(params, &MasterKey::new([1; 32]), &[2; 16], bits)
}

#[test]
fn a_million_fresh_passwords_are_refused_as_the_table_says() {
    const PASSWORDS: u32 = 1_000_000;
    let dir = tempfile::tempdir().unwrap();
    let ladder = file_ladder(dir.path(), Params::new(1 << 26, 16, 16, 3).unwrap(), 1);
    let mut random = SeededRandom::new(2);
    let mut refused = [0_u32; 7];
    for password in 0..PASSWORDS {
        let element = ladder.rungs_of(&password.to_le_bytes());
        for count in &mut refused {
            *count += u32::from(ladder.record(&element, &mut random).unwrap() >= 16);
        }
    }
    for (users, count) in refused.into_iter().enumerate() {
        let expected = refusals::refused(16, 16, 3, users as u32);
        let measured = f64::from(count) / f64::from(PASSWORDS);
        // One in a million may differ where nothing can by chance: a clear may hit a rung between two users.
        let deviation = ((expected * (1.0 - expected)).max(1e-6) / f64::from(PASSWORDS)).sqrt();
        assert!((measured - expected).abs() <= 4.0 * deviation, "{users} users: {measured} for {expected}");
    }
    assert!(refused[0].abs_diff(15) <= 16, "{} false positives in a million", refused[0]);
}

/// A thousand passwords tried at one account after the other, all of them at once, and a million that nobody
/// tried.
#[test]
fn guesses_are_detected_after_about_twenty_accounts_and_fresh_passwords_never() {
    const PASSWORDS: u32 = 1000;
    let params = Preset::Guesses.params(None).unwrap();
    let mut random = SeededRandom::new(12);
    let bits = MemoryBits::random(params.bits(), &mut random).unwrap();
    let ladder = LadderFilter::new(params, &MasterKey::new([5; 32]), &[6; 16], bits);
    let guesses: Vec<_> = (0..PASSWORDS).map(|password| ladder.rungs_of(&password.to_le_bytes())).collect();
    let mut detected_at = vec![0; guesses.len()];
    for attempt in 1..=40 {
        for (guess, at) in guesses.iter().zip(&mut detected_at) {
            if ladder.observe(guess, &mut random).unwrap() && *at == 0 {
                *at = attempt;
            }
        }
    }
    detected_at.sort_unstable();
    let at = |percent: usize| detected_at[(detected_at.len() - 1) * percent / 100];
    assert!(detected_at[0] > 0, "one was not detected in 40 attempts");
    assert!((20..=23).contains(&at(50)) && at(99) <= 33, "{} {}", at(50), at(99));
    let is_flagged = |number: u32| {
        ladder.is_frequent(&ladder.rungs_of(&[b"fresh", &number.to_le_bytes()[..]].concat())).unwrap()
    };
    let flagged = (0..1_000_000).filter(|number| is_flagged(*number)).count();
    assert!(flagged <= 3, "{flagged}");
}

#[test]
fn the_height_after_one_recording_is_binomial_and_the_steps() {
    const SAMPLES: u32 = 100_000;
    let dir = tempfile::tempdir().unwrap();
    let ladder = file_ladder(dir.path(), Params::new(1 << 24, 16, 16, 2).unwrap(), 3);
    let mut random = SeededRandom::new(4);
    let mut counts = [0_u32; 17];
    for password in 0..SAMPLES {
        let element = ladder.rungs_of(&password.to_le_bytes());
        ladder.record(&element, &mut random).unwrap();
        counts[ladder.height(&element).unwrap() as usize] += 1;
    }
    let unseen = heights::binomial(16);
    let mut expected = vec![0.0; 17];
    for (height, p) in unseen.iter().enumerate() {
        expected[(height + 2).min(16)] += p * f64::from(SAMPLES);
    }
    assert!(counts[0] + counts[1] <= 1, "a step was lost");
    chi_square(&counts, &expected);
}

/// Fails when so large a deviation has a probability below 0.001. Cells with fewer than 5 expected are put
/// together; the critical value is that of Wilson and Hilferty.
fn chi_square(counts: &[u32], expected: &[f64]) {
    let (mut cells, mut rest) = (Vec::new(), (0.0, 0.0));
    for (count, expected) in counts.iter().zip(expected) {
        if *expected < 5.0 {
            rest = (rest.0 + f64::from(*count), rest.1 + expected);
        } else {
            cells.push((f64::from(*count), *expected));
        }
    }
    if rest.1 > 0.0 {
        cells.push(rest);
    }
    let statistic: f64 = cells.iter().map(|(count, expected)| (count - expected).powi(2) / expected).sum();
    let freedom = cells.len() as f64 - 1.0;
    let spread = 2.0 / (9.0 * freedom);
    let critical = freedom * (1.0 - spread + 3.0902 * spread.sqrt()).powi(3);
    assert!(statistic < critical, "chi-square {statistic:.1}, critical {critical:.1}: {counts:?}");
}

/// A ladder in memory whose bits are ones with this probability in sixteenths.
fn biased(bits: u64, sixteenths: u64, seed: u64) -> LadderFilter<MemoryBits> {
    let mut random = SeededRandom::new(seed);
    let byte = |random: &mut SeededRandom| {
        let word = random.next_word();
        (0..8).fold(0, |byte, i| byte | u8::from((word >> (4 * i)) & 15 < sixteenths) << i)
    };
    let bytes = (0..bits / 8).map(|_| byte(&mut random)).collect();
    let params = Params::new(bits, 48, 44, 1).unwrap();
    LadderFilter::new(params, &MasterKey::new([3; 32]), &[4; 16], MemoryBits::from_bytes(bytes))
}

fn fresh_steps(ladder: &LadderFilter<MemoryBits>, count: u64, random: &mut SeededRandom) {
    for _ in 0..count {
        let element = ladder.rungs_of(&random.next_word().to_le_bytes());
        ladder.step(&element, random).unwrap();
    }
}

#[test]
fn a_wrong_density_heals_at_the_stated_pace() {
    let bits = 1_u64 << 20;
    let ladder = biased(bits, 12, 5);
    let mut random = SeededRandom::new(6);
    for (halves, expected) in [(1.0, 0.592), (2.0, 0.5338), (3.0, 0.5124)] {
        fresh_steps(&ladder, bits / 2, &mut random);
        let density = ones(ladder.bits(), 0, bits / 8).unwrap() as f64 / bits as f64;
        assert!((density - expected).abs() < 0.004, "{density} for {expected}");
        let formula = equilibrium::density_after(bits, 0.75, halves * bits as f64 / 2.0);
        assert!((density - formula).abs() < 0.004, "{density} for {formula}");
    }
}

#[test]
fn pages_of_an_aged_ladder_differ_no_more_than_poisson() {
    let bits = 1_u64 << 21;
    let ladder = biased(bits, 8, 7);
    fresh_steps(&ladder, 2 * bits, &mut SeededRandom::new(8));
    let pages = ladder.bits().byte_count() / PAGE_BYTES;
    let page_bits = PAGE_BYTES as f64 * 8.0;
    let densities: Vec<f64> = (0..pages)
        .map(|page| ones(ladder.bits(), page * PAGE_BYTES, PAGE_BYTES).unwrap() as f64 / page_bits)
        .collect();
    let square: f64 = densities.iter().map(|d| (d - 0.5).powi(2)).sum::<f64>() / pages as f64;
    let expected = page_skew::density_deviation(PAGE_BYTES * 8);
    // 64 pages: the deviation itself is known to 9 %.
    assert!((square.sqrt() / expected - 1.0).abs() < 0.4, "{} for {expected}", square.sqrt());
}
