/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What kinematics.yaml says of a group. */
#pragma once

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <rclcpp/node.hpp>

#include "urdf_ik.h"

namespace urdf_ik_moveit {

/* Reads the parameters robot_description_kinematics.GROUP.… of a node. */
class Kinematics {
 public:
  Kinematics(rclcpp::Node &node, const std::string &group) : node_(node), prefix_("robot_description_kinematics." + group + ".") {}

  /* The value of a parameter; `otherwise` where it is not set. Throws std::invalid_argument with what it `must_be` where it is something
     else. Integers are accepted for doubles. */
  template <typename Value, typename IsAllowed>
  Value read(const std::string &name, const Value &otherwise, const char *must_be, const IsAllowed &is_allowed) {
    known_.push_back(name);
    if (!node_.has_parameter(prefix_ + name)) {
      rcl_interfaces::msg::ParameterDescriptor any_type;
      any_type.dynamic_typing = true;
      node_.declare_parameter(prefix_ + name, rclcpp::ParameterValue(otherwise), any_type);
    }
    const rclcpp::ParameterValue value = node_.get_parameter(prefix_ + name).get_parameter_value();
    // An empty list arrives as not set.
    if (value.get_type() == rclcpp::PARAMETER_NOT_SET) {
      return otherwise;
    }
    try {
      const Value read = converted<Value>(value);
      if (is_allowed(read)) {
        return read;
      }
    } catch (const rclcpp::ParameterTypeException &) {
    }
    throw std::invalid_argument(name + " is " + rclcpp::to_string(value) + "; it must be " + must_be);
  }

  /* A tolerance [m or rad]. */
  double tolerance(const std::string &name, double otherwise) {
    return read(name, otherwise, "a finite number above 0", [](double value) { return std::isfinite(value) && value > 0.0; });
  }

  /* The parameters of the group that were set, but that neither this plug-in nor MoveIt reads. */
  std::vector<std::string> unknown() const {
    std::vector<std::string> names;
    for (const auto &[full, value] : node_.get_node_parameters_interface()->get_parameter_overrides()) {
      if (starts_with(full, prefix_)) {
        const std::string name = full.substr(prefix_.size());
        // kinematics_solver itself, and its timeout, search resolution and attempts.
        const bool is_of_moveit = starts_with(name, "kinematics_solver");
        if (!is_of_moveit && std::find(known_.begin(), known_.end(), name) == known_.end()) {
          names.push_back(name);
        }
      }
    }
    return names;
  }

  /* The names of all parameters that were read. */
  const std::vector<std::string> &known() const { return known_; }

 private:
  template <typename Value>
  static Value converted(const rclcpp::ParameterValue &value) {
    if constexpr (std::is_same_v<Value, double>) {
      if (value.get_type() == rclcpp::PARAMETER_INTEGER) {
        return static_cast<double>(value.get<std::int64_t>());
      }
    }
    return value.get<Value>();
  }

  static bool starts_with(const std::string &text, const std::string &beginning) { return text.compare(0, beginning.size(), beginning) == 0; }

  rclcpp::Node &node_;
  std::string prefix_;
  std::vector<std::string> known_;
};

/* The parameters robot_description_kinematics.GROUP.… of a node. */
struct Parameters {
  Parameters() = default;

  /* Throws std::exception with a sentence where a value makes no sense. */
  Parameters(rclcpp::Node &node, const std::string &group) {
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    Kinematics yaml(node, group);
    const auto any = [](const auto &) { return true; };
    tip_links = yaml.read("tip_links", tip_links, "a list of links", any);
    solver = yaml.read("solver", solver, "the name of a solver", any);
    attempts = yaml.read("attempts", attempts, "an integer, 1 or more", [](std::int64_t value) { return value >= 1; });
    const std::vector<std::string> picks = {"first", "nearest", "most_manipulable"};
    const auto index = [&](const std::string &name) { return std::find(picks.begin(), picks.end(), name) - picks.begin(); };
    const auto is_pick = [&](const std::string &name) { return index(name) < URDF_IK_PICK_MOST_MANIPULABLE + 1; };
    pick = index(yaml.read("pick", picks.front(), "first, nearest or most_manipulable", is_pick));
    const double epsilon = yaml.tolerance("epsilon", 1e-5);
    position_tolerance = yaml.tolerance("position_tolerance", epsilon);
    orientation_tolerance = yaml.tolerance("orientation_tolerance", epsilon);
    const auto is_weight = [](double value) { return std::isfinite(value) && value >= 0.0; };
    const double orientation_vs_position = yaml.read("orientation_vs_position", 1.0, "a finite number, 0 or more", is_weight);
    position_only = yaml.read("position_only_ik", false, "true or false", any) || orientation_vs_position == 0.0;
    const auto warn = [&](const std::string &sentence) {
      RCLCPP_WARN(rclcpp::get_logger("urdf_ik.moveit"), "group '%s': %s", group.c_str(), sentence.c_str());
    };
    if (orientation_vs_position != 0.0 && orientation_vs_position != 1.0) {
      warn("orientation_vs_position has an effect only where it is 0");
    }
    for (const std::string &name : yaml.unknown()) {
      warn("kinematics.yaml has the unknown parameter '" + name + "'; known are " + list(yaml.known()));
    }
  }

  std::vector<std::string> tip_links;  // empty to find them in the group
  std::string solver = "jacobian";
  std::int64_t attempts = 1000;   // maximum number of starting points of a search
  int pick = URDF_IK_PICK_FIRST;  // the choice among several solutions, one of URDF_IK_PICK_…
  double position_tolerance = 1e-5, orientation_tolerance = 1e-5;  // [m, rad]
  bool position_only = false;  // the exact position with the closest orientation is a solution

 private:
  static std::string list(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) {
      text += (text.empty() ? "" : ", ") + name;
    }
    return text;
  }
};

}  // namespace urdf_ik_moveit
