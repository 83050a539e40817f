//! The constants of the servo, each with its unit, effect and reason.

/// Metres that count as much as a radian, over the solver's length scale: 0.3 m for an arm of 1 m, the length of a hand or tool \[-\].
pub const RADIAN: f64 = 0.75;
/// Cosine of 3°: a mean command that turns by less is the same line \[-\].
pub const SAME: f64 = 0.9986;
/// Cosine of 29°: a command that turns by more begins another line at once \[-\].
pub const TURN: f64 = 0.8776;
/// Time in which the joints may become faster before the next look, and before the end of a line where they may leave it \[s\].
pub const REACTION_TIME: f64 = 0.05;
/// A command that turned twice within this time is a hand's \[s\].
pub const HAND_TIME: f64 = 0.3;
/// Rate at which deviations from a line return, critically damped, and poses are approached \[1/s\].
pub const RETURN_RATE: f64 = 1.0 / REACTION_TIME;
/// Damping of motions that may deviate \[-\]: motion along singular directions below it fades, and slack is shared.
pub const DAMPING: f64 = 0.17;
/// Weight of what comes first, over what comes second \[-\]: uncommanded axes where a motion deviates, the motion along the line, and the
/// part of a twist with priority.
pub const FIRST: f64 = 10.0;
/// Damping of the joints along a line, over the length of a radian \[-\]: only decides what nothing else decides.
pub const LINE_DAMPING: f64 = 0.003;
/// Weight of deviations from a line over its speed \[-\]: four levels above it.
pub const STRICT: f64 = FIRST * FIRST * FIRST * FIRST;
/// Weight of rotations that an arm of less than six joints cannot constrain, over the speed, and of the tips' speed over the joints' where slack
/// is used \[-\]: two levels below it.
pub const LEAST: f64 = 1.0 / (FIRST * FIRST);
/// Rate at which uncommanded axes return \[1/s\].
pub const SLACK_RETURN: f64 = 3.0;
/// Share of acceleration and jerk with which stops are planned \[-\]: the rest is for curvature and feedback.
pub const PLANNED: f64 = 0.75;
/// Share of acceleration and jerk that braking before a limit counts on \[-\]: the rest makes up for jerks that are
/// constant over a step. With 0.95 an SO-101 left its cone by 0.14°.
pub const BRAKING: f64 = 0.9;
/// Share of the acceleration that the curvature of the path may need \[-\].
pub const BEND: f64 = 0.4;
/// Range before a joint's limit in which the other joints take over \[rad or m\].
pub const SOFT: f64 = 0.12;
/// Long motion of a joint: where redundant joints begin to turn away from a limit \[rad or m\], and the greatest one
/// while the tips are stationary \[rad\]: a longer one flips wrists that a person does not expect to flip.
pub const LARGE: f64 = 0.3;
/// Number of steps of the look-ahead.
pub const NODES: f64 = 10.0;
/// Bound of small quantities: the share of the commanded speed beside a line below which it begins, and a deviation ends
/// \[-\]; the speed of joints that may begin in another direction \[rad/s\]; the distance from a position limit or
/// contact that restricts the motion \[rad or m\].
pub const LITTLE: f64 = 0.02;
/// Share of the commanded speed at which the look-ahead ends \[-\]: with more, an arm did not bend back at a singularity.
pub const AT_END: f64 = 1e-3;
/// Rounding of lengths, speeds and accelerations [rad or m, per s or s²], also of commands, and of bisections.
pub const TINY: f64 = 1e-9;
/// Distance of the look-ahead from the limits \[rad or m\].
pub const LIMIT_MARGIN: f64 = 1e-4;
/// Bound of singularities and angles: singular values below it, whose branches are tried, and which the status names \[-\]; the angle
/// between command and motion up to which the tips do not slide \[rad\]; the range of the cosine of that angle over
/// which a motion ends \[-\].
pub const NEAR: f64 = 0.1;
/// Share that counts as all \[-\]: of the commanded speed, with which the tips follow, and where a deviation ends; of
/// the slack, the rest of which is for the time in which joints become slower; of the product of two velocities, below
/// which the look-ahead is closer.
pub const ALMOST_ALL: f64 = 0.95;
/// Share of the stopping distance that the joints keep from contacts \[-\]: the fail-safe motion leaves the direction of a wall by less.
pub const CONTACT_ROOM: f64 = 0.2;
