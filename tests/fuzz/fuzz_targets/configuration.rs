//! libFuzzer's way to `nearmiss_tests::fuzz::configuration`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| nearmiss_tests::fuzz::configuration(bytes));
