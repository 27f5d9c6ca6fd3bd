//! Parts of an input: numbers from its front, texts up to a separator.

/// An input that is read from the front; what is missing reads as zero or as nothing.
pub(super) struct Input<'a>(pub(super) &'a [u8]);

impl<'a> Input<'a> {
    pub(super) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// As many bytes as the first one says.
    pub(super) fn text(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        text
    }
}
