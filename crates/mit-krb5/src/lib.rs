//! `nearmiss_pwqual.so`: the `pwqual` module of MIT Kerberos 1.9 and later that asks nearmiss.
//!
//! kadmind and kadmin.local load it by one line of krb5.conf and ask it for each new password, with and
//! without a policy. The reason is shown to the user who changes the password (`kpasswd`, `kadmin`).
//!
//! The interface is that of `krb5/pwqual_plugin.h` and `krb5/plugin.h`, version 1.

#[cfg(not(panic = "unwind"))]
compile_error!("the module must be built with panic = \"unwind\": an abort would kill kadmind");

mod ffi;
