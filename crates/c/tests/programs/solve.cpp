/* Uses the header for C++: solve ONE_TIP.urdf TWO_TIPS.urdf. */

#include <cmath>
#include <cstring>
#include <iostream>

#include "urdf_ik.hpp"

namespace {

void expect(bool is_so, const char *what) {
  if (!is_so) {
    std::cerr << "not so: " << what << '\n';
    std::exit(1);
  }
}

template <typename Call>
std::string refused(Call call) {
  try {
    call();
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string &text, const char *words) { return text.find(words) != std::string::npos; }

}  // namespace

int main(int, char **argv) {
  urdf_ik::Arm arm(urdf_ik::Robot::from_file(argv[1]));
  urdf_ik::Workspace workspace(arm);
  expect(arm.joint_names().size() == arm.joint_count() && arm.tips().front() == "tool0", "names");
  const auto bounds = arm.bounds();
  const std::vector<double> nominal = arm.nominal();
  for (std::size_t i = 0; i < nominal.size(); i++) {
    expect(bounds.first[i] <= nominal[i] && nominal[i] <= bounds.second[i], "nominal positions are inside the limits");
  }

  std::vector<double> q = nominal;
  q[1] += 0.3;
  const UrdfIkPose pose = workspace.forward_kinematics(q).front();
  const urdf_ik::Answer answer = workspace.solve({urdf_ik_target(0, pose)});
  expect(answer.solved() && contains(workspace.reason(), "solved"), "a reachable pose is solved");
  const UrdfIkPose reached = workspace.forward_kinematics(answer.positions).front();
  expect(std::fabs(reached.position[2] - pose.position[2]) < 1e-5, "forward kinematics agrees");
  expect(workspace.jacobian(q).size() == 6 * q.size(), "the Jacobian has six rows");
  const urdf_ik::Answer again = workspace.solve({urdf_ik_target(0, pose)}, answer.positions);
  expect(again.positions == answer.positions, "from a solution the search stays where it is");

  const std::string level = R"([{"type": "cone", "axis": [0, 0, 1], "direction": [0, 0, 1], "angle": 0.1}])";
  const urdf_ik::Answer cup = workspace.solve_goals(level, q);
  expect(cup.solved() && cup.violations.size() == 1 && cup.violations[0] == cup.violation && again.violations.empty(), "a level cup");
  expect(contains(refused([&] { workspace.solve_goals("[{}]"); }), "'type' is missing"), "no goal");

  urdf_ik::Workspace tool(arm.with_tools({{{0, 0, 0.25}, {0, 0, 0, 1}}}));
  const UrdfIkPose tip = tool.forward_kinematics(q).front();
  const double x = tip.position[0] - pose.position[0], y = tip.position[1] - pose.position[1], z = tip.position[2] - pose.position[2];
  expect(std::fabs(std::hypot(x, y, z) - 0.25) < 1e-12, "the tip is the tool");
  expect(contains(refused([&] { arm.with_tools({}); }), "0 tools"), "no tools");

  urdf_ik::Arm hands(urdf_ik::Robot::from_file(argv[2]), {"left_hand", "right_hand"});
  urdf_ik::Workspace both(hands);
  const std::vector<UrdfIkPose> poses = both.forward_kinematics(hands.nominal());
  expect(both.solve({urdf_ik_target(0, poses[0]), urdf_ik_target(1, poses[1])}).solved(), "two hands");

  expect(contains(refused([] { urdf_ik::Robot::from_urdf("<robot"); }), ""), "an exception has the sentence");
  expect(contains(refused([&] { urdf_ik::Arm(urdf_ik::Robot::from_file(argv[1]), {"nobody"}); }), "nobody"), "no such tip");
  expect(contains(refused([&] { workspace.solve(std::vector<UrdfIkTarget>{}); }), "no target"), "no target");
  expect(contains(refused([&] { workspace.forward_kinematics({0.0}); }), "joint positions"), "too few positions");
  return 0;
}
