//! A site for programs that run for months: servers, their plugins, and programs that load a shared library.
//!
//! A [`Checker`] may be called from any number of threads, and also after `fork`. It never waits for a lock,
//! never panics, and notices by itself when the configuration, a filter or the ladder is replaced. Each
//! [`Answer`] has a verdict, a sentence for the user and a line for the administrator's log; nothing of the
//! password is in any of them.
//!
//! # In which order to read
//!
//! 1. The example below, and `examples/check.rs`: a whole program.
//! 2. [`Checker`]: one for a program, [`Shared`] for a plugin, [`Named`] for several configurations;
//!    [`Facts`] of the person and the machine, [`names`] for further ones.
//! 3. [`Answer`] and [`Verdict`]; [`translated`] has the sentence in other languages.
//! 4. [`Reason`], and [`mod@keys`] for the log.
//!
//! ```
//! use nearmiss_checker::{Checker, Facts, Reason, Setting, Verdict, translated};
//! # let folder = tempfile::tempdir()?;
//! # let conf = folder.path().join("site.conf");
//! # std::fs::write(&conf, "packaged = false\n[ladder]\nfile = \"/none\"\nkey = \"/none.key\"\n")?;
//!
//! let checker = Checker::open(Setting::of(&conf));
//! let facts = Facts { user: b"annemaria", ..Facts::default() };
//! let answer = checker.check(b"annamaria1", &facts);
//! assert_eq!((answer.verdict, answer.reason), (Verdict::Rejected, Some(Reason::NearUserName)));
//! let german = translated(&answer, b"de-AT");
//! assert!(german.is_some_and(|text| text.starts_with("Es ist dem Benutzernamen")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `libnearmiss`, the drop-in for `libcrack` and the servers' plugins are thin shells over it.

mod answer;
mod checker;
pub mod ffi;
mod language;
#[cfg(feature = "log")]
pub mod log;
mod named;
pub mod names;
mod opened;
mod sentence;
mod watch;

pub use answer::{Answer, MAX_DETAIL_BYTES, Verdict};
pub use checker::{Checker, Facts, Shared};
pub use language::translated;
pub use named::{Named, configuration};
pub use opened::Setting;
pub use sentence::rejection;

/// The keys of log lines.
pub use nearmiss_filters::keys;
/// The path of the configuration when no other is named.
pub use nearmiss_policy::config::DEFAULT_PATH;
/// The reason why a password is rejected.
pub use nearmiss_policy::policy::{MAX_PASSWORD_BYTES, Reason};
