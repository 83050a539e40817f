// SPDX-License-Identifier: Apache-2.0 OR MIT
// The kinematics plug-in for controllers of ros2_control.
#include <memory>

#include <kinematics_interface/kinematics_interface.hpp>
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/logging.hpp>

#include "kinematics.hpp"
#include "parameters.hpp"

namespace urdf_ik_ros2_control {

/* A call that fails returns false, leaves its output as it was, and logs a sentence. No exception leaves the plug-in. One thread at a time uses it. */
class UrdfIkKinematics : public kinematics_interface::KinematicsInterface {
 public:
  bool initialize(const std::string &robot_description, std::shared_ptr<NodeParameters> node, const std::string &space) override {
    return succeeds("initialize", [&] {
      kinematics_.reset();
      if (node == nullptr) {
        throw std::invalid_argument("there is no parameters interface");
      }
      const Parameters parameters(*node, space);
      const std::string urdf = robot_description.empty() ? description(*node) : robot_description;
      kinematics_ = std::make_unique<Kinematics>(urdf, parameters.base, parameters.tip, parameters.alpha);
    });
  }

  bool convert_cartesian_deltas_to_joint_deltas(const Positions &positions, const Twist &twist, const std::string &link, Positions &deltas) override {
    return succeeds("convert_cartesian_deltas_to_joint_deltas", [&] {
      initialized().check_count("delta_theta", deltas.size());
      check_finite("delta_x", twist);
      deltas.noalias() = kinematics_->inverse(positions, link) * twist;
    });
  }

  bool convert_joint_deltas_to_cartesian_deltas(const Positions &positions, const Positions &deltas, const std::string &link, Twist &twist) override {
    return succeeds("convert_joint_deltas_to_cartesian_deltas", [&] {
      initialized().check_count("delta_theta", deltas.size());
      check_finite("delta_theta", deltas);
      twist.noalias() = kinematics_->jacobian(positions, link) * deltas;
    });
  }

  bool calculate_link_transform(const Positions &positions, const std::string &link, Eigen::Isometry3d &transform) override {
    return succeeds("calculate_link_transform", [&] { transform = initialized().link_pose(positions, link); });
  }

  bool calculate_jacobian(const Positions &positions, const std::string &link, Jacobian &jacobian) override {
    return succeeds("calculate_jacobian", [&] {
      initialized().check_count("jacobian", jacobian.cols());
      jacobian = kinematics_->jacobian(positions, link);
    });
  }

  bool calculate_jacobian_inverse(const Positions &positions, const std::string &link, Inverse &inverse) override {
    return succeeds("calculate_jacobian_inverse", [&] {
      initialized().check_count("jacobian_inverse", inverse.rows());
      inverse = kinematics_->inverse(positions, link);
    });
  }

  /* Needs no robot. Without `override`, because the interface of Jazzy does not have it. */
  bool calculate_frame_difference(Eigen::Matrix<double, 7, 1> &from, Eigen::Matrix<double, 7, 1> &to, double dt, Twist &velocity) {
    return succeeds("calculate_frame_difference", [&] {
      // Written so that NaN is refused.
      if (!(dt > 0.0)) {
        throw std::invalid_argument("dt is " + std::to_string(dt) + "; it must be above 0");
      }
      check_finite("x_a", from);
      check_finite("x_b", to);
      const UrdfIkPose first = pose_of(from), second = pose_of(to);
      Twist difference;
      urdf_ik::check(urdf_ik_pose_difference(&first, &second, difference.data()));
      velocity = difference / dt;
    });
  }

 private:
  template <typename Work>
  static bool succeeds(const char *call, const Work &work) noexcept try {
    work();
    return true;
  } catch (const std::exception &error) {
    RCLCPP_ERROR(rclcpp::get_logger("urdf_ik.ros2_control"), "%s: %s", call, error.what());
    return false;
  }

  Kinematics &initialized() const {
    if (kinematics_ == nullptr) {
      throw std::logic_error("the plug-in has no arm: initialize() has not succeeded");
    }
    return *kinematics_;
  }

  static std::string description(const NodeParameters &node) {
    const std::string urdf = value_of(node, "robot_description", std::string());
    if (urdf.empty()) {
      throw std::invalid_argument("there is no URDF: robot_description is empty, and the parameter of this name is not set");
    }
    return urdf;
  }

  template <typename Vector>
  static void check_finite(const char *what, const Vector &vector) {
    if (!vector.allFinite()) {
      throw std::invalid_argument(std::string(what) + " has an entry that is not a finite number");
    }
  }

  static UrdfIkPose pose_of(const Eigen::Matrix<double, 7, 1> &frame) {
    return {{frame[0], frame[1], frame[2]}, {frame[3], frame[4], frame[5], frame[6]}};
  }

  std::unique_ptr<Kinematics> kinematics_;
};

}  // namespace urdf_ik_ros2_control

PLUGINLIB_EXPORT_CLASS(urdf_ik_ros2_control::UrdfIkKinematics, kinematics_interface::KinematicsInterface)
