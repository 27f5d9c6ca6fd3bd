//! The text of a document without its markup. Every piece knows where in the source it stands, so that a word
//! that is put together from several pieces (`caf\'e`) is still told by its place in the file.

/// Text to be checked, and its places in the source.
#[derive(Debug, Default)]
pub(crate) struct Prose {
    text: String,
    pieces: Vec<Piece>,
}

/// From `at` on, the text is that of the source from `source` on. Both count bytes.
#[derive(Clone, Copy, Debug)]
struct Piece {
    at: usize,
    source: usize,
}

impl Prose {
    /// A text without markup.
    pub(crate) fn plain(source: &str) -> Prose {
        let mut prose = Prose::default();
        prose.push(source, 0);
        prose
    }

    /// Appends a piece that stands at byte `source`; it joins the word before it.
    pub(crate) fn push(&mut self, text: &str, source: usize) {
        self.pieces.push(Piece { at: self.text.len(), source });
        self.text.push_str(text);
    }

    /// Ends the word before.
    pub(crate) fn gap(&mut self) {
        self.text.push('\n');
    }

    /// The text alone.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The place in the source, in bytes, of the text's byte `at`.
    pub(crate) fn source_of(&self, at: usize) -> usize {
        let next = self.pieces.partition_point(|piece| piece.at <= at);
        let piece = next.checked_sub(1).and_then(|last| self.pieces.get(last));
        piece.map_or(at, |piece| at.saturating_sub(piece.at).saturating_add(piece.source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_their_places() {
        let mut prose = Prose::default();
        prose.push("caf", 10);
        prose.push("é", 13);
        prose.push("s", 17);
        prose.gap();
        prose.push("next", 30);
        assert_eq!(prose.text(), "cafés\nnext");
        assert_eq!([0, 2, 3, 5].map(|at| prose.source_of(at)), [10, 12, 13, 17]);
        assert_eq!(prose.source_of("cafés\nne".len()), 32);
    }

    #[test]
    fn plain_text_is_its_own_source() {
        assert_eq!(Prose::plain("some text").source_of(5), 5);
        assert_eq!(Prose::default().source_of(5), 5);
    }
}
