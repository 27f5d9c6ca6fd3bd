//! A source file with its switches, and to which change each part of it belongs.

use crate::switches::Insertions;

/// The text with switches.
#[derive(Debug)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    /// Bytes of the text that belong to a change alone.
    regions: Vec<Region>,
    /// Bytes of each piece of code with changes.
    expressions: Vec<(usize, usize, Vec<usize>)>,
}

#[derive(Debug)]
struct Region {
    start: usize,
    end: usize,
    id: usize,
}

/// A piece of text that is inserted at a place.
enum Piece<'i> {
    Open(usize, &'i str),
    Of(usize, &'i str),
    Close(usize, &'i str),
}

/// Inserts the switches for which `is_kept` holds.
pub(crate) fn render(source: &str, insertions: &Insertions, is_kept: impl Fn(usize) -> bool) -> Rendered {
    let mut pieces: Vec<(usize, Piece<'_>)> = Vec::new();
    let is_used = |at: usize| insertions.wraps[at].before.iter().any(|(id, _)| is_kept(*id));
    let used: Vec<usize> = (0..insertions.wraps.len()).filter(|at| is_used(*at)).collect();
    let choice = |at: usize, text: &'static str| if insertions.wraps[at].is_choice { text } else { "" };
    // An inner expression closes first: at one place, closings stand before openings and in reverse order.
    for at in used.iter().rev() {
        pieces.push((insertions.wraps[*at].end, Piece::Close(*at, choice(*at, " })"))));
    }
    for at in &used {
        let wrap = &insertions.wraps[*at];
        pieces.push((wrap.start, Piece::Open(*at, choice(*at, "("))));
        let kept = wrap.before.iter().filter(|(id, _)| is_kept(*id));
        pieces.extend(kept.map(|(id, text)| (wrap.start, Piece::Of(*id, text))));
        pieces.push((wrap.start, Piece::Open(*at, choice(*at, "{ "))));
    }
    pieces.sort_by_key(|(at, piece)| (*at, !matches!(piece, Piece::Close(..))));
    put_together(source, insertions, pieces)
}

fn put_together(source: &str, insertions: &Insertions, pieces: Vec<(usize, Piece<'_>)>) -> Rendered {
    let mut done = Rendered { text: String::new(), regions: Vec::new(), expressions: Vec::new() };
    let mut starts = vec![None; insertions.wraps.len()];
    let mut copied = 0;
    for (at, piece) in pieces {
        done.text.push_str(&source[copied..at]);
        copied = at;
        let start = done.text.len();
        match piece {
            Piece::Open(wrap, text) => {
                starts[wrap].get_or_insert(start);
                done.text.push_str(text);
            }
            Piece::Of(id, text) => {
                done.text.push_str(text);
                done.regions.push(Region { start, end: done.text.len(), id });
            }
            Piece::Close(wrap, text) => {
                done.text.push_str(text);
                let ids = insertions.wraps[wrap].before.iter().map(|(id, _)| *id).collect();
                done.expressions.push((starts[wrap].unwrap_or(start), done.text.len(), ids));
            }
        }
    }
    done.text.push_str(&source[copied..]);
    done
}

impl Rendered {
    /// The changes that an error from `start` to `end` is the fault of: the one whose text it lies in or
    /// covers, otherwise all of the innermost piece of code around it.
    pub(crate) fn at_fault(&self, start: usize, end: usize) -> Vec<usize> {
        let meets = |region: &&Region| region.start < end.max(start + 1) && start < region.end;
        let within: Vec<usize> = self.regions.iter().filter(meets).map(|region| region.id).collect();
        if !within.is_empty() {
            return within;
        }
        let around = self.expressions.iter().filter(|(first, last, _)| *first <= start && end <= *last);
        around.min_by_key(|(first, last, _)| last - first).map(|(.., ids)| ids.clone()).unwrap_or_default()
    }
}
