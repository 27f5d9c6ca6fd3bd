//! `nearmiss_ppolicy.so`: the password checking module of OpenLDAP's ppolicy overlay that asks nearmiss.
//!
//! slapd 2.6 loads it by `ppolicy_check_module`; 2.5 and 2.4 by the attribute `pwdCheckModule` of a policy
//! (features `openldap-2-5` and `openldap-2-4`: other signatures). The overlay calls it under a lock, so that
//! nothing here forks, waits or asks the network, unless the administrator has servers ask the fleet's
//! agent. Passwords that arrive hashed are never handed to it.

#[cfg(not(panic = "unwind"))]
compile_error!("the module must be built with panic = \"unwind\": an abort would kill slapd");

mod ffi;
