//! Keeps tips inside a workspace: contact rows for its faces, and the check of a motion to rest.

use std::sync::Arc;

use nalgebra::Vector6;

use super::contact_rows::{Contact, ContactRows};
use super::rates::Rates;
use super::workspace::{REST_DISTANCE, TipAtFace, Workspace};
use urdf_ik_robot::{Chain, ChainPoses};

/// Distance by which rounding may bring a tip nearer to a face \[m\].
const ROUNDING: f64 = 1e-9;

/// The workspace of the tips of a chain, with scratch memory.
#[derive(Debug, Clone)]
pub struct WorkspaceGuard {
    chain: Arc<Chain>,
    poses: ChainPoses,
    columns: Vec<Vector6<f64>>,
    gradient: Vec<f64>,
    /// Least distance of each tip from each face in the current check \[m\]: 0, or negative for a tip that is outside.
    least: Vec<f64>,
    workspace: Workspace,
    /// The tip that would leave the workspace by the last rejected motion.
    pub crossed: Option<TipAtFace>,
}

impl WorkspaceGuard {
    pub fn new(chain: &Arc<Chain>, workspace: Workspace) -> Self {
        let variables = chain.variables().len();
        Self {
            poses: ChainPoses::new(chain),
            columns: vec![Vector6::zeros(); variables],
            gradient: vec![0.0; variables],
            least: Vec::with_capacity(6 * chain.tips().len()),
            chain: Arc::clone(chain),
            workspace,
            crossed: None,
        }
    }

    pub fn set_workspace(&mut self, workspace: Workspace) {
        (self.workspace, self.crossed) = (workspace, None);
    }

    /// True if there is a face that tips must not cross.
    pub fn is_bounded(&self) -> bool {
        self.workspace.is_bounded()
    }

    /// Adds a row for each tip and face at `positions` of the variables \[rad or m\].
    pub fn push_rows(&mut self, rows: &mut ContactRows, positions: &[f64], braking: Rates) {
        if !self.is_bounded() {
            return;
        }
        self.chain.forward_kinematics(positions, &mut self.poses);
        for (tip, pose) in self.poses.tips().iter().enumerate() {
            let point = pose.translation.vector;
            self.chain.jacobian(&self.poses, tip, &point.into(), &mut self.columns);
            for face in self.workspace.faces() {
                for (entry, column) in self.gradient.iter_mut().zip(&self.columns) {
                    *entry = face.inwards * column[face.axis];
                }
                let room = face.distance(&point) - REST_DISTANCE;
                rows.push(Contact::Face(TipAtFace { tip, face }), &self.gradient, room, braking);
            }
        }
    }

    /// True if all tips stay inside along a motion through `configurations` of the variables \[rad or m\] that begins
    /// at `now`. A tip that is outside now may only come nearer.
    pub fn contains<'a>(&mut self, now: &[f64], mut configurations: impl Iterator<Item = &'a [f64]>) -> bool {
        self.least.clear();
        self.chain.forward_kinematics(now, &mut self.poses);
        for pose in self.poses.tips() {
            let point = &pose.translation.vector;
            self.least.extend(self.workspace.faces().map(|face| face.distance(point).min(0.0) - ROUNDING));
        }
        self.crossed = configurations.find_map(|positions| self.crossed_at(positions));
        self.crossed.is_none()
    }

    /// The first face beyond which a tip is at `positions`.
    fn crossed_at(&mut self, positions: &[f64]) -> Option<TipAtFace> {
        self.chain.forward_kinematics(positions, &mut self.poses);
        let tips = self.poses.tips().iter().enumerate();
        let mut at_faces = tips.flat_map(|(tip, pose)| {
            let point = pose.translation.vector;
            self.workspace.faces().map(move |face| (TipAtFace { tip, face }, face.distance(&point)))
        });
        let mut least = self.least.iter();
        at_faces.find_map(|(at, distance)| least.next().filter(|least| distance < **least).map(|_| at))
    }
}
