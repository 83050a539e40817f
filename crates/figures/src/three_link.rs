//! Three links and an up vector: the plane that the arm must lie in, and the triangle in it.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Isometry3, Point2, Point3, Rotation2, Rotation3, Vector2, Vector3};
use plotters::style::{Color, RGBColor};
use urdf_ik::solver::closed_form::three_link::{ThreeLink, ThreeLinkAngles};
use urdf_ik::solver::closed_form::two_link::SpatialTwoLink;
use urdf_ik_plot::{self as plot, Area, Bones, Canvas, FAINT_INK, INK, Pen, SERIES, View};

use super::panel::panel;
use crate::Result;

/// Lengths of the three links \[m\].
const LENGTHS: [f64; 3] = [0.5, 0.42, 0.22];
/// Where the wrist must be.
const WRIST: Point3<f64> = Point3::new(0.5, 0.3, -0.12);
/// The up vector, of any length.
const UP: Vector3<f64> = Vector3::new(0.3, 0.6, -0.75);
/// Colour of the arm.
const ARM: RGBColor = SERIES[0];
/// Colour of the plane of the arm.
const PLANE: RGBColor = SERIES[2];
/// Colour of the up vector.
const UPWARDS: RGBColor = SERIES[1];

/// Room around the points in a plane \[m\].
const PATCH: f64 = 0.1;

/// What is asked for, and the arm that does it.
struct Example {
    up: Vector3<f64>,
    end: Point3<f64>,
    arm: ThreeLink,
}

/// A plane through the origin: its first and second direction.
type Plane = [Vector3<f64>; 2];

/// Draws the figure: the text of an SVG file.
pub fn draw() -> Result<String> {
    let up = UP.normalize();
    let example = Example { up, end: WRIST + up * LENGTHS[2], arm: ThreeLink::new(Isometry3::identity(), LENGTHS)? };
    let solutions = example.arm.solve(&example.end, &UP)?;
    let [first, second, ..] = solutions.configurations() else { return Err("the three links do not bend".into()) };
    plot::drawing((1400, 1300), |area| {
        let (top, bottom) = area.split_vertically(690);
        let (left, right) = top.split_horizontally(700);
        example.draw_rolled(&left)?;
        example.draw_turned(&right, [first, second])?;
        let (left, right) = bottom.split_horizontally(700);
        example.draw_plane(&left, [first, second])?;
        draw_table(&right, solutions.configurations())
    })
}

/// The directions in the plane of the arm from which and to which angles are counted, by yaw and roll \[rad\].
fn plane(yaw: f64, roll: f64) -> Plane {
    let turned =
        Rotation3::from_axis_angle(&Vector3::y_axis(), yaw) * Rotation3::from_axis_angle(&Vector3::z_axis(), roll);
    [turned * Vector3::y(), turned * Vector3::z()]
}

impl Example {
    /// Shoulder, elbow, wrist and end.
    fn points(&self, angles: &ThreeLinkAngles) -> [Point3<f64>; 4] {
        let [elbow, wrist, end] = self.arm.link_ends(angles);
        [Point3::origin(), elbow, wrist, end]
    }

    /// The two links solved in the upright plane, which is rolled afterwards until it contains the up vector.
    fn draw_rolled(&self, area: &Area) -> Result {
        let two = SpatialTwoLink::new(Isometry3::identity(), [LENGTHS[0], LENGTHS[1]])?;
        let solutions = two.solve(&WRIST)?;
        let [upright, ..] = solutions.configurations() else {
            return Err("the two links have no configuration".into());
        };
        let (sine, cosine) = upright.yaw.sin_cos();
        let roll = (sine * self.up.z - cosine * self.up.x).atan2(self.up.y);
        let angles = |roll| {
            let (yaw, shoulder, elbow) = (upright.yaw, upright.shoulder, upright.elbow);
            self.points(&ThreeLinkAngles { yaw, roll, shoulder, elbow, wrist: 0.0 })
        };
        let [before, after] = [angles(0.0), angles(roll)];
        let note = format!("and it misses the wrist by {:.2} m", (after[2] - WRIST).norm());
        let (canvas, view) = space(area, "solved upright, then rolled: wrong", &note)?;
        draw_patch(&canvas, &view, &plane(upright.yaw, roll), FAINT_INK, &after[..3])?;
        self.draw_asked(&canvas, &view)?;
        Bones::new(ARM).pale(0.3).draw_chain(&canvas, &view.points(&before[..3]))?;
        Bones::new(ARM).draw_chain(&canvas, &view.points(&after[..3]))?;
        let [from, to] = [before[2], after[2]].map(|point| view.point(&point));
        canvas.arrow(&from, &(to + (from - to) * 0.12), Pen::new(plot::TARGET, 5))?;
        draw_base(&canvas, &view)
    }

    /// The plane that the wrist and the up vector span, and the arm in it.
    fn draw_turned(&self, area: &Area, [first, second]: [&ThreeLinkAngles; 2]) -> Result {
        let (title, note) = ("turned into the plane, then solved: right", "the wrist and the up vector span it");
        let (canvas, view) = space(area, title, note)?;
        let plane = plane(first.yaw, first.roll);
        draw_patch(&canvas, &view, &plane, PLANE, &[self.points(first), self.points(second)].concat())?;
        let normal = plane[0].cross(&plane[1]) * 0.4;
        let from = Point3::from(plane[0] * 0.57 + plane[1] * 0.02);
        let [tail, head] = [from, from + normal].map(|point| view.point(&point));
        canvas.arrow(&tail, &head, Pen::new(PLANE, 5))?;
        plot::name(&canvas, "n", &head, (-26, 12), PLANE)?;
        self.draw_asked(&canvas, &view)?;
        Bones::new(ARM).pale(0.3).draw_chain(&canvas, &view.points(&self.points(second)))?;
        Bones::new(ARM).draw_chain(&canvas, &view.points(&self.points(first)))?;
        draw_base(&canvas, &view)
    }

    /// Wrist, end and up vector.
    fn draw_asked(&self, canvas: &Canvas, view: &View) -> Result {
        let [origin, wrist, end] = [Point3::origin(), WRIST, self.end].map(|point| view.point(&point));
        let head = view.point(&(self.end + self.up * 0.26));
        canvas.line(&[origin, wrist], Pen::new(INK, 4).dashed())?;
        canvas.arrow(&end, &head, Pen::new(UPWARDS, 6))?;
        canvas.line(&[wrist, end], Pen::new(plot::pale(UPWARDS, 0.6), 4))?;
        plot::target(canvas, &end)?;
        canvas.ring(&wrist, 16, Pen::new(INK, 3))?;
        plot::name(canvas, "E_y", &head, (34, -2), UPWARDS)?;
        plot::name(canvas, "E", &end, (38, 14), plot::TARGET)?;
        plot::name(canvas, "P_T", &wrist, (44, 22), INK)
    }

    /// The plane of the arm as the paper, its first direction upwards and its second one to the left.
    fn draw_plane(&self, area: &Area, [first, second]: [&ThreeLinkAngles; 2]) -> Result {
        let (title, note) =
            ("in the plane: two links, then one more", "both elbows, and the last link along the up vector");
        let canvas = panel(area, title, note, [110, 40, 30], [[-0.3, -0.06], [0.66, 0.98]])?;
        let axes = plane(first.yaw, first.roll);
        let flat = |point: &Point3<f64>| Point2::new(-axes[1].dot(&point.coords), axes[0].dot(&point.coords));
        let head = flat(&(self.end + self.up * 0.2));
        canvas.line(&[Point2::origin(), flat(&WRIST)], Pen::new(INK, 4).dashed())?;
        canvas.line(&[Point2::origin(), Point2::new(0.0, 0.4)], Pen::new(FAINT_INK, 3))?;
        canvas.arrow(&flat(&self.end), &head, Pen::new(UPWARDS, 6))?;
        for (angles, share) in [(second, 0.3), (first, 1.0)] {
            Bones::new(ARM).pale(share).draw_chain(&canvas, &self.points(angles).map(|point| flat(&point)))?;
        }
        draw_turns(&canvas, first, &self.points(first).map(|point| flat(&point)))?;
        plot::root(&canvas, &Point2::origin())?;
        plot::target(&canvas, &flat(&self.end))?;
        plot::name(&canvas, "E_y", &head, (34, -2), UPWARDS)?;
        plot::name(&canvas, "E", &flat(&self.end), (-38, 6), plot::TARGET)?;
        plot::name(&canvas, "P_T", &flat(&WRIST), (20, 40), INK)
    }
}

/// The angles of the three joints, each from the direction of the link before.
fn draw_turns(canvas: &Canvas, angles: &ThreeLinkAngles, points: &[Point2<f64>; 4]) -> Result {
    let mut from = FRAC_PI_2;
    for ((name, turn), joint) in
        [("θ_0", angles.shoulder), ("θ_1", angles.elbow), ("θ_2", angles.wrist)].into_iter().zip(points)
    {
        let direction = |angle: f64| Rotation2::new(angle) * Vector2::x();
        canvas.line(&[*joint, joint + direction(from) * 0.14], Pen::new(FAINT_INK, 3))?;
        canvas.turn(joint, 0.1, [from, from + turn], Pen::new(INK, 3))?;
        // Where there is no room between the links, before the turn.
        let (angle, radius) = if turn.abs() > 0.5 { (0.5 * turn, 0.15) } else { (-0.4 * turn.signum(), 0.16) };
        plot::name(canvas, name, &(joint + direction(from + angle) * radius), (0, 0), INK)?;
        from += turn;
    }
    Ok(())
}

/// An angle in whole degrees.
fn degrees(angle: f64) -> String {
    // Not "-0".
    format!("{:.0}°", angle.to_degrees().round() + 0.0).replace('-', "−")
}

/// The angles of all solutions, in degrees.
fn draw_table(area: &Area, solutions: &[ThreeLinkAngles]) -> Result {
    let (title, note) = ("four solutions: two normals, two elbows", "the same two elbows, seen from either side");
    let table = panel(area, title, note, [130, 70, 160], [[0.0, 0.0], [4.0, 2.4]])?;
    let place = |column: f64, row: f64| Point2::new(column, 2.4 - 0.55 * row);
    for (column, name) in (0..).map(f64::from).zip(["θ_y", "β", "θ_0", "θ_1", "θ_2"]) {
        plot::name(&table, name, &place(column, 0.0), (0, 0), INK)?;
    }
    for (row, angles) in (1..).map(f64::from).zip(solutions) {
        let ThreeLinkAngles { yaw, roll, shoulder, elbow, wrist } = *angles;
        for (column, angle) in (0..).map(f64::from).zip([yaw, roll, shoulder, elbow, wrist]) {
            plot::words(&table, &degrees(angle), &place(column, row), (0, 0), FAINT_INK)?;
        }
    }
    Ok(())
}

fn space<'a, 'b>(area: &'a Area<'b>, title: &str, note: &str) -> Result<(Canvas<'a, 'b>, View)> {
    let canvas = panel(area, title, note, [100, 20, 20], [[-0.36, -0.2], [0.72, 0.98]])?;
    Ok((canvas, View::from(&Vector3::new(-0.45, 0.45, 0.85), &Vector3::y())))
}

/// The part of a plane through the origin in which `points` are.
fn draw_patch(canvas: &Canvas, view: &View, plane: &Plane, colour: RGBColor, points: &[Point3<f64>]) -> Result {
    let range = |axis: &Vector3<f64>| {
        let along = points.iter().map(|point| axis.dot(&point.coords));
        let [lower, upper] = [along.clone().fold(f64::INFINITY, f64::min), along.fold(f64::NEG_INFINITY, f64::max)];
        [lower - PATCH, upper + PATCH]
    };
    let [[a, b], [c, d]] = [range(&plane[0]), range(&plane[1])];
    let corner = |[along, across]: [f64; 2]| view.point(&Point3::from(plane[0] * along + plane[1] * across));
    let mut corners = [[a, c], [b, c], [b, d], [a, d]].map(corner).to_vec();
    canvas.fill(&corners, colour.mix(0.13))?;
    corners.push(corners[0]);
    canvas.line(&corners, Pen::new(plot::pale(colour, 0.4), 3))
}

/// The base axis and the floor.
fn draw_base(canvas: &Canvas, view: &View) -> Result {
    let [origin, top] = [Point3::origin(), Point3::new(0.0, 0.34, 0.0)].map(|point| view.point(&point));
    canvas.arrow(&origin, &top, Pen::new(FAINT_INK, 4))?;
    plot::name(canvas, "y", &top, (-24, 0), FAINT_INK)?;
    plot::root(canvas, &origin)?;
    plot::name(canvas, "O", &origin, (-30, 26), INK)
}
