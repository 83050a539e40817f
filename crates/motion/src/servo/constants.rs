//! The constants of the servo. Where other values were tried, by `cargo bench --bench servo` or by streams of poses, the comment says what
//! came of them. The others were chosen once, and kept because the bench passes with them.

// What follows from the task.

/// Twists that differ by a smaller share are one \[-\]: 1 %, or a bit more than half a degree. A greater one makes small changes wait.
pub const SAME: f64 = 0.01;
/// The tips follow from this share of the commanded speed on \[-\]: the status then says so.
pub const FOLLOWS: f64 = 0.92;
/// How far joints may move while the tip stands \[rad or m\]. A greater one flips wrists that a person does not expect to flip.
pub const MAX_STANDING: f64 = 0.3;
/// Singular values below this are near a singularity \[-\]: the status then says so, and ramps count on no more speed there.
pub const NEAR_SINGULAR: f64 = 0.1;

// The curve.

/// The longest step along a curve \[rad or m\]. A longer one leaves the line farther between two nodes; a shorter one costs more.
pub const LONGEST_STEP: f64 = 0.03;
/// How far a curve turns in a step \[rad\]: the error of the interpolation grows with its fourth power.
pub const TURN: f64 = 0.15;
/// The length over which the motion within the null space goes over to the one preferred \[rad or m\]. A shorter one needs more jerk.
pub const SETTLING: f64 = 0.15;
/// The length over which a joint comes to its limit, where the other joints can go on without it \[rad or m\]. A shorter one needs more
/// jerk: with 0.07 the bundled arm7 comes a tenth less far along its limits. A longer one takes joints out of use sooner: of 686
/// directions from limits an iiwa14 missed 8 with this, and 31 with 0.2.
pub const ROOM: f64 = 0.1;
/// How firmly the motion within the null space keeps a joint from its limit, where that motion moves the joint little \[-\]. With 500 the
/// bundled arm7 comes a quarter less far along its limits. With 1e6, arms turn that motion sharply for nothing, and miss half as many
/// directions from singularities and limits again; from 5 to 50 000 these are nearly alike.
pub const FIRMNESS: f64 = 1e4;
/// How far a redundant arm stays away from limits \[rad or m\], so that it need not go along them exactly.
pub const KEPT: f64 = 1e-4;
/// A joint that is so near to its limit \[rad or m\] is led away from it as much as along the line, and in proportion to the square of
/// how near it is. A greater one moves the elbow more.
pub const PULLED: f64 = 0.11;
/// The most that joints are led away from limits, as a share of the motion along the line \[-\]. A greater one is slower.
pub const MAX_PULL: f64 = 0.3;
/// The tip stands where joints move so far in the time of the commanded motion \[rad/s or m/s\]: no joint is as fast.
pub const STANDING: f64 = 50.0;
/// The line goes on from where its time grows by this share of the way \[-\]. At a start, curves are followed beforehand where it grows less.
pub const LEADING: f64 = 0.1;
/// How much more a curve counts, of those that begin at a singularity, with which the joints go back as they came, and how much less one
/// with which they go on \[-\]: an elbow that was stretched bends back. With 0.1 that of the bundled arm6 bends to the other side.
pub const BACK: f64 = 0.2;

// The time law.

/// The shares of the joints' limits of velocity, acceleration and jerk that are planned with \[-\].
pub const PLANNED: [f64; 3] = [0.99, 0.92, 0.85];
/// The shares of these limits that a plan may need \[-\]. What is left is for what lies between two looks.
pub const CHECKED: [f64; 3] = [0.9995, 0.99, 0.96];
/// The tip's speed over the commanded one up to which a stop counts as possible \[-\]. The status and the tip's limits allow 2 %.
pub const TOO_FAST: f64 = 1.005;
/// The time constant with which tips approach their speed at the end \[periods\]. With 3 one of 35 starts of a UR5 missed 0.54 % of the speed
/// when 0.5 % was allowed.
pub const PERIODS_TO_SPEED: f64 = 2.0;
/// The longest part of a plan \[s\]. A longer one stops less exactly; with 0.005 a period takes half as long again.
pub const MOMENT: f64 = 0.01;
/// How often the jerk of the next period is halved, at rest, where that costs little, and on the way. With 3 on the way a period takes a
/// third more, and the tips are no faster.
pub const HALVINGS: [usize; 2] = [10, 2];
/// The share of a joint's jerk limit that braking uses \[-\]: of more, most ramps would leave too little to stop on them.
pub const BRAKING: f64 = 0.6;

// The line.

/// The length of a piece of a ramp \[s\].
pub const PIECE: f64 = 0.005;
/// The share of the joints' limits that the ramp of a new command may need \[-\]: what is left is for what the joints do already. With 0.5
/// the bundled arm6 lags a fifth more behind a circle of poses; with 0.7 it is held back for longer where a twist changes each 20 ms.
pub const RAMP_SHARE: f64 = 0.6;
/// How far ahead it is looked whether a ramp keeps the greatest speeds \[s\].
pub const RAMP_LOOK: f64 = 0.2;
/// The share of a ramp's acceleration with which a pose is approached that does not lie straight ahead \[-\]. With 0.9 the
/// bundled arm6 overshot.
pub const POSE_SHARE: f64 = 0.6;

/// How many times faster than the line is what gives way from the start on, because the line goes on only so \[-\]. With 1 an arm stands
/// in half as many directions again that are possible; 10 is like 4. With more than 1 on the way, what may give way is used up before
/// an arm is past a singularity: with 5 a UR5 comes less far than without it.
pub const PACE: f64 = 4.0;
/// The rate at which what gave way comes back \[1/s\]. A greater one needs more of the joints' speed beside the line.
pub const COME_BACK: f64 = 3.0;

// Beside the line.

/// The gain with which a pose is approached along contacts \[1/s\].
pub const POSE_GAIN: f64 = 12.0;
/// The weight of what comes second, over that of what comes first \[-\].
pub const SECOND: f64 = 0.002;

// What follows from these.

/// The first step along a curve \[rad or m\]: the joints may have to turn sharply there.
pub const FIRST_STEP: f64 = LONGEST_STEP / 3.0;
/// How far the jerk of a joint may be, within a part of a plan, from the straight line between its ends, as a share of its limit \[-\]:
/// most of what [`CHECKED`] leaves. With all of it one of 700 random runs broke a jerk limit by 0.2 %, with 0.1 four of 100 by up to 2 %.
pub const UNEVEN: f64 = 0.8 * (1.0 - CHECKED[2]);
/// Parts of a stop are halved down to this, where they are too long for a limit \[s\].
pub const SHORTEST_PART: f64 = 0.1 * MOMENT;
/// The tip stands where joints move so far in the time of the commanded motion before the end of a curve \[rad/s or m/s\]: up to there it is
/// used. With three times [`STANDING`] arms missed a hundredth of their way to some folds of the line, and with no bound they swung back there.
pub const STANDING_AT_END: f64 = 10.0 * STANDING;
/// What ends a curve holds the arm back where the stop ends so near to it \[rad or m\].
pub const NEAR_END: f64 = 3.0 * LONGEST_STEP;

// Rounding, and room for data and for time.

/// Where the joints set no limit, so much is one, of velocities, accelerations and jerks along a curve \[1/s, 1/s², 1/s³\].
pub const UNLIMITED: f64 = 2e3;
/// What may give way by less than this may not at all \[m, rad\]: it does so by that along contacts.
pub const MIN_GIVE: f64 = 1e-6;
/// The damping of velocities \[rad² or m²\]. With 1e-9 what comes second was 60° off, once in 700 runs along limits near a singularity.
pub const SLIDE_DAMPING: f64 = 1e-12;
/// Rows of equations that are shorter than this, without what others have of them, depend on those \[-\].
pub const DEPENDENT: f64 = 1e-8;
/// What is missed of the line at a node of the curve \[rad, lengths over the length scale\].
pub const EXACT: f64 = 1e-11;
/// What is outside the limits of positions by less is rounding \[rad or m\]: of nodes, and between them.
pub const AT_LIMIT: f64 = 1e-10;
/// What is outside the limits of positions by less between two nodes is rounding \[rad or m\].
pub const OUTSIDE: f64 = 2e-10;
/// A tip is at its pose where it is that near \[rad, lengths over the length scale\].
pub const ARRIVED: f64 = 1e-7;
/// Tips whose twists are this far at most from the direction to their poses move straight to them \[rad/s, lengths over the length scale/s\].
pub const BESIDE: f64 = 1e-8;
/// The line leads nowhere where its time grows by less than this share of the way \[-\].
pub const NOWHERE: f64 = 1e-9;
/// Equations of which so little does not depend on others hardly count where a curve begins \[-\]: 1e-3 and 1e-5 are like this.
pub const HARDLY: f64 = 1e-4;
/// What equations disagree by less about the bend of a curve is rounding \[-\].
pub const CONSISTENT: f64 = 1e-9;
/// How much more what the line asks counts than what is preferred \[-\].
pub const STRICT: f64 = 1e8;
/// The shortest step along a curve \[rad or m\], and so how near to a limit a curve ends.
pub const SHORTEST_STEP: f64 = 1e-5;
/// The shortest step of the time law \[s\].
pub const SHORTEST_MOMENT: f64 = 1e-5;
/// The most nodes of a curve.
pub const MAX_NODES: usize = 400;
/// The most pieces of a line.
pub const MAX_PIECES: usize = 400;
/// The most directions that are tried where the line does not say how the joints begin.
pub const MAX_NULL: usize = 6;
/// Between each two of so many directions at most others are tried, too: more pairs take too long.
pub const MAX_PAIRED: usize = 3;
/// The directions between two that are tried, and how often the angle between two of these is halved. With 8, a gen3 missed four times as
/// many directions from singularities; 48 are like 24.
pub const DIRECTIONS: u32 = 24;
pub const HALVINGS_OF_ANGLES: u32 = 2;
/// The most nodes of a curve that is only followed to see how far it leads. With 30 a gen3 missed more, and with 400 a talos7 took six
/// times as long.
pub const MAX_FOLLOWED: usize = 20;
