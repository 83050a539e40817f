/* Avoids collisions, rightly and wrongly: worlds ONE_TIP.urdf TWO_TIPS.urdf. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static const char *const BALL =
    "{\"obstacles\": [{\"id\": \"ball\", \"type\": \"sphere\", \"radius\": %.9f, \"p\": [%.9f, %.9f, %.9f]}], \"margin\": 0.01}";

static UrdfIkWorld *world_of(const UrdfIkArm *arm, const char *description) {
  UrdfIkWorld *world = NULL;
  OK(urdf_ik_world_new(arm, description, &world));
  return world;
}

/* A world with a ball at a place. */
static UrdfIkWorld *ball_at(const UrdfIkArm *arm, const double place[3], double radius) {
  char description[256];
  snprintf(description, sizeof description, BALL, radius, place[0], place[1], place[2]);
  return world_of(arm, description);
}

static int is_free(const UrdfIkWorld *world, const double *q) {
  int free = -1;
  OK(urdf_ik_world_is_free(world, q, &free));
  return free;
}

static void measures_distances(const UrdfIkArm *arm, UrdfIkWorkspace *workspace, const double *q) {
  UrdfIkPose tip, far = {{9, 0, 0}, {0, 0, 0, 1}};
  OK(urdf_ik_forward_kinematics(workspace, q, &tip));
  UrdfIkWorld *world = ball_at(arm, tip.position, 0.05), *moved = NULL;
  const char *first = NULL, *second = NULL, *ids[] = {"ball"};
  double distance = -1;
  EXPECT(!is_free(world, q));
  OK(urdf_ik_world_nearest(world, q, &first, &second, &distance));
  EXPECT(distance == 0 && (strcmp(first, "ball") == 0 || strcmp(second, "ball") == 0));
  OK(urdf_ik_world_moved(world, ids, &far, 1, &moved));
  EXPECT(is_free(moved, q) && !is_free(world, q));
  OK(urdf_ik_world_nearest(moved, q, NULL, NULL, &distance));
  EXPECT(distance > 0.01 && urdf_ik_world_missing_shape(world, 0) == NULL);
  ids[0] = "cube";
  FAILS(urdf_ik_world_moved(world, ids, &far, 1, &moved), URDF_IK_STATUS_WORLD, "cube");
  urdf_ik_world_free(world);
  urdf_ik_world_free(moved);
}

/* A ball beside the tip, and one at the target, which the reason of the failure names. */
static void solves_around_an_obstacle(const UrdfIkArm *arm, UrdfIkWorkspace *workspace, const double *q) {
  double found[7], rows[14];
  UrdfIkPose tip;
  UrdfIkAnswer answer, answers[2];
  OK(urdf_ik_forward_kinematics(workspace, q, &tip));
  UrdfIkTarget target = urdf_ik_target(0, tip);
  UrdfIkProblem problem = urdf_ik_problem();
  problem.targets = &target;
  problem.target_count = 1;
  problem.seed = q;
  double beside[3] = {tip.position[0] + 0.3, tip.position[1], tip.position[2]};
  UrdfIkWorld *away = ball_at(arm, beside, 0.05), *at_tip = ball_at(arm, tip.position, 0.2);
  problem.avoid = away;
  OK(urdf_ik_solve(workspace, &problem, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_SOLVED && is_free(away, found));
  UrdfIkProblem both[2] = {problem, problem};
  both[1].avoid = at_tip;
  OK(urdf_ik_solve_batch(arm, both, 2, 2, rows, answers));
  EXPECT(memcmp(found, rows, sizeof found) == 0);
  EXPECT(answers[1].outcome == URDF_IK_OUTCOME_COLLISION && answers[1].refused > 0 && answers[1].attempts <= problem.attempts);
  OK(urdf_ik_solve(workspace, both + 1, found, &answer));
  EXPECT(answer.outcome == URDF_IK_OUTCOME_COLLISION && memcmp(found, rows + 7, sizeof found) == 0);
  /* The sentence names the bodies, also when the world is gone. */
  urdf_ik_world_free(at_tip);
  EXPECT(strstr(urdf_ik_workspace_reason(workspace), "ball") != NULL);
  problem.avoid = away;
  problem.goals = "[{\"type\": \"joints\", \"joints\": {\"nobody\": 1}, \"lower\": 0, \"upper\": 1}]";
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_PROBLEM, "coefficients");
  urdf_ik_world_free(away);
}

/* A ball that the tool carries and one in the world at its place: they may touch only if the world says so. */
static void carries_a_part(const UrdfIkArm *arm, const double *q) {
  UrdfIkArm *with_tool = NULL;
  UrdfIkWorkspace *workspace = NULL;
  UrdfIkPose place, tool = {{0, 0, 0.3}, {0, 0, 0, 1}};
  char description[512];
  OK(urdf_ik_arm_with_tools(arm, &tool, 1, &with_tool));
  OK(urdf_ik_workspace_new(with_tool, &workspace));
  OK(urdf_ik_forward_kinematics(workspace, q, &place));
  for (int may_touch = 0; may_touch < 2; may_touch++) {
    snprintf(description, sizeof description,
             "{\"obstacles\": [{\"id\": \"ball\", \"type\": \"sphere\", \"radius\": 0.02, \"p\": [%f, %f, %f]}], "
             "\"attached\": [{\"id\": \"load\", \"type\": \"sphere\", \"radius\": 0.02, \"p\": [0, 0, 0.3], \"link\": \"tool0\", \"may_touch\": [%s]}]}",
             place.position[0], place.position[1], place.position[2], may_touch ? "\"ball\"" : "");
    UrdfIkWorld *world = world_of(arm, description);
    EXPECT(is_free(world, q) == may_touch);
    /* The world serves the same arm with a tool, too. */
    double found[7];
    UrdfIkTarget target = urdf_ik_target(0, place);
    UrdfIkProblem problem = urdf_ik_problem();
    UrdfIkAnswer answer;
    problem.targets = &target;
    problem.target_count = 1;
    problem.seed = q;
    problem.avoid = world;
    OK(urdf_ik_solve(workspace, &problem, found, &answer));
    EXPECT((answer.outcome == URDF_IK_OUTCOME_SOLVED) == may_touch);
    urdf_ik_world_free(world);
  }
  urdf_ik_workspace_free(workspace);
  urdf_ik_arm_free(with_tool);
}

static void says_what_is_wrong(const UrdfIkArm *arm, const UrdfIkArm *other, UrdfIkWorkspace *workspace, const double *q) {
  UrdfIkWorld *world = NULL, *of_other = world_of(other, NULL);
  double bad[7] = {NAN, 0, 0, 0, 0, 0, 0}, found[7], distance;
  int free;
  const char *const wrong[][2] = {{"[]", "JSON object"},
                                  {"{\"margins\": 1}", "margins"},
                                  {"{\"margin\": -1}", "margin"},
                                  {"{\"obstacles\": 1}", "JSON list"},
                                  {"{\"obstacles\": [{\"id\": \"a\", \"type\": \"cube\"}]}", "cube"},
                                  {"{\"attached\": [{\"id\": \"a\"}]}", "'link'"},
                                  {"{\"attached\": [{\"id\": \"a\", \"link\": \"nobody\"}]}", "no link 'nobody'"},
                                  {"{\"rest\": {\"nobody\": 1}}", "no joint 'nobody'"},
                                  {"{\"missing_shapes\": \"hide\"}", "refuse, ignore"},
                                  {"{\"srdf\": \"/nobody.srdf\"}", "/nobody.srdf"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    FAILS(urdf_ik_world_new(arm, wrong[i][0], &world), URDF_IK_STATUS_WORLD, wrong[i][1]);
  }
  UrdfIkPose tip;
  OK(urdf_ik_forward_kinematics(workspace, q, &tip));
  UrdfIkTarget target = urdf_ik_target(0, tip);
  UrdfIkProblem problem = urdf_ik_problem();
  problem.targets = &target;
  problem.target_count = 1;
  problem.avoid = of_other;
  FAILS(urdf_ik_solve(workspace, &problem, found, NULL), URDF_IK_STATUS_WORLD, "another arm");
  world = world_of(arm, "{}");
  FAILS(urdf_ik_world_is_free(world, bad, &free), URDF_IK_STATUS_PROBLEM, "finite");
  FAILS(urdf_ik_world_nearest(world, bad, NULL, NULL, &distance), URDF_IK_STATUS_PROBLEM, "finite");
  FAILS(urdf_ik_world_nearest(world, q, NULL, NULL, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "distance is NULL");
  urdf_ik_world_free(world);
  urdf_ik_world_free(of_other);
  urdf_ik_world_free(NULL);

  UrdfIkRobot *robot = NULL;
  UrdfIkArm *plain = NULL;
  UrdfIkJoint joint = urdf_ik_joint("j", URDF_IK_JOINT_CONTINUOUS, "a", "b");
  OK(urdf_ik_robot_from_joints("r", &joint, 1, &robot));
  OK(urdf_ik_arm_new(robot, NULL, NULL, 0, NULL, &plain));
  FAILS(urdf_ik_world_new(plain, NULL, &world), URDF_IK_STATUS_WORLD, "URDF");
  urdf_ik_arm_free(plain);
  urdf_ik_robot_free(robot);
}

int main(int argc, char **argv) {
  EXPECT(argc == 3);
  const char *const hand[] = {"left_hand"};
  UrdfIkArm *arm = arm_of(argv[1], NULL, 0, NULL), *other = arm_of(argv[2], hand, 1, NULL);
  UrdfIkWorkspace *workspace = NULL;
  OK(urdf_ik_workspace_new(arm, &workspace));
  const double q[7] = {0.3, 0.5, 0.5, 0.6, -0.7, 0.8, -0.9};
  measures_distances(arm, workspace, q);
  solves_around_an_obstacle(arm, workspace, q);
  carries_a_part(arm, q);
  says_what_is_wrong(arm, other, workspace, q);
  urdf_ik_workspace_free(workspace);
  urdf_ik_arm_free(arm);
  urdf_ik_arm_free(other);
  return 0;
}
