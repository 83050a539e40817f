/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A request of MoveIt, and what it asks about positions while the search goes on. */
#pragma once

#include <cmath>
#include <exception>
#include <optional>
#include <vector>

#include <moveit/kinematics_base/kinematics_base.hpp>
#include <moveit/robot_state/robot_state.hpp>

#include "group.hpp"

namespace urdf_ik_moveit {

using kinematics::KinematicsBase;
using moveit::core::RobotState;
using Pose = geometry_msgs::msg::Pose;
using ErrorCode = moveit_msgs::msg::MoveItErrorCodes;
using Options = kinematics::KinematicsQueryOptions;

struct Request {
  const std::vector<Pose> &poses;  // one for each tip, in the frame of the base
  const Positions &seed;
  double timeout;  // [s]
  std::int64_t attempts;
  const Positions &limits;  // the largest distance of each joint from the seed; empty for none
  const KinematicsBase::IKCallbackFn &callback;
  const KinematicsBase::IKCostFn &cost;
  const Options &options;
  const RobotState *context;  // the state of the robot for the cost; nullptr for the default one
};

/* Asks the functions of a request. */
struct Questions {
  void put_into(UrdfIkProblem &problem) {
    problem.context = this;
    const auto accepts = [](void *self, const double *arm) { return static_cast<Questions *>(self)->accepts(arm) ? 1 : 0; };
    const auto cost = [](void *self, const double *arm) { return static_cast<Questions *>(self)->cost(arm); };
    problem.accepts = request.callback ? +accepts : nullptr;
    problem.cost = request.cost ? +cost : nullptr;
  }

  /* Whether the callback, if there is one, accepts positions of the arm. Where it throws they are accepted, so that the search ends. */
  bool accepts(const double *arm) {
    return asked(true, arm, [this] {
      ErrorCode code;
      code.val = ErrorCode::SUCCESS;
      if (request.callback) {
        request.callback(request.poses.front(), positions, code);
      }
      return code.val == ErrorCode::SUCCESS;
    });
  }

  double cost(const double *arm) {
    return asked(double(INFINITY), arm, [this] {
      state->setJointGroupPositions(joints, positions);
      state->update();
      return request.cost(request.poses.front(), *state, joints, request.seed);
    });
  }

  template <typename Answer, typename Ask>
  Answer asked(Answer otherwise, const double *arm, Ask ask) try {
    group.write(arm, positions);
    return thrown ? otherwise : ask();
  } catch (...) {
    thrown = std::current_exception();
    return otherwise;
  }

  const Request &request;
  const Group &group;
  const JointModelGroup *joints;
  Positions positions;              // of the group, passed to the callbacks
  std::optional<RobotState> state;  // of the robot at these positions, for a cost
  std::exception_ptr thrown;        // by a function: it must not pass through the library
};

}  // namespace urdf_ik_moveit
