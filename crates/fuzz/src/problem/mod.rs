//! Random problems with a judge of their answers: chains, solvers, targets, goals, seeds, bounds, obstacles and modes.

mod goals;
mod judge;
mod question;
mod subject;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use urdf_ik::solver::{ProblemError, Scratch};
use urdf_ik_testing::Random;

pub use question::Question;
pub use subject::{Subject, subjects};

/// On average, one problem in this many has a random robot.
const RANDOM_ROBOT: usize = 8;

/// Solves with the memory of one thread.
pub struct Solves {
    subjects: Vec<Subject>,
    /// Scratch memory of each solver of each subject, made when it is first used.
    scratch: BTreeMap<(usize, usize), Scratch>,
}

impl Default for Solves {
    fn default() -> Self {
        Self { subjects: subjects(), scratch: BTreeMap::new() }
    }
}

impl Solves {
    /// Draws a problem of a listed robot, solves it and judges the answers. Returns its kind, and whether it is
    /// solved.
    pub fn run(&mut self, random: &mut Random) -> (String, bool) {
        let index = random.below(self.subjects.len());
        let subject = &self.subjects[index];
        let question = Question::draw(subject, random);
        let key = (index, question.solver);
        let scratch = self.scratch.entry(key).or_insert_with(|| subject.solvers[question.solver].1.scratch());
        (question.kind(subject), run_question(subject, &question, scratch))
    }
}

/// Draws a random robot and a problem, solves it and judges the answers.
pub fn of_random_robot(random: &mut Random) -> bool {
    let subject = Subject::random(random);
    let question = Question::draw(&subject, random);
    run_question(&subject, &question, &mut subject.solvers[question.solver].1.scratch())
}

/// The problem that these bytes choose.
pub fn of_bytes(bytes: &[u8]) {
    thread_local!(static SOLVES: RefCell<Solves> = RefCell::default());
    let mut random = Random::from_bytes(bytes);
    if random.once_in(RANDOM_ROBOT) {
        of_random_robot(&mut random);
    } else {
        SOLVES.with_borrow_mut(|solves| solves.run(&mut random));
    }
}

/// Solves and judges. Returns true if a solution is found.
fn run_question(subject: &Subject, question: &Question, scratch: &mut Scratch) -> bool {
    let solver = &subject.solvers[question.solver].1;
    let (mut solution, mut is_solved) = (solver.solution(), false);
    question.with_problem(subject, |problem| {
        if question.all {
            let found = solver.solve_all(problem, scratch, &mut solution, &mut |solution| {
                assert!(solution.is_solved(), "{solution:?}");
                judge::check(subject, question, problem, solution);
                is_solved = true;
                ControlFlow::Continue(())
            });
            check_accepted(&found.map(drop));
            return;
        }
        let solved = if question.on_two_threads {
            let mut scratches: Vec<Scratch> = (0..2).map(|_| solver.scratch()).collect();
            solver.solve_on(problem, &mut scratches, &mut solution)
        } else {
            solver.solve(problem, scratch, &mut solution)
        };
        if check_accepted(&solved) {
            judge::check(subject, question, problem, &solution);
            is_solved = solution.is_solved();
        }
    });
    is_solved
}

/// Returns true for a problem that was solved. The only reason to refuse one is a random robot whose tip only rotates.
fn check_accepted(result: &Result<(), ProblemError>) -> bool {
    let is_expected = matches!(result, Ok(()) | Err(ProblemError::OnlyRotates { .. }));
    assert!(is_expected, "{result:?}");
    result.is_ok()
}
