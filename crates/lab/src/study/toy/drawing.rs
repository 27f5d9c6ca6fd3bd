//! The toy filter as a picture, empty and full: its bits, and the letters A to Z coloured by what it says.

use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::{Toy, Verdict};
use crate::{
    curves::{Line, Panel, Scale},
    plot::{COLOURS, FONT, GREY},
    study::formulas,
};

const WIDTH: i32 = 1000;
const MARGIN: i32 = 28;
/// The height of one filter's rows, and where they begin in it.
const BLOCK: i32 = 210;
const TITLE: i32 = 24;
const BITS: i32 = 56;
const LETTERS: i32 = 138;

type Drawn = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Filters below each other, each under its title, and what the colours mean.
///
/// # Errors
/// The drawing library's answer.
pub(crate) fn svg(toys: &[(String, &Toy)]) -> Result<String, Box<dyn std::error::Error>> {
    let mut text = String::new();
    let height = BLOCK * toys.len() as i32 + 40;
    {
        let area = SVGBackend::with_string(&mut text, (WIDTH as u32, height as u32)).into_drawing_area();
        area.fill(&WHITE)?;
        for ((title, toy), top) in toys.iter().zip((0..).step_by(BLOCK as usize)) {
            write(title, (MARGIN, top + TITLE), (21, FontStyle::Bold), HPos::Left, BLACK, &area)?;
            draw_bits(toy, top + BITS, &area)?;
            draw_letters(toy, top + LETTERS, &area)?;
        }
        draw_key(height - 22, &area)?;
        area.present()?;
    }
    Ok(text)
}

fn colour(verdict: Verdict) -> RGBColor {
    let index = match verdict {
        Verdict::Member => 0,
        Verdict::FalsePositive => 1,
        Verdict::Absent => GREY,
    };
    COLOURS.get(index).copied().unwrap_or(BLACK)
}

fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Member => "member",
        Verdict::FalsePositive => "false positive: all its bits are ones, though it was never added",
        Verdict::Absent => "not in it",
    }
}

fn draw_bits(toy: &Toy, top: i32, area: &Area<'_>) -> Drawn {
    let count = toy.bits().len() as i32;
    let side = ((WIDTH - 2 * MARGIN) / count).min(56);
    for (number, bit) in (0..count).zip(toy.bits()) {
        let left = MARGIN + number * side;
        let corners = [(left, top), (left + side - 4, top + 36)];
        let fill = if *bit { BLACK.filled() } else { WHITE.filled() };
        rectangle(corners, fill, area)?;
        rectangle(corners, BLACK.stroke_width(1), area)?;
        let middle = left + (side - 4) / 2;
        let digit = if *bit { ("1", WHITE) } else { ("0", BLACK) };
        write(digit.0, (middle, top + 18), (18, FontStyle::Normal), HPos::Center, digit.1, area)?;
        write(&number.to_string(), (middle, top + 50), (13, FontStyle::Normal), HPos::Center, BLACK, area)?;
    }
    Ok(())
}

fn draw_letters(toy: &Toy, top: i32, area: &Area<'_>) -> Drawn {
    let letters = toy.letters();
    let side = (WIDTH - 2 * MARGIN) / letters.len() as i32;
    for (letter, number) in letters.iter().zip(0..) {
        let left = MARGIN + number * side;
        let colour = colour(letter.verdict);
        rectangle([(left, top), (left + side - 4, top + 32)], colour.filled(), area)?;
        let middle = left + (side - 4) / 2;
        write(
            &letter.name.to_string(),
            (middle, top + 16),
            (18, FontStyle::Bold),
            HPos::Center,
            WHITE,
            area,
        )?;
        let bits: Vec<String> = letter.bits.iter().map(ToString::to_string).collect();
        let style = (11, FontStyle::Normal);
        write(&bits.join(" "), (middle, top + 44), style, HPos::Center, BLACK, area)?;
    }
    Ok(())
}

fn draw_key(y: i32, area: &Area<'_>) -> Drawn {
    let mut left = MARGIN;
    for verdict in [Verdict::Member, Verdict::Absent, Verdict::FalsePositive] {
        rectangle([(left, y - 8), (left + 16, y + 8)], colour(verdict).filled(), area)?;
        let text = meaning(verdict);
        write(text, (left + 24, y), (15, FontStyle::Normal), HPos::Left, BLACK, area)?;
        left += 60 + 8 * text.len() as i32;
    }
    Ok(())
}

fn rectangle(corners: [(i32, i32); 2], style: ShapeStyle, area: &Area<'_>) -> Drawn {
    Ok(area.draw(&Rectangle::new(corners, style)).map_err(|e| e.to_string())?)
}

fn write(
    text: &str,
    at: (i32, i32),
    (pixels, weight): (i32, FontStyle),
    side: HPos,
    colour: RGBColor,
    area: &Area<'_>,
) -> Drawn {
    let style = (FONT, pixels, weight).into_font().color(&colour).pos(Pos::new(side, VPos::Center));
    Ok(area.draw(&Text::new(text.to_owned(), at, style)).map_err(|e| e.to_string())?)
}

/// The letters that the chart of rates adds, at most: the others are asked for.
const MAX_ADDED: usize = 16;

/// The rate of false positives while these letters and then the others are added, as counted, by the share of
/// ones and by the formula.
pub(crate) fn rate_chart(bits: usize, primes: &[u64], first: &[char]) -> Panel {
    let mut toy = Toy::empty(bits, primes);
    let mut members: Vec<char> = Vec::new();
    for letter in first.iter().copied().chain(super::LETTERS) {
        if members.len() < MAX_ADDED && !members.contains(&letter) {
            members.push(letter);
        }
    }
    let (mut by_bits, mut counted) = (Vec::new(), Vec::new());
    for added in 0..=members.len() {
        if let Some(letter) = added.checked_sub(1).and_then(|last| members.get(last)) {
            toy.add(*letter);
        }
        let letters = toy.letters();
        let count = |verdict| letters.iter().filter(|letter| letter.verdict == verdict).count() as f64;
        let others = count(Verdict::FalsePositive) + count(Verdict::Absent);
        let x = added as f64;
        by_bits.push((x, 100.0 * toy.expected_rate()));
        counted.push((x, 100.0 * count(Verdict::FalsePositive) / others.max(1.0)));
    }
    let formula = |added: usize| 100.0 * formulas::rate(added as u64, bits as u64, primes.len() as u32);
    let line = |name: &str, theory| Line { name: name.to_owned(), theory, ..Line::default() };
    Panel {
        title: "The fuller the filter, the more letters look like members".to_owned(),
        x: ("letters added".to_owned(), Scale::Linear),
        y: ("false positives (%)".to_owned(), Scale::Linear),
        lines: vec![
            line("counted, of the other letters", counted),
            line("by the share of ones", by_bits),
            Line {
                is_dashed: true,
                ..line("(1 − e^(−kn/m))^k", (0..=members.len()).map(|n| (n as f64, formula(n))).collect())
            },
        ],
        notes: vec![format!("m = {bits} bits, k = {} primes", primes.len())],
        remarks: Vec::new(),
    }
}
