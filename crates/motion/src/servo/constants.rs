//! All constants of the servo that were tuned.

/// Rows of the equations that are shorter than this, without what others have of them, depend on those.
pub const DEPENDENT: f64 = 1e-8;
/// How far the servo's time law stays below the limits of velocity, acceleration and jerk: what is planned, and what is checked. The
/// difference is for what lies between two looks.
pub const PLANNED: [f64; 3] = [0.99, 0.92, 0.85];
pub const CHECKED: [f64; 3] = [0.9995, 0.99, 0.96];
/// The tip's speed over the commanded one up to which a stop counts as possible.
pub const TOO_FAST: f64 = 1.005;
/// The longest step along a curve, and the shortest \[rad or m\].
pub const LONGEST_STEP: f64 = 0.03;
pub const SHORTEST_STEP: f64 = 1e-5;
/// How far a curve turns in a step \[rad\]: the error of the interpolation grows with its fourth power.
pub const TURN: f64 = 0.15;
/// What is missed of the line at a node of the curve \[rad, lengths over the length scale\].
pub const EXACT: f64 = 1e-11;
/// The most nodes of a curve, and pieces of a line.
pub const MOST_NODES: usize = 400;
pub const MOST_PIECES: usize = 400;
/// The length over which the motion within the null space goes over to the one preferred \[rad\].
pub const SETTLING: f64 = 0.15;
/// The length over which a joint comes near to its limit, where the other joints can go on without it \[rad\].
pub const ROOM: f64 = 0.1;
pub const ROOM_BEND: f64 = 2.0;
/// The tip stands where the joints move so far in the time of the commanded motion \[rad/s\], and how far they may move then \[rad\].
pub const STANDING: f64 = 50.0;
pub const MOST_STANDING: f64 = 0.3;
/// The length of a piece of a ramp \[s\].
pub const PIECE: f64 = 0.005;
/// A tip is at its pose where it is that near \[rad, lengths over the length scale\].
pub const ARRIVED: f64 = 1e-7;
/// The gain with which a commanded pose is approached \[1/s\], and the share of the acceleration that this uses.
pub const POSE_GAIN: f64 = 12.0;
pub const POSE_SHARE: f64 = 0.6;
/// Twists that differ by a smaller share are one: 1 %, or a bit more than half a degree.
pub const SAME: f64 = 0.01;
/// A step of the time law \[s\].
pub const MOMENT: f64 = 0.005;
/// The shortest step of the time law \[s\].
pub const SHORTEST_MOMENT: f64 = 1e-5;
/// Where the joints set no limit, so much is one: of jerks and accelerations along a curve \[1/s³, 1/s²\].
pub const UNLIMITED: f64 = 2e3;
pub const MOST_ACCELERATION: f64 = 50.0;
/// The share of a joint's jerk limit that braking along a bend may need.
pub const BEND_SHARE: f64 = 0.4;
/// The first step along a curve \[rad or m\].
pub const FIRST_STEP: f64 = 0.01;
/// What is outside the limits of positions by less is rounding \[rad or m\].
pub const OUTSIDE: f64 = 1e-11;
/// Beside the line: the weight of what comes second, the damping \[rad²\], and how far what is not commanded may give way \[m\] and \[rad\].
pub const SECOND: f64 = 0.002;
pub const SLIDE_DAMPING: f64 = 1e-9;
pub const SLIDE_GIVE: [f64; 2] = [0.02, 0.1];
/// A joint is pulled away from a limit that is so near \[rad or m\] as much as this, and at most so much, as a share of the motion.
pub const PULLED: f64 = 0.5;
pub const PULL: f64 = 0.05;
pub const MOST_PULL: f64 = 0.3;
/// How much more what the line asks counts than what is preferred.
pub const STRICT: f64 = 1e8;
/// What the line leaves open is less than this of its time at a singular configuration; below the other one the line leads nowhere.
pub const SINGULAR: f64 = 1e-3;
pub const NOWHERE: f64 = 1e-9;
/// Directions that are tried there.
pub const MOST_NULL: usize = 6;
/// Rounding at a limit of positions; how near to it a curve ends, and how far a redundant arm stays away \[rad or m\].
pub const AT_LIMIT: f64 = 1e-12;
pub const AT_END: f64 = 1e-4;
pub const KEPT: f64 = 1e-4;
/// The shares of the joints' limits that the ramp of a new command may need, tried one after the other.
pub const RAMP_SHARES: [f64; 4] = [0.7, 0.5, 0.35, 0.2];
/// The share of a joint's jerk limit that braking uses: of more, most ramps would leave too little to stop on them.
pub const BRAKING: f64 = 0.6;
/// How far ahead it is looked whether a ramp keeps the greatest speeds \[s\].
pub const RAMP_LOOK: f64 = 0.2;
/// The tips follow from this share of the commanded speed on.
pub const FOLLOWS: f64 = 0.98;
/// What ends a curve holds the arm back where the stop ends so near to it \[rad or m\].
pub const NEAR_END: f64 = 0.1;
/// Singular values below this are near a singularity.
pub const NEAR_SINGULAR: f64 = 0.1;
/// How far the jerk of a joint may be from what it is at both ends of a step, as a share of its limit.
pub const UNEVEN: f64 = 0.02;
/// Tips whose twists are this far at most from the direction to their poses move straight to them \[rad/s, lengths over the length scale/s\].
pub const BESIDE: f64 = 1e-8;
/// The line goes on from where its time grows by this share of the way along the curve.
pub const LEADING: f64 = 0.03;
