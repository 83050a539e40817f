/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What kinematics.yaml says of a group. */
#pragma once

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <rclcpp/node.hpp>

#include "urdf_ik.h"

namespace urdf_ik_moveit {

/* The parameters robot_description_kinematics.GROUP.… of a node. */
struct Parameters {
  Parameters() = default;

  /* Throws std::exception with a sentence where a value makes no sense. */
  Parameters(rclcpp::Node &node, const std::string &group) {
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto read = [&](const char *name, const auto &otherwise) {
      const std::string full = "robot_description_kinematics." + group + "." + name;
      if (!node.has_parameter(full)) {
        node.declare_parameter(full, rclcpp::ParameterValue(otherwise));
      }
      return node.get_parameter(full).get_value<std::decay_t<decltype(otherwise)>>();
    };
    tip_links = read("tip_links", tip_links);
    solver = read("solver", solver);
    attempts = read("attempts", attempts);
    const std::vector<std::string> picks = {"first", "nearest", "most_manipulable"};
    pick = std::find(picks.begin(), picks.end(), read("pick", picks.front())) - picks.begin();
    const double epsilon = read("epsilon", 1e-5);
    position_tolerance = read("position_tolerance", epsilon);
    orientation_tolerance = read("orientation_tolerance", epsilon);
    const double orientation_vs_position = read("orientation_vs_position", 1.0);
    position_only = read("position_only_ik", false) || orientation_vs_position == 0.0;
    if (attempts < 1 || pick == static_cast<int>(picks.size())) {
      throw std::invalid_argument("attempts must be 1 or more, and pick one of first, nearest and most_manipulable");
    }
    if (orientation_vs_position != 0.0 && orientation_vs_position != 1.0) {
      RCLCPP_WARN(node.get_logger(), "group '%s': orientation_vs_position has an effect only where it is 0", group.c_str());
    }
  }

  std::vector<std::string> tip_links;  // empty to find them in the group
  std::string solver = "jacobian";
  std::int64_t attempts = 1000;   // the largest number of starting points of a search
  int pick = URDF_IK_PICK_FIRST;  // which of several solutions, one of URDF_IK_PICK_…
  double position_tolerance = 1e-5, orientation_tolerance = 1e-5;  // [m, rad]
  bool position_only = false;  // whether it is a solution to reach the position, with the orientation as close as it goes
};

}  // namespace urdf_ik_moveit
