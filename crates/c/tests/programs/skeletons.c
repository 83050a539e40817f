/* Solves skeletons, rightly and wrongly: skeletons HUMANOID.yaml PITCH_YAW.yaml. */

#include <math.h>

#include "expect.h"

static UrdfIkSkeleton *skeleton_of(const char *path) {
  UrdfIkSkeleton *skeleton = NULL;
  OK(urdf_ik_skeleton_from_file(path, &skeleton));
  return skeleton;
}

static double distance(const double *a, const double *b) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* The last end is moved towards the root, from rest and then from the answer. */
static void drags(const UrdfIkSkeleton *skeleton) {
  size_t count = urdf_ik_skeleton_point_count(skeleton), end = count - 1;
  double *rest = calloc(count, 3 * sizeof(double));
  EXPECT(rest != NULL && strlen(urdf_ik_skeleton_point_name(skeleton, end)) > 0);
  EXPECT(urdf_ik_skeleton_point_name(skeleton, count) == NULL);
  OK(urdf_ik_skeleton_rest(skeleton, rest));
  while (!urdf_ik_skeleton_is_end(skeleton, end)) {
    end--;
  }
  double goal[3];
  for (int i = 0; i < 3; i++) {
    goal[i] = 0.95 * rest[3 * end + i] + 0.05 * rest[i];
  }
  UrdfIkSkeletonTarget target = urdf_ik_skeleton_target(end, goal);
  UrdfIkSkeletonProblem problem = urdf_ik_skeleton_problem();
  UrdfIkSkeletonAnswer *first = NULL, *second = NULL;
  problem.targets = &target;
  problem.target_count = 1;
  OK(urdf_ik_skeleton_solve(skeleton, &problem, &first));
  EXPECT(first->is_solved && first->point_count == count && first->target_count == 1);
  EXPECT(distance(first->points + 3 * end, goal) <= 1e-6 && first->distances[0] <= 1e-6 && strlen(first->reasons[0]) > 0);
  EXPECT(distance(first->points, rest) <= 1e-12);
  for (size_t joint = 0; joint < first->joint_count; joint++) {
    EXPECT(strlen(first->joint_names[joint]) > 0 && isfinite(first->positions[joint]));
  }
  for (int i = 0; i < 3; i++) {
    target.position[i] = 0.9 * rest[3 * end + i] + 0.1 * rest[i];
  }
  problem.seed = first;
  OK(urdf_ik_skeleton_solve(skeleton, &problem, &second));
  EXPECT(second->is_solved && distance(second->points + 3 * end, target.position) <= 1e-6);
  target.position[0] += 9;
  urdf_ik_skeleton_answer_free(first);
  problem.seed = second;
  OK(urdf_ik_skeleton_solve(skeleton, &problem, &first));
  EXPECT(!first->is_solved && first->distances[0] > 1 && strstr(first->reasons[0], "reach") != NULL);
  urdf_ik_skeleton_answer_free(first);
  urdf_ik_skeleton_answer_free(second);
  free(rest);
}

/* A limb whose hinge angle is known, at a root that is moved. */
static void bends_a_hinge(void) {
  const char *yaml =
      "root: {name: shoulder, position: [0, 0, 1.4]}\n"
      "segments:\n"
      "  - {name: elbow, length: 0.3, hinge: {axis: [0, -1, 0], range: [0, 140]}}\n"
      "  - {name: wrist, length: 0.3, hinge: {axis: [0, -1, 0], range: [0, 140]}}\n";
  UrdfIkSkeleton *skeleton = NULL;
  UrdfIkSkeletonAnswer *answer = NULL;
  OK(urdf_ik_skeleton_from_yaml(yaml, &skeleton));
  double goal[3] = {1.3, 0, 0.3};
  UrdfIkSkeletonTarget target = urdf_ik_skeleton_target(2, goal);
  UrdfIkSkeletonProblem problem = urdf_ik_skeleton_problem();
  problem.targets = &target;
  problem.target_count = 1;
  problem.root = URDF_IK_ROOT_AT;
  problem.root_pose.position[0] = 1;
  OK(urdf_ik_skeleton_solve(skeleton, &problem, &answer));
  EXPECT(answer->is_solved && answer->joint_count == 2 && strcmp(answer->joint_names[1], "wrist") == 0);
  EXPECT(answer->points[0] == 1 && fabs(answer->positions[1] - 2 * acos(sqrt(0.18) / 0.6)) < 1e-4);
  urdf_ik_skeleton_answer_free(answer);
  problem.root = URDF_IK_ROOT_FREE;
  OK(urdf_ik_skeleton_solve(skeleton, &problem, &answer));
  EXPECT(answer->is_solved);
  urdf_ik_skeleton_answer_free(answer);
  target.has_orientation = 1;
  target.orientation[3] = NAN;
  FAILS(urdf_ik_skeleton_solve(skeleton, &problem, &answer), URDF_IK_STATUS_PROBLEM, "quaternion");
  urdf_ik_skeleton_free(skeleton);
}

static void says_what_is_wrong(const UrdfIkSkeleton *person, const UrdfIkSkeleton *pitch_yaw) {
  UrdfIkSkeleton *skeleton = NULL;
  UrdfIkSkeletonAnswer *answer = NULL, *other = NULL;
  FAILS(urdf_ik_skeleton_from_file("/nobody.yaml", &skeleton), URDF_IK_STATUS_SKELETON, "/nobody.yaml");
  FAILS(urdf_ik_skeleton_from_yaml("segments: 1", &skeleton), URDF_IK_STATUS_SKELETON, "segments");
  double goal[3] = {0.1, 0.1, 0.1};
  UrdfIkSkeletonTarget target = urdf_ik_skeleton_target(9999, goal);
  UrdfIkSkeletonProblem problem = urdf_ik_skeleton_problem();
  FAILS(urdf_ik_skeleton_solve(person, &problem, &answer), URDF_IK_STATUS_PROBLEM, "target");
  problem.targets = &target;
  problem.target_count = 1;
  FAILS(urdf_ik_skeleton_solve(person, &problem, &answer), URDF_IK_STATUS_PROBLEM, "9999");
  FAILS(urdf_ik_skeleton_solve(pitch_yaw, &problem, &answer), URDF_IK_STATUS_PROBLEM, "pitch-yaw");
  target = urdf_ik_skeleton_target(1, NULL);
  FAILS(urdf_ik_skeleton_solve(person, &problem, &answer), URDF_IK_STATUS_PROBLEM, "");
  target = urdf_ik_skeleton_target(urdf_ik_skeleton_point_count(pitch_yaw) - 1, goal);
  problem.root = 7;
  FAILS(urdf_ik_skeleton_solve(pitch_yaw, &problem, &answer), URDF_IK_STATUS_PROBLEM, "root is 7");
  problem.root = URDF_IK_ROOT_FREE;
  FAILS(urdf_ik_skeleton_solve(pitch_yaw, &problem, &answer), URDF_IK_STATUS_PROBLEM, "fixed");
  problem.root = URDF_IK_ROOT_FIXED;
  OK(urdf_ik_skeleton_solve(pitch_yaw, &problem, &other));
  problem.seed = other;
  FAILS(urdf_ik_skeleton_solve(person, &problem, &answer), URDF_IK_STATUS_PROBLEM, "another skeleton");
  target.reserved[0] = 1;
  FAILS(urdf_ik_skeleton_solve(pitch_yaw, &problem, &answer), URDF_IK_STATUS_INVALID_ARGUMENT, "urdf_ik_skeleton_target()");
  urdf_ik_skeleton_answer_free(other);
  urdf_ik_skeleton_answer_free(NULL);
  urdf_ik_skeleton_free(NULL);
  EXPECT(urdf_ik_skeleton_point_count(NULL) == 0 && !urdf_ik_skeleton_is_end(NULL, 0));
}

int main(int argc, char **argv) {
  EXPECT(argc == 3);
  UrdfIkSkeleton *person = skeleton_of(argv[1]), *pitch_yaw = skeleton_of(argv[2]);
  drags(person);
  drags(pitch_yaw);
  bends_a_hinge();
  says_what_is_wrong(person, pitch_yaw);
  urdf_ik_skeleton_free(person);
  urdf_ik_skeleton_free(pitch_yaw);
  return 0;
}
