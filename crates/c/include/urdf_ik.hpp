/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A thin C++17 header above urdf_ik.h: handles that free themselves, vectors, and exceptions in place of statuses. */
#ifndef URDF_IK_HPP
#define URDF_IK_HPP

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "urdf_ik.h"

namespace urdf_ik {

/* A call that failed, with the sentence of urdf_ik_error(). */
class Error : public std::runtime_error {
 public:
  explicit Error(UrdfIkStatus code) : std::runtime_error(urdf_ik_error()), status(code) {}

  UrdfIkStatus status;
};

inline void check(UrdfIkStatus status) {
  if (status != URDF_IK_STATUS_OK) {
    throw Error(status);
  }
}

/* A handle that is freed by Free. */
template <typename T, void (*Free)(T *)>
struct Freed {
  void operator()(T *handle) const { Free(handle); }
};

template <typename T, void (*Free)(T *)>
using Handle = std::unique_ptr<T, Freed<T, Free>>;

/* The links and joints of a URDF. Threads can share it. */
class Robot {
 public:
  static Robot from_file(const std::string &path, bool soft_limits = false) {
    UrdfIkRobot *robot = nullptr;
    check((soft_limits ? urdf_ik_robot_from_file_with_soft_limits : urdf_ik_robot_from_file)(path.c_str(), &robot));
    return Robot(robot);
  }

  static Robot from_urdf(const std::string &text, bool soft_limits = false) {
    UrdfIkRobot *robot = nullptr;
    check((soft_limits ? urdf_ik_robot_from_urdf_with_soft_limits : urdf_ik_robot_from_urdf)(text.c_str(), &robot));
    return Robot(robot);
  }

  /* A robot of data, without the text of a URDF. The texts of the joints must live until this returns. */
  static Robot from_joints(const std::string &name, const std::vector<UrdfIkJoint> &joints) {
    UrdfIkRobot *robot = nullptr;
    check(urdf_ik_robot_from_joints(name.c_str(), joints.data(), joints.size(), &robot));
    return Robot(robot);
  }

  const UrdfIkRobot *get() const { return robot_.get(); }

 private:
  explicit Robot(UrdfIkRobot *robot) : robot_(robot) {}

  Handle<UrdfIkRobot, urdf_ik_robot_free> robot_;
};

/* The joints between a base link and one or several tip links, with a solver for them. Threads can share it. */
class Arm {
 public:
  /* Without tips to the only leaf link that moves, and with an empty base from the root link. */
  explicit Arm(const Robot &robot, const std::vector<std::string> &tips = {}, const std::string &base = "",
               const std::string &solver = "jacobian") {
    std::vector<const char *> texts;
    for (const std::string &tip : tips) {
      texts.push_back(tip.c_str());
    }
    UrdfIkArm *arm = nullptr;
    check(urdf_ik_arm_new(robot.get(), base.empty() ? nullptr : base.c_str(), texts.data(), texts.size(), solver.c_str(), &arm));
    arm_.reset(arm);
  }

  /* The same arm with a tool on each tip link: its pose in the frame of the link. */
  Arm with_tools(const std::vector<UrdfIkPose> &tools) const {
    UrdfIkArm *arm = nullptr;
    check(urdf_ik_arm_with_tools(get(), tools.data(), tools.size(), &arm));
    return Arm(arm);
  }

  std::size_t joint_count() const { return urdf_ik_arm_joint_count(get()); }

  std::size_t tip_count() const { return urdf_ik_arm_tip_count(get()); }

  std::vector<std::string> joint_names() const { return names(joint_count(), urdf_ik_arm_joint_name); }

  std::vector<std::string> tips() const { return names(tip_count(), urdf_ik_arm_tip_name); }

  /* The lower and the upper limits [rad or m]; infinite for continuous joints. */
  std::pair<std::vector<double>, std::vector<double>> bounds() const {
    std::vector<double> lower(joint_count()), upper(joint_count());
    check(urdf_ik_arm_bounds(get(), lower.data(), upper.data()));
    return {std::move(lower), std::move(upper)};
  }

  /* The middle of the joint ranges [rad or m]. */
  std::vector<double> nominal() const {
    std::vector<double> positions(joint_count());
    check(urdf_ik_arm_nominal(get(), positions.data()));
    return positions;
  }

  const UrdfIkArm *get() const { return arm_.get(); }

 private:
  explicit Arm(UrdfIkArm *arm) : arm_(arm) {}

  std::vector<std::string> names(std::size_t count, const char *(*name)(const UrdfIkArm *, std::size_t)) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; i++) {
      names.emplace_back(name(get(), i));
    }
    return names;
  }

  Handle<UrdfIkArm, urdf_ik_arm_free> arm_;
};

/* Joint positions [rad or m] with what is known of them. */
struct Answer : UrdfIkAnswer {
  bool solved() const { return outcome == URDF_IK_OUTCOME_SOLVED; }

  std::vector<double> positions;

  /* The violation of each goal [m or rad]. */
  std::vector<double> violations;
};

/* What one thread solves the problems of an arm in. */
class Workspace {
 public:
  explicit Workspace(const Arm &arm) : joint_count_(arm.joint_count()), tip_count_(arm.tip_count()) {
    UrdfIkWorkspace *workspace = nullptr;
    check(urdf_ik_workspace_new(arm.get(), &workspace));
    workspace_.reset(workspace);
  }

  /* The pose of each tip in the frame of the base link. */
  std::vector<UrdfIkPose> forward_kinematics(const std::vector<double> &positions) {
    std::vector<UrdfIkPose> poses(tip_count_);
    check(urdf_ik_forward_kinematics(get(), joints(positions), poses.data()));
    return poses;
  }

  /* The Jacobian of a tip, 6 rows of as many entries as there are joints, row after row. */
  std::vector<double> jacobian(const std::vector<double> &positions, std::size_t tip = 0) {
    std::vector<double> jacobian(6 * joint_count_);
    check(urdf_ik_jacobian(get(), joints(positions), tip, jacobian.data()));
    return jacobian;
  }

  Answer solve(const UrdfIkProblem &problem) {
    Answer answer;
    answer.positions.resize(joint_count_);
    check(urdf_ik_solve(get(), &problem, answer.positions.data(), &answer));
    std::size_t count = 0;
    const double *violations = urdf_ik_workspace_violations(get(), &count);
    answer.violations.assign(violations, violations + count);
    return answer;
  }

  /* A search for these targets, from a seed where there is one. */
  Answer solve(const std::vector<UrdfIkTarget> &targets, const std::vector<double> &seed = {}) {
    UrdfIkProblem problem = urdf_ik_problem();
    problem.targets = targets.data();
    problem.target_count = targets.size();
    problem.seed = seed.empty() ? nullptr : joints(seed);
    return solve(problem);
  }

  /* A search for goals, the text of a JSON array, from a seed where there is one. */
  Answer solve_goals(const std::string &goals, const std::vector<double> &seed = {}) {
    UrdfIkProblem problem = urdf_ik_problem();
    problem.goals = goals.c_str();
    problem.seed = seed.empty() ? nullptr : joints(seed);
    return solve(problem);
  }

  /* The last answer as a sentence. */
  std::string reason() { return urdf_ik_workspace_reason(get()); }

  UrdfIkWorkspace *get() const { return workspace_.get(); }

 private:
  const double *joints(const std::vector<double> &positions) const {
    if (positions.size() != joint_count_) {
      throw std::invalid_argument("there are " + std::to_string(positions.size()) + " joint positions, but the arm has " +
                                  std::to_string(joint_count_) + " joints");
    }
    return positions.data();
  }

  Handle<UrdfIkWorkspace, urdf_ik_workspace_free> workspace_;
  std::size_t joint_count_, tip_count_;
};

}  // namespace urdf_ik

#endif
