//! Errors of lists that `filterctl update` reads: it has keys of the section `[update]` instead of options.

use nearmiss_lists::{Refusal, Way};

use super::{InputError, Problem};

/// What helps where no key does.
const ALONE: &str = "that has only the words, one a line";

impl InputError {
    /// The same with keys of the section, or another list, instead of options. Only lists that the section
    /// names have its columns.
    #[must_use]
    pub fn of_section(mut self, is_named: bool) -> InputError {
        self.is_of_section = true;
        match &mut self.problem {
            Problem::Ranges(problem) => problem.without_flag(),
            Problem::Form(Refusal { ways, .. }) => {
                let mut found = Vec::new();
                for way in ways.drain(..).flat_map(|way| without_options(way, is_named)) {
                    if !found.contains(&way) {
                        found.push(way);
                    }
                }
                *ways = found;
            }
            _ => {}
        }
        self
    }

    /// The command that unpacks a list which needs much memory.
    pub(super) fn unpacking(&self) -> &'static str {
        if self.is_of_section {
            "zstd -dc --long=31 LIST > COPY"
        } else {
            "zstd -dc --long=31 LIST | filterctl build -"
        }
    }

    /// The advice for a list that was read in the wrong form.
    pub(super) fn other_form(&self, options: &'static str) -> &'static str {
        if self.is_of_section { "convert the list to a word a line" } else { options }
    }
}

/// What does the same for a command that reads lists without options.
fn without_options(way: Way, is_named: bool) -> Vec<Way> {
    match way {
        Way::Kind(kind) => vec![Way::Other(format!("{}, for a filter of digests alone", key_of(kind)))],
        Way::Columns => with_columns(is_named),
        Way::Charset(charset) => vec![Way::Copy(format!("in UTF-8 (iconv -f {charset} -t UTF-8)"))],
        Way::Options(options) => with_columns(is_named && options.contains("user,word")),
        Way::Plain => vec![Way::Other(
            "filterctl build --form plain --output OTHER.filter LIST, and name that filter in a section \
             [[dictionary]], if each line is a word"
                .to_owned(),
        )],
        Way::CopyOfKind(copy, kind) => vec![Way::Copy(format!("{copy}, and with {}", key_of(kind)))],
        Way::Copy(_) | Way::Other(_) => vec![way],
    }
}

fn key_of(kind: &str) -> String {
    format!("kind = \"{kind}\" in the section [update]")
}

/// The key, which all lists that the section names have in common, and a list that needs none.
fn with_columns(has_key: bool) -> Vec<Way> {
    let key = "columns = \"user,word\" in the section [update], if every list that it names has a user and a \
               word a line";
    let key = has_key.then(|| Way::Other(key.to_owned()));
    key.into_iter().chain([Way::Copy(ALONE.to_owned())]).collect()
}
