//! nearmiss's `libcrack.so.2`: the functions of cracklib's `crack.h`, loaded before the system's by one file
//! in `/etc/ld.so.conf.d`. Programs that call cracklib then call nearmiss: `pam_pwquality`, pwscore,
//! python3-pwquality, python3-cracklib, systemd, MariaDB's plugin.
//!
//! A process of root or of the filter's group uses the site's configuration. A process of an ordinary user
//! (pwscore in Cockpit, a settings panel), which may not read the private filter and sets no password itself,
//! only queries a public filter of the built-in list.

#[cfg(not(panic = "unwind"))]
compile_error!("the drop-in must be built with panic = \"unwind\": an abort would kill passwd");

mod answers;
mod ffi;
