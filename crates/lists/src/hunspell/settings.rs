//! The lines of an `.aff` file that say how its rules and the entries are read. They can follow the rules.

use super::class::Special;
use super::flags::{Flag, Form, Notation};
use super::kind::Kind;
use super::recognize::is_keyword;
use encoding_rs::{Encoding, UTF_8};

/// What the file says of itself.
pub(super) struct Settings {
    pub(super) charset: &'static Encoding,
    pub(super) notation: Notation,
    pub(super) special: Special,
    pub(super) full_strip: bool,
    pub(super) inner: Kind,
    pub(super) ignored: Vec<char>,
    /// The flags of each alias, in order.
    pub(super) aliases: Option<Vec<Vec<Flag>>>,
}

/// Values as they are written: how flags are read is only known at the end.
#[derive(Default)]
struct Written<'a> {
    form: Option<Form>,
    needs_affix: Option<&'a str>,
    forbidden: Option<&'a str>,
    compound_only: Option<&'a str>,
    circumfix: Option<&'a str>,
    full_strip: bool,
    complex_prefixes: bool,
    ignored: &'a str,
    /// The values of `AF` lines. The first is their number.
    aliases: Vec<&'a str>,
    /// Some line begins with a keyword.
    known: bool,
}

/// The settings of the file `text`, or nothing if none of its lines is one of an `.aff` file.
pub(super) fn read(text: &str, charset: &'static Encoding) -> Option<Settings> {
    let mut written = Written::default();
    text.lines().for_each(|line| written.read(line));
    written.known.then(|| written.settings(charset))
}

impl<'a> Written<'a> {
    fn read(&mut self, line: &'a str) {
        let mut fields = line.split_ascii_whitespace();
        let keyword = fields.next().unwrap_or_default();
        self.known |= is_keyword(keyword.as_bytes());
        match keyword {
            "FULLSTRIP" => self.full_strip = true,
            "COMPLEXPREFIXES" => self.complex_prefixes = true,
            _ => {}
        }
        let Some(value) = fields.next() else { return };
        match keyword {
            "FLAG" => self.form = form(value),
            "NEEDAFFIX" | "PSEUDOROOT" => self.needs_affix = Some(value),
            "FORBIDDENWORD" => self.forbidden = Some(value),
            "ONLYINCOMPOUND" => self.compound_only = Some(value),
            "CIRCUMFIX" => self.circumfix = Some(value),
            "IGNORE" => self.ignored = value,
            "AF" => self.aliases.push(value),
            _ => {}
        }
    }

    fn settings(&self, charset: &'static Encoding) -> Settings {
        let notation =
            Notation { form: self.form.unwrap_or(Form::Single), bytes: std::ptr::eq(charset, UTF_8) };
        let one = |value: Option<&str>| value.and_then(|value| notation.one(value));
        Settings {
            charset,
            notation,
            special: Special {
                needs_affix: one(self.needs_affix),
                forbidden: one(self.forbidden),
                compound_only: one(self.compound_only),
                circumfix: one(self.circumfix),
            },
            full_strip: self.full_strip,
            inner: if self.complex_prefixes { Kind::Prefix } else { Kind::Suffix },
            ignored: self.ignored.chars().collect(),
            aliases: self.aliases.split_first().map(|(_, values)| {
                let flags = |value: &&str| {
                    let mut flags = Vec::new();
                    notation.read(value, &mut flags);
                    flags
                };
                values.iter().map(flags).collect()
            }),
        }
    }
}

/// The form of flags that a `FLAG` line names. Any other value leaves the form of a file without such a line.
fn form(value: &str) -> Option<Form> {
    match value.to_ascii_lowercase().as_str() {
        "long" => Some(Form::Long),
        "num" => Some(Form::Number),
        "utf-8" | "utf8" => Some(Form::Unicode),
        _ => None,
    }
}
