//! The lists that `filterctl check` compares rejections with.

use std::path::PathBuf;

use nearmiss_cli::{
    failure::Failure,
    input::{self, BUILT_IN, Charset, Columns, Expected, FormName, ListName, MaxText, Wanted, WordList},
    keys,
    progress::Progress,
};
use nearmiss_filters::format::Kind;

use crate::{filter_file::sizing::KindName, flags::input::refuse_columns_of_lines};

/// Lists that confirm rejections.
#[derive(clap::Args)]
pub(super) struct ConfirmingLists {
    /// Compare each rejection with these lists, which must be all lists that the filters were built from: a
    /// rejection that no list confirms is a false positive. Verdicts are then printed after the last
    /// candidate. Lists are read as by filterctl build and are not kept in memory.
    #[arg(long = "list", value_name = "LIST", num_args = 1..)]
    lists: Vec<PathBuf>,
    /// Also compare with the built-in list.
    #[arg(long)]
    common: bool,
    /// The kind of the lists; rejections by filters of another kind are not compared.
    #[arg(long, value_enum, default_value = "words")]
    kind: KindName,
    /// The columns of the lists' lines: see filterctl build --columns.
    #[arg(long, value_name = "COLUMNS", value_parser = str::parse::<Columns>, requires = "lists")]
    list_columns: Option<Columns>,
    /// The form of the lists: see filterctl build --form.
    #[arg(long, value_name = "FORM", value_parser = str::parse::<FormName>, requires = "lists")]
    list_form: Option<FormName>,
    /// The charset of the lists: see filterctl build --charset.
    #[arg(long, value_name = "CHARSET", value_parser = str::parse::<Charset>, requires = "lists")]
    list_charset: Option<Charset>,
    /// Refuse a list whose uncompressed text exceeds this size: bytes, optionally with K, M, G or T.
    #[arg(long, value_name = "SIZE", default_value = "64G", value_parser = MaxText::parse)]
    max_text: MaxText,
}

impl ConfirmingLists {
    /// The lists and their kind; none if nothing is to be compared.
    ///
    /// # Errors
    /// A list cannot be read, or is standard input.
    pub(super) fn open(&self, progress: &Progress) -> Result<Option<(Kind, Vec<WordList>)>, Failure> {
        if self.lists.is_empty() && !self.common {
            return Ok(None);
        }
        if self.lists.iter().any(|list| list.as_os_str() == "-") {
            return Err(Failure::plain(
                keys::ARGUMENTS,
                "standard input contains the passwords; name a file with --list",
            ));
        }
        refuse_columns_of_lines(self.list_form, self.list_columns.as_ref(), "list-")?;
        let kind = self.kind.kind();
        let built_in = self.common.then_some(ListName::Embedded(&BUILT_IN));
        let names = built_in.into_iter().chain(self.lists.iter().cloned().map(ListName::Path));
        let wanted = Wanted { form: self.list_form, columns: self.list_columns.clone() };
        let expected =
            Expected { kind, wanted, charset: self.list_charset, most: self.max_text, is_partial: true };
        let lists = input::open(&names.collect::<Vec<_>>(), &expected, progress);
        lists.map(|lists| Some((kind, lists))).map_err(|e| Failure::new("cannot compare", e))
    }
}
