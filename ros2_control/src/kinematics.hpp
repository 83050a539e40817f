/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* An arm with the memory for its kinematics. Once it is made, a call allocates nothing unless it fails. */
#pragma once

#include <stdexcept>
#include <string>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "urdf_ik.hpp"

namespace urdf_ik_ros2_control {

/* Twists have their linear part first, in the axes of the base link. */
using Twist = Eigen::Matrix<double, 6, 1>;
using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using Inverse = Eigen::Matrix<double, Eigen::Dynamic, 6>;
using Positions = Eigen::VectorXd;

/* Row after row, as in C. */
using Rows = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;

/* Failures throw std::exception with a sentence. One thread at a time uses it. */
class Kinematics {
 public:
  Kinematics(const std::string &urdf, const std::string &base, const std::string &tip, double alpha)
      : arm_(urdf_ik::Robot::from_urdf(urdf), {tip}, base), workspace_(arm_), alpha_(alpha), jacobian_(6, arm_.joint_count()),
        inverse_(arm_.joint_count(), 6) {}

  Eigen::Index joint_count() const { return jacobian_.cols(); }

  /* Refuses a vector or matrix that has another number of entries for the joints. */
  void check_count(const char *what, Eigen::Index count) const {
    if (count == joint_count()) {
      return;
    }
    std::string names;
    for (const std::string &name : arm_.joint_names()) {
      names += (names.empty() ? "" : ", ") + name;
    }
    throw std::invalid_argument(std::string(what) + " is for " + std::to_string(count) + " joints; the arm has " + std::to_string(joint_count()) +
                                ": " + names);
  }

  Eigen::Isometry3d link_pose(const Positions &positions, const std::string &link) {
    check_count("joint_pos", positions.size());
    UrdfIkPose pose;
    urdf_ik::check(urdf_ik_link_pose(workspace_.get(), positions.data(), index_of(link), &pose));
    const Eigen::Translation3d translation(Eigen::Vector3d::Map(pose.position));
    return translation * Eigen::Quaterniond(pose.orientation);
  }

  /* Valid until the next call. */
  const Rows &jacobian(const Positions &positions, const std::string &link) {
    check_count("joint_pos", positions.size());
    urdf_ik::check(urdf_ik_link_jacobian(workspace_.get(), positions.data(), index_of(link), jacobian_.data()));
    return jacobian_;
  }

  /* The damped inverse (JᵀJ + αI)⁻¹ Jᵀ = Jᵀ (JJᵀ + αI)⁻¹ of the Jacobian J, by the smaller of the two square matrices. Valid until the next
     call. */
  const Inverse &inverse(const Positions &positions, const std::string &link) {
    jacobian(positions, link);
    const bool is_wide = joint_count() > 6;
    Square square;
    if (is_wide) {
      square = jacobian_.lazyProduct(jacobian_.transpose());
    } else {
      square = jacobian_.transpose().lazyProduct(jacobian_);
    }
    square.diagonal().array() += alpha_;
    const Square inverted = inverse_of(square);
    if (is_wide) {
      inverse_ = jacobian_.transpose().lazyProduct(inverted);
    } else {
      inverse_ = inverted.lazyProduct(jacobian_.transpose());
    }
    return inverse_;
  }

 private:
  /* At most 6 x 6, without an allocation. */
  using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

  static Square inverse_of(const Square &square) {
    const Eigen::LDLT<Square> factors(square);
    const auto pivots = factors.vectorD();
    // Rounding leaves pivots of this size where a singular value vanishes.
    if (!(pivots.minCoeff() > 1e-14 * pivots.maxCoeff())) {
      throw std::domain_error("the Jacobian is singular, and has an inverse with a greater damping 'alpha' alone");
    }
    return factors.solve(Square::Identity(square.rows(), square.cols()));
  }

  std::size_t index_of(const std::string &link) const {
    std::size_t index;
    urdf_ik::check(urdf_ik_arm_link(arm_.get(), link.c_str(), &index));
    return index;
  }

  urdf_ik::Arm arm_;
  urdf_ik::Workspace workspace_;
  double alpha_;
  Rows jacobian_;
  Inverse inverse_;
};

}  // namespace urdf_ik_ros2_control
