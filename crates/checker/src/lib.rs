//! A site for programs that run for months: servers, their plugins, and programs that load a shared library.
//!
//! A [`Checker`] may be called from any number of threads, and also after `fork`. It never waits for a lock,
//! never panics, and notices by itself when the configuration, a filter or the ladder is replaced. Each
//! [`Answer`] has a verdict, a sentence for the user and a line for the administrator's log; nothing of the
//! password is in any of them.
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
