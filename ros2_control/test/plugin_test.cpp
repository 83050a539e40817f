// SPDX-License-Identifier: Apache-2.0 OR MIT
// The plug-in as a controller loads and asks it: plugin_test FOLDER_OF_URDFS. Answers are judged by formulas and by differences.
#include "allocations.hpp"
#include "arm.hpp"

namespace {

/* two_link.urdf has a vertical axis at a height of 0.3 m, and links of 0.4 m and 0.35 m in a vertical plane. */
void poses_are_those_of_a_formula() {
  Arm arm("two_link", "tip", 3);
  EXPECT(arm.is_initialized);
  for (int i = 0; i < 100; i++) {
    const Positions q = arm.random_positions();
    const double out = 0.4 * std::sin(q[1]) + 0.35 * std::cos(q[1] + q[2]), up = 0.4 * std::cos(q[1]) - 0.35 * std::sin(q[1] + q[2]);
    const Eigen::Vector3d expected(out * std::cos(q[0]), out * std::sin(q[0]), 0.3 + up);
    const Eigen::Matrix3d turned = (Eigen::AngleAxisd(q[0], Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(q[1] + q[2], Eigen::Vector3d::UnitY())).toRotationMatrix();
    EXPECT((arm.pose(q, "tip").translation() - expected).norm() < 1e-14 && (arm.pose(q, "tip").linear() - turned).norm() < 1e-14);
    EXPECT(arm.pose(q, "base_link").matrix().isIdentity(0.0));
  }
}

/* Differences of poses, by the plug-in's own calculation of them, are deltas of joints times the Jacobian. */
void jacobians_are_derivatives() {
  for (const auto &[robot, links, joints] : {std::tuple("arm7", Names{"tool0", "elbow_link", "base_link"}, 7), std::tuple("arm6", Names{"tool0"}, 6),
                                            std::tuple("two_link", Names{"tip", "upper_arm_link"}, 3)}) {
    Arm arm(robot, links[0], joints);
    for (int i = 0; i < 30; i++) {
      const Positions q = arm.random_positions(), step = 1e-6 * arm.random_positions();
      for (const std::string &link : links) {
        const Eigen::Isometry3d before = arm.pose(q - step, link), after = arm.pose(q + step, link);
        const Eigen::AngleAxisd turn(after.linear() * before.linear().transpose());
        Twist difference, delta;
        difference << after.translation() - before.translation(), turn.angle() * turn.axis();
        EXPECT(arm.plugin->convert_joint_deltas_to_cartesian_deltas(q, 2 * step, link, delta));
        EXPECT((delta - difference).norm() < 1e-13 && (delta - arm.jacobian(q, link) * 2 * step).norm() < 1e-18);
      }
    }
  }
}

/* By singular values: V Σ / (Σ² + α) Uᵀ. */
Inverse damped_inverse(const Jacobian &jacobian, double alpha) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(jacobian, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::ArrayXd values = svd.singularValues().array();
  return svd.matrixV() * (values / (values.square() + alpha)).matrix().asDiagonal() * svd.matrixU().transpose();
}

void inverses_are_those_of_the_singular_values() {
  for (const auto &[robot, tip, joints] : {std::tuple("arm7", "tool0", 7), std::tuple("arm6", "tool0", 6), std::tuple("two_link", "tip", 3)}) {
    for (const double alpha : {0.0, 5e-6, 0.01}) {
      Arm arm(robot, tip, joints, alpha);
      for (int i = 0; i < 30; i++) {
        const Positions q = arm.random_positions();
        const Inverse expected = damped_inverse(arm.jacobian(q, tip), alpha), inverse = arm.inverse(q, tip);
        // The smallest singular value bounds the digits of an inverse without damping.
        EXPECT((inverse - expected).norm() < 1e-9 * (1.0 + expected.squaredNorm()));
        Twist twist = Twist::Random();
        Positions deltas = Positions::Zero(joints);
        EXPECT(arm.plugin->convert_cartesian_deltas_to_joint_deltas(q, twist, tip, deltas));
        EXPECT((deltas - inverse * twist).norm() < 1e-12 * (1.0 + deltas.norm()));
      }
    }
  }
}

/* A stretched arm cannot move outwards: α bounds the deltas, and without it there is no answer. */
void singular_arms_have_a_damped_inverse_alone() {
  for (const double alpha : {1e-8, 5e-6, 0.01}) {
    Arm damped("two_link", "tip", 3, alpha);
    const Positions stretched = Eigen::Vector3d(0.3, 0.7, -M_PI / 2);
    EXPECT(damped.inverse(stretched, "tip").norm() < 3.0 / (2.0 * std::sqrt(alpha)));
    EXPECT(damped.inverse(stretched, "base_link").isZero(0.0));
  }
  Arm plain("two_link", "tip", 3, 0.0);
  const Log log;
  Positions deltas = Eigen::Vector3d(1.0, 2.0, 3.0);
  // Straight up the first joint does not move the position of the elbow, and the third does not move it anywhere.
  EXPECT(!plain.plugin->convert_cartesian_deltas_to_joint_deltas(Positions::Zero(3), Twist::Ones(), "upper_arm_link", deltas));
  EXPECT(log.is({"convert_cartesian_deltas_to_joint_deltas", "singular", "alpha"}) && deltas == Eigen::Vector3d(1.0, 2.0, 3.0));
}

void arms_need_not_start_at_the_root() {
  Arm forwards("arm7", "tool0", 7), backwards("arm7", "base_link", 7, 5e-6, "tool0"), part("dual_arm", "left_hand", 6, 5e-6, "torso");
  EXPECT(backwards.is_initialized && part.is_initialized);
  for (int i = 0; i < 30; i++) {
    const Positions q = forwards.random_positions();
    const Eigen::Isometry3d closed = forwards.pose(q, "tool0") * backwards.pose(q.reverse(), "base_link");
    EXPECT((closed.matrix() - Eigen::Matrix4d::Identity()).norm() < 1e-14);
  }
  // A link below the root is above the base, and that of the other arm is moved by other joints.
  EXPECT(part.pose(Positions::Zero(6), "torso").matrix().isIdentity(0.0));
  Eigen::Isometry3d pose;
  for (const char *link : {"right_hand", "base_link"}) {
    const Log log;
    EXPECT(!part.plugin->calculate_link_transform(Positions::Zero(6), link, pose) && log.is({"joints off the arm", link, "left_hand"}));
  }
}

/* A joint that mimics another at twice its angle, and links beside the chain: a sensor that is fixed, and a finger that moves. */
void joints_that_mimic_others_have_no_entry() {
  const std::string turn = " type='continuous'><axis xyz='0 0 1'/>", robot = "<robot name='r'><link name='base'/><link name='upper'/><link name='lower'/>"
      "<link name='tip'/><link name='sensor'/><link name='finger'/>"
      "<joint name='first'" + turn + "<parent link='base'/><child link='upper'/></joint>"
      "<joint name='second'" + turn + "<origin xyz='1 0 0'/><parent link='upper'/><child link='lower'/><mimic joint='first' multiplier='2'/></joint>"
      "<joint name='third' type='fixed'><origin xyz='1 0 0'/><parent link='lower'/><child link='tip'/></joint>"
      "<joint name='mount' type='fixed'><origin xyz='0 0.5 0'/><parent link='upper'/><child link='sensor'/></joint>"
      "<joint name='grip'" + turn + "<parent link='tip'/><child link='finger'/></joint></robot>";
  Arm arm(robot, "tip", 1);
  EXPECT(arm.is_initialized);
  const double a = 0.3;
  const Positions q = Positions::Constant(1, a);
  EXPECT((arm.pose(q, "tip").translation() - Eigen::Vector3d(std::cos(a) + std::cos(3 * a), std::sin(a) + std::sin(3 * a), 0.0)).norm() < 1e-15);
  EXPECT((arm.pose(q, "sensor").translation() - Eigen::Vector3d(-0.5 * std::sin(a), 0.5 * std::cos(a), 0.0)).norm() < 1e-15);
  EXPECT(std::abs(arm.jacobian(q, "tip")(5, 0) - 3.0) < 1e-15 && std::abs(arm.jacobian(q, "sensor")(5, 0) - 1.0) < 1e-15);
  Eigen::Isometry3d pose;
  const Log log;
  EXPECT(!arm.plugin->calculate_link_transform(q, "finger", pose) && log.is({"joints off the arm", "finger", "sensor"}));
}

#ifdef HAS_FRAME_DIFFERENCE
void differences_of_frames_need_no_robot() {
  const auto plugin = create();
  const auto difference = [&](Frame from, Frame to, double dt) {
    Twist twist = Twist::Constant(7.0);
    EXPECT(plugin->calculate_frame_difference(from, to, dt, twist) == (twist != Twist::Constant(7.0)));
    return twist;
  };
  const Eigen::Vector3d axis = Eigen::Vector3d(1.0, -2.0, 0.5).normalized();
  const Eigen::Quaterniond start(Eigen::AngleAxisd(0.8, Eigen::Vector3d(0.3, 0.1, 0.9).normalized()));
  for (const double angle : {0.0, 1e-9, 0.4, 3.1}) {
    const Eigen::Quaterniond end = Eigen::AngleAxisd(angle, axis) * start;
    for (const double sign : {1.0, -1.0}) {
      Frame from, to;
      from << 1.0, 2.0, 3.0, start.coeffs();
      to << 1.5, 2.0, 2.0, sign * end.coeffs();
      Twist expected;
      expected << 0.5, 0.0, -1.0, angle * axis;
      EXPECT((difference(from, to, 0.01) - expected / 0.01).norm() < 1e-12);
    }
  }
  Frame frame;
  frame << 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0;
  for (const double dt : {0.0, -0.1, double(NAN)}) {
    const Log log;
    EXPECT(difference(frame, frame, dt)[0] == 7.0 && log.is({"dt is", "above 0"}));
  }
  Frame bad = frame;
  bad[6] = 0.5;
  for (const double position : {0.0, double(NAN), double(INFINITY)}) {
    const Log log;
    bad[0] = position;
    EXPECT(difference(frame, bad, 1.0)[0] == 7.0 && log.is({position == 0.0 ? "quaternion" : "x_b"}));
  }
}
#endif

void calls_that_make_no_sense_are_refused() {
  Arm arm("arm7", "tool0", 7);
  const Positions q = arm.random_positions(), five = Positions::Zero(5), nan = Positions::Constant(7, NAN);
  const Twist twist = Twist::Ones(), infinite = Twist::Constant(INFINITY);
  Positions deltas = Positions::Ones(7), few = Positions::Ones(5);
  Jacobian narrow = Jacobian::Ones(6, 5), jacobian = Jacobian::Ones(6, 7);
  Inverse low = Inverse::Ones(5, 6), inverse = Inverse::Ones(7, 6);
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  Twist out = Twist::Ones();
  const auto refuses = [](const Names &words, const auto &call) {
    const Log log;
    EXPECT(!call() && log.is(words));
  };
  const Names count = {"5 joints", "7", "shoulder_pan_joint, shoulder_lift_joint"}, finite = {"not a finite number"}, link = {"no link 'hand'", "tool0"};
  KinematicsInterface &plugin = *arm.plugin;
  for (const auto &[words, positions, name] : {std::tuple(count, five, "tool0"), std::tuple(finite, nan, "tool0"), std::tuple(link, q, "hand")}) {
    refuses(words, [&] { return plugin.calculate_link_transform(positions, name, pose); });
    refuses(words, [&] { return plugin.calculate_jacobian(positions, name, jacobian); });
    refuses(words, [&] { return plugin.calculate_jacobian_inverse(positions, name, inverse); });
    refuses(words, [&] { return plugin.convert_cartesian_deltas_to_joint_deltas(positions, twist, name, deltas); });
    refuses(words, [&] { return plugin.convert_joint_deltas_to_cartesian_deltas(positions, deltas, name, out); });
  }
  refuses(count, [&] { return plugin.calculate_jacobian(q, "tool0", narrow); });
  refuses(count, [&] { return plugin.calculate_jacobian_inverse(q, "tool0", low); });
  refuses(count, [&] { return plugin.convert_cartesian_deltas_to_joint_deltas(q, twist, "tool0", few); });
  refuses(count, [&] { return plugin.convert_joint_deltas_to_cartesian_deltas(q, few, "tool0", out); });
  refuses(finite, [&] { return plugin.convert_cartesian_deltas_to_joint_deltas(q, infinite, "tool0", deltas); });
  refuses(finite, [&] { return plugin.convert_joint_deltas_to_cartesian_deltas(q, nan, "tool0", out); });
  EXPECT(pose.matrix().isIdentity(0.0) && jacobian == Jacobian::Ones(6, 7) && inverse == Inverse::Ones(7, 6) && deltas == Positions::Ones(7) && out == Twist::Ones());
  const auto blank = create();
  refuses({"initialize"}, [&] { return blank->calculate_link_transform(q, "tool0", pose); });
  refuses({"initialize"}, [&] { return blank->convert_joint_deltas_to_cartesian_deltas(q, q, "tool0", out); });
}

void parameters_that_make_no_sense_are_refused() {
  const std::string robot = urdf("arm7");
  const auto tip = std::pair("tip", value("tool0"));
  const std::vector<std::tuple<std::string, Parameters, Names>> refused = {
      {robot, {}, {"'tip' is not set"}},
      {robot, {{"tip", value("")}}, {"'tip' is not set"}},
      {robot, {{"tip", value("hand")}}, {"hand", "tool0"}},
      {robot, {{"tip", value(3.0)}}, {"'tip'", "string"}},
      {robot, {tip, {"base", value("nowhere")}}, {"nowhere"}},
      {robot, {tip, {"base", value("tool0")}}, {"tool0"}},
      {robot, {tip, {"alpha", value(-0.1)}}, {"alpha", "0 or more"}},
      {robot, {tip, {"alpha", value(NAN)}}, {"alpha", "0 or more"}},
      {robot, {tip, {"alpha", value("small")}}, {"'alpha'", "double"}},
      {"<robot", {tip}, {"robot description", "XML"}},
      {"", {tip}, {"robot_description"}},
      {"", {tip, {"robot_description", value("")}}, {"robot_description"}}};
  for (const auto &[description, parameters, words] : refused) {
    const auto plugin = create();
    const auto node = node_with(parameters);
    const Log log;
    EXPECT(!plugin->initialize(description, node->get_node_parameters_interface(), "") && log.is(words));
  }
  const Log log;
  EXPECT(!create()->initialize(robot, nullptr, "") && log.is({"parameters interface"}));
}

void parameters_have_namespaces_and_a_robot_may_be_one() {
  const auto node = node_with({{"kinematics.tip", value("tool0")}, {"kinematics.alpha", rclcpp::ParameterValue(1)}, {"robot_description", value(urdf("arm7"))},
                               {"left.tip", value("nothing")}});
  const auto plugin = create();
  const auto parameters = node->get_node_parameters_interface();
  EXPECT(plugin->initialize("", parameters, "kinematics"));
  Inverse inverse = Inverse::Zero(7, 6);
  EXPECT(plugin->calculate_jacobian_inverse(Positions::Ones(7), "tool0", inverse) && inverse.norm() < 3.0);
  // After an attempt that fails there is no arm, until another one succeeds.
  const Log log;
  EXPECT(!plugin->initialize("", parameters, "left") && !plugin->calculate_jacobian_inverse(Positions::Ones(7), "tool0", inverse));
  EXPECT(plugin->initialize("", parameters, "kinematics") && plugin->calculate_jacobian_inverse(Positions::Ones(7), "tool0", inverse));
}

void calls_allocate_nothing() {
  for (const auto &[robot, tip, joints] : {std::tuple("arm7", "tool0", 7), std::tuple("arm6", "tool0", 6), std::tuple("two_link", "tip", 3)}) {
    Arm arm(robot, tip, joints);
    const Positions q = arm.random_positions();
    const std::string link = tip;
    Jacobian jacobian(6, joints);
    Inverse inverse(joints, 6);
    Positions deltas = q;
    Eigen::Isometry3d pose;
    Twist twist = Twist::Ones();
    bool is_answered = true;
    const long before = allocations;
    for (int i = 0; i < 100; i++) {
      is_answered &= arm.plugin->calculate_link_transform(q, link, pose) && arm.plugin->calculate_jacobian(q, link, jacobian) &&
                     arm.plugin->calculate_jacobian_inverse(q, link, inverse) &&
                     arm.plugin->convert_cartesian_deltas_to_joint_deltas(q, twist, link, deltas) &&
                     arm.plugin->convert_joint_deltas_to_cartesian_deltas(q, deltas, link, twist);
#ifdef HAS_FRAME_DIFFERENCE
      Frame from, to;
      from << 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0;
      to << 0.1, 0.0, 0.0, 0.0, 0.6, 0.0, 0.8;
      is_answered &= arm.plugin->calculate_frame_difference(from, to, 0.001, twist);
#endif
    }
    EXPECT(is_answered && allocations == before);
  }
  // The count is one of the plug-in's allocations, too: a failure has a sentence.
  Arm arm("arm6", "tool0", 6);
  Eigen::Isometry3d pose;
  const Positions q = Positions::Zero(6);
  const std::string unknown = "hand";
  const Log log;
  const long before = allocations;
  EXPECT(!arm.plugin->calculate_link_transform(q, unknown, pose) && allocations > before + 2);
}

}  // namespace

int main(int argc, char **argv) {
  folder = argv[argc - 1];
  rclcpp::init(1, argv);
  for (void (*test)() : {poses_are_those_of_a_formula, jacobians_are_derivatives, inverses_are_those_of_the_singular_values,
                         singular_arms_have_a_damped_inverse_alone, arms_need_not_start_at_the_root, joints_that_mimic_others_have_no_entry,
                         calls_that_make_no_sense_are_refused, parameters_that_make_no_sense_are_refused,
                         parameters_have_namespaces_and_a_robot_may_be_one, calls_allocate_nothing}) {
    test();
  }
#ifdef HAS_FRAME_DIFFERENCE
  differences_of_frames_need_no_robot();
#else
  std::cout << "calculate_frame_difference is not tested: this kinematics_interface does not have it\n";
#endif
  rclcpp::shutdown();
  std::cout << failures << " failures\n";
  return failures == 0 ? 0 : 1;
}
