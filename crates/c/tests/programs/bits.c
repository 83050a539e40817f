/* Reads problems, solves them one after the other and as a batch, and writes all answers: bits URDF TIP SOLVER ASKED ANSWERED. */

#include <stdio.h>
#include <stdlib.h>

#include "urdf_ik.h"

static void check(UrdfIkStatus status) {
  if (status != URDF_IK_STATUS_OK) {
    fprintf(stderr, "%s\n", urdf_ik_error());
    exit(1);
  }
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count, size);
  if (memory == NULL) {
    exit(1);
  }
  return memory;
}

static void write_answers(FILE *file, const double *positions, const UrdfIkAnswer *answers, size_t count, size_t n) {
  for (size_t i = 0; i < count; i++) {
    double rest[3] = {answers[i].outcome == URDF_IK_OUTCOME_SOLVED, answers[i].position_error, answers[i].orientation_error};
    fwrite(positions + i * n, sizeof(double), n, file);
    fwrite(rest, sizeof(double), 3, file);
  }
}

int main(int argc, char **argv) {
  if (argc != 6) {
    return 2;
  }
  UrdfIkRobot *robot;
  UrdfIkArm *arm;
  UrdfIkWorkspace *workspace;
  const char *tips[] = {argv[2]};
  check(urdf_ik_robot_from_file(argv[1], &robot));
  check(urdf_ik_arm_new(robot, NULL, tips, 1, argv[3], &arm));
  check(urdf_ik_workspace_new(arm, &workspace));
  size_t n = urdf_ik_arm_joint_count(arm);

  FILE *file = fopen(argv[4], "rb");
  if (file == NULL) {
    return 1;
  }
  fseek(file, 0, SEEK_END);
  size_t count = (size_t)ftell(file) / ((n + 7) * sizeof(double));
  rewind(file);
  double *asked = allocate(count * (n + 7), sizeof(double));
  if (fread(asked, (n + 7) * sizeof(double), count, file) != count) {
    return 1;
  }
  fclose(file);

  UrdfIkTarget *targets = allocate(count, sizeof(UrdfIkTarget));
  UrdfIkProblem *problems = allocate(count, sizeof(UrdfIkProblem));
  for (size_t i = 0; i < count; i++) {
    const double *row = asked + i * (n + 7);
    UrdfIkPose pose = {{row[n], row[n + 1], row[n + 2]}, {row[n + 3], row[n + 4], row[n + 5], row[n + 6]}};
    targets[i] = urdf_ik_target(0, pose);
    problems[i] = urdf_ik_problem();
    problems[i].targets = targets + i;
    problems[i].target_count = 1;
    problems[i].seed = row;
  }

  double *positions = allocate(count * n, sizeof(double));
  UrdfIkAnswer *answers = allocate(count, sizeof(UrdfIkAnswer));
  FILE *out = fopen(argv[5], "wb");
  if (out == NULL) {
    return 1;
  }
  for (size_t i = 0; i < count; i++) {
    check(urdf_ik_solve(workspace, problems + i, positions + i * n, answers + i));
  }
  write_answers(out, positions, answers, count, n);
  check(urdf_ik_solve_batch(arm, problems, count, 2, positions, answers));
  write_answers(out, positions, answers, count, n);
  return fclose(out) == 0 ? 0 : 1;
}
