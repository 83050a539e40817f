//! Scratch.
use std::sync::Arc;
use std::time::Instant;
use urdf_ik::robot::{Chain, Robot};
use urdf_ik::solver::{Mode, Problem, Solver, SolverKind, Target};
use urdf_ik::robot::ChainPoses;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let tip = std::env::args().nth(2).unwrap();
    let robot = Robot::from_urdf_file(&path).unwrap();
    let chain = Arc::new(Chain::with_defaults(&robot, None, &[&tip]).unwrap());
    let solver = Solver::prepare(SolverKind::Jacobian, &chain).unwrap();
    let mut state = 1u64;
    let mut rnd = || { state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); (state >> 40) as f64 / (1u64 << 24) as f64 };
    let seed = chain.nominal_positions();
    let mut poses = ChainPoses::new(&chain);
    let targets: Vec<_> = (0..1000).map(|_| { let q: Vec<f64> = chain.variables().iter().map(|v| v.domain.at(rnd())).collect(); chain.forward_kinematics(&q, &mut poses); Target::new(0, poses.tips()[0]) }).collect();
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    for _ in 0..5 {
        let t = Instant::now();
        let (mut solved, mut it) = (0, 0);
        for _ in 0..20 { for target in &targets {
            let problem = Problem { targets: std::slice::from_ref(target), seed: &seed, mode: Mode::search(), deadline: None };
            solver.solve(&problem, &mut scratch, &mut solution).unwrap();
            solved += usize::from(solution.solved()); it += solution.iterations;
        } }
        println!("{:.3} us, solved {}, it {}", t.elapsed().as_secs_f64() * 1e6 / 20000.0, solved / 20, it as f64 / 20000.0);
    }
}
