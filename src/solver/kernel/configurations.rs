//! Four configurations of a chain, and what is computed of them.

use super::frame::FrameLanes;
use super::lanes::Lanes;
use super::links::Links;

/// Four configurations, and what is computed of them.
#[derive(Debug, Clone)]
pub struct Configurations {
    /// Positions of each variable \[rad or m\].
    pub positions: Vec<Lanes>,
    /// Frame of each joint after its motion.
    pub frames: Vec<FrameLanes>,
    /// For each target, the point of the tip whose motion counts.
    pub points: Vec<[Lanes; 3]>,
    /// What is left to each target \[rad\], linear part first.
    pub rows: Vec<[Lanes; 6]>,
    /// For each target, one column a variable: the motion of the tip for one rad or m of the variable.
    pub columns: Vec<[Lanes; 6]>,
    /// Squared norm of all rows.
    pub squared_error: Lanes,
    /// Bit by bit, whether every target is met.
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
            squared_error: Lanes::default(),
            met: 0,
        }
    }

    /// The positions of one posture.
    pub fn read(&self, lane: usize, positions: &mut [f64]) {
        for (position, lanes) in positions.iter_mut().zip(&self.positions) {
            *position = lanes.0[lane];
        }
    }

    /// Sets the positions of one posture.
    pub fn write(&mut self, lane: usize, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            lanes.0[lane] = *position;
        }
    }

    /// Sets all four postures to one.
    pub fn write_all(&mut self, positions: &[f64]) {
        for (position, lanes) in positions.iter().zip(&mut self.positions) {
            *lanes = Lanes::splat(*position);
        }
    }
}
