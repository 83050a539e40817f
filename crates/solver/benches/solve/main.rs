//! The time of an iteration and of a solve, by the number of joints: `cargo bench --bench solve`, or `make bench`.
//!
//! Every time in the tables at the end is the smallest of all samples: other load only adds to it. Times depend on
//! the machine; the ratio to the floor is comparable between machines.

mod arms;
mod floor;
use urdf_ik_testing::random;

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arms::{serial, targets_at, two_armed};
use criterion::{Criterion, Throughput};
use random::Random;
use urdf_ik::robot::Chain;

use urdf_ik::solver::{JacobianStep, Method, Mode, Outcome, Problem, Solver, Target};

const ITERATED: [usize; 8] = [6, 7, 8, 10, 20, 40, 70, 100];
const SOLVED: [usize; 7] = [6, 7, 8, 10, 20, 40, 100];
/// Maximum number of joints for the pseudoinverse: with many, its singular value decomposition takes a second per pass.
const PSEUDOINVERSE_UP_TO: usize = 20;
/// Iterations timed together, so that their set-up hardly counts.
const TIMES: u32 = 1000;
/// Targets of one pass.
const TARGETS: u32 = 200;
/// Configurations that one iteration computes.
const CONFIGURATIONS: f64 = 4.0;

/// Measures the times.
struct Meter(Criterion);

impl Meter {
    fn new() -> Self {
        let criterion = Criterion::default().warm_up_time(Duration::from_millis(300));
        let criterion = criterion.measurement_time(Duration::from_millis(1500)).sample_size(40).without_plots();
        Self(criterion.configure_from_args())
    }

    /// The minimum time for one part of `work`, which does the same thing `parts` times \[ns\]; infinite if it is not
    /// run.
    fn measure(&mut self, group: &str, name: &str, parts: u32, mut work: impl FnMut()) -> f64 {
        let mut least = Duration::MAX;
        let mut group = self.0.benchmark_group(group);
        group.throughput(Throughput::Elements(parts.into())).bench_function(name, |bencher| {
            bencher.iter_custom(|passes| {
                let start = Instant::now();
                (0..passes).for_each(|_| work());
                let elapsed = start.elapsed();
                least = least.min(elapsed / u32::try_from(passes).unwrap_or(u32::MAX));
                elapsed
            });
        });
        group.finish();
        if least == Duration::MAX { f64::INFINITY } else { least.as_secs_f64() * 1e9 / f64::from(parts) }
    }
}

/// Iterations towards a target so near that no joint reaches its limit.
fn iterations(meter: &mut Meter, joints: usize) -> Result<f64, Box<dyn Error>> {
    let chain = serial(joints)?;
    let solver = Solver::prepare(Method::default(), &chain)?;
    let seed = chain.nominal_positions();
    let near: Vec<f64> = seed.iter().map(|position| position + 0.3).collect();
    let targets = targets_at(&chain, &near);
    let problem = Problem::new(&targets, &seed).with_mode(Mode::search());
    let mut scratch = solver.scratch();
    Ok(meter.measure("iteration", &joints.to_string(), TIMES, || {
        solver.iterate(black_box(&problem), &mut scratch, TIMES as usize);
    }))
}

/// One problem of a pass.
struct Question {
    targets: Vec<Target>,
    seed: Vec<f64>,
    max_step: Option<Vec<f64>>,
}

/// Searches from the middle of the joint ranges for random full poses.
fn searches(chain: &Chain) -> Vec<Question> {
    let mut random = Random::new(1);
    let targets = (0..TARGETS).map(|_| targets_at(chain, &random.positions(chain)));
    targets.map(|targets| Question { targets, seed: chain.nominal_positions(), max_step: None }).collect()
}

/// Searches from the middle of the joint ranges for random positions.
fn positions_only(chain: &Chain) -> Vec<Question> {
    let free = |targets: Vec<Target>| targets.into_iter().map(Target::position_only).collect();
    searches(chain).into_iter().map(|question| Question { targets: free(question.targets), ..question }).collect()
}

/// Small steps from random configurations, as of a controller.
fn tracks(chain: &Chain) -> Vec<Question> {
    let mut random = Random::new(2);
    let mut track = || {
        let seed = random.positions(chain);
        let on: Vec<f64> = seed.iter().map(|position| position + 0.02 * random.unit() - 0.01).collect();
        Question { targets: targets_at(chain, &on), max_step: Some(vec![0.1; seed.len()]), seed }
    };
    (0..TARGETS).map(|_| track()).collect()
}

/// The mean time of one solve \[ns\], and the number of solved [`TARGETS`].
fn solves(
    meter: &mut Meter,
    name: &str,
    chain: &Arc<Chain>,
    method: JacobianStep,
    questions: &[Question],
) -> Result<(f64, usize), Box<dyn Error>> {
    let solver = Solver::prepare(method, chain)?;
    let (mut scratch, mut solution) = (solver.scratch(), solver.solution());
    let mut solved = 0;
    let mut pass = || {
        let outcomes = questions.iter().map(|question| {
            let mode = match &question.max_step {
                Some(max_step) => Mode::Track { max_step },
                None => Mode::search(),
            };
            let problem = Problem::new(&question.targets, &question.seed).with_mode(mode);
            let answered = solver.solve(black_box(&problem), &mut scratch, &mut solution);
            answered.is_ok() && solution.outcome == Outcome::Solved
        });
        solved = outcomes.filter(|solved| *solved).count();
    };
    let time = meter.measure("solve", name, TARGETS, &mut pass);
    Ok((time, solved))
}

/// The measurements of an arm with this many joints.
struct Row {
    joints: usize,
    /// Of one iteration \[ns\].
    iteration: f64,
    /// Of one solve by each method \[ns\], and the number of solved [`TARGETS`]; not of every arm.
    damped: Option<(f64, usize)>,
    pseudoinverse: Option<(f64, usize)>,
}

impl Row {
    fn measure(meter: &mut Meter, joints: usize) -> Result<Self, Box<dyn Error>> {
        let iteration = iterations(meter, joints)?;
        let chain = serial(joints)?;
        let questions = searches(&chain);
        let mut solve = |name: &str, method, wanted: bool| {
            let name = format!("search/{name}/{joints}");
            wanted.then(|| solves(meter, &name, &chain, method, &questions)).transpose()
        };
        let damped = solve("damped", JacobianStep::default(), SOLVED.contains(&joints))?;
        let pseudoinverse = solve("pseudoinverse", JacobianStep::Pseudoinverse, joints <= PSEUDOINVERSE_UP_TO)?;
        Ok(Self { joints, iteration, damped, pseudoinverse })
    }

    /// Of one iteration for each joint \[ns\].
    fn each(&self) -> f64 {
        self.iteration / f64::from(u32::try_from(self.joints).unwrap_or(u32::MAX))
    }
}

/// The measurements of another problem for arms of seven joints each.
struct Other {
    name: &'static str,
    time: f64,
    solved: usize,
}

impl Other {
    fn measure_all(meter: &mut Meter) -> Result<Vec<Self>, Box<dyn Error>> {
        let (one, two) = (serial(7)?, two_armed()?);
        let asked = [
            ("track a step of up to 0.01 rad a joint", &one, tracks(&one)),
            ("search by position alone", &one, positions_only(&one)),
            ("search with two arms on a torso", &two, searches(&two)),
        ];
        let measured = asked.iter().map(|(name, chain, questions)| {
            let (time, solved) = solves(meter, name, chain, JacobianStep::default(), questions)?;
            Ok(Self { name, time, solved })
        });
        measured.collect()
    }
}

fn print_rows(rows: &[Row]) {
    let shown = |solve: Option<(f64, usize)>| match solve {
        Some((time, solved)) => format!("{:.1} µs | {solved}", time / 1e3),
        None => " | ".to_owned(),
    };
    println!(
        "| joints | iteration | a joint of it | search, damped | of {TARGETS} | search, pseudoinverse | of {TARGETS} |"
    );
    println!("|---|---|---|---|---|---|---|");
    for row in rows {
        let (damped, pseudoinverse) = (shown(row.damped), shown(row.pseudoinverse));
        println!("| {} | {:.0} ns | {:.1} ns | {damped} | {pseudoinverse} |", row.joints, row.iteration, row.each());
    }
}

fn print_others(others: &[Other]) {
    println!("\n| seven joints an arm | a solve | of {TARGETS} |\n|---|---|---|");
    for Other { name, time, solved } in others {
        println!("| {name} | {:.1} µs | {solved} |", time / 1e3);
    }
}

/// The ratio of an iteration to its minimum arithmetic, and its growth.
fn print_bounds(floor: f64, rows: &[Row]) {
    let iteration = |joints: usize| rows.iter().find(|row| row.joints == joints).map_or(f64::NAN, |row| row.iteration);
    let (ratio, growth) = (iteration(7) / floor, iteration(100) / iteration(10));
    println!(
        "\nThe floor of seven joints is {floor:.0} ns for one configuration. An iteration of four takes {ratio:.2} times that;"
    );
    println!("{:.2} times for each configuration.", ratio / CONFIGURATIONS);
    let verdict = if growth <= 10.0 { "no more" } else { "MORE" };
    println!("A hundred joints take {growth:.1} times as long as ten: {verdict} than ten times.");
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut meter = Meter::new();
    let mut angles = [0.1, 0.4, 0.7, 1.0, 1.3, 1.6, 1.9];
    let floor = meter.measure("floor", "7", TIMES, || (0..TIMES).for_each(|_| floor::iterate(&mut angles)));
    let rows = ITERATED.map(|joints| Row::measure(&mut meter, joints));
    let rows = rows.into_iter().collect::<Result<Vec<Row>, _>>()?;
    let others = Other::measure_all(&mut meter)?;
    print_rows(&rows);
    print_others(&others);
    print_bounds(floor, &rows);
    meter.0.final_summary();
    Ok(())
}
