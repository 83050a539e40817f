/* Uses every function of the interface, rightly and wrongly: all_of_it ONE_TIP.urdf TWO_TIPS.urdf. */

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

#define MOST_JOINTS 16

static UrdfIkProblem problem_of(const UrdfIkTarget *targets, size_t count, const double *seed) {
  UrdfIkProblem problem = urdf_ik_problem();
  problem.targets = targets;
  problem.target_count = count;
  problem.seed = seed;
  return problem;
}

static double distance(const UrdfIkPose *a, const UrdfIkPose *b) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += (a->position[i] - b->position[i]) * (a->position[i] - b->position[i]);
  }
  return sqrt(sum);
}

static void describes_the_arm(const UrdfIkArm *arm) {
  double lower[MOST_JOINTS], upper[MOST_JOINTS], nominal[MOST_JOINTS];
  EXPECT(urdf_ik_arm_joint_count(arm) == 7);
  EXPECT(urdf_ik_arm_tip_count(arm) == 1);
  EXPECT(strlen(urdf_ik_arm_joint_name(arm, 6)) > 0);
  EXPECT(urdf_ik_arm_joint_name(arm, 7) == NULL);
  EXPECT(strcmp(urdf_ik_arm_tip_name(arm, 0), "tool0") == 0);
  EXPECT(urdf_ik_arm_tip_name(arm, 1) == NULL);
  OK(urdf_ik_arm_bounds(arm, lower, upper));
  OK(urdf_ik_arm_nominal(arm, nominal));
  for (int i = 0; i < 7; i++) {
    EXPECT(lower[i] <= nominal[i] && nominal[i] <= upper[i]);
  }
  EXPECT(strchr(urdf_ik_version(), '.') != NULL);
}

/* The Jacobian is the derivative of forward kinematics. */
static void computes_kinematics(UrdfIkWorkspace *workspace) {
  double q[7] = {0.3, -0.4, 0.5, 0.6, -0.7, 0.8, -0.9}, jacobian[6 * 7];
  UrdfIkPose before, after;
  OK(urdf_ik_jacobian(workspace, q, 0, jacobian));
  for (int joint = 0; joint < 7; joint++) {
    const double step = 1e-6;
    q[joint] -= step;
    OK(urdf_ik_forward_kinematics(workspace, q, &before));
    q[joint] += 2 * step;
    OK(urdf_ik_forward_kinematics(workspace, q, &after));
    q[joint] -= step;
    for (int row = 0; row < 3; row++) {
      double slope = (after.position[row] - before.position[row]) / (2 * step);
      EXPECT(fabs(slope - jacobian[row * 7 + joint]) < 1e-7);
    }
  }
  FAILS(urdf_ik_jacobian(workspace, q, 1, jacobian), URDF_IK_STATUS_INVALID_ARGUMENT, "no tip with index 1");
}

static void solves(UrdfIkWorkspace *workspace) {
  double q[7] = {0.3, -0.4, 0.5, 0.6, -0.7, 0.8, -0.9}, found[7], again[7], step[7];
  UrdfIkPose pose, reached;
  UrdfIkAnswer answer;
  OK(urdf_ik_forward_kinematics(workspace, q, &pose));
  UrdfIkTarget target = urdf_ik_target(0, pose);
  UrdfIkProblem problem = problem_of(&target, 1, NULL);
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED && answer.position_error <= 1e-5 && answer.attempts >= 1);
  EXPECT(strncmp(urdf_ik_workspace_reason(workspace), "solved", 6) == 0);
  OK(urdf_ik_forward_kinematics(workspace, found, &reached));
  EXPECT(distance(&pose, &reached) < 1e-5);
  OK(urdf_ik_solve(workspace, &problem, again, NULL));
  EXPECT(memcmp(found, again, sizeof found) == 0);

  /* From the solution nothing moves; on the way to it each joint moves by its largest step at most. */
  problem.seed = found;
  OK(urdf_ik_solve(workspace, &problem, again, &answer));
  EXPECT(memcmp(found, again, sizeof found) == 0);
  for (int i = 0; i < 7; i++) {
    step[i] = 0.01;
  }
  problem.seed = q;
  problem.max_step = step;
  target.pose.position[2] += 0.1;
  OK(urdf_ik_solve(workspace, &problem, again, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_STEP_LIMITED);
  for (int i = 0; i < 7; i++) {
    EXPECT(fabs(again[i] - q[i]) <= 0.01 + 1e-12);
  }

  /* A position alone, a posture, and the other fields. */
  problem = problem_of(&target, 1, q);
  memset(target.free_axes + 3, 1, 3);
  problem.posture = q;
  problem.pick = URDF_IK_PICK_NEAREST;
  problem.attempts = 20;
  problem.random_seed = 7;
  const double timeouts[] = {10, INFINITY, 1e300};
  for (int i = 0; i < 3; i++) {
    problem.timeout = timeouts[i];
    OK(urdf_ik_solve(workspace, &problem, again, &answer));
    EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED);
  }

  target = urdf_ik_target(0, pose);
  target.pose.position[0] = 9;
  problem = problem_of(&target, 1, NULL);
  OK(urdf_ik_solve(workspace, &problem, again, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_OUT_OF_REACH);
  EXPECT(strstr(urdf_ik_workspace_reason(workspace), "out of reach") != NULL);
}

struct Solutions {
  int most;
  int count;
  double first[MOST_JOINTS];
};

static int on_solution(void *context, const double *positions, const UrdfIkAnswer *answer) {
  struct Solutions *solutions = context;
  EXPECT(answer->outcome == URDF_IK_OUTCOME_SOLVED);
  memcpy(solutions->first, positions, 7 * sizeof(double));
  solutions->count++;
  return solutions->count < solutions->most;
}

static void finds_all_solutions(UrdfIkWorkspace *workspace) {
  double q[7] = {0.3, -0.4, 0.5, 0.6, -0.7, 0.8, -0.9};
  UrdfIkPose pose;
  size_t count = 0;
  OK(urdf_ik_forward_kinematics(workspace, q, &pose));
  UrdfIkTarget target = urdf_ik_target(0, pose);
  UrdfIkProblem problem = problem_of(&target, 1, q);
  struct Solutions all = {1000, 0, {0}}, one = {1, 0, {0}};
  OK(urdf_ik_solve_all(workspace, &problem, on_solution, &all, &count));
  EXPECT(all.count >= 2 && (size_t)all.count == count);
  OK(urdf_ik_solve_all(workspace, &problem, on_solution, &one, NULL));
  EXPECT(one.count == 1);
  struct Solutions turns = {1000, 0, {0}}, two = {2, 0, {0}};
  problem.max_turns = 1000;
  OK(urdf_ik_solve_all(workspace, &problem, on_solution, &turns, &count));
  EXPECT(turns.count >= all.count && (size_t)turns.count == count);
  OK(urdf_ik_solve_all(workspace, &problem, on_solution, &two, &count));
  EXPECT(two.count == 2 && count == 2);
  FAILS(urdf_ik_solve_all(workspace, &problem, NULL, NULL, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "on_solution is NULL");
}

static UrdfIkPose reachable(UrdfIkWorkspace *workspace) {
  double q[7] = {0.3, -0.4, 0.5, 0.6, -0.7, 0.8, -0.9};
  UrdfIkPose pose;
  OK(urdf_ik_forward_kinematics(workspace, q, &pose));
  return pose;
}

/* Goals with and without a pose, of one problem and of a batch. */
static void meets_goals(const UrdfIkArm *arm, UrdfIkWorkspace *workspace) {
  const char *level = "[{\"type\": \"cone\", \"name\": \"level cup\", \"axis\": [0, 0, 1], \"direction\": [0, 0, 1], \"angle\": 0}]";
  const char *both = "[{\"type\": \"cone\", \"axis\": [0, 0, 1], \"direction\": [0, 0, 1], \"angle\": 0.1},"
                     " {\"type\": \"distance\", \"name\": \"far away\", \"lower\": 5}]";
  double found[7], again[7], rows[4 * 7];
  UrdfIkPose pose = reachable(workspace), reached;
  UrdfIkTarget target = urdf_ik_target(0, pose);
  UrdfIkAnswer answer, answers[4];
  size_t count = 9;
  UrdfIkProblem problem = urdf_ik_problem();
  EXPECT(problem.goals == NULL);
  problem.goals = level;
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED && answer.violation <= 1e-5);
  const double *violations = urdf_ik_workspace_violations(workspace, &count);
  EXPECT(count == 1 && violations[0] == answer.violation);
  OK(urdf_ik_forward_kinematics(workspace, found, &reached));
  EXPECT(hypot(reached.orientation[0], reached.orientation[1]) < 1e-5);
  OK(urdf_ik_solve(workspace, &problem, again, NULL));
  EXPECT(memcmp(found, again, sizeof found) == 0);

  memset(target.free_axes + 3, 1, 3);
  problem.targets = &target;
  problem.target_count = 1;
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  OK(urdf_ik_forward_kinematics(workspace, found, &reached));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED && distance(&pose, &reached) < 1e-5);
  EXPECT(hypot(reached.orientation[0], reached.orientation[1]) < 1e-5);

  UrdfIkProblem unmet = urdf_ik_problem();
  unmet.goals = both;
  OK(urdf_ik_solve(workspace, &unmet, again, &answer));
  violations = urdf_ik_workspace_violations(workspace, &count);
  EXPECT(answer.outcome != URDF_IK_OUTCOME_SOLVED && answer.violation > 3 && count == 2 && violations[1] == answer.violation);
  EXPECT(strstr(urdf_ik_workspace_reason(workspace), "'far away' is violated") != NULL);

  UrdfIkProblem problems[4] = {problem, unmet, unmet, problem};
  problems[2].goals = "[{}]";
  target.pose.orientation[3] = 9;
  UrdfIkTarget good = urdf_ik_target(0, pose);
  memset(good.free_axes + 3, 1, 3);
  problems[0].targets = &good;
  OK(urdf_ik_solve_batch(arm, problems, 4, 2, rows, answers));
  EXPECT(memcmp(found, rows, sizeof found) == 0 && memcmp(again, rows + 7, sizeof again) == 0);
  EXPECT(answers[0].outcome == URDF_IK_OUTCOME_SOLVED && answers[0].violation <= 1e-5 && answers[1].violation == answer.violation);
  for (int i = 2; i < 4; i++) {
    EXPECT(answers[i].outcome == URDF_IK_OUTCOME_INVALID && isnan(answers[i].violation) && isnan(rows[7 * i]));
  }

  const char *invalid[][2] = {{"level", "goals is not the text of a JSON array"},
                              {"{}", "goals is not the text of a JSON array"},
                              {"[{}]", "goal 1: the field 'type' is missing"},
                              {"[{\"type\": \"distance\"}, {\"type\": \"dance\"}]", "goal 2 ('dance'): there is no goal of type 'dance'"},
                              {"[{\"type\": \"distance\", \"link\": \"nobody\"}]", "there is no link 'nobody'"},
                              {"[]", "no target"}};
  for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
    unmet.goals = invalid[i][0];
    FAILS(urdf_ik_solve(workspace, &unmet, again, NULL), URDF_IK_STATUS_PROBLEM, invalid[i][1]);
  }
  unmet.goals = "\xff";
  FAILS(urdf_ik_solve(workspace, &unmet, again, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "not UTF-8");
  problem.goals = NULL;
  problem.targets = &good;
  OK(urdf_ik_solve(workspace, &problem, again, &answer));
  EXPECT(answer.violation == 0 && urdf_ik_workspace_violations(workspace, &count) == NULL && count == 0);
  EXPECT(urdf_ik_workspace_violations(NULL, NULL) == NULL);
}

/* A heavy joint moves less by self-motions. */
static void weighs_moves(UrdfIkWorkspace *workspace) {
  double q[7] = {0.2, -0.3, 0.3, 0.5, -0.6, 0.7, -0.8}, weights[7], found[7], moves[2];
  UrdfIkAnswer answer;
  UrdfIkTarget target = urdf_ik_target(0, reachable(workspace));
  UrdfIkProblem problem = problem_of(&target, 1, q);
  problem.move_weights = weights;
  for (int heavy = 0; heavy < 2; heavy++) {
    for (int i = 0; i < 7; i++) {
      weights[i] = heavy && i == 2 ? 1e3 : 1;
    }
    OK(urdf_ik_solve(workspace, &problem, found, &answer));
    EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED);
    moves[heavy] = fabs(found[2] - q[2]);
  }
  EXPECT(moves[1] < 0.5 * moves[0]);
  weights[2] = -1;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "upper_arm_roll_joint");
}

/* The tool of an arm is brought to the pose; its arm outlives the one that it was made of. */
static void has_tools(const UrdfIkArm *arm, UrdfIkWorkspace *workspace) {
  double q[7] = {0.3, -0.4, 0.5, 0.6, -0.7, 0.8, -0.9}, found[7];
  UrdfIkPose ahead = {{0, 0, 0.25}, {0, 0, 0, 1}}, none = {{0, 0, 0}, {0, 0, 0, 0}}, link, pose, reached;
  UrdfIkArm *tooled = NULL;
  UrdfIkWorkspace *its = NULL;
  UrdfIkAnswer answer;
  OK(urdf_ik_arm_with_tools(arm, &ahead, 1, &tooled));
  OK(urdf_ik_workspace_new(tooled, &its));
  OK(urdf_ik_forward_kinematics(workspace, q, &link));
  OK(urdf_ik_forward_kinematics(its, q, &pose));
  EXPECT(fabs(distance(&link, &pose) - 0.25) < 1e-12);
  UrdfIkTarget target = urdf_ik_target(0, pose);
  UrdfIkProblem problem = problem_of(&target, 1, NULL);
  OK(urdf_ik_solve(its, &problem, found, &answer));
  OK(urdf_ik_forward_kinematics(its, found, &reached));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED && distance(&pose, &reached) < 1e-5);
  urdf_ik_workspace_free(its);
  urdf_ik_arm_free(tooled);
  FAILS(urdf_ik_arm_with_tools(arm, &ahead, 0, &tooled), URDF_IK_STATUS_CHAIN, "0 tools");
  FAILS(urdf_ik_arm_with_tools(arm, &none, 1, &tooled), URDF_IK_STATUS_CHAIN, "quaternion");
  ahead.position[0] = NAN;
  FAILS(urdf_ik_arm_with_tools(arm, &ahead, 1, &tooled), URDF_IK_STATUS_CHAIN, "tool0");
  FAILS(urdf_ik_arm_with_tools(NULL, &ahead, 1, &tooled), URDF_IK_STATUS_INVALID_ARGUMENT, "arm");
}

static void keeps_bounds(UrdfIkWorkspace *workspace) {
  double q[7] = {0.2, -0.3, 0.5, 0.5, -0.6, 0.7, -0.8}, lower[7], upper[7], found[7];
  UrdfIkAnswer answer;
  UrdfIkTarget target = urdf_ik_target(0, reachable(workspace));
  UrdfIkProblem problem = problem_of(&target, 1, q);
  for (int i = 0; i < 7; i++) {
    lower[i] = q[i] - (i == 2 ? 0 : 0.2);
    upper[i] = q[i] + (i == 2 ? 0 : 0.2);
  }
  problem.lower = lower;
  problem.upper = upper;
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED && found[2] == q[2]);
  for (int i = 0; i < 7; i++) {
    EXPECT(lower[i] <= found[i] && found[i] <= upper[i]);
  }
  upper[0] = lower[0];
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_JOINT_LIMITS && found[0] == lower[0]);
  upper[0] = lower[0] - 1;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "shoulder_pan_joint");
  problem.upper = NULL;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "bounds need both");
}

/* What is asked, and how often; batches ask from several threads. */
struct Asked {
  atomic_int accepts, cost;
  int refusals;
};

static int accepts(void *context, const double *positions) {
  struct Asked *asked = context;
  EXPECT(positions != NULL);
  return atomic_fetch_add(&asked->accepts, 1) >= asked->refusals;
}

static double cost(void *context, const double *positions) {
  struct Asked *asked = context;
  atomic_fetch_add(&asked->cost, 1);
  return fabs(positions[0] - 0.7);
}

static void asks_about_positions(const UrdfIkArm *arm, UrdfIkWorkspace *workspace) {
  double first[7], found[7], rows[2 * 7];
  UrdfIkAnswer answer, answers[2];
  UrdfIkTarget target = urdf_ik_target(0, reachable(workspace));
  UrdfIkProblem problem = problem_of(&target, 1, NULL);
  struct Asked asked = {0, 0, 3};
  OK(urdf_ik_solve(workspace, &problem, first, &answer));
  problem.context = &asked;
  problem.accepts = accepts;
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED && asked.accepts == 4 && memcmp(first, found, sizeof first) != 0);
  EXPECT(answer.refused == 3 && answer.attempts >= 1 && answer.attempts <= problem.attempts);
  asked.refusals = 1 << 30;
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_NOT_CONVERGED && strstr(urdf_ik_workspace_reason(workspace), "refused") != NULL);
  EXPECT(answer.refused > problem.attempts && answer.attempts <= problem.attempts);
  problem.accepts = NULL;
  problem.cost = cost;
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED && asked.cost > 10 && fabs(found[0] - 0.7) < fabs(first[0] - 0.7));
  UrdfIkProblem both[2] = {problem, problem};
  OK(urdf_ik_solve_batch(arm, both, 2, 2, rows, answers));
  EXPECT(memcmp(found, rows, sizeof found) == 0 && memcmp(found, rows + 7, sizeof found) == 0);
}

/* With its last joints locked the arm has five left. */
static void reaches_the_position_alone(UrdfIkWorkspace *workspace) {
  double positions[7];
  UrdfIkAnswer answer;
  UrdfIkTarget target = urdf_ik_target(0, reachable(workspace));
  UrdfIkProblem problem = problem_of(&target, 1, NULL);
  double lower[7], upper[7];
  OK(urdf_ik_solve(workspace, &problem, positions, &answer));
  for (int i = 0; i < 7; i++) {
    const double elsewhere = positions[i] > 0 ? positions[i] - 0.3 : positions[i] + 0.3;
    lower[i] = i < 5 ? -INFINITY : elsewhere;
    upper[i] = i < 5 ? INFINITY : elsewhere;
  }
  problem.lower = lower;
  problem.upper = upper;
  problem.closest = URDF_IK_CLOSEST_POSITION;
  OK(urdf_ik_solve(workspace, &problem, positions, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_POSITION_ONLY && answer.position_error <= 1e-5 && answer.orientation_error > 1e-5);
  EXPECT(strstr(urdf_ik_workspace_reason(workspace), "position only") != NULL);
  problem.closest = 3;
  EXPECT(urdf_ik_solve(workspace, &problem, positions, &answer) == URDF_IK_STATUS_PROBLEM);
}

static void makes_robots_of_joints(void) {
  UrdfIkRobot *robot = NULL;
  UrdfIkArm *arm = NULL;
  UrdfIkWorkspace *workspace = NULL;
  UrdfIkJoint joints[3] = {urdf_ik_joint("one", URDF_IK_JOINT_CONTINUOUS, "base", "a"),
                           urdf_ik_joint("two", URDF_IK_JOINT_REVOLUTE, "a", "b"), urdf_ik_joint("end", URDF_IK_JOINT_FIXED, "b", "tip")};
  joints[0].axis[0] = joints[1].axis[0] = 0;
  joints[0].axis[2] = joints[1].axis[2] = 1;
  joints[1].origin.position[0] = joints[2].origin.position[0] = 1;
  joints[1].lower = -1;
  joints[1].upper = 1;
  joints[1].mimic = "one";
  joints[1].multiplier = 2;
  joints[1].offset = 0.5;
  OK(urdf_ik_robot_from_joints("planar", joints, 3, &robot));
  OK(urdf_ik_arm_new(robot, NULL, NULL, 0, NULL, &arm));
  OK(urdf_ik_workspace_new(arm, &workspace));
  double q = 0.1, lower, upper;
  UrdfIkPose pose;
  EXPECT(urdf_ik_arm_joint_count(arm) == 1 && strcmp(urdf_ik_arm_joint_name(arm, 0), "one") == 0);
  OK(urdf_ik_arm_bounds(arm, &lower, &upper));
  EXPECT(lower == -INFINITY && upper == INFINITY);  // limits of a mimic joint do not count
  OK(urdf_ik_forward_kinematics(workspace, &q, &pose));
  EXPECT(fabs(pose.position[0] - cos(0.1) - cos(0.8)) < 1e-12);
  urdf_ik_workspace_free(workspace);
  urdf_ik_arm_free(arm);
  urdf_ik_robot_free(robot);

  joints[1].upper = NAN;
  FAILS(urdf_ik_robot_from_joints("r", joints, 3, &robot), URDF_IK_STATUS_URDF, "'two'");
  joints[1].kind = 6;
  FAILS(urdf_ik_robot_from_joints("r", joints, 3, &robot), URDF_IK_STATUS_INVALID_ARGUMENT, "from 0 to 5");
  joints[0].origin.orientation[3] = 0;
  FAILS(urdf_ik_robot_from_joints("r", joints, 3, &robot), URDF_IK_STATUS_INVALID_ARGUMENT, "origin");
  joints[0].name = NULL;
  FAILS(urdf_ik_robot_from_joints("r", joints, 3, &robot), URDF_IK_STATUS_INVALID_ARGUMENT, "name of a joint is NULL");
  FAILS(urdf_ik_robot_from_joints("r", NULL, 0, &robot), URDF_IK_STATUS_URDF, "");
}

static void solves_batches(const UrdfIkArm *arm, UrdfIkWorkspace *workspace) {
  enum { COUNT = 40 };
  UrdfIkTarget targets[COUNT];
  UrdfIkProblem problems[COUNT];
  UrdfIkAnswer answers[COUNT];
  double positions[COUNT * 7], one[7];
  UrdfIkPose pose;
  for (int i = 0; i < COUNT; i++) {
    double q[7] = {0.3, -0.4 + 0.01 * i, 0.5, 0.6, -0.7, 0.8, -0.02 * i};
    OK(urdf_ik_forward_kinematics(workspace, q, &pose));
    targets[i] = urdf_ik_target(0, pose);
    problems[i] = problem_of(targets + i, 1, NULL);
  }
  /* Three that make no sense: a quaternion, a list of targets and a pick that are none. */
  targets[3].pose.orientation[3] = 9;
  problems[5].targets = NULL;
  problems[7].pick = 3;
  OK(urdf_ik_solve_batch(arm, problems, COUNT, 2, positions, answers));
  for (int i = 0; i < COUNT; i++) {
    if (i == 3 || i == 5 || i == 7) {
      EXPECT(answers[i].outcome == URDF_IK_OUTCOME_INVALID && isnan(positions[7 * i]));
      EXPECT(urdf_ik_solve(workspace, problems + i, one, NULL) != URDF_IK_STATUS_OK);
    } else {
      OK(urdf_ik_solve(workspace, problems + i, one, NULL));
      EXPECT(answers[i].outcome == URDF_IK_OUTCOME_SOLVED && memcmp(one, positions + 7 * i, sizeof one) == 0);
    }
  }
  OK(urdf_ik_solve_batch(arm, NULL, 0, 0, NULL, NULL));
  FAILS(urdf_ik_solve_batch(arm, problems, COUNT, 100000, positions, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "threads");
}

static void two_tips_are_solved(const char *urdf) {
  const char *tips[] = {"left_hand", "right_hand"};
  UrdfIkArm *arm = arm_of(urdf, tips, 2, "jacobian");
  UrdfIkWorkspace *workspace = NULL;
  OK(urdf_ik_workspace_new(arm, &workspace));
  size_t n = urdf_ik_arm_joint_count(arm);
  double q[MOST_JOINTS], found[MOST_JOINTS];
  UrdfIkPose poses[2], reached[2];
  EXPECT(n <= MOST_JOINTS && urdf_ik_arm_tip_count(arm) == 2);
  OK(urdf_ik_arm_nominal(arm, q));
  for (size_t i = 0; i < n; i++) {
    q[i] += 0.1;
  }
  OK(urdf_ik_forward_kinematics(workspace, q, poses));
  UrdfIkTarget targets[2] = {urdf_ik_target(0, poses[0]), urdf_ik_target(1, poses[1])};
  UrdfIkProblem problem = problem_of(targets, 2, NULL);
  UrdfIkAnswer answer;
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED);
  OK(urdf_ik_forward_kinematics(workspace, found, reached));
  EXPECT(distance(poses, reached) < 1e-5 && distance(poses + 1, reached + 1) < 1e-5);
  /* A workspace outlives its arm. */
  urdf_ik_arm_free(arm);
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  urdf_ik_workspace_free(workspace);
}

/* A master's own limits, and its soft limits where they are asked for; those of its follower do not count. */
static void keeps_soft_limits(const char *file) {
  const char *urdf =
      "<robot name='r'><link name='a'/><link name='b'/><link name='c'/>"
      "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit lower='-1' upper='2' velocity='-1'/>"
      "<safety_controller soft_upper_limit='1'/></joint>"
      "<joint name='k' type='revolute'><parent link='b'/><child link='c'/><limit lower='2' upper='3'/><mimic joint='j'/></joint></robot>";
  for (int soft = 0; soft < 2; soft++) {
    UrdfIkRobot *robot = NULL;
    UrdfIkArm *arm = NULL;
    double lower, upper;
    OK((soft ? urdf_ik_robot_from_urdf_with_soft_limits : urdf_ik_robot_from_urdf)(urdf, &robot));
    OK(urdf_ik_arm_new(robot, NULL, NULL, 0, NULL, &arm));
    OK(urdf_ik_arm_bounds(arm, &lower, &upper));
    EXPECT(lower == -1 && upper == (soft ? 1 : 2));
    urdf_ik_arm_free(arm);
    urdf_ik_robot_free(robot);
  }
  UrdfIkRobot *robot = NULL;
  OK(urdf_ik_robot_from_file_with_soft_limits(file, &robot));
  urdf_ik_robot_free(robot);
  FAILS(urdf_ik_robot_from_file_with_soft_limits("nowhere.urdf", &robot), URDF_IK_STATUS_URDF, "no such file");
}

/* Structs have constant sizes, and what a program of a later version sets is refused instead of ignored. */
static void keeps_fields_of_later_versions(UrdfIkWorkspace *workspace, UrdfIkPose pose) {
  double found[7];
  UrdfIkRobot *robot = NULL;
  UrdfIkTarget target = urdf_ik_target(0, pose);
  UrdfIkProblem problem = problem_of(&target, 1, NULL);
  UrdfIkJoint joint = urdf_ik_joint("j", URDF_IK_JOINT_FIXED, "a", "b");
  EXPECT(sizeof(void *) != 8 || (sizeof problem == 240 && sizeof target == 128 && sizeof joint == 184 && sizeof(UrdfIkAnswer) == 88));
  problem.reserved[7] = 1;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "urdf_ik_problem()");
  problem.reserved[7] = 0;
  target.reserved[0] = 1;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "urdf_ik_target()");
  joint.reserved[0] = 1;
  FAILS(urdf_ik_robot_from_joints("r", &joint, 1, &robot), URDF_IK_STATUS_INVALID_ARGUMENT, "urdf_ik_joint()");
}

static void says_what_is_wrong(const UrdfIkArm *arm, UrdfIkWorkspace *workspace, const char *urdf) {
  UrdfIkRobot *robot = NULL;
  UrdfIkArm *other = NULL;
  double q[7] = {0}, found[7];
  const char *nobody[] = {"nobody"}, *twice[] = {"tool0", "tool0"}, bad_text[] = "\xff";
  FAILS(urdf_ik_robot_from_file("nowhere.urdf", &robot), URDF_IK_STATUS_URDF, "no such file");
  FAILS(urdf_ik_robot_from_file(NULL, &robot), URDF_IK_STATUS_INVALID_ARGUMENT, "path is NULL");
  FAILS(urdf_ik_robot_from_file(urdf, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "robot is NULL");
  FAILS(urdf_ik_robot_from_urdf("<robot", &robot), URDF_IK_STATUS_URDF, "");
  FAILS(urdf_ik_robot_from_urdf(bad_text, &robot), URDF_IK_STATUS_INVALID_ARGUMENT, "not UTF-8");
  OK(urdf_ik_robot_from_file(urdf, &robot));
  FAILS(urdf_ik_arm_new(robot, NULL, nobody, 1, NULL, &other), URDF_IK_STATUS_CHAIN, "nobody");
  FAILS(urdf_ik_arm_new(robot, NULL, twice, 2, NULL, &other), URDF_IK_STATUS_CHAIN, "tool0");
  FAILS(urdf_ik_arm_new(robot, "nobody", NULL, 0, NULL, &other), URDF_IK_STATUS_CHAIN, "nobody");
  FAILS(urdf_ik_arm_new(robot, NULL, NULL, 0, "magic", &other), URDF_IK_STATUS_CHAIN, "magic");
  FAILS(urdf_ik_arm_new(robot, NULL, NULL, 1, NULL, &other), URDF_IK_STATUS_INVALID_ARGUMENT, "tips is NULL");
  FAILS(urdf_ik_arm_new(NULL, NULL, NULL, 0, NULL, &other), URDF_IK_STATUS_INVALID_ARGUMENT, "robot is NULL");
  EXPECT(other == NULL);
  urdf_ik_robot_free(robot);

  UrdfIkPose pose = {{0.3, 0.2, 0.7}, {0, 0, 0, 1}};
  UrdfIkTarget target = urdf_ik_target(0, pose);
  UrdfIkProblem problem = problem_of(&target, 1, q);
  FAILS(urdf_ik_solve(NULL, &problem, found, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "workspace is NULL");
  FAILS(urdf_ik_solve(workspace, NULL, found, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "problem is NULL");
  FAILS(urdf_ik_solve(workspace, &problem, NULL, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "positions is NULL");
  problem.target_count = 0;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "no target");
  problem.target_count = 1;
  target.tip = 1;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "tip 1");
  target = urdf_ik_target(0, pose);
  target.pose.orientation[0] = NAN;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "quaternion");
  target = urdf_ik_target(0, pose);
  target.position_tolerance = 0;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "tolerance");
  target = urdf_ik_target(0, pose);
  problem.timeout = -1;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "timeout");
  problem.timeout = NAN;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "timeout");
  problem = problem_of(&target, 1, q);
  q[2] = INFINITY;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "seed");
  FAILS(urdf_ik_arm_bounds(arm, found, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "upper is NULL");
  keeps_fields_of_later_versions(workspace, pose);

  EXPECT(urdf_ik_arm_joint_count(NULL) == 0 && urdf_ik_arm_tip_count(NULL) == 0);
  EXPECT(urdf_ik_arm_joint_name(NULL, 0) == NULL && urdf_ik_workspace_reason(NULL) == NULL);
  urdf_ik_robot_free(NULL);
  urdf_ik_arm_free(NULL);
  urdf_ik_workspace_free(NULL);
}

/* A thread with a workspace of its own, on an arm that four of them share. */
static void *solve_in_thread(void *argument) {
  const UrdfIkArm *arm = argument;
  UrdfIkWorkspace *workspace = NULL;
  OK(urdf_ik_workspace_new(arm, &workspace));
  EXPECT(strlen(urdf_ik_error()) == 0);
  for (int i = 0; i < 3; i++) {
    solves(workspace);
  }
  urdf_ik_workspace_free(workspace);
  return NULL;
}

int main(int argc, char **argv) {
  EXPECT(argc == 3);
  UrdfIkArm *arm = arm_of(argv[1], NULL, 0, NULL);
  UrdfIkWorkspace *workspace = NULL;
  OK(urdf_ik_workspace_new(arm, &workspace));
  describes_the_arm(arm);
  computes_kinematics(workspace);
  solves(workspace);
  finds_all_solutions(workspace);
  solves_batches(arm, workspace);
  meets_goals(arm, workspace);
  keeps_bounds(workspace);
  weighs_moves(workspace);
  has_tools(arm, workspace);
  reaches_the_position_alone(workspace);
  asks_about_positions(arm, workspace);
  makes_robots_of_joints();
  keeps_soft_limits(argv[1]);
  says_what_is_wrong(arm, workspace, argv[1]);
  two_tips_are_solved(argv[2]);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) {
    EXPECT(pthread_create(threads + i, NULL, solve_in_thread, arm) == 0);
  }
  for (int i = 0; i < 4; i++) {
    EXPECT(pthread_join(threads[i], NULL) == 0);
  }
  urdf_ik_workspace_free(workspace);
  urdf_ik_arm_free(arm);
  return 0;
}
