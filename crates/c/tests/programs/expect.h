/* What the programs of the tests share. */

#ifndef EXPECT_H
#define EXPECT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "urdf_ik.h"

#define EXPECT(condition)                                                                              \
  do {                                                                                                 \
    if (!(condition)) {                                                                                \
      fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, urdf_ik_error());    \
      exit(1);                                                                                         \
    }                                                                                                  \
  } while (0)

#define OK(call) EXPECT((call) == URDF_IK_STATUS_OK)

/* A call that fails with a status and with a sentence that has these words. */
#define FAILS(call, status, words)                    \
  do {                                                \
    EXPECT((call) == (status));                       \
    EXPECT(strstr(urdf_ik_error(), (words)) != NULL); \
  } while (0)

static inline UrdfIkArm *arm_of(const char *urdf, const char *const *tips, size_t count, const char *solver) {
  UrdfIkRobot *robot = NULL;
  UrdfIkArm *arm = NULL;
  OK(urdf_ik_robot_from_file(urdf, &robot));
  OK(urdf_ik_arm_new(robot, NULL, tips, count, solver, &arm));
  /* An arm outlives its robot. */
  urdf_ik_robot_free(robot);
  return arm;
}

#endif
