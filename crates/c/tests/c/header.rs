//! The header is the one that cbindgen makes of the sources.

use crate::package;

#[test]
fn the_header_is_that_of_the_sources() {
    let file = package().join("include/urdf_ik.h");
    let config = cbindgen::Config::from_file(package().join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_crate(package()).with_config(config).generate().unwrap();
    let mut made = Vec::new();
    bindings.write(&mut made);
    let made = String::from_utf8(made).unwrap().replace(" # Safety\n", " The caller sees to it:\n");
    if std::env::var_os("UPDATE_HEADER").is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    let written = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(written == made, "include/urdf_ik.h is not that of the sources; UPDATE_HEADER=1 writes it:\n{made}");
}
