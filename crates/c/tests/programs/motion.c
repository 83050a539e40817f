/* Follows paths and commands, rightly and wrongly: motion ONE_TIP.urdf TWO_TIPS.urdf. */

#include <math.h>

#include "expect.h"

static const double START[7] = {0.2, 0.5, 0.3, 0.2, 0.4, -0.5, 0.1};

static double distance(const UrdfIkPose *a, const UrdfIkPose *b) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    sum += (a->position[i] - b->position[i]) * (a->position[i] - b->position[i]);
  }
  return sqrt(sum);
}

/* Straight up by 10 cm from the start. */
static void targets_of(UrdfIkWorkspace *workspace, UrdfIkTarget targets[2]) {
  UrdfIkPose pose;
  OK(urdf_ik_forward_kinematics(workspace, START, &pose));
  targets[0] = urdf_ik_target(0, pose);
  pose.position[2] += 0.1;
  targets[1] = urdf_ik_target(0, pose);
}

static void follows_a_path(const UrdfIkArm *arm, UrdfIkWorkspace *workspace) {
  UrdfIkTarget targets[2];
  UrdfIkTrajectory *trajectory = NULL;
  UrdfIkPose pose;
  targets_of(workspace, targets);
  UrdfIkProblem problem = urdf_ik_problem();
  problem.targets = targets;
  problem.target_count = 2;
  problem.seed = START;
  OK(urdf_ik_path(arm, &problem, NULL, &trajectory));
  EXPECT(trajectory->reason == NULL && trajectory->fraction == 1 && trajectory->count > 100);
  EXPECT(memcmp(trajectory->positions, START, sizeof START) == 0 && trajectory->times[0] == 0);
  EXPECT(trajectory->position_deviation < 1e-4 && trajectory->orientation_deviation < 1e-3 && trajectory->violation_count == 0);
  for (size_t point = 0; point < trajectory->count; point++) {
    OK(urdf_ik_forward_kinematics(workspace, trajectory->positions + 7 * point, &pose));
    EXPECT(fabs(pose.position[0] - targets[0].pose.position[0]) < 2e-4);
    EXPECT(fabs(trajectory->times[point] - 0.01 * (double)point) < 1e-9);
  }
  EXPECT(distance(&pose, &targets[1].pose) < 2e-4);
  size_t slow = trajectory->count;
  urdf_ik_trajectory_free(trajectory);

  UrdfIkPathOptions options = urdf_ik_path_options();
  options.speed = 1;
  options.acceleration = 5;
  OK(urdf_ik_path(arm, &problem, &options, &trajectory));
  size_t fast = trajectory->count;
  EXPECT(fast < slow);
  urdf_ik_trajectory_free(trajectory);
  options.joint_limits = "joint_limits:\n  elbow_joint: {has_velocity_limits: true, max_velocity: 0.01}";
  OK(urdf_ik_path(arm, &problem, &options, &trajectory));
  EXPECT(trajectory->count > fast);
  urdf_ik_trajectory_free(trajectory);

  /* A goal and a world, then a free start and a target out of reach. */
  UrdfIkWorld *world = NULL;
  OK(urdf_ik_world_new(arm, NULL, &world));
  problem.goals = "[{\"type\": \"cone\", \"axis\": [0, 0, 1], \"direction\": [0, 0, 1], \"angle\": 3.1}]";
  problem.avoid = world;
  OK(urdf_ik_path(arm, &problem, NULL, &trajectory));
  EXPECT(trajectory->reason == NULL && trajectory->violation_count == 1);
  urdf_ik_trajectory_free(trajectory);
  problem.avoid = NULL;
  problem.seed = NULL;
  targets[1].pose.position[2] = 9;
  options = urdf_ik_path_options();
  options.search = 5;
  OK(urdf_ik_path(arm, &problem, &options, &trajectory));
  EXPECT(trajectory->reason != NULL && trajectory->fraction < 1);
  urdf_ik_trajectory_free(trajectory);
  urdf_ik_world_free(world);
}

static void refuses_paths(const UrdfIkArm *arm, UrdfIkWorkspace *workspace, const UrdfIkArm *hands) {
  UrdfIkTarget targets[2];
  UrdfIkTrajectory *trajectory = NULL;
  targets_of(workspace, targets);
  UrdfIkProblem problem = urdf_ik_problem();
  UrdfIkPathOptions options = urdf_ik_path_options();
  FAILS(urdf_ik_path(arm, &problem, NULL, &trajectory), URDF_IK_STATUS_PROBLEM, "targets of tip 0");
  problem.targets = targets;
  problem.target_count = 2;
  problem.seed = START;
  FAILS(urdf_ik_path(hands, &problem, NULL, &trajectory), URDF_IK_STATUS_PROBLEM, "one tip");
  options.speed = -1;
  FAILS(urdf_ik_path(arm, &problem, &options, &trajectory), URDF_IK_STATUS_PROBLEM, "speed");
  options = urdf_ik_path_options();
  options.joint_limits = "joint_limits:\n  nobody: {}";
  FAILS(urdf_ik_path(arm, &problem, &options, &trajectory), URDF_IK_STATUS_PROBLEM, "nobody");
  options.joint_limits = NULL;
  options.reserved[0] = 1;
  FAILS(urdf_ik_path(arm, &problem, &options, &trajectory), URDF_IK_STATUS_INVALID_ARGUMENT, "urdf_ik_path_options()");
  problem.lower = START;
  FAILS(urdf_ik_path(arm, &problem, NULL, &trajectory), URDF_IK_STATUS_PROBLEM, "no lower");
  FAILS(urdf_ik_path(NULL, &problem, NULL, &trajectory), URDF_IK_STATUS_INVALID_ARGUMENT, "arm is NULL");
  urdf_ik_trajectory_free(NULL);
}

static UrdfIkServo *servo_of(const UrdfIkArm *arm, const UrdfIkServoOptions *options) {
  UrdfIkServo *servo = NULL;
  OK(urdf_ik_servo_new(arm, options, START, &servo));
  return servo;
}

/* Up with 5 cm/s for half a second, and then to rest. */
static void follows_a_twist(const UrdfIkArm *arm, UrdfIkWorkspace *workspace) {
  const double up[6] = {0, 0, 0.05, 0, 0, 0};
  double q[7], velocities[7];
  UrdfIkPose start, pose;
  UrdfIkServoOptions options = urdf_ik_servo_options(100);
  UrdfIkServo *servo = servo_of(arm, &options);
  UrdfIkTipCommand command = urdf_ik_twist_command(0, up);
  OK(urdf_ik_forward_kinematics(workspace, START, &start));
  for (int step = 0; step < 50; step++) {
    OK(urdf_ik_servo_step(servo, &command, 1, q));
  }
  OK(urdf_ik_forward_kinematics(workspace, q, &pose));
  EXPECT(pose.position[2] > start.position[2] + 0.015 && fabs(pose.position[0] - start.position[0]) < 1e-3);
  const UrdfIkServoReport *report = urdf_ik_servo_report(servo);
  EXPECT(report->speed_ratio > 0.9 && !report->is_at_rest && report->smallest_singular_value > 0 && isnan(report->distance));
  OK(urdf_ik_servo_state(servo, NULL, velocities, NULL));
  EXPECT(fabs(velocities[1]) > 0);
  for (int step = 0; step < 100; step++) {
    OK(urdf_ik_servo_step(servo, NULL, 0, NULL));
  }
  EXPECT(urdf_ik_servo_report(servo)->is_at_rest);

  /* A pose, joint velocities, and a twist along the axes of the tip. */
  OK(urdf_ik_servo_state(servo, q, NULL, NULL));
  OK(urdf_ik_forward_kinematics(workspace, q, &pose));
  pose.position[2] -= 0.01;
  command = urdf_ik_pose_command(0, pose);
  for (int step = 0; step < 200; step++) {
    OK(urdf_ik_servo_step(servo, &command, 1, q));
  }
  UrdfIkPose reached;
  OK(urdf_ik_forward_kinematics(workspace, q, &reached));
  EXPECT(distance(&pose, &reached) < 1e-4);
  const double turn[7] = {0.1, 0, 0, 0, 0, 0, 0};
  double before = q[0];
  for (int step = 0; step < 50; step++) {
    OK(urdf_ik_servo_step_joints(servo, turn, q));
  }
  EXPECT(q[0] > before + 0.02);
  command = urdf_ik_twist_command(0, up);
  command.kind = URDF_IK_COMMAND_TIP_TWIST;
  OK(urdf_ik_servo_step(servo, &command, 1, q));
  urdf_ik_servo_free(servo);
}

/* The report names what holds the arm back: a ball in its way, and a goal. */
static void keeps_clear(const UrdfIkArm *arm, UrdfIkWorkspace *workspace) {
  const double up[6] = {0, 0, 0.1, 0, 0, 0}, sideways[6] = {0, 0.1, 0, 0, 0, 0};
  char description[256];
  double q[7];
  UrdfIkPose pose;
  UrdfIkWorld *world = NULL;
  OK(urdf_ik_forward_kinematics(workspace, START, &pose));
  snprintf(description, sizeof description,
           "{\"margin\": 0.01, \"obstacles\": [{\"id\": \"ball\", \"type\": \"sphere\", \"radius\": 0.05, \"p\": [%f, %f, %f]}]}",
           pose.position[0], pose.position[1] + 0.16, pose.position[2]);
  OK(urdf_ik_world_new(arm, description, &world));
  UrdfIkServoOptions options = urdf_ik_servo_options(50);
  options.avoid = world;
  options.max_deviation_angle = 0;
  UrdfIkServo *servo = servo_of(arm, &options);
  UrdfIkTipCommand command = urdf_ik_twist_command(0, sideways);
  for (int step = 0; step < 60; step++) {
    OK(urdf_ik_servo_step(servo, &command, 1, q));
  }
  /* The servo has its own share of the world. */
  urdf_ik_world_free(world);
  const UrdfIkServoReport *report = urdf_ik_servo_report(servo);
  EXPECT(report->speed_ratio < 0.1 && report->limit_count > 0);
  const UrdfIkServoLimit *limit = report->limits;
  EXPECT(limit->kind == URDF_IK_LIMIT_CONTACT && report->distance > 0.009 && report->distance < 0.02);
  EXPECT(strcmp(limit->name, "ball") == 0 || strcmp(limit->other, "ball") == 0);
  urdf_ik_servo_free(servo);

  options = urdf_ik_servo_options(50);
  snprintf(description, sizeof description, "[{\"type\": \"position\", \"name\": \"ceiling\", \"upper\": [null, null, %f]}]",
           pose.position[2] + 0.02);
  options.goals = description;
  options.max_deviation_angle = 0;
  servo = servo_of(arm, &options);
  command = urdf_ik_twist_command(0, up);
  for (int step = 0; step < 60; step++) {
    OK(urdf_ik_servo_step(servo, &command, 1, q));
  }
  report = urdf_ik_servo_report(servo);
  EXPECT(report->limit_count > 0 && report->limits->kind == URDF_IK_LIMIT_GOAL && strcmp(report->limits->name, "ceiling") == 0);
  urdf_ik_servo_free(servo);
}

static void refuses_commands(const UrdfIkArm *arm) {
  const double up[6] = {0, 0, 0.05, 0, 0, 0};
  double q[7], bad[7] = {NAN, 0, 0, 0, 0, 0, 0};
  UrdfIkServo *servo = NULL;
  UrdfIkServoOptions options = urdf_ik_servo_options(0);
  FAILS(urdf_ik_servo_new(arm, &options, START, &servo), URDF_IK_STATUS_PROBLEM, "rate");
  options = urdf_ik_servo_options(100);
  options.linear_speed = NAN;
  FAILS(urdf_ik_servo_new(arm, &options, START, &servo), URDF_IK_STATUS_PROBLEM, "linear_speed");
  options = urdf_ik_servo_options(100);
  options.free_axes[0] = 1;
  FAILS(urdf_ik_servo_new(arm, &options, START, &servo), URDF_IK_STATUS_PROBLEM, "free_axes");
  options = urdf_ik_servo_options(100);
  FAILS(urdf_ik_servo_new(arm, &options, bad, &servo), URDF_IK_STATUS_PROBLEM, "finite");
  servo = servo_of(arm, &options);
  UrdfIkTipCommand commands[2] = {urdf_ik_twist_command(0, up), urdf_ik_twist_command(0, up)};
  FAILS(urdf_ik_servo_step(servo, commands, 2, q), URDF_IK_STATUS_PROBLEM, "two commands");
  EXPECT(memcmp(q, START, sizeof q) == 0);
  commands[0].kind = 7;
  FAILS(urdf_ik_servo_step(servo, commands, 1, q), URDF_IK_STATUS_PROBLEM, "kind");
  commands[0] = urdf_ik_twist_command(0, NULL);
  FAILS(urdf_ik_servo_step(servo, commands, 1, q), URDF_IK_STATUS_PROBLEM, "finite");
  FAILS(urdf_ik_servo_step_joints(servo, bad, q), URDF_IK_STATUS_PROBLEM, "finite");
  FAILS(urdf_ik_servo_step_joints(servo, NULL, q), URDF_IK_STATUS_INVALID_ARGUMENT, "velocities is NULL");
  EXPECT(urdf_ik_servo_report(NULL) == NULL);
  urdf_ik_servo_free(servo);
  urdf_ik_servo_free(NULL);
}

int main(int argc, char **argv) {
  EXPECT(argc == 3);
  const char *const tips[] = {"left_hand", "right_hand"};
  UrdfIkArm *arm = arm_of(argv[1], NULL, 0, NULL), *hands = arm_of(argv[2], tips, 2, NULL);
  UrdfIkWorkspace *workspace = NULL;
  OK(urdf_ik_workspace_new(arm, &workspace));
  follows_a_path(arm, workspace);
  refuses_paths(arm, workspace, hands);
  follows_a_twist(arm, workspace);
  keeps_clear(arm, workspace);
  refuses_commands(arm);
  urdf_ik_workspace_free(workspace);
  urdf_ik_arm_free(arm);
  urdf_ik_arm_free(hands);
  return 0;
}
