//! The strictest of what several lines set.

use serde::Serialize;

/// A setting and its source.
#[derive(Clone, Debug, Serialize)]
pub(super) struct KeptSetting {
    pub(super) key: String,
    pub(super) value: String,
    pub(super) from: String,
}

/// The default of nearmiss, which needs no setting.
const DEFAULT_LENGTH: &str = "8";

/// A setting that is not kept, and why.
pub(super) type Lost = (String, String);

/// One setting for each key, from the settings of each line.
pub(super) fn strictest(of_lines: Vec<Vec<KeptSetting>>) -> (Vec<KeptSetting>, Vec<Lost>) {
    let lines = of_lines.len();
    let (mut found, mut lost) = (Vec::<(KeptSetting, usize)>::new(), Vec::new());
    for kept in of_lines.into_iter().flatten() {
        match found.iter_mut().find(|(own, _)| own.key == kept.key) {
            None => found.push((kept, 1)),
            Some((own, count)) => {
                *count = count.saturating_add(1);
                lost.extend(join(own, kept));
            }
        }
    }
    let mut settings = Vec::new();
    for (kept, count) in found {
        if is_weakening(&kept) && count < lines {
            lost.push((kept.from, "it is off: another line checks it".to_owned()));
        } else if !is_default(&kept) {
            settings.push(kept);
        }
    }
    (settings, lost)
}

/// Keeps the stricter of two settings of the same key; returns the other, and why it is not kept.
fn join(own: &mut KeptSetting, mut other: KeptSetting) -> Option<Lost> {
    if other.from == own.from {
        return None;
    }
    if other.value == own.value {
        let note = format!("{} sets the same value", own.from);
        return Some((other.from, note)).filter(|_| !is_default(own));
    }
    if own.key == "policy.forbidden_words" {
        own.value = joined(&own.value, &other.value);
        own.from = format!("{}; {}", own.from, other.from);
        return None;
    }
    let number = |kept: &KeptSetting| kept.value.parse::<i64>().unwrap_or_default();
    let is_number = matches!(own.key.as_str(), "min_length" | "suggest_bits");
    if (is_number && number(&other) > number(own)) || (!is_number && is_weakening(own)) {
        std::mem::swap(own, &mut other);
    }
    // A default that another line goes beyond is of no interest.
    let is_named = !other.from.ends_with("default)");
    is_named.then(|| (other.from, format!("{} sets another value, which holds", own.from)))
}

/// A list of both words.
fn joined(one: &str, other: &str) -> String {
    let inner = |list: &str| list.trim_start_matches('[').trim_end_matches(']').to_owned();
    format!("[{}, {}]", inner(one), inner(other))
}

/// True for a setting that switches a check off.
fn is_weakening(kept: &KeptSetting) -> bool {
    match kept.key.as_str() {
        "enforce" => kept.value == "\"warn\"",
        "local_users_only" => kept.value == "true",
        key => key.starts_with("context.") && kept.value == "false",
    }
}

fn is_default(kept: &KeptSetting) -> bool {
    kept.key == "min_length" && kept.value == DEFAULT_LENGTH && kept.from.ends_with("default)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(settings: &[(&str, &str)]) -> Vec<KeptSetting> {
        let kept = |(key, value): &(&str, &str)| KeptSetting {
            key: (*key).to_owned(),
            value: (*value).to_owned(),
            from: format!("{key} of {settings:?}"),
        };
        settings.iter().map(kept).collect()
    }

    fn kept(lines: &[&[(&str, &str)]]) -> Vec<(String, String)> {
        let (kept, _) = strictest(lines.iter().map(|settings| line(settings)).collect());
        kept.into_iter().map(|kept| (kept.key, kept.value)).collect()
    }

    #[test]
    fn the_longest_length_and_every_word_are_kept_from_any_line() {
        let lines: [&[_]; 3] = [
            &[("min_length", "9"), ("policy.forbidden_words", "[\"a\"]")],
            &[("min_length", "14")],
            &[("min_length", "8"), ("policy.forbidden_words", "[\"b\", \"c\"]")],
        ];
        let words = ("policy.forbidden_words".to_owned(), "[\"a\", \"b\", \"c\"]".to_owned());
        assert_eq!(kept(&lines), [("min_length".to_owned(), "14".to_owned()), words]);
    }

    #[test]
    fn a_check_is_off_only_if_every_line_has_it_off() {
        for (key, value) in [
            ("enforce", "\"warn\""),
            ("local_users_only", "true"),
            ("context.user", "false"),
            ("context.old_password", "false"),
        ] {
            let off: &[_] = &[(key, value)];
            assert_eq!(kept(&[off, off]).len(), 1, "{key}");
            assert!(kept(&[off, &[]]).is_empty() && kept(&[&[("min_length", "9")], off]).len() == 1, "{key}");
        }
        assert_eq!(kept(&[&[("enforce_for_root", "true")], &[]]).len(), 1);
    }
}
