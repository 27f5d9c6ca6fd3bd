//! libFuzzer's way to the boundary of libnearmiss: its sources, since the archive leaves no function open.
#![no_main]
#![allow(dead_code, reason = "the target calls what it calls")]

#[path = "../../../crates/capi/src"]
mod capi {
    pub(crate) mod boundary;
    mod caller;
    mod ffi;
    mod numbers;
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| capi::boundary::boundary(bytes));
