//! `nearmiss_pwqual.so`: a `pwqual` module for MIT Kerberos 1.9 and later.
//!
//! kadmind and kadmin.local load it by one line of krb5.conf and call it for each new password, with and
//! without a policy. The reason is shown to the user who changes the password (`kpasswd`, `kadmin`).
//!
//! The interface is the one in `krb5/pwqual_plugin.h` and `krb5/plugin.h`, version 1.

#[cfg(not(panic = "unwind"))]
compile_error!("the module must be built with panic = \"unwind\": an abort would kill kadmind");

mod ffi;
