//! Hardens the shared object, and sets the major release of `PostgreSQL` that it is built for: the server
//! loads no other.
//!
//! `NEARMISS_POSTGRESQL` is that release, 15 to 18; without it, the newest one on this machine, or else 17.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::{env, fs, io};

const SUPPORTED: std::ops::RangeInclusive<u32> = 15..=18;

/// `nodelete`, because the standard library's thread-local destructors must not dangle after `dlclose`.
fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=NEARMISS_POSTGRESQL");
    println!("cargo:rustc-check-cfg=cfg(names_the_module)");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,relro,-z,now,-z,noexecstack,-z,nodelete");
    let release = match env::var_os("NEARMISS_POSTGRESQL") {
        Some(text) => text.into_string().ok().and_then(|text| text.parse().ok()).unwrap_or(0),
        None => newest().unwrap_or(17),
    };
    if !SUPPORTED.contains(&release) {
        return Err(io::Error::other("NEARMISS_POSTGRESQL must be a release from 15 to 18"));
    }
    println!("cargo:rustc-env=POSTGRESQL={release}");
    if release >= 18 {
        println!("cargo:rustc-cfg=names_the_module");
    }
    Ok(())
}

fn newest() -> Option<u32> {
    let folders = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let releases = folders.filter_map(|folder| folder.file_name().to_str()?.parse().ok());
    releases.filter(|release| SUPPORTED.contains(release)).max()
}
