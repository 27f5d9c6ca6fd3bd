//! Tables as CSV (RFC 4180, without the need for quotes: numbers and plain names).

use std::fmt::Display;

/// A table of named columns.
pub(crate) struct Table {
    text: String,
    columns: usize,
}

impl Table {
    /// An empty table with these columns.
    pub(crate) fn new(columns: &[&str]) -> Table {
        Table { text: format!("{}\n", columns.join(",")), columns: columns.len() }
    }

    /// Appends a row.
    pub(crate) fn row(&mut self, cells: &[&dyn Display]) {
        debug_assert_eq!(cells.len(), self.columns);
        let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
        self.text.push_str(&cells.join(","));
        self.text.push('\n');
    }

    /// The CSV.
    pub(crate) fn into_csv(self) -> String {
        self.text
    }
}

/// A number with as many digits as a measurement has.
pub(crate) fn digits(number: f64) -> String {
    if number == 0.0 { "0".to_owned() } else { format!("{number:.4e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_lines() {
        let mut table = Table::new(&["bits", "rate"]);
        table.row(&[&8, &digits(0.012_345_67)]);
        assert_eq!(table.into_csv(), "bits,rate\n8,1.2346e-2\n");
    }
}
