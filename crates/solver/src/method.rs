//! The methods of a solver, and why a method may not serve a chain.

use thiserror::Error;

use urdf_ik_closed_form::NoClosedForm;
use urdf_ik_text::named_values;

/// Greatest [`FabrikOptions::acceleration`].
pub const MAX_ACCELERATION: usize = 6;

named_values! {
    /// The methods by name, as the parameter `solver` has them.
    pub enum SolverKind("solver", "solvers") {
        /// Newton steps by the Jacobian.
        Jacobian = "jacobian",
        /// Forward and backward reaching.
        Fabrik = "fabrik",
        /// Closed-form solutions, for the chains that have them.
        ClosedForm = "closed_form",
    }
}

/// How a solver finds joint positions, with the options of that method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// A search by Newton steps.
    Jacobian(JacobianStep),
    /// A search by cycles of forward and backward reaching.
    Fabrik(FabrikOptions),
    /// All solutions by formulas, found from the joint axes.
    ClosedForm,
}

impl Default for Method {
    /// Damped least squares with adaptive damping: the method that serves every chain and is the fastest.
    fn default() -> Self {
        Self::Jacobian(JacobianStep::default())
    }
}

impl Method {
    /// The kind of the method.
    pub fn kind(self) -> SolverKind {
        match self {
            Self::Jacobian(_) => SolverKind::Jacobian,
            Self::Fabrik(_) => SolverKind::Fabrik,
            Self::ClosedForm => SolverKind::ClosedForm,
        }
    }
}

impl From<SolverKind> for Method {
    /// The method of that name, with its default options.
    fn from(kind: SolverKind) -> Self {
        match kind {
            SolverKind::Jacobian => Self::Jacobian(JacobianStep::default()),
            SolverKind::Fabrik => Self::Fabrik(FabrikOptions::default()),
            SolverKind::ClosedForm => Self::ClosedForm,
        }
    }
}

impl From<JacobianStep> for Method {
    fn from(step: JacobianStep) -> Self {
        Self::Jacobian(step)
    }
}

impl From<FabrikOptions> for Method {
    fn from(options: FabrikOptions) -> Self {
        Self::Fabrik(options)
    }
}

/// How a step is found from the Jacobian.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum JacobianStep {
    /// Damped least squares.
    Damped {
        /// The factor λ, in the sense of λ² on the diagonal of the normal equations; `None` adapts it to the error.
        damping: Option<f64>,
    },
    /// Moore-Penrose pseudoinverse by singular value decomposition. A step that does not lessen the error is halved until it does.
    Pseudoinverse,
}

impl Default for JacobianStep {
    /// Adaptive damping.
    fn default() -> Self {
        Self::Damped { damping: None }
    }
}

/// Options of FABRIK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FabrikOptions {
    /// Number of earlier cycles that Anderson acceleration combines; 0 for plain cycles. More than [`MAX_ACCELERATION`]
    /// counts as that.
    pub acceleration: usize,
    /// Whether Newton steps take over near the targets, and lead to the nearest configuration where the targets cannot be met.
    /// Without them it is FABRIK alone.
    pub polish: bool,
}

impl Default for FabrikOptions {
    /// Accelerated by three earlier cycles, and polished.
    fn default() -> Self {
        Self { acceleration: 3, polish: true }
    }
}

/// Why a solver cannot serve a chain.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NotApplicable {
    /// No closed form is known for the chain.
    #[error("the chain to '{tip}' has no closed form: {reason}; the solver 'jacobian' serves every chain")]
    NoClosedForm {
        /// The tip link.
        tip: String,
        /// The reason.
        reason: NoClosedForm,
    },
}
