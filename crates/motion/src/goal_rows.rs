//! Goals of a path at configurations: their violations, and the derivatives of their values.

use urdf_ik_goals::{ExactConfiguration, Goal, Rows};
use urdf_ik_robot::{Chain, ChainPoses};

/// Measures goals with a chain's own forward kinematics, with scratch memory.
pub(super) struct GoalRows<'a> {
    chain: &'a Chain,
    goals: &'a [Goal],
    poses: ChainPoses,
    rows: Rows,
    gradient: Vec<f64>,
}

/// A value of a goal at one configuration.
pub(super) struct GoalRow<'a> {
    pub(super) goal: &'a Goal,
    /// The change that brings the value into its interval \[m or rad\].
    pub(super) lack: f64,
    /// Derivatives of the value by the variables.
    pub(super) gradient: &'a [f64],
}

impl<'a> GoalRows<'a> {
    pub(super) fn new(chain: &'a Chain, goals: &'a [Goal]) -> Self {
        let gradient = vec![0.0; chain.variables().len()];
        Self { chain, goals, poses: ChainPoses::new(chain), rows: Rows::default(), gradient }
    }

    /// The violation of each goal at `positions` \[m or rad\].
    pub(super) fn violations(&mut self, positions: &[f64]) -> Vec<f64> {
        if self.goals.is_empty() {
            return Vec::new();
        }
        self.chain.forward_kinematics(positions, &mut self.poses);
        let at = ExactConfiguration { positions, poses: &self.poses };
        self.goals.iter().map(|goal| goal.violation(&at, &mut self.rows)).collect()
    }

    /// Calls `on_row` for each value whose interval has an influence at `positions`.
    pub(super) fn for_each_active(&mut self, positions: &[f64], mut on_row: impl FnMut(&GoalRow)) {
        if self.goals.is_empty() {
            return;
        }
        let Self { chain, goals, poses, rows, gradient } = self;
        chain.forward_kinematics(positions, poses);
        for goal in *goals {
            goal.measure(&ExactConfiguration { positions, poses }, rows);
            for (index, row) in rows.values().iter().enumerate().filter(|(_, row)| row.is_active()) {
                goal.write_gradient(chain, poses, index, rows, gradient);
                on_row(&GoalRow { goal, lack: row.lack(), gradient });
            }
        }
    }
}
