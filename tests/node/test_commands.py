"""~/joint_commands: bare positions for a controller, once somebody has asked for a posture."""
from std_msgs.msg import Float64MultiArray

from client import posture
from conftest import ARM_FILE

JOINTS = ['wrist_roll_joint', 'shoulder_pan_joint', 'elbow_joint']


def test_commands_follow_the_joint_states_in_the_order_asked_for(start, arm_robot):
    node = start.node(ARM_FILE, command_joints=JOINTS, publish_rate=100.0)
    commands = node.subscribe(Float64MultiArray, f'{node.name}/joint_commands', [], 100)
    node.wait_for(lambda: node.node.count_publishers(f'{node.name}/joint_commands') > 0, 'the topic of commands')
    # Nobody has asked for a posture: a robot that stands elsewhere must not be moved.
    node.spin_for(0.3)
    assert not commands
    status = node.send_pose(arm_robot.pose('tool0', {'shoulder_pan_joint': 0.5, 'elbow_joint': -0.4}))
    reached = node.answer_to(status)
    wanted = [reached[name] for name in JOINTS]
    node.wait_for(lambda: commands and list(commands[-1].data) == wanted, 'the commands')
    node.reset()
    node.spin_for(0.1)
    heard = len(commands)
    node.spin_for(0.3)
    assert len(commands) == heard


def test_there_are_no_commands_unless_asked_for(shared_arm):
    shared_arm.next_posture()
    assert shared_arm.node.count_publishers(f'{shared_arm.name}/joint_commands') == 0


def test_smooth_commands_are_the_published_states(start, arm_robot):
    node = start.node(ARM_FILE, command_joints=JOINTS, motion='smooth', publish_rate=100.0)
    commands = node.subscribe(Float64MultiArray, f'{node.name}/joint_commands', [], 1000)
    node.wait_for(lambda: node.node.count_publishers(f'{node.name}/joint_commands') > 0, 'the topic of commands')
    before = node.snapshot()
    node.send_pose(arm_robot.pose('tool0', {'shoulder_pan_joint': 0.5, 'elbow_joint': -0.4}))
    node.wait_for(lambda: len(commands) > 50, 'commands')
    node.spin_for(0.1)
    states = [[posture(state)[name] for name in JOINTS] for state in node.states_since(before)]
    assert all(list(command.data) in states for command in commands[:40])
