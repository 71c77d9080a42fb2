//! Hands the compiler's version to the conformance adapter.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let output = Command::new(rustc).arg("--version").output().expect("rustc runs");
    let text = String::from_utf8_lossy(&output.stdout); // rustc 1.91.0 (…)
    let version = text.split(' ').nth(1).expect("rustc tells its version");
    println!("cargo::rustc-env=RUSTC_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
}
