//! The age of a filter, and the command that built it.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use nearmiss_cli::{finding::Finding, keys};
use nearmiss_filters::storage::StorageError;

use crate::{
    doctor::remedy,
    filter_file::{
        header::header_at,
        provenance::{self, Provenance},
    },
    host::shell::in_root,
    report::counted,
};

const CHECK: &str = "age";

/// The age from which a filter counts as old.
const OLD: Duration = Duration::from_secs(400 * 86_400);

/// Examines the date of an existing filter.
pub(super) fn examine(root: &Path, file: &Path) -> Finding {
    let modified =
        fs::metadata(file).and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    let age = SystemTime::now().duration_since(modified).unwrap_or_default();
    match Provenance::read(file) {
        Err(error) => judge(root, file, age, Err(&error)),
        Ok(record) => {
            let of = header_at(file).and_then(|header| record.filter(|record| record.is_of(file, &header)));
            judge(root, file, age, Ok(of.as_ref()))
        }
    }
}

/// Judges a filter of this age. Of a filter whose record cannot be read, it is not known who built it.
fn judge(
    root: &Path,
    file: &Path,
    age: Duration,
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
    let days = counted(age.as_secs() / 86_400, "day");
    let message = format!("{path} was written {days} ago{}", by.unwrap_or_default());
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
    const DAY: Duration = Duration::from_secs(86_400);

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
    fn a_filter_of_more_than_400_days_is_a_warning() {
        let second = Duration::from_secs(1);
        for (file, fix) in [
            (PACKAGED, "filterctl update --force"),
            (OWN, "filterctl install NEW.filter /nonexistent/own.filter"),
        ] {
            let judged = |age| judge(Path::new("/"), Path::new(file), age, Ok(None));
            assert_eq!(judged(DAY * 400).state, State::Fine);
            let old = judged(DAY * 400 + second);
            assert_eq!((old.state, old.fix.as_deref()), (State::Warning, Some(fix)));
        }
    }
}
