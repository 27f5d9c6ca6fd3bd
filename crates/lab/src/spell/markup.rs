//! The markup of a document: by its name, or else by its content.

use std::{ffi::OsStr, path::Path};

use super::{Prose, bibtex, latex, markdown};

/// A markup that can be recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Markup {
    /// None: all of it is text.
    Plain,
    /// Markdown, as of `CommonMark`.
    Markdown,
    /// LaTeX or plain TeX.
    Latex,
    /// A BibTeX or biblatex data base.
    Bibtex,
}

impl Markup {
    /// The markup of a document with this name and text.
    pub(crate) fn of(name: &Path, source: &str) -> Markup {
        let extension = name.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        match extension.as_deref() {
            Some("tex" | "ltx" | "latex" | "sty" | "cls") => Markup::Latex,
            Some("bib") => Markup::Bibtex,
            Some("md" | "markdown") => Markup::Markdown,
            Some("txt" | "text") => Markup::Plain,
            _ => Markup::in_text(source),
        }
    }

    fn in_text(source: &str) -> Markup {
        if source.contains("\\begin{document}") || source.contains("\\documentclass") {
            return Markup::Latex;
        }
        let first = source.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('%'));
        if first.is_some_and(bibtex::begins_entry) { Markup::Bibtex } else { Markup::Plain }
    }

    /// The text of a document without its markup.
    pub(crate) fn prose(self, source: &str) -> Prose {
        match self {
            Markup::Plain => Prose::plain(source),
            Markup::Markdown => markdown::prose(source),
            Markup::Latex => latex::prose(source),
            Markup::Bibtex => bibtex::prose(source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, source: &str) -> Markup {
        Markup::of(Path::new(name), source)
    }

    #[test]
    fn the_name_decides_before_the_text() {
        assert_eq!(of("thesis.TEX", ""), Markup::Latex);
        assert_eq!(of("a.bib", ""), Markup::Bibtex);
        assert_eq!(of("README.md", "\\documentclass"), Markup::Markdown);
        assert_eq!(of("notes.txt", "@book{a,"), Markup::Plain);
    }

    #[test]
    fn the_text_decides_where_the_name_says_nothing() {
        assert_eq!(of("-", "% hello\n\\documentclass{article}"), Markup::Latex);
        assert_eq!(of("-", "% refs\n\n@Article{key,\n"), Markup::Bibtex);
        assert_eq!(of("-", "@home he said"), Markup::Plain);
        assert_eq!(of("-", ""), Markup::Plain);
    }
}
