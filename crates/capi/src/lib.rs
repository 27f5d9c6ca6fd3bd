//! `libnearmiss.so.1`: the password check of nearmiss for C and for languages that can call C.
//!
//! `include/nearmiss.h` is its documentation, `ffi` its implementation, and `link.sh` links the shared
//! object, with the symbols of `nearmiss.map`.

#[cfg(not(panic = "unwind"))]
compile_error!("libnearmiss must be built with panic = \"unwind\": an abort would kill the program");

#[cfg(test)]
mod boundary;
#[cfg(test)]
mod caller;
mod ffi;
mod numbers;
#[cfg(test)]
mod tests;
