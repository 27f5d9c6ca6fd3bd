//! The message of a picture, in its title: derived from its curves.

#![allow(clippy::float_arithmetic, reason = "numbers of a title")]

use crate::curves::{Line, Panel};

/// The panel with the message of its curves as its title, if there is one.
pub(super) fn titled(panel: Panel, message: impl FnOnce(&[Line]) -> Option<String>) -> Panel {
    let title = message(&panel.lines);
    Panel { title: title.unwrap_or_else(|| panel.title.clone()), ..panel }
}

/// The points from which each curve is above one half; none if one never is.
pub(super) fn halves(lines: &[Line]) -> Option<String> {
    let at: Option<Vec<String>> = lines
        .iter()
        .map(|line| line.theory.iter().find(|(_, y)| *y >= 0.5).map(|(x, _)| x.to_string()))
        .collect();
    let at = joined(&at?)?;
    Some(format!("The next choice is more likely rejected than not from {at} users on"))
}

/// The mean factor by which a curve rises from one rung to the next.
pub(super) fn factors(lines: &[Line]) -> Option<String> {
    let factors: Option<Vec<f64>> = lines
        .iter()
        .map(|line| {
            let mut ends = line.theory.iter().filter(|(_, y)| *y > 0.0);
            let ((least, low), (most, high)) = (ends.next()?, ends.next_back()?);
            Some((high / low).powf((most - least).recip()).round())
        })
        .collect();
    let factors = factors?;
    let least = factors.iter().copied().reduce(f64::min)?;
    let most = factors.iter().copied().reduce(f64::max)?;
    let range = if least < most { format!("{least} to {most}") } else { least.to_string() };
    Some(format!("Each rung of the threshold costs a factor of {range}"))
}

/// The height up to which the first curve reveals less than a factor of 3.
pub(super) fn secret_up_to(lines: &[Line]) -> Option<String> {
    let first = lines.first()?;
    let (height, _) = first.theory.iter().take_while(|(_, ratio)| *ratio < 3.0).last()?;
    let by = if first.name.is_empty() { String::new() } else { format!(" by {}", first.name) };
    Some(format!("Less than a factor of 3 is given away{by} up to height {height}"))
}

/// `8, 4 and 3`.
fn joined(parts: &[String]) -> Option<String> {
    let (last, before) = parts.split_last()?;
    Some(if before.is_empty() { last.clone() } else { format!("{} and {last}", before.join(", ")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, theory: &[(f64, f64)]) -> Line {
        Line { name: name.to_owned(), theory: theory.to_vec(), ..Line::default() }
    }

    #[test]
    fn titles_are_read_off_the_curves() {
        let rising = line("1 step", &[(1.0, 0.1), (2.0, 0.5), (3.0, 0.9)]);
        let said = halves(&[rising.clone(), line("2 steps", &[(1.0, 0.7)])]).unwrap();
        assert!(said.ends_with("from 2 and 1 users on"), "{said}");
        assert!(halves(&[rising.clone(), line("flat", &[(1.0, 0.1)])]).is_none());
        let steep = line("", &[(3.0, 0.0), (4.0, 0.001), (5.0, 0.01), (6.0, 0.1)]);
        assert!(factors(std::slice::from_ref(&steep)).unwrap().ends_with("a factor of 10"));
        assert!(factors(&[steep, rising]).unwrap().ends_with("a factor of 3 to 10"));
        let ratio = line("1 step", &[(0.0, 1.0), (1.0, 2.9), (2.0, 3.1), (3.0, 2.0)]);
        assert!(secret_up_to(&[ratio]).unwrap().ends_with("given away by 1 step up to height 1"));
        assert!(secret_up_to(&[]).is_none() && factors(&[]).is_none() && halves(&[]).is_none());
    }
}
