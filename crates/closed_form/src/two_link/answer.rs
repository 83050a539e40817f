//! Solutions of two and three links.

/// Shape of the two links at the solution. There are no other cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// A triangle: two configurations in each plane, elbow up and elbow down.
    #[default]
    Bent,
    /// Stretched, elbow angle 0: both configurations coincide and are returned once.
    Stretched,
    /// Folded, elbow angle π: both configurations coincide and are returned once.
    Folded,
}

/// Self-motion within the plane of the two links. A continuum is represented by one configuration. There are no other
/// cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Freedom {
    /// No self-motion.
    #[default]
    None,
    /// Self-motion of the shoulder: the target is at the shoulder.
    Shoulder,
    /// Self-motion of the elbow: the second link has zero length.
    Elbow,
    /// Self-motion of both joints with a constant sum of angles: the first link has zero length.
    AllButSum,
    /// Independent self-motions of both joints: both links have zero length, or one of them has and the target is
    /// at the shoulder.
    Both,
}

/// Self-motion of the plane of the links. There are no other cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlaneFreedom {
    /// No self-motion: the plane is unique, up to its two sides.
    #[default]
    None,
    /// Self-motion of the yaw: the target is on the base axis. One configuration is returned, with yaw 0.
    Yaw,
    /// Coupled self-motion of roll and yaw: the up vector points along the line from base to wrist, about which the
    /// plane rotates. One configuration is returned, with roll 0.
    Roll,
    /// Opposite self-motion of yaw and shoulder: the plane is perpendicular to the base axis, about which both joints
    /// rotate. Every configuration is returned with yaw 0 and represents a continuum.
    YawAgainstShoulder,
}

/// Up to `N` configurations, and their common properties. All angles are from -π (excluded) to π \[rad\], regardless of
/// joint limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solutions<P, const N: usize> {
    configurations: [P; N],
    count: usize,
    /// Shape of the two links.
    pub shape: Shape,
    /// Self-motion within the plane of the links.
    pub freedom: Freedom,
    /// Self-motion of the plane of the links.
    pub plane: PlaneFreedom,
    /// Distance of the tip from the target \[m\]: 0 within reach. Otherwise the configurations are the closest ones.
    pub missing: f64,
}

impl<P: Copy + Default, const N: usize> Solutions<P, N> {
    /// No configuration yet.
    pub(crate) fn new(shape: Shape, freedom: Freedom, plane: PlaneFreedom, missing: f64) -> Self {
        Self { configurations: [P::default(); N], count: 0, shape, freedom, plane, missing }
    }

    /// Adds a configuration, up to `N`.
    pub(crate) fn push(&mut self, configuration: P) {
        if let Some(place) = self.configurations.get_mut(self.count) {
            *place = configuration;
            self.count += 1;
        }
    }

    /// Converts the configurations.
    pub(crate) fn map<Q: Copy + Default>(&self, other: impl Fn(P) -> Q) -> Solutions<Q, N> {
        let mut solutions = Solutions::new(self.shape, self.freedom, self.plane, self.missing);
        self.configurations().iter().for_each(|&configuration| solutions.push(other(configuration)));
        solutions
    }

    /// The configurations, at least one, with angles \[rad\].
    pub fn configurations(&self) -> &[P] {
        &self.configurations[..self.count]
    }

    /// True if the target is within reach.
    pub fn is_reached(&self) -> bool {
        self.missing == 0.0
    }
}
