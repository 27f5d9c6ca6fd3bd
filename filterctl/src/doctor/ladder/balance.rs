//! The bits: as many ones as zeros, evenly distributed over the pages, and room for accounts.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "pages of an array that is in memory, and slots of 32 bits"
)]

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::{
    ladder::{BitStore, ChosenLadder, FileBits, PAGE_BYTES, ones, page_skew},
    text::system_reason,
};

/// Standard deviations beyond which chance is no explanation.
const DEVIATIONS: f64 = 7.0;

/// Examines the density of ones, in total and page by page.
pub(super) fn examine(bits: &FileBits, anew: &str) -> Vec<Finding> {
    match page_densities(bits) {
        Ok(densities) => vec![density(&densities, anew), skew(&densities, anew)],
        Err(error) => vec![Finding::wrong(&error, "density", system_reason(&error)).fix(anew)],
    }
}

fn page_densities(bits: &FileBits) -> std::io::Result<Vec<f64>> {
    let page_bits = PAGE_BYTES as f64 * 8.0;
    let page = |page| ones(bits, page * PAGE_BYTES, PAGE_BYTES).map(|ones| ones as f64 / page_bits);
    (0..bits.byte_count() / PAGE_BYTES).map(page).collect()
}

/// Of N bits half are ones, within 5/√(2N): seven deviations of a new array, ten of an aged one.
fn density(pages: &[f64], anew: &str) -> Finding {
    let density = pages.iter().sum::<f64>() / pages.len() as f64;
    let bits = pages.len() as f64 * PAGE_BYTES as f64 * 8.0;
    let bound = 5.0 / (2.0 * bits).sqrt();
    let message = format!("{density:.6} of all bits are ones; expected within {bound:.6} of one half");
    if (density - 0.5).abs() <= bound {
        Finding::fine("density", message)
    } else {
        Finding::wrong(
            keys::LADDER_SKEWED,
            "density",
            format!(
                "{message}: something else writes to it, or many steps were interrupted; use restores the \
             balance"
            ),
        )
        .fix(anew)
    }
}

/// A page may differ as Poisson does; in a small ladder, popular passwords add some.
fn skew(pages: &[f64], anew: &str) -> Finding {
    let deviation = page_skew::density_deviation(PAGE_BYTES * 8);
    let worst = pages.iter().map(|density| (density - 0.5).abs()).fold(0.0, f64::max);
    let message = format!("the most unbalanced page is {:.1} standard deviations off", worst / deviation);
    if worst <= DEVIATIONS * deviation {
        Finding::fine("pages", message)
    } else {
        let message =
            format!("{message}: the array is too small for its passwords, or something else writes to it");
        Finding::wrong(keys::LADDER_SKEWED, "pages", message).fix(anew)
    }
}

/// Room for stamps: an account without one is not counted. Accounts are distributed over pages of stamps;
/// beyond three quarters some page may be full.
pub(super) fn stamps(ladder: &ChosenLadder, anew: &str) -> Finding {
    let room = ladder.header().stamps;
    match ladder.stamped_accounts() {
        Err(error) => Finding::wrong(&error, "stamps", error.to_string()).fix(anew),
        Ok(_) if room == 0 => Finding::warning(
            keys::LADDER_NO_ROOM,
            "stamps",
            "no slots for accounts: the module counts no password",
        )
        .fix(anew),
        Ok(taken) => {
            let message = format!("{taken} of {room} slots for accounts are taken");
            let is_full = u64::from(taken) * 4 > u64::from(room) * 3;
            if !is_full {
                return Finding::fine("stamps", message);
            }
            let larger = format!("{anew} --users {}", u64::from(room) * 2);
            let message = format!("{message}; passwords of accounts without one are not recorded");
            Finding::warning(keys::LADDER_NO_ROOM, "stamps", message).fix(larger)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nearmiss_filters::ladder::{LadderFiles, NewLadder, Params, create};

    use super::*;
    use nearmiss_cli::finding::State;

    /// Of each byte of the four pages of bits.
    const PAGES: [u8; 4] = [0xff, 0x0f, 0x01, 0x00];

    /// A ladder of these pages of bits, with this number of stamps.
    fn ladder(room: u32, taken: usize) -> (tempfile::TempDir, ChosenLadder) {
        let folder = tempfile::tempdir().unwrap();
        let files = LadderFiles { file: folder.path().join("s/l"), key: folder.path().join("k/l") };
        let params = Params::new(1 << 17, 16, 16, 2).unwrap();
        let header = create(&files, &NewLadder { params, cost: None, stamps: room }, false).unwrap();
        let mut bytes = header.encode().to_vec();
        for byte in PAGES {
            bytes.extend([byte; 4096]);
        }
        // A stamp is two words: a name, which is not zero, and a mark.
        bytes.extend([[7_u64.to_le_bytes(), [0; 8]]].repeat(taken).concat().concat());
        bytes.resize(usize::try_from(header.file_length()).unwrap(), 0);
        fs::write(&files.file, bytes).unwrap();
        let ladder = ChosenLadder::open(&files).unwrap().unwrap();
        (folder, ladder)
    }

    #[test]
    fn the_ones_of_each_page_are_counted() {
        let (_folder, ladder) = ladder(0, 0);
        let bits = ladder.ladder().bits();
        assert_eq!(page_densities(bits).unwrap(), [1.0, 0.5, 0.125, 0.0]);
        let found = examine(bits, "anew");
        let seen: Vec<_> = found.iter().map(|one| (&*one.check, one.state, one.fix.as_deref())).collect();
        assert_eq!(seen, ["density", "pages"].map(|check| (check, State::Wrong, Some("anew"))));
    }

    /// Of four accounts with a stamp the fourth may find its page full.
    #[test]
    fn a_ladder_that_leaves_accounts_uncounted_is_a_warning() {
        let full = "passwords of accounts without one are not recorded";
        for (room, taken, says, fix) in [
            (256, 0, "0 of 256 slots", None),
            (256, 192, "192 of 256 slots", None),
            (256, 193, full, Some("anew --users 512")),
            (256, 256, full, Some("anew --users 512")),
            (0, 0, "no slots for accounts: the module counts no password", Some("anew")),
        ] {
            let (_folder, ladder) = ladder(room, taken);
            let found = stamps(&ladder, "anew");
            let state = if fix.is_some() { State::Warning } else { State::Fine };
            assert_eq!((found.state, found.fix.as_deref()), (state, fix), "{}", found.message);
            assert!(found.message.contains(says), "{}", found.message);
        }
    }

    /// 1,000 pages are 32,768,000 bits: the whole may be 0.000618 away from one half.
    #[test]
    fn ones_beside_one_half_are_wrong_on_either_side() {
        for (density_of_ones, state) in [
            (0.5, State::Fine),
            (0.500_61, State::Fine),
            (0.499_39, State::Fine),
            (0.500_63, State::Wrong),
            (0.499_37, State::Wrong),
            (0.0, State::Wrong),
            (1.0, State::Wrong),
        ] {
            let found = density(&[density_of_ones; 1000], "anew");
            assert_eq!(found.state, state, "{}", found.message);
            assert!(found.message.contains("within 0.000618"), "{}", found.message);
        }
    }

    /// The deviation of a page of 32,768 bits is 1 / 256 of one half: 0.003906.
    #[test]
    fn a_page_seven_deviations_off_is_wrong_whatever_the_others_are() {
        for (off, state) in [
            (0.0, State::Fine),
            (6.9, State::Fine),
            (-6.9, State::Fine),
            (7.1, State::Wrong),
            (-7.1, State::Wrong),
        ] {
            let mut pages = vec![0.5; 100];
            pages[37] += off / 256.0;
            let found = skew(&pages, "anew");
            assert_eq!(found.state, state, "{}", found.message);
            assert!(found.message.contains(&format!("{:.1} standard", f64::abs(off))), "{}", found.message);
        }
    }
}
