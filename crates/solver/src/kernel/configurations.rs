//! Four configurations of a chain, with their frames, residuals and Jacobians.

use super::frame::StoredFrame;
use super::goal_places::Distal;
use super::lanes::Lanes;
use super::links::KernelLinks;
use urdf_ik_goals::Rows;

/// Four configurations (one per lane) with their frames, residuals and Jacobians.
#[derive(Debug, Clone, Default)]
pub struct Configurations {
    /// Positions of each variable \[rad or m\].
    pub positions: Vec<Lanes>,
    /// Frame of each joint after its motion, in the base link's frame; lengths are in units of the length scale.
    pub frames: Vec<StoredFrame>,
    /// For each target, the reference point of the Jacobian on the tip link, in the base link's frame and in units of
    /// the length scale.
    pub points: Vec<[Lanes; 3]>,
    /// The residual of each target \[rad\], linear part first, with lengths divided by the length scale. The active
    /// rows of other goals follow, six to an entry.
    pub rows: Vec<[Lanes; 6]>,
    /// Jacobian of each entry of `rows`, one column per variable, with lengths divided by the length scale: for
    /// targets, the tip twist per rad or m of the variable.
    pub columns: Vec<[Lanes; 6]>,
    /// The step of each variable \[rad or m\].
    pub step: Vec<Lanes>,
    /// Scratch memory of bounded steps.
    pub active_set: ActiveSet,
    /// Squared norm of all rows \[rad²\].
    pub squared_error: Lanes,
    /// Bit mask: bit k is set if configuration k meets every target and goal.
    pub met: u64,
    /// Memory for goals besides targets.
    pub others: OtherRows,
}

/// A row of a goal besides targets that has an influence on the step in one of the configurations.
#[derive(Debug, Clone, Default)]
pub struct ActiveRow {
    /// Index of the goal among those besides targets.
    pub goal: usize,
    /// 1 in the configurations in which the row is active, else 0.
    pub lanes: Lanes,
    /// The residual \[rad\]; 0 in the other configurations.
    pub residual: Lanes,
    /// The derivative of the residual along the axes of the base link's frame: force on the point of the goal, then
    /// torque; 0 in the other configurations.
    pub derivative: [Lanes; 6],
}

/// Memory for the rows of goals besides targets.
#[derive(Debug, Clone, Default)]
pub struct OtherRows {
    /// The rows of one goal in one configuration.
    pub rows: Rows,
    /// The active rows, in the order of `Configurations::rows`.
    pub active: Vec<ActiveRow>,
    /// The contribution of each place of the goals to the sums over the places beyond its joint.
    pub parts: Vec<Distal>,
    /// The places of one goal beyond each joint.
    pub distal: Vec<Distal>,
}

impl Configurations {
    pub fn new(links: &KernelLinks) -> Self {
        let (variables, tips) = (links.variables, links.ends.len());
        let mut configurations = Self {
            positions: vec![Lanes::default(); variables],
            frames: vec![[[Lanes::default(); 3]; 4]; links.joints.len()],
            points: vec![[Lanes::default(); 3]; tips],
            step: vec![Lanes::default(); variables],
            others: OtherRows {
                rows: Rows::default(),
                active: Vec::new(),
                parts: Vec::new(),
                distal: vec![Distal::default(); links.joints.len()],
            },
            ..Self::default()
        };
        configurations.make_room(tips);
        configurations
    }

    /// Makes room for at least this number of blocks of six rows: goals besides targets need more than one per tip.
    pub fn make_room(&mut self, blocks: usize) {
        if blocks <= self.rows.len() {
            return;
        }
        let variables = self.positions.len();
        self.rows.resize(blocks, [Lanes::default(); 6]);
        self.columns.resize(blocks * variables, [Lanes::default(); 6]);
        self.active_set.make_room(blocks, variables);
    }

    /// Copies the positions \[rad or m\] of one lane into `positions`, one per variable.
    pub fn read(&self, lane: usize, positions: &mut [f64]) {
        for (position, lanes) in positions.iter_mut().zip(&self.positions) {
            *position = lanes.0[lane];
        }
    }

    /// Sets the positions \[rad or m\] of one lane, one per variable.
    pub fn write(&mut self, lane: usize, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            lanes.0[lane] = *position;
        }
    }

    /// Sets all four lanes to the same positions \[rad or m\], one per variable.
    pub fn write_all(&mut self, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            *lanes = Lanes::splat(*position);
        }
    }
}

/// Scratch memory of damped steps within bounds.
#[derive(Debug, Clone, Default)]
pub struct ActiveSet {
    /// Lower triangle of the normal equations, row by row, for sizes unknown at compile time.
    pub normal: Vec<Lanes>,
    /// Right-hand side of the normal equations.
    pub right: Vec<Lanes>,
    /// Step of each variable that is clamped to its bounds \[rad or m\], else 0.
    pub clamped_step: Vec<Lanes>,
    /// 1 for each variable that is clamped to its bounds, else 0.
    pub clamped: Vec<Lanes>,
    /// Jacobian columns of the clamped variables, in the order of `Configurations::columns`.
    pub clamped_columns: Vec<[Lanes; 6]>,
    /// Residual rows after the step.
    pub rest: Vec<[Lanes; 6]>,
}

impl ActiveSet {
    fn make_room(&mut self, blocks: usize, variables: usize) {
        // Whole blocks of fewer rows than variables may exceed these.
        let equations = (variables + 5).min(6 * blocks);
        self.normal.resize(equations * (equations + 1) / 2, Lanes::default());
        self.right.resize(6 * blocks, Lanes::default());
        self.clamped_step.resize(variables, Lanes::default());
        self.clamped.resize(variables, Lanes::default());
        self.clamped_columns.resize(blocks * variables, [Lanes::default(); 6]);
        self.rest.resize(blocks, [Lanes::default(); 6]);
    }
}
