//! Lets `-lpam` link on a machine that has only the run-time library, and hardens the shared object.
//!
//! pam-bindings carries `#[link(name = "pam")]`, which needs a `libpam.so`; that name comes with the
//! development package alone. Where it is missing, a link of that name to the run-time `libpam.so.0` is put
//! into `OUT_DIR`.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::{env, fs, io, os::unix::fs::symlink, path::Path};

/// The paths of libpam in distributions, for the architectures Debian names and for the plain layouts of the
/// others.
const FOLDERS: [&str; 14] = [
    "/usr/lib/x86_64-linux-gnu",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/lib/aarch64-linux-gnu",
    "/usr/lib/arm-linux-gnueabihf",
    "/usr/lib/i386-linux-gnu",
    "/usr/lib/riscv64-linux-gnu",
    "/usr/lib/powerpc64le-linux-gnu",
    "/usr/lib/s390x-linux-gnu",
    "/usr/lib64",
    "/lib64",
    "/usr/lib",
    "/lib",
    "/usr/local/lib",
];

/// `libpam.so.0` is named outright, so that a loader with private scopes (`RTLD_LOCAL`) finds the symbols;
/// `nodelete`, because the standard library's thread-local destructors must not dangle after `dlclose`.
const LINK_ARGUMENTS: [&str; 2] =
    ["-l:libpam.so.0", "-Wl,-z,relro,-z,now,-z,noexecstack,-z,defs,-z,nodelete"];

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    for argument in LINK_ARGUMENTS {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
    if find("libpam.so").is_none() {
        link_run_time_library()?;
    }
    Ok(())
}

fn find(name: &str) -> Option<String> {
    FOLDERS.iter().map(|folder| format!("{folder}/{name}")).find(|path| Path::new(path).exists())
}

fn link_run_time_library() -> io::Result<()> {
    let Some(library) = find("libpam.so.0") else { return Ok(()) };
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    let link = Path::new(&folder).join("libpam.so");
    match fs::remove_file(&link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => symlink(library, &link)?,
    }
    println!("cargo:rustc-link-search=native={}", Path::new(&folder).display());
    Ok(())
}
