//! URDFs of noodles: long arms of many equal segments, to try solvers on.

use std::f64::consts::PI;
use std::ops::RangeInclusive;

use thiserror::Error;

use super::writer::Writer;

/// What a noodle's segments are joined by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoodleJoints {
    /// Ball joints. URDF has none: each is three hinges in one point, about x, y and z in this order from the base, with links of
    /// no length between them. The last, about z, twists the segment.
    Ball,
    /// One hinge each, about x for the first, third and so on from the base, about y for the others.
    Alternating,
}

/// A noodle: an arm of equal segments that with every joint at 0 stands straight up, along z of its base link.
///
/// Its links are [`Noodle::BASE_LINK`], `segment_1` to `segment_N` and [`Noodle::TIP_LINK`]. A segment hangs from its joint at its
/// lower end, with z along it. Hinges are named `joint_1` and so on, those of ball joints `joint_1_x`, `joint_1_y`, `joint_1_z` and so on.
#[derive(Debug, Clone, PartialEq)]
pub struct Noodle {
    /// Name of the robot: not empty, without control characters.
    pub name: String,
    /// Kind of the joints.
    pub joints: NoodleJoints,
    /// Number of segments, and of joints, in [`Noodle::SEGMENTS`].
    pub segments: usize,
    /// Length of all segments together \[m\], in [`Noodle::LENGTHS`].
    pub length: f64,
    /// Radius \[m\], above 0 and no more than the length; a fiftieth of the length where it is `None`.
    pub radius: Option<f64>,
    /// How far each hinge turns both ways \[rad\], above 0 and up to π; any number of turns where it is `None`.
    pub limit: Option<f64>,
}

/// What is wrong with a [`Noodle`].
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NoodleError {
    /// Too few segments or too many.
    #[error("a noodle of {0} segments cannot be made; there must be {first} to {last}",
            first = Noodle::SEGMENTS.start(), last = Noodle::SEGMENTS.end())]
    Segments(usize),
    /// The length is too small, too great or not a number.
    #[error("the length is {0} m; it must be from {first} to {last} m",
            first = Noodle::LENGTHS.start(), last = Noodle::LENGTHS.end())]
    Length(f64),
    /// The radius is too small, too great or not a number.
    #[error("the radius is {radius} m; it must be above 0 m and no more than the length, {length} m")]
    Radius {
        /// What was given \[m\].
        radius: f64,
        /// The length of the noodle \[m\].
        length: f64,
    },
    /// The limit is too small, too great or not a number.
    #[error("the limit is {0} rad; it must be above 0 and no more than {PI} rad (a noodle without limits has none)")]
    Limit(f64),
    /// The name is empty or holds what XML cannot.
    #[error(
        "the name {0:?} cannot be a robot's: it must not be blank, nor hold control characters or others that XML does not know"
    )]
    Name(String),
}

/// Radius over length, where none is given.
const SLENDERNESS: f64 = 1.0 / 50.0;
/// Radius of a segment between its joints over that at its joints, so that these can be seen.
const WAIST: f64 = 0.8;
/// Radius of the base over that of the noodle.
const FOOT: f64 = 3.0;
/// Materials: those of the segments in turn, that of the base, that of the tip.
const SEGMENT_MATERIALS: [&str; 2] = ["noodle_light", "noodle_dark"];
const BASE_MATERIAL: &str = "noodle_base";
const TIP_MATERIAL: &str = "noodle_tip";
const COLOURS: [(&str, &str); 4] = [
    (SEGMENT_MATERIALS[0], "0.97 0.82 0.45 1"),
    (SEGMENT_MATERIALS[1], "0.86 0.52 0.18 1"),
    (BASE_MATERIAL, "0.22 0.25 0.29 1"),
    (TIP_MATERIAL, "0.15 0.45 0.85 1"),
];
/// What URDF demands of a hinge with limits besides them, though kinematics has no use for it \[N·m, rad/s\].
const EFFORT: &str = "10";
const VELOCITY: &str = "3";

impl Noodle {
    /// Name of the root link.
    pub const BASE_LINK: &str = "base_link";
    /// Name of the link at the end of the last segment, the only leaf.
    pub const TIP_LINK: &str = "tip_link";
    /// How many segments there may be.
    pub const SEGMENTS: RangeInclusive<usize> = 1..=10_000;
    /// How long a noodle may be \[m\].
    pub const LENGTHS: RangeInclusive<f64> = 0.001..=10_000.0;

    /// A noodle named `noodle`, a metre long, of alternating hinges without limits.
    #[must_use]
    pub fn new(segments: usize) -> Self {
        let joints = NoodleJoints::Alternating;
        Self { name: "noodle".into(), joints, segments, length: 1.0, radius: None, limit: None }
    }

    /// Its URDF: links and joints, and shapes for the eye, but no masses.
    ///
    /// # Errors
    /// [`NoodleError`] for what is not as the fields of [`Noodle`] have it.
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
        let foot = Shape::Cylinder { radius: FOOT * radius, length: radius, middle: -0.5 * radius };
        link(&mut out, Self::BASE_LINK, &[foot], BASE_MATERIAL);
        let mut below = Self::BASE_LINK.to_owned();
        for number in 1..=self.segments {
            let above = format!("segment_{number}");
            self.joint(&mut out, number, (&below, &above), if number == 1 { 0.0 } else { segment });
            let waist = Shape::Cylinder { radius: WAIST * radius, length: segment, middle: 0.5 * segment };
            link(&mut out, &above, &[Shape::Sphere { radius }, waist], SEGMENT_MATERIALS[(number - 1) % 2]);
            below = above;
        }
        joint(&mut out, ("tip_joint", "fixed"), (&below, Self::TIP_LINK), segment, |_| {});
        link(&mut out, Self::TIP_LINK, &[Shape::Sphere { radius }], TIP_MATERIAL);
        out.close("robot");
        Ok(out.finish() + "\n")
    }

    /// Checks every field; gives the radius \[m\].
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
        if radius > 0.0 && radius <= self.length {
            Ok(radius)
        } else {
            Err(NoodleError::Radius { radius, length: self.length })
        }
    }

    /// Joint `number`, at `height` along z of the link below it, with the links that stand between its hinges.
    fn joint(&self, out: &mut Writer, number: usize, (below, above): (&str, &str), height: f64) {
        match self.joints {
            NoodleJoints::Alternating => {
                let axis = if number % 2 == 1 { "1 0 0" } else { "0 1 0" };
                self.hinge(out, &format!("joint_{number}"), (below, above), height, axis);
            }
            NoodleJoints::Ball => {
                let [x, y, z] = ["x", "y", "z"].map(|axis| format!("joint_{number}_{axis}"));
                let [after_x, after_y] = [&x, &y].map(|hinge| format!("{hinge}_link"));
                self.hinge(out, &x, (below, &after_x), height, "1 0 0");
                link(out, &after_x, &[], "");
                self.hinge(out, &y, (&after_x, &after_y), 0.0, "0 1 0");
                link(out, &after_y, &[], "");
                self.hinge(out, &z, (&after_y, above), 0.0, "0 0 1");
            }
        }
    }

    fn hinge(&self, out: &mut Writer, name: &str, links: (&str, &str), height: f64, axis: &str) {
        let kind = if self.limit.is_some() { "revolute" } else { "continuous" };
        joint(out, (name, kind), links, height, |out| {
            out.empty("axis", [("xyz", axis.into())]);
            if let Some(limit) = self.limit {
                let (lower, upper) = ((-limit).to_string(), limit.to_string());
                let (effort, velocity) = (EFFORT.into(), VELOCITY.into());
                out.empty("limit", [("lower", lower), ("upper", upper), ("effort", effort), ("velocity", velocity)]);
            }
        });
    }
}

/// What a link looks like. Lengths are in metres; a sphere lies about the link's origin, a cylinder on its z axis about `middle`.
enum Shape {
    Sphere { radius: f64 },
    Cylinder { radius: f64, length: f64, middle: f64 },
}

fn link(out: &mut Writer, name: &str, shapes: &[Shape], material: &str) {
    let name = [("name", name.to_owned())];
    if shapes.is_empty() {
        out.empty("link", name);
        return;
    }
    out.open("link", name);
    for shape in shapes {
        out.open("visual", []);
        match shape {
            Shape::Sphere { radius } => {
                out.open("geometry", []);
                out.empty("sphere", [("radius", radius.to_string())]);
            }
            Shape::Cylinder { radius, length, middle } => {
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

/// A joint of that name and type at `height` along z of the lower of two links, with what `inside` adds.
fn joint(
    out: &mut Writer,
    (name, kind): (&str, &str),
    (below, above): (&str, &str),
    height: f64,
    inside: impl FnOnce(&mut Writer),
) {
    out.open("joint", [("name", name.to_owned()), ("type", kind.to_owned())]);
    out.empty("parent", [("link", below.to_owned())]);
    out.empty("child", [("link", above.to_owned())]);
    out.empty("origin", [("xyz", on_z(height))]);
    inside(out);
    out.close("joint");
}

fn on_z(height: f64) -> String {
    format!("0 0 {height}")
}
