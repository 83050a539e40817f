/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Inverse kinematics for any robot with a URDF: the C interface of urdf_ik. Made by cbindgen of crates/c.

   Lengths are in metres, angles in radians, times in seconds. Joint positions are arrays of urdf_ik_arm_joint_count() numbers, n.

   Threads: robots, arms, worlds, skeletons and answers do not change, and any number of threads may use one at once. A
   workspace and a servo are used by one thread at a time.

   Memory: who makes a handle frees it, in any order: an arm needs no robot, and a workspace no arm, that made it. Texts
   belong to the library.

   Versions: structs that the caller fills are initialised by their functions, and `reserved` stays 0: it is room for
   fields of later versions.

   Failures: a function that can fail returns a UrdfIkStatus, and urdf_ik_error() says why. A pose that cannot be met is no failure. */

#ifndef URDF_IK_H
#define URDF_IK_H

#include <stddef.h>
#include <stdint.h>

/*
 A fixed joint.
 */
#define URDF_IK_JOINT_FIXED 0

/*
 A rotation about the axis within limits [rad].
 */
#define URDF_IK_JOINT_REVOLUTE 1

/*
 A rotation about the axis without limits [rad].
 */
#define URDF_IK_JOINT_CONTINUOUS 2

/*
 A translation along the axis within limits [m].
 */
#define URDF_IK_JOINT_PRISMATIC 3

/*
 Six degrees of freedom. Treated as fixed; no arm can contain it.
 */
#define URDF_IK_JOINT_FLOATING 4

/*
 Motion in a plane. Treated as fixed; no arm can contain it.
 */
#define URDF_IK_JOINT_PLANAR 5

/*
 The first solution found.
 */
#define URDF_IK_PICK_FIRST 0

/*
 Among all solutions found, the one whose largest joint move from the seed is smallest.
 */
#define URDF_IK_PICK_NEAREST 1

/*
 Among all solutions found, the one with the greatest manipulability.
 */
#define URDF_IK_PICK_MOST_MANIPULABLE 2

/*
 The best joint positions of the attempts, without refinement: the fastest.
 */
#define URDF_IK_CLOSEST_NONE 0

/*
 The closest joint positions, and the reason.
 */
#define URDF_IK_CLOSEST_POSE 1

/*
 Exact positions of the targets with the closest orientations (URDF_IK_OUTCOME_POSITION_ONLY), for arms of fewer than
 six joints. If a position is unreachable: as URDF_IK_CLOSEST_POSE.
 */
#define URDF_IK_CLOSEST_POSITION 2

/*
 A velocity of a tip along the axes of the base link.
 */
#define URDF_IK_COMMAND_TWIST 0

/*
 A velocity of a tip along its own axes, which turn with it.
 */
#define URDF_IK_COMMAND_TIP_TWIST 1

/*
 A pose that a tip follows.
 */
#define URDF_IK_COMMAND_POSE 2

/*
 A joint is at a limit of its positions, or near it.
 */
#define URDF_IK_LIMIT_JOINT_POSITION 0

/*
 The arm is at or near a singularity.
 */
#define URDF_IK_LIMIT_SINGULARITY 1

/*
 Two bodies are near the margin.
 */
#define URDF_IK_LIMIT_CONTACT 2

/*
 A goal is at its bound.
 */
#define URDF_IK_LIMIT_GOAL 3

/*
 A joint needs the greatest velocity or acceleration that its limits allow.
 */
#define URDF_IK_LIMIT_JOINT_SPEED 4

/*
 A tip has its greatest speed.
 */
#define URDF_IK_LIMIT_TIP_SPEED 5

/*
 The root stays where the seed has it.
 */
#define URDF_IK_ROOT_FIXED 0

/*
 The root moves with the rest, and may have a target.
 */
#define URDF_IK_ROOT_FREE 1

/*
 The root is moved to `root_pose`.
 */
#define URDF_IK_ROOT_AT 2

/*
 The result of a call. urdf_ik_error() has the message of a failure.
 */
typedef enum UrdfIkStatus {
  /*
   Success.
   */
  URDF_IK_STATUS_OK = 0,
  /*
   A required pointer is NULL, or a text is not UTF-8.
   */
  URDF_IK_STATUS_INVALID_ARGUMENT = 1,
  /*
   The URDF is invalid or cannot be read.
   */
  URDF_IK_STATUS_URDF = 2,
  /*
   The robot has no such chain, or the solver does not apply to it.
   */
  URDF_IK_STATUS_CHAIN = 3,
  /*
   The problem is invalid for the arm, such as a quaternion of length 0 or a tolerance of 0.
   */
  URDF_IK_STATUS_PROBLEM = 4,
  /*
   A bug in the library.
   */
  URDF_IK_STATUS_INTERNAL = 5,
  /*
   The world is invalid, or belongs to another arm.
   */
  URDF_IK_STATUS_WORLD = 6,
  /*
   The description of a skeleton is invalid or cannot be read.
   */
  URDF_IK_STATUS_SKELETON = 7
} UrdfIkStatus;

/*
 The outcome of a solve: solved, or why the joint positions are only the closest ones. Codes as in the
 node's SolveStatus.
 */
typedef enum UrdfIkOutcome {
  /*
   Forward kinematics of exactly the returned joint positions meets every target within its tolerance, and every
   goal.
   */
  URDF_IK_OUTCOME_SOLVED = 0,
  /*
   The target is provably out of reach.
   */
  URDF_IK_OUTCOME_OUT_OF_REACH = 1,
  /*
   Joint limits are in the way: without them the targets are met.
   */
  URDF_IK_OUTCOME_JOINT_LIMITS = 2,
  /*
   max_step limited the motion towards the target.
   */
  URDF_IK_OUTCOME_STEP_LIMITED = 3,
  /*
   No accepted solution within the attempts and the time.
   */
  URDF_IK_OUTCOME_NOT_CONVERGED = 4,
  /*
   Batches: the problem is invalid, and the joint positions are NaN.
   */
  URDF_IK_OUTCOME_INVALID = 5,
  /*
   A collision is in the way.
   */
  URDF_IK_OUTCOME_COLLISION = 9,
  /*
   Every position is met within its tolerance, with the closest orientations: see URDF_IK_CLOSEST_POSITION.
   */
  URDF_IK_OUTCOME_POSITION_ONLY = 10,
  /*
   A goal or target excludes the others: without it they are met.
   */
  URDF_IK_OUTCOME_GOAL_CONFLICT = 12
} UrdfIkOutcome;

/*
 The joints between a base link and one or several tip links, with a solver. Immutable: threads can share it.
 */
typedef struct UrdfIkArm UrdfIkArm;

/*
 A robot: a tree of links and joints. Immutable: threads can share it.
 */
typedef struct UrdfIkRobot UrdfIkRobot;

/*
 A servo: joints that follow commands smoothly, within their limits of position, velocity, acceleration and jerk. It
 has a state: one thread at a time uses it.
 */
typedef struct UrdfIkServo UrdfIkServo;

/*
 A figure of segments: a person, a hand, a rope. Immutable: threads can share it.
 */
typedef struct UrdfIkSkeleton UrdfIkSkeleton;

/*
 The memory of one thread for solves of an arm. Solves in it allocate nothing, unless their goals change.
 */
typedef struct UrdfIkWorkspace UrdfIkWorkspace;

/*
 An arm with its surroundings, prepared for collision checks: its own links, obstacles and attached parts.
 Immutable: threads can share it.
 */
typedef struct UrdfIkWorld UrdfIkWorld;

/*
 A position [m], and an orientation as a unit quaternion x, y, z, w.
 */
typedef struct UrdfIkPose {
  /*
   x, y, z [m].
   */
  double position[3];
  /*
   Quaternion x, y, z, w, with the scalar last.
   */
  double orientation[4];
} UrdfIkPose;

/*
 A joint between two links, as a URDF describes it. urdf_ik_joint() sets all fields.
 */
typedef struct UrdfIkJoint {
  /*
   Name of the joint (UTF-8), unique in the robot.
   */
  const char *name;
  /*
   Type, one of URDF_IK_JOINT_….
   */
  int32_t kind;
  /*
   Name of the parent link.
   */
  const char *parent;
  /*
   Name of the child link.
   */
  const char *child;
  /*
   Pose of the joint's frame in the frame of the parent link. Default: identity.
   */
  struct UrdfIkPose origin;
  /*
   Axis in the frame of the joint, of any length but 0. Default: x.
   */
  double axis[3];
  /*
   Least position of a revolute or prismatic joint [rad or m]. Default: 0.
   */
  double lower;
  /*
   Greatest position of a revolute or prismatic joint [rad or m]. Default: 0.
   */
  double upper;
  /*
   Name of the joint that this one mimics. NULL: none.
   */
  const char *mimic;
  /*
   The position is `multiplier * position of the mimicked joint + offset`. Default: 1.
   */
  double multiplier;
  /*
   Position while the mimicked joint is at 0 [rad or m]. Default: 0.
   */
  double offset;
  /*
   For fields of later versions: 0.
   */
  uint64_t reserved[4];
} UrdfIkJoint;

/*
 How a path is followed. urdf_ik_path_options() sets all fields.
 */
typedef struct UrdfIkPathOptions {
  /*
   Distance from a waypoint at which its corner is rounded [m]; 0: a stop at each corner. Default: 0.
   */
  double blend_radius;
  /*
   Largest speed along the path [m/s]. Default: 0.1.
   */
  double speed;
  /*
   Largest acceleration along the path [m/s^2]. Default: 0.5.
   */
  double acceleration;
  /*
   Time step of the trajectory [s]. Default: 0.01.
   */
  double period;
  /*
   Effort of the search for other self-motions and branches where the path cannot be tracked to its end, and of
   the choice of a start: number of configurations of each pose. 0: tracking alone. Default: 100.
   */
  size_t search;
  /*
   Text of a joint_limits.yaml in MoveIt's format (UTF-8). NULL, and for joints that it leaves out: the velocity
   of the URDF, or 1; the acceleration that reaches it in 0.2 s; the jerk that reaches that in 10 ms.
   */
  const char *joint_limits;
  /*
   For fields of later versions: 0.
   */
  uint64_t reserved[8];
} UrdfIkPathOptions;

/*
 The desired pose of a tip link. urdf_ik_target() sets all fields.
 */
typedef struct UrdfIkTarget {
  /*
   Index of the tip link.
   */
  size_t tip;
  /*
   Desired pose in the frame of the base link.
   */
  struct UrdfIkPose pose;
  /*
   Free axes of the tip frame, nonzero for unconstrained ones: translations along x, y, z, then rotations about
   x, y, z. Default: none.
   */
  uint8_t free_axes[6];
  /*
   Position tolerance [m]. Default: 1e-5.
   */
  double position_tolerance;
  /*
   Orientation tolerance [rad]. Default: 1e-5.
   */
  double orientation_tolerance;
  /*
   Weight of the squared error relative to other targets, if not all can be met. Default: 1.
   */
  double weight;
  /*
   For fields of later versions: 0.
   */
  uint64_t reserved[4];
} UrdfIkTarget;

/*
 Returns nonzero to accept joint positions (n entries [rad or m]). `context` is that of the problem. Must not throw
 or use the workspace.
 */
typedef int (*UrdfIkAccepts)(void *context, const double *positions);

/*
 Returns the cost of joint positions (n entries [rad or m]); INFINITY or NAN refuses them. `context` is that of the
 problem. Must not throw or use the workspace.
 */
typedef double (*UrdfIkCost)(void *context, const double *positions);

/*
 A problem for an arm of n joints. urdf_ik_problem() sets all fields to their defaults; then set the targets and
 other fields.
 */
typedef struct UrdfIkProblem {
  /*
   Targets, at most one per tip. Tips without a target are free. At least one target or goal is needed.
   */
  const struct UrdfIkTarget *targets;
  /*
   Number of targets.
   */
  size_t target_count;
  /*
   Goals besides the targets: the text of a JSON array of objects (UTF-8), whose fields docs/goals.md lists. Links
   off the chain are at the `rest` positions of the world, or at the neutral ones. A workspace reads a text again
   only if it differs from that of its previous problem, or the world does. NULL: none.
   */
  const char *goals;
  /*
   Start of the search, n entries [rad or m]. NULL: the middle of the joint ranges.
   */
  const double *seed;
  /*
   Largest move of each joint from the seed, n entries [rad or m]. NULL: a search. Otherwise one attempt tracks
   the branch of the seed, and fields for searches are ignored.
   */
  const double *max_step;
  /*
   Lower bounds in addition to the joint limits, n entries [rad or m], -INFINITY for none. Equal bounds lock a
   joint. Positions are not wrapped: a full revolution away is another position. NULL: no bounds.
   */
  const double *lower;
  /*
   Upper bounds, n entries [rad or m], INFINITY for none. NULL if `lower` is.
   */
  const double *upper;
  /*
   Searches: the choice among several solutions, one of URDF_IK_PICK_….
   */
  int32_t pick;
  /*
   Searches: maximum number of starting points, including the seed, without refused solutions, of which there may
   be 15 times as many. Default: 100.
   */
  size_t attempts;
  /*
   Searches: seed of the random starting points. Default: 0.
   */
  uint64_t random_seed;
  /*
   Searches: time limit [s], as a guard (`attempts` is the budget); 0 or INFINITY: none. Default: 0.
   */
  double timeout;
  /*
   The answer to unmet targets, one of URDF_IK_CLOSEST_…. Default: URDF_IK_CLOSEST_POSE.
   */
  uint8_t closest;
  /*
   Null-space task: preferred joint positions, n entries [rad or m]. NULL: none.
   */
  const double *posture;
  /*
   Weight of the posture task. Default: 1.
   */
  double posture_weight;
  /*
   Weight of the null-space task for the middle of the joint ranges. Default: 0.
   */
  double limits_weight;
  /*
   Weight of the null-space task for manipulability. Default: 0.
   */
  double manipulability_weight;
  /*
   Costs of joint moves from the seed, n entries, 0 or more [1/rad^2 or 1/m^2]. They act on self-motions of a
   redundant arm, not on `pick`. NULL: no costs.
   */
  const double *move_weights;
  /*
   Called for joint positions that meet the targets; 0 refuses them, and the search continues. NULL: all are
   accepted. Batches call it from several threads at once.
   */
  UrdfIkAccepts accepts;
  /*
   Searches: cost of joint positions that meet the targets. The answer is the solution of least cost among
   all attempts, whatever `pick` and the null-space tasks say. NULL: no cost. Batches call it from several
   threads at once.
   */
  UrdfIkCost cost;
  /*
   First argument of `accepts` and `cost`.
   */
  void *context;
  /*
   urdf_ik_solve_all(): if not 0, also reports joint positions that differ from a solution by full revolutions of
   joints within their limits: at most this many (10000 or fewer), the nearest to the seed first. Default: 0.
   */
  size_t max_turns;
  /*
   The world to avoid, of this arm or of the same arm with other tools. NULL: collisions are ignored.
   */
  const struct UrdfIkWorld *avoid;
  /*
   For fields of later versions: 0.
   */
  uint64_t reserved[8];
} UrdfIkProblem;

/*
 Joint positions at equally spaced times, from rest to rest, as far as the path can be followed. Owned by the
 library; later versions may append fields.
 */
typedef struct UrdfIkTrajectory {
  /*
   Number of points T; 0 if no part of the path can be followed.
   */
  size_t count;
  /*
   Times, T entries [s], from 0.
   */
  const double *times;
  /*
   Joint positions, T rows of n entries [rad or m], within the joint limits.
   */
  const double *positions;
  /*
   Joint velocities, T rows of n entries [rad/s or m/s].
   */
  const double *velocities;
  /*
   Joint accelerations, T rows of n entries [rad/s^2 or m/s^2].
   */
  const double *accelerations;
  /*
   Fraction of the path length that is followed; exactly 1 if the last pose is reached.
   */
  double fraction;
  /*
   Where and why the trajectory ends early, as a sentence (UTF-8); NULL if it is complete.
   */
  const char *reason;
  /*
   Largest distance of the tip from the path [m], along the axes that are not free.
   */
  double position_deviation;
  /*
   Largest angle of the tip from the path [rad], about the axes that are not free.
   */
  double orientation_deviation;
  /*
   Largest violation of each goal along the trajectory [m or rad].
   */
  const double *violations;
  /*
   Number of violations; 0 without goals or without points.
   */
  size_t violation_count;
} UrdfIkTrajectory;

/*
 How a servo moves. urdf_ik_servo_options() sets all fields.
 */
typedef struct UrdfIkServoOptions {
  /*
   Steps per second [Hz].
   */
  double rate;
  /*
   Largest speed of a tip [m/s]. Default: 0.5.
   */
  double linear_speed;
  /*
   Largest angular speed of a tip [rad/s]. Default: 1.5.
   */
  double angular_speed;
  /*
   Largest angle between the command and the motion at a joint limit, singularity or contact [rad], with a radian
   of the tip as 0.3 times the size of the arm. 0: wait on the line. Default: 1.05.
   */
  double max_deviation_angle;
  /*
   Slack: largest deviation of the uncommanded position where the tip would otherwise stop or slow down [m].
   Default: 0.02.
   */
  double slack_position;
  /*
   Slack: largest deviation of the uncommanded orientation [rad]. Default: 0.1.
   */
  double slack_orientation;
  /*
   Free axes of the tip frame while no rotation is commanded, as in UrdfIkTarget; rotations alone. Default: none.
   */
  uint8_t free_axes[6];
  /*
   As in UrdfIkPathOptions.
   */
  const char *joint_limits;
  /*
   Goals that come before every command, as in UrdfIkProblem. The motion yields to them; one that is violated at
   the start may only improve. NULL: none.
   */
  const char *goals;
  /*
   The world to avoid. NULL: collisions are ignored.
   */
  const struct UrdfIkWorld *avoid;
  /*
   For fields of later versions: 0.
   */
  uint64_t reserved[8];
} UrdfIkServoOptions;

/*
 The command of one tip. urdf_ik_twist_command() and urdf_ik_pose_command() set all fields.
 */
typedef struct UrdfIkTipCommand {
  /*
   Index of the tip link.
   */
  size_t tip;
  /*
   One of URDF_IK_COMMAND_….
   */
  int32_t kind;
  /*
   Linear velocity of the tip's origin [m/s], then angular velocity [rad/s].
   */
  double twist[6];
  /*
   Pose of the tip in the frame of the base link.
   */
  struct UrdfIkPose pose;
  /*
   For fields of later versions: 0.
   */
  uint64_t reserved[2];
} UrdfIkTipCommand;

/*
 What limits the motion of a servo.
 */
typedef struct UrdfIkServoLimit {
  /*
   One of URDF_IK_LIMIT_….
   */
  int32_t kind;
  /*
   Name of the joint, the goal, the tip or the first body (UTF-8); NULL at a singularity.
   */
  const char *name;
  /*
   Name of the second body of a contact, otherwise NULL.
   */
  const char *other;
} UrdfIkServoLimit;

/*
 The report of the last step. Owned by the library; later versions may append fields.
 */
typedef struct UrdfIkServoReport {
  /*
   Share of the commanded speed of the tips over the last 50 ms; 1 without a command.
   */
  double speed_ratio;
  /*
   Largest angle between the command of a tip and its motion [rad], with a radian of the tip as 0.3 times the size
   of the arm.
   */
  double angle;
  /*
   Largest deviation of a tip from its line [m]; 0 without a line.
   */
  double position_off_line;
  /*
   Largest deviation of the orientation of a tip from its line [rad]; 0 without a line.
   */
  double orientation_off_line;
  /*
   Smallest singular value of the Jacobian of all tips; NAN without a twist or pose.
   */
  double smallest_singular_value;
  /*
   Distance of the two bodies of a contact among the limits [m]; NAN without one.
   */
  double distance;
  /*
   Nonzero if the tips move beside their commands, in the nearest feasible direction.
   */
  int is_sliding;
  /*
   Nonzero if no joint moves.
   */
  int is_at_rest;
  /*
   The limits of the motion, the most important first.
   */
  const struct UrdfIkServoLimit *limits;
  /*
   Number of limits; 0 if the tips follow.
   */
  size_t limit_count;
  /*
   With a singularity among the limits the twists that are lost, 6 entries for each tip along the axes of the base
   link, with the size of one radian over all tips; otherwise NULL.
   */
  const double *singular_direction;
} UrdfIkServoReport;

/*
 The target of a point. urdf_ik_skeleton_target() sets all fields.
 */
typedef struct UrdfIkSkeletonTarget {
  /*
   Index of the point: 0 is the root, then the ends of the segments.
   */
  size_t point;
  /*
   Target position [m].
   */
  double position[3];
  /*
   Nonzero if the segment that ends at the point has a target orientation. Default: 0.
   */
  int has_orientation;
  /*
   Target orientation as a unit quaternion x, y, z, w.
   */
  double orientation[4];
  /*
   Weight relative to other targets, from 1e-6 to 1e6, if not all can be met. Default: 1.
   */
  double weight;
  /*
   For fields of later versions: 0.
   */
  uint64_t reserved[4];
} UrdfIkSkeletonTarget;

/*
 A pose of a skeleton with m points, within all lengths and limits. Owned by the library; later versions may append
 fields.
 */
typedef struct UrdfIkSkeletonAnswer {
  /*
   Nonzero if every target is met.
   */
  int is_solved;
  /*
   Number of points, m.
   */
  size_t point_count;
  /*
   m rows of x, y, z [m].
   */
  const double *points;
  /*
   m rows of quaternions x, y, z, w: of the root, then of each segment, whose x axis points along it.
   */
  const double *orientations;
  /*
   Number of joints; 0 if a joint has more than one angle.
   */
  size_t joint_count;
  /*
   Names of the joints (UTF-8): of the segments, or NAME_pitch and NAME_yaw of a pitch-yaw arm.
   */
  const char *const *joint_names;
  /*
   Positions of the joints [rad].
   */
  const double *positions;
  /*
   Number of targets.
   */
  size_t target_count;
  /*
   Remaining distance of each target [m].
   */
  const double *distances;
  /*
   Remaining angle of each target [rad].
   */
  const double *angles;
  /*
   The outcome of each target as a sentence (UTF-8).
   */
  const char *const *reasons;
  /*
   Number of iterations in all attempts.
   */
  size_t iterations;
  /*
   Number of restarts after the attempt from the seed.
   */
  size_t restarts;
} UrdfIkSkeletonAnswer;

/*
 A problem for a skeleton. urdf_ik_skeleton_problem() sets all fields.
 */
typedef struct UrdfIkSkeletonProblem {
  /*
   Targets, at most one per point. A pitch-yaw arm has one, a position of its tip.
   */
  const struct UrdfIkSkeletonTarget *targets;
  /*
   Number of targets.
   */
  size_t target_count;
  /*
   Start of the search: an answer of this skeleton. With the previous answer a dragged figure moves smoothly. NULL:
   the pose at rest.
   */
  const struct UrdfIkSkeletonAnswer *seed;
  /*
   One of URDF_IK_ROOT_…. Default: URDF_IK_ROOT_FIXED, the only one of pitch-yaw arms.
   */
  int32_t root;
  /*
   Pose of the root for URDF_IK_ROOT_AT.
   */
  struct UrdfIkPose root_pose;
  /*
   Position tolerance [m]. Default: 1e-6.
   */
  double tolerance;
  /*
   Orientation tolerance [rad]. Default: 1e-6.
   */
  double orientation_tolerance;
  /*
   For fields of later versions: 0.
   */
  uint64_t reserved[8];
} UrdfIkSkeletonProblem;

/*
 The answer to a problem, except its joint positions.
 */
typedef struct UrdfIkAnswer {
  /*
   The outcome.
   */
  enum UrdfIkOutcome outcome;
  /*
   Largest position error of a tip [m], along the axes that are not free.
   */
  double position_error;
  /*
   Largest orientation error of a tip [rad], about the axes that are not free.
   */
  double orientation_error;
  /*
   Largest violation of a goal [m or rad]; 0 without goals.
   */
  double violation;
  /*
   Number of iterations in all attempts.
   */
  size_t iterations;
  /*
   Number of starting points tried, including the seed, without refused solutions: at most the `attempts` of the
   problem, unless a `timeout` continues the search after `accepts` has refused a solution.
   */
  size_t attempts;
  /*
   Number of solutions refused by `accepts`, `cost` or a collision.
   */
  size_t refused;
  /*
   For fields of later versions.
   */
  uint64_t reserved[4];
} UrdfIkAnswer;

/*
 Called by urdf_ik_solve_all() with each solution (n joint positions [rad or m]) and the given `context`. Returns
 nonzero to continue, 0 to stop. Must not throw or use the workspace.
 */
typedef int (*UrdfIkOnSolution)(void *context, const double *positions, const struct UrdfIkAnswer *answer);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Creates an arm of `robot` from the link `base` to the `tip_count` links `tips`. `base` may be NULL for the root
 link, and `tip_count` 0 for the only movable leaf link. `solver` is "jacobian", "closed_form" or "fabrik"; NULL
 means "jacobian". Fails with URDF_IK_STATUS_CHAIN if there is no such chain or the solver does not apply to it.

 The caller sees to it:
 `robot` is a robot; `base`, `solver` and the `tips` are null-terminated strings; `arm` is written.
 */
enum UrdfIkStatus urdf_ik_arm_new(const struct UrdfIkRobot *robot,
                                  const char *base,
                                  const char *const *tips,
                                  size_t tip_count,
                                  const char *solver,
                                  struct UrdfIkArm **arm);

/*
 Creates a copy of `arm` with a tool on each tip link: `tools` has `tool_count` poses, one per tip, in the frame of
 the tip link. Targets, forward kinematics and Jacobians then refer to the tools. Fails with URDF_IK_STATUS_CHAIN
 if the solver does not apply or a pose is invalid.

 The caller sees to it:
 `arm` is an arm; there are `tool_count` `tools`; `with_tools` is written.
 */
enum UrdfIkStatus urdf_ik_arm_with_tools(const struct UrdfIkArm *arm,
                                         const struct UrdfIkPose *tools,
                                         size_t tool_count,
                                         struct UrdfIkArm **with_tools);

/*
 Frees an arm. Its workspaces remain valid.

 The caller sees to it:
 `arm` is NULL, or an arm that is not used again.
 */
void urdf_ik_arm_free(struct UrdfIkArm *arm);

/*
 Number of joints n, without mimic joints: the length of joint positions. 0 if `arm` is NULL.

 The caller sees to it:
 `arm` is NULL or an arm.
 */
size_t urdf_ik_arm_joint_count(const struct UrdfIkArm *arm);

/*
 Number of tip links. 0 if `arm` is NULL.

 The caller sees to it:
 `arm` is NULL or an arm.
 */
size_t urdf_ik_arm_tip_count(const struct UrdfIkArm *arm);

/*
 Name of a joint (UTF-8), in the order of joint positions, valid as long as the arm; NULL if the index
 is out of range.

 The caller sees to it:
 `arm` is NULL or an arm.
 */
const char *urdf_ik_arm_joint_name(const struct UrdfIkArm *arm, size_t joint);

/*
 Name of a tip link (UTF-8), valid as long as the arm; NULL if the index is out of range.

 The caller sees to it:
 `arm` is NULL or an arm.
 */
const char *urdf_ik_arm_tip_name(const struct UrdfIkArm *arm, size_t tip);

/*
 Writes the limits of the joints [rad or m], n entries each: -INFINITY and INFINITY for continuous joints.

 The caller sees to it:
 `arm` is an arm; `lower` and `upper` are written.
 */
enum UrdfIkStatus urdf_ik_arm_bounds(const struct UrdfIkArm *arm, double *lower, double *upper);

/*
 Writes the middle of the joint ranges [rad or m], n entries, 0 for continuous joints: a default seed.

 The caller sees to it:
 `arm` is an arm; `positions` are written.
 */
enum UrdfIkStatus urdf_ik_arm_nominal(const struct UrdfIkArm *arm, double *positions);

/*
 Writes the index of the link `name`, for urdf_ik_link_pose() and urdf_ik_link_jacobian(). It need not be between the
 base link and a tip, but joints of the arm alone move it relative to the base link. Fails with URDF_IK_STATUS_CHAIN
 if the robot has no such link, or other joints move it. Allocates nothing unless it fails.

 The caller sees to it:
 `arm` is an arm; `name` is a null-terminated string; `link` is written.
 */
enum UrdfIkStatus urdf_ik_arm_link(const struct UrdfIkArm *arm, const char *name, size_t *link);

/*
 The message of the last failure in this thread (UTF-8), valid until the next failure in this thread.
 */
const char *urdf_ik_error(void);

/*
 The version of the library, such as "0.2.0".
 */
const char *urdf_ik_version(void);

/*
 A joint of a type URDF_IK_JOINT_… between two links, with default fields.

 The caller sees to it:
 The texts live as long as the joint is used.
 */
struct UrdfIkJoint urdf_ik_joint(const char *name, int32_t kind, const char *parent, const char *child);

/*
 Writes the pose of each tip link, in the frame of the base link, at joint positions (n entries) [rad or m].

 The caller sees to it:
 No other thread uses `workspace`; `positions` has n entries; `poses`, one for each tip, are written.
 */
enum UrdfIkStatus urdf_ik_forward_kinematics(struct UrdfIkWorkspace *workspace,
                                             const double *positions,
                                             struct UrdfIkPose *poses);

/*
 Writes the geometric Jacobian (6 x n, row-major) of a tip at joint positions (n entries) [rad or m]. Column i is
 the twist of the tip's origin for unit velocity of joint i, in the axes of the base link: linear [m/rad or m/m],
 then angular [rad/rad, 0 for prismatic joints].

 The caller sees to it:
 No other thread uses `workspace`; `positions` has n entries; `jacobian`, 6 n entries, is written.
 */
enum UrdfIkStatus urdf_ik_jacobian(struct UrdfIkWorkspace *workspace,
                                   const double *positions,
                                   size_t tip,
                                   double *jacobian);

/*
 Writes the pose of a link, whose index urdf_ik_arm_link() returns, in the frame of the base link, at joint positions
 (n entries) [rad or m]. Allocates nothing.

 The caller sees to it:
 No other thread uses `workspace`; `positions` has n entries; `pose` is written.
 */
enum UrdfIkStatus urdf_ik_link_pose(struct UrdfIkWorkspace *workspace,
                                    const double *positions,
                                    size_t link,
                                    struct UrdfIkPose *pose);

/*
 Writes the geometric Jacobian (6 x n, row-major) of a link, whose index urdf_ik_arm_link() returns, at joint
 positions (n entries) [rad or m], as urdf_ik_jacobian() does for a tip. Joints that do not move the link have zero
 columns. Allocates nothing.

 The caller sees to it:
 No other thread uses `workspace`; `positions` has n entries; `jacobian`, 6 n entries, is written.
 */
enum UrdfIkStatus urdf_ik_link_jacobian(struct UrdfIkWorkspace *workspace,
                                        const double *positions,
                                        size_t link,
                                        double *jacobian);

/*
 Writes the motion from one pose to another, both in one frame and with its axes, to `difference` (6 entries): the
 displacement of the origin [m], then the rotation vector of the shortest rotation [rad]. Divided by a time it is a
 mean velocity.

 The caller sees to it:
 `from` and `to` are poses; `difference`, 6 entries, is written.
 */
enum UrdfIkStatus urdf_ik_pose_difference(const struct UrdfIkPose *from,
                                          const struct UrdfIkPose *to,
                                          double *difference);

/*
 Default options of a path.
 */
struct UrdfIkPathOptions urdf_ik_path_options(void);

/*
 Plans the fastest joint trajectory within the joint limits that moves the tip on straight lines through waypoints:
 the targets of `problem`, all of the only tip, with the free axes and tolerances of the first. The path begins at
 the seed, or at the solution for its first pose that is nearest to it; if the seed is NULL, at the solution that
 completes the path best. `goals`, `avoid` and the null-space tasks apply to every point; other fields than these
 must have their defaults. `options` may be NULL for the defaults. A path that cannot be followed to its end is no
 failure: see UrdfIkTrajectory.

 The caller sees to it:
 `arm` is an arm; `problem` is a problem; `options` is NULL or points to options; `trajectory` is written.
 */
enum UrdfIkStatus urdf_ik_path(const struct UrdfIkArm *arm,
                               const struct UrdfIkProblem *problem,
                               const struct UrdfIkPathOptions *options,
                               struct UrdfIkTrajectory **trajectory);

/*
 Frees a trajectory.

 The caller sees to it:
 `trajectory` is NULL, or a trajectory that is not used again.
 */
void urdf_ik_trajectory_free(struct UrdfIkTrajectory *trajectory);

/*
 A target with default fields for the pose of a tip link in the frame of the base link.
 */
struct UrdfIkTarget urdf_ik_target(size_t tip, struct UrdfIkPose pose);

/*
 A problem with default fields: a search for the first solution from the middle of the joint ranges, without targets.
 */
struct UrdfIkProblem urdf_ik_problem(void);

/*
 Reads a robot from the URDF file at `path` (UTF-8). Fails with URDF_IK_STATUS_URDF if it is invalid.

 The caller sees to it:
 `path` is a null-terminated string; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_file(const char *path, struct UrdfIkRobot **robot);

/*
 Reads a robot from the text of a URDF. Fails with URDF_IK_STATUS_URDF if it is invalid.

 The caller sees to it:
 `urdf` is a null-terminated string; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_urdf(const char *urdf, struct UrdfIkRobot **robot);

/*
 Like urdf_ik_robot_from_file(), but the soft limits of `<safety_controller>` narrow those of
 `<limit>`, as in MoveIt.

 The caller sees to it:
 `path` is a null-terminated string; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_file_with_soft_limits(const char *path, struct UrdfIkRobot **robot);

/*
 Like urdf_ik_robot_from_urdf(), but the soft limits of `<safety_controller>` narrow those of
 `<limit>`, as in MoveIt.

 The caller sees to it:
 `urdf` is a null-terminated string; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_urdf_with_soft_limits(const char *urdf, struct UrdfIkRobot **robot);

/*
 Creates a robot from `count` joint descriptions, for programs that have a robot model already, perhaps with narrower
 limits. The joints name its links and must form one tree. Fails with URDF_IK_STATUS_URDF if they are invalid.

 The caller sees to it:
 `name` is a null-terminated string; there are `count` joints; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_joints(const char *name,
                                            const struct UrdfIkJoint *joints,
                                            size_t count,
                                            struct UrdfIkRobot **robot);

/*
 Frees a robot. Its arms remain valid.

 The caller sees to it:
 `robot` is NULL, or a robot that is not used again.
 */
void urdf_ik_robot_free(struct UrdfIkRobot *robot);

/*
 Default options of a servo with `rate` steps per second [Hz].
 */
struct UrdfIkServoOptions urdf_ik_servo_options(double rate);

/*
 A command of a velocity along the axes of the base link: linear [m/s], then angular [rad/s].

 The caller sees to it:
 `twist` has 6 entries.
 */
struct UrdfIkTipCommand urdf_ik_twist_command(size_t tip, const double *twist);

/*
 A command to follow a pose in the frame of the base link.
 */
struct UrdfIkTipCommand urdf_ik_pose_command(size_t tip, struct UrdfIkPose pose);

/*
 Creates a servo at rest at joint positions (n entries) [rad or m]. Joints outside their limits first move inside,
 with the first command.

 The caller sees to it:
 `arm` is an arm; `options` points to options; `positions` has n entries; `servo` is written.
 */
enum UrdfIkStatus urdf_ik_servo_new(const struct UrdfIkArm *arm,
                                    const struct UrdfIkServoOptions *options,
                                    const double *positions,
                                    struct UrdfIkServo **servo);

/*
 Frees a servo.

 The caller sees to it:
 `servo` is NULL, or a servo that is not used again.
 */
void urdf_ik_servo_free(struct UrdfIkServo *servo);

/*
 Advances by one period with `count` commands, at most one per tip; without commands the arm comes to rest. Writes
 the joint positions to command (n entries) [rad or m], unless `positions` is NULL. An invalid command fails with
 URDF_IK_STATUS_PROBLEM, and the step is made without commands.

 The caller sees to it:
 No other thread uses `servo`; there are `count` commands; `positions` are written unless NULL.
 */
enum UrdfIkStatus urdf_ik_servo_step(struct UrdfIkServo *servo,
                                     const struct UrdfIkTipCommand *commands,
                                     size_t count,
                                     double *positions);

/*
 Advances by one period with joint velocities (n entries) [rad/s or m/s]. Otherwise as urdf_ik_servo_step().

 The caller sees to it:
 No other thread uses `servo`; `velocities` has n entries; `positions` are written unless NULL.
 */
enum UrdfIkStatus urdf_ik_servo_step_joints(struct UrdfIkServo *servo, const double *velocities, double *positions);

/*
 Writes the positions [rad or m], velocities [rad/s or m/s] and accelerations [rad/s^2 or m/s^2] of the joints, n
 entries each. Each of the three may be NULL.

 The caller sees to it:
 No other thread uses `servo`; the arrays are written unless NULL.
 */
enum UrdfIkStatus urdf_ik_servo_state(const struct UrdfIkServo *servo,
                                      double *positions,
                                      double *velocities,
                                      double *accelerations);

/*
 The report of the last step, valid until the next call with this servo; NULL if `servo` is NULL.

 The caller sees to it:
 `servo` is NULL, or a servo that no other thread uses.
 */
const struct UrdfIkServoReport *urdf_ik_servo_report(struct UrdfIkServo *servo);

/*
 Reads a skeleton from the YAML file at `path` (UTF-8); docs/skeletons.md lists its keys. Fails with
 URDF_IK_STATUS_SKELETON if it is invalid.

 The caller sees to it:
 `path` is a null-terminated string; `skeleton` is written.
 */
enum UrdfIkStatus urdf_ik_skeleton_from_file(const char *path, struct UrdfIkSkeleton **skeleton);

/*
 Reads a skeleton from the text of a YAML file. Otherwise as urdf_ik_skeleton_from_file().

 The caller sees to it:
 `yaml` is a null-terminated string; `skeleton` is written.
 */
enum UrdfIkStatus urdf_ik_skeleton_from_yaml(const char *yaml, struct UrdfIkSkeleton **skeleton);

/*
 Frees a skeleton. Its answers remain valid.

 The caller sees to it:
 `skeleton` is NULL, or a skeleton that is not used again.
 */
void urdf_ik_skeleton_free(struct UrdfIkSkeleton *skeleton);

/*
 Number of points m: the root, and the end of each segment. 0 if `skeleton` is NULL.

 The caller sees to it:
 `skeleton` is NULL or a skeleton.
 */
size_t urdf_ik_skeleton_point_count(const struct UrdfIkSkeleton *skeleton);

/*
 Name of a point (UTF-8), valid as long as the skeleton; NULL if the index is out of range.

 The caller sees to it:
 `skeleton` is NULL or a skeleton.
 */
const char *urdf_ik_skeleton_point_name(const struct UrdfIkSkeleton *skeleton, size_t point);

/*
 Nonzero if a point is meant to have a target.

 The caller sees to it:
 `skeleton` is NULL or a skeleton.
 */
int urdf_ik_skeleton_is_end(const struct UrdfIkSkeleton *skeleton, size_t point);

/*
 Writes the points at rest, m rows of x, y, z [m].

 The caller sees to it:
 `skeleton` is a skeleton; `points`, 3 m entries, are written.
 */
enum UrdfIkStatus urdf_ik_skeleton_rest(const struct UrdfIkSkeleton *skeleton, double *points);

/*
 A target with default fields for the position of a point [m].

 The caller sees to it:
 `position` has 3 entries.
 */
struct UrdfIkSkeletonTarget urdf_ik_skeleton_target(size_t point, const double *position);

/*
 A problem with default fields, without targets.
 */
struct UrdfIkSkeletonProblem urdf_ik_skeleton_problem(void);

/*
 Finds a pose in which points are at their targets. All lengths and limits hold in every answer. Fails with
 URDF_IK_STATUS_PROBLEM if the problem is invalid; targets that cannot be met are no failure.

 The caller sees to it:
 `skeleton` is a skeleton; `problem` is a problem; `answer` is written.
 */
enum UrdfIkStatus urdf_ik_skeleton_solve(const struct UrdfIkSkeleton *skeleton,
                                         const struct UrdfIkSkeletonProblem *problem,
                                         struct UrdfIkSkeletonAnswer **answer);

/*
 Frees an answer of a skeleton.

 The caller sees to it:
 `answer` is NULL, or an answer that is not used again.
 */
void urdf_ik_skeleton_answer_free(struct UrdfIkSkeletonAnswer *answer);

/*
 Solves a problem and writes joint positions (n entries) [rad or m] within the joint limits: a solution, or the
 closest that were found. The same problem has the same answer, bit for bit, unless a timeout ends it. Fails with
 URDF_IK_STATUS_PROBLEM if the problem is invalid; nothing is written then.

 The caller sees to it:
 No other thread uses `workspace`; `problem` is a problem; `positions` are written, and `answer` unless it is NULL.
 */
enum UrdfIkStatus urdf_ik_solve(struct UrdfIkWorkspace *workspace,
                                const struct UrdfIkProblem *problem,
                                double *positions,
                                struct UrdfIkAnswer *answer);

/*
 Finds all distinct solutions that the attempts of a search lead to, 64 at most, calls `on_solution` with each, and
 writes their number to `count`. If the arm is redundant for its targets, a continuum of solutions counts as one,
 at the preferred joint positions or those nearest to the seed.

 The caller sees to it:
 No other thread uses `workspace`; `problem` is a problem; `count` is written unless it is NULL.
 */
enum UrdfIkStatus urdf_ik_solve_all(struct UrdfIkWorkspace *workspace,
                                    const struct UrdfIkProblem *problem,
                                    UrdfIkOnSolution on_solution,
                                    void *context,
                                    size_t *count);

/*
 Solves `count` independent problems on `threads` threads, 0 for all cores, with the same bits as urdf_ik_solve().
 Writes `count` rows of n joint positions [rad or m], and `count` answers unless `answers` is NULL. An invalid
 problem has the outcome URDF_IK_OUTCOME_INVALID and NaN as joint positions; the others are solved.

 The caller sees to it:
 `arm` is an arm; there are `count` problems; `positions` and `answers` are written.
 */
enum UrdfIkStatus urdf_ik_solve_batch(const struct UrdfIkArm *arm,
                                      const struct UrdfIkProblem *problems,
                                      size_t count,
                                      size_t threads,
                                      double *positions,
                                      struct UrdfIkAnswer *answers);

/*
 Creates a workspace for `arm`.

 The caller sees to it:
 `arm` is an arm; `workspace` is written.
 */
enum UrdfIkStatus urdf_ik_workspace_new(const struct UrdfIkArm *arm, struct UrdfIkWorkspace **workspace);

/*
 Frees a workspace.

 The caller sees to it:
 `workspace` is NULL, or a workspace that is not used again.
 */
void urdf_ik_workspace_free(struct UrdfIkWorkspace *workspace);

/*
 The last answer of urdf_ik_solve() in this workspace as a sentence (UTF-8) with numbers and names, valid until the
 next call with this workspace. NULL if `workspace` is NULL.

 The caller sees to it:
 `workspace` is NULL, or a workspace that no other thread uses.
 */
const char *urdf_ik_workspace_reason(struct UrdfIkWorkspace *workspace);

/*
 The violation of each goal at the last answer of urdf_ik_solve() in this workspace [m or rad], in the order of the
 goals, valid until the next call with this workspace. A goal that is met may be violated by up to 1e-5. Writes their
 number to `count`. NULL without goals, or if `workspace` is NULL.

 The caller sees to it:
 `workspace` is NULL, or a workspace that no other thread uses; `count` is written unless it is NULL.
 */
const double *urdf_ik_workspace_violations(const struct UrdfIkWorkspace *workspace, size_t *count);

/*
 Creates the world of `arm`. `description` is the text of a JSON object (UTF-8), or NULL for the arm alone. All its
 fields are optional: `obstacles` and `attached`, arrays of objects as docs/collisions.md lists them; `rest`,
 positions of joints off the arm by name [rad or m]; `margin`, the required clearance [m], 1e-4 by default;
 `missing_shapes`, "refuse" or "ignore" for shapes of links that cannot be loaded; `package_dirs`, folders of the
 packages of meshes; `srdf`, the path of an SRDF. Fails with URDF_IK_STATUS_WORLD if one of them is invalid, or no
 link has a collision shape.

 The caller sees to it:
 `arm` is an arm; `description` is NULL or a null-terminated string; `world` is written.
 */
enum UrdfIkStatus urdf_ik_world_new(const struct UrdfIkArm *arm, const char *description, struct UrdfIkWorld **world);

/*
 Creates a copy of `world` with `count` obstacles at other poses in the frame of the robot's root link, named by
 `ids`. It shares all shapes with `world`, which does not change.

 The caller sees to it:
 `world` is a world; there are `count` texts `ids` and `poses`; `moved` is written.
 */
enum UrdfIkStatus urdf_ik_world_moved(const struct UrdfIkWorld *world,
                                      const char *const *ids,
                                      const struct UrdfIkPose *poses,
                                      size_t count,
                                      struct UrdfIkWorld **moved);

/*
 Frees a world. Servos that avoid it remain valid.

 The caller sees to it:
 `world` is NULL, or a world that is not used again.
 */
void urdf_ik_world_free(struct UrdfIkWorld *world);

/*
 Writes 1 to `is_free` if all pairs of bodies that may collide are farther apart than the margin at joint positions
 (n entries) [rad or m], otherwise 0.

 The caller sees to it:
 `world` is a world; `q` has n entries; `is_free` is written.
 */
enum UrdfIkStatus urdf_ik_world_is_free(const struct UrdfIkWorld *world, const double *q, int *is_free);

/*
 Writes the distance of the closest pair of bodies [m] at joint positions (n entries) [rad or m], 0 in contact, and
 the names of both (UTF-8), valid as long as the world. Attached parts are left out. Without a pair the distance is
 INFINITY and the names are NULL.

 The caller sees to it:
 `world` is a world; `q` has n entries; `distance` is written, and `first` and `second` unless they are NULL.
 */
enum UrdfIkStatus urdf_ik_world_nearest(const struct UrdfIkWorld *world,
                                        const double *q,
                                        const char **first,
                                        const char **second,
                                        double *distance);

/*
 A sentence (UTF-8) about a shape that could not be loaded and is not checked, valid as long as the world; NULL if
 the index is out of range.

 The caller sees to it:
 `world` is NULL or a world.
 */
const char *urdf_ik_world_missing_shape(const struct UrdfIkWorld *world, size_t index);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* URDF_IK_H */
