//! The bits: as many ones as zeros, evenly over the pages, and room for accounts.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "pages of an array that is in memory, and slots of 32 bits"
)]

use nearmiss_filters::{
    ladder::{BitStore, ChosenLadder, FileBits, PAGE_BYTES, StampForm, ones, page_skew},
    text::system_reason,
};

use crate::finding::Finding;

/// Standard deviations beyond which chance is no explanation.
const DEVIATIONS: f64 = 7.0;

/// Looks at the density of ones, of the whole and page by page.
pub(super) fn examine(bits: &FileBits, anew: &str) -> Vec<Finding> {
    match page_densities(bits) {
        Ok(densities) => vec![density(&densities, anew), skew(&densities, anew)],
        Err(error) => vec![Finding::wrong("density", system_reason(&error)).fix(anew)],
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
    let message = format!("{density:.6} of all bits are ones, {bound:.6} away from one half at most");
    if (density - 0.5).abs() <= bound {
        Finding::fine("density", message)
    } else {
        Finding::wrong(
            "density",
            format!(
                "{message}: something else writes to it, or many steps were cut short; it heals with use"
            ),
        )
        .fix(anew)
    }
}

/// A page may differ as Poisson does; in a small ladder, popular passwords add some.
fn skew(pages: &[f64], anew: &str) -> Finding {
    let deviation = page_skew::density_deviation(PAGE_BYTES * 8);
    let worst = pages.iter().map(|density| (density - 0.5).abs()).fold(0.0, f64::max);
    let message = format!("the most uneven page is {:.1} standard deviations off", worst / deviation);
    if worst <= DEVIATIONS * deviation {
        Finding::fine("pages", message)
    } else {
        let message =
            format!("{message}: an array too small for its passwords, or written to by something else");
        Finding::wrong("pages", message).fix(anew)
    }
}

/// An account without a stamp is not counted. Accounts are spread over pages of stamps; beyond three quarters
/// some page may be full.
pub(super) fn stamps(ladder: &ChosenLadder, fix: &str, anew: &str) -> Finding {
    let earlier = match ladder.header().stamp_form {
        StampForm::OneWord => Some("passwords are compared, none is counted"),
        StampForm::OneDay if ladder.header().stamps > 0 => {
            Some("what an owner sets on the day on which root set a password is not counted")
        }
        StampForm::OneDay | StampForm::TwoDays => None,
    };
    if let Some(message) = earlier {
        return Finding::warning("stamps", format!("the ladder is of an earlier format: {message}")).fix(fix);
    }
    let room = ladder.header().stamps;
    match ladder.stamped_accounts() {
        Err(error) => Finding::wrong("stamps", error.to_string()).fix(anew),
        Ok(_) if room == 0 => Finding::warning("stamps", "none: the module counts no password").fix(anew),
        Ok(taken) => {
            let message = format!("{taken} of {room} slots for accounts are taken");
            let is_full = u64::from(taken) * 4 > u64::from(room) * 3;
            if !is_full {
                return Finding::fine("stamps", message);
            }
            let larger = format!("{anew} --users {}", u64::from(room) * 2);
            let message = format!("{message}; passwords of accounts without one are not recorded");
            Finding::warning("stamps", message).fix(larger)
        }
    }
}
