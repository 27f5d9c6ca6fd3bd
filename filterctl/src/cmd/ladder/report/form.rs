//! The forms of a line of the system log, for the module's message about an address that guesses often: the
//! same as in `log-report.awk`.
//!
//! A user can make another program log the same words, in a user name for instance; only the module's own
//! message is parsed here, and nothing before or after it.

use std::net::IpAddr;

use serde_json::Value;

const START: &str = "pam_nearmiss(";
const AFTER_SERVICE: &str = ":auth): guess from ";
const BEFORE_WEIGHT: &str = " weight ";
const END: &str = ": a password that is guessed often here";

/// The address of a guess, and its weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    pub(super) address: IpAddr,
    pub(super) weight: u64,
}

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A guess, so many times.
    Guess(Guess, u64),
    /// The line before, so many times more.
    Again(u64),
    /// Nothing about guesses, or the words of somebody else.
    Other,
    /// A guess in a form that is not known.
    Unread,
}

/// Reads a line.
pub(super) fn read(line: &[u8]) -> Line {
    let line = String::from_utf8_lossy(line);
    let line = line.trim_end_matches('\r');
    let has_words = || line.contains(START) && line.contains(AFTER_SERVICE);
    if line.starts_with('{') {
        return if has_words() { entry(line) } else { Line::Other };
    }
    if let Some(times) = again(line) {
        return Line::Again(times);
    }
    match written(line) {
        Some(message) => message_of(message),
        None if has_words() => Line::Unread,
        None => Line::Other,
    }
}

/// An entry of the journal: `journalctl -o json`. Only root's are of the module: nobody else may count.
fn entry(line: &str) -> Line {
    let Ok(entry) = serde_json::from_str::<Value>(line) else { return Line::Unread };
    if entry.get("_UID").is_some_and(|uid| uid != "0") {
        return Line::Other;
    }
    match entry.get("MESSAGE") {
        Some(Value::String(message)) => message_of(message),
        // The module writes ASCII: an entry of bytes is of somebody else.
        Some(Value::Array(_)) => Line::Other,
        _ => Line::Unread,
    }
}

/// How often sysklogd says that the line before was repeated.
fn again(line: &str) -> Option<u64> {
    let (head, times) = line.split_once(" last message repeated ")?;
    let is_of_a_program = head.contains(": ") || head.ends_with(':');
    if is_of_a_program { None } else { times.strip_suffix(" times")?.parse().ok() }
}

/// The message of a line of text, behind a time stamp, the host and the program, which end at the first colon
/// with a space; none if these are in another form.
fn written(line: &str) -> Option<&str> {
    if line.starts_with(START) {
        return Some(line);
    }
    if let Some(message) = rfc5424(line) {
        return Some(message);
    }
    let (head, message) = line.split_once(": ")?;
    // The first colon is the module's own where nothing before it ends in one.
    (!head.contains(START)).then_some(message)
}

/// The message of a line of RFC 5424: `<38>1 TIME HOST PROGRAM PROCESS ID DATA MESSAGE`.
fn rfc5424(line: &str) -> Option<&str> {
    let line = match line.strip_prefix('<') {
        Some(rest) => rest.split_once('>').filter(|(priority, _)| priority.parse::<u16>().is_ok())?.1,
        None => line,
    };
    let mut rest = line.strip_prefix("1 ")?;
    for _ in 0..5 {
        rest = rest.split_once(' ')?.1;
    }
    let rest = match rest.strip_prefix('-') {
        Some(rest) => rest,
        None => behind_data(rest)?,
    };
    let message = rest.strip_prefix(' ')?;
    // Where the program wrote a blank ahead of its message.
    Some(message.strip_prefix('\u{feff}').unwrap_or(message).trim_start_matches(' '))
}

/// What follows the elements of data, in brackets.
fn behind_data(mut rest: &str) -> Option<&str> {
    if !rest.starts_with('[') {
        return None;
    }
    while let Some(inner) = rest.strip_prefix('[') {
        rest = behind_element(inner)?;
    }
    Some(rest)
}

/// What follows the bracket that ends an element; one in quotes does not.
fn behind_element(inner: &str) -> Option<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, character) in inner.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return inner.get(at.saturating_add(1)..),
            _ => {}
        }
    }
    None
}

/// A message, which may say how often it was written.
fn message_of(message: &str) -> Line {
    if let Some(times) = suppressed(message) {
        return Line::Again(times);
    }
    let (message, times) = repeated(message).unwrap_or((message, 1));
    let is_guess = message.starts_with(START) && message.contains(AFTER_SERVICE);
    match guess(message) {
        Some(guess) => Line::Guess(guess, times),
        None if is_guess => Line::Unread,
        None => Line::Other,
    }
}

/// The message that rsyslog says was repeated, and how often.
fn repeated(message: &str) -> Option<(&str, u64)> {
    let (times, inner) = message.strip_prefix("message repeated ")?.split_once(" times: [")?;
    Some((inner.trim_start().strip_suffix(']')?, times.parse().ok()?))
}

/// How often syslog-ng says that the message before was repeated, of which it writes the beginning alone.
fn suppressed(message: &str) -> Option<u64> {
    let (_, rest) = message.strip_prefix("Last message '")?.rsplit_once("' repeated ")?;
    rest.split_once(" times, suppressed by syslog-ng")?.0.parse().ok()
}

/// The address and the weight of a message that is the module's from its name to its end.
fn guess(message: &str) -> Option<Guess> {
    let (service, rest) = message.strip_prefix(START)?.split_once(AFTER_SERVICE)?;
    let is_service = service.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte));
    let (address, weight) = rest.strip_suffix(END)?.split_once(BEFORE_WEIGHT)?;
    let guess = Guess { address: address.parse().ok()?, weight: weight.parse().ok()? };
    is_service.then_some(guess)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGE: &str = "guess from 203.0.113.7 weight 5: a password that is guessed often here";
    const OURS: &str = "pam_nearmiss(sshd:auth): ";

    fn of(line: &str) -> Line {
        read(line.as_bytes())
    }

    #[test]
    fn the_modules_own_lines_are_read_in_every_form() {
        let found = Guess { address: "203.0.113.7".parse().unwrap(), weight: 5 };
        for prefix in [
            "Nov 22 02:49:01 host sshd[123]: ",
            "2026-11-22T02:49:01.123456+00:00 host sshd-session[1]: ",
            "<38>Nov 22 02:49:01 host dovecot: ",
            "",
            "<38>1 2026-11-22T02:49:01Z host sshd 1 - - ",
            "<38>1 2026-11-22T02:49:01Z host sshd 1 - -  ",
            "1 2026-11-22T02:49:01.1+01:00 host sshd 1 - - \u{feff}",
            "<38>1 - host sshd - - [meta x=\"a]\\\"b\"][other] ",
        ] {
            for end in ["", "\r"] {
                let line = format!("{prefix}{OURS}{MESSAGE}{end}");
                assert_eq!(of(&line), Line::Guess(found, 1), "{line:?}");
            }
        }
        let v6 = format!("{OURS}{}", MESSAGE.replace("203.0.113.7", "2001:db8::7"));
        assert!(matches!(of(&v6), Line::Guess(Guess { address: IpAddr::V6(_), .. }, 1)));
        for (entry, expected) in [
            (format!("{{\"_UID\":\"0\",\"MESSAGE\":\"{OURS}{MESSAGE}\"}}"), Line::Guess(found, 1)),
            (format!("{{\"MESSAGE\":\"{OURS}{MESSAGE}\"}}"), Line::Guess(found, 1)),
            (format!("{{\"_UID\":\"1000\",\"MESSAGE\":\"{OURS}{MESSAGE}\"}}"), Line::Other),
            (format!("{{\"_UID\":\"0\",\"MESSAGE\":\"Invalid user {OURS}{MESSAGE}\"}}"), Line::Other),
            (format!("{{\"_UID\":\"0\",\"MESSAGE\":\"{OURS}{MESSAGE}"), Line::Unread),
            ("{\"_UID\":\"0\",\"MESSAGE\":null}".to_owned(), Line::Other),
        ] {
            assert_eq!(of(&entry), expected, "{entry}");
        }
    }

    /// What others chose to write is no guess, and nothing that the module wrote is passed over.
    #[test]
    fn what_a_client_wrote_is_not_read_and_what_is_in_no_form_is_told() {
        let at = "Nov 22 02:49:01 host sshd[1]";
        for line in [
            format!("{at}: Invalid user {OURS}{MESSAGE} from 192.0.2.1"),
            format!("{at}: Invalid user : {OURS}{MESSAGE}"),
            format!("{at}: pam_unix(sshd:auth): failure; user=: {OURS}{MESSAGE}"),
            format!("{at}: pam_unix(sshd:auth): {MESSAGE}"),
            format!("{at}: {OURS}a failed login is counted"),
            format!("<38>1 - host sshd - - - Invalid user {OURS}{MESSAGE}"),
            format!("<38>1 - host sshd - - [x] Invalid user ] {OURS}{MESSAGE}"),
            format!("{at}: last message repeated 7 times"),
        ] {
            assert_eq!(of(&line), Line::Other, "{line}");
        }
        for line in [
            format!("    MESSAGE={OURS}{MESSAGE}"),
            format!("{at}: pam_nearmiss(a b:auth): {MESSAGE}"),
            format!("{at}: {OURS}guess from no address weight 5: a password that is guessed often here"),
            format!("{at}: {OURS}guess from 203.0.113.7 weight 5: a passw"),
            format!("host,sshd,{OURS}{MESSAGE}"),
        ] {
            assert_eq!(of(&line), Line::Unread, "{line}");
        }
        assert_eq!(read(b"\xff"), Line::Other);
    }
}
