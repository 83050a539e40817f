//! Measurements of FABRIK on the joints of robots, against the Jacobian solver: `cargo bench --bench fabrik`,
//! or `make bench`.
//!
//! Four methods are compared: Newton steps, FABRIK finished by Newton steps, accelerated FABRIK alone, and its plain
//! cycles alone. Times are microseconds on this machine; between machines, only the ratios within one run and the
//! cycles are comparable.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "missing robots end the bench")]

use urdf_ik_testing as common;
mod many;
mod path;
mod search;

use common::Arm;
use common::measure::number;
use urdf_ik::solver::{FabrikOptions, Solver};

/// A method.
#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    /// None for Newton steps.
    options: Option<FabrikOptions>,
}

const WAYS: [Way; 4] = [
    Way { name: "Jacobian", options: None },
    Way { name: "FABRIK, polished", options: Some(FabrikOptions::new(3, true)) },
    Way { name: "FABRIK alone", options: Some(FabrikOptions::new(3, false)) },
    Way { name: "plain FABRIK alone", options: Some(FabrikOptions::new(0, false)) },
];

impl Way {
    fn solver(self, arm: &Arm) -> Solver {
        match self.options {
            None => arm.solver(),
            Some(options) => Solver::prepare(options, &arm.chain).expect("the chain has an extent"),
        }
    }
}

/// The bundled arm and those of makers.
fn arms() -> Vec<Arm> {
    let mut arms = common::arms_named(&["arm7"]);
    arms.extend(common::makers_arms());
    arms
}

fn ratio(part: usize, of: usize) -> f64 {
    number(part) / number(of)
}

fn main() -> std::io::Result<()> {
    if let Some(folder) = std::env::var_os("URDFS") {
        return many::compare(folder.as_ref());
    }
    let arms = arms();
    search::compare(&arms);
    search::compare(&[common::two_handed()]);
    search::depths(&arms);
    path::compare(&arms);
    Ok(())
}
