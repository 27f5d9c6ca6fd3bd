//! `nearmiss_password_check.so`: a password validation plugin of MariaDB 10.1.2 and later that asks nearmiss.
//!
//! `CREATE USER`, `ALTER USER`, `SET PASSWORD` and `GRANT` with a password in the clear ask it; the statement
//! fails with error 1819 and the reason. `strict_password_validation` (on by default) keeps hashes out, which
//! cannot be judged.
//!
//! The interface is written down here from its documentation: plugins of type 8, password validation, in
//! version 1.1 of that interface.

#[cfg(not(panic = "unwind"))]
compile_error!("the plugin must be built with panic = \"unwind\": an abort would kill the server");

mod ffi;
