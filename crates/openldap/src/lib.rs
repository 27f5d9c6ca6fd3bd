//! `nearmiss_ppolicy.so`: a password checking module for OpenLDAP's ppolicy overlay.
//!
//! slapd 2.6 loads it by `ppolicy_check_module`; 2.5 and 2.4 by the attribute `pwdCheckModule` of a policy
//! (features `openldap-2-5` and `openldap-2-4`: other signatures). The overlay calls it under a lock, so
//! nothing here forks, waits or uses the network, unless the administrator lets servers query the fleet's
//! agent. Passwords that arrive hashed are never passed to it.

#[cfg(not(panic = "unwind"))]
compile_error!("the module must be built with panic = \"unwind\": an abort would kill slapd");

mod ffi;
