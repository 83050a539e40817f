//! Clearance that the measured arm loses by lag and sag, for which the margin of the command is widened.
//!
//! Only pairs measured inside the margin count. While the command separates a pair, the arm moves away, and lag is
//! harmless. The loss of a pair counts until the command satisfies the wider margin: otherwise the arm would
//! repeatedly stop, catch up, and continue.

use std::sync::Arc;

use super::Avoidance;
use urdf_ik_collision::{Near, Scene, SceneScratch};

/// Distance beyond the margin at which command gaps are saturated \[m\].
const HORIZON: f64 = 0.05;
/// Minimum increase of the gap of a separating pair per tick \[m\].
const ROUNDING: f64 = 1e-9;

/// The loss of clearance from tick to tick.
#[derive(Default)]
pub(crate) struct ClearanceLoss {
    /// The scene of the pairs.
    scene: Option<Arc<Scene>>,
    /// The pairs measured inside the margin at the last tick, with their gaps at the commanded configuration.
    inside: Vec<PairLength>,
    /// Commanded minus measured gap of the pair with the largest loss.
    kept: Option<PairLength>,
    scratch: SceneScratch,
}

/// A length of a pair of bodies.
#[derive(Clone, Copy)]
struct PairLength {
    /// Index of the pair.
    pair: usize,
    /// \[m\].
    length: f64,
}

impl ClearanceLoss {
    /// The current loss \[m\]; `commanded` and `measured` are positions of the chain's variables.
    pub(crate) fn update(&mut self, avoidance: &Avoidance, commanded: &[f64], measured: &[f64]) -> f64 {
        let Avoidance { scene, margin, .. } = avoidance;
        if !self.scene.as_ref().is_some_and(|seen| Arc::ptr_eq(seen, scene)) {
            *self =
                Self { scene: Some(Arc::clone(scene)), scratch: std::mem::take(&mut self.scratch), ..Self::default() };
        }
        scene.find_near(measured, *margin, &mut self.scratch);
        let measured: Vec<Near> = self.scratch.near.clone();
        if measured.is_empty() && self.kept.is_none() {
            self.inside.clear();
            return 0.0;
        }
        scene.find_near(commanded, margin + HORIZON, &mut self.scratch);
        let near = &self.scratch.near;
        let known_gap = |pair: usize| near.iter().find(|near| near.pair == pair).map(Near::gap);
        let gap = |pair: usize| known_gap(pair).unwrap_or(margin + HORIZON);
        // A loss may exceed the horizon: a command beyond it counts as far enough.
        self.kept = self.kept.filter(|kept| known_gap(kept.pair).is_some_and(|gap| gap < margin + kept.length));
        let inside: Vec<PairLength> =
            measured.iter().map(|near| PairLength { pair: near.pair, length: gap(near.pair) }).collect();
        for (near, now) in measured.iter().zip(&inside) {
            let before = self.inside.iter().find(|before| before.pair == now.pair);
            let opens = before.is_some_and(|before| now.length > before.length + ROUNDING);
            let loss = now.length - near.gap();
            if !opens && loss > self.kept.map_or(0.0, |kept| kept.length) {
                self.kept = Some(PairLength { pair: now.pair, length: loss });
            }
        }
        self.inside = inside;
        self.kept.map_or(0.0, |kept| kept.length)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::robot_in_use::description;
    use crate::surroundings::collision_model::CollisionModel;
    use urdf_ik_collision::World;
    use urdf_ik_parameters::{Settings, Values};

    const MARGIN: f64 = 0.03;

    /// Two cubes with edges of 0.1 m whose centres are 0.1 m farther apart than the sum of two joints.
    fn avoidance() -> Avoidance {
        let cube = "<collision> <geometry> <box size='0.1 0.1 0.1'/> </geometry> </collision>";
        let joint = |name: &str, x: f64, parent: &str, child: &str| {
            format!(
                "<joint name='{name}' type='prismatic'> <origin xyz='{x} 0 0'/> <parent link='{parent}'/> <child link='{child}'/>
                 <axis xyz='1 0 0'/> <limit lower='0' upper='1' velocity='1'/> </joint>"
            )
        };
        let urdf = format!(
            "<robot name='slide'> <link name='base'> {cube} </link> <link name='rail'/> <link name='hand'> {cube} </link> {} {} </robot>",
            joint("first", 0.1, "base", "rail"),
            joint("second", 0.0, "rail", "hand")
        );
        let settings = Settings::new(&Values::default(), None).unwrap();
        let ready = description::load(urdf, false, &settings).unwrap();
        let folders = urdf_ik_robot::MeshFolders::from_environment(None::<&Path>);
        let model = CollisionModel::load(&ready.loaded, None, &folders).unwrap();
        let scene = Arc::new(model.scene(&World::default(), &ready.initial).unwrap());
        Avoidance { loaded: ready.loaded, scene, margin: MARGIN, clearance_loss: 0.0 }
    }

    #[test]
    fn a_loss_counts_until_the_command_is_far_enough() {
        let (avoidance, mut loss) = (avoidance(), ClearanceLoss::default());
        let mut update = |commanded: f64, measured: f64| loss.update(&avoidance, &[commanded, 0.0], &[measured, 0.0]);
        assert_eq!(update(0.04, 0.04), 0.0);
        assert!((update(0.04, 0.025) - 0.015).abs() < 1e-9);
        // The arm has caught up, but the command is within the wider margin.
        assert!((update(0.04, 0.04) - 0.015).abs() < 1e-9);
        assert_eq!(update(0.05, 0.05), 0.0);
    }

    #[test]
    fn a_loss_beyond_the_horizon_ends_with_the_next_measurement() {
        let (avoidance, mut loss) = (avoidance(), ClearanceLoss::default());
        let mut update = |commanded: f64, measured: f64| loss.update(&avoidance, &[commanded, 0.0], &[measured, 0.0]);
        update(0.04, 0.02);
        // The command moves away, and measurements are late.
        assert!(update(0.5, 0.02) < 0.05);
        assert!(update(0.5, 0.02) > HORIZON);
        assert_eq!(update(0.5, 0.5), 0.0);
    }
}
