"""~/joint_commands: bare positions for a controller, after the first request for a configuration."""
from std_msgs.msg import Float64MultiArray

from client import posture
from conftest import ARM_FILE
from motion import periods_between

JOINTS = ['wrist_roll_joint', 'shoulder_pan_joint', 'elbow_joint']


def test_commands_follow_the_joint_states_in_the_order_asked_for(start, arm_robot):
    node = start.node(ARM_FILE, command_joints=JOINTS, measured_timeout=0.0, publish_rate=100.0)
    commands = node.subscribe(Float64MultiArray, f'{node.name}/joint_commands', [], 100)
    # A robot at other positions must not move before a configuration is requested.
    node.settle()
    status = node.send_pose(arm_robot.pose('tool0', {'shoulder_pan_joint': 0.5, 'elbow_joint': -0.4}))
    reached = node.answer_to(status)
    wanted = [reached[name] for name in JOINTS]
    node.wait_for(lambda: commands, 'the commands')
    assert list(commands[0].data) == wanted
    # After a reset no configuration is requested until the next target.
    node.reset()
    node.settle()
    reached = node.answer_to(node.send_pose(arm_robot.pose('tool0', {'shoulder_pan_joint': -0.5, 'elbow_joint': 0.2})))
    last = [reached[name] for name in JOINTS]
    node.wait_for(lambda: list(commands[-1].data) == last, 'the other command')
    assert all(list(command.data) in (wanted, last) for command in commands)


def test_there_are_no_commands_unless_asked_for(shared_arm):
    shared_arm.next_posture()
    assert shared_arm.node.count_publishers(f'{shared_arm.name}/joint_commands') == 0


def test_smooth_commands_are_the_published_states(start, arm_robot):
    period = 1 / 100
    node = start.node(ARM_FILE, command_joints=JOINTS, measured_timeout=0.0, motion='smooth',
                      publish_rate=1 / period)
    commands = node.subscribe(Float64MultiArray, f'{node.name}/joint_commands', [], 1000)
    before = node.snapshot()
    node.send_pose(arm_robot.pose('tool0', {'shoulder_pan_joint': 0.5, 'elbow_joint': -0.4}))
    node.wait_for(lambda: len(commands) > 50, 'commands')
    node.settle()
    states = node.states_since(before)
    lost = sum(periods_between(states, period) - 1)
    published = [[posture(state)[name] for name in JOINTS] for state in states]
    assert sum(list(command.data) not in published for command in commands[:40]) <= lost
