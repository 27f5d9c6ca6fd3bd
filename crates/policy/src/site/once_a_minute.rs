//! At most one warning a minute among all processes: during an attack logins fail by the thousand, and must
//! not flood the log.

use std::path::Path;

use nearmiss_filters::storage::{Walk, make_once, mapped::SharedBits};

const MINUTE: u64 = 60;

/// True if a warning about failed logins may be logged at the time `now`, in seconds since 1970, among all
/// processes with the same error. The time of the last warning is stored in a file `warned` of one word next
/// to the file of recent failures, `seen`; the process that replaces it may warn. False if the file cannot
/// exist; `filterctl doctor --only ladder` reports that.
pub fn may_warn(seen: &Path, now: u64) -> bool {
    let Some(last) = opened(&seen.with_file_name("warned"), Some(0), 1) else { return false };
    let Ok(then) = last.load_word(0) else { return false };
    // A time in the future is a clock that was set back.
    let is_over = now.abs_diff(then) >= MINUTE;
    is_over && last.replace_word(0, then, now).unwrap_or(false)
}

/// A file of this number of words that processes share. It is created with the first word `first` if it does
/// not exist; without `first` it is opened for reading only, which needs no write permission.
pub(super) fn opened(path: &Path, first: Option<u64>, words: u64) -> Option<SharedBits> {
    let walk = Walk::default();
    let open = || if first.is_some() { walk.open_for_update(path) } else { walk.open(path) };
    let file = match (open(), first) {
        (Err(_), Some(first)) => {
            make_once(path, &first.to_le_bytes(), words.saturating_mul(8)).and_then(|()| open())
        }
        (opened, _) => opened,
    };
    SharedBits::new(file.ok()?.file, path, (0, words), first.is_some()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_all_who_would_warn_in_a_minute_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nearmiss/failures");
        let now = 1_800_000_000;
        let warned = |from: u64| (from..from + 8).filter(|second| may_warn(&path, *second)).count();
        assert_eq!([warned(now), warned(now + 10), warned(now + 55), warned(now + 70)], [1, 0, 1, 0]);
        assert!(may_warn(&path, now - 100_000), "the clock was set back");
        std::fs::write(path.with_file_name("warned"), b"short").unwrap();
        assert!(!may_warn(&path, now + 1000));
    }
}
