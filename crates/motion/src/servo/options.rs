//! How a servo moves.

use nalgebra::{Vector3, Vector6};

use crate::workspace::Workspace;
use urdf_ik_mathematics::spatial::stacked;
use urdf_ik_text::named_values;

/// How a [`Servo`](super::Servo) moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServoOptions {
    /// Greatest speed of the origin of a tip's frame \[m/s\].
    pub linear_speed: f64,
    /// Greatest angular speed of a tip \[rad/s\].
    pub angular_speed: f64,
    /// What is kept first where joint limits or contacts allow only a part of a twist.
    pub priority: Priority,
    /// What the tips do where the line goes on beyond a joint limit.
    pub held_back: HeldBack,
    /// How far the translation \[m\] and the rotation \[rad\] of what is not commanded may give way, where the tips could not follow
    /// otherwise or would be slower, and along contacts: 0 is not at all.
    pub give: [f64; 2],
    /// Axes that are left free, along those of the tip's frame, in the order of [`Target::free_axes`](urdf_ik_solver::Target::free_axes).
    /// Only rotations can be free: about such an axis the tip turns as it likes, unless a twist commands a rotation.
    pub free_axes: [bool; 6],
    /// The box that no tip leaves. Poses outside are replaced by the nearest ones inside. A tip that starts outside may
    /// only come nearer; joints outside their limits return to them first.
    pub workspace: Workspace,
}

impl Default for ServoOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl ServoOptions {
    /// The defaults of the library, of the node's parameters and of Python: 0.5 m/s, 1.5 rad/s, translation first, waiting on the line;
    /// 2 cm and 0.1 rad may give way.
    pub const DEFAULT: Self = Self {
        linear_speed: 0.5,
        angular_speed: 1.5,
        priority: Priority::Translation,
        held_back: HeldBack::Wait,
        give: [0.02, 0.1],
        free_axes: [false; 6],
        workspace: Workspace::UNBOUNDED,
    };

    /// How far what is not commanded may give way on lines: not at all where the tips slide instead.
    pub(super) fn give_on_lines(&self) -> [f64; 2] {
        if self.held_back == HeldBack::Slide { [0.0; 2] } else { self.give }
    }

    /// How many times, at most `most`, a motion with this twist \[m/s, rad/s\] the greatest speeds allow.
    pub(super) fn factor(&self, twist: &Vector6<f64>, most: f64) -> f64 {
        let [linear, angular] = [0, 3].map(|row| twist.fixed_rows::<3>(row).norm());
        (self.linear_speed / linear).min(self.angular_speed / angular).min(most)
    }

    /// A twist \[m/s, rad/s\] that is no faster than the greatest speeds, and whether it had to be made slower for that.
    pub(super) fn limited(&self, linear: &Vector3<f64>, angular: &Vector3<f64>) -> (Vector6<f64>, bool) {
        // The greatest numbers have no square.
        let size = linear.amax().max(angular.amax()).max(1.0);
        let twist = stacked(&(linear / size), &(angular / size));
        let factor = self.factor(&twist, size);
        (twist * factor, factor < size)
    }
}

named_values! {
    /// What is kept first where joint limits or contacts allow only a part of a twist.
    pub enum Priority("priority", "priorities") {
        /// The translation; the rotation as far as it leaves that as it is.
        Translation = "translation",
        /// The rotation; the translation as far as it leaves that as it is.
        Rotation = "rotation",
        /// Both alike: what is nearest to the whole twist, where a radian counts as much as the solver's length scale.
        Both = "both",
    }

    /// What tips do where joint limits hold them back. At contacts they always slide, and at singularities they always wait.
    pub enum HeldBack("way to be held back", "ways to be held back") {
        /// They wait on their line.
        Wait = "wait",
        /// They go on beside it: along the part of the twist that the limits allow. What is not commanded gives way along contacts alone.
        Slide = "slide",
    }
}
