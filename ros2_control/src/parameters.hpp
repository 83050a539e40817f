/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The parameters of a controller from which the plug-in takes its robot and its arm. */
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <rclcpp/node_interfaces/node_parameters_interface.hpp>

namespace urdf_ik_ros2_control {

using NodeParameters = rclcpp::node_interfaces::NodeParametersInterface;

/* The value of a parameter; `otherwise` where it is not declared or has none. Throws std::invalid_argument if it has another type. Integers are
   accepted for doubles. */
template <typename Value>
Value value_of(const NodeParameters &node, const std::string &name, const Value &otherwise) {
  rclcpp::Parameter parameter;
  if (!node.has_parameter(name) || !node.get_parameter(name, parameter) || parameter.get_type() == rclcpp::PARAMETER_NOT_SET) {
    return otherwise;
  }
  if constexpr (std::is_same_v<Value, double>) {
    if (parameter.get_type() == rclcpp::PARAMETER_INTEGER) {
      return static_cast<double>(parameter.as_int());
    }
  }
  try {
    return parameter.get_value<Value>();
  } catch (const std::exception &error) {
    throw std::invalid_argument("the parameter '" + name + "': " + error.what());
  }
}

/* Which arm of the robot it is. */
struct Parameters {
  /* Reads the parameters of a namespace; the empty one is the node's. Throws std::invalid_argument where a value is missing or makes no sense. */
  Parameters(const NodeParameters &node, const std::string &space) {
    const std::string prefix = space.empty() ? "" : space + ".";
    tip = value_of(node, prefix + "tip", tip);
    if (tip.empty()) {
      throw std::invalid_argument("the parameter '" + prefix + "tip' is not set; it must be the name of the tip link");
    }
    base = value_of(node, prefix + "base", base);
    alpha = value_of(node, prefix + "alpha", alpha);
    if (!std::isfinite(alpha) || alpha < 0.0) {
      throw std::invalid_argument("the parameter '" + prefix + "alpha' is " + std::to_string(alpha) + "; it must be a finite number, 0 or more");
    }
  }

  std::string tip, base;  // links; an empty base is the root link
  double alpha = 5e-6;    // damping of the inverse Jacobian
};

}  // namespace urdf_ik_ros2_control
