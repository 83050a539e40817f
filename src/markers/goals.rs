//! Markers of standing goals: a region, the part of the robot that it bounds, a handle, and a label.
//!
//! Everything is derived from the drawing of a goal, so that a new kind needs nothing here.

use nalgebra::{Isometry3, Point3};
use r2r::visualization_msgs::msg::Marker;

use super::messages::{CUBE, Colour, LINE_LIST, SPHERE, axes, joined, label, solid};
use super::regions::DrawingSpace;
use crate::reports::StatusColour;
use crate::solving::GoalView;
use urdf_ik_goals::{Drawing, Grip, Region, Subject};
use urdf_ik_text::names;

/// Opacity of a goal that is met, and of a violated one.
const OPACITIES: [f32; 2] = [0.4, 0.95];
/// Width of the lines of a goal that is met, and of a violated one, relative to the robot's size.
const WIDTHS: [f64; 2] = [0.002, 0.003];
/// Width of the line to a subject relative to the other lines.
const SUBJECT_WIDTH: f64 = 2.0;
/// Diameter of the ball at a subject relative to the robot's size.
const POINT: f64 = 0.02;
/// Diameter of the ball of a place that people can move, and edge of the cube of an orientation, relative to the
/// robot's size.
const GRIP: f64 = 0.028;
/// Least opacity of balls.
const BALL_OPACITY: f32 = 0.6;
/// Length of the axes of a bounded orientation relative to the robot's size.
const TARGET_AXES: f64 = 0.14;
/// Length of the axes of its link: shorter, so that both are visible when they coincide.
const LINK_AXES: f64 = 0.09;
/// Height of the letters of a label relative to the robot's size.
const LETTERS: f64 = 0.03;
/// Distance between labels at one place, relative to the height of the letters.
const LINE_SPACING: f64 = 2.5;
/// Largest height of a label above the middle of a region, relative to the robot's size: regions may be unbounded.
const MAX_ABOVE: f64 = 0.3;
/// Violation from which it is written as a decimal \[m or rad\].
const DECIMAL_FROM: f64 = 1e-3;

/// The markers of a goal, in the order of their ids.
#[derive(Clone, Copy)]
enum Part {
    Region,
    Subject,
    Line,
    Grip,
    Label,
}

impl Part {
    /// Number of parts.
    const COUNT: usize = 5;
}

/// The markers of one goal.
struct GoalMarkers<'a> {
    view: &'a GoalView,
    /// Index among the goals: truncated names may be equal.
    index: usize,
    space: DrawingSpace<'a>,
    markers: Vec<Marker>,
}

/// The markers of all goals in the base link's frame.
pub(super) fn markers(views: &[GoalView], space: DrawingSpace) -> Vec<Marker> {
    let (mut markers, mut labels) = (Vec::new(), Vec::new());
    for (index, view) in views.iter().enumerate() {
        let mut goal = GoalMarkers { view, index, space, markers: Vec::new() };
        let above = match &view.drawing {
            Some(drawing) => goal.add_drawing(drawing),
            None => view.joint.unwrap_or_default(),
        };
        let place = free_place(above, &labels, LINE_SPACING * LETTERS * space.size);
        labels.push(place);
        goal.add_label(&place);
        markers.extend(goal.markers);
    }
    markers
}

impl GoalMarkers<'_> {
    /// Adds all but the label, whose place it returns.
    fn add_drawing(&mut self, drawing: &Drawing) -> Point3<f64> {
        let lines = self.space.outline(&drawing.region, self.view.cone_length);
        let middle = match &drawing.region {
            Region::Box { pose, .. } | Region::Tube { pose, .. } | Region::Axes(pose) => pose.translation.vector.into(),
            Region::Shell { centre: at, .. } | Region::Cone { apex: at, .. } => *at,
        };
        let top = lines.iter().map(|at| at.z).fold(middle.z, f64::max).min(middle.z + MAX_ABOVE * self.space.size);
        self.add_lines(Part::Region, 1.0, lines);
        match (&drawing.region, drawing.subject) {
            (Region::Cone { apex, .. }, Subject::Direction(direction)) => {
                self.add_lines(Part::Line, SUBJECT_WIDTH, vec![*apex, apex + direction * self.view.cone_length]);
            }
            (Region::Cone { apex, .. }, Subject::Point(seen)) => {
                self.add_lines(Part::Line, SUBJECT_WIDTH, vec![*apex, seen]);
                self.add_ball(Part::Subject, &seen, POINT);
            }
            (_, Subject::Point(point)) => self.add_ball(Part::Subject, &point, POINT),
            (Region::Axes(target), Subject::Axes(link)) => {
                self.add_axes(Part::Region, nalgebra::convert_ref(target), TARGET_AXES);
                self.add_axes(Part::Line, nalgebra::convert(link), LINK_AXES);
                self.add_ball(Part::Subject, &middle, POINT);
            }
            _ => {}
        }
        if let Some(pose) = self.view.grip_pose() {
            self.add_grip(&pose);
        }
        Point3::new(middle.x, middle.y, top + LINE_SPACING * LETTERS * self.space.size)
    }

    fn add_lines(&mut self, part: Part, width: f64, ends: Vec<Point3<f64>>) {
        let width = width * self.by_violation(WIDTHS) * self.space.size;
        let marker = joined(self.view.display_name(), self.id(part), LINE_LIST, width, ends, &[self.colour()]);
        self.markers.push(marker);
    }

    fn add_axes(&mut self, part: Part, frame: Isometry3<f64>, length: f64) {
        self.markers.push(axes(self.view.display_name(), self.id(part), &[frame], length * self.space.size));
    }

    fn add_ball(&mut self, part: Part, place: &Point3<f64>, diameter: f64) {
        self.add_solid(part, SPHERE, &Isometry3::from(*place), diameter);
    }

    fn add_solid(&mut self, part: Part, form: i32, pose: &Isometry3<f64>, edge: f64) {
        let [red, green, blue, opacity] = self.colour();
        let colour = [red, green, blue, opacity.max(BALL_OPACITY)];
        let edges = [edge * self.space.size; 3];
        self.markers.push(solid(self.view.display_name(), self.id(part), form, edges, pose, colour));
    }

    /// In a namespace of its own, so that displays recognise it: a ball that moves, or a cube that turns.
    fn add_grip(&mut self, pose: &Isometry3<f64>) {
        let form = if self.view.grip().is_some_and(Grip::turns) { CUBE } else { SPHERE };
        self.add_solid(Part::Grip, form, pose, GRIP);
        if let Some(grip) = self.markers.last_mut() {
            grip.ns = format!("goal_handles/{}", names::short(self.view.goal.name()));
        }
    }

    /// The name, and the violation if there is one.
    fn add_label(&mut self, place: &Point3<f64>) {
        let name = names::short(self.view.goal.name());
        let unit = self.view.goal.kind().unit().symbol();
        let text = match self.view.violation {
            _ if self.view.is_met() => name.into_owned(),
            violation if violation < DECIMAL_FROM => format!("{name}\n{violation:.0e} {unit}"),
            violation => format!("{name}\n{violation:.3} {unit}"),
        };
        let [red, green, blue, _] = self.colour();
        let (letters, colour) = (LETTERS * self.space.size, [red, green, blue, 1.0]);
        self.markers.push(label(self.view.display_name(), self.id(Part::Label), text, place, letters, colour));
    }

    fn id(&self, part: Part) -> i32 {
        i32::try_from(self.index * Part::COUNT).unwrap_or_default() + part as i32
    }

    fn colour(&self) -> Colour {
        let [red, green, blue] = StatusColour::of_goal(!self.view.is_met()).rgb();
        [red, green, blue, self.by_violation(OPACITIES)]
    }

    /// The value for a goal that is met, or for a violated one.
    fn by_violation<T>(&self, [met, violated]: [T; 2]) -> T {
        if self.view.is_met() { met } else { violated }
    }
}

/// A place at or above `wanted` that has a distance from all `taken` ones.
fn free_place(wanted: Point3<f64>, taken: &[Point3<f64>], distance: f64) -> Point3<f64> {
    let is_free = |place: &Point3<f64>| taken.iter().all(|other| (other - place).norm() > 0.99 * distance);
    let mut place = wanted;
    // Each other label may be in the way once.
    for _ in taken {
        if !is_free(&place) {
            place.z += distance;
        }
    }
    place
}
