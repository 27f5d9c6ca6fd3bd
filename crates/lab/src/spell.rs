//! Spell checking, the other application of Manber & Wu's filter: which words of a text the dictionary does
//! not hold, and which of its words may have been meant.
//!
//! A document becomes [`Prose`] (its text without markup, each piece knowing its place), prose becomes
//! [`words`], and the [`Speller`] asks the filters. `markdown`, `latex` and `bibtex` are the markup that is
//! understood.

mod bibtex;
mod document;
mod finding;
mod latex;
mod markdown;
mod markup;
mod pairs;
mod prose;
mod ranking;
mod speller;
mod text;
mod words;

pub(crate) use document::{Document, Place};
pub(crate) use finding::Finding;
pub(crate) use markup::Markup;
pub(crate) use prose::Prose;
pub(crate) use speller::{Speller, Spelling, Want, counts, stem};
pub(crate) use words::{Token, words};
