//! Pictures of filters and ladders: every bit a pixel where the file is small, the fill of every page where
//! it is large, with the facts of the header below.
//!
//! `subject` reads a file; `panel` draws one, with its pages where `grid` says and the text of `caption`;
//! `canvas` holds the pixels, in the colours of `colour`, and writes text and PNG.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::arithmetic_side_effects,
    reason = "places of pixels and colours, far below 2³²; a width is never 0"
)]

mod canvas;
mod caption;
mod colour;
mod grid;
mod panel;
mod subject;

pub(crate) use panel::draw;
pub(crate) use subject::PictureSubject;
