//! Lists that are refused: what they seem to contain, and what helps.

use std::fmt;

use crate::hashes::{Hash, SHA1_IN_BASE64};

/// What makes a list readable. Each is followed to the letter: a command does what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Way {
    /// Another kind of list, for `--kind`.
    Kind(&'static str),
    /// Each line is a word.
    Plain,
    /// The column of the words is named.
    Columns,
    /// The charset of the list, for `--charset`.
    Charset(&'static str),
    /// These options.
    Options(String),
    /// A copy, which is made so: what is in it, with the command in brackets.
    Copy(String),
    /// The same, of another kind of list.
    CopyOfKind(String, &'static str),
    /// Another file, option or command.
    Other(String),
}

impl Way {
    /// The options of a command that reads lists; none for what is not done with options.
    pub fn options(&self) -> Option<String> {
        Some(match self {
            Way::Kind(kind) => format!("--kind {kind}"),
            Way::Plain => "--form plain if each line is a word".to_owned(),
            Way::Columns => "--columns and the number or name of the word's column".to_owned(),
            Way::Charset(charset) => format!("--charset {charset}"),
            Way::Options(options) => options.clone(),
            Way::Copy(_) | Way::CopyOfKind(..) | Way::Other(_) => return None,
        })
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Way::Copy(copy) => write!(f, "read a copy {copy}"),
            Way::CopyOfKind(copy, kind) => write!(f, "read a copy {copy}, and with --kind {kind}"),
            Way::Other(other) => write!(f, "use {other}"),
            way => write!(f, "read it with {}", way.options().unwrap_or_default()),
        }
    }
}

/// A list whose words cannot be found, or that has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What it seems to contain.
    pub content: String,
    /// What helps, one of these; none if no filter can use it.
    pub ways: Vec<Way>,
}

impl Refusal {
    /// The refusal of a content that is read in another way.
    pub fn new(content: impl Into<String>, way: Way) -> Refusal {
        Refusal { content: content.into(), ways: vec![way] }
    }

    /// The same of lines that may be words as they are.
    pub(crate) fn or_plain(content: impl Into<String>, way: Way) -> Refusal {
        Refusal { content: content.into(), ways: vec![Way::Plain, way] }
    }

    /// The refusal of lines that may be words as they are, and have them in a copy.
    pub(crate) fn or_copy(content: impl Into<String>, copy: impl Into<String>) -> Refusal {
        Refusal::or_plain(content, Way::Copy(copy.into()))
    }

    /// The refusal of hashes where words or digests of another kind are expected.
    pub(crate) fn of_hashes(hash: Hash) -> Refusal {
        match hash {
            Hash::Sha1 => Refusal::new("SHA-1 digests", Way::Kind("sha1")),
            Hash::Digits32 => {
                Refusal::new("NTLM digests (or MD5, which no filter can use)", Way::Kind("ntlm"))
            }
            Hash::Other(SHA1_IN_BASE64) => Refusal::of_base64(SHA1_IN_BASE64, "sha1"),
            Hash::Other(name) => Refusal::useless(name),
        }
    }

    /// The refusal of digests of this kind in base64, alone or after `{SHA}`.
    pub(crate) fn of_base64(content: &str, kind: &'static str) -> Refusal {
        let digits = "base64.b64decode(l.split('{SHA}')[-1].strip() + '==').hex()";
        let program = format!("import sys, base64; [print({digits}) for l in sys.stdin]");
        let copy = format!("in hexadecimal digits (python3 -c \"{program}\")");
        Refusal::new(content, Way::CopyOfKind(copy, kind))
    }

    /// The refusal of lines of which a column may be the word.
    pub(crate) fn unclear(content: &str) -> Refusal {
        Refusal { content: content.to_owned(), ways: vec![Way::Columns, Way::Plain] }
    }

    /// The refusal of accounts where words or digests are expected.
    pub(crate) fn of_accounts() -> Refusal {
        Refusal::new(
            "accounts with LM and NTLM hashes (pwdump)",
            Way::Other("filterctl check --audit, which looks them up in a filter of NTLM digests".to_owned()),
        )
    }

    /// The refusal of a content that no filter can use.
    pub fn useless(content: impl Into<String>) -> Refusal {
        Refusal { content: content.into(), ways: Vec::new() }
    }

    /// What helps, in words; none if nothing does.
    pub fn advice(&self) -> Option<String> {
        let ways: Vec<String> = self.ways.iter().map(Way::to_string).collect();
        (!ways.is_empty()).then(|| ways.join(", or "))
    }
}

/// The copy of a list that has its digests of this many digits alone, one a line.
pub(crate) fn digests_alone(digits: usize) -> String {
    format!("with a digest a line (grep -oiE '[0-9a-f]{{{digits}}}')")
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seems to contain {}, ", self.content)?;
        match self.advice() {
            Some(advice) => write!(f, "which no password would match as words; {advice}"),
            None => f.write_str("which no filter can use"),
        }
    }
}
