//! What the linker needs to know of the shared library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let of_cargo = |name: &str| std::env::var(name).unwrap_or_default();
    let (major, minor) = (of_cargo("CARGO_PKG_VERSION_MAJOR"), of_cargo("CARGO_PKG_VERSION_MINOR"));
    // The versions that share an ABI have the same name.
    let arguments = match of_cargo("CARGO_CFG_TARGET_OS").as_str() {
        // dlclose must not remove code that a thread may still run: a name lookup cannot be interrupted.
        "linux" => format!("-Wl,-soname,librostering.so.{major}.{minor},-z,nodelete"),
        "macos" => format!("-Wl,-install_name,@rpath/librostering.{major}.{minor}.dylib"),
        _ => return,
    };
    println!("cargo:rustc-cdylib-link-arg={arguments}");
}
