//! The rows of one goal in one configuration.

use nalgebra::{Matrix3, Vector3};

/// Greatest number of rows of a goal.
pub const MAX_ROWS: usize = 3;

/// A value of a goal with its interval \[m or rad\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Row {
    /// The value \[m or rad\].
    pub value: f64,
    /// Lower and upper bound \[m or rad\]. −∞ or +∞ leaves that side unbounded; both are equal for an exact value.
    pub interval: [f64; 2],
}

impl Row {
    /// The smallest change \[m or rad\] that brings the value into its interval; 0 inside.
    #[inline]
    pub fn lack(&self) -> f64 {
        let [lower, upper] = self.interval;
        self.value.max(lower).min(upper) - self.value
    }

    /// True if the interval has an influence: the value is outside, or the interval is a single value.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.interval[0] == self.interval[1] || self.lack() != 0.0
    }
}

/// The derivative of a value as a force \[unit of the value per m\] and a torque \[unit of the value per rad\]: the
/// value changes at the rate force · v + torque · ω, with the velocity v of the point and the angular velocity ω of the
/// link relative to the frame. All vectors are along the axes of the frame.
pub type Derivative = [Vector3<f64>; 2];

/// Rows of a goal: its values, and their derivatives.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    count: usize,
    values: [Row; MAX_ROWS],
    /// Force \[1/m of the value's unit\] and torque \[1/rad\].
    derivatives: [Derivative; MAX_ROWS],
}

impl Rows {
    /// Removes all rows.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// The values with their intervals.
    #[inline]
    pub fn values(&self) -> &[Row] {
        &self.values[..self.count]
    }

    /// The derivatives, in the order of [`Rows::values`]; 0 for a relation of joints.
    #[inline]
    pub fn derivatives(&self) -> &[Derivative] {
        &self.derivatives[..self.count]
    }

    /// Norm \[m or rad\] of the distances of the values from their intervals.
    #[inline]
    pub fn violation(&self) -> f64 {
        self.values().iter().map(|row| row.lack().powi(2)).sum::<f64>().sqrt()
    }

    /// Adds a row with the derivative of its value.
    ///
    /// # Panics
    /// If there are [`MAX_ROWS`] already.
    #[inline]
    pub fn push(&mut self, row: Row, derivative: Derivative) {
        (self.values[self.count], self.derivatives[self.count]) = (row, derivative);
        self.count += 1;
    }

    /// Adds the rows of an offset of the point in a box with these axes and bounds \[m\].
    pub(crate) fn push_box(&mut self, offset: &Vector3<f64>, axes: &Matrix3<f64>, [lower, upper]: [&[f64; 3]; 2]) {
        let values = axes.tr_mul(offset);
        for axis in 0..3 {
            let row = Row { value: values[axis], interval: [lower[axis], upper[axis]] };
            self.push(row, [axes.column(axis).into_owned(), Vector3::zeros()]);
        }
    }
}
