//! Passes the versions of the compiler and of reqwest to the conformance adapter.

use std::process::Command;
use std::{env, fs};

/// The workspace's lock file.
const LOCK: &str = "../../../../sdk/rust/Cargo.lock";

fn main() {
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    let output = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc runs");
    let text = String::from_utf8_lossy(&output.stdout); // rustc 1.91.0 (…)
    let version = text.split(' ').nth(1).expect("rustc prints its version");
    println!("cargo::rustc-env=RUSTC_VERSION={version}");

    // reqwest does not expose its version.
    let lock = fs::read_to_string(LOCK).expect("there is a lock file");
    let (_, rest) = lock
        .split_once("name = \"reqwest\"\nversion = \"")
        .expect("it has reqwest");
    let (version, _) = rest.split_once('"').expect("the version ends");
    println!("cargo::rustc-env=REQWEST_VERSION={version}");

    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={LOCK}");
}
