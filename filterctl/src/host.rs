//! The system: its PAM stack and modules, accounts, log, and the state files of this tool.

pub(crate) mod expire;
pub(crate) mod ffi;
pub(crate) mod fleet_agent;
pub(crate) mod left_behind;
pub(crate) mod pam_module;
pub(crate) mod pam_stack;
pub(crate) mod processes;
pub(crate) mod settings_file;
pub(crate) mod shell;
pub(crate) mod state_file;
pub(crate) mod syslog;
pub(crate) mod systemd;
pub(crate) mod text_file;
pub(crate) mod user;
