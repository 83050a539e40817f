/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a planning group of MoveIt is to urdf_ik: an arm, and which of its joints move the joints of the group. */
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <moveit/robot_model/prismatic_joint_model.hpp>
#include <moveit/robot_model/revolute_joint_model.hpp>
#include <moveit/robot_model/robot_model.hpp>

#include "urdf_ik.hpp"

namespace urdf_ik_moveit {

using moveit::core::JointModel;
using moveit::core::JointModelGroup;
using moveit::core::LinkModel;
using moveit::core::RobotModel;
using Positions = std::vector<double>;
using Names = std::vector<std::string>;

/* The joint as the model of the robot has it now, with the bounds that count. */
inline UrdfIkJoint description_of(const JointModel &joint) {
  const LinkModel &parent = *joint.getParentLinkModel(), &child = *joint.getChildLinkModel();
  UrdfIkJoint described = urdf_ik_joint(joint.getName().c_str(), URDF_IK_JOINT_FLOATING, parent.getName().c_str(), child.getName().c_str());
  const Eigen::Isometry3d &origin = child.getJointOriginTransform();
  Eigen::Vector3d::Map(described.origin.position) = origin.translation();
  Eigen::Vector4d::Map(described.origin.orientation) = Eigen::Quaterniond(origin.linear()).coeffs();
  if (joint.getVariableCount() == 1) {
    const auto &bounds = joint.getVariableBounds().front();
    const bool turns = joint.getType() == JointModel::REVOLUTE;
    // joint_limits.yaml can limit a continuous joint.
    described.kind = !turns ? URDF_IK_JOINT_PRISMATIC : bounds.position_bounded_ ? URDF_IK_JOINT_REVOLUTE : URDF_IK_JOINT_CONTINUOUS;
    Eigen::Vector3d::Map(described.axis) = turns ? static_cast<const moveit::core::RevoluteJointModel &>(joint).getAxis()
                                                 : static_cast<const moveit::core::PrismaticJointModel &>(joint).getAxis();
    described.lower = bounds.min_position_;
    described.upper = bounds.max_position_;
  } else if (joint.getType() == JointModel::FIXED) {
    described.kind = URDF_IK_JOINT_FIXED;
  }
  if (joint.getMimic() != nullptr) {
    described.mimic = joint.getMimic()->getName().c_str();
    described.multiplier = joint.getMimicFactor();
    described.offset = joint.getMimicOffset();
  }
  return described;
}

inline urdf_ik::Arm arm_of(const RobotModel &model, const std::string &base, const Names &tips, const std::string &solver) {
  std::vector<UrdfIkJoint> joints;
  for (const JointModel *joint : model.getJointModels()) {
    if (joint->getParentLinkModel() != nullptr) {
      joints.push_back(description_of(*joint));
    }
  }
  return urdf_ik::Arm(urdf_ik::Robot::from_joints(model.getName(), joints), tips, base, solver);
}

/* The tip links of a group: those that are `given`, where they are several or the group is a chain; else those of its end effectors; else its
   leaf links. */
inline Names tips_of(const JointModelGroup &group, const Names &given) {
  Names tips = given;
  if (given.size() > 1 || (group.isChain() && !given.empty()) || (group.getEndEffectorTips(tips) && !tips.empty())) {
    return tips;
  }
  for (const LinkModel *link : group.getLinkModels()) {
    const auto &below = link->getChildJointModels();
    if (std::none_of(below.begin(), below.end(), [&](auto *joint) { return group.hasJointModel(joint->getName()); })) {
      tips.push_back(link->getName());
    }
  }
  return tips;
}

/* A group with its arm. It does not change, so threads can share it. Positions of the group have an entry for each of its joints that has one
   variable, those that mimic others included, in the order of the group; those of the arm have an entry for each joint that mimics no other. */
struct Group {
  /* A joint of the group is at `factor * position of its mover + offset`. Its mover is the index of a joint of the arm, or the number of them
     where none moves it. */
  struct Motion {
    std::size_t mover;
    double factor, offset;
  };

  /* Throws std::exception with a sentence where the group has no such arm. */
  Group(const RobotModel &model, const JointModelGroup &group, const std::string &base, const Names &tips, const std::string &solver)
      : arm(arm_of(model, base, tips, solver)) {
    const Names movers = arm.joint_names();
    for (const JointModel *joint : group.getJointModels()) {
      if (joint->getVariableCount() == 1) {
        const JointModel *leader = joint->getMimic() != nullptr ? joint->getMimic() : joint;
        const std::size_t mover = std::find(movers.begin(), movers.end(), leader->getName()) - movers.begin();
        motions.push_back({mover, joint->getMimicFactor(), joint->getMimicOffset()});
        joint_names.push_back(joint->getName());
      }
    }
    for (const std::string &mover : movers) {
      indices.push_back(std::find(joint_names.begin(), joint_names.end(), mover) - joint_names.begin());
      if (indices.back() == joint_names.size()) {
        throw std::invalid_argument("joint '" + mover + "' moves a tip, but is not in the group");
      }
    }
  }

  /* The entries of the arm's joints. */
  Positions of_arm(const Positions &group) const {
    Positions positions;
    for (const std::size_t index : indices) {
      positions.push_back(group[index]);
    }
    return positions;
  }

  /* Writes the entries of the joints that the arm moves; the others stay. */
  void write(const double *positions, Positions &group) const {
    for (std::size_t i = 0; i < motions.size(); i++) {
      if (motions[i].mover < indices.size()) {
        group[i] = motions[i].factor * positions[motions[i].mover] + motions[i].offset;
      }
    }
  }

  urdf_ik::Arm arm;
  Names joint_names;
  std::vector<Motion> motions;
  /* The index in the group of each joint of the arm. */
  std::vector<std::size_t> indices;
};

}  // namespace urdf_ik_moveit
