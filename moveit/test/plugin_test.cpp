// SPDX-License-Identifier: Apache-2.0 OR MIT
// The plug-in as MoveIt loads and asks it: plugin_test FOLDER_OF_URDFS. Answers are judged by MoveIt's own state of the robot.
#include <malloc.h>
#include <rcutils/logging.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <thread>
#include <tuple>

#include <moveit/kinematics_base/kinematics_base.hpp>
#include <moveit/robot_state/robot_state.hpp>
#include <pluginlib/class_loader.hpp>
#include <rclcpp/rclcpp.hpp>
#include <srdfdom/model.h>
#include <tf2_eigen/tf2_eigen.hpp>
#include <urdf/model.h>

namespace {

using kinematics::KinematicsBase;
using moveit::core::JointModelGroup;
using moveit::core::RobotModel;
using moveit::core::RobotState;
using Pose = geometry_msgs::msg::Pose;
using Positions = std::vector<double>;
using Names = std::vector<std::string>;
using ErrorCode = moveit_msgs::msg::MoveItErrorCodes;
using Options = kinematics::KinematicsQueryOptions;

std::atomic<int> failures{0};

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::cerr << __FILE__ << ':' << __LINE__ << ": not so: " #condition "\n"; \
      failures++;                                                               \
    }                                                                           \
  } while (false)

std::string read(const std::string &file) {
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::shared_ptr<RobotModel> model_of(const std::string &urdf_text, const std::string &srdf_inside) {
  const auto urdf = std::make_shared<urdf::Model>();
  const auto srdf = std::make_shared<srdf::Model>();
  if (!urdf->initString(urdf_text) || !srdf->initString(*urdf, "<robot name='" + urdf->getName() + "'>" + srdf_inside + "</robot>")) {
    throw std::runtime_error("a robot of the tests cannot be read");
  }
  return std::make_shared<RobotModel>(urdf, srdf);
}

/* A node with these parameters of the group `arm`. */
rclcpp::Node::SharedPtr node_with(const std::vector<std::pair<std::string, rclcpp::ParameterValue>> &parameters = {}, bool declared = true) {
  std::vector<rclcpp::Parameter> overrides;
  for (const auto &[name, value] : parameters) {
    overrides.emplace_back("robot_description_kinematics.arm." + name, value);
  }
  rclcpp::NodeOptions options;
  options.parameter_overrides(overrides).automatically_declare_parameters_from_overrides(declared).start_parameter_services(false).enable_rosout(false);
  return std::make_shared<rclcpp::Node>("plugin_test", options);
}

/* The group `arm` of a robot with a plug-in of its own. */
struct Arm {
  static pluginlib::ClassLoader<KinematicsBase> &loader() {
    static pluginlib::ClassLoader<KinematicsBase> loader("moveit_core", "kinematics::KinematicsBase");
    return loader;
  }

  static std::shared_ptr<KinematicsBase> create() { return loader().createSharedInstance("urdf_ik/UrdfIkPlugin"); }

  Arm(const std::shared_ptr<RobotModel> &model, const std::string &base, const Names &tips, rclcpp::Node::SharedPtr node = node_with())
      : model(model), group(model->getJointModelGroup("arm")), plugin(create()), state(model), random(7) {
    works = plugin->initialize(node, *model, "arm", base, tips, 0.1);
    state.setToDefaultValues();
  }

  Positions random_positions() {
    state.setToRandomPositions(group, random);
    state.update();
    Positions positions;
    state.copyJointGroupPositions(group, positions);
    return positions;
  }

  std::vector<Pose> poses(const Positions &positions) {
    state.setJointGroupPositions(group, positions);
    state.update();
    std::vector<Pose> poses;
    for (const std::string &tip : plugin->getTipFrames()) {
      poses.push_back(tf2::toMsg(state.getFrameTransform(plugin->getBaseFrame()).inverse() * state.getGlobalLinkTransform(tip)));
    }
    return poses;
  }

  /* Whether positions are in the bounds, and put all tips at the poses. */
  bool meets(const Positions &positions, const std::vector<Pose> &targets, bool position_only = false) {
    bool is_met = positions.size() == group->getVariableCount();
    if (is_met) {
      const std::vector<Pose> reached = poses(positions);
      for (std::size_t i = 0; i < targets.size(); i++) {
        Eigen::Isometry3d is, should;
        tf2::fromMsg(reached[i], is);
        tf2::fromMsg(targets[i], should);
        const double angle = Eigen::AngleAxisd(is.linear().transpose() * should.linear()).angle();
        is_met = is_met && (is.translation() - should.translation()).norm() < 1.1e-5 && (position_only || angle < 1.1e-5);
      }
    }
    return is_met && state.satisfiesBounds(group, 1e-9);
  }

  std::shared_ptr<RobotModel> model;
  const JointModelGroup *group;
  std::shared_ptr<KinematicsBase> plugin;
  RobotState state;
  random_numbers::RandomNumberGenerator random;
  bool works;
};

/* All the arguments of a search, with defaults. */
struct Search {
  bool by(const KinematicsBase &plugin, const std::vector<Pose> &poses, const Positions &seed) {
    solution.clear();
    return plugin.searchPositionIK(poses, seed, timeout, limits, solution, callback, cost, code, options, context);
  }

  double timeout = 5.0;
  Positions limits;
  KinematicsBase::IKCallbackFn callback;
  KinematicsBase::IKCostFn cost;
  Options options;
  const RobotState *context = nullptr;
  Positions solution;
  ErrorCode code;
};

std::string folder;

const std::string CHAIN = "<group name='arm'><chain base_link='base_link' tip_link='tool0'/></group>";

Arm arm7(rclcpp::Node::SharedPtr node = node_with()) {
  return Arm(model_of(read(folder + "/arm7.urdf"), CHAIN), "base_link", {"tool0"}, node);
}

/* Two arms on a torso that turns, as MoveIt's loader passes them: with one tip. */
Arm two_arms(const std::string &more, const rclcpp::Node::SharedPtr &node = node_with()) {
  const std::string groups = "<group name='left'><chain base_link='torso' tip_link='left_hand'/></group>"
                             "<group name='right'><chain base_link='torso' tip_link='right_hand'/></group>"
                             "<group name='arm'><joint name='torso_joint'/><group name='left'/><group name='right'/></group>";
  return Arm(model_of(read(folder + "/dual_arm.urdf"), groups + more), "base_link", {"right_hand"}, node);
}

std::string joint(const std::string &name, const std::string &type, const std::string &parent, const std::string &child, const std::string &more) {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" + more + "</joint>";
}

const std::string LIMIT = "<limit lower='-1.5' upper='1.5' effort='1' velocity='1'/>";

/* A lift and a crane, the joint `second` of which mimics `first`, with a gripper that moves no tip. */
std::string mimicking() {
  const std::string x = "<origin xyz='0.5 0 0' rpy='0.3 0 0'/><axis xyz='0 0 2'/>";
  return "<robot name='mimicking'><link name='base_link'/><link name='a'/><link name='b'/><link name='c'/><link name='tool0'/><link name='finger'/>" +
         joint("lift", "prismatic", "base_link", "a", "<origin xyz='0 0.1 0.2'/><axis xyz='0 0 1'/><limit lower='0' upper='0.5' effort='1' velocity='1'/>") +
         joint("second", "revolute", "a", "b", x + LIMIT + "<mimic joint='first' multiplier='-2' offset='0.5'/>") +
         joint("first", "revolute", "b", "c", x + LIMIT) + joint("turn", "continuous", "c", "tool0", x) +
         joint("finger", "prismatic", "tool0", "finger", x + LIMIT) + "</robot>";
}

void plain_searches_and_names() {
  Arm arm = arm7();
  EXPECT(arm.works && arm.plugin->getJointNames() == arm.group->getVariableNames());
  EXPECT(arm.plugin->getTipFrame() == "tool0" && arm.plugin->getLinkNames() == arm.group->getLinkModelNames());
  EXPECT(arm.plugin->supportsGroup(arm.group));
  for (int i = 0; i < 500; i++) {
    const Positions goal = arm.random_positions(), seed = arm.random_positions();
    const std::vector<Pose> poses = arm.poses(goal);
    Positions solution, again;
    ErrorCode code;
    EXPECT(arm.plugin->searchPositionIK(poses[0], seed, 1.0, solution, code) && code.val == ErrorCode::SUCCESS);
    EXPECT(arm.meets(solution, poses));
    EXPECT(arm.plugin->searchPositionIK(poses[0], seed, 1.0, Positions(), again, code) && again == solution);
    EXPECT(arm.plugin->searchPositionIK(poses[0], seed, 1.0, again, KinematicsBase::IKCallbackFn(), code) && again == solution);
    // One attempt from a seed nearby, and not at all out of reach.
    Positions nearby = goal;
    nearby[i % 7] += 1e-3;
    EXPECT(arm.plugin->getPositionIK(poses[0], nearby, solution, code) && arm.meets(solution, poses));
    std::vector<Positions> solutions;
    kinematics::KinematicsResult result;
    EXPECT(arm.plugin->getPositionIK(poses, nearby, solutions, result, Options()) && solutions.size() == 1 && solutions[0] == solution);
  }
}

void bounds_of_the_model_count() {
  const auto model = model_of(read(folder + "/arm7.urdf"), CHAIN);
  // As RobotModelLoader does with joint_limits.yaml, also for a continuous joint.
  for (const auto &[name, most] : {std::pair("shoulder_pan_joint", 0.4), std::pair("wrist_roll_joint", 0.5)}) {
    moveit::core::VariableBounds bounds = model->getJointModel(name)->getVariableBounds().front();
    bounds.min_position_ = -most;
    bounds.max_position_ = most;
    bounds.position_bounded_ = true;
    model->getJointModel(name)->setVariableBounds(name, bounds);
  }
  Arm arm(model, "base_link", {"tool0"});
  for (int i = 0; i < 200; i++) {
    Search search;
    const std::vector<Pose> poses = arm.poses(arm.random_positions());
    const bool is_solved = search.by(*arm.plugin, poses, arm.random_positions());
    EXPECT(is_solved && arm.meets(search.solution, poses) && std::abs(search.solution[0]) <= 0.4 && std::abs(search.solution[6]) <= 0.5);
  }
}

void joints_that_mimic_others_are_in_the_list() {
  const auto model = model_of(mimicking(), CHAIN);
  Arm arm(model, "base_link", {"tool0"});
  EXPECT((arm.plugin->getJointNames() == Names{"lift", "second", "first", "turn"}));
  // Where `second` is inside its limits, too.
  const auto goal_of = [](Arm &arm) {
    Positions goal = arm.random_positions();
    goal[2] = arm.random.uniformReal(-0.5, 1.0);
    goal[1] = 0.5 - 2.0 * goal[2];
    return goal;
  };
  for (int i = 0; i < 200; i++) {
    Search search;
    const std::vector<Pose> poses = arm.poses(goal_of(arm));
    const bool is_solved = search.by(*arm.plugin, poses, arm.random_positions());
    EXPECT(is_solved && arm.meets(search.solution, poses));
    EXPECT(is_solved && std::abs(search.solution[1]) <= 1.5 && std::abs(search.solution[1] - (0.5 - 2.0 * search.solution[2])) < 1e-12);
  }
  // Joints of the group that move no tip stay where the seed has them.
  const auto larger = model_of(mimicking(), "<group name='arm'><chain base_link='base_link' tip_link='finger'/></group>");
  Arm hand(larger, "base_link", {"finger"}, node_with({{"tip_links", rclcpp::ParameterValue(Names{"tool0"})}}));
  const std::vector<Pose> poses = hand.poses(goal_of(hand));
  const Positions seed = hand.random_positions();
  Search search;
  EXPECT(search.by(*hand.plugin, poses, seed) && hand.meets(search.solution, poses) && search.solution[4] == seed[4]);
}

void several_tips() {
  const std::string hands = "<group name='left_tool'><link name='left_hand'/></group><group name='right_tool'><link name='right_hand'/></group>"
                            "<end_effector name='left_eef' parent_link='left_palm' group='left_tool' parent_group='arm'/>"
                            "<end_effector name='right_eef' parent_link='right_palm' group='right_tool' parent_group='arm'/>";
  const rclcpp::ParameterValue palms(Names{"right_palm", "left_hand"});
  for (Arm arm : {two_arms(""), two_arms(hands), two_arms("", node_with({{"tip_links", palms}})), two_arms("", node_with({{"tip_links", palms}}, false))}) {
    EXPECT(arm.works && arm.plugin->getTipFrames().size() == 2 && arm.plugin->supportsGroup(arm.group));
    int solved = 0;
    for (int i = 0; i < 50; i++) {
      Search search;
      const std::vector<Pose> poses = arm.poses(arm.random_positions());
      const bool is_solved = search.by(*arm.plugin, poses, arm.random_positions());
      EXPECT(!is_solved || arm.meets(search.solution, poses));
      solved += is_solved;
    }
    EXPECT(solved >= 48);
  }
  EXPECT((std::set<std::string>{two_arms("").plugin->getTipFrames()[0], two_arms("").plugin->getTipFrames()[1]} == std::set<std::string>{"left_hand", "right_hand"}));
  EXPECT((two_arms("", node_with({{"tip_links", palms}})).plugin->getTipFrames() == Names{"right_palm", "left_hand"}));
  const Names tips = two_arms(hands).plugin->getTipFrames();
  EXPECT((std::set<std::string>(tips.begin(), tips.end()) == std::set<std::string>{"left_palm", "right_palm"}));
}

/* The state of the robot asks the plug-in, also for one of two tips: the other stays where it is. */
void states_are_set_from_poses() {
  for (const bool two : {false, true}) {
    Arm arm = two ? two_arms("") : arm7();
    arm.model->setKinematicsAllocators({{"arm", [&](const JointModelGroup *) { return arm.plugin; }}});
    RobotState state(arm.model), goal(arm.model);
    state.setToDefaultValues();
    goal.setToDefaultValues();
    for (int i = 0; i < 50; i++) {
      // Near the present positions, so that both hands can be where they should.
      state.setToRandomPositions(arm.group, arm.random);
      goal = state;
      Positions positions;
      goal.copyJointGroupPositions(arm.group, positions);
      for (double &position : positions) {
        position += arm.random.uniformReal(-0.02, 0.02);
      }
      goal.setJointGroupPositions(arm.group, positions);
      goal.enforceBounds(arm.group);
      goal.update();
      state.update();
      const std::string tip = two ? "left_hand" : "tool0";
      const Eigen::Isometry3d other = state.getGlobalLinkTransform(two ? "right_hand" : "base_link");
      int asked = 0;
      const auto valid = [&](RobotState *, const JointModelGroup *, const double *) { return ++asked > 2; };
      const bool is_set = state.setFromIK(arm.group, goal.getGlobalLinkTransform(tip), tip, 0.2, two ? moveit::core::GroupStateValidityCallbackFn() : valid);
      state.update();
      if (two && !is_set) {
        continue;  // The torso moves both hands: six joints of an arm may not make up for it at a limit.
      }
      EXPECT(is_set && (two || asked > 2));
      EXPECT((state.getGlobalLinkTransform(tip).translation() - goal.getGlobalLinkTransform(tip).translation()).norm() < 1.1e-5);
      EXPECT((state.getGlobalLinkTransform(two ? "right_hand" : "base_link").translation() - other.translation()).norm() < 1.1e-5);
    }
  }
}

void a_callback_is_asked_until_it_accepts() {
  Arm arm = arm7();
  int solved = 0;
  for (int i = 0; i < 100; i++) {
    const std::vector<Pose> poses = arm.poses(arm.random_positions());
    Positions accepted;
    std::set<Positions> asked;
    Search search;
    search.callback = [&](const Pose &, const Positions &positions, ErrorCode &code) {
      EXPECT(arm.meets(positions, poses));
      asked.insert(positions);
      // A lot that is drawn by the positions, so that nine of ten are refused.
      const bool is_accepted = std::fmod(std::abs(positions[0]) * 1e4, 1.0) < 0.1;
      code.val = is_accepted ? ErrorCode::SUCCESS : ErrorCode::GOAL_IN_COLLISION;
      accepted = is_accepted ? positions : accepted;
    };
    if (search.by(*arm.plugin, poses, arm.random_positions())) {
      EXPECT(search.solution == accepted && search.code.val == ErrorCode::SUCCESS);
      solved++;
    }
  }
  EXPECT(solved >= 99);
  // One that refuses all is asked until the time is up, here the default one; its exceptions come through.
  const std::vector<Pose> poses = arm.poses(arm.random_positions());
  Search search;
  std::set<Positions> asked;
  search.timeout = 0.0;
  arm.plugin->setDefaultTimeout(0.2);
  search.callback = [&](const Pose &, const Positions &positions, ErrorCode &code) {
    asked.insert(positions);
    code.val = ErrorCode::NO_IK_SOLUTION;
  };
  EXPECT(!search.by(*arm.plugin, poses, arm.random_positions()) && asked.size() > 100 && search.code.val != ErrorCode::SUCCESS);
  search.callback = [](const Pose &, const Positions &, ErrorCode &) { throw std::domain_error("from the callback"); };
  try {
    search.by(*arm.plugin, poses, arm.random_positions());
    EXPECT(false);
  } catch (const std::domain_error &error) {
    EXPECT(error.what() == std::string("from the callback"));
  }
}

void a_cost_keeps_the_best() {
  Arm arm = arm7();
  RobotState context(arm.model);
  context.setToDefaultValues();
  for (int i = 0; i < 20; i++) {
    const std::vector<Pose> poses = arm.poses(arm.random_positions());
    const Positions seed = arm.random_positions();
    double least = INFINITY;
    Search plain, best;
    best.context = i % 2 == 0 ? &context : nullptr;
    const auto cost_of = [](const RobotState &state) { return -state.getGlobalLinkTransform("elbow_link").translation().z(); };
    best.cost = [&](const Pose &, const RobotState &state, const JointModelGroup *group, const Positions &given) {
      Positions positions;
      state.copyJointGroupPositions(group, positions);
      EXPECT(given == seed && arm.meets(positions, poses));
      least = std::min(least, cost_of(state));
      return cost_of(state);
    };
    EXPECT(plain.by(*arm.plugin, poses, seed) && best.by(*arm.plugin, poses, seed) && arm.meets(best.solution, poses));
    const double found = cost_of(arm.state);
    EXPECT(arm.meets(plain.solution, poses));
    EXPECT(found == least && found <= cost_of(arm.state));
  }
}

void consistency_limits_and_locked_joints_are_kept() {
  Arm arm = arm7();
  EXPECT(arm.plugin->setRedundantJoints(std::vector<unsigned int>{2}));
  int near = 0, locked = 0;
  for (int i = 0; i < 200; i++) {
    const Positions seed = arm.random_positions();
    Positions goal = seed;
    Search search;
    for (std::size_t j = 0; j < goal.size(); j++) {
      search.limits.push_back(j == 3 ? 0.0 : 0.1);
      goal[j] += arm.random.uniformReal(-search.limits[j], search.limits[j]);
    }
    arm.state.setJointGroupPositions(arm.group, goal);
    arm.state.enforceBounds(arm.group);
    arm.state.copyJointGroupPositions(arm.group, goal);
    goal[6] = std::clamp(goal[6], seed[6] - 0.1, seed[6] + 0.1);
    const std::vector<Pose> poses = arm.poses(goal);
    if (search.by(*arm.plugin, poses, seed)) {
      near++;
      EXPECT(arm.meets(search.solution, poses));
      for (std::size_t j = 0; j < goal.size(); j++) {
        EXPECT(std::abs(search.solution[j] - seed[j]) <= search.limits[j] + 1e-12);
      }
    }
    Search with_lock;
    with_lock.options.lock_redundant_joints = true;
    Positions other = arm.random_positions();
    other[2] = seed[2];
    const std::vector<Pose> elsewhere = arm.poses(other);
    if (with_lock.by(*arm.plugin, elsewhere, seed)) {
      locked++;
      EXPECT(arm.meets(with_lock.solution, elsewhere) && with_lock.solution[2] == seed[2]);
    }
    // What is farther away is not found.
    search.limits.assign(7, 1e-4);
    EXPECT(!search.by(*arm.plugin, arm.poses(other), seed));
  }
  EXPECT(near >= 198 && locked >= 198);
}

void approximate_solutions_and_positions_alone() {
  Arm arm = arm7();
  std::vector<Pose> poses = arm.poses(arm.random_positions());
  poses[0].position.x = 5.0;
  Search search;
  const Positions seed = arm.random_positions();
  EXPECT(!search.by(*arm.plugin, poses, seed) && search.code.val == ErrorCode::NO_IK_SOLUTION && search.solution.empty());
  search.options.return_approximate_solution = true;
  EXPECT(search.by(*arm.plugin, poses, seed) && search.code.val == ErrorCode::SUCCESS);
  EXPECT(arm.poses(search.solution)[0].position.x > 0.7 && arm.state.satisfiesBounds(arm.group));
  bool is_wanted = true;
  search.callback = [&](const Pose &, const Positions &, ErrorCode &code) { code.val = is_wanted ? ErrorCode::SUCCESS : ErrorCode::FAILURE; };
  EXPECT(search.by(*arm.plugin, poses, seed));
  is_wanted = false;
  EXPECT(!search.by(*arm.plugin, poses, seed));

  for (const auto &[name, value] : {std::pair("position_only_ik", rclcpp::ParameterValue(true)), std::pair("orientation_vs_position", rclcpp::ParameterValue(0.0))}) {
    Arm only = arm7(node_with({{name, value}}));
    for (int i = 0; i < 100; i++) {
      std::vector<Pose> points = only.poses(only.random_positions());
      points[0].orientation = only.poses(only.random_positions())[0].orientation;
      Search for_position;
      EXPECT(for_position.by(*only.plugin, points, only.random_positions()) && only.meets(for_position.solution, points, true));
    }
  }
}

/* An arm of five joints: the orientation is no farther than that of any other positions of the tip that a search of the position alone finds. */
void an_arm_of_five_joints_reaches_positions() {
  const auto model = model_of(read(folder + "/../tests/data/robots/so101.urdf"), "<group name='arm'><chain base_link='base_link' tip_link='gripper_frame_link'/></group>");
  Arm arm(model, "base_link", {"gripper_frame_link"}, node_with({{"position_only_ik", rclcpp::ParameterValue(true)}}));
  const auto angle = [&arm](const Positions &positions, const Pose &target) {
    Eigen::Isometry3d is, should;
    tf2::fromMsg(arm.poses(positions)[0], is);
    tf2::fromMsg(target, should);
    return Eigen::AngleAxisd(is.linear().transpose() * should.linear()).angle();
  };
  for (int i = 0; i < 20; i++) {
    const Positions start = arm.random_positions();
    std::vector<Pose> points = arm.poses(start);
    points[0].orientation = arm.poses(arm.random_positions())[0].orientation;
    Search search;
    EXPECT(search.by(*arm.plugin, points, arm.random_positions()) && arm.meets(search.solution, points, true));
    EXPECT(angle(search.solution, points[0]) <= angle(start, points[0]) + 1e-4);
  }
}

void forward_kinematics() {
  Arm arm = arm7();
  for (int i = 0; i < 50; i++) {
    const Positions positions = arm.random_positions();
    std::vector<Pose> poses;
    EXPECT(arm.plugin->getPositionFK({"elbow_link", "tool0", "base_link"}, positions, poses) && poses.size() == 3);
    EXPECT(arm.meets(positions, {poses[1]}) && poses[2].position.x == 0.0);
    arm.poses(positions);
    EXPECT(std::abs(arm.state.getGlobalLinkTransform("elbow_link").translation().z() - poses[0].position.z) < 1e-12);
  }
  std::vector<Pose> poses;
  EXPECT(!arm.plugin->getPositionFK({"nobody"}, arm.random_positions(), poses));
  EXPECT(!arm.plugin->getPositionFK({"tool0"}, {0.0}, poses));
}

void parameters_by_their_names() {
  for (const std::string solver : {"jacobian", "fabrik"}) {
    Arm arm = arm7(node_with({{"solver", rclcpp::ParameterValue(solver)}, {"pick", rclcpp::ParameterValue("nearest")}, {"attempts", rclcpp::ParameterValue(50)}}));
    const std::vector<Pose> poses = arm.poses(arm.random_positions());
    Search search;
    EXPECT(arm.works && search.by(*arm.plugin, poses, arm.random_positions()) && arm.meets(search.solution, poses));
  }
  // With a coarse tolerance the seed is a solution.
  for (const Names &names : {Names{"epsilon"}, Names{"position_tolerance", "orientation_tolerance"}}) {
    std::vector<std::pair<std::string, rclcpp::ParameterValue>> coarse;
    for (const std::string &name : names) {
      coarse.emplace_back(name, rclcpp::ParameterValue(0.1));
    }
    Arm arm = arm7(node_with(coarse));
    Positions seed = arm.random_positions();
    const std::vector<Pose> poses = arm.poses(seed);
    seed[1] += seed[1] > 0.0 ? -0.02 : 0.02;
    Search search;
    EXPECT(search.by(*arm.plugin, poses, seed) && search.solution == seed);
  }
}

/* The lines that the plug-in logs while it lives. */
struct Log {
  Log() : before(rcutils_logging_get_output_handler()) {
    lines().clear();
    rcutils_logging_set_output_handler([](auto *, int, const char *logger, rcutils_time_point_value_t, const char *format, va_list *arguments) {
      char line[2000];
      vsnprintf(line, sizeof line, format, *arguments);
      if (logger == std::string("urdf_ik.moveit")) {
        lines().push_back(line);
      }
    });
  }
  ~Log() { rcutils_logging_set_output_handler(before); }

  static Names &lines() {
    static Names lines;
    return lines;
  }

  /* Whether a line has all these words. */
  bool has(const Names &words) const {
    const auto fits = [&](const std::string &line) {
      return std::all_of(words.begin(), words.end(), [&](auto &word) { return line.find(word) != std::string::npos; });
    };
    return std::any_of(lines().begin(), lines().end(), fits);
  }

  rcutils_logging_output_handler_t before;
};

void values_that_make_no_sense_are_refused_by_name() {
  const std::string tolerance = "a finite number above 0";
  const std::vector<std::tuple<std::string, rclcpp::ParameterValue, Names>> refused = {
      {"solver", rclcpp::ParameterValue("magic"), {"magic", "jacobian", "closed_form", "fabrik"}},
      {"pick", rclcpp::ParameterValue("best"), {"best", "first, nearest or most_manipulable"}},
      {"attempts", rclcpp::ParameterValue(0), {"1 or more"}},
      {"attempts", rclcpp::ParameterValue(1.5), {"1.5", "1 or more"}},
      {"epsilon", rclcpp::ParameterValue("small"), {"small", tolerance}},
      {"epsilon", rclcpp::ParameterValue(0.0), {tolerance}},
      {"epsilon", rclcpp::ParameterValue(0), {tolerance}},
      {"epsilon", rclcpp::ParameterValue(-1.0), {"-1", tolerance}},
      {"epsilon", rclcpp::ParameterValue(NAN), {"nan", tolerance}},
      {"position_tolerance", rclcpp::ParameterValue(INFINITY), {"inf", tolerance}},
      {"orientation_tolerance", rclcpp::ParameterValue(-1e-5), {tolerance}},
      {"orientation_vs_position", rclcpp::ParameterValue(-1), {"0 or more"}},
      {"orientation_vs_position", rclcpp::ParameterValue(NAN), {"0 or more"}},
      {"position_only_ik", rclcpp::ParameterValue("yes"), {"true or false"}},
      {"tip_links", rclcpp::ParameterValue("tool0"), {"a list of links"}}};
  for (const auto &[name, value, words] : refused) {
    const Log log;
    Names all = words;
    all.insert(all.end(), {"group 'arm'", name});
    EXPECT(!arm7(node_with({{name, value}})).works && log.has(all));
  }
}

void integers_are_numbers() {
  const Log log;
  Arm coarse = arm7(node_with({{"epsilon", rclcpp::ParameterValue(1)}})), only = arm7(node_with({{"orientation_vs_position", rclcpp::ParameterValue(0)}}));
  EXPECT(coarse.works && only.works && Log::lines().empty());
  Search search;
  const Positions seed = only.random_positions();
  std::vector<Pose> points = only.poses(only.random_positions());
  points[0].orientation = only.poses(seed)[0].orientation;
  EXPECT(search.by(*only.plugin, points, seed) && only.meets(search.solution, points, true));
}

void parameters_that_nothing_reads_are_named() {
  const Log log;
  const rclcpp::ParameterValue text("Distance"), number(0.05);
  Arm arm = arm7(node_with({{"solve_type", text}, {"joints.elbow_joint.weight", number}, {"kinematics_solver", text}, {"kinematics_solver_timeout", number},
                            {"kinematics_solver_search_resolution", number}, {"kinematics_solver_attempts", number}, {"epsilon", number}}));
  EXPECT(arm.works && Log::lines().size() == 2);
  EXPECT(log.has({"group 'arm'", "'solve_type'", "epsilon", "position_only_ik"}) && log.has({"'joints.elbow_joint.weight'"}));
}

void the_time_may_be_infinite() {
  Arm arm = arm7(node_with({{"attempts", rclcpp::ParameterValue(20)}}));
  Search search;
  search.timeout = INFINITY;
  const std::vector<Pose> poses = arm.poses(arm.random_positions());
  EXPECT(search.by(*arm.plugin, poses, arm.random_positions()) && arm.meets(search.solution, poses));
  // Then the attempts bound the search.
  search.callback = [](const Pose &, const Positions &, ErrorCode &code) { code.val = ErrorCode::GOAL_IN_COLLISION; };
  EXPECT(!search.by(*arm.plugin, poses, arm.random_positions()));
}

/* KDL solves any length. */
void quaternions_are_rounded() {
  Arm arm = arm7();
  const std::vector<Pose> poses = arm.poses(arm.random_positions());
  const auto scaled = [&](double length) {
    std::vector<Pose> scaled = poses;
    auto &orientation = scaled[0].orientation;
    for (double *entry : {&orientation.x, &orientation.y, &orientation.z, &orientation.w}) {
      *entry *= length;
    }
    return scaled;
  };
  Search search;
  for (const double length : {0.99, 1.01}) {
    EXPECT(search.by(*arm.plugin, scaled(length), arm.random_positions()) && arm.meets(search.solution, poses));
  }
  for (const double length : {0.0, 0.97, 1.03}) {
    const Log log;
    EXPECT(!search.by(*arm.plugin, scaled(length), arm.random_positions()) && log.has({"quaternion"}));
  }
}

void what_makes_no_sense_is_refused() {
  const std::string text = read(folder + "/arm7.urdf");
  const std::string floating = "<virtual_joint name='root' type='floating' parent_frame='world' child_link='base_link'/>";
  Arm free(model_of(text, floating + "<group name='arm'><joint name='root'/><chain base_link='base_link' tip_link='tool0'/></group>"), "world", {"tool0"});
  std::string error;
  EXPECT(!free.works && !free.plugin->supportsGroup(free.group, &error) && !error.empty());
  EXPECT(!Arm(model_of(text, CHAIN), "nowhere", {"tool0"}).works && !Arm(model_of(text, CHAIN), "base_link", {"nothing"}).works);
  // A joint between base and tip that is not in the group.
  EXPECT(!Arm(model_of(text, "<group name='arm'><chain base_link='elbow_link' tip_link='tool0'/></group>"), "base_link", {"tool0"}).works);
  Search search;
  Arm arm = arm7();
  const Positions seed = arm.random_positions();
  std::vector<Pose> poses = arm.poses(seed);
  EXPECT(!search.by(*Arm::create(), poses, seed));
  EXPECT(!search.by(*arm.plugin, {}, seed) && !search.by(*arm.plugin, {poses[0], poses[0]}, seed) && !search.by(*arm.plugin, poses, {0.0}));
  search.limits = {0.1};
  EXPECT(!search.by(*arm.plugin, poses, seed));
  search.limits.clear();
  poses[0].orientation.w = NAN;
  EXPECT(!search.by(*arm.plugin, poses, seed) && search.code.val == ErrorCode::NO_IK_SOLUTION);
  std::vector<Positions> solutions;
  kinematics::KinematicsResult result;
  Options options;
  options.discretization_method = kinematics::DiscretizationMethods::ALL_DISCRETIZED;
  EXPECT(!arm.plugin->getPositionIK(arm.poses(seed), seed, solutions, result, options));
  EXPECT(result.kinematic_error == kinematics::KinematicErrors::UNSUPORTED_DISCRETIZATION_REQUESTED);
}

/* Threads with a plug-in each, and with one for all, get the same bits. */
void threads() {
  const Arm shared = arm7();
  const auto solve = [&](bool own, std::vector<Positions> &solutions) {
    Arm arm = arm7();
    for (int i = 0; i < 300; i++) {
      Search search;
      const std::vector<Pose> poses = arm.poses(arm.random_positions());
      EXPECT(search.by(own ? *arm.plugin : *shared.plugin, poses, arm.random_positions()) && arm.meets(search.solution, poses));
      solutions.push_back(search.solution);
    }
  };
  std::vector<Positions> expected;
  solve(true, expected);
  for (const bool own : {true, false}) {
    std::vector<std::vector<Positions>> solutions(4);
    std::vector<std::thread> running;
    for (std::vector<Positions> &of_thread : solutions) {
      running.emplace_back([&, own] { solve(own, of_thread); });
    }
    for (std::thread &thread : running) {
      thread.join();
    }
    for (const std::vector<Positions> &of_thread : solutions) {
      EXPECT(of_thread == expected);
    }
  }
}

void a_hundred_thousand_calls_leak_nothing() {
  Arm arm = arm7();
  std::vector<std::vector<Pose>> targets;
  for (int i = 0; i < 100; i++) {
    targets.push_back(arm.poses(arm.random_positions()));
  }
  const Positions seed = arm.random_positions();
  std::size_t in_use = 0;
  for (int i = 0; i < 101000; i++) {
    Search search;
    if (i % 10 == 0) {
      search.callback = [](const Pose &, const Positions &, ErrorCode &code) { code.val = ErrorCode::SUCCESS; };
    }
    EXPECT(search.by(*arm.plugin, targets[i % 100], seed));
    if (i == 1000) {
      in_use = mallinfo2().uordblks;
    }
  }
  const std::size_t after = mallinfo2().uordblks;
  std::cout << "100000 calls: " << static_cast<long>(after) - static_cast<long>(in_use) << " bytes more in use\n";
  EXPECT(after <= in_use + 4096);
}

}  // namespace

int main(int argc, char **argv) {
  folder = argv[argc - 1];
  rclcpp::init(1, argv);
  for (void (*test)() : {plain_searches_and_names, bounds_of_the_model_count, joints_that_mimic_others_are_in_the_list, several_tips,
                         states_are_set_from_poses, a_callback_is_asked_until_it_accepts, a_cost_keeps_the_best,
                         consistency_limits_and_locked_joints_are_kept, approximate_solutions_and_positions_alone,
                         an_arm_of_five_joints_reaches_positions, forward_kinematics,
                         parameters_by_their_names, values_that_make_no_sense_are_refused_by_name, integers_are_numbers,
                         parameters_that_nothing_reads_are_named, the_time_may_be_infinite, quaternions_are_rounded, what_makes_no_sense_is_refused,
                         threads, a_hundred_thousand_calls_leak_nothing}) {
    test();
  }
  rclcpp::shutdown();
  std::cout << failures << " failures\n";
  return failures == 0 ? 0 : 1;
}
