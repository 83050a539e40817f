//! FABRIK on chains of points allocates nothing in a solve.

use allocation_counter::measure;
use nalgebra::{Isometry3, Point3};
use urdf_ik::skeleton::{Root, Skeleton, SkeletonConfiguration, SkeletonOptions, SkeletonProblem, SkeletonTarget};

use crate::common::Random;

#[test]
fn no_solve_allocates() {
    let mut random = Random::new(1);
    for segments in [1, 2, 10, 100, 1000] {
        let mut bent = vec![Point3::origin()];
        for i in 0..segments {
            bent.push(bent[i] + random.direction() * 0.1);
        }
        let straight: Vec<_> = bent.iter().map(|point| Point3::new(point.coords.norm(), 0.0, 0.0)).collect();
        let chain = Skeleton::chain_through(&bent).unwrap();
        let outer = chain.reach(0, segments).unwrap().outer;
        let seeds = [bent, straight].map(|points| SkeletonConfiguration { points, orientations: Vec::new() });
        for (acceleration, circles) in [(0, false), (1, false), (5, false), (5, true)] {
            let options =
                SkeletonOptions::default().with_acceleration(acceleration).with_circles(circles).with_iterations(200);
            let (mut scratch, mut solution) = (chain.scratch(&options), chain.solution());
            let moved = Root::At(Isometry3::from(random.direction()));
            let allocations = measure(|| {
                for seed in &seeds {
                    for reach in [0.0, 0.5, 0.99, 1.0, 2.0] {
                        let targets = [SkeletonTarget::new(segments, Point3::new(reach * outer, 0.0, 0.0))];
                        for root in [Root::Fixed, moved, Root::Free] {
                            let problem = SkeletonProblem { targets: &targets, root, seed, options };
                            chain.solve(&problem, &mut scratch, &mut solution).unwrap();
                        }
                    }
                }
            });
            assert_eq!(allocations.count_total, 0, "{segments} {acceleration} {circles}");
        }
    }
}
