//! A chain as the kernel computes it: every joint turns about, or moves along, the z axis of its own frame.
//!
//! Where frames stand along an axis, and which way their x axis points, is free. They are chosen as Denavit and Hartenberg did
//! (1955, "A kinematic notation for lower-pair mechanisms based on matrices"): x along the common normal, so that the step from one
//! joint to the next is a shift along z and x and a turn about x, which costs a third of a general product of poses, and next to
//! nothing where axes are parallel or at right angles. Axes that are nearly parallel have their common normal far away; there the
//! frame stays near the joint, and a second small turn, about y, makes up for it (Hayati and Mirmirani 1985).

use nalgebra::{Isometry3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use crate::robot::{Chain, JointKind};

/// Sine of the angle between axes below which they count as nearly parallel, and below which as parallel.
const NEARLY_PARALLEL: f64 = 1e-3;
const PARALLEL: f64 = 1e-14;

/// A constant turn about a coordinate axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Turn {
    /// Of nothing.
    None,
    /// Of a quarter turn, to the left for `1.0` or the right for `-1.0`.
    Quarter(f64),
    /// Of any angle.
    By {
        /// Cosine of the angle.
        cosine: f64,
        /// Sine of the angle.
        sine: f64,
    },
}

impl Turn {
    /// The turn back.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Quarter(sign) => Self::Quarter(-sign),
            Self::By { cosine, sine } => Self::By { cosine, sine: -sine },
        }
    }

    fn new(sine: f64, cosine: f64) -> Self {
        if sine.abs() <= PARALLEL && cosine > 0.0 {
            Self::None
        } else if cosine.abs() <= PARALLEL {
            Self::Quarter(sine.signum())
        } else {
            Self::By { cosine, sine }
        }
    }
}

/// The step from one joint to the next, and the motion of that joint. Lengths are in units of the length scale.
#[derive(Debug, Clone)]
pub struct Link {
    /// The joint that this one hangs from.
    pub parent: Option<usize>,
    /// Where it stands before its motion in the base link's frame, for one that hangs from the base link: x, y, z axis, origin.
    pub start: [[f64; 3]; 4],
    /// Turn about the parent's z axis that its own motion does not already hold.
    pub before: Turn,
    /// Shift along z and along the x axis that results.
    pub along_z: f64,
    pub along_x: f64,
    /// Turn about x, then about y.
    pub about_x: Turn,
    pub about_y: Turn,
    /// Whether the joint shifts along its z axis; else it turns about it.
    pub prismatic: bool,
    /// Index of the variable that moves it, and motion for one rad or m of it.
    pub variable: usize,
    pub multiplier: f64,
    /// Motion where the variable is 0.
    pub offset: f64,
    /// Where along its z axis the URDF has the joint.
    pub centre: f64,
}

/// Where a tip link stands. Lengths are in units of the length scale.
#[derive(Debug, Clone)]
pub struct End {
    /// The joint that it hangs from.
    pub parent: usize,
    /// Its pose in that joint's frame.
    pub position: [f64; 3],
    pub rotation: Rotation3<f64>,
    /// The joints that move it, from the base.
    pub path: Vec<usize>,
}

/// A chain in such frames.
#[derive(Debug, Clone)]
pub struct Links {
    pub joints: Vec<Link>,
    pub ends: Vec<End>,
    pub variables: usize,
    /// Whether each joint hangs from the one before it and has the variable of its own index, as in most arms.
    pub plain: bool,
}

impl Links {
    /// The chain with all lengths divided by `length_scale` \[m\].
    pub fn new(chain: &Chain, length_scale: f64) -> Self {
        let mut builder = Builder { length_scale, joints: Vec::new(), urdf_frames: Vec::new(), children: Vec::new() };
        for joint in chain.joints() {
            builder.add(joint);
        }
        let ends: Vec<End> = chain.tips().iter().map(|tip| builder.end(tip)).collect();
        let joints = builder.joints;
        let plain = ends.len() == 1
            && joints.iter().enumerate().all(|(i, link)| {
                link.variable == i && link.parent == i.checked_sub(1) && (link.prismatic || link.multiplier == 1.0)
            });
        Self { joints, ends, variables: chain.variables().len(), plain }
    }
}

struct Builder {
    length_scale: f64,
    joints: Vec<Link>,
    /// Frame of each joint as the URDF has it, seen from the frame chosen here. Both move alike.
    urdf_frames: Vec<Isometry3<f64>>,
    /// How much hangs from each joint already.
    children: Vec<usize>,
}

impl Builder {
    fn add(&mut self, joint: &crate::robot::ChainJoint) {
        let reversed = joint.multiplier < 0.0;
        let axis = if reversed { -joint.axis.into_inner() } else { joint.axis.into_inner() };
        let prismatic = joint.kind == JointKind::Prismatic;
        let scale = if prismatic { 1.0 / self.length_scale } else { 1.0 };
        let mut link = Link {
            parent: joint.parent,
            start: [[0.0; 3]; 4],
            before: Turn::None,
            along_z: 0.0,
            along_x: 0.0,
            about_x: Turn::None,
            about_y: Turn::None,
            prismatic,
            variable: joint.variable,
            multiplier: joint.multiplier.abs() * scale,
            offset: if reversed { -joint.offset } else { joint.offset } * scale,
            centre: 0.0,
        };
        let frame = match joint.parent {
            None => {
                let to_z = to_z(&axis);
                let start = joint.placement * to_z.inverse();
                let rotation = start.rotation.to_rotation_matrix();
                let columns = [0, 1, 2].map(|i| rotation.matrix().column(i).into());
                let origin = (start.translation.vector / self.length_scale).into();
                link.start = [columns[0], columns[1], columns[2], origin];
                Isometry3::from_parts(Translation3::identity(), to_z)
            }
            Some(parent) => self.step(parent, &joint.placement, &axis, &mut link),
        };
        link.centre = frame.translation.z / self.length_scale;
        self.joints.push(link);
        self.urdf_frames.push(frame);
        self.children.push(0);
    }

    /// Fills in the step from `parent`; gives the URDF's frame of the joint seen from the chosen one.
    fn step(
        &mut self,
        parent: usize,
        placement: &Isometry3<f64>,
        axis: &Vector3<f64>,
        link: &mut Link,
    ) -> Isometry3<f64> {
        let mut place = self.urdf_frames[parent] * placement;
        let mut direction = place.rotation * axis;
        let normal = Vector3::z().cross(&direction);
        let point = place.translation.vector;
        // The direction in which x shall point: along the common normal, or where there is none nearby, to the joint.
        let (x, crossing) = if normal.norm() > NEARLY_PARALLEL { (normal, true) } else { (point, false) };
        let mut angle = if x.xy().norm() > 0.0 { x.y.atan2(x.x) } else { 0.0 };
        if crossing && angle.abs() > std::f64::consts::FRAC_PI_2 {
            // The normal points both ways: the smaller turn keeps round angles round.
            angle -= std::f64::consts::PI.copysign(angle);
        }
        link.before = self.turn(parent, angle);
        let back = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -angle);
        place = back * place;
        direction = back * direction;
        let mut origin = place.translation.vector;
        if crossing {
            // From the joint along its axis to the foot of the common normal, where y vanishes.
            origin -= direction * (origin.y / direction.y);
        }
        let lean = if crossing { 0.0 } else { direction.x };
        let upright = (1.0 - lean * lean).sqrt();
        let (sine, cosine) = (-direction.y / upright, direction.z / upright);
        link.about_x = Turn::new(sine, cosine);
        link.about_y = Turn::new(lean, upright);
        link.along_x = origin.x / self.length_scale;
        link.along_z = origin.z / self.length_scale;
        let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), sine.atan2(cosine))
            * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), lean.asin());
        Isometry3::from_parts(Translation3::new(origin.x, 0.0, origin.z), tilt).inverse() * place
    }

    /// Turns the frame of `parent` about its axis by `angle` for the sake of what hangs from it: once for all in the joint's
    /// own motion where nothing else hangs there yet; what is left to do each time is returned.
    fn turn(&mut self, parent: usize, angle: f64) -> Turn {
        let link = &mut self.joints[parent];
        self.children[parent] += 1;
        if self.children[parent] > 1 || link.prismatic {
            return Turn::new(angle.sin(), angle.cos());
        }
        link.offset += angle;
        let back = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -angle);
        self.urdf_frames[parent] = back * self.urdf_frames[parent];
        Turn::None
    }

    fn end(&mut self, tip: &crate::robot::Tip) -> End {
        let place = self.urdf_frames[tip.parent] * tip.placement;
        let mut path: Vec<usize> =
            std::iter::successors(Some(tip.parent), |&joint| self.joints[joint].parent).collect();
        path.reverse();
        End {
            parent: tip.parent,
            position: (place.translation.vector / self.length_scale).into(),
            rotation: place.rotation.to_rotation_matrix(),
            path,
        }
    }
}

/// The shortest turn of `axis` onto z. By the arctangent: the arccosine of nearly parallel vectors has lost half of its digits.
fn to_z(axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    let normal = axis.cross(&Vector3::z());
    let about = Unit::try_new(normal, 0.0).unwrap_or_else(Vector3::x_axis);
    UnitQuaternion::from_axis_angle(&about, normal.norm().atan2(axis.z))
}
