//! Four configurations of a chain, and what is computed from them.

use super::frame::FrameLanes;
use super::lanes::Lanes;
use super::links::Links;

/// Four configurations, with their frames, residuals and Jacobians.
#[derive(Debug, Clone)]
pub struct Configurations {
    /// Positions of each variable \[rad or m\].
    pub positions: Vec<Lanes>,
    /// Frame of each joint after its motion.
    pub frames: Vec<FrameLanes>,
    /// For each target, the point of the tip link whose velocity the Jacobian gives.
    pub points: Vec<[Lanes; 3]>,
    /// The residual of each target \[rad\], linear part first.
    pub rows: Vec<[Lanes; 6]>,
    /// The Jacobian of each target, one column per variable: the motion of the tip per rad or m of the variable.
    pub columns: Vec<[Lanes; 6]>,
    /// The step of each variable \[rad or m\].
    pub step: Vec<Lanes>,
    /// What keeps damped steps inside bounds.
    pub active_set: ActiveSet,
    /// Squared norm of all rows.
    pub squared_error: Lanes,
    /// Bit k is set where configuration k meets every target.
    pub met: u64,
}

impl Configurations {
    pub fn new(links: &Links) -> Self {
        let (variables, tips) = (links.variables, links.ends.len());
        Self {
            positions: vec![Lanes::default(); variables],
            frames: vec![[[Lanes::default(); 3]; 4]; links.joints.len()],
            points: vec![[Lanes::default(); 3]; tips],
            rows: vec![[Lanes::default(); 6]; tips],
            columns: vec![[Lanes::default(); 6]; tips * variables],
            step: vec![Lanes::default(); variables],
            active_set: ActiveSet::new(links),
            squared_error: Lanes::default(),
            met: 0,
        }
    }

    /// Copies the positions of one configuration into `positions`.
    pub fn read(&self, lane: usize, positions: &mut [f64]) {
        for (position, lanes) in positions.iter_mut().zip(&self.positions) {
            *position = lanes.0[lane];
        }
    }

    /// Sets the positions of one configuration.
    pub fn write(&mut self, lane: usize, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            lanes.0[lane] = *position;
        }
    }

    /// Sets all four configurations to the same positions.
    pub fn write_all(&mut self, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            *lanes = Lanes::splat(*position);
        }
    }
}

/// Where damped steps inside bounds are computed.
#[derive(Debug, Clone)]
pub struct ActiveSet {
    /// Lower triangle and right-hand side of the normal equations, where their size is not known when the program is compiled.
    pub normal: Vec<Lanes>,
    pub right: Vec<Lanes>,
    /// The step of each variable that is clamped to its bounds, and whether it is clamped (1 or 0).
    pub clamped_step: Vec<Lanes>,
    pub clamped: Vec<Lanes>,
    /// The columns of the variables that are clamped.
    pub clamped_columns: Vec<[Lanes; 6]>,
    /// What the step leaves of the rows.
    pub rest: Vec<[Lanes; 6]>,
}

impl ActiveSet {
    fn new(links: &Links) -> Self {
        let variables = links.variables;
        let equations = variables.min(6 * links.ends.len());
        let zeros = |count: usize| vec![Lanes::default(); count];
        Self {
            normal: zeros(equations * (equations + 1) / 2),
            right: zeros(equations),
            clamped_step: zeros(variables),
            clamped: zeros(variables),
            clamped_columns: vec![[Lanes::default(); 6]; links.ends.len() * variables],
            rest: vec![[Lanes::default(); 6]; links.ends.len()],
        }
    }
}
