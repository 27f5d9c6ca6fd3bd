//! `nearmiss_ppolicy.so`: the password checking module of OpenLDAP's ppolicy overlay that asks nearmiss.
//!
//! slapd 2.5 and 2.6 load it by `ppolicy_check_module`, 2.4 by the attribute `pwdCheckModule` of a policy
//! (feature `openldap-2-4`, another signature). The overlay calls it under a lock, so that nothing here
//! forks, waits or asks the network. Passwords that arrive hashed are never handed to it.

#[cfg(not(panic = "unwind"))]
compile_error!("the module must be built with panic = \"unwind\": an abort would kill slapd");

mod dn;
mod ffi;
