//! Hooks for the end-to-end tests. Compiled with debug assertions only: no shipped module contains them.

use std::path::Path;

use nearmiss_filters::storage::read_page_by_page;

/// The check of a password that begins with this panics.
const PANICS: &[u8] = b"panic-injection";
/// A filter with this in its path is read through the page cache, page by page.
const PAGE_BY_PAGE: &str = "page-by-page";

/// A slice of a string off a character boundary: a panic whose message quotes the password.
pub(crate) fn before_decision(password: &[u8]) {
    let is_marked = password.starts_with(PANICS);
    assert!(!is_marked, "end byte index 1 is not a char boundary of `{}`", String::from_utf8_lossy(password));
}

pub(crate) fn before_opening(filter: &Path) {
    if filter.to_string_lossy().contains(PAGE_BY_PAGE) {
        read_page_by_page();
    }
}
