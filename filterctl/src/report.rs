//! The output of commands. The facts of a filter are printed as `filterlab` prints them; `lists` has
//! the counts of the lines of lists.

pub(crate) mod family;
pub(crate) mod lists;

pub(crate) use nearmiss_cli::report::{
    Report, SCHEMA, START, access, counted, digits, header, number, print, print_bytes, wrapped, write,
};
