//! What the linker needs to know of the shared library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,librostering.so.0");
        // dlclose must not remove code that a thread may still run: a name lookup cannot be interrupted.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
