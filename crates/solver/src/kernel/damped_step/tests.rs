//! Damped steps compared with their optimality conditions, with and without bounds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

use fearless_simd::{Level, dispatch};
use nalgebra::{DMatrix, DVector, Rotation3};

use super::{Bounds, Compiled, min_damping};
use crate::kernel::configurations::Configurations;
use crate::kernel::dimension::{Dynamic, Fixed};
use crate::kernel::lanes::{LANES, Lanes};
use crate::kernel::links::{KernelLinks, KernelTip};
use urdf_ik_random::random::Random;

/// Columns, rows and positions of four configurations, and the step to be computed.
struct Fixture {
    variables: usize,
    targets: usize,
    configurations: Configurations,
    lower: Vec<f64>,
    upper: Vec<f64>,
    damping: Lanes,
}

impl Fixture {
    fn new(variables: usize, targets: usize, random: &mut Random) -> Self {
        let end = KernelTip { parent: 0, position: [0.0; 3], rotation: Rotation3::identity(), path: Vec::new() };
        let links = KernelLinks {
            joints: Vec::new(),
            urdf_frames: Vec::new(),
            ends: vec![end; targets],
            variables,
            plain: targets == 1,
        };
        let mut fixture = Self {
            variables,
            targets,
            configurations: Configurations::new(&links),
            lower: vec![f64::NEG_INFINITY; variables],
            upper: vec![f64::INFINITY; variables],
            damping: Lanes([0.0, 1e-6, 1e-2, 1.0]),
        };
        let mut lanes = || Lanes([0.0; LANES].map(|_: f64| random.between(-1.0, 1.0)));
        let Configurations { positions, rows, columns, .. } = &mut fixture.configurations;
        for entry in positions.iter_mut().chain(rows.iter_mut().chain(columns).flatten()) {
            *entry = lanes();
        }
        fixture
    }

    /// Bounds around the positions, some of them touching, some far away.
    fn bound(&mut self, room: f64, random: &mut Random) {
        for i in 0..self.variables {
            let positions = self.configurations.positions[i].0;
            let (least, most) = (positions.into_iter().fold(9.0, f64::min), positions.into_iter().fold(-9.0, f64::max));
            let mut far = || if random.below(3) == 0 { 0.0 } else { random.between(0.0, room) };
            (self.lower[i], self.upper[i]) = (least - far(), most + far());
        }
    }

    fn jacobian(&self, lane: usize) -> DMatrix<f64> {
        let entry = |row: usize, i: usize| self.configurations.columns[row / 6 * self.variables + i][row % 6].0[lane];
        DMatrix::from_fn(6 * self.targets, self.variables, entry)
    }

    fn rows(&self, lane: usize) -> DVector<f64> {
        DVector::from_fn(6 * self.targets, |row, _| self.configurations.rows[row / 6][row % 6].0[lane])
    }

    fn found(&self, lane: usize) -> DVector<f64> {
        DVector::from_fn(self.variables, |i, _| self.configurations.step[i].0[lane])
    }

    /// Computes the step, which overwrites columns and rows, with the sizes that the solver would choose or
    /// with dynamic ones.
    fn run(&mut self, fixed: bool) {
        let bounds = Bounds { lower: &self.lower, upper: &self.upper };
        let work = &mut self.configurations;
        let any = Dynamic { variables: self.variables, joints: 0, rows: 6 * self.targets };
        macro_rules! run {
            ($size:expr) => {
                dispatch!(Level::new(), simd => {
                    Compiled { simd, dimension: $size }.bounded_step(work, bounds, &self.damping);
                })
            };
        }
        match (fixed && self.targets == 1, self.variables) {
            (true, 1) => run!(Fixed::<1>),
            (true, 2) => run!(Fixed::<2>),
            (true, 3) => run!(Fixed::<3>),
            (true, 4) => run!(Fixed::<4>),
            (true, 5) => run!(Fixed::<5>),
            (true, 6) => run!(Fixed::<6>),
            (true, 7) => run!(Fixed::<7>),
            (true, 8) => run!(Fixed::<8>),
            _ => run!(any),
        }
    }

    fn sizes() -> impl Iterator<Item = (usize, usize, bool)> {
        let targets = (1..=12).flat_map(|variables| (1..=3).map(move |targets| (variables, targets)));
        targets.chain([(40, 1), (30, 3)]).flat_map(|(n, targets)| [false, true].map(|fixed| (n, targets, fixed)))
    }
}

/// The gradient of half the minimised function, and a bound on its rounding error.
fn gradient(jacobian: &DMatrix<f64>, rows: &DVector<f64>, damping: f64, step: &DVector<f64>) -> (DVector<f64>, f64) {
    let gradient = jacobian.transpose() * (jacobian * step - rows) + step * damping;
    let size = jacobian.norm();
    (gradient, 1e-12 * (1.0 + size * size * step.norm() + size * rows.norm()))
}

#[test]
fn a_free_step_satisfies_its_normal_equations() {
    let mut random = Random::new(1);
    for (variables, targets, fixed) in Fixture::sizes() {
        for _ in 0..5 {
            let mut fixture = Fixture::new(variables, targets, &mut random);
            let problems: Vec<_> = (0..LANES).map(|lane| (fixture.jacobian(lane), fixture.rows(lane))).collect();
            fixture.run(fixed);
            for (lane, (jacobian, rows)) in problems.iter().enumerate() {
                let damping = fixture.damping.0[lane] + min_damping(variables);
                let (gradient, rounding) = gradient(jacobian, rows, damping, &fixture.found(lane));
                // The condition number of the undamped normal equations is the square of that of the Jacobian.
                assert!(gradient.amax() < 1e3 * rounding, "{variables}, {targets}, {fixed}: {gradient}");
                let expected = (jacobian.tr_mul(jacobian) + DMatrix::identity(variables, variables) * damping)
                    .lu()
                    .solve(&jacobian.tr_mul(rows))
                    .unwrap();
                let apart = (&expected - fixture.found(lane)).norm() / (1.0 + expected.norm());
                assert!(lane == 0 || apart < 1e-6, "{variables}, {targets}, {fixed}, lane {lane}: {apart:e}");
            }
        }
    }
}

#[test]
fn a_bounded_step_stops_at_bounds_and_is_optimal_for_the_free_variables() {
    let mut random = Random::new(2);
    let mut clamped = 0;
    for (variables, targets, fixed) in Fixture::sizes() {
        for room in [0.0, 0.05, 0.3, 1.0] {
            let mut fixture = Fixture::new(variables, targets, &mut random);
            fixture.bound(room, &mut random);
            fixture.damping = Lanes([1e-4, 1e-6, 1e-2, 1.0]);
            let problems: Vec<_> = (0..LANES).map(|lane| (fixture.jacobian(lane), fixture.rows(lane))).collect();
            fixture.run(fixed);
            for (lane, (jacobian, rows)) in problems.iter().enumerate() {
                let step = fixture.found(lane);
                let (gradient, rounding) =
                    gradient(jacobian, rows, fixture.damping.0[lane] + min_damping(variables), &step);
                for i in 0..variables {
                    let next = fixture.configurations.positions[i].0[lane] + step[i];
                    let (lower, upper) = (fixture.lower[i], fixture.upper[i]);
                    assert!((lower - 1e-12..=upper + 1e-12).contains(&next), "{next} outside {lower} .. {upper}");
                    let (at_lower, at_upper) = ((next - lower).abs() < 1e-12, (next - upper).abs() < 1e-12);
                    if at_lower || at_upper {
                        clamped += 1;
                    } else {
                        let left = gradient[i].abs();
                        assert!(left < 1e3 * rounding, "{variables}, {targets}, {fixed}, lane {lane}: {left:e}");
                    }
                }
            }
        }
    }
    assert!(clamped > 1000);
}

#[test]
fn a_short_bounded_step_is_optimal_for_the_variables_at_bounds_too() {
    let mut random = Random::new(5);
    let (mut clamped, mut pulled) = (0, 0);
    for (variables, targets, fixed) in Fixture::sizes() {
        for room in [0.0, 1e-5, 1e-4] {
            let mut fixture = Fixture::new(variables, targets, &mut random);
            for row in fixture.configurations.rows.iter_mut().flatten() {
                row.0 = row.0.map(|entry| 1e-4 * entry);
            }
            // The same positions in all lanes: bounds are near all of them.
            fixture.configurations.positions.iter_mut().for_each(|position| *position = Lanes::splat(position.0[0]));
            fixture.bound(room, &mut random);
            fixture.damping = Lanes([1e-2, 0.1, 0.3, 1.0]);
            let problems: Vec<_> = (0..LANES).map(|lane| (fixture.jacobian(lane), fixture.rows(lane))).collect();
            fixture.run(fixed);
            for (lane, (jacobian, rows)) in problems.iter().enumerate() {
                let step = fixture.found(lane);
                let (gradient, _) = gradient(jacobian, rows, fixture.damping.0[lane] + min_damping(variables), &step);
                for i in 0..variables {
                    let next = fixture.configurations.positions[i].0[lane] + step[i];
                    let (lower, upper) = (fixture.lower[i], fixture.upper[i]);
                    let (at_lower, at_upper) = ((next - lower).abs() < 1e-12, (next - upper).abs() < 1e-12);
                    clamped += u32::from(at_lower || at_upper);
                    let inwards = (at_lower && gradient[i] < -1e-9) || (at_upper && gradient[i] > 1e-9);
                    pulled += u32::from(inwards && lower < upper);
                }
            }
        }
    }
    println!("{clamped} variables at bounds, {pulled} of them pulled back inside");
    assert!(clamped > 1000 && pulled * 100 < clamped, "{clamped} {pulled}");
}

#[test]
fn a_step_moves_only_moving_lanes_and_never_beyond_the_bounds() {
    let mut random = Random::new(3);
    for variables in 1..=9 {
        let mut fixture = Fixture::new(variables, 1, &mut random);
        fixture.bound(0.1, &mut random);
        fixture.run(true);
        let before = fixture.configurations.positions.clone();
        let (steps, moving) = (fixture.configurations.step.clone(), Lanes([1.0, 0.0, 0.5, 1.0]));
        let bounds = Bounds { lower: &fixture.lower, upper: &fixture.upper };
        let dimension = Dynamic { variables, joints: 0, rows: 6 };
        let configurations = &mut fixture.configurations;
        dispatch!(Level::new(), simd => Compiled { simd, dimension }.advance(configurations, bounds, &moving));
        for i in 0..variables {
            for lane in 0..LANES {
                let (now, then) = (fixture.configurations.positions[i].0[lane], before[i].0[lane]);
                assert!((fixture.lower[i]..=fixture.upper[i]).contains(&now));
                assert!((now - then - moving.0[lane] * steps[i].0[lane]).abs() < 1e-15);
                assert!(lane != 1 || now.to_bits() == then.to_bits());
            }
        }
    }
}

/// Makes the Jacobian singular in one of several ways.
fn make_singular(fixture: &mut Fixture, kind: usize) {
    let n = fixture.variables;
    let columns = &mut fixture.configurations.columns;
    match kind {
        0 => columns.iter_mut().step_by(2).for_each(|column| column.fill(Lanes::default())),
        1 => columns.fill([Lanes::default(); 6]),
        2 => (0..columns.len()).for_each(|i| columns[i] = columns[i / n * n]),
        3 => columns.iter_mut().for_each(|column| (column[1], column[4]) = (Lanes::default(), column[0])),
        _ => columns.iter_mut().for_each(|column| column[2].0 = column[2].0.map(|entry| entry * 1e-9)),
    }
}

#[test]
fn zero_and_dependent_columns_and_extreme_scales_leave_a_step_of_sensible_length() {
    let (mut random, mut longest) = (Random::new(4), 0.0_f64);
    for (variables, targets, fixed) in Fixture::sizes() {
        for kind in 0..5 {
            for scale in [1e-6, 1e-3, 1.0] {
                let mut fixture = Fixture::new(variables, targets, &mut random);
                make_singular(&mut fixture, kind);
                // The least that a search takes far from its target.
                fixture.damping.0[0] = 1e-13;
                fixture
                    .configurations
                    .columns
                    .iter_mut()
                    .flatten()
                    .for_each(|entry| entry.0 = entry.0.map(|value| value * scale));
                let problems: Vec<_> = (0..LANES).map(|lane| (fixture.jacobian(lane), fixture.rows(lane))).collect();
                fixture.run(fixed);
                for (lane, (jacobian, rows)) in problems.iter().enumerate() {
                    let step = fixture.found(lane);
                    assert!(step.iter().all(|entry| entry.is_finite()), "{variables}, {targets}: {step}");
                    let damping = fixture.damping.0[lane] + min_damping(variables);
                    // No damped step is longer than half the norm of the rows over the root of the damping.
                    let most = 0.5 * rows.norm() / damping.sqrt();
                    let (gradient, _) = gradient(jacobian, rows, damping, &step);
                    let left = gradient.norm() / (jacobian.norm() * rows.norm() + 1e-300);
                    longest = longest.max(step.norm() / most);
                    assert!(
                        step.norm() <= 1.5 * most,
                        "{variables}, {targets}, {fixed}, kind {kind}, scale {scale:e}, lane {lane}: {:e} of {most:e}",
                        step.norm()
                    );
                    // Nor does it increase the error.
                    let after = (jacobian * &step - rows).norm();
                    assert!(
                        after <= 1.001 * rows.norm(),
                        "{variables}, {targets}, {fixed}, kind {kind}, scale {scale:e}, lane {lane}: {after:e} {left:e}"
                    );
                }
            }
        }
    }
    println!("{longest}");
}
