//! `nearmiss_password_check.so`: a password validation plugin for MariaDB 10.1.2 and later.
//!
//! `CREATE USER`, `ALTER USER`, `SET PASSWORD` and `GRANT` with a plain-text password call it; a rejected
//! statement fails with error 1819 and the reason. `strict_password_validation` (on by default) refuses
//! hashes, which cannot be checked.
//!
//! The interface is declared from its documentation: plugins of type 8, password validation, in version 1.1
//! of that interface.

#[cfg(not(panic = "unwind"))]
compile_error!("the plugin must be built with panic = \"unwind\": an abort would kill the server");

mod ffi;
