//! URDFs of noodles: long arms of many equal segments, for tests of solvers.

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use thiserror::Error;

use super::xml::Writer;
use urdf_ik_text::names::number;

/// The joints between the segments of a noodle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoodleJoints {
    /// Ball joints. URDF has none, so each is three revolute joints with intersecting axes: about x, y and z, in this
    /// order from the base, with links of zero length between them. The last one, about z, twists the segment.
    Ball,
    /// One revolute joint each: about x for the first, third and so on from the base, about y for the others.
    Alternating,
}

/// A noodle: an arm of equal segments. With all joints at 0 it is straight, along the z axis of its base link.
///
/// Its links are [`Noodle::BASE_LINK`], `segment_1` to `segment_N` and [`Noodle::TIP_LINK`]. The origin of a segment
/// is at its lower end, and its z axis points along it. The joints are named `joint_1` and so on; those of ball
/// joints are `joint_1_x`, `joint_1_y`, `joint_1_z` and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct Noodle {
    /// Name of the robot: not blank, and without characters that XML does not allow, such as control characters.
    pub name: String,
    /// Kind of the joints.
    pub joints: NoodleJoints,
    /// Number of segments, and of joints between them (a ball joint counts as one), in [`Noodle::SEGMENTS`].
    pub segments: usize,
    /// Total length of the segments \[m\], in [`Noodle::LENGTHS`].
    pub length: f64,
    /// Radius of the segments \[m\], above 0 and at most the length. `None`: a fiftieth of the length.
    pub radius: Option<f64>,
    /// Limit of each revolute joint in both directions \[rad\], above 0 and up to π. `None`: no limit.
    pub limit: Option<f64>,
}

/// Why a [`Noodle`] is rejected.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NoodleError {
    /// This number of segments is out of range.
    #[error("a noodle cannot have {0} segments; it can have {first} to {last}",
            first = Noodle::SEGMENTS.start(), last = Noodle::SEGMENTS.end())]
    Segments(usize),
    /// This length \[m\] is out of range or NaN.
    #[error("the length is {0} m; it must be from {first} to {last} m",
            first = Noodle::LENGTHS.start(), last = Noodle::LENGTHS.end())]
    Length(f64),
    /// The radius is out of range or NaN.
    #[error("the radius is {} m; it must be above 0 m and no more than the length, {length} m", number(*radius))]
    Radius {
        /// Radius \[m\].
        radius: f64,
        /// Length of the noodle \[m\].
        length: f64,
    },
    /// This limit \[rad\] is out of range or NaN.
    #[error(
        "the limit is {0} rad; it must be above 0 and no more than {PI} rad (give none for a noodle without limits)"
    )]
    Limit(f64),
    /// This name is blank, or has characters that XML does not allow.
    #[error(
        "the name {0:?} cannot be the name of a robot: it must not be blank, and must not have characters that XML does not allow, such as control characters"
    )]
    Name(String),
}

/// Radius over length, where no radius is given.
const SLENDERNESS: f64 = 1.0 / 50.0;
/// Radius of a segment between its joints, over that at its joints: so the joints can be seen.
const WAIST: f64 = 0.8;
/// Radius of the base over that of the noodle.
const FOOT: f64 = 3.0;
/// Materials of the segments, in turn.
const SEGMENT_MATERIALS: [&str; 2] = ["noodle_light", "noodle_dark"];
/// Material of the base.
const BASE_MATERIAL: &str = "noodle_base";
/// Material of the tip.
const TIP_MATERIAL: &str = "noodle_tip";
/// Red, green, blue and opacity of each material.
const COLOURS: [(&str, &str); 4] = [
    (SEGMENT_MATERIALS[0], "0.97 0.82 0.45 1"),
    (SEGMENT_MATERIALS[1], "0.86 0.52 0.18 1"),
    (BASE_MATERIAL, "0.22 0.25 0.29 1"),
    (TIP_MATERIAL, "0.15 0.45 0.85 1"),
];

impl Noodle {
    /// Name of the root link.
    pub const BASE_LINK: &str = "base_link";
    /// Name of the link at the end of the last segment, the only leaf.
    pub const TIP_LINK: &str = "tip_link";
    /// Valid numbers of segments.
    pub const SEGMENTS: RangeInclusive<usize> = 1..=10_000;
    /// Valid total lengths \[m\].
    pub const LENGTHS: RangeInclusive<f64> = 0.001..=10_000.0;

    /// A noodle named `noodle` of that many segments, 1 m long, with alternating joints without limits.
    pub fn new(segments: usize) -> Self {
        let joints = NoodleJoints::Alternating;
        Self { name: "noodle".into(), joints, segments, length: 1.0, radius: None, limit: None }
    }

    /// The text of its URDF: links with visual shapes but no masses, and joints.
    ///
    /// # Errors
    /// [`NoodleError`] if the name is invalid or a number is out of range.
    pub fn urdf(&self) -> Result<String, NoodleError> {
        let radius = self.check()?;
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let segment = self.length / self.segments as f64;
        let mut out = Writer::for_people();
        out.open("robot", [("name", self.name.clone())]);
        for (name, colour) in COLOURS {
            out.open("material", [("name", name.into())]);
            out.empty("color", [("rgba", colour.into())]);
            out.close("material");
        }
        let foot = Solid::Cylinder { radius: FOOT * radius, length: radius, middle: -0.5 * radius };
        link(&mut out, Self::BASE_LINK, &[foot], BASE_MATERIAL);
        let mut below = Self::BASE_LINK.to_owned();
        for number in 1..=self.segments {
            let above = format!("segment_{number}");
            let height = if number == 1 { 0.0 } else { segment };
            self.joint(&mut out, number, &Between { below: &below, above: &above, height });
            let waist = Solid::Cylinder { radius: WAIST * radius, length: segment, middle: 0.5 * segment };
            link(&mut out, &above, &[Solid::Sphere { radius }, waist], SEGMENT_MATERIALS[(number - 1) % 2]);
            below = above;
        }
        let tip = Between { below: &below, above: Self::TIP_LINK, height: segment };
        joint(&mut out, "tip_joint", "fixed", &tip, |_| {});
        link(&mut out, Self::TIP_LINK, &[Solid::Sphere { radius }], TIP_MATERIAL);
        out.close("robot");
        Ok(out.finish() + "\n")
    }

    /// Checks all fields. Gives the radius \[m\].
    fn check(&self) -> Result<f64, NoodleError> {
        let unwritable = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
        if self.name.trim().is_empty() || self.name.contains(unwritable) {
            return Err(NoodleError::Name(self.name.clone()));
        }
        if !Self::SEGMENTS.contains(&self.segments) {
            return Err(NoodleError::Segments(self.segments));
        }
        if !Self::LENGTHS.contains(&self.length) {
            return Err(NoodleError::Length(self.length));
        }
        if let Some(limit) = self.limit.filter(|limit| !(*limit > 0.0 && *limit <= PI)) {
            return Err(NoodleError::Limit(limit));
        }
        let radius = self.radius.unwrap_or(SLENDERNESS * self.length);
        if !(radius > 0.0 && radius <= self.length) {
            return Err(NoodleError::Radius { radius, length: self.length });
        }
        Ok(radius)
    }

    /// Writes joint `number`. A ball joint has links between its revolute joints.
    fn joint(&self, out: &mut Writer, number: usize, place: &Between) {
        match self.joints {
            NoodleJoints::Alternating => {
                let axis = if number % 2 == 1 { "1 0 0" } else { "0 1 0" };
                self.revolute(out, &format!("joint_{number}"), place, axis);
            }
            NoodleJoints::Ball => {
                let [x, y, z] = ["x", "y", "z"].map(|axis| format!("joint_{number}_{axis}"));
                let [after_x, after_y] = [&x, &y].map(|joint| format!("{joint}_link"));
                self.revolute(out, &x, &Between { above: &after_x, ..*place }, "1 0 0");
                link(out, &after_x, &[], "");
                self.revolute(out, &y, &Between { below: &after_x, above: &after_y, height: 0.0 }, "0 1 0");
                link(out, &after_y, &[], "");
                self.revolute(out, &z, &Between { below: &after_y, height: 0.0, ..*place }, "0 0 1");
            }
        }
    }

    fn revolute(&self, out: &mut Writer, name: &str, place: &Between, axis: &str) {
        let kind = if self.limit.is_some() { "revolute" } else { "continuous" };
        joint(out, name, kind, place, |out| {
            out.empty("axis", [("xyz", axis.into())]);
            if let Some(limit) = self.limit {
                out.limit(Some([-limit, limit]));
            }
        });
    }
}

/// A shape of a link, with lengths in metres. The centre of a sphere is the origin of the link; that of a cylinder is
/// at `middle` of its z axis.
enum Solid {
    Sphere { radius: f64 },
    Cylinder { radius: f64, length: f64, middle: f64 },
}

fn link(out: &mut Writer, name: &str, shapes: &[Solid], material: &str) {
    let name = [("name", name.to_owned())];
    if shapes.is_empty() {
        out.empty("link", name);
        return;
    }
    out.open("link", name);
    for shape in shapes {
        out.open("visual", []);
        match shape {
            Solid::Sphere { radius } => {
                out.open("geometry", []);
                out.empty("sphere", [("radius", radius.to_string())]);
            }
            Solid::Cylinder { radius, length, middle } => {
                out.empty("origin", [("xyz", on_z(*middle))]);
                out.open("geometry", []);
                out.empty("cylinder", [("radius", radius.to_string()), ("length", length.to_string())]);
            }
        }
        out.close("geometry");
        out.empty("material", [("name", material.to_owned())]);
        out.close("visual");
    }
    out.close("link");
}

/// Placement of a joint: between two links, at `height` along z of the lower one \[m\].
struct Between<'a> {
    below: &'a str,
    above: &'a str,
    height: f64,
}

/// Writes a joint. `inside` adds more elements.
fn joint(out: &mut Writer, name: &str, kind: &str, place: &Between, inside: impl FnOnce(&mut Writer)) {
    out.open("joint", [("name", name.to_owned()), ("type", kind.to_owned())]);
    out.empty("parent", [("link", place.below.to_owned())]);
    out.empty("child", [("link", place.above.to_owned())]);
    out.empty("origin", [("xyz", on_z(place.height))]);
    inside(out);
    out.close("joint");
}

fn on_z(height: f64) -> String {
    format!("0 0 {height}")
}
