//! See `crates/cli/tests/common/documents.rs`.

#[path = "../../../cli/tests/common/documents.rs"]
mod common;

#[test]
fn the_commands_of_every_document_are_known() {
    common::all_are_known("nearmiss-fetch", &nearmiss_fetch::command(), 0);
}
