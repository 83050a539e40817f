//! The answers of the functions on two and three links.

/// How the two links lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// A triangle: two configurations in each plane, one for each side of the elbow.
    #[default]
    Bent,
    /// One straight line, elbow at 0: both elbows coincide and are given once.
    Stretched,
    /// Folded onto each other, elbow at π: both elbows coincide and are given once.
    Folded,
}

/// What the target leaves open within the plane of the two links: a continuous family of configurations, one of which is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Freedom {
    /// Nothing.
    #[default]
    None,
    /// The angle of the shoulder: the target is at the shoulder.
    Shoulder,
    /// The angle of the elbow: the second link has no length.
    Elbow,
    /// All but the sum of both angles: the first link has no length.
    AllButSum,
    /// Both angles: links without length, and the target at the shoulder or no link at all.
    Both,
}

/// What the target leaves open of the plane in which the links lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlaneFreedom {
    /// Nothing: there is only one plane, with two sides from which it can be seen.
    #[default]
    None,
    /// The yaw: all that is asked for lies on the base axis. One configuration is given, with the yaw 0.
    Yaw,
    /// The roll, and with it the yaw: the plane turns about the line from base to wrist, along which the up vector points. One
    /// configuration is given, with the roll 0.
    Roll,
    /// The yaw against the shoulder: the plane is at right angles to the base axis, so that both joints turn about it. Every
    /// configuration is given with the yaw 0, and is one of a family.
    YawAgainstShoulder,
}

/// Up to `N` configurations and how well they meet the target. All angles are in (-π, π], whatever limits a robot has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solutions<P, const N: usize> {
    configurations: [P; N],
    count: usize,
    /// How the two links lie.
    pub shape: Shape,
    /// What the target leaves open within the plane.
    pub freedom: Freedom,
    /// What the target leaves open of the plane.
    pub plane: PlaneFreedom,
    /// By how much the tip stays away from the target \[m\]: 0 within reach; else the configurations are the closest ones.
    pub missing: f64,
}

impl<P: Copy + Default, const N: usize> Solutions<P, N> {
    /// No configuration yet.
    pub(crate) fn new(shape: Shape, freedom: Freedom, missing: f64) -> Self {
        Self { configurations: [P::default(); N], count: 0, shape, freedom, plane: PlaneFreedom::None, missing }
    }

    /// Adds a configuration, up to `N`.
    pub(crate) fn push(&mut self, configuration: P) {
        if let Some(place) = self.configurations.get_mut(self.count) {
            *place = configuration;
            self.count += 1;
        }
    }

    /// These solutions with other configurations in their place.
    pub(crate) fn map<Q: Copy + Default>(&self, other: impl Fn(P) -> Q) -> Solutions<Q, N> {
        let mut solutions = Solutions::new(self.shape, self.freedom, self.missing);
        solutions.plane = self.plane;
        self.configurations().iter().for_each(|&configuration| solutions.push(other(configuration)));
        solutions
    }

    /// The configurations, at least one.
    pub fn configurations(&self) -> &[P] {
        &self.configurations[..self.count]
    }

    /// Whether the target is within reach, so that the configurations attain it.
    pub fn is_reached(&self) -> bool {
        self.missing == 0.0
    }
}
