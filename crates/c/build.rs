//! Names the shared library in its SONAME, so that programs load the version of the interface that they were built for.

/// Version of the binary interface. It changes if a program that was built with an older header no longer works.
const INTERFACE: &str = "0";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,liburdf_ik_c.so.{INTERFACE}");
    }
}
