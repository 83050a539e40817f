/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Plug-ins as a controller loads them, and the lines that they log. */
#pragma once

#include <rcutils/logging.h>

#include <algorithm>
#include <cstdarg>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>

#include <Eigen/SVD>
#include <kinematics_interface/kinematics_interface.hpp>
#include <pluginlib/class_loader.hpp>
#include <rclcpp/rclcpp.hpp>

using kinematics_interface::KinematicsInterface;
using Twist = Eigen::Matrix<double, 6, 1>;
using Frame = Eigen::Matrix<double, 7, 1>;
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using Inverse = Eigen::Matrix<double, Eigen::Dynamic, 6>;
using Positions = Eigen::VectorXd;
using Names = std::vector<std::string>;
using Parameters = std::vector<std::pair<std::string, rclcpp::ParameterValue>>;

inline std::string folder;
inline int failures = 0;

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::cerr << __FILE__ << ':' << __LINE__ << ": not so: " #condition "\n"; \
      failures++;                                                               \
    }                                                                           \
  } while (false)

inline std::string urdf(const std::string &name) {
  std::ifstream stream(folder + "/" + name + ".urdf");
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/* A node that has declared these parameters. */
inline rclcpp::Node::SharedPtr node_with(const Parameters &parameters) {
  const auto options = rclcpp::NodeOptions().start_parameter_services(false).enable_rosout(false);
  const auto node = std::make_shared<rclcpp::Node>("plugin_test", options);
  for (const auto &[name, value] : parameters) {
    node->declare_parameter(name, value);
  }
  return node;
}

inline rclcpp::ParameterValue value(const std::string &text) { return rclcpp::ParameterValue(text); }
inline rclcpp::ParameterValue value(double number) { return rclcpp::ParameterValue(number); }

inline std::shared_ptr<KinematicsInterface> create() {
  static pluginlib::ClassLoader<KinematicsInterface> loader("kinematics_interface", "kinematics_interface::KinematicsInterface");
  return loader.createSharedInstance("urdf_ik/UrdfIkKinematics");
}

/* A plug-in with an arm of `joints` joints. The robot is the text of a URDF, or the name of its file. */
struct Arm {
  Arm(const std::string &robot, const std::string &tip, int joints, double alpha = 5e-6, const std::string &base = "")
      : node(node_with({{"tip", value(tip)}, {"base", value(base)}, {"alpha", value(alpha)}})), plugin(create()), joints(joints),
        is_initialized(plugin->initialize(robot[0] == '<' ? robot : urdf(robot), node->get_node_parameters_interface(), "")) {}

  Positions random_positions() {
    return Positions::NullaryExpr(joints, [this] { return std::uniform_real_distribution<double>(-1.5, 1.5)(random); });
  }

  Eigen::Isometry3d pose(const Positions &positions, const std::string &link) {
    Eigen::Isometry3d pose;
    EXPECT(plugin->calculate_link_transform(positions, link, pose));
    return pose;
  }

  Jacobian jacobian(const Positions &positions, const std::string &link) {
    Jacobian jacobian = Jacobian::Zero(6, joints);
    EXPECT(plugin->calculate_jacobian(positions, link, jacobian));
    return jacobian;
  }

  Inverse inverse(const Positions &positions, const std::string &link) {
    Inverse inverse = Inverse::Zero(joints, 6);
    EXPECT(plugin->calculate_jacobian_inverse(positions, link, inverse));
    return inverse;
  }

  rclcpp::Node::SharedPtr node;
  std::shared_ptr<KinematicsInterface> plugin;
  int joints;
  bool is_initialized;
  std::mt19937 random{7};
};

/* The lines that the plug-in logs while it lives. */
struct Log {
  Log() : before(rcutils_logging_get_output_handler()) {
    lines().clear();
    rcutils_logging_set_output_handler([](auto *, int severity, const char *logger, rcutils_time_point_value_t, const char *format, va_list *arguments) {
      char line[2000];
      vsnprintf(line, sizeof line, format, *arguments);
      if (logger == std::string("urdf_ik.ros2_control") && severity == RCUTILS_LOG_SEVERITY_ERROR) {
        lines().push_back(line);
      }
    });
  }
  ~Log() { rcutils_logging_set_output_handler(before); }

  static Names &lines() {
    static Names lines;
    return lines;
  }

  /* Whether one line was logged, and has all these words. */
  bool is(const Names &words) const {
    const auto has = [](const std::string &word) { return lines()[0].find(word) != std::string::npos; };
    const bool is_logged = lines().size() == 1 && std::all_of(words.begin(), words.end(), has);
    if (!is_logged) {
      std::copy(lines().begin(), lines().end(), std::ostream_iterator<std::string>(std::cerr, "\n"));
    }
    return is_logged;
  }

  rcutils_logging_output_handler_t before;
};
