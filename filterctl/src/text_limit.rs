//! How long the lists may be that are named on a command line.

use crate::input::MaxText;

/// The flag, for every command that reads lists into a filter.
#[derive(clap::Args)]
pub(crate) struct TextLimit {
    /// Refuse a list with more text than this, unpacked: a number of bytes, or with K, M, G or T behind it.
    #[arg(long, value_name = "SIZE", default_value = "64G", value_parser = MaxText::parse)]
    pub(crate) max_text: MaxText,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_that_of_all_lists_that_are_named() {
        assert_eq!(MaxText::parse("64G"), Ok(MaxText::NAMED));
    }
}
