//! One family of the text format of Prometheus: help, type and samples.

use std::{fmt::Write, path::Path};

/// A gauge, or a counter where the name ends in `_total`.
pub(crate) struct Family {
    name: &'static str,
    help: &'static str,
    samples: Vec<(String, f64)>,
}

impl Family {
    pub(crate) fn new(name: &'static str, help: &'static str) -> Family {
        Family { name, help, samples: Vec::new() }
    }

    /// The same with one more sample.
    #[must_use]
    pub(crate) fn with(mut self, labels: &[(&str, &str)], value: impl Value) -> Family {
        self.add(labels, value);
        self
    }

    /// Adds a sample. A second one of the same labels is left out: `node_exporter` would drop one of them,
    /// with an error, and two rules of the configuration may name one file.
    pub(crate) fn add(&mut self, labels: &[(&str, &str)], value: impl Value) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        if !self.samples.iter().any(|(known, _)| *known == labels) {
            self.samples.push((labels, value.number()));
        }
    }

    /// The same without its samples, where its name is one of these.
    #[must_use]
    pub(crate) fn without(mut self, names: &[&str]) -> Family {
        if names.contains(&self.name) {
            self.samples.clear();
        }
        self
    }

    /// The sample of a file.
    pub(crate) fn add_of(&mut self, file: &Path, value: impl Value) {
        self.add(&[("file", &file.display().to_string())], value);
    }

    /// Help and type, then a line for each sample.
    pub(crate) fn text(&self) -> String {
        let Family { name, help, samples } = self;
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        let mut text = format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, value) in samples {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{name}{labels} {value}");
        }
        text
    }
}

/// The values of a sample.
pub(crate) trait Value {
    fn number(self) -> f64;
}

impl Value for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl Value for u64 {
    fn number(self) -> f64 {
        self as f64
    }
}

impl Value for i64 {
    fn number(self) -> f64 {
        self as f64
    }
}

impl Value for i32 {
    fn number(self) -> f64 {
        self.into()
    }
}

impl Value for usize {
    fn number(self) -> f64 {
        self as f64
    }
}

impl Value for bool {
    fn number(self) -> f64 {
        u8::from(self).into()
    }
}

/// The value of a label: backslashes, quotes and line ends are escaped.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_help_type_and_samples_with_escaped_labels() {
        let family = Family::new("a_b", "Words.").with(&[("file", "/a\\\"\n"), ("x", "y")], true);
        let text = "# HELP a_b Words.\n# TYPE a_b gauge\na_b{file=\"/a\\\\\\\"\\n\",x=\"y\"} 1\n";
        assert_eq!(family.text(), text);
        let empty = Family::new("a_total", "Words.").text();
        assert_eq!(empty, "# HELP a_total Words.\n# TYPE a_total counter\n");
        let twice = Family::new("a", "Words.").with(&[("x", "y")], 1).with(&[("x", "y")], 2).text();
        assert!(twice.ends_with("# TYPE a gauge\na{x=\"y\"} 1\n"), "{twice}");
        let seconds = Family::new("a", "Words.").with(&[], 1_800_000_000_u64).text();
        assert!(seconds.ends_with("\na 1800000000\n"), "{seconds}");
    }
}
