//! The flags after the slash of an entry or of an affix.

use super::charset::byte;

/// A flag. Two characters of a `FLAG long` file are put together to one number.
pub(super) type Flag = u32;

/// How a file writes flags: its `FLAG` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Each character is a flag.
    Single,
    /// Two characters are a flag.
    Long,
    /// Numbers between commas.
    Number,
    /// Each Unicode character is a flag.
    Unicode,
}

/// The form of flags, and what a character is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Notation {
    pub(super) form: Form,
    /// The file is in UTF-8. hunspell takes single and long flags of such a file byte by byte.
    pub(super) bytes: bool,
}

impl Notation {
    /// Adds the flags in `text`, in their order. What is no flag is left out.
    pub(super) fn read(self, text: &str, into: &mut Vec<Flag>) {
        match self.form {
            Form::Number => into.extend(text.split(',').filter_map(number)),
            Form::Single if self.bytes => into.extend(bytes(text)),
            Form::Single | Form::Unicode => into.extend(text.chars().map(u32::from)),
            Form::Long if self.bytes => pairs(bytes(text), into),
            Form::Long => pairs(text.chars().map(u32::from), into),
        }
    }

    /// The flag that `text` is: the first, as hunspell has it.
    pub(super) fn one(self, text: &str) -> Option<Flag> {
        let mut flags = Vec::new();
        self.read(text, &mut flags);
        flags.first().copied()
    }
}

/// The number that `text` begins with, if it can be a flag.
fn number(text: &str) -> Option<Flag> {
    leading_number(text)
        .and_then(|number| u16::try_from(number).ok())
        .filter(|&flag| flag != 0)
        .map(Flag::from)
}

/// The number in the digits that `text` begins with, after blanks.
pub(super) fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

/// The bytes of `text` in its file.
fn bytes(text: &str) -> impl Iterator<Item = u32> + '_ {
    text.chars().flat_map(|c| {
        let mut utf8 = [0; 4];
        let alone = byte(c);
        let count = if alone.is_some() { 0 } else { c.encode_utf8(&mut utf8).len() };
        alone.into_iter().chain(utf8.into_iter().take(count)).map(u32::from)
    })
}

/// Adds each two of `units` as one flag. A unit left over is dropped.
fn pairs(mut units: impl Iterator<Item = u32>, into: &mut Vec<Flag>) {
    while let (Some(high), Some(low)) = (units.next(), units.next()) {
        into.push((high << 16) | (low & 0xFFFF));
    }
}

/// The class of the alias with the number `text`. Aliases are counted from 1.
pub(super) fn alias(aliases: &[u32], text: &str) -> Option<u32> {
    let at = usize::try_from(leading_number(text)?).ok()?.checked_sub(1)?;
    aliases.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(form: Form, bytes: bool, text: &str) -> Vec<Flag> {
        let mut flags = Vec::new();
        Notation { form, bytes }.read(text, &mut flags);
        flags
    }

    #[test]
    fn flags_are_read_in_each_form() {
        assert_eq!(read(Form::Single, false, "Aé"), [0x41, 0xE9]);
        assert_eq!(read(Form::Single, true, "Aé"), [0x41, 0xC3, 0xA9]);
        assert_eq!(read(Form::Unicode, true, "Aé"), [0x41, 0xE9]);
        assert_eq!(read(Form::Long, true, "AaBbC"), [0x41_0061, 0x42_0062]);
        assert_eq!(read(Form::Long, false, "éa"), [0xE9_0061]);
        assert_eq!(read(Form::Number, true, "1,23,,0,65535,65536,x, 7"), [1, 23, 65535, 7]);
    }

    #[test]
    fn aliases_are_counted_from_one() {
        assert_eq!(alias(&[7, 9], "2"), Some(9));
        assert_eq!(alias(&[7, 9], "1 po:noun"), Some(7));
        for none in ["0", "3", "", "x", "99999999999999999999"] {
            assert_eq!(alias(&[7, 9], none), None, "{none}");
        }
    }
}
