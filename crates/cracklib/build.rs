//! Gives the shared object the name of the library that it replaces, and lets it depend on the real one, by
//! its path: cracklib's own packer, unpacker and the rest of its 28 functions still come from there.
//!
//! `NEARMISS_LIBCRACK` is that path; without it, Debian's path for the target architecture.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::{env, io, path::Path, process::Command};

const HARDENED: &str = "-Wl,-z,relro,-z,now,-z,noexecstack,-z,defs,-z,nodelete";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=NEARMISS_LIBCRACK");
    let real = env::var_os("NEARMISS_LIBCRACK").and_then(|path| path.into_string().ok());
    let named = stub(&real.unwrap_or_else(of_debian))?;
    for argument in ["-Wl,-soname,libcrack.so.2", HARDENED, "-Wl,--no-as-needed", &named, "-Wl,--as-needed"] {
        println!("cargo:rustc-cdylib-link-arg={argument}");
    }
    Ok(())
}

fn of_debian() -> String {
    let is_arm_hard = of_target("CARGO_CFG_TARGET_ABI") == "eabihf";
    let triplet = match of_target("CARGO_CFG_TARGET_ARCH").as_str() {
        "x86" => "i386-linux-gnu".to_owned(),
        "arm" if is_arm_hard => "arm-linux-gnueabihf".to_owned(),
        "arm" => "arm-linux-gnueabi".to_owned(),
        "powerpc64" => "powerpc64le-linux-gnu".to_owned(),
        other => format!("{other}-linux-gnu"),
    };
    format!("/usr/lib/{triplet}/libcrack.so.2")
}

fn of_target(name: &str) -> String {
    env::var_os(name).and_then(|value| value.into_string().ok()).unwrap_or_default()
}

/// An empty library whose name is the path of the real one: an object that is linked with it depends on that
/// path.
fn stub(real: &str) -> io::Result<String> {
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    let library = Path::new(&folder).join("libreal.so");
    let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command.args(["-shared", "-nostdlib", &format!("-Wl,-soname,{real}"), "-x", "c", "/dev/null", "-o"]);
    let is_made = command.arg(&library).status()?.success();
    let library = library.into_os_string().into_string().ok().filter(|_| is_made);
    library.ok_or_else(|| io::Error::other("the C compiler could not make an empty library"))
}
