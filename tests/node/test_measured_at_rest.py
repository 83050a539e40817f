"""While the node moves nothing, the measured configuration counts: for queries, frames, handles and markers."""
import numpy as np
import pytest
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import CheckCollisions, SolveIKBatch, SolvePath

from checks import ROUNDING, assert_solved, difference
from client import pose_from, pose_message, posture
from conftest import ARM_FILE
from driver import MEASURED_AT, publish, stream, stream_until
from handle_client import HandleClient
from kinematics import errors, translation

NOISY = {**MEASURED_AT, 'elbow_joint': 0.215, 'wrist_flex_joint': -0.41}  # within the dead band around MEASURED_AT
JOINTS = list(MEASURED_AT)


@pytest.fixture
def node(start):
    node = start.node(ARM_FILE, measured_timeout=60.0, command_joints=JOINTS, interactive_target=True,
                      following_error__enabled=False)
    node.commands = node.subscribe(Float64MultiArray, f'{node.name}/joint_commands', [])
    return node


def is_at(pose, robot, positions):
    return max(errors(pose, robot.pose('tool0', positions))) < ROUNDING


def check_answers(node, robot, positions):
    """Checks that every query uses these joint positions; waits until the last measurement has arrived."""
    def is_measured():
        return is_at(pose_from(node.forward_kinematics().poses[0].pose), robot, positions)
    node.wait_for(is_measured, 'the measurement to count')
    here = robot.pose('tool0', positions)
    answer = node.solve_ik(here)
    assert answer.success and difference(posture(answer.joint_state), positions) < ROUNDING, answer.message
    # A pose in the tip's own frame.
    answer = node.solve_ik(np.eye(4), frame='tool0')
    assert answer.success and difference(posture(answer.joint_state), positions) < ROUNDING, answer.message
    batch = node.call(SolveIKBatch, 'solve_ik_batch', poses=[pose_message(here).pose])
    assert difference(dict(zip(batch.joint_names, batch.positions)), positions) < ROUNDING
    path = node.call(SolvePath, 'solve_path', poses=[pose_message(translation(0, 0, -0.02) @ here).pose])
    assert path.success, path.message
    first = dict(zip(path.trajectory.joint_names, path.trajectory.points[0].positions))
    assert difference(first, positions) < ROUNDING
    collisions = node.call(CheckCollisions, 'check_collisions', within=1.0)
    state = JointState(name=list(positions), position=list(positions.values()))
    given = node.call(CheckCollisions, 'check_collisions', within=1.0, joint_state=state)
    assert abs(collisions.nearest.distance - given.nearest.distance) < ROUNDING
    handle = HandleClient(node, listens=False).connect()
    assert is_at(handle.pose(), robot, positions)


def test_before_the_first_motion_every_answer_is_of_the_measured_arm(node, arm_robot):
    stream(node, MEASURED_AT)
    assert difference(node.next_posture(), MEASURED_AT) < ROUNDING
    check_answers(node, arm_robot, MEASURED_AT)
    publish(node, NOISY)
    check_answers(node, arm_robot, NOISY)
    # Published joint states could be taken for commands, so they have a dead band.
    assert difference(node.next_posture(), MEASURED_AT) < ROUNDING
    assert not node.commands


def test_moveit_is_answered_for_the_measured_arm(node, arm_robot):
    messages = pytest.importorskip('moveit_msgs.srv')
    from moveit_msgs.msg import PositionIKRequest
    stream(node, MEASURED_AT)
    request = PositionIKRequest(pose_stamped=pose_message(arm_robot.pose('tool0', MEASURED_AT)))
    answer = node.call(messages.GetPositionIK, 'compute_ik', ik_request=request)
    assert difference(posture(answer.solution.joint_state), MEASURED_AT) < ROUNDING
    answer = node.call(messages.GetPositionFK, 'compute_fk', fk_link_names=['tool0'])
    assert is_at(pose_from(answer.pose_stamped[0].pose), arm_robot, MEASURED_AT)


def test_a_target_in_the_frame_of_the_tip_is_where_the_tip_is_measured(node, arm_robot):
    stream(node, MEASURED_AT)
    target = arm_robot.pose('tool0', MEASURED_AT) @ translation(0.01, 0, 0.02)
    assert_solved(node, arm_robot, node.send_pose(translation(0.01, 0, 0.02), frame='tool0'), 'tool0', target)


def test_an_arm_that_was_displaced_at_rest_is_where_it_is_measured(node, arm_robot):
    stream(node, MEASURED_AT)
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    commanded = assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)
    sagging = {**commanded, 'shoulder_lift_joint': commanded['shoulder_lift_joint'] + 0.007}
    stream(node, sagging)
    check_answers(node, arm_robot, commanded)
    stream_until(node, MEASURED_AT, lambda: difference(posture(node.states[-1]), MEASURED_AT) < ROUNDING,
                 'the measurement to be used')
    check_answers(node, arm_robot, MEASURED_AT)
    # It is not published as a command.
    node.live(3)
    count = len(node.commands)
    node.live(5)
    assert len(node.commands) == count


def test_an_arm_that_follows_the_joint_states_does_not_sink(node, arm_robot, simulate):
    stream(node, MEASURED_AT)
    arm = simulate(node, MEASURED_AT, 'joint_states')
    arm.set_sag(shoulder_lift_joint=0.007)
    before = node.snapshot()
    node.live(150)
    assert all(difference(posture(state), MEASURED_AT) < ROUNDING for state in node.states_since(before))
    # Neither targets without motion nor the time after a motion let it sag.
    node.set_all(on_unreachable='hold')
    for _ in range(10):
        assert node.send_pose(translation(5, 0, 0)).outcome == SolveStatus.OUT_OF_REACH
    assert difference(node.next_posture(), MEASURED_AT) < ROUNDING
    target = arm_robot.pose('tool0', {**MEASURED_AT, 'elbow_joint': 0.3})
    commanded = assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)
    node.next_posture()
    before = node.snapshot()
    node.live(100)
    assert all(difference(posture(state), commanded) < ROUNDING for state in node.states_since(before))
    assert abs(arm.positions()['shoulder_lift_joint'] + 0.007 - commanded['shoulder_lift_joint']) < 1e-4
