//! The age of a filter, and the command that built it.

use std::{fs, os::unix::fs::MetadataExt, path::Path};

use nearmiss_cli::{
    clock::{self, DAY, ago},
    finding::Finding,
    keys,
};
use nearmiss_filters::storage::StorageError;

use crate::{
    doctor::remedy,
    filter_file::{
        header::header_at,
        provenance::{self, Provenance},
    },
    host::shell::in_root,
};

const CHECK: &str = "age";

/// The age from which a filter counts as old, in seconds.
const OLD: i64 = 400 * DAY;

/// Examines the date of an existing filter.
pub(super) fn examine(root: &Path, file: &Path) -> Finding {
    let modified = fs::metadata(file).ok().and_then(|metadata| u64::try_from(metadata.mtime()).ok());
    let age = clock::seconds_since(modified.unwrap_or(0), clock::now());
    match Provenance::read(file) {
        Err(error) => judge(root, file, age, Err(&error)),
        Ok(record) => {
            let of = header_at(file).and_then(|header| record.filter(|record| record.is_of(file, &header)));
            judge(root, file, age, Ok(of.as_ref()))
        }
    }
}

/// Judges a filter of so many seconds. Of a filter whose record cannot be read, it is not known who built it.
fn judge(
    root: &Path,
    file: &Path,
    age: i64,
    recorded: Result<Option<&Provenance>, &StorageError>,
) -> Finding {
    let path = file.display();
    let is_packaged = remedy::is_packaged(root, file);
    let by = recorded.map(|recorded| {
        let is_updated = recorded.is_some_and(|own| own.words().starts_with(provenance::UPDATE));
        let by = recorded.map_or_else(|| "hand or on another host".to_owned(), Provenance::words);
        let left = if is_packaged && !is_updated { ": filterctl update does not replace it" } else { "" };
        format!(", by {by}{left}")
    });
    let days = age / DAY;
    let message = format!("{path} was written {}{}", ago(days), by.unwrap_or_default());
    if days < 0 {
        return Finding::clock_ahead(CHECK, &message);
    }
    if age <= OLD {
        return Finding::fine(CHECK, message);
    }
    let fix =
        if is_packaged { in_root(root, "filterctl update --force") } else { remedy::of_filter(root, file) };
    Finding::warning(keys::FILTER_OLD, CHECK, message).fix(fix)
}

#[cfg(test)]
mod tests {
    use nearmiss_filters::storage::Act;
    use nearmiss_policy::config::DEFAULT_DICTIONARY;

    use super::*;
    use nearmiss_cli::finding::State;

    const PACKAGED: &str = DEFAULT_DICTIONARY;
    const OWN: &str = "/nonexistent/own.filter";

    fn built_by(command: &str) -> Provenance {
        let text = format!(r#"{{"schema":1,"built_by":"{command} 1.0","fingerprint":"","filter":""}}"#);
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_packaged_filter_that_update_leaves_alone_is_named() {
        let (update, build) = (built_by("filterctl update"), built_by("filterctl build"));
        for (file, record, says) in [
            (PACKAGED, Some(&update), "by filterctl update 1.0"),
            (PACKAGED, Some(&build), "by filterctl build 1.0: filterctl update does not replace it"),
            (PACKAGED, None, "by hand or on another host: filterctl update does not replace it"),
            (OWN, Some(&update), "by filterctl update 1.0"),
            (OWN, Some(&build), "by filterctl build 1.0"),
            (OWN, None, "by hand or on another host"),
        ] {
            let message = judge(Path::new("/"), Path::new(file), DAY * 3, Ok(record)).message;
            assert_eq!(message, format!("{file} was written 3 days ago, {says}"));
        }
        let error = StorageError::rule(Path::new("/f.sources"), Act::OthersMayWrite);
        let unread = judge(Path::new("/"), Path::new(PACKAGED), DAY * 3, Err(&error)).message;
        assert_eq!(unread, format!("{PACKAGED} was written 3 days ago"), "of its record nothing is known");
    }

    #[test]
    fn a_filter_of_more_than_400_days_or_from_the_future_is_a_warning() {
        for (file, fix) in [
            (PACKAGED, "filterctl update --force"),
            (OWN, "filterctl install NEW.filter /nonexistent/own.filter"),
        ] {
            let judged = |age| judge(Path::new("/"), Path::new(file), age, Ok(None));
            assert_eq!([0, DAY * 400].map(|age| judged(age).state), [State::Fine, State::Fine]);
            let ahead = judged(-DAY * 3);
            let says = format!("{file} was written 3 days in the future, by hand");
            assert!(
                ahead.message.starts_with(&says) && ahead.message.contains("clock is wrong"),
                "{ahead:?}"
            );
            assert_eq!((ahead.state, ahead.key.as_deref()), (State::Warning, Some("clock-ahead")));
            let old = judged(DAY * 400 + 1);
            assert_eq!((old.state, old.fix.as_deref()), (State::Warning, Some(fix)));
        }
    }
}
