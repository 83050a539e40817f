//! The constants of the servo, each with its unit, effect and reason.

/// Length that counts as one radian, divided by the solver's length scale \[-\]: 0.3 m for an arm of 1 m, the length of
/// a hand or tool.
pub const RADIAN: f64 = 0.75;
/// Cosine of 3° \[-\]: a mean command that turns by less stays on the same line.
pub const SAME: f64 = 0.9986;
/// Cosine of 29° \[-\]: a command that turns by more begins another line at once.
pub const TURN: f64 = 0.8776;
/// Time \[s\] in which the joints may become faster before the next look-ahead, and before the end of a line where they
/// may leave it.
pub const REACTION_TIME: f64 = 0.05;
/// Time within which two turns of a command mark it as a hand's \[s\].
pub const HAND_TIME: f64 = 0.3;
/// Rate at which deviations from a line decay, critically damped, and poses are approached \[1/s\].
pub const RETURN_RATE: f64 = 1.0 / REACTION_TIME;
/// Damping of motions that may deviate \[-\]. Motion along directions with smaller singular values fades, and slack is
/// shared.
pub const DAMPING: f64 = 0.17;
/// Weight of a motion with priority, relative to one without \[-\]: uncommanded axes under a hand and beside contacts,
/// the motion along the line, and the part of a twist with priority. Where bounds are inconsistent, speeds of the tips
/// yield by so much more than contacts.
pub const FIRST: f64 = 10.0;
/// Damping of the joints along a line, divided by the length that counts as one radian \[-\]. It only decides motions
/// that nothing else decides.
pub const LINE_DAMPING: f64 = 0.003;
/// Weight of deviations from a line, relative to the speed along it \[-\]: four levels above. Its square is that of the
/// amount by which inconsistent bounds yield.
pub const STRICT: f64 = FIRST * FIRST * FIRST * FIRST;
/// Weight of rotations that an arm of fewer than six joints cannot constrain, relative to the speed; and of the speed
/// of the tips, relative to that of the joints where slack is used \[-\]: two levels below.
pub const LEAST: f64 = 1.0 / (FIRST * FIRST);
/// Rate at which deviations of uncommanded axes decay, and at least that at which joints approach their limits \[1/s\].
pub const SLACK_RETURN: f64 = 3.0;
/// Share of acceleration and jerk with which stops are planned, also before the limits of a joint \[-\]. The rest is
/// left for curvature, feedback, and jerks that are constant over a step.
pub const PLANNED: f64 = 0.75;
/// Share of the acceleration that the curvature of the path may need \[-\].
pub const BEND: f64 = 0.4;
/// Range before a joint's limit within which the joint is slower than the commanded tips, and other joints take over;
/// shorter under slow commands \[rad or m\].
pub const SOFT: f64 = 0.12;
/// Distance from a limit at which redundant joints begin to turn away from it \[rad or m\]; also the longest motion of
/// a joint while the tips are stationary \[rad\]: a longer one flips wrists unexpectedly.
pub const LARGE: f64 = 0.3;
/// Number of steps of the look-ahead \[-\].
pub const NODES: f64 = 10.0;
/// Bound of small quantities: the share of the commanded speed beside a line below which the line begins, and a
/// deviation ends \[-\]; the share along it below which a line with an end is left \[-\]; the singular value below
/// which joints leave symmetric configurations \[-\]; the speed of joints that may begin in another direction
/// \[rad/s\]; the distance from a position limit or contact that restricts the motion \[rad or m\].
pub const LITTLE: f64 = 0.02;
/// Share of the commanded speed at which the look-ahead ends \[-\]. With a larger one, an arm did not bend back at a
/// singularity.
pub const AT_END: f64 = 1e-3;
/// Rounding error of lengths, speeds and accelerations \[rad or m, per s or s²\], also of commands, and relative
/// tolerance of bisections \[-\].
pub const TINY: f64 = 1e-9;
/// Distance that the look-ahead keeps from the position limits \[rad or m\]; share of the way by which it may leave the
/// line \[-\].
pub const LIMIT_MARGIN: f64 = 1e-4;
/// Bound of singularities and angles: singular values below it mark a singularity, whose branches are tried and which
/// the status names \[-\]; the angle between command and motion up to which the tips do not slide \[rad\]; the range of
/// the cosine of that angle over which a motion ends \[-\]; the greatest share by which a motion along a line that is
/// slow becomes faster \[-\]; the share of a deviation that remains after a Newton step that converges \[-\].
pub const NEAR: f64 = 0.1;
/// Share of the commanded speed from which the tips follow \[-\]: one slow period of the last 50 ms does not count.
pub const FOLLOWS: f64 = 0.92;
/// Share that counts as all \[-\]: of the commanded speed, where a deviation ends; of the slack, the rest of which is
/// left for the time in which joints become slower; of the product of two velocities, below which the look-ahead has
/// shorter steps.
pub const ALMOST_ALL: f64 = 0.95;
/// Share of the stopping distance that the joints keep from contacts \[-\]. The fail-safe motion leaves the direction
/// along a wall by less.
pub const CONTACT_ROOM: f64 = 0.2;
