"""Tools on the tip links: the parameter, requests, and all outputs about a tip."""
import json
import math

import numpy as np
import pytest
from geometry_msgs.msg import Pose
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState
from urdf_ik.srv import SolvePath

from checks import assert_solved, difference
from client import faulty, pose_from, pose_message, posture
from conftest import ARM_FILE, ROOT
from handle_client import HandleClient
from kinematics import Robot, errors, quaternion_of, rotation, translation
from servo_client import BENT, start_servo, twist
from solids import BESIDE, ROBOT, aside, start_arm
from test_batch import rows, solve_batch
from test_markers import wait_for_tip, watch

TOOL = translation(0.05, -0.03, 0.12) @ rotation((0, 1, 0), 0.8) @ rotation((0, 0, 1), -0.5)
OTHER = translation(0, 0.1, 0.02) @ rotation((1, 0, 0), 1.1)
CLOSE = 1e-8  # [m or rad] tolerated difference from independent kinematics
HANDS = ['left_hand', 'right_hand']


def as_yaml(**tools):
    """The parameter for tools as 4 x 4 matrices by tip link."""
    return json.dumps({link: {'p': tool[:3, 3].tolist(), 'q_xyzw': np.asarray(quaternion_of(tool)).tolist()}
                       for link, tool in tools.items()})


def message(tool):
    return pose_message(tool).pose


class Tooled:
    """A robot with the tool frame in place of the link `tool0`: for checks of links."""

    def __init__(self, robot, tool):
        self.robot, self.tool = robot, tool
        self.violations = robot.violations

    def pose(self, link, positions, base=None):
        return self.robot.pose(link, positions, base) @ self.tool


@pytest.fixture
def tooled(arm_robot):
    return Tooled(arm_robot, TOOL)


@pytest.fixture
def with_tool(arm):
    with arm.changed(tool=as_yaml(tool0=TOOL)):
        yield arm


def test_a_target_is_one_of_the_tool(with_tool, tooled, generator):
    for _ in range(5):
        target = tooled.pose('tool0', tooled.robot.sample(generator))
        assert_solved(with_tool, tooled, with_tool.send_pose(target), 'tool0', target)
    point = tooled.pose('tool0', BENT)[:3, 3]
    positions = with_tool.answer_to(with_tool.send_point(point))
    assert np.linalg.norm(tooled.pose('tool0', positions)[:3, 3] - point) < 1.001e-5


def test_a_query_is_one_of_the_tool(with_tool, tooled, generator):
    target = tooled.pose('tool0', tooled.robot.sample(generator))
    answer = with_tool.solve_ik(target)
    assert answer.success and answer.status.tip_link == 'tool0', answer.message
    assert max(errors(tooled.pose('tool0', posture(answer.joint_state)), target)) < 1.001e-5


@pytest.mark.parametrize('solver', ['jacobian', 'fabrik'])
def test_a_request_brings_its_own_tool(arm, arm_robot, generator, solver):
    own = Tooled(arm_robot, OTHER)
    poses = [own.pose('tool0', arm_robot.sample(generator)) for _ in range(5)]
    answer = arm.solve_ik(poses[0], tools=[message(OTHER)], solver=solver, timeout=10.0)
    assert answer.success, answer.message
    assert max(errors(own.pose('tool0', posture(answer.joint_state)), poses[0])) < 1.001e-5
    many = solve_batch(arm, poses, tools=[message(OTHER)], solver=solver, timeout=10.0)
    assert many.success, many.message
    assert difference(rows(many)[0], posture(answer.joint_state)) == 0.0


def test_the_identity_of_a_request_is_the_link(with_tool, arm_robot, generator):
    target = arm_robot.pose('tool0', arm_robot.sample(generator))
    with with_tool.changed(tool=''):
        plain = with_tool.solve_ik(target, timeout=10.0)
    answer = with_tool.solve_ik(target, tools=[message(np.eye(4))], timeout=10.0)
    assert answer.joint_state.position == plain.joint_state.position, 'the bits without a tool'


def test_two_tips_have_two_tools(start):
    robot = Robot.load(ROOT / 'tests' / 'data' / 'urdf' / 'two_arms.urdf')
    node = start.node(ROOT / 'tests' / 'data' / 'urdf' / 'two_arms.urdf', tip_links=HANDS,
                      tool=as_yaml(right_hand=TOOL))
    both = robot.sample(np.random.default_rng(3))
    aims = {'left_hand': robot.pose('left_hand', both), 'right_hand': robot.pose('right_hand', both) @ TOOL}

    def solved(**fields):
        answer = node.solve_ik(aims['right_hand'], tip_link='right_hand', other_tip_links=['left_hand'],
                               other_poses=[pose_message(aims['left_hand'])], timeout=10.0, **fields)
        assert answer.success, answer.message
        return posture(answer.joint_state)
    positions = solved()
    assert max(errors(robot.pose('right_hand', positions) @ TOOL, aims['right_hand'])) < 1.001e-5
    assert max(errors(robot.pose('left_hand', positions), aims['left_hand'])) < 1.001e-5
    aims['left_hand'] = robot.pose('left_hand', both) @ OTHER
    positions = solved(tools=[message(TOOL), message(OTHER)])
    assert max(errors(robot.pose('left_hand', positions) @ OTHER, aims['left_hand'])) < 1.001e-5


def test_the_tool_follows_a_path(with_tool, tooled):
    start = tooled.pose('tool0', BENT)
    poses = [translation(0, y, 0) @ start for y in (0.05, 0.1)]
    bent = JointState(name=list(BENT), position=list(BENT.values()))
    answer = with_tool.call(SolvePath, 'solve_path', poses=[message(pose) for pose in poses], start=bent)
    assert answer.success, answer.message
    names = answer.trajectory.joint_names
    for point in answer.trajectory.points:
        at = tooled.pose('tool0', dict(zip(names, point.positions)))[:3, 3]
        assert np.linalg.norm((at - start[:3, 3])[[0, 2]]) < 1.1e-4, 'the tool is on its line'


@pytest.mark.parametrize('frame', ['', 'tool0'])
def test_a_twist_turns_the_tool_about_its_point(start, arm_robot, frame):
    """The axes are those of the named frame, also if it is the link with the tool."""
    servo = start_servo(start, tool=as_yaml(tool0=TOOL))
    first = arm_robot.pose('tool0', servo.node.next_posture())
    axis = np.array([0.0, 0.0, 1.0])
    turns = servo.moved(BENT, lambda positions: errors(arm_robot.pose('tool0', positions), first)[1], 0.3)
    before = servo.node.snapshot()
    servo.stream(twist(angular=0.5 * axis, frame=frame), turns, 'a turn')
    expected = first[:3, :3] @ axis if frame else axis
    for state in servo.node.states_since(before):
        pose = arm_robot.pose('tool0', posture(state)) @ TOOL
        assert np.linalg.norm(pose[:3, 3] - (first @ TOOL)[:3, 3]) < 2e-4
        turn = pose[:3, :3] @ (first @ TOOL)[:3, :3].T
        assert np.linalg.norm(turn @ expected - expected) < 1e-3


def test_a_clutch_moves_the_tool_as_the_hand(start, tooled):
    servo = start_servo(start, tool=as_yaml(tool0=TOOL))
    home = tooled.pose('tool0', servo.node.next_posture())
    hand = translation(3.0, -2.0, 1.5)
    servo.clutch(True)
    servo.stream_for(5, lambda _: servo.hand(hand))
    turn = rotation((0, 1, 0), 0.2)
    aim = home.copy()
    aim[:3, :3] = turn[:3, :3] @ home[:3, :3]

    def has_arrived():
        return max(errors(tooled.pose('tool0', posture(servo.node.states[-1])), aim)) < 1e-4
    servo.stream_for(40, lambda index: servo.hand(hand @ rotation((0, 1, 0), 0.2 * (index + 1) / 40)))
    servo.stream(servo.hand(hand @ turn), has_arrived, 'the tool to turn in place')


def test_handle_markers_and_kinematics_show_the_tool(with_tool, tooled):
    here = tooled.pose('tool0', with_tool.next_posture())
    handle = HandleClient(with_tool).connect()
    with_tool.wait_for(lambda: handle.markers and max(errors(handle.pose('tool0'), here)) < CLOSE, 'the handle')
    wait_for_tip(with_tool, watch(with_tool), here)
    tip, = with_tool.forward_kinematics().poses
    assert max(errors(pose_from(tip.pose), here)) < CLOSE
    link, = with_tool.forward_kinematics(link_names=['tool0']).poses
    assert max(errors(pose_from(link.pose), tooled.robot.pose('tool0', with_tool.next_posture()))) < CLOSE


def test_the_page_in_the_browser_knows_the_tool(with_tool, arm_robot, monkeypatch):
    pytest.importorskip('viser', reason='the page is not tested: no Python package viser here')
    monkeypatch.syspath_prepend(str(ROOT / 'scripts'))
    from viewer.arm import Arm
    from viewer.page import tools_of
    from viewer.robot import Robot as Drawn
    arm = Arm(with_tool.name)
    # A separate executor: pending work must not outlive the page's node.
    executor = SingleThreadedExecutor()
    executor.add_node(arm)

    def tips_of_the_page():
        executor.spin_once(timeout_sec=0.02)
        return arm.tips

    try:
        tips = with_tool.wait_for(tips_of_the_page, 'the tips')
    finally:
        executor.shutdown()
        arm.destroy_node()
    drawn = Drawn(ARM_FILE.read_text())
    assert np.abs(tools_of(drawn, drawn.link_index['base_link'], *tips)['tool0'] - TOOL).max() < CLOSE


def test_a_change_waits_until_the_arm_is_at_rest(start, arm_robot):
    slow = {name: {'has_velocity_limits': True, 'max_velocity': 0.1} for name in arm_robot.movable}
    node = start.node(ARM_FILE, motion='smooth', joint_limits=json.dumps({'joint_limits': slow}))
    aim = {**node.next_posture(), 'shoulder_pan_joint': 0.4}
    target = arm_robot.pose('tool0', aim)
    node.send_pose(target)
    node.set_all(tool=as_yaml(tool0=TOOL))

    def tip():
        answer = node.forward_kinematics(joint_state=JointState(name=list(aim), position=list(aim.values())))
        return pose_from(answer.poses[0].pose)
    assert max(errors(tip(), target)) < CLOSE, 'during the motion it is the link'
    node.wait_for(lambda: max(errors(tip(), target @ TOOL)) < CLOSE, 'the tool to be used')
    assert max(errors(arm_robot.pose('tool0', node.next_posture()), target)) < 1.001e-5, 'the arm has arrived before'


def test_services_of_moveit_mean_links(with_tool, arm_robot, generator):
    services = pytest.importorskip('moveit_msgs.srv')
    request = pytest.importorskip('moveit_msgs.msg').PositionIKRequest
    for link in ('', 'tool0'):
        target = arm_robot.pose('tool0', arm_robot.sample(generator))
        answer = with_tool.call(services.GetPositionIK, 'compute_ik',
                                ik_request=request(ik_link_name=link, pose_stamped=pose_message(target)))
        positions = posture(answer.solution.joint_state)
        assert max(errors(arm_robot.pose('tool0', positions), target)) < 1.001e-5
    link, = with_tool.call(services.GetPositionFK, 'compute_fk', fk_link_names=['tool0']).pose_stamped
    assert max(errors(pose_from(link.pose), arm_robot.pose('tool0', with_tool.next_posture()))) < CLOSE


def test_a_change_moves_nothing(arm):
    before = arm.next_posture()
    with arm.changed(tool=as_yaml(tool0=TOOL)):
        assert difference(arm.next_posture(), before) == 0.0
    assert difference(arm.next_posture(), before) == 0.0


def test_a_change_keeps_the_obstacles(start):
    node = start_arm(start, BESIDE).client
    node.set_all(tool=as_yaml(tool0=TOOL))
    tooled, target = Tooled(ROBOT, TOOL), aside(-0.1) @ TOOL
    BESIDE.assert_clear([assert_solved(node, tooled, node.send_pose(target), 'tool0', target)])
    for tool in (TOOL, OTHER):
        clear = node.solve_ik(aside(-0.2) @ tool, tools=[message(tool)], timeout=10.0)
        assert clear.success, clear.message
        into_the_ball = node.solve_ik(aside(0.22) @ tool, tools=[message(tool)], timeout=10.0)
        BESIDE.assert_clear([posture(answer.joint_state) for answer in (clear, into_the_ball)], between=-1.0)


@pytest.mark.parametrize('tool, words', [
    ('{wrist: {}}', ['tool', 'wrist', 'tool0']),
    ('{tool0: {q_xyzw: [0, 0, 0, 0]}}', ['tool', 'tool0', 'quaternion']),
    ('{tool0: {p: [.nan, 0, 0]}}', ['tool', 'tool0', 'finite']),
    ('{tool0: {p: [1e300, 0, 0]}}', ['tool', 'tool0']),
    ('{tool0: {xyz: [0, 0, 1]}}', ['tool', 'xyz']),
    ('no/such/file.yaml', ['tool', 'no/such/file.yaml']),
])
def test_a_bad_parameter_is_refused_and_changes_nothing(with_tool, tooled, tool, words):
    reason = with_tool.refusal(tool=tool)
    assert all(word in reason for word in words), reason
    tip, = with_tool.forward_kinematics().poses
    assert max(errors(pose_from(tip.pose), tooled.pose('tool0', with_tool.next_posture()))) < CLOSE


@pytest.mark.parametrize('tools, words', [
    ([message(TOOL)] * 2, ['tools', '2', '1']),
    ([faulty(np.eye(4), position_y=math.nan)], ['tools[0]', 'NaN']),
    ([Pose()], None),
    ([faulty(np.eye(4), orientation_w=0.0)], ['tools[0]', 'quaternion']),
    ([faulty(np.eye(4), position_x=1e300)], ['tool0']),
])
def test_a_bad_tool_of_a_request_is_refused(arm, arm_robot, tools, words):
    target = arm_robot.pose('tool0', BENT)
    one, many = arm.solve_ik(target, tools=tools), solve_batch(arm, [target], tools=tools)
    path = arm.call(SolvePath, 'solve_path', poses=[message(target)], tools=tools)
    for answer in (one, many, path):
        if words is None:
            assert answer.success, answer.message
        else:
            assert not answer.success and all(word in answer.message for word in words), answer.message
