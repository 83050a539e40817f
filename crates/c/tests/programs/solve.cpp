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

void solves_many(const urdf_ik::Arm &arm, urdf_ik::Workspace &workspace, const UrdfIkPose &pose) {
  const UrdfIkTarget target = urdf_ik_target(0, pose);
  UrdfIkProblem problem = urdf_ik_problem();
  problem.targets = &target;
  problem.target_count = 1;
  const std::vector<urdf_ik::Answer> all = workspace.solve_all(problem);
  expect(!all.empty() && all.front().solved() && all.front().positions.size() == arm.joint_count(), "all solutions");
  const urdf_ik::Answer single = workspace.solve(problem);
  for (const urdf_ik::Answer &answer : arm.solve_batch({problem, problem, problem}, 2)) {
    expect(answer.solved() && answer.positions == single.positions, "a batch has the same answers");
  }
  expect(contains(refused([&] { arm.solve_batch({problem}, 100000); }), "threads"), "too many threads");
}

void avoids_and_moves(const urdf_ik::Arm &arm, urdf_ik::Workspace &workspace, const std::vector<double> &q) {
  UrdfIkPose pose = workspace.forward_kinematics(q).front();
  const urdf_ik::World far(arm, R"({"obstacles": [{"id": "ball", "type": "sphere", "radius": 0.1, "p": [5, 0, 0]}]})");
  expect(far.is_free(q) && far.nearest(q).first > 0 && far.missing_shapes().empty(), "the ball is far");
  const urdf_ik::World near = far.moved({"ball"}, {pose});
  const auto nearest = near.nearest(q);
  expect(!near.is_free(q) && nearest.first == 0 && (nearest.second.first == "ball" || nearest.second.second == "ball"), "it is here");
  expect(contains(refused([&] { far.moved({"cube"}, {pose}); }), "cube"), "no cube");
  expect(contains(refused([&] { far.moved({"ball"}, {}); }), "one pose"), "no pose");

  UrdfIkPose up = pose;
  up.position[2] += 0.05;
  const std::vector<UrdfIkTarget> targets = {urdf_ik_target(0, pose), urdf_ik_target(0, up)};
  UrdfIkProblem problem = urdf_ik_problem();
  problem.targets = targets.data();
  problem.target_count = targets.size();
  problem.seed = q.data();
  problem.avoid = far.get();
  const urdf_ik::Trajectory trajectory = arm.path(problem);
  expect(trajectory.complete() && trajectory.size() > 10 && trajectory.positions(0) == q && trajectory->fraction == 1, "a path");

  UrdfIkServoOptions options = urdf_ik_servo_options(100);
  options.avoid = far.get();
  urdf_ik::Servo servo(arm, options, q);
  for (int step = 0; step < 20; step++) {
    servo.step({urdf_ik_pose_command(0, up)});
  }
  expect(servo.positions() != q && servo.velocities() != std::vector<double>(q.size()) && !servo.report().is_at_rest, "it moves");
  const std::vector<double> stepped = servo.step_joints(std::vector<double>(q.size()));
  expect(stepped == servo.positions() && servo.accelerations().size() == q.size(), "joints");
  expect(contains(refused([&] { servo.step_joints({0}); }), "1 numbers"), "too few velocities");
}

void solves_a_skeleton() {
  const urdf_ik::Skeleton skeleton = urdf_ik::Skeleton::from_yaml(
      "root: {name: shoulder, position: [0, 0, 1.4]}\nsegments:\n  - {name: elbow, length: 0.3}\n  - {name: wrist, length: 0.3}\n");
  const double goal[3] = {0.3, 0.1, 1.3};
  const std::vector<UrdfIkSkeletonTarget> targets = {urdf_ik_skeleton_target(2, goal)};
  UrdfIkSkeletonProblem problem = urdf_ik_skeleton_problem();
  problem.targets = targets.data();
  problem.target_count = targets.size();
  const urdf_ik::SkeletonAnswer answer = skeleton.solve(problem);
  expect(answer->is_solved && std::fabs(answer->points[6] - goal[0]) < 1e-6, "the wrist is there");
  expect(skeleton.points().back() == "wrist" && skeleton.is_end(2) && !skeleton.is_end(1) && skeleton.rest().size() == 9, "points");
  expect(contains(refused([] { urdf_ik::Skeleton::from_file("/nobody.yaml"); }), "/nobody.yaml"), "no file");
}

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
  const std::size_t link = arm.link("tool0");
  expect(workspace.link_pose(q, link).position[2] == pose.position[2] && workspace.link_jacobian(q, link) == workspace.jacobian(q), "a tip is a link");
  expect(contains(refused([&] { arm.link("nobody"); }), "nobody"), "no link");
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

  solves_a_skeleton();
  solves_many(arm, workspace, pose);
  avoids_and_moves(arm, workspace, q);
  expect(contains(refused([] { urdf_ik::Robot::from_urdf("<robot"); }), ""), "an exception has the sentence");
  expect(contains(refused([&] { urdf_ik::Arm(urdf_ik::Robot::from_file(argv[1]), {"nobody"}); }), "nobody"), "no such tip");
  expect(contains(refused([&] { workspace.solve(std::vector<UrdfIkTarget>{}); }), "no target"), "no target");
  expect(contains(refused([&] { workspace.forward_kinematics({0.0}); }), "1 numbers for 7 joints"), "too few positions");
  return 0;
}
