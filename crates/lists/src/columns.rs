//! The columns of a list's lines, as `--columns` names them.

use std::str::FromStr;

/// The names of counts in some languages, in lower case.
pub(crate) const COUNT_NAMES: [&str; 24] = [
    "count",
    "counts",
    "freq",
    "frequency",
    "frequencies",
    "occurrences",
    "occurrence",
    "occ",
    "n",
    "hits",
    "total",
    "times",
    "uses",
    "number",
    "anzahl",
    "häufigkeit",
    "haeufigkeit",
    "frequenz",
    "nombre",
    "fréquence",
    "frequence",
    "frecuencia",
    "frequenza",
    "aantal",
];

/// The names of numbers that are ranks or number the rows, in lower case.
pub(crate) const RANK_NAMES: [&str; 5] = ["rank", "id", "#", "no", "nr"];

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The word or password.
    Word,
    /// The number of its occurrences.
    Count,
    /// A number that may be that as well as another column.
    Number,
    /// Its rank: the most common has the first.
    Rank,
    /// A user name or a mail address.
    User,
    /// A hash or a digest.
    Hash,
    /// An address of a site.
    Url,
    /// Anything else.
    Other,
}

impl Role {
    /// The name in `--columns` and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Word => "word",
            Role::Count => "count",
            Role::Rank => "rank",
            Role::User => "user",
            Role::Hash => "hash",
            Role::Url => "url",
            Role::Number | Role::Other => "other",
        }
    }

    fn parse(name: &str) -> Option<Role> {
        Some(match name {
            "word" | "password" => Role::Word,
            "count" => Role::Count,
            "rank" => Role::Rank,
            "user" | "mail" => Role::User,
            "hash" => Role::Hash,
            "url" => Role::Url,
            "other" => Role::Other,
            _ => return None,
        })
    }
}

/// The columns that the user names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// The whole line is the word, unless a column or a field is called `word`.
    Line,
    /// All columns, one of them the word.
    All(Vec<Role>),
    /// The number of the word's column, the first is 0.
    Number(usize),
    /// The name of the word's column in the first line, or of the word's field.
    Named(String),
}

/// The expected values of `--columns`.
const EXPECTED: &str = "expected word, or the columns such as count,word or user,word (word, count, rank, \
                        user, hash, url, other), or the number or the name of the word's column";

impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Columns, String> {
        if let Ok(number) = text.parse::<usize>() {
            return number.checked_sub(1).map(Columns::Number).ok_or_else(|| EXPECTED.to_owned());
        }
        let names: Vec<&str> = text.split(',').map(str::trim).collect();
        match (names.as_slice(), names.iter().map(|name| Role::parse(name)).collect::<Option<Vec<_>>>()) {
            ([""], _) => Err(EXPECTED.to_owned()),
            (["word"], _) => Ok(Columns::Line),
            ([name], _) => Ok(Columns::Named((*name).to_owned())),
            (_, Some(roles)) if roles.iter().filter(|role| **role == Role::Word).count() == 1 => {
                Ok(Columns::All(roles))
            }
            _ => Err(EXPECTED.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_a_line_all_of_them_or_one() {
        let of = |text: &str| text.parse::<Columns>();
        assert_eq!(of("word"), Ok(Columns::Line));
        assert_eq!(of("count,password"), Ok(Columns::All(vec![Role::Count, Role::Word])));
        assert_eq!(of("url, user,word"), Ok(Columns::All(vec![Role::Url, Role::User, Role::Word])));
        assert_eq!(of("3"), Ok(Columns::Number(2)));
        assert_eq!(of("password"), Ok(Columns::Named("password".to_owned())));
        assert_eq!(of("Kennwort"), Ok(Columns::Named("Kennwort".to_owned())));
        for wrong in ["", "0", "count,user", "word,word", "count,,word", "count,kennwort"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
