//! Builds, updates, checks, explains and studies nearmiss filters.

fn main() {}
