/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A thin C++17 header above urdf_ik.h: handles that free themselves, vectors, and exceptions in place of statuses. */
#ifndef URDF_IK_HPP
#define URDF_IK_HPP

#include <exception>
#include <utility>

#include "urdf_ik_handles.hpp"
#include "urdf_ik_skeleton.hpp"

namespace urdf_ik {

/* Joint positions [rad or m] with what is known of them. */
struct Answer : UrdfIkAnswer {
  Answer() : UrdfIkAnswer() {}

  bool solved() const { return outcome == URDF_IK_OUTCOME_SOLVED; }

  std::vector<double> positions;

  /* The violation of each goal [m or rad]; of urdf_ik::Workspace::solve() alone. */
  std::vector<double> violations;
};

/* A trajectory along a path: `->` has its fields. Threads can share it. */
class Trajectory {
 public:
  Trajectory(UrdfIkTrajectory *trajectory, std::size_t joint_count) : trajectory_(trajectory), joint_count_(joint_count) {}

  bool complete() const { return trajectory_->reason == nullptr; }

  std::size_t size() const { return trajectory_->count; }

  /* The joint positions at a point [rad or m]. */
  std::vector<double> positions(std::size_t point) const {
    const double *row = trajectory_->positions + point * joint_count_;
    return std::vector<double>(row, row + joint_count_);
  }

  const UrdfIkTrajectory *operator->() const { return trajectory_.get(); }

 private:
  Handle<UrdfIkTrajectory, urdf_ik_trajectory_free> trajectory_;
  std::size_t joint_count_;
};

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
    const std::vector<const char *> texts = addresses(tips);
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

  /* The index of a link whose pose the joints of the arm determine, for Workspace::link_pose() and link_jacobian(). */
  std::size_t link(const std::string &name) const {
    std::size_t index = 0;
    check(urdf_ik_arm_link(get(), name.c_str(), &index));
    return index;
  }

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

  /* The answers to independent problems, on all cores or on so many threads. */
  std::vector<Answer> solve_batch(const std::vector<UrdfIkProblem> &problems, std::size_t threads = 0) const {
    const std::size_t n = joint_count();
    std::vector<double> positions(problems.size() * n);
    std::vector<UrdfIkAnswer> found(problems.size());
    check(urdf_ik_solve_batch(get(), problems.data(), problems.size(), threads, positions.data(), found.data()));
    std::vector<Answer> answers(problems.size());
    for (std::size_t i = 0; i < answers.size(); i++) {
      static_cast<UrdfIkAnswer &>(answers[i]) = found[i];
      answers[i].positions.assign(positions.data() + i * n, positions.data() + (i + 1) * n);
    }
    return answers;
  }

  /* The fastest trajectory along straight lines through the targets of a problem: see urdf_ik_path(). */
  Trajectory path(const UrdfIkProblem &problem, const UrdfIkPathOptions &options = urdf_ik_path_options()) const {
    UrdfIkTrajectory *trajectory = nullptr;
    check(urdf_ik_path(get(), &problem, &options, &trajectory));
    return Trajectory(trajectory, joint_count());
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

/* An arm with its surroundings, for UrdfIkProblem.avoid and UrdfIkServoOptions.avoid. Threads can share it. */
class World {
 public:
  /* The description is the text of a JSON object: see urdf_ik_world_new(). */
  explicit World(const Arm &arm, const std::string &description = "{}") : joint_count_(arm.joint_count()) {
    UrdfIkWorld *world = nullptr;
    check(urdf_ik_world_new(arm.get(), description.c_str(), &world));
    world_.reset(world);
  }

  /* This world with obstacles at other poses, by their names. */
  World moved(const std::vector<std::string> &ids, const std::vector<UrdfIkPose> &poses) const {
    if (ids.size() != poses.size()) {
      throw std::invalid_argument("there must be one pose for each of the ids");
    }
    UrdfIkWorld *world = nullptr;
    check(urdf_ik_world_moved(get(), addresses(ids).data(), poses.data(), ids.size(), &world));
    return World(world, joint_count_);
  }

  bool is_free(const std::vector<double> &positions) const {
    int is_free = 0;
    check(urdf_ik_world_is_free(get(), joints(positions, joint_count_), &is_free));
    return is_free != 0;
  }

  /* The distance of the closest pair of bodies [m], infinite without one, and their names. */
  std::pair<double, std::pair<std::string, std::string>> nearest(const std::vector<double> &positions) const {
    double distance = 0;
    const char *first = nullptr, *second = nullptr;
    check(urdf_ik_world_nearest(get(), joints(positions, joint_count_), &first, &second, &distance));
    return {distance, {first == nullptr ? "" : first, second == nullptr ? "" : second}};
  }

  /* Sentences about shapes that could not be loaded and are not checked. */
  std::vector<std::string> missing_shapes() const {
    std::vector<std::string> sentences;
    while (const char *sentence = urdf_ik_world_missing_shape(get(), sentences.size())) {
      sentences.emplace_back(sentence);
    }
    return sentences;
  }

  const UrdfIkWorld *get() const { return world_.get(); }

 private:
  World(UrdfIkWorld *world, std::size_t joint_count) : world_(world), joint_count_(joint_count) {}

  Handle<UrdfIkWorld, urdf_ik_world_free> world_;
  std::size_t joint_count_;
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
    check(urdf_ik_forward_kinematics(get(), joints(positions, joint_count_), poses.data()));
    return poses;
  }

  /* The Jacobian of a tip, 6 rows of as many entries as there are joints, row after row. */
  std::vector<double> jacobian(const std::vector<double> &positions, std::size_t tip = 0) {
    std::vector<double> jacobian(6 * joint_count_);
    check(urdf_ik_jacobian(get(), joints(positions, joint_count_), tip, jacobian.data()));
    return jacobian;
  }

  /* The pose of a link in the frame of the base link. */
  UrdfIkPose link_pose(const std::vector<double> &positions, std::size_t link) {
    UrdfIkPose pose;
    check(urdf_ik_link_pose(get(), joints(positions, joint_count_), link, &pose));
    return pose;
  }

  /* The Jacobian of a link, as that of a tip. */
  std::vector<double> link_jacobian(const std::vector<double> &positions, std::size_t link) {
    std::vector<double> jacobian(6 * joint_count_);
    check(urdf_ik_link_jacobian(get(), joints(positions, joint_count_), link, jacobian.data()));
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

  /* All distinct solutions: see urdf_ik_solve_all(). */
  std::vector<Answer> solve_all(const UrdfIkProblem &problem) {
    Collection collection{joint_count_, {}, nullptr};
    check(urdf_ik_solve_all(get(), &problem, collect, &collection, nullptr));
    if (collection.failure) {
      std::rethrow_exception(collection.failure);
    }
    return std::move(collection.answers);
  }

  /* A search for these targets, from a seed where there is one. */
  Answer solve(const std::vector<UrdfIkTarget> &targets, const std::vector<double> &seed = {}) {
    UrdfIkProblem problem = urdf_ik_problem();
    problem.targets = targets.data();
    problem.target_count = targets.size();
    problem.seed = seed.empty() ? nullptr : joints(seed, joint_count_);
    return solve(problem);
  }

  /* A search for goals, the text of a JSON array, from a seed where there is one. */
  Answer solve_goals(const std::string &goals, const std::vector<double> &seed = {}) {
    UrdfIkProblem problem = urdf_ik_problem();
    problem.goals = goals.c_str();
    problem.seed = seed.empty() ? nullptr : joints(seed, joint_count_);
    return solve(problem);
  }

  /* The last answer as a sentence. */
  std::string reason() { return urdf_ik_workspace_reason(get()); }

  UrdfIkWorkspace *get() const { return workspace_.get(); }

 private:
  struct Collection {
    std::size_t joint_count;
    std::vector<Answer> answers;
    std::exception_ptr failure;
  };

  /* No exception may cross the library. */
  static int collect(void *context, const double *positions, const UrdfIkAnswer *answer) {
    Collection &collection = *static_cast<Collection *>(context);
    try {
      collection.answers.emplace_back();
      static_cast<UrdfIkAnswer &>(collection.answers.back()) = *answer;
      collection.answers.back().positions.assign(positions, positions + collection.joint_count);
      return 1;
    } catch (...) {
      collection.failure = std::current_exception();
      return 0;
    }
  }

  Handle<UrdfIkWorkspace, urdf_ik_workspace_free> workspace_;
  std::size_t joint_count_, tip_count_;
};

/* Joints that follow commands smoothly, within their limits. One thread at a time uses it. */
class Servo {
 public:
  /* At rest at the positions [rad or m]. */
  Servo(const Arm &arm, const UrdfIkServoOptions &options, const std::vector<double> &positions) : joint_count_(arm.joint_count()) {
    UrdfIkServo *servo = nullptr;
    check(urdf_ik_servo_new(arm.get(), &options, joints(positions, joint_count_), &servo));
    servo_.reset(servo);
  }

  /* Advances by one period, with at most one command per tip, and returns the joint positions to command [rad or m].
     Without commands the arm comes to rest. */
  std::vector<double> step(const std::vector<UrdfIkTipCommand> &commands = {}) {
    std::vector<double> positions(joint_count_);
    check(urdf_ik_servo_step(servo_.get(), commands.data(), commands.size(), positions.data()));
    return positions;
  }

  /* The same with joint velocities [rad/s or m/s]. */
  std::vector<double> step_joints(const std::vector<double> &velocities) {
    std::vector<double> positions(joint_count_);
    check(urdf_ik_servo_step_joints(servo_.get(), joints(velocities, joint_count_), positions.data()));
    return positions;
  }

  std::vector<double> positions() const {
    std::vector<double> values(joint_count_);
    check(urdf_ik_servo_state(servo_.get(), values.data(), nullptr, nullptr));
    return values;
  }

  std::vector<double> velocities() const {
    std::vector<double> values(joint_count_);
    check(urdf_ik_servo_state(servo_.get(), nullptr, values.data(), nullptr));
    return values;
  }

  std::vector<double> accelerations() const {
    std::vector<double> values(joint_count_);
    check(urdf_ik_servo_state(servo_.get(), nullptr, nullptr, values.data()));
    return values;
  }

  /* The report of the last step, valid until the next call. */
  const UrdfIkServoReport &report() { return *urdf_ik_servo_report(servo_.get()); }

 private:
  Handle<UrdfIkServo, urdf_ik_servo_free> servo_;
  std::size_t joint_count_;
};

}  // namespace urdf_ik

#endif
