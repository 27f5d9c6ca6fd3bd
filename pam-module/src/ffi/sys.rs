//! Declarations only: the functions and numbers of Linux-PAM (`security/pam_ext.h`, `security/_pam_types.h`)
//! that pam-bindings lacks.

use libc::{c_char, c_int, c_uint, c_void};
use pam::module::PamHandle;

/// Item: the name of the service.
pub(crate) const PAM_SERVICE: c_int = 1;
/// Item: the remote host.
pub(crate) const PAM_RHOST: c_int = 4;
/// Item: the new password.
pub(crate) const PAM_AUTHTOK: c_int = 6;
/// Item: the password that is being replaced.
pub(crate) const PAM_OLDAUTHTOK: c_int = 7;

/// Flag of the first of the two calls of a password change: test whether it is possible.
pub(crate) const PAM_PRELIM_CHECK: c_uint = 0x4000;
/// Flag of the second call: do it.
pub(crate) const PAM_UPDATE_AUTHTOK: c_uint = 0x2000;

/// Message style: an error, without a response.
pub(crate) const PAM_ERROR_MSG: c_int = 3;
/// Message style: a text, without a response.
pub(crate) const PAM_TEXT_INFO: c_int = 4;

/// Return codes that the flow distinguishes.
pub(crate) const PAM_SUCCESS: c_int = 0;
/// The retyped password differs.
pub(crate) const PAM_TRY_AGAIN: c_int = 24;

unsafe extern "C" {
    pub(super) fn pam_get_item(pamh: *const PamHandle, item: c_int, value: *mut *const c_void) -> c_int;

    pub(super) fn pam_set_item(pamh: *mut PamHandle, item: c_int, value: *const c_void) -> c_int;

    pub(super) fn pam_get_user(
        pamh: *mut PamHandle,
        user: *mut *const c_char,
        prompt: *const c_char,
    ) -> c_int;

    pub(super) fn pam_get_authtok_noverify(
        pamh: *mut PamHandle,
        token: *mut *const c_char,
        prompt: *const c_char,
    ) -> c_int;

    pub(super) fn pam_get_authtok_verify(
        pamh: *mut PamHandle,
        token: *mut *const c_char,
        prompt: *const c_char,
    ) -> c_int;

    pub(super) fn pam_prompt(
        pamh: *mut PamHandle,
        style: c_int,
        response: *mut *mut c_char,
        format: *const c_char,
        ...
    ) -> c_int;

    pub(super) fn pam_syslog(pamh: *const PamHandle, priority: c_int, format: *const c_char, ...);
}
