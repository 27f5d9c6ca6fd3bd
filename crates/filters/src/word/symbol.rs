//! One cleaned character.

/// The length of the longest encoded symbol, in bytes.
pub(crate) const MAX_SYMBOL_BYTES: usize = 4;

const RAW: u8 = 0xff;
pub(super) const FIRST_RAW: u32 = 0x11_0000;

/// One past the largest symbol value: Unicode scalar values, then the 128 bytes that are not ASCII.
pub(super) const SYMBOL_END: u32 = FIRST_RAW + 0x100;

/// A cleaned character: a Unicode scalar value, or a byte that was not UTF-8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(u32);

impl Symbol {
    /// The symbol of a character.
    pub fn of(character: char) -> Symbol {
        Symbol(u32::from(character))
    }

    /// True for a letter of any script.
    #[inline(never)] // it is called in many places: 1 KB
    pub fn is_letter(self) -> bool {
        self.character().is_some_and(char::is_alphabetic)
    }

    /// The symbol with this value, as stored in a filter's alphabet.
    pub(crate) fn from_value(value: u32) -> Option<Symbol> {
        let is_raw = (FIRST_RAW + 0x80..SYMBOL_END).contains(&value);
        (is_raw || char::from_u32(value).is_some()).then_some(Symbol(value))
    }

    /// The value: the code point, or 0x110000 plus the byte.
    pub fn value(self) -> u32 {
        self.0
    }

    /// The byte of an ASCII character.
    pub(crate) fn ascii(self) -> Option<u8> {
        u8::try_from(self.0).ok().filter(u8::is_ascii)
    }

    /// The character, unless the symbol is a byte that was not UTF-8.
    pub fn character(self) -> Option<char> {
        char::from_u32(self.0)
    }

    /// The character, as Latin-1 if the symbol is a byte that was not UTF-8.
    pub(crate) fn readable(self) -> char {
        self.character().unwrap_or_else(|| char::from(self.byte()))
    }

    /// The byte of a symbol that is not a character: the lowest byte of its value.
    pub(crate) fn byte(self) -> u8 {
        let [byte, ..] = self.0.to_le_bytes();
        byte
    }

    /// The encoded symbol, in `buffer`.
    #[inline]
    pub fn encode(self, buffer: &mut [u8; MAX_SYMBOL_BYTES]) -> &[u8] {
        if let Some(character) = self.character() {
            return character.encode_utf8(buffer).as_bytes();
        }
        let [first, second, ..] = buffer;
        (*first, *second) = (RAW, self.byte());
        buffer.get(..2).unwrap_or_default()
    }

    /// A byte that is not UTF-8.
    pub(super) fn raw(byte: u8) -> Symbol {
        Symbol(FIRST_RAW | u32::from(byte))
    }

    /// The symbol that `bytes` encode.
    pub(super) fn decode(bytes: &[u8]) -> Symbol {
        match *bytes {
            [ascii] => Symbol(u32::from(ascii)),
            [RAW, byte] => Symbol::raw(byte),
            _ => std::str::from_utf8(bytes)
                .ok()
                .and_then(|text| text.chars().next())
                .map_or(Symbol(0), Symbol::of),
        }
    }
}
