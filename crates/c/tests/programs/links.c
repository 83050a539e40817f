/* Poses and Jacobians of links on and beside the arm, and differences of poses: links TWO_ARMS.urdf. */

#include <math.h>

#include "expect.h"

enum { N = 6 };

static size_t link_of(const UrdfIkArm *arm, const char *name) {
  size_t link;
  OK(urdf_ik_arm_link(arm, name, &link));
  return link;
}

/* Those of the tip are those of a tip. */
static void a_tip_is_a_link(UrdfIkWorkspace *workspace, size_t hand, const double *q) {
  UrdfIkPose tip, pose;
  double of_tip[6 * N], jacobian[6 * N];
  OK(urdf_ik_forward_kinematics(workspace, q, &tip));
  OK(urdf_ik_link_pose(workspace, q, hand, &pose));
  EXPECT(memcmp(&tip, &pose, sizeof pose) == 0);
  OK(urdf_ik_jacobian(workspace, q, 0, of_tip));
  OK(urdf_ik_link_jacobian(workspace, q, hand, jacobian));
  EXPECT(memcmp(of_tip, jacobian, sizeof jacobian) == 0);
}

/* The Jacobian is the derivative of the pose. */
static void jacobians_are_derivatives(UrdfIkWorkspace *workspace, size_t link, double *q) {
  const double step = 1e-6;
  double jacobian[6 * N], difference[6];
  UrdfIkPose before, after;
  OK(urdf_ik_link_jacobian(workspace, q, link, jacobian));
  for (int joint = 0; joint < N; joint++) {
    q[joint] -= step;
    OK(urdf_ik_link_pose(workspace, q, link, &before));
    q[joint] += 2 * step;
    OK(urdf_ik_link_pose(workspace, q, link, &after));
    q[joint] -= step;
    OK(urdf_ik_pose_difference(&before, &after, difference));
    for (int row = 0; row < 6; row++) {
      EXPECT(fabs(difference[row] / (2 * step) - jacobian[row * N + joint]) < 1e-8);
    }
  }
}

static void differences_of_poses(void) {
  UrdfIkPose from = {{1, 2, 3}, {0, 0, 0, 1}}, to = {{2, 2, 1}, {0, -0.6, 0, -0.8}};
  double difference[6];
  OK(urdf_ik_pose_difference(&from, &to, difference));
  const double expected[6] = {1, 0, -2, 0, 2 * atan2(0.6, 0.8), 0};
  for (int i = 0; i < 6; i++) {
    EXPECT(fabs(difference[i] - expected[i]) < 1e-15);
  }
  to.orientation[3] = 0;
  FAILS(urdf_ik_pose_difference(&from, &to, difference), URDF_IK_STATUS_PROBLEM, "quaternion");
  FAILS(urdf_ik_pose_difference(&from, NULL, difference), URDF_IK_STATUS_INVALID_ARGUMENT, "to is NULL");
  FAILS(urdf_ik_pose_difference(&from, &from, NULL), URDF_IK_STATUS_INVALID_ARGUMENT, "difference is NULL");
}

static void is_refused(const UrdfIkArm *arm, UrdfIkWorkspace *workspace, size_t hand, double *q) {
  size_t link;
  UrdfIkPose pose;
  double jacobian[6 * N];
  FAILS(urdf_ik_arm_link(arm, "nobody", &link), URDF_IK_STATUS_CHAIN, "there is no link 'nobody'; the arm determines those of: ");
  FAILS(urdf_ik_arm_link(arm, "right_hand", &link), URDF_IK_STATUS_CHAIN, "joints off the arm move the link 'right_hand'");
  FAILS(urdf_ik_arm_link(arm, NULL, &link), URDF_IK_STATUS_INVALID_ARGUMENT, "name is NULL");
  FAILS(urdf_ik_link_pose(workspace, q, 1000, &pose), URDF_IK_STATUS_INVALID_ARGUMENT, "1000 is not the index of a link");
  FAILS(urdf_ik_link_jacobian(workspace, q, 1000, jacobian), URDF_IK_STATUS_INVALID_ARGUMENT, "1000 is not the index of a link");
  FAILS(urdf_ik_link_pose(workspace, NULL, hand, &pose), URDF_IK_STATUS_INVALID_ARGUMENT, "positions is NULL");
  q[2] = NAN;
  FAILS(urdf_ik_link_pose(workspace, q, hand, &pose), URDF_IK_STATUS_PROBLEM, "not a finite number");
  FAILS(urdf_ik_link_jacobian(workspace, q, hand, jacobian), URDF_IK_STATUS_PROBLEM, "not a finite number");
}

int main(int argc, char **argv) {
  EXPECT(argc == 2);
  UrdfIkRobot *robot;
  UrdfIkArm *arm;
  UrdfIkWorkspace *workspace;
  const char *tips[] = {"left_hand"};
  OK(urdf_ik_robot_from_file(argv[1], &robot));
  /* The torso turns the base of this arm, but not its links relative to the base. */
  OK(urdf_ik_arm_new(robot, "torso", tips, 1, NULL, &arm));
  OK(urdf_ik_workspace_new(arm, &workspace));
  EXPECT(urdf_ik_arm_joint_count(arm) == N);
  double q[N] = {0.3, 0.4, -0.5, -0.6, 0.7, -0.2};
  const size_t hand = link_of(arm, "left_hand");
  a_tip_is_a_link(workspace, hand, q);
  jacobians_are_derivatives(workspace, hand, q);
  jacobians_are_derivatives(workspace, link_of(arm, "left_forearm"), q);
  jacobians_are_derivatives(workspace, link_of(arm, "torso"), q);
  UrdfIkPose pose;
  OK(urdf_ik_link_pose(workspace, q, link_of(arm, "torso"), &pose));
  EXPECT(pose.position[0] == 0 && pose.position[1] == 0 && pose.position[2] == 0 && pose.orientation[3] == 1);
  differences_of_poses();
  is_refused(arm, workspace, hand, q);
  urdf_ik_workspace_free(workspace);
  urdf_ik_arm_free(arm);
  urdf_ik_robot_free(robot);
  return 0;
}
