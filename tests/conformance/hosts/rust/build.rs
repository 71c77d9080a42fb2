//! Passes the versions of the compiler, reqwest and wasmi to the conformance adapter.

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

    // The crates do not expose their versions.
    let lock = fs::read_to_string(LOCK).expect("there is a lock file");
    for name in ["reqwest", "wasmi"] {
        let (_, rest) = lock
            .split_once(&format!("name = \"{name}\"\nversion = \""))
            .expect("it is in the lock file");
        let (version, _) = rest.split_once('"').expect("the version ends");
        println!("cargo::rustc-env={}_VERSION={version}", name.to_uppercase());
    }

    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={LOCK}");
}
