//! The rows of one goal in one configuration.

use nalgebra::{Point3, Vector3};

/// Greatest number of rows of a goal.
pub const MAX_ROWS: usize = 3;

/// A value of a goal with its interval \[m or rad\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The value.
    pub value: f64,
    /// Lower and upper bound; infinite for none, equal for an exact value.
    pub interval: [f64; 2],
}

impl Row {
    /// The change that brings the value into its interval; 0 inside.
    #[inline]
    pub fn lack(&self) -> f64 {
        let [lower, upper] = self.interval;
        self.value.max(lower).min(upper) - self.value
    }

    /// True if the interval has an influence: outside, and always if it is an exact value.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.interval[0] == self.interval[1] || self.lack() != 0.0
    }
}

/// Rows of a goal: its values, and their derivatives.
///
/// A derivative is a wrench on each [body](crate::Kind::bodies) of the goal: the value changes by force · v +
/// torque · ω, summed over the bodies, with the velocity v of the body at the origin of the base link's frame and its
/// angular velocity ω.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    values: Vec<Row>,
    /// Force \[1/m of the value's unit\] and torque \[1/rad\] of each body, row by row.
    wrenches: Vec<[Vector3<f64>; 2]>,
    /// Memory for the origins of bodies \[m\].
    pub(crate) origins: Vec<Point3<f64>>,
    /// True if values inside their intervals need no wrenches.
    is_of_active: bool,
}

impl Rows {
    /// Rows with wrenches of the [active](Row::is_active) values alone: those of others are 0.
    pub fn of_active() -> Self {
        Self { is_of_active: true, ..Self::default() }
    }

    /// True if a row needs no wrenches. Then it is added with one of 0 for each of so many bodies.
    #[inline]
    pub(crate) fn passes_over(&mut self, row: Row, bodies: usize) -> bool {
        let passes_over = self.is_of_active && !row.is_active();
        if passes_over {
            self.values.push(row);
            self.wrenches.resize(self.wrenches.len() + bodies, [Vector3::zeros(); 2]);
        }
        passes_over
    }

    /// Removes all rows.
    #[inline]
    pub fn clear(&mut self) {
        self.values.clear();
        self.wrenches.clear();
    }

    /// The values with their intervals.
    #[inline]
    pub fn values(&self) -> &[Row] {
        &self.values
    }

    /// The wrenches of a row, one per body: force and torque about the origin of the base link's frame.
    #[inline]
    pub fn wrenches(&self, row: usize) -> &[[Vector3<f64>; 2]] {
        let bodies = self.wrenches.len() / self.values.len().max(1);
        &self.wrenches[row * bodies..][..bodies]
    }

    /// Norm of the distances of the values from their intervals \[m or rad\].
    #[inline]
    pub fn violation(&self) -> f64 {
        self.values.iter().map(|row| row.lack().powi(2)).sum::<f64>().sqrt()
    }

    /// Adds a row with the wrench of each body.
    #[inline]
    pub fn push(&mut self, value: f64, interval: [f64; 2], wrenches: &[[Vector3<f64>; 2]]) {
        self.values.push(Row { value, interval });
        self.wrenches.extend_from_slice(wrenches);
    }

    /// Adds the wrenches of the next bodies to the last row.
    pub fn pull(&mut self, wrenches: impl Iterator<Item = [Vector3<f64>; 2]>) {
        self.wrenches.extend(wrenches);
    }
}
