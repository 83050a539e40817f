//! A judge of tracking that shares no arithmetic with the solvers: it follows the interpolated pose from a
//! configuration to a target in small steps of damped least squares.

use nalgebra::{DMatrix, DVector, Isometry3, Translation3, UnitQuaternion, Vector3, Vector6};
use urdf_ik::robot::{Chain, JointKind, without_whole_turns};
use urdf_ik::solver::Target;

/// Length of a step along the interpolation \[rad or m\].
const STEP: f64 = 0.004;
/// Minimum step, where joints move fast.
const MIN_STEP: f64 = 4e-6;
/// Maximum motion of a joint in one step \[rad or m\]: more is a jump.
const MAX_MOVE: f64 = 0.1;
/// Maximum self-motion of a joint per step \[rad or m\].
const MAX_SELF_MOTION: f64 = 0.25 * MAX_MOVE;
/// Damping of least squares \[rad²\].
const DAMPING: f64 = 1e-7;
/// Maximum number of corrections at a pose.
const CORRECTIONS: usize = 12;
/// Error below which a pose is met \[rad, and m\].
const MET: f64 = 1e-6;
/// Maximum error of a self-motion between two answers \[rad, and m\]: twice the tolerance of targets.
const NEAR: f64 = 2e-5;

/// A serial chain with one tip and its target.
pub struct LineFollower<'a> {
    pub chain: &'a Chain,
    pub target: Target,
}

/// The end of a followed line.
pub struct LineRun {
    pub positions: Vec<f64>,
    /// Followed fraction of the interpolation.
    pub share: f64,
}

impl LineFollower<'_> {
    /// Follows the interpolated pose from `start`, within the limits. The self-motion of a redundant arm is minimal, or
    /// if that does not lead to `answer`, towards it, or back from it.
    pub fn follow_to(&self, start: &[f64], answer: &[f64]) -> LineRun {
        let followed = self.follow(start, start, 0.0);
        let arrives = |followed: &LineRun| followed.share >= 1.0 && self.are_connected(&followed.positions, answer);
        let counted = self.target.free_axes.iter().filter(|free| !**free).count();
        if start.len() <= counted || arrives(&followed) {
            return followed;
        }
        let led = self.follow(start, answer, MAX_SELF_MOTION);
        if arrives(&led) {
            return led;
        }
        let back = Self { chain: self.chain, target: self.target.with_pose(self.tip(start).0) };
        let returned = back.follow(answer, start, MAX_SELF_MOTION);
        let meets = self.error(answer).norm() < NEAR;
        if meets && returned.share >= 1.0 && back.are_connected(&returned.positions, start) {
            return LineRun { positions: answer.to_vec(), share: 1.0 };
        }
        followed
    }

    /// Follows the interpolated pose from `start`, within the limits, with a self-motion of up to `lead` \[rad or m\]
    /// per step towards `end`.
    pub fn follow(&self, start: &[f64], end: &[f64], lead: f64) -> LineRun {
        let from = self.tip(start).0;
        let turn = (self.target.pose.rotation * from.rotation.inverse()).scaled_axis();
        let shift = self.target.pose.translation.vector - from.translation.vector;
        let length = turn.norm().max(shift.norm()).max(STEP);
        let pose = |share: f64| {
            let rotation = UnitQuaternion::from_scaled_axis(turn * share) * from.rotation;
            Isometry3::from_parts(Translation3::from(from.translation.vector + shift * share), rotation)
        };
        let (mut positions, mut at, mut step) = (start.to_vec(), 0.0, STEP / length);
        while at < 1.0 {
            let next = f64::min(at + step, 1.0);
            let part = (next - at) / (1.0 - at);
            let led = positions.iter().zip(end).map(|(at, end)| at + ((end - at) * part).clamp(-lead, lead));
            match self.correct(&pose(next), &led.collect::<Vec<_>>()) {
                Some(there) if largest_move(&positions, &there) <= MAX_MOVE => {
                    (positions, at, step) = (there, next, f64::min(2.0 * step, STEP / length));
                }
                _ if step * length > MIN_STEP => step *= 0.5,
                _ => break,
            }
        }
        LineRun { positions, share: at }
    }

    /// True if a self-motion at the target connects `from` and `to`: none for an arm that is not redundant.
    pub fn are_connected(&self, from: &[f64], to: &[f64]) -> bool {
        let mut positions = from.to_vec();
        for left in (1..=100).rev() {
            let toward: Vec<f64> = positions.iter().zip(to).map(|(at, to)| at + (to - at) / f64::from(left)).collect();
            match if self.error(&toward).norm() < NEAR {
                Some(toward)
            } else {
                self.correct(&self.target.pose, &toward)
            } {
                Some(there) if largest_move(&positions, &there) <= MAX_MOVE => positions = there,
                _ => return false,
            }
        }
        largest_move(&positions, to) <= MAX_MOVE
    }

    /// Moves the tip from `start` to `pose` by damped least squares within the limits.
    fn correct(&self, pose: &Isometry3<f64>, start: &[f64]) -> Option<Vec<f64>> {
        let mut positions = start.to_vec();
        for _ in 0..CORRECTIONS {
            let (tip, columns) = self.tip(&positions);
            let (mut error, columns) = self.counted(pose, &tip, columns);
            if error.norm() < MET {
                return Some(positions);
            }
            let mut free = vec![true; positions.len()];
            let mut step = vec![0.0; positions.len()];
            loop {
                let jacobian = DMatrix::from_fn(6, positions.len(), |r, c| if free[c] { columns[c][r] } else { 0.0 });
                let normal = &jacobian * jacobian.transpose() + DMatrix::identity(6, 6) * DAMPING;
                let right = DVector::from_column_slice(error.as_slice());
                let found = jacobian.transpose() * normal.cholesky()?.solve(&right);
                let mut bounded = false;
                for i in (0..positions.len()).filter(|i| free[*i]).collect::<Vec<_>>() {
                    let next = positions[i] + found[i];
                    let inside = self.chain.variables()[i].domain.clamp(next);
                    step[i] = inside - positions[i];
                    if inside.to_bits() != next.to_bits() {
                        (free[i], bounded) = (false, true);
                        error -= columns[i] * step[i];
                    }
                }
                if !bounded {
                    break;
                }
            }
            positions.iter_mut().zip(&step).for_each(|(position, step)| *position += step);
        }
        None
    }

    /// The error of the target over the constrained axes, in the tip's frame.
    fn error(&self, positions: &[f64]) -> Vector6<f64> {
        let (tip, columns) = self.tip(positions);
        self.counted(&self.target.pose, &tip, columns).0
    }

    /// The error and the Jacobian over the constrained axes, in the tip's frame.
    fn counted(
        &self,
        pose: &Isometry3<f64>,
        tip: &Isometry3<f64>,
        mut columns: Vec<Vector6<f64>>,
    ) -> (Vector6<f64>, Vec<Vector6<f64>>) {
        let relative = tip.inverse() * pose;
        let (linear, angular) = (relative.translation.vector, relative.rotation.scaled_axis());
        let counts = Vector6::from_fn(|i, _| if self.target.free_axes[i] { 0.0 } else { 1.0 });
        let error = Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z);
        for column in &mut columns {
            let turned = [0, 3].map(|part| tip.rotation.inverse() * column.fixed_rows::<3>(part).into_owned());
            column.fixed_rows_mut::<3>(0).copy_from(&turned[0]);
            column.fixed_rows_mut::<3>(3).copy_from(&turned[1]);
            column.component_mul_assign(&counts);
        }
        (error.component_mul(&counts), columns)
    }

    /// The pose of the tip \[m\].
    pub fn tip_pose(&self, positions: &[f64]) -> Isometry3<f64> {
        self.tip(positions).0
    }

    /// The pose of the tip, and the Jacobian of its point in the base link's frame.
    fn tip(&self, positions: &[f64]) -> (Isometry3<f64>, Vec<Vector6<f64>>) {
        let (mut pose, mut axes) = (Isometry3::identity(), Vec::new());
        for joint in self.chain.joints() {
            pose *= joint.placement;
            axes.push((joint.kind, pose.rotation * joint.axis.into_inner(), pose.translation.vector));
            let motion = joint.axis.into_inner() * positions[joint.variable];
            pose *= match joint.kind {
                JointKind::Prismatic => Isometry3::translation(motion.x, motion.y, motion.z),
                _ => Isometry3::new(Vector3::zeros(), motion),
            };
        }
        pose *= self.chain.tips()[0].placement;
        let column = |(kind, axis, origin): (JointKind, Vector3<f64>, Vector3<f64>)| {
            let (linear, angular) = match kind {
                JointKind::Prismatic => (axis, Vector3::zeros()),
                _ => (axis.cross(&(pose.translation.vector - origin)), axis),
            };
            Vector6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
        };
        let columns = axes.into_iter().map(column).collect();
        (pose, columns)
    }
}

/// The largest motion of a joint \[rad or m\], whole turns included.
pub fn largest_move(from: &[f64], to: &[f64]) -> f64 {
    from.iter().zip(to).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max)
}

/// True if whole turns would bring a joint of `positions` nearer to `near` within its limits.
pub fn is_turned(chain: &Chain, positions: &[f64], near: &[f64]) -> bool {
    positions.iter().zip(near).zip(chain.variables()).any(|((position, near), variable)| {
        let nearest = near + without_whole_turns(position - near);
        !variable.prismatic && (nearest - position).abs() > 1.0 && variable.domain.contains(nearest)
    })
}
