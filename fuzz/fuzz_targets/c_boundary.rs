//! libFuzzer's way to the boundary of libnearmiss: its sources, since the archive leaves no function open.
#![no_main]
#![allow(dead_code, reason = "the target calls what it calls")]

#[path = "../../capi/src/boundary.rs"]
mod boundary;
#[path = "../../capi/src/ffi.rs"]
mod ffi;
#[path = "../../capi/src/numbers.rs"]
mod numbers;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| boundary::boundary(bytes));
