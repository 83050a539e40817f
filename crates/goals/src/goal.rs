//! A goal of any kind, and the table of the kinds.

use std::fmt::Debug;
use std::sync::Arc;

use nalgebra::IsometryMatrix3;
use serde_json::Value;
use thiserror::Error;

use crate::drawing::Drawing;
use crate::frames::{Aim, Configuration, GoalContext, Places, Relative};
use crate::rows::{Derivative, Rows};
use crate::{CenterOfMass, Cone, Distance, Gaze, Joints, Orientation, Position};
use urdf_ik_robot::{Chain, ChainPoses};
use urdf_ik_text::Malformed;
use urdf_ik_text::fields::Fields;
use urdf_ik_text::names::{self, number, sentence, short};

/// Violation up to which a goal is met \[m or rad\].
pub const TOLERANCE: f64 = 1e-5;

/// Greatest number of goals of a request: more than any robot can use, and few enough to solve.
pub const MAX_GOALS: usize = 100;

/// Name of a goal whose type is unknown.
const UNNAMED: &str = "goal";

/// A function that reads a goal of one kind from its fields, or returns the reason why they are invalid.
pub type KindReader = fn(&mut Fields, &GoalContext) -> Result<Arc<dyn Kind>, Malformed>;

/// All kinds: the value of `type` in a request, and the function that reads the fields.
pub const KINDS: &[(&str, KindReader)] = &[
    ("position", Position::read),
    ("distance", Distance::read),
    ("cone", Cone::read),
    ("orientation", Orientation::read),
    ("gaze", Gaze::read),
    ("joints", Joints::read),
    ("center_of_mass", CenterOfMass::read),
];

/// Unit of the values of a goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Metres.
    Metre,
    /// Radians.
    Radian,
}

impl Unit {
    /// Symbol of the unit: `m` or `rad`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Metre => "m",
            Self::Radian => "rad",
        }
    }
}

/// Unit and number of the values of a goal, and its subject in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Requirement {
    /// Unit of the values.
    pub unit: Unit,
    /// Number of values, one per row, at most [`MAX_ROWS`](crate::MAX_ROWS).
    pub rows: usize,
    /// The violated requirement, as the beginning of a sentence that ends with the violation.
    pub subject: &'static str,
}

/// A kind of goal with its numbers.
pub trait Kind: Debug + Send + Sync {
    /// Unit and number of its values, and its subject in messages.
    fn requirement(&self) -> Requirement;

    /// Unit of its values.
    fn unit(&self) -> Unit {
        self.requirement().unit
    }

    /// Number of its rows.
    fn rows(&self) -> usize {
        self.requirement().rows
    }

    /// The places on which its values depend; `None` for a relation of joint positions.
    fn places(&self) -> Option<Places> {
        None
    }

    /// Its relation of joint positions, in place of [places](Self::places); `None` for other kinds.
    fn relation(&self) -> Option<&Joints> {
        None
    }

    /// Derivatives of its only value with respect to the variables: index of the variable, and factor \[rad or m per
    /// rad or m\]. Empty without a [relation](Self::relation).
    fn coefficients(&self) -> &[(usize, f64)] {
        self.relation().map_or(&[], |relation| &relation.coefficients)
    }

    /// The pose to which it leads a link, for starting points near it; `None` if there is none.
    fn aim(&self) -> Option<Aim> {
        None
    }

    /// Adds its rows for a relative pose of its places to `rows`: [`Kind::rows`] of them, or none for a relation of
    /// joint positions.
    fn measure(&self, _relative: &Relative, _rows: &mut Rows) {}

    /// Checks its numbers.
    ///
    /// # Errors
    /// [`Malformed`] for a number that is not finite or out of range, or an empty interval.
    fn check(&self) -> Result<(), Malformed>;

    /// Its shape in a configuration, for displays; `None` for a kind without a place.
    fn drawing(&self, _at: &dyn Configuration) -> Option<Drawing> {
        None
    }
}

/// Why a goal is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}: {}", short(goal), sentence(reason))]
pub struct GoalError {
    /// Name or type of the goal.
    pub goal: String,
    /// Reason why it is invalid.
    pub reason: String,
}

/// A goal that a configuration should meet. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Goal {
    numbers: Arc<Numbers>,
    name: Arc<str>,
    weight: f64,
    is_standing: bool,
}

/// The kind of a goal with its numbers, and those that follow from them.
#[derive(Debug)]
struct Numbers {
    kind: Arc<dyn Kind>,
    places: Option<Places>,
    aim: Option<Aim>,
}

impl PartialEq for Goal {
    /// True for clones of one goal.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.numbers, &other.numbers)
            && self.name == other.name
            && self.weight == other.weight
            && self.is_standing == other.is_standing
    }
}

impl Goal {
    /// A goal of weight 1, with a `name` for messages.
    ///
    /// # Errors
    /// [`GoalError`] for invalid numbers.
    pub fn new(name: &str, kind: impl Kind + 'static) -> Result<Self, GoalError> {
        Self::of(name, Arc::new(kind), 1.0).map_err(|reason| refused(name, reason))
    }

    /// Reads a goal from a JSON object with the `type` and the fields of a kind of [`KINDS`], and optionally `name`,
    /// `weight` (above 0; default 1) and `standing` (default false).
    ///
    /// # Errors
    /// [`GoalError`] for an unknown kind, link, joint or field, and for invalid numbers.
    pub fn read(value: &Value, context: &GoalContext) -> Result<Self, GoalError> {
        let Some(object) = value.as_object() else {
            return Err(refused(UNNAMED, "it must be an object with 'type' and the fields of that type".into()));
        };
        let mut fields = Fields::new(object);
        let mut name = UNNAMED;
        let goal = fields.text("type").and_then(|kind| {
            name = kind;
            let reader = KINDS.iter().find(|(known, _)| *known == kind).map(|(_, reader)| reader);
            let reader = reader.ok_or_else(|| {
                let known: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
                format!("there is no goal of type '{}'; the types are: {}", short(kind), names::list(&known))
            })?;
            if fields.optional("name").is_some() {
                name = fields.text("name")?;
            }
            let weight = fields.number_or("weight", 1.0)?;
            let is_standing = fields.flag("standing")?;
            let kind = reader(&mut fields, context)?;
            fields.finish()?;
            Ok(Self { is_standing, ..Self::of(name, kind, weight)? })
        });
        goal.map_err(|reason| refused(name, reason))
    }

    /// Reads a list of goals by [`Goal::read`], and makes their names distinct.
    ///
    /// # Errors
    /// [`GoalError`] for the first invalid goal, with its number, or for more than [`MAX_GOALS`] goals.
    pub fn read_all(list: &[Value], context: &GoalContext) -> Result<Vec<Self>, GoalError> {
        if list.len() > MAX_GOALS {
            let reason = format!("there are {}; at most {MAX_GOALS} are possible", list.len());
            return Err(GoalError { goal: "goals".to_owned(), reason });
        }
        let mut goals: Vec<Self> = Vec::with_capacity(list.len());
        for (number, value) in (1..).zip(list) {
            let goal = Self::read(value, context).map_err(|GoalError { goal, reason }| {
                let goal = if goal == UNNAMED { format!("goal {number}") } else { format!("goal {number} ('{goal}')") };
                GoalError { goal, reason }
            })?;
            goals.push(goal);
        }
        Self::make_names_distinct(&mut goals);
        Ok(goals)
    }

    /// Makes the names of goals distinct, as [`distinct_names`] does.
    pub fn make_names_distinct(goals: &mut [Self]) {
        let mut names: Vec<_> = goals.iter().map(|goal| goal.name.to_string()).collect();
        make_distinct(&mut names);
        for (goal, name) in goals.iter_mut().zip(names) {
            goal.name = name.into();
        }
    }

    fn of(name: &str, kind: Arc<dyn Kind>, weight: f64) -> Result<Self, Malformed> {
        if !(weight.is_finite() && weight > 0.0) {
            return Err(format!("its weight is {}; it must be a finite number above 0", number(weight)).into());
        }
        kind.check()?;
        let numbers = Arc::new(Numbers { places: kind.places(), aim: kind.aim(), kind });
        Ok(Self { numbers, name: name.into(), weight, is_standing: false })
    }

    /// The kind with its numbers.
    pub fn kind(&self) -> &dyn Kind {
        &*self.numbers.kind
    }

    /// The result of [`Kind::places`], computed once.
    pub fn places(&self) -> Option<&Places> {
        self.numbers.places.as_ref()
    }

    /// The result of [`Kind::aim`], computed once.
    pub fn aim(&self) -> Option<&Aim> {
        self.numbers.aim.as_ref()
    }

    /// The name of the goal; its type if the request has no name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Weight \[-\] of the squared violation, for compromises where not all goals can be met.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The violation \[m or rad\] in a configuration; 0 if the goal is met exactly. `rows` is working memory.
    pub fn violation(&self, at: &dyn Configuration, rows: &mut Rows) -> f64 {
        self.measure(at, rows);
        rows.violation()
    }

    /// Writes its rows in a configuration to `rows`, in place of those before.
    pub fn measure(&self, at: &dyn Configuration, rows: &mut Rows) {
        rows.clear();
        let Numbers { kind, places, .. } = &*self.numbers;
        if let Some(places) = places {
            kind.measure(&places.relative(at), rows);
        }
        if let Some(relation) = kind.relation() {
            rows.push(relation.row(|variable| at.position(variable)), Derivative::default());
        }
    }

    /// Writes the derivative of the measured row with index `row` with respect to the variables of `chain` to
    /// `gradient`, one entry per variable \[m or rad per rad or m\]. `rows` and `poses` must be those of the same
    /// configuration.
    pub fn write_gradient(&self, chain: &Chain, poses: &ChainPoses, row: usize, rows: &Rows, gradient: &mut [f64]) {
        gradient.fill(0.0);
        let Numbers { kind, places, .. } = &*self.numbers;
        if let Some(places) = places {
            let at = ExactConfiguration { positions: &[], poses };
            for (joint, wrench) in places.wrenches(&at, &rows.derivatives()[row]) {
                chain.add_power(poses, joint, &wrench, gradient);
            }
        }
        for (variable, coefficient) in kind.coefficients() {
            gradient[*variable] += coefficient;
        }
    }

    /// True for a goal that takes precedence over targets and other goals where not all can be met.
    pub fn is_standing(&self) -> bool {
        self.is_standing
    }

    /// This goal as a [standing](Self::is_standing) one.
    #[must_use]
    pub fn standing(self) -> Self {
        Self { is_standing: true, ..self }
    }

    /// A sentence that describes a `violation` \[m or rad\] of the goal.
    pub fn sentence(&self, violation: f64) -> String {
        let (name, Requirement { unit, subject, .. }) = (short(&self.name), self.kind().requirement());
        if violation <= TOLERANCE {
            format!("goal '{name}' is met")
        } else {
            format!("goal '{name}' is violated: {subject} by {violation:.3e} {}", unit.symbol())
        }
    }
}

/// A configuration with the poses of [`Chain::forward_kinematics`].
#[derive(Debug, Clone, Copy)]
pub struct ExactConfiguration<'a> {
    /// Positions \[rad or m\], one per variable.
    pub positions: &'a [f64],
    /// Poses of the chain at these positions.
    pub poses: &'a ChainPoses,
}

impl Configuration for ExactConfiguration<'_> {
    fn frame(&self, joint: usize) -> IsometryMatrix3<f64> {
        nalgebra::convert(self.poses.joints()[joint])
    }

    fn position(&self, variable: usize) -> f64 {
        self.positions[variable]
    }
}

/// The names of the goals that [`Goal::read_all`] reads from these objects: the `name` of each, or else its `type`. Its
/// number in the list is appended if an earlier goal has the same name.
pub fn distinct_names(list: &[Value]) -> Vec<String> {
    let own =
        |value: &Value| ["name", "type"].into_iter().find_map(|field| value.get(field)?.as_str().map(str::to_owned));
    let mut names: Vec<String> = list.iter().map(|value| own(value).unwrap_or_else(|| UNNAMED.to_owned())).collect();
    make_distinct(&mut names);
    names
}

/// Appends its number in the list to each name that an earlier one equals.
fn make_distinct(names: &mut [String]) {
    for index in 1..names.len() {
        if names[..index].contains(&names[index]) {
            names[index] = format!("{} {}", names[index], index + 1);
        }
    }
}

fn refused(goal: &str, Malformed(reason): Malformed) -> GoalError {
    GoalError { goal: goal.to_owned(), reason }
}

/// Checks intervals: no bound is NaN, and no lower one above its upper one.
pub(crate) fn check_intervals(lower: &[f64], upper: &[f64]) -> Result<(), Malformed> {
    for (lower, upper) in lower.iter().zip(upper) {
        // Written so that NaN fails.
        if !(lower <= upper && *lower < f64::INFINITY && *upper > f64::NEG_INFINITY) {
            return Err(format!("no value lies between {} and {}", number(*lower), number(*upper)).into());
        }
    }
    Ok(())
}

/// Checks that vectors are finite, and no farther than coordinates may be.
pub(crate) fn check_vectors(vectors: &[(&str, &nalgebra::Vector3<f64>)]) -> Result<(), Malformed> {
    use urdf_ik_mathematics::segments::MAX_COORDINATE;
    for (name, vector) in vectors {
        // Written so that NaN fails.
        if !vector.iter().all(|entry| entry.abs() <= MAX_COORDINATE) {
            return Err(format!("its '{name}' must be three finite numbers of at most {MAX_COORDINATE:e}").into());
        }
    }
    Ok(())
}

/// The unit vector along a direction from outside.
pub(crate) fn unit_vector(name: &str, numbers: [f64; 3]) -> Result<nalgebra::Vector3<f64>, Malformed> {
    let vector = nalgebra::Vector3::from(numbers);
    let largest = vector.amax();
    if largest.is_finite() && largest > 0.0 {
        return Ok((vector / largest).normalize());
    }
    Err(format!("its '{name}' is {numbers:?}; it must be a finite vector other than 0").into())
}
