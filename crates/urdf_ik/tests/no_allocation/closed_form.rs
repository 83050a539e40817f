//! The closed forms of two and three links allocate nothing.

use nalgebra::{Isometry3, Point2, Point3, Vector3};
use urdf_ik::robot::{Chain, Robot};
use urdf_ik::solver::closed_form::three_link::ThreeLink;
use urdf_ik::solver::closed_form::two_link::{PlanarChain, SpatialTwoLink, TwoLink};

use crate::common::urdf;

#[test]
fn no_solve_allocates() {
    let planar = TwoLink::new([0.5, 0.4]).unwrap();
    let spatial = SpatialTwoLink::new(Isometry3::identity(), [0.5, 0.4]).unwrap();
    let three = ThreeLink::new(Isometry3::identity(), [0.5, 0.4, 0.1]).unwrap();
    let robot = Robot::from_urdf(&urdf::planar(0.5, 0.4)).unwrap();
    let chain = PlanarChain::of(&Chain::with_defaults(&robot, None, &[]).unwrap()).unwrap();
    let target = Point3::new(0.3, 0.2, 0.4);
    let (up, nothing) = (Vector3::new(0.1, 1.0, 0.2), Vector3::zeros());
    let mut configurations = 0;
    let counted = allocation_counter::measure(|| {
        configurations += planar.solve(&Point2::new(0.3, 0.4)).map_or(0, |found| found.configurations().len());
        configurations += spatial.solve(&target).map_or(0, |found| found.configurations().len());
        configurations += three.solve(&target, &up).map_or(0, |found| found.configurations().len());
        configurations += three.solve_with_ball_wrist(&target, &up).map_or(0, |found| found.configurations().len());
        configurations += three.solve(&target, &nothing).map_or(0, |found| found.configurations().len());
        configurations += chain.solve(&target).map_or(0, |found| found.configurations().len());
    });
    assert_eq!((counted.count_total, configurations), (0, 2 + 4 + 4 + 4 + 2), "{counted:?}");
}
