// SPDX-License-Identifier: Apache-2.0 OR MIT
// The kinematics plug-in for MoveIt.
#include <algorithm>
#include <memory>
#include <mutex>

#include <pluginlib/class_list_macros.hpp>
#include <tf2_eigen/tf2_eigen.hpp>

#include "group.hpp"
#include "parameters.hpp"
#include "request.hpp"

namespace urdf_ik_moveit {

/* Once it is initialized, any number of threads may ask at once. */
class UrdfIkPlugin : public KinematicsBase {
 public:
  bool initialize(const rclcpp::Node::SharedPtr &node, const RobotModel &model, const std::string &group, const std::string &base,
                  const Names &tips, double search_discretization) override try {
    node_ = node;
    storeValues(model, group, base, tips, search_discretization);
    joints_ = model.getJointModelGroup(group);
    std::string error = "the robot has no such group";
    if (joints_ == nullptr || !supportsGroup(joints_, &error)) {
      throw std::invalid_argument(error);
    }
    parameters_ = Parameters(*node, group);
    tip_frames_ = parameters_.tip_links.empty() ? tips_of(*joints_, tip_frames_) : parameters_.tip_links;
    group_ = std::make_unique<Group>(model, *joints_, base_frame_, tip_frames_, parameters_.solver);
    default_state_ = std::make_unique<RobotState>(robot_model_);
    default_state_->setToDefaultValues();
    joint_names_ = group_->joint_names;
    link_names_ = joints_->getLinkModelNames();
    return true;
  } catch (const std::exception &error) {
    return refuse(error.what());
  }

  bool supportsGroup(const JointModelGroup *group, std::string *error) const override {
    const bool is_supported = group->isSingleDOFJoints() && !group->getActiveJointModels().empty();
    if (!is_supported && error != nullptr) {
      *error = "the joints of the group must have one variable each, and one of them must move";
    }
    return is_supported;
  }

  const Names &getJointNames() const override { return joint_names_; }

  const Names &getLinkNames() const override { return link_names_; }

  bool getPositionIK(const Pose &pose, const Positions &seed, Positions &solution, ErrorCode &code, const Options &options) const override {
    return solve({{pose}, seed, default_timeout_, 1, {}, {}, {}, options, nullptr}, solution, code);
  }

  bool getPositionIK(const std::vector<Pose> &poses, const Positions &seed, std::vector<Positions> &solutions,
                     kinematics::KinematicsResult &result, const Options &options) const override {
    if (options.discretization_method != kinematics::DiscretizationMethods::NO_DISCRETIZATION) {
      result = {kinematics::KinematicErrors::UNSUPORTED_DISCRETIZATION_REQUESTED, 0.0};
      return false;
    }
    ErrorCode code;
    solutions.assign(1, {});
    const bool is_solved = solve({poses, seed, default_timeout_, 1, {}, {}, {}, options, nullptr}, solutions.front(), code);
    solutions.resize(is_solved ? 1 : 0);
    result = {is_solved ? kinematics::KinematicErrors::OK : kinematics::KinematicErrors::NO_SOLUTION, is_solved ? 1.0 : 0.0};
    return is_solved;
  }

  bool searchPositionIK(const Pose &pose, const Positions &seed, double timeout, Positions &solution, ErrorCode &code,
                        const Options &options) const override {
    return searchPositionIK({pose}, seed, timeout, {}, solution, {}, {}, code, options, nullptr);
  }
  bool searchPositionIK(const Pose &pose, const Positions &seed, double timeout, const Positions &limits, Positions &solution,
                        ErrorCode &code, const Options &options) const override {
    return searchPositionIK({pose}, seed, timeout, limits, solution, {}, {}, code, options, nullptr);
  }
  bool searchPositionIK(const Pose &pose, const Positions &seed, double timeout, Positions &solution, const IKCallbackFn &callback,
                        ErrorCode &code, const Options &options) const override {
    return searchPositionIK({pose}, seed, timeout, {}, solution, callback, {}, code, options, nullptr);
  }
  bool searchPositionIK(const Pose &pose, const Positions &seed, double timeout, const Positions &limits, Positions &solution,
                        const IKCallbackFn &callback, ErrorCode &code, const Options &options) const override {
    return searchPositionIK({pose}, seed, timeout, limits, solution, callback, {}, code, options, nullptr);
  }
  bool searchPositionIK(const std::vector<Pose> &poses, const Positions &seed, double timeout, const Positions &limits,
                        Positions &solution, const IKCallbackFn &callback, ErrorCode &code, const Options &options,
                        const RobotState *context) const override {
    return searchPositionIK(poses, seed, timeout, limits, solution, callback, {}, code, options, context);
  }

  bool searchPositionIK(const std::vector<Pose> &poses, const Positions &seed, double timeout, const Positions &limits,
                        Positions &solution, const IKCallbackFn &callback, const IKCostFn &cost, ErrorCode &code,
                        const Options &options, const RobotState *context) const override {
    const double time = timeout > 0.0 ? timeout : default_timeout_;
    return solve({poses, seed, time, parameters_.attempts, limits, callback, cost, options, context}, solution, code);
  }

  /* The poses of any links of the robot; joints that are not in the group are at their default positions. */
  bool getPositionFK(const Names &links, const Positions &positions, std::vector<Pose> &poses) const override try {
    check(group_ == nullptr ? 0 : 1, 1, "initialized groups");
    check(positions.size(), joint_names_.size(), "positions");
    RobotState state(*default_state_);
    state.setJointGroupPositions(joints_, positions);
    state.update();
    const Eigen::Isometry3d base = state.getFrameTransform(base_frame_);
    poses.clear();
    for (const std::string &link : links) {
      const LinkModel *model = robot_model_->getLinkModel(link);
      if (model == nullptr) {
        throw std::invalid_argument("the robot has no link '" + link + "'");
      }
      poses.push_back(tf2::toMsg(base.inverse() * state.getGlobalLinkTransform(model)));
    }
    return true;
  } catch (const std::exception &error) {
    return refuse(error.what());
  }

 private:
  bool refuse(const char *sentence) const {
    RCLCPP_ERROR(rclcpp::get_logger("urdf_ik.moveit"), "group '%s': %s", group_name_.c_str(), sentence);
    return false;
  }

  static void check(std::size_t found, std::size_t expected, const char *what) {
    if (found != expected) {
      throw std::invalid_argument("there are " + std::to_string(found) + " " + what + ", but must be " + std::to_string(expected));
    }
  }

  bool solve(const Request &request, Positions &solution, ErrorCode &code) const {
    code.val = ErrorCode::NO_IK_SOLUTION;
    std::exception_ptr thrown;
    try {
      check(group_ == nullptr ? 0 : 1, 1, "initialized groups");
      Questions questions{request, *group_, joints_, request.seed, {}, nullptr};
      if (request.cost) {
        questions.state.emplace(request.context != nullptr ? *request.context : *default_state_);
      }
      const bool is_close = parameters_.position_only && !request.cost;
      urdf_ik::Answer answer = this->answer(request, questions, is_close);
      bool is_solution = answer.solved() || (is_close && answer.outcome == URDF_IK_OUTCOME_POSITION_ONLY);
      if (is_close && !is_solution) {
        // If the callback refuses the closest orientations, or time ran out, any orientation is accepted.
        answer = this->answer(request, questions, false);
        is_solution = answer.solved();
      }
      // The callback has not been called for the closest positions.
      if (is_solution || (request.options.return_approximate_solution && questions.accepts(answer.positions.data()))) {
        solution = request.seed;
        group_->write(answer.positions.data(), solution);
        code.val = ErrorCode::SUCCESS;
      }
      thrown = questions.thrown;
    } catch (const std::exception &error) {
      refuse(error.what());
    }
    if (thrown) {
      std::rethrow_exception(thrown);
    }
    return code.val == ErrorCode::SUCCESS;
  }

  /* The answer to a request; where the position alone counts, with the orientation as close as it goes, or with any. */
  urdf_ik::Answer answer(const Request &request, Questions &questions, bool is_close) const {
    const std::size_t count = joint_names_.size();
    check(request.poses.size(), tip_frames_.size(), "poses");
    check(request.seed.size(), count, "positions in the seed");
    check(request.limits.empty() ? count : request.limits.size(), count, "consistency limits");
    std::vector<UrdfIkTarget> targets;
    for (const Pose &pose : request.poses) {
      const auto &[position, orientation] = std::tie(pose.position, pose.orientation);
      targets.push_back(urdf_ik_target(targets.size(), {{position.x, position.y, position.z},
                                                        {orientation.x, orientation.y, orientation.z, orientation.w}}));
      targets.back().position_tolerance = parameters_.position_tolerance;
      targets.back().orientation_tolerance = parameters_.orientation_tolerance;
      std::fill(targets.back().free_axes + 3, targets.back().free_axes + 6, parameters_.position_only && !is_close ? 1 : 0);
    }
    const Positions seed = group_->of_arm(request.seed);
    Positions room = request.limits.empty() ? Positions(seed.size(), INFINITY) : group_->of_arm(request.limits);
    for (const unsigned int joint : redundant_joint_indices_) {
      if (request.options.lock_redundant_joints && group_->motions[joint].mover < room.size()) {
        room[group_->motions[joint].mover] = 0.0;
      }
    }
    Positions lower, upper;
    for (std::size_t i = 0; i < seed.size(); i++) {
      lower.push_back(seed[i] - room[i]);
      upper.push_back(seed[i] + room[i]);
    }
    UrdfIkProblem problem = urdf_ik_problem();
    problem.targets = targets.data();
    problem.target_count = targets.size();
    problem.seed = seed.data();
    const bool is_bounded = !request.limits.empty() || request.options.lock_redundant_joints;
    problem.lower = is_bounded ? lower.data() : nullptr;
    problem.upper = is_bounded ? upper.data() : nullptr;
    problem.pick = parameters_.pick;
    problem.attempts = request.attempts;
    problem.timeout = is_close ? request.timeout / 2.0 : request.timeout;
    problem.closest = request.options.return_approximate_solution ? URDF_IK_CLOSEST_POSE : URDF_IK_CLOSEST_NONE;
    if (is_close) {
      problem.closest = URDF_IK_CLOSEST_POSITION;
    }
    questions.put_into(problem);
    std::unique_ptr<urdf_ik::Workspace> workspace = borrow();
    urdf_ik::Answer answer = workspace->solve(problem);
    const std::lock_guard<std::mutex> lock(mutex_);
    workspaces_.push_back(std::move(workspace));
    return answer;
  }

  std::unique_ptr<urdf_ik::Workspace> borrow() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (workspaces_.empty()) {
      return std::make_unique<urdf_ik::Workspace>(group_->arm);
    }
    std::unique_ptr<urdf_ik::Workspace> workspace = std::move(workspaces_.back());
    workspaces_.pop_back();
    return workspace;
  }

  const JointModelGroup *joints_ = nullptr;
  Parameters parameters_;
  std::unique_ptr<const Group> group_;
  std::unique_ptr<RobotState> default_state_;
  Names joint_names_, link_names_;
  mutable std::vector<std::unique_ptr<urdf_ik::Workspace>> workspaces_;  // unused by any thread now
  mutable std::mutex mutex_;
};

}  // namespace urdf_ik_moveit

PLUGINLIB_EXPORT_CLASS(urdf_ik_moveit::UrdfIkPlugin, kinematics::KinematicsBase)
