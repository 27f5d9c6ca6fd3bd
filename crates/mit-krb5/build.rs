//! Hardens the shared object.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

/// `nodelete`, because the standard library's thread-local destructors must not dangle after `dlclose`.
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,relro,-z,now,-z,noexecstack,-z,nodelete");
}
