//! A cube of edge length 1 centred at the origin, as a mesh in every format.

use std::fmt::Write;

/// Its corners.
const CORNERS: [[f32; 3]; 8] = [
    [-0.5, -0.5, -0.5],
    [0.5, -0.5, -0.5],
    [0.5, 0.5, -0.5],
    [-0.5, 0.5, -0.5],
    [-0.5, -0.5, 0.5],
    [0.5, -0.5, 0.5],
    [0.5, 0.5, 0.5],
    [-0.5, 0.5, 0.5],
];
/// Its sides.
const SIDES: [[usize; 4]; 6] = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

fn triangles() -> Vec<[[f32; 3]; 3]> {
    let halves = |side: &[usize; 4]| [[side[0], side[1], side[2]], [side[0], side[2], side[3]]];
    SIDES.iter().flat_map(halves).map(|triangle| triangle.map(|corner| CORNERS[corner])).collect()
}

pub fn stl() -> String {
    let mut text = "solid cube\n".to_owned();
    for triangle in triangles() {
        text += "facet normal 0 0 0\nouter loop\n";
        for [x, y, z] in triangle {
            writeln!(text, "vertex {x} {y} {z}").unwrap();
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid cube\n"
}

pub fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(u32::try_from(triangles().len()).unwrap().to_le_bytes());
    for triangle in triangles() {
        bytes.extend([0; 12]);
        bytes.extend(triangle.as_flattened().iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

pub fn obj() -> String {
    let mut text = "mtllib /dev/zero\no cube\n".to_owned();
    for [x, y, z] in CORNERS {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for (material, side) in SIDES.iter().enumerate() {
        writeln!(text, "usemtl m{material}\nf {}", side.map(|corner| (corner + 1).to_string()).join(" ")).unwrap();
    }
    text
}

/// In millimetres, with polygons as sides, and with a node transform that moves it to the place of the others.
pub fn dae() -> String {
    let places = CORNERS.as_flattened().iter().map(|number| (500.0 * number).to_string()).collect::<Vec<_>>().join(" ");
    let sides = SIDES.as_flattened().iter().map(|corner| format!("{corner} 0")).collect::<Vec<_>>().join(" ");
    format!(
        r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="cube"><mesh>
    <source id="places"><float_array id="numbers" count="24">{places}</float_array>
      <technique_common><accessor source="#numbers" count="8" stride="3"/></technique_common></source>
    <source id="normals"><float_array id="one" count="3">0 0 1</float_array></source>
    <vertices id="vertices"><input semantic="POSITION" source="#places"/></vertices>
    <polylist count="6"><input semantic="VERTEX" source="#vertices" offset="0"/>
      <input semantic="NORMAL" source="#normals" offset="1"/><vcount>4 4 4 4 4 4</vcount><p>{sides}</p></polylist>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="scene">
    <node><translate>-250 -250 -250</translate><scale>2 2 2</scale>
      <node><rotate>0 0 1 90</rotate><matrix>1 0 0 125 0 1 0 -125 0 0 1 125 0 0 0 1</matrix>
        <instance_geometry url="#cube"/></node></node>
  </visual_scene></library_visual_scenes>
  <scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>"##
    )
}
