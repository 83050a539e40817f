//! FABRIK for a tree of points in space with several targets, as published by Aristidou and Lasenby (2011) for models with
//! multiple end effectors.
//!
//! Points are joined by segments of constant length \[m\]; every point but the root has a parent. Where two or more branches
//! meet, the point is a *sub-base*. A cycle is two passes:
//!
//! 1. **Inward** (forward reaching): every point that has a target is placed there. From it, the parent is drawn along the
//!    line between the two until the length of the segment fits. At a sub-base each branch suggests a place of its own;
//!    it moves to their centroid, weighted by the sums of the weights of the targets behind them, and the pass continues inward
//!    from there, over any number of levels. A point inside the tree that has a target of its own is placed there whatever the
//!    branches behind it suggest.
//! 2. **Outward** (backward reaching): the root moves back to its place ([`Root`]); from it, each point is drawn along
//!    the line to its parent until the length of the segment fits. Points with no target behind them move in this pass
//!    only.
//!
//! After every cycle all lengths hold. For one chain with a fixed root the distance to the target never grows; for several
//! targets that is not so, and the fixed points of the cycle, where the suggestions at a sub-base need not agree, are not
//! always solutions. So an attempt that stalls is followed by others from scattered configurations, the same ones each time.
//!
//! **Targets that cannot be met.** A target farther from a root that is not free than the segments between them are long
//! together, or nearer than the longest of them minus the others, is certainly out of reach: [`Reason::OutOfReach`]. It
//! yields to the others: its weight decreases from cycle to cycle, so that it draws its branch straight
//! towards itself but keeps no other target from being met. Two targets that are farther apart (or nearer together) than the
//! segments between their points allow, [`Reason::Apart`], are a contradiction that their weights settle.
//!
//! ```
//! use nalgebra::Point3;
//! use urdf_ik::skeleton::tree::{Options, Problem, Root, Target, Tree};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A trunk from point 0 to point 1 and two arms of two segments each.
//! let parents = vec![None, Some(0), Some(1), Some(2), Some(1), Some(4)];
//! let tree = Tree::new(parents, vec![0.0, 0.5, 0.3, 0.3, 0.3, 0.3])?;
//! let (mut scratch, mut solution) = (tree.scratch(), tree.solution());
//!
//! let seed = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.3, 0.0, 0.5], [0.6, 0.0, 0.5], [-0.3, 0.0, 0.5], [-0.6, 0.0, 0.5]];
//! let seed = seed.map(Point3::from);
//! let targets = [Target::new(3, Point3::new(0.3, 0.2, 0.6)), Target::new(5, Point3::new(-0.2, 0.2, 0.4))];
//! let problem = Problem { targets: &targets, seed: &seed, root: Root::Fixed, options: Options::default() };
//! tree.solve(&problem, &mut scratch, &mut solution)?;
//! assert!(solution.solved());
//! assert!((solution.points[3] - targets[0].position).norm() <= 1e-6);
//! # Ok(())
//! # }
//! ```

mod problem;
mod solve;

use thiserror::Error;

pub use crate::skeleton::segments::{Element, InputError, Outcome, Reason, Root};
use crate::skeleton::segments::{Reach, check_count, check_length, check_total};
pub use problem::{Options, Problem, ProblemError, Residual, Solution, Target};
pub use solve::Scratch;

/// Why a tree is not valid.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A length, or the number of them, is wrong.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A parent is no point of the tree.
    #[error("the parent of point {point} is {parent}; the points are numbered from 0 to {}", .points - 1)]
    Parent {
        /// Index of the point.
        point: usize,
        /// The given parent.
        parent: usize,
        /// Points of the tree.
        points: usize,
    },
    /// A point is among its own ancestors.
    #[error("point {point} is an ancestor of itself")]
    Cycle {
        /// Index of a point of the cycle.
        point: usize,
    },
    /// More than one point has no parent.
    #[error("neither point {first} nor point {second} has a parent; only one root is possible")]
    Roots {
        /// Index of the first root.
        first: usize,
        /// Index of the second root.
        second: usize,
    },
    /// The root, to which no segment leads, was given a length.
    #[error("the root, point {point}, has a segment of {value} m; no segment leads to it, its entry must be 0")]
    RootLength {
        /// Index of the root.
        point: usize,
        /// The given value \[m\].
        value: f64,
    },
}

/// Points in a tree, joined by segments of constant length. See the [module](self).
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    parents: Vec<Option<usize>>,
    lengths: Vec<f64>,
    /// Every point after its parent.
    order: Vec<usize>,
    /// Segments between the root and each point.
    depths: Vec<usize>,
}

impl Tree {
    /// A tree of n points. `parents` gives for each the index of its parent, and `None` for the root, in any order;
    /// `lengths` \[m\] the length of the segment that leads to it from its parent, and 0 for the root. Segments of length 0
    /// keep two points together.
    ///
    /// # Errors
    /// [`TreeError`] where the lists do not describe one tree, or a length is not valid.
    pub fn new(parents: Vec<Option<usize>>, lengths: Vec<f64>) -> Result<Self, TreeError> {
        let points = parents.len();
        if points == 0 {
            return Err(InputError::Empty { what: "point" }.into());
        }
        check_count("list of lengths", lengths.len(), points)?;
        let depths = depths(&parents)?;
        for (point, &value) in lengths.iter().enumerate() {
            check_length(Element::of("the segment to point", point), value)?;
            if parents[point].is_none() && value != 0.0 {
                return Err(TreeError::RootLength { point, value });
            }
        }
        check_total(lengths.iter().sum())?;
        let mut order: Vec<usize> = (0..points).collect();
        order.sort_by_key(|&point| depths[point]);
        Ok(Self { parents, lengths, order, depths })
    }

    /// Index of the parent of each of the n points; `None` for the root.
    #[must_use]
    pub fn parents(&self) -> &[Option<usize>] {
        &self.parents
    }

    /// Length of the segment to each of the n points from its parent \[m\]; 0 for the root.
    #[must_use]
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// Index of the root.
    #[must_use]
    pub fn root(&self) -> usize {
        self.order[0]
    }

    /// The distances that two points of the tree can have from each other, by the segments between them. `None` where there is
    /// no such point.
    #[must_use]
    pub fn reach(&self, a: usize, b: usize) -> Option<Reach> {
        let points = self.parents.len();
        (a < points && b < points).then(|| self.reach_between(a, b))
    }

    /// [`Self::reach`] of points that exist.
    fn reach_between(&self, mut a: usize, mut b: usize) -> Reach {
        let mut reach = Reach::default();
        while a != b {
            let deeper = if self.depths[a] >= self.depths[b] { &mut a } else { &mut b };
            reach = reach.then(self.lengths[*deeper]);
            // The deeper of two different points is not the root.
            *deeper = self.parents[*deeper].unwrap_or(self.order[0]);
        }
        reach
    }
}

/// Segments between the root and each point.
fn depths(parents: &[Option<usize>]) -> Result<Vec<usize>, TreeError> {
    let points = parents.len();
    let mut roots = (0..points).filter(|&point| parents[point].is_none());
    if let (Some(first), Some(second)) = (roots.next(), roots.next()) {
        return Err(TreeError::Roots { first, second });
    }
    let mut depths: Vec<Option<usize>> = vec![None; points];
    let mut path = Vec::new();
    for start in 0..points {
        let mut point = start;
        let mut depth = loop {
            if let Some(depth) = depths[point] {
                break depth;
            }
            // A path longer than the tree visits one of its points twice.
            if path.len() > points {
                return Err(TreeError::Cycle { point });
            }
            path.push(point);
            match parents[point] {
                None => {
                    depths[point] = Some(0);
                    path.pop();
                    break 0;
                }
                Some(parent) if parent >= points => return Err(TreeError::Parent { point, parent, points }),
                Some(parent) => point = parent,
            }
        };
        while let Some(point) = path.pop() {
            depth += 1;
            depths[point] = Some(depth);
        }
    }
    Ok(depths.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests;
