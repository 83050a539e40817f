//! Constants of a chain in the kernel: every joint rotates about, or translates along, the z axis of its own frame.
//!
//! The position of a frame along its joint axis and the direction of its x axis are arbitrary. They follow Denavit
//! and Hartenberg (1955, "A kinematic notation for lower-pair mechanisms based on matrices"): x lies along the common
//! normal. The transform from one joint to the next is then a translation along z and x and a rotation about x. It
//! costs a third of a general pose product, and almost nothing if axes are parallel or perpendicular. The common
//! normal of nearly parallel axes is far away. There the frame stays near the joint, and a second small rotation,
//! about y, completes the transform (Hayati and Mirmirani 1985).
//!
//! These frames serve the iteration alone. Forward kinematics of the chain, which does not use them, decides on every
//! solution.

use nalgebra::{Isometry3, IsometryMatrix3, Rotation3, Translation3, Unit, UnitQuaternion, Vector3};

use urdf_ik_robot::{Chain, JointKind};

/// Sine of the angle between axes below which they count as nearly parallel.
const MAX_NEARLY_PARALLEL_SINE: f64 = 1e-3;
/// Sine or cosine that counts as zero: the angle is then a multiple of π/2.
const MAX_ZERO_SINE: f64 = 1e-14;

/// A constant rotation about a coordinate axis.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ConstantTurn {
    /// The identity.
    #[default]
    None,
    /// A rotation by π/2: counterclockwise for `1.0`, clockwise for `-1.0`.
    Quarter(f64),
    /// A rotation by any angle.
    By {
        /// Cosine of the angle.
        cosine: f64,
        /// Sine of the angle.
        sine: f64,
    },
}

impl ConstantTurn {
    /// The inverse rotation.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::Quarter(sign) => Self::Quarter(-sign),
            Self::By { cosine, sine } => Self::By { cosine, sine: -sine },
        }
    }

    fn new(sine: f64, cosine: f64) -> Self {
        if sine.abs() <= MAX_ZERO_SINE && cosine > 0.0 {
            Self::None
        } else if cosine.abs() <= MAX_ZERO_SINE {
            Self::Quarter(sine.signum())
        } else {
            Self::By { cosine, sine }
        }
    }
}

/// The transform from one joint to the next, and the motion of that joint. Lengths are in units of the length scale.
#[derive(Debug, Clone, Default)]
pub struct KernelLink {
    /// Index of the previous joint; `None` on the base link.
    pub parent: Option<usize>,
    /// For a joint on the base link, its frame before its motion, in the base link's frame: x, y, z axis, origin.
    pub start: [[f64; 3]; 4],
    /// Rotation about the parent's z axis, in addition to the parent's offset.
    pub about_z: ConstantTurn,
    /// Translation along the z axis.
    pub along_z: f64,
    /// Translation along the x axis that results from the rotation about z.
    pub along_x: f64,
    /// Rotation about x.
    pub about_x: ConstantTurn,
    /// Rotation about the resulting y axis.
    pub about_y: ConstantTurn,
    /// True if the joint translates along its z axis instead of rotating about it.
    pub prismatic: bool,
    /// Index of the joint's variable.
    pub variable: usize,
    /// Joint displacement \[rad, or units of the length scale\] per rad or m of the variable.
    pub multiplier: f64,
    /// Joint displacement at position 0 of the variable \[rad, or units of the length scale\].
    pub offset: f64,
    /// Position of the URDF joint origin along the z axis.
    pub centre: f64,
}

/// The tip link's frame relative to its last joint. Lengths are in units of the length scale.
#[derive(Debug, Clone)]
pub struct KernelTip {
    /// Index of the last joint.
    pub parent: usize,
    /// Position of the tip in the frame of that joint.
    pub position: [f64; 3],
    /// Orientation of the tip in the frame of that joint.
    pub rotation: Rotation3<f64>,
    /// Indices of the joints that move the tip, from the base.
    pub path: Vec<usize>,
}

/// Constants of a chain in the frames of this module.
#[derive(Debug, Clone)]
pub struct KernelLinks {
    pub joints: Vec<KernelLink>,
    /// Pose \[m\] of each joint's URDF frame in its frame of this module, both after the joint's motion.
    pub urdf_frames: Vec<IsometryMatrix3<f64>>,
    pub ends: Vec<KernelTip>,
    pub variables: usize,
    /// True for one tip and an unbranched chain: joint i follows joint i - 1 and has variable i, as in most arms.
    pub plain: bool,
}

impl KernelLinks {
    /// The chain with all lengths divided by `length_scale` \[m\].
    pub fn new(chain: &Chain, length_scale: f64) -> Self {
        let mut builder =
            LinksBuilder { length_scale, joints: Vec::new(), urdf_frames: Vec::new(), children: Vec::new() };
        for joint in chain.joints() {
            builder.add(joint);
        }
        let ends: Vec<KernelTip> = chain.tips().iter().map(|tip| builder.end(tip)).collect();
        let urdf_frames = builder.urdf_frames.iter().map(|frame| nalgebra::convert(*frame)).collect();
        let joints = builder.joints;
        let plain = ends.len() == 1
            && joints.iter().enumerate().all(|(i, link)| {
                link.variable == i && link.parent == i.checked_sub(1) && (link.prismatic || link.multiplier == 1.0)
            });
        Self { joints, urdf_frames, ends, variables: chain.variables().len(), plain }
    }
}

struct LinksBuilder {
    length_scale: f64,
    joints: Vec<KernelLink>,
    /// The URDF's frame of each joint in the frame chosen here. Both move together.
    urdf_frames: Vec<Isometry3<f64>>,
    /// Number of joints and tips added so far whose parent is each joint.
    children: Vec<usize>,
}

impl LinksBuilder {
    fn add(&mut self, joint: &urdf_ik_robot::ChainJoint) {
        let reversed = joint.multiplier < 0.0;
        let axis = if reversed { -joint.axis.into_inner() } else { joint.axis.into_inner() };
        let prismatic = joint.kind == JointKind::Prismatic;
        let scale = if prismatic { 1.0 / self.length_scale } else { 1.0 };
        let mut link = KernelLink {
            parent: joint.parent,
            prismatic,
            variable: joint.variable,
            multiplier: joint.multiplier.abs() * scale,
            offset: if reversed { -joint.offset } else { joint.offset } * scale,
            ..KernelLink::default()
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

    /// Fills in the transform from `parent`. Returns the frame of the joint in the URDF, in the frame of this module.
    fn step(
        &mut self,
        parent: usize,
        placement: &Isometry3<f64>,
        axis: &Vector3<f64>,
        link: &mut KernelLink,
    ) -> Isometry3<f64> {
        let mut place = self.urdf_frames[parent] * placement;
        let mut direction = place.rotation * axis;
        let normal = Vector3::z().cross(&direction);
        let point = place.translation.vector;
        // The direction of the x axis: along the common normal, or, if that is far away, towards the joint.
        let (x, crossing) = if normal.norm() > MAX_NEARLY_PARALLEL_SINE { (normal, true) } else { (point, false) };
        let mut angle = if x.xy().norm() > 0.0 { x.y.atan2(x.x) } else { 0.0 };
        if crossing && angle.abs() > std::f64::consts::FRAC_PI_2 {
            // Of both directions of the normal, the smaller rotation, which keeps multiples of π/2 exact.
            angle -= std::f64::consts::PI.copysign(angle);
        }
        link.about_z = self.rotate_parent(parent, angle);
        let back = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -angle);
        place = back * place;
        direction = back * direction;
        let mut origin = place.translation.vector;
        if crossing {
            // Along the joint axis to the foot of the common normal, where y is zero.
            origin -= direction * (origin.y / direction.y);
        }
        let lean = if crossing { 0.0 } else { direction.x };
        let upright = (1.0 - lean * lean).sqrt();
        let (sine, cosine) = (-direction.y / upright, direction.z / upright);
        link.about_x = ConstantTurn::new(sine, cosine);
        link.about_y = ConstantTurn::new(lean, upright);
        link.along_x = origin.x / self.length_scale;
        link.along_z = origin.z / self.length_scale;
        let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), sine.atan2(cosine))
            * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), lean.asin());
        Isometry3::from_parts(Translation3::new(origin.x, 0.0, origin.z), tilt).inverse() * place
    }

    /// Rotates the frame of `parent` about its axis by `angle`, as its child requires. For the first child the
    /// rotation is added to the parent's offset, at no cost. For others it is returned and applied in each transform.
    fn rotate_parent(&mut self, parent: usize, angle: f64) -> ConstantTurn {
        let link = &mut self.joints[parent];
        self.children[parent] += 1;
        if self.children[parent] > 1 || link.prismatic {
            return ConstantTurn::new(angle.sin(), angle.cos());
        }
        link.offset += angle;
        let back = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), -angle);
        self.urdf_frames[parent] = back * self.urdf_frames[parent];
        ConstantTurn::None
    }

    fn end(&mut self, tip: &urdf_ik_robot::Tip) -> KernelTip {
        let place = self.urdf_frames[tip.parent] * tip.placement;
        let mut path: Vec<usize> =
            std::iter::successors(Some(tip.parent), |&joint| self.joints[joint].parent).collect();
        path.reverse();
        KernelTip {
            parent: tip.parent,
            position: (place.translation.vector / self.length_scale).into(),
            rotation: place.rotation.to_rotation_matrix(),
            path,
        }
    }
}

/// The shortest rotation of `axis` onto z, by the arctangent: the arccosine loses half of its digits for nearly
/// parallel vectors.
fn to_z(axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    let normal = axis.cross(&Vector3::z());
    let about = Unit::try_new(normal, 0.0).unwrap_or_else(Vector3::x_axis);
    UnitQuaternion::from_axis_angle(&about, normal.norm().atan2(axis.z))
}
