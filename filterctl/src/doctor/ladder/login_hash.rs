//! The hash of this system's logins: the method for new passwords, and its approximate time.
//!
//! Neither the module nor this program links libcrypt, so the time is not measured but computed from the
//! configured cost: see [`LoginHash::usual_time`].

use std::{fmt, path::Path, time::Duration};

use crate::host::text_file::read_lossy;

/// The file of a distribution's password stack with the `pam_unix` line.
const STACKS: [&str; 4] = [
    "/etc/pam.d/common-password",
    "/etc/pam.d/system-auth",
    "/etc/pam.d/password-auth",
    "/etc/pam.d/base-password",
];
const LOGIN_DEFS: &str = "/etc/login.defs";

/// A method of crypt(5), with the time of one hash at its usual cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Method {
    name: &'static str,
    /// The key of login.defs(5) with its cost; none if the cost is always the same.
    cost_key: Option<&'static str>,
    usual_cost: u32,
    usual_micros: u32,
    /// True if a cost one higher takes twice as long; false if the time is proportional to the cost.
    is_exponential: bool,
}

/// Processor time at the usual cost on a processor of about 3 GHz: 20 ms for yescrypt's 16 MiB (`j9T`) and 2
/// ms for 5,000 rounds of SHA-512 (libxcrypt 4.4 on the machines the tests ran on); bcrypt takes 2⁵ expensive
/// key schedules at its least cost (Provos and Mazières, "A Future-Adaptable Password Scheme", 1999). What
/// each step of the cost does: crypt(5) and `rounds` in `pam_unix(8)`.
const METHODS: [Method; 6] = [
    Method::exponential("yescrypt", "YESCRYPT_COST_FACTOR", 5, 20_000),
    Method::exponential("gost_yescrypt", "YESCRYPT_COST_FACTOR", 5, 20_000),
    Method::exponential("blowfish", "BCRYPT_MAX_ROUNDS", 5, 2_000),
    Method::proportional("sha512", 2_000),
    Method::proportional("sha256", 2_000),
    Method { cost_key: None, usual_cost: 1, ..Method::proportional("md5", 200) },
];

impl Method {
    const fn exponential(name: &'static str, cost_key: &'static str, usual_cost: u32, micros: u32) -> Method {
        let cost_key = Some(cost_key);
        Method { name, cost_key, usual_cost, usual_micros: micros, is_exponential: true }
    }

    const fn proportional(name: &'static str, micros: u32) -> Method {
        let (cost_key, usual_cost) = (Some("SHA_CRYPT_MAX_ROUNDS"), 5000);
        Method { name, cost_key, usual_cost, usual_micros: micros, is_exponential: false }
    }

    /// The method of this name, as a `pam_unix` line or login.defs(5) writes it.
    fn named(name: &str) -> Option<Method> {
        let name = if name.eq_ignore_ascii_case("bcrypt") { "blowfish" } else { name };
        METHODS.into_iter().find(|method| method.name.eq_ignore_ascii_case(name))
    }
}

/// The hash of new passwords.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LoginHash {
    method: Method,
    cost: u32,
}

impl LoginHash {
    /// The configuration of this system; yescrypt at its usual cost by default.
    pub(super) fn of_system() -> LoginHash {
        let root = Path::new("/");
        let stacks: Vec<String> =
            STACKS.iter().filter_map(|path| read_lossy(root, Path::new(path)).ok()).collect();
        let stacks: Vec<&str> = stacks.iter().map(String::as_str).collect();
        LoginHash::of_texts(&stacks, &read_lossy(root, Path::new(LOGIN_DEFS)).unwrap_or_default())
    }

    /// Reads the first `pam_unix` password line of these stacks and, if it names no method, login.defs(5).
    pub(super) fn of_texts(stacks: &[&str], login_defs: &str) -> LoginHash {
        let lines = stacks.iter().flat_map(|stack| stack.lines());
        let mut unix_lines =
            lines.filter(|line| line.starts_with("password") && line.contains("pam_unix.so"));
        let words: Vec<&str> =
            unix_lines.next().map_or_else(Vec::new, |line| line.split_whitespace().collect());
        let on_line = words.iter().find_map(|word| Method::named(word));
        let in_defs = || value(login_defs, "ENCRYPT_METHOD").and_then(Method::named);
        let method = on_line.or_else(in_defs).unwrap_or(METHODS[0]);
        let rounds = words.iter().find_map(|word| word.strip_prefix("rounds="));
        let cost = method.cost_key.and_then(|key| rounds.or_else(|| value(login_defs, key)));
        let cost = cost.and_then(|cost| cost.parse().ok());
        LoginHash { method, cost: cost.unwrap_or(method.usual_cost) }
    }

    #[cfg(test)]
    pub(super) fn usual() -> LoginHash {
        LoginHash::of_texts(&[], "")
    }

    /// The processor time that one hash takes on a usual processor: the table's time, doubled for each step
    /// of the cost where the cost is an exponent, else in proportion.
    pub(super) fn usual_time(&self) -> Duration {
        let Method { usual_cost, usual_micros, is_exponential, .. } = self.method;
        let ratio = if is_exponential {
            (f64::from(self.cost) - f64::from(usual_cost)).min(32.0).exp2()
        } else {
            f64::from(self.cost) / f64::from(usual_cost)
        };
        Duration::from_micros(usual_micros.into()).mul_f64(ratio)
    }
}

impl fmt::Display for LoginHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with cost {}, as new passwords are hashed (not measured)", self.method.name, self.cost)
    }
}

/// The value of a key of login.defs(5).
fn value<'t>(login_defs: &'t str, key: &str) -> Option<&'t str> {
    let of_line = |line: &'t str| {
        let mut words = line.split_whitespace();
        (words.next() == Some(key)).then(|| words.next()).flatten()
    };
    login_defs.lines().find_map(of_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(stack: &str, login_defs: &str) -> (&'static str, u32, u128) {
        let hash = LoginHash::of_texts(&["# password pam_unix.so md5", stack], login_defs);
        (hash.method.name, hash.cost, hash.usual_time().as_millis())
    }

    #[test]
    fn the_pam_unix_line_comes_before_login_defs() {
        let line = "password [success=1 default=ignore] pam_unix.so obscure yescrypt";
        let sha = "password sufficient pam_unix.so sha512 shadow rounds=65536";
        let defs = "# ENCRYPT_METHOD DES\nENCRYPT_METHOD SHA512\nYESCRYPT_COST_FACTOR 7\n";
        assert_eq!(found(line, ""), ("yescrypt", 5, 20));
        assert_eq!(found(line, defs), ("yescrypt", 7, 80));
        assert_eq!(found(sha, defs), ("sha512", 65_536, 26));
        assert_eq!(found("password required pam_unix.so", defs), ("sha512", 5000, 2));
        assert_eq!(found("password required pam_unix.so md5", "SHA_CRYPT_MAX_ROUNDS 90000\n"), ("md5", 1, 0));
        assert_eq!(found("auth required pam_unix.so md5", "ENCRYPT_METHOD BCRYPT\n"), ("blowfish", 5, 2));
        assert_eq!(found("", "ENCRYPT_METHOD UNHEARD_OF"), ("yescrypt", 5, 20));
        assert_eq!(found("password x pam_unix.so blowfish rounds=12", ""), ("blowfish", 12, 256));
    }

    #[test]
    fn no_cost_in_a_file_breaks_the_computation() {
        for cost in ["0", "4294967295", "-1", "x", ""] {
            for method in ["yescrypt", "sha512", "md5", "blowfish"] {
                let (_, _, millis) = found(&format!("password x pam_unix.so {method} rounds={cost}"), "");
                assert!(millis < u128::from(u64::MAX), "{method} {cost}");
            }
        }
    }
}
