"""`urdf_ik robot-config`: the node starts with the written file, and moves a measured arm within its limits."""
import subprocess

from std_msgs.msg import Float64MultiArray
from urdf_ik.msg import SolveStatus

from conftest import ARM_FILE
from driver import MEASURED_AT, publish, stream
from motion import assert_smooth, derived_limits
from process import STOP_TIMEOUT, executable

RATE = 100.0


def test_the_node_starts_with_the_file_and_moves_a_measured_arm(start, arm_robot, tmp_path):
    file = tmp_path / 'robot.yaml'
    command = [executable('urdf_ik'), 'robot-config', str(ARM_FILE), '--publish-rate', str(RATE), '--output', str(file)]
    subprocess.run(command, check=True, timeout=STOP_TIMEOUT)
    node = start.node(robot=True, arguments=['--params-file', str(file)])
    joints = list(MEASURED_AT)
    assert node.get('base_link', 'tip_links', 'command_joints') == ['base_link', ['tool0'], joints]
    assert node.get('motion', 'publish_rate', 'branch_jumps') == ['smooth', RATE, False]
    # An ideal arm at its commanded positions.
    follower = node.node.create_subscription(
        Float64MultiArray, f'{node.name}/joint_commands', lambda command: publish(node, dict(zip(joints, command.data))), 100)
    stream(node, MEASURED_AT)
    before = node.snapshot()
    first = node.send_pose(arm_robot.pose('tool0', {**MEASURED_AT, 'shoulder_pan_joint': 0.2, 'elbow_joint': -0.3}))
    node.status_of(first.header.stamp, SolveStatus.SOLVED)
    states = [state for state in node.states_since(before) if len(state.velocity)]
    assert_smooth(states, arm_robot, 1 / RATE, **derived_limits(arm_robot, states[0].name))
    assert not node.process.lines_with('WARN'), node.process.output()
    node.node.destroy_subscription(follower)
