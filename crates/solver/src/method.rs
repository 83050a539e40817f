//! The methods of a solver, and the error for chains that a method does not support.

use thiserror::Error;

use urdf_ik_closed_form::NoClosedForm;
use urdf_ik_text::named_values;

/// Maximum of [`FabrikOptions::acceleration`].
pub const MAX_ACCELERATION: usize = 6;

named_values! {
    /// Solution methods, named as in the parameter `solver`.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum SolverKind("solver", "solvers") {
        /// Newton iterations with the Jacobian.
        #[default]
        Jacobian = "jacobian",
        /// Forward and backward reaching (FABRIK).
        Fabrik = "fabrik",
        /// Analytic solutions, for chains that have them.
        ClosedForm = "closed_form",
    }
}

/// The method that a solver uses, with its options.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// A search by Newton iterations.
    Jacobian(JacobianStep),
    /// A search by cycles of forward and backward reaching (Aristidou and Lasenby 2011, "FABRIK").
    Fabrik(FabrikOptions),
    /// All solutions by closed-form inverse kinematics, derived from the joint axes.
    ClosedForm,
}

impl Default for Method {
    /// Damped least squares with adaptive damping: the fastest method, for every chain.
    fn default() -> Self {
        Self::Jacobian(JacobianStep::default())
    }
}

impl Method {
    /// The kind of method, without its options.
    pub fn kind(self) -> SolverKind {
        match self {
            Self::Jacobian(_) => SolverKind::Jacobian,
            Self::Fabrik(_) => SolverKind::Fabrik,
            Self::ClosedForm => SolverKind::ClosedForm,
        }
    }
}

impl From<SolverKind> for Method {
    /// The method with default options.
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

/// How a step is computed from the Jacobian.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum JacobianStep {
    /// Damped least squares.
    Damped {
        /// Damping factor λ \[rad\]: λ² is added to the diagonal of the normal equations. With `None`, λ adapts to the
        /// error.
        damping: Option<f64>,
    },
    /// Moore-Penrose pseudoinverse by singular value decomposition. A step that does not reduce the error is
    /// halved until it does.
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
#[non_exhaustive]
pub struct FabrikOptions {
    /// Number of earlier cycles that Anderson acceleration combines; 0 for plain cycles. Values above
    /// [`MAX_ACCELERATION`] are clamped to it.
    pub acceleration: usize,
    /// True if Newton steps finish the solve near the targets and refine the closest configuration for unreachable
    /// targets. Problems with goals besides targets always use Newton steps.
    pub polish: bool,
}

impl FabrikOptions {
    /// Options with Anderson acceleration by `acceleration` earlier cycles; `polish` enables the final Newton steps.
    pub const fn new(acceleration: usize, polish: bool) -> Self {
        Self { acceleration, polish }
    }
}

impl Default for FabrikOptions {
    /// Three accelerating cycles, and Newton steps.
    fn default() -> Self {
        Self { acceleration: 3, polish: true }
    }
}

/// Why a method does not support a chain.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum NotApplicable {
    /// No closed form is known for the chain.
    #[error("the chain to '{tip}' has no closed form: {reason}; the solver 'jacobian' serves every chain")]
    NoClosedForm {
        /// Name of the tip link.
        tip: String,
        /// The property of the chain that excludes a closed form.
        reason: NoClosedForm,
    },
}
