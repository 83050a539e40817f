//! The header equals cbindgen's output for the sources, and compiles under every standard.

use std::process::Command;

use crate::{WARNINGS, package, run};

#[test]
fn the_header_is_that_of_the_sources() {
    let file = package().join("include/urdf_ik.h");
    let config = cbindgen::Config::from_file(package().join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_crate(package()).with_config(config).generate().unwrap();
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = String::from_utf8(made).unwrap().replace(" # Safety\n", " The caller sees to it:\n");
    // C++98 has no comma after the last enumerator.
    let made = made.replace(",\n}", "\n}");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == made, "include/urdf_ik.h differs from the sources; UPDATE_HEADER=1 updates it:\n{made}");
}

#[test]
fn every_standard_accepts_the_headers() {
    let check = |language: &str, standards: &[&str], header: &str| {
        for standard in standards {
            run(Command::new("cc")
                .arg(format!("-std={standard}"))
                .args(WARNINGS)
                .args(["-fsyntax-only", "-x", language, "-include"])
                .arg(package().join("include").join(header))
                .arg("/dev/null"));
        }
    };
    check("c", &["c99", "c11", "c17"], "urdf_ik.h");
    check("c++", &["c++98", "c++11", "c++17", "c++20"], "urdf_ik.h");
    for header in ["urdf_ik.hpp", "urdf_ik_skeleton.hpp"] {
        check("c++", &["c++17", "c++20"], header);
    }
}
