//! The constants of the servo, each with its unit, effect and reason.

/// Metres that count as much as a radian, over the solver's length scale: 0.3 m for an arm of 1 m, the length of a hand or tool \[-\].
pub const RADIAN: f64 = 0.75;
/// Cosine of 3°: a mean command that turns by less is the same line \[-\].
pub const SAME: f64 = 0.9986;
/// Cosine of 29°: a command that turns by more begins another line at once \[-\].
pub const TURN: f64 = 0.8776;
/// Time constant of the mean command \[s\]: noise of 5 % on each axis then turns it by less than 3°.
pub const MEAN_TIME: f64 = 0.1;
/// A command that turned twice within this time is a hand's \[s\].
pub const HAND_TIME: f64 = 0.3;
/// Rate at which deviations from a line return, critically damped \[1/s\].
pub const RETURN_RATE: f64 = 20.0;
/// Damping of the joint velocities along a line, over the length of a radian \[-\]: only decides what nothing else decides.
pub const LINE_DAMPING: f64 = 0.003;
/// Damping of a hand's motion \[-\]: motion along singular directions below it fades.
pub const HAND_DAMPING: f64 = 0.17;
/// Damping where uncommanded axes may deviate \[-\]: shares the motion among them.
pub const SLACK_DAMPING: f64 = 0.1;
/// Damping of accelerations where uncommanded axes may deviate \[-\]: bounds motions that the rows hardly determine.
pub const SHARED_DAMPING: f64 = 3e-3;
/// Weight of deviations from a line over its speed \[-\].
pub const STRICT: f64 = 1e4;
/// Weight of rotations that an arm of less than six joints cannot constrain, over the speed \[-\].
pub const LEAST: f64 = 1e-2;
/// Weight of the joint acceleration along the line, and of the slack's, over other accelerations \[-\].
pub const ALONG: f64 = 10.0;
/// Rate at which uncommanded axes return \[1/s\].
pub const SLACK_RETURN: f64 = 3.0;
/// Share of acceleration and jerk with which stops are planned \[-\]: the rest is for curvature and feedback.
pub const PLANNED: f64 = 0.75;
/// Share of the acceleration that the curvature of the path may need \[-\].
pub const BEND: f64 = 0.4;
/// Range before a joint's limit in which the other joints take over \[rad or m\].
pub const SOFT: f64 = 0.12;
/// Shortest and longest step of the look-ahead \[rad or m\].
pub const STEPS: [f64; 2] = [0.006, 0.12];
/// Least and greatest number of nodes of the look-ahead.
pub const NODES: [usize; 2] = [7, 24];
/// Distance that is looked ahead over the stopping distance \[-\].
pub const HORIZON: f64 = 1.5;
/// Time in which the joints may become faster before the next look \[s\].
pub const GAIN_TIME: f64 = 0.06;
/// Speed of a redundant arm away from limits \[rad/s\], and the distance from a limit where it begins \[rad\].
pub const COMFORT: [f64; 2] = [0.4, 0.3];
/// Speed of the tips over the length of a radian, below which comfort slows down \[rad/s\].
pub const COMFORT_SPEED: f64 = 0.17;
/// Share of the velocity limits that the direction uses \[-\].
pub const VELOCITY: f64 = 0.98;
/// Distance of the look-ahead from the limits \[rad or m\].
pub const LIMIT_MARGIN: f64 = 1e-4;
/// Share of the speed below which the velocity beside a new line is settled \[-\].
pub const SETTLED: f64 = 0.02;
/// Gain with which a pose is approached \[1/s\].
pub const POSE_GAIN: f64 = 20.0;
/// Regularisation of the return to the line \[-\].
pub const REGULAR: f64 = 1e-4;
/// Bisections of the acceleration: the last changes it by a millionth.
pub const BISECTIONS: usize = 18;
/// Joints that are slower may begin in another direction \[rad/s\].
pub const SLOW: f64 = 0.02;
/// Range of the cosine of the deviation angle over which a motion ends \[-\].
pub const FADE: f64 = 0.1;
/// Cosine of the angle to the command, and share of its speed, from which a deviating motion is on the command again \[-\].
pub const ON_COMMAND: f64 = 0.9998;
pub const ON_COMMAND_SPEED: f64 = 0.98;
/// Most direction problems of a look-ahead.
pub const MAX_SOLVES: usize = 40;
/// Cosine of the turn between two nodes from which the step is shorter \[-\]: 18°.
pub const STRAIGHT: f64 = 0.95;
/// Weight of what comes second at a limit \[-\].
pub const SECOND: f64 = 0.1;
/// Greatest motion of the joints while the tip is stationary \[rad\]: a longer one flips wrists that a person does not expect to flip.
pub const MAX_STANDING: f64 = 0.3;
/// The tip is stationary where joints move faster than this at the commanded speed \[rad/s\].
pub const STATIONARY: f64 = 50.0;
/// Passes of the direction problem with slack: with two a UR5 used 3 mm of slack where none is needed.
pub const SLACK_PASSES: usize = 4;
/// Share of the slack that is planned with \[-\]: the rest is for feedback.
pub const SLACK_SHARE: f64 = 0.96;
/// Share of the stopping distance that the joints keep from contacts \[-\]: the fail-safe motion leaves the direction of a wall by less.
pub const CONTACT_ROOM: f64 = 0.2;
/// Share of the pace with which joints that are nearer move away \[-\].
pub const CONTACT_RETURN: f64 = 0.1;
/// Time at the pace of the joints to the end of a line from which they deviate \[s\].
pub const NEAR_END: f64 = 0.05;
/// Weight of uncommanded axes where a motion deviates from its command \[-\].
pub const UNCOMMANDED: f64 = 10.0;
