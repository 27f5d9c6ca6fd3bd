//! libFuzzer's way to `nearmiss_tests::fuzz::ladder`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nearmiss_tests::fuzz::ladder(bytes));
