/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Inverse kinematics for any robot with a URDF: the C interface of urdf_ik. Made by cbindgen of crates/c.

   Lengths are in metres, angles in radians, times in seconds. Joint positions are arrays of urdf_ik_arm_joint_count() numbers, n.

   Threads: robots and arms do not change, and any number of threads may use one at once. A workspace is used by one thread at a time.

   Memory: who makes a handle frees it, in any order: an arm needs no robot, and a workspace no arm, that made it. Texts belong to the library.

   Failures: a function that can fail returns a UrdfIkStatus, and urdf_ik_error() says why. A pose that cannot be met is no failure. */

#ifndef URDF_IK_H
#define URDF_IK_H

#include <stddef.h>
#include <stdint.h>

/*
 It does not move.
 */
#define URDF_IK_JOINT_FIXED 0

/*
 It turns about its axis, within limits [rad].
 */
#define URDF_IK_JOINT_REVOLUTE 1

/*
 It turns about its axis, without limits [rad].
 */
#define URDF_IK_JOINT_CONTINUOUS 2

/*
 It moves along its axis, within limits [m].
 */
#define URDF_IK_JOINT_PRISMATIC 3

/*
 It moves in all axes. It stays in its place, and no arm can have it.
 */
#define URDF_IK_JOINT_FLOATING 4

/*
 It moves in a plane. It stays in its place, and no arm can have it.
 */
#define URDF_IK_JOINT_PLANAR 5

/*
 The first solution that is found.
 */
#define URDF_IK_PICK_FIRST 0

/*
 Of all solutions that are found, the one whose largest joint move from the seed is smallest.
 */
#define URDF_IK_PICK_NEAREST 1

/*
 Of all solutions that are found, the one with the greatest manipulability.
 */
#define URDF_IK_PICK_MOST_MANIPULABLE 2

/*
 The best joint positions of the attempts, as they are: the fastest.
 */
#define URDF_IK_CLOSEST_NONE 0

/*
 The closest joint positions, and the reason.
 */
#define URDF_IK_CLOSEST_POSE 1

/*
 The positions of the targets exactly and their orientations as closely as possible (URDF_IK_OUTCOME_POSITION_ONLY), for arms of fewer than
 six joints. Where a position is not reachable: as URDF_IK_CLOSEST_POSE.
 */
#define URDF_IK_CLOSEST_POSITION 2

/*
 What became of a call. urdf_ik_error() says why it failed.
 */
typedef enum UrdfIkStatus {
  /*
   It is done.
   */
  URDF_IK_STATUS_OK = 0,
  /*
   A pointer is NULL that must not be, or a text is not UTF-8.
   */
  URDF_IK_STATUS_INVALID_ARGUMENT = 1,
  /*
   The URDF is refused, or cannot be read.
   */
  URDF_IK_STATUS_URDF = 2,
  /*
   The robot has no such chain, or the solver cannot serve it.
   */
  URDF_IK_STATUS_CHAIN = 3,
  /*
   The problem makes no sense for the arm: a pose that is none, a tolerance of 0.
   */
  URDF_IK_STATUS_PROBLEM = 4,
  /*
   A fault inside the library.
   */
  URDF_IK_STATUS_INTERNAL = 5,
} UrdfIkStatus;

/*
 Whether the targets are met, or why the joint positions are only the closest ones. The codes are those of the node's SolveStatus.
 */
typedef enum UrdfIkOutcome {
  /*
   Every target is met within its tolerance, by forward kinematics of exactly the joint positions of the answer.
   */
  URDF_IK_OUTCOME_SOLVED = 0,
  /*
   Certain: no joint positions reach the target.
   */
  URDF_IK_OUTCOME_OUT_OF_REACH = 1,
  /*
   Joint limits are in the way: without them the targets are met.
   */
  URDF_IK_OUTCOME_JOINT_LIMITS = 2,
  /*
   On its way: max_step did not allow more.
   */
  URDF_IK_OUTCOME_STEP_LIMITED = 3,
  /*
   The attempts or the time ran out before a solution was found that is accepted.
   */
  URDF_IK_OUTCOME_NOT_CONVERGED = 4,
  /*
   Batches: the problem makes no sense, and the joint positions are NaN.
   */
  URDF_IK_OUTCOME_INVALID = 5,
  /*
   Something is in the way.
   */
  URDF_IK_OUTCOME_COLLISION = 9,
  /*
   Every position is met within its tolerance, and the orientations are as close as they go there: see URDF_IK_CLOSEST_POSITION.
   */
  URDF_IK_OUTCOME_POSITION_ONLY = 10,
} UrdfIkOutcome;

/*
 The joints between a base link and one or several tip links, with a solver for them. It does not change, so threads can share it.
 */
typedef struct UrdfIkArm UrdfIkArm;

/*
 A robot: a tree of links and joints. It does not change, so threads can share it.
 */
typedef struct UrdfIkRobot UrdfIkRobot;

/*
 What one thread solves the problems of an arm in. Once it is made, solves allocate nothing.
 */
typedef struct UrdfIkWorkspace UrdfIkWorkspace;

/*
 A position [m], and an orientation as a unit quaternion x, y, z, w.
 */
typedef struct UrdfIkPose {
  /*
   x, y, z [m].
   */
  double position[3];
  /*
   x, y, z, w: the scalar is last.
   */
  double orientation[4];
} UrdfIkPose;

/*
 A joint between two links, as a URDF describes it. urdf_ik_joint() sets all fields.
 */
typedef struct UrdfIkJoint {
  /*
   Its name (UTF-8), unique in the robot.
   */
  const char *name;
  /*
   Its type, one of URDF_IK_JOINT_….
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
   Its axis in its frame, of any length but 0. Default: x.
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
   Name of the joint that it mimics. NULL: none.
   */
  const char *mimic;
  /*
   It is at `multiplier * position of that joint + offset`. Default: 1.
   */
  double multiplier;
  /*
   Its position where that joint is at 0 [rad or m]. Default: 0.
   */
  double offset;
} UrdfIkJoint;

/*
 The desired pose of a tip link. urdf_ik_target() sets all fields.
 */
typedef struct UrdfIkTarget {
  /*
   Index of the tip link.
   */
  size_t tip;
  /*
   Its pose in the frame of the base link.
   */
  struct UrdfIkPose pose;
  /*
   Which axes of the tip's frame need not match, not 0 for those: shifts along x, y, z, then turns about x, y, z. Default: none.
   */
  uint8_t free_axes[6];
  /*
   Largest position error with which it counts as met [m]. Default: 1e-5.
   */
  double position_tolerance;
  /*
   Largest orientation error with which it counts as met [rad]. Default: 1e-5.
   */
  double orientation_tolerance;
  /*
   Weight of its squared error against that of other targets, where not all can be met. Default: 1.
   */
  double weight;
} UrdfIkTarget;

/*
 Whether joint positions (n entries [rad or m]) will do: not 0 for yes. It is called with the `context` of the problem. It must not throw, nor
 use the workspace.
 */
typedef int (*UrdfIkAccepts)(void *context, const double *positions);

/*
 What joint positions (n entries [rad or m]) cost; INFINITY or NAN refuses them. It is called with the `context` of the problem. It must not
 throw, nor use the workspace.
 */
typedef double (*UrdfIkCost)(void *context, const double *positions);

/*
 A problem for an arm of n joints. urdf_ik_problem() sets all fields to their defaults: set the targets then, and what else is to differ.
 Fields that a later version adds have no effect by default.
 */
typedef struct UrdfIkProblem {
  /*
   Targets, one at most for each tip. Tips without one are free.
   */
  const struct UrdfIkTarget *targets;
  /*
   Number of targets.
   */
  size_t target_count;
  /*
   Joint positions from which the search starts, n entries [rad or m]. NULL: the middle of the joint ranges.
   */
  const double *seed;
  /*
   Largest move of each joint from the seed, n entries [rad or m]. NULL: a search. Else the seed's branch of solutions is followed, in one
   attempt, and what is said of searches does not count.
   */
  const double *max_step;
  /*
   Least positions of the joints in this problem, n entries [rad or m], -INFINITY for none: bounds beside the joint limits. Equal bounds lock
   a joint. They are of positions as they stand: a whole turn away is another position. NULL: no bounds.
   */
  const double *lower;
  /*
   Greatest positions of the joints in this problem, n entries [rad or m], INFINITY for none. NULL where `lower` is.
   */
  const double *upper;
  /*
   Searches: which of several solutions, one of URDF_IK_PICK_….
   */
  int32_t pick;
  /*
   Searches: largest number of starting points, with the seed. Default: 100.
   */
  size_t attempts;
  /*
   Searches: selects the starting points after those near the seed.
   */
  uint64_t random_seed;
  /*
   Searches: time after which it ends [s]; 0 or INFINITY: none. It is a guard: the attempts are the budget.
   */
  double timeout;
  /*
   The answer to unmet targets, one of URDF_IK_CLOSEST_…. Default: URDF_IK_CLOSEST_POSE.
   */
  uint8_t closest;
  /*
   Joint positions that a redundant arm prefers, n entries [rad or m]. NULL: none.
   */
  const double *posture;
  /*
   How much it prefers them. Default: 1.
   */
  double posture_weight;
  /*
   How much it prefers the middle of the joint ranges.
   */
  double limits_weight;
  /*
   How much it prefers manipulability.
   */
  double manipulability_weight;
  /*
   How much less a redundant arm moves each joint from the seed than others, n entries, 0 or more [1/rad^2 or 1/m^2]. It acts on
   self-motions; the pick does not know it. NULL: no weights.
   */
  const double *move_weights;
  /*
   Asked of all joint positions that meet the targets; where it refuses, the search goes on to others, with a timeout until that. NULL: none
   are refused. Batches ask from several threads at once.
   */
  UrdfIkAccepts accepts;
  /*
   Searches: what joint positions that meet the targets cost. Of all attempts, those of the least cost are the answer, whatever is picked or
   preferred. NULL: no cost. Batches ask from several threads at once.
   */
  UrdfIkCost cost;
  /*
   What `accepts` and `cost` are called with.
   */
  void *context;
  /*
   urdf_ik_solve_all(): if not 0, also calls with the joint positions that differ from a solution by full revolutions of joints within
   their limits: the nearest to the seed first, so many at most, and no more than 10000. Default: 0.
   */
  size_t max_turns;
} UrdfIkProblem;

/*
 The answer to a problem, beside its joint positions.
 */
typedef struct UrdfIkAnswer {
  /*
   Whether the targets are met.
   */
  enum UrdfIkOutcome outcome;
  /*
   The largest distance of a tip from its target [m], over the axes that count.
   */
  double position_error;
  /*
   The largest angle between a tip and its target [rad], over the axes that count.
   */
  double orientation_error;
  /*
   Iterations of all attempts.
   */
  size_t iterations;
  /*
   Starting points that were tried, with the seed.
   */
  size_t attempts;
} UrdfIkAnswer;

/*
 What urdf_ik_solve_all() calls with each solution, its joint positions (n entries [rad or m]) and the `context` that it was given. Not 0: go
 on; 0: enough. It must not throw, nor use the workspace.
 */
typedef int (*UrdfIkOnSolution)(void *context, const double *positions, const struct UrdfIkAnswer *answer);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Makes an arm of `robot` from the link `base` to the links `tips`, of which there are `tip_count`. `base` may be NULL for the root link, and
 `tip_count` 0 for the only leaf link that moves. `solver` is "jacobian", "closed_form" or "fabrik"; NULL for
 "jacobian". URDF_IK_STATUS_CHAIN where there is no such chain, or the solver cannot serve it.

 The caller sees to it:
 `robot` is a robot; `base`, `solver` and the `tips` are texts; `arm` is written.
 */
enum UrdfIkStatus urdf_ik_arm_new(const struct UrdfIkRobot *robot,
                                  const char *base,
                                  const char *const *tips,
                                  size_t tip_count,
                                  const char *solver,
                                  struct UrdfIkArm **arm);

/*
 Makes an arm like `arm` with a tool on each tip link: `tools` has `tool_count` poses, one for each tip, in the frame of the tip link. The tips are the tools
 then, in targets, forward kinematics and Jacobians. URDF_IK_STATUS_CHAIN where the solver cannot serve
 it, or a pose makes no sense.

 The caller sees to it:
 `arm` is an arm; there are `tool_count` `tools`; `with_tools` is written.
 */
enum UrdfIkStatus urdf_ik_arm_with_tools(const struct UrdfIkArm *arm,
                                         const struct UrdfIkPose *tools,
                                         size_t tool_count,
                                         struct UrdfIkArm **with_tools);

/*
 Frees an arm. Its workspaces stay.

 The caller sees to it:
 `arm` is NULL, or an arm that is not used again.
 */
void urdf_ik_arm_free(struct UrdfIkArm *arm);

/*
 Number of joints, n: the length of joint positions. Joints that mimic others do not count. 0 where `arm` is NULL.

 The caller sees to it:
 `arm` is NULL or an arm.
 */
size_t urdf_ik_arm_joint_count(const struct UrdfIkArm *arm);

/*
 Number of tip links. 0 where `arm` is NULL.

 The caller sees to it:
 `arm` is NULL or an arm.
 */
size_t urdf_ik_arm_tip_count(const struct UrdfIkArm *arm);

/*
 Name of a joint (UTF-8), in the order of joint positions; NULL where there is none of that index. It is valid as long as the arm.

 The caller sees to it:
 `arm` is NULL or an arm.
 */
const char *urdf_ik_arm_joint_name(const struct UrdfIkArm *arm,
                                   size_t joint);

/*
 Name of a tip link (UTF-8); NULL where there is none of that index. It is valid as long as the arm.

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
 Writes the middle of the joint ranges [rad or m], n entries: 0 for continuous joints. It is a seed where there is no better one.

 The caller sees to it:
 `arm` is an arm; `positions` are written.
 */
enum UrdfIkStatus urdf_ik_arm_nominal(const struct UrdfIkArm *arm,
                                      double *positions);

/*
 The sentence of the last failure in this thread, UTF-8. It is valid until the next failure in this thread.
 */
const char *urdf_ik_error(void);

/*
 The version of the library, such as "0.1.0".
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
 Writes the geometric Jacobian of a tip at joint positions (n entries) [rad or m]: 6 rows of n entries, row after row. Column i is the twist
 of the tip's origin, in the axes of the base link, for unit velocity of joint i: linear [m], then angular [rad].

 The caller sees to it:
 No other thread uses `workspace`; `positions` has n entries; `jacobian`, 6 n entries, is written.
 */
enum UrdfIkStatus urdf_ik_jacobian(struct UrdfIkWorkspace *workspace,
                                   const double *positions,
                                   size_t tip,
                                   double *jacobian);

/*
 A target with default fields for the pose of a tip link in the frame of the base link.
 */
struct UrdfIkTarget urdf_ik_target(size_t tip, struct UrdfIkPose pose);

/*
 A problem with default fields: a search for the first solution from the middle of the joint ranges, without targets.
 */
struct UrdfIkProblem urdf_ik_problem(void);

/*
 Reads a robot from the URDF file at `path` (UTF-8). URDF_IK_STATUS_URDF where it is refused.

 The caller sees to it:
 `path` is a text; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_file(const char *path, struct UrdfIkRobot **robot);

/*
 Reads a robot from the text of a URDF. URDF_IK_STATUS_URDF where it is refused.

 The caller sees to it:
 `urdf` is a text; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_urdf(const char *urdf, struct UrdfIkRobot **robot);

/*
 As urdf_ik_robot_from_file(), and the soft limits of `<safety_controller>` narrow those of `<limit>`, as in MoveIt.

 The caller sees to it:
 `path` is a text; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_file_with_soft_limits(const char *path, struct UrdfIkRobot **robot);

/*
 As urdf_ik_robot_from_urdf(), and the soft limits of `<safety_controller>` narrow those of `<limit>`, as in MoveIt.

 The caller sees to it:
 `urdf` is a text; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_urdf_with_soft_limits(const char *urdf, struct UrdfIkRobot **robot);

/*
 Makes a robot of `count` joints, without the text of a URDF: for programs that have a model of the robot already, perhaps with narrower
 limits. Its links are those that the joints name; the joints must form one tree. URDF_IK_STATUS_URDF where it is refused.

 The caller sees to it:
 `name` is a text; there are `count` joints; `robot` is written.
 */
enum UrdfIkStatus urdf_ik_robot_from_joints(const char *name,
                                            const struct UrdfIkJoint *joints,
                                            size_t count,
                                            struct UrdfIkRobot **robot);

/*
 Frees a robot. Its arms stay.

 The caller sees to it:
 `robot` is NULL, or a robot that is not used again.
 */
void urdf_ik_robot_free(struct UrdfIkRobot *robot);

/*
 Solves a problem: writes joint positions (n entries) [rad or m], always inside the joint limits. Where the targets are not met, they are
 the closest that were found. The same problem has the same answer, to the bit, unless a timeout ends it.
 URDF_IK_STATUS_PROBLEM where the problem makes no sense; nothing is written then.

 The caller sees to it:
 No other thread uses `workspace`; `problem` is a problem; `positions` are written, and `answer` unless it is NULL.
 */
enum UrdfIkStatus urdf_ik_solve(struct UrdfIkWorkspace *workspace,
                                const struct UrdfIkProblem *problem,
                                double *positions,
                                struct UrdfIkAnswer *answer);

/*
 Finds all distinct solutions that the attempts of a search lead to, 64 at most, and calls `on_solution` with each. Writes their number to
 `count`. Where the arm is redundant for its targets, a continuum of solutions counts as one, at the joint positions that the problem
 prefers, or nearest to the seed.

 The caller sees to it:
 No other thread uses `workspace`; `problem` is a problem; `count` is written unless it is NULL.
 */
enum UrdfIkStatus urdf_ik_solve_all(struct UrdfIkWorkspace *workspace,
                                    const struct UrdfIkProblem *problem,
                                    UrdfIkOnSolution on_solution,
                                    void *context,
                                    size_t *count);

/*
 Solves `count` problems, each on its own, on so many threads; 0 for all cores. Each answer has the same bits as by urdf_ik_solve(). Writes
 `count` rows of n joint positions [rad or m], and `count` answers unless `answers` is NULL. A problem that makes no sense has the outcome
 URDF_IK_OUTCOME_INVALID and NaN as joint positions; the others are solved.

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
 Makes a workspace for `arm`.

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
 The last answer of urdf_ik_solve() in this workspace as a sentence for people (UTF-8), with numbers and names. It is valid until the next
 call with this workspace. NULL where `workspace` is NULL.

 The caller sees to it:
 `workspace` is NULL, or a workspace that no other thread uses.
 */
const char *urdf_ik_workspace_reason(struct UrdfIkWorkspace *workspace);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* URDF_IK_H */
