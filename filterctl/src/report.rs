//! What the commands print. The facts of a filter are printed as `filterlab` prints them; `lists` says what
//! became of the lines of lists, `verdicts` what was decided about candidates.

pub(crate) mod lists;
pub(crate) mod verdicts;

pub(crate) use nearmiss_toolkit::report::{
    Report, SCHEMA, access, counted, digits, header, number, print, print_bytes, wrapped, write,
};
