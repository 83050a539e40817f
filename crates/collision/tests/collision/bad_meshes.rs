//! Invalid meshes are reported, and their links keep their other shapes.

use crate::cube;
use crate::robots::{Folder, Shaped};

/// The reason why a mesh `name` with these bytes is refused.
fn refusal(folder: &Folder, name: &str, bytes: impl AsRef<[u8]>) -> String {
    folder.write(name, bytes);
    let two = r#"<box size="1 1 1"/></geometry></collision><collision><geometry>"#;
    let shaped = Shaped::two(&format!(r#"{two}<mesh filename="{name}"/>"#), r#"<sphere radius="0.1"/>"#, Some(folder));
    // The box still counts.
    assert!((shaped.apart([2.0, 0.0, 0.0, 0.0, 0.0, 0.0]) - 1.4).abs() < 1e-9);
    let [fault] = shaped.faults().try_into().unwrap();
    fault
}

#[test]
fn bad_meshes_are_named_with_the_reason() {
    let folder = Folder::new("bad");
    let dae = |from: &str, to: &str| {
        assert!(cube::dae().contains(from), "{from}");
        cube::dae().replace(from, to)
    };
    for (name, bytes, reason) in [
        ("empty.stl", String::new(), "cannot be read"),
        ("empty.obj", "v 0 0 0\n".to_owned(), "has no triangles"),
        ("nan.stl", cube::stl().replace("0.5", "nan"), "has a vertex that is not finite"),
        ("far.obj", cube::obj().replace("0.5", "1e7"), "farther than 1000000 m"),
        ("face.obj", cube::obj() + "f 1 2 99\n", "cannot be read"),
        ("other.ply", cube::stl(), "ends in none of .stl, .obj and .dae"),
        ("cut.dae", cube::dae()[..900].to_owned(), "cannot be read"),
        ("list.dae", dae("<vcount>4", "<vcount>400000"), "its <polylist> ends too early"),
        ("vertex.dae", dae("<p>0", "<p>8"), "it names a vertex that it does not have"),
        ("source.dae", dae(r##"source="#places""##, r##"source="#nowhere""##), "it names '#nowhere'"),
        ("matrix.dae", dae("<matrix>1 ", "<matrix>"), "its <matrix> has not the finite numbers"),
        ("infinite.dae", dae("<scale>2", "<scale>inf"), "its <scale> has not the finite numbers"),
        ("stride.dae", dae(r#"stride="3""#, r#"stride="0""#), "a stride that is not from 3 to 64"),
        ("strips.dae", dae("<polylist", "<tristrips/><polylist"), "it has <tristrips>, which is not read"),
        ("scene.dae", dae(r##"url="#scene""##, r##"url="#no""##), "it has no <visual_scene> to show"),
        ("kind.dae", "<robot/>".to_owned(), "it is not COLLADA but <robot>"),
    ] {
        let sentence = refusal(&folder, name, bytes);
        let expected = sentence.contains(reason) && sentence.contains(name) && sentence.contains("link 'fixed'");
        assert!(expected && !sentence.contains('\n'), "{name}: {sentence}");
    }
    let missing = Shaped::two(r#"<mesh filename="package://nobody/a.stl"/>"#, r#"<sphere radius="1"/>"#, Some(&folder));
    assert!(missing.faults()[0].contains("mesh package://nobody/a.stl was not found"), "{:?}", missing.faults());
    assert_eq!(missing.apart([0.0; 6]), f64::INFINITY);
}

#[test]
fn a_binary_stl_of_another_length_than_its_header_says_is_refused() {
    let folder = Folder::new("header");
    let triangles = |said: u32, there: usize, beginning: &[u8]| {
        let mut bytes = vec![0; 80];
        bytes[..beginning.len()].copy_from_slice(beginning);
        bytes.extend(said.to_le_bytes());
        bytes.extend(cube::binary_stl()[84..].iter().cycle().take(50 * there));
        bytes
    };
    for (said, there) in [(100, 50), (50, 100), (0, 100), (4_000_000_000, 100), (1, 0)] {
        for beginning in [&b""[..], b"solid cube"] {
            let sentence = refusal(&folder, "header.stl", triangles(said, there, beginning));
            let numbers = format!("its header says {said} triangles, but its length is that of {there}");
            assert!(sentence.contains(&numbers), "{sentence}");
        }
    }
    // Some programs write a line break at the end, and many begin a binary file with the word solid.
    for beginning in [&b""[..], b"solid cube"] {
        folder.write("good.stl", [triangles(12, 12, beginning), b"\n".to_vec()].concat());
        let shaped = Shaped::two(r#"<mesh filename="good.stl"/>"#, r#"<sphere radius="0.1"/>"#, Some(&folder));
        assert!(shaped.faults().is_empty(), "{:?}", shaped.faults());
    }
}

/// A mesh with one triangle above the limit is refused, and a file above the size limit is refused before it is read.
#[test]
fn enormous_meshes_are_refused() {
    let folder = Folder::new("enormous");
    let mut too_many = vec![0; 84 + 50 * (urdf_ik::collision::MAX_TRIANGLES + 1)];
    too_many[80..84].copy_from_slice(&1_000_001_u32.to_le_bytes());
    let sentence = refusal(&folder, "many.stl", too_many);
    assert!(sentence.contains("has 1000001 triangles; it may have 1000000: simplify it"), "{sentence}");
    folder.write("large.stl", "");
    let file = std::fs::File::options().write(true).open(folder.0.join("large.stl")).unwrap();
    file.set_len(500_000_084).unwrap(); // 10 million triangles, without a byte on the disk
    let shaped = Shaped::two(r#"<mesh filename="large.stl"/>"#, r#"<sphere radius="1"/>"#, Some(&folder));
    assert!(shaped.faults()[0].contains("larger than 134217728 bytes"), "{:?}", shaped.faults());
}
