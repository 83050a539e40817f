//! The outlines of regions: lines, because RViz would catch clicks on objects behind a surface.

use nalgebra::{IsometryMatrix3, Point3, Vector3};

use super::messages::{circle, globe, turn};
use urdf_ik_goals::Region;
use urdf_ik_solver::TipReach;

/// Extent of an unbounded side relative to the reach of the tips.
const BEYOND_REACH: f64 = 1.1;
/// Half length of a cylinder without ends relative to the robot's size.
const TUBE: f64 = 0.6;
/// Length of the lines at a region that is a single place, relative to the robot's size.
const CROSS: f64 = 0.03;
/// Number of lines along a cone or a cylinder.
const LINES: u32 = 8;
/// Number of circles around a cylinder.
const CIRCLES: u32 = 5;
/// Radius below which a region is a place or a line, relative to the robot's size.
const THIN: f64 = 1e-3;

/// The space in which regions are drawn.
#[derive(Clone, Copy)]
pub(super) struct DrawingSpace<'a> {
    pub reach: &'a [TipReach],
    /// Size of the robot \[m\].
    pub size: f64,
}

impl DrawingSpace<'_> {
    /// Both ends of each line around a region. Those of a cone have a length \[m\].
    pub(super) fn outline(self, region: &Region, cone_length: f64) -> Vec<Point3<f64>> {
        match *region {
            Region::Box { ref pose, lower, upper } => {
                let mut lines = self.faces(pose, lower, upper);
                if (0..3).all(|axis| upper[axis] - lower[axis] < THIN * self.size) {
                    lines.extend(self.cross(&(pose * Point3::from(Vector3::from(lower)))));
                }
                lines
            }
            Region::Shell { centre, radii } => {
                let mut lines: Vec<_> = drawn(radii).flat_map(|radius| globe(centre, radius)).collect();
                if radii[1] < THIN * self.size {
                    lines.extend(self.cross(&centre));
                }
                lines
            }
            Region::Tube { ref pose, radii } => self.tube(pose, radii),
            Region::Cone { apex, ref direction, angle } => cone(apex, &(direction * cone_length), angle),
            Region::Axes(_) => Vec::new(),
        }
    }

    /// The outlines of all faces of a box. A side without a bound is drawn up to just beyond the reach of the tips.
    pub(super) fn faces(self, pose: &IsometryMatrix3<f64>, lower: [f64; 3], upper: [f64; 3]) -> Vec<Point3<f64>> {
        let (mut min, mut max) = (Vector3::from(lower), Vector3::from(upper));
        for axis in 0..3 {
            let ends = |sign: f64| {
                self.reach.iter().map(move |reach| {
                    pose.inverse_transform_point(&reach.centre)[axis] + sign * BEYOND_REACH * reach.extent
                })
            };
            if min[axis].is_infinite() {
                min[axis] = ends(-1.0).fold(max[axis], f64::min);
            }
            if max[axis].is_infinite() {
                max[axis] = ends(1.0).fold(min[axis], f64::max);
            }
        }
        let bounded = [(lower, &min), (upper, &max)].into_iter().flat_map(|(bounds, corner)| {
            (0..3).filter(move |axis| bounds[*axis].is_finite()).map(move |axis| (axis, corner[axis]))
        });
        bounded
            .flat_map(|(axis, at)| face([axis, (axis + 1) % 3, (axis + 2) % 3], at, &min, &max))
            .map(|at| pose * at)
            .collect()
    }

    /// Circles and lines of cylinders beside the robot, and their axis.
    fn tube(self, pose: &IsometryMatrix3<f64>, radii: [f64; 2]) -> Vec<Point3<f64>> {
        let middle = self.reach.first().map_or(0.0, |reach| pose.inverse_transform_point(&reach.centre).z);
        let place = |x: f64, y: f64, part: f64| pose * Point3::new(x, y, middle + part * TUBE * self.size);
        let mut lines = vec![place(0.0, 0.0, -1.0), place(0.0, 0.0, 1.0)];
        for radius in drawn(radii) {
            let [across, along] = [Vector3::x(), Vector3::y()].map(|axis| pose.rotation * axis * radius);
            for number in 0..CIRCLES {
                let part = 2.0 * f64::from(number) / f64::from(CIRCLES - 1) - 1.0;
                lines.extend(circle(place(0.0, 0.0, part), across, along));
            }
            for line in 0..LINES {
                let (sine, cosine) = turn(line, LINES).sin_cos();
                lines.extend([-1.0, 1.0].map(|part| place(radius * cosine, radius * sine, part)));
            }
        }
        lines
    }

    /// Three lines that cross at a place.
    fn cross(self, at: &Point3<f64>) -> impl Iterator<Item = Point3<f64>> {
        let (at, half) = (*at, 0.5 * CROSS * self.size);
        (0..3).flat_map(move |axis| [-half, half].map(|by| at + Vector3::ith(axis, by)))
    }
}

/// The radii that are drawn.
fn drawn(radii: [f64; 2]) -> impl Iterator<Item = f64> {
    radii.into_iter().filter(|radius| radius.is_finite() && *radius > 0.0)
}

/// The four edges of the face at a coordinate along the first axis, between the corners of a box.
fn face(
    axes: [usize; 3],
    at: f64,
    min: &Vector3<f64>,
    max: &Vector3<f64>,
) -> impl Iterator<Item = Point3<f64>> + use<> {
    let [axis, one, other] = axes;
    let mut corners = [Point3::origin(); 4];
    for (corner, [first, second]) in corners.iter_mut().zip([[min, min], [max, min], [max, max], [min, max]]) {
        corner[axis] = at;
        (corner[one], corner[other]) = (first[one], second[other]);
    }
    (0..4).flat_map(move |index| [corners[index], corners[(index + 1) % 4]])
}

/// The axis of a cone, its rim, and lines from the apex to the rim. `axis` has the length of the lines.
fn cone(apex: Point3<f64>, axis: &Vector3<f64>, angle: f64) -> Vec<Point3<f64>> {
    let mut lines = vec![apex, apex + axis];
    let radius = axis.norm() * angle.sin();
    if radius > THIN * axis.norm() {
        let across = axis.cross(&Vector3::ith(axis.iamin(), 1.0)).normalize() * radius;
        let along = axis.normalize().cross(&across);
        let middle = apex + axis * angle.cos();
        lines.extend(circle(middle, across, along));
        for line in 0..LINES {
            let (sine, cosine) = turn(line, LINES).sin_cos();
            lines.extend([apex, middle + across * cosine + along * sine]);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_3;
    use urdf_ik_mathematics::segments::Reach;

    fn outline(region: &Region) -> Vec<Point3<f64>> {
        let [tip, working, last_joint] = [Reach { inner: 0.0, outer: 1.0 }; 3];
        let reach = [TipReach { centre: Point3::new(0.0, 0.0, 0.3), tip, working, last_joint, extent: 1.0 }];
        DrawingSpace { reach: &reach, size: 1.0 }.outline(region, 0.2)
    }

    #[test]
    fn a_box_has_its_bounded_faces() {
        let pose = IsometryMatrix3::translation(0.0, 0.0, 1.0);
        let boxed = |lower, upper| outline(&Region::Box { pose, lower, upper });
        let points = boxed([-1.0, -2.0, 0.0], [1.0, 2.0, 3.0]);
        assert_eq!(points.len(), 6 * 8);
        assert!(points.iter().all(|at| at.x.abs() == 1.0 && at.y.abs() == 2.0 && [1.0, 4.0].contains(&at.z)));
        let floor = boxed([f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0], [f64::INFINITY; 3]);
        assert_eq!(floor.len(), 8);
        assert!(floor.iter().all(|at| at.z == 1.0 && at.x.abs() > 1.0 && at.y.abs() > 1.0));
        assert!(boxed([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]).is_empty());
        let place = boxed([0.1; 3], [0.1; 3]);
        assert!(place.iter().any(|at| (at.x - 0.1).abs() > 0.01), "a single place can be seen");
    }

    #[test]
    fn a_distance_has_its_bounds() {
        let centre = Point3::new(0.5, 0.0, 0.0);
        let shell = |radii| outline(&Region::Shell { centre, radii });
        let radius = |at: &Point3<f64>| (at - centre).norm();
        assert!(shell([0.0, 0.3]).iter().all(|at| (radius(at) - 0.3).abs() < 1e-12));
        assert!(shell([0.2, f64::INFINITY]).iter().all(|at| (radius(at) - 0.2).abs() < 1e-12));
        assert_eq!(shell([0.2, 0.3]).len(), 2 * shell([0.0, 0.3]).len());
        assert!(shell([0.0, f64::INFINITY]).is_empty() && !shell([0.0, 0.0]).is_empty());
        let pose = IsometryMatrix3::translation(0.5, 0.0, 0.0);
        let line = outline(&Region::Tube { pose, radii: [0.0, 0.1] });
        let radii = line[2..].iter().map(|at| (at - centre).xy().norm());
        assert!(radii.into_iter().all(|radius| (radius - 0.1).abs() < 1e-12));
        assert!(line.iter().all(|at| (at.z - 0.3).abs() < 1.2));
    }

    #[test]
    fn the_lines_of_a_cone_are_at_its_angle() {
        let apex = Point3::new(1.0, 0.0, 0.0);
        let cone = |angle| outline(&Region::Cone { apex, direction: Vector3::y(), angle });
        for angle in [0.1, FRAC_PI_3, 2.5] {
            let lines = cone(angle);
            let away: Vec<_> = lines[2..].iter().map(|at| at - apex).filter(|by| by.norm() > 0.0).collect();
            assert!(!away.is_empty());
            assert!(
                away.iter()
                    .all(|by| (by.angle(&Vector3::y()) - angle).abs() < 1e-12 && (by.norm() - 0.2).abs() < 1e-12)
            );
        }
        assert_eq!(cone(0.0), [apex, apex + Vector3::y() * 0.2]);
    }
}
