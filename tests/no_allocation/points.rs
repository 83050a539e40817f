//! FABRIK on chains of points allocates nothing in a solve.

use allocation_counter::measure;
use nalgebra::Vector3;
use urdf_ik::skeleton::points::{Options, PointChain, Problem, Root};

use crate::common::Random;

#[test]
fn no_solve_allocates() {
    let mut random = Random::new(1);
    for segments in [1, 2, 10, 100, 1000] {
        let mut bent = vec![Vector3::zeros()];
        for i in 0..segments {
            bent.push(bent[i] + random.direction() * 0.1);
        }
        let straight: Vec<Vector3<f64>> = (0..=segments).map(|i| bent[0] + Vector3::x() * (bent[i].norm())).collect();
        let chain = PointChain::from_points(&bent).unwrap();
        for (acceleration, circles) in [(0, false), (1, false), (5, false), (5, true)] {
            let options = Options { acceleration, circles, cycles: 200, ..Options::default() };
            let (mut scratch, mut solution) = (chain.scratch(&options), chain.solution());
            let root = Root::At(random.direction());
            let allocations = measure(|| {
                for points in [&bent, &straight] {
                    for reach in [0.0, 0.5, 0.99, 1.0, 2.0] {
                        let target = Vector3::x() * (reach * chain.reach().outer);
                        for root in [Root::Fixed, root, Root::Free] {
                            let problem = Problem { target, root, points, options };
                            chain.solve(&problem, &mut scratch, &mut solution).unwrap();
                        }
                    }
                }
            });
            assert_eq!(allocations.count_total, 0, "{segments} {acceleration} {circles}");
        }
    }
}
