"""The services for MoveIt scripts: compute_ik and compute_fk."""
import importlib.util
import math

import numpy as np
import pytest
from geometry_msgs.msg import Transform, Vector3
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_msgs.msg import Header

if importlib.util.find_spec('moveit_msgs') is None:
    pytest.skip('compute_ik and compute_fk not tested: no Python package moveit_msgs here (it comes with MoveIt)',
                allow_module_level=True)

from builtin_interfaces.msg import Duration
from moveit_msgs.msg import (
    AttachedCollisionObject,
    Constraints,
    JointConstraint,
    MoveItErrorCodes,
    OrientationConstraint,
    PositionConstraint,
    PositionIKRequest,
    RobotState,
    VisibilityConstraint,
)
from moveit_msgs.srv import GetPositionFK, GetPositionIK

from checks import assert_posture, assert_reached, difference
from client import pose_from, pose_message, posture, transform_message
from conftest import ARM_FILE, ROOT, UNSOLVABLE
from kinematics import Robot, errors, rotation, translation
from solids import BESIDE, MARGIN, ROUNDING, aside, home, start_arm

CODES = {getattr(MoveItErrorCodes, name): name for name in (
    'SUCCESS', 'FAILURE', 'TIMED_OUT', 'INVALID_GOAL_CONSTRAINTS', 'INVALID_ROBOT_STATE', 'INVALID_LINK_NAME',
    'FRAME_TRANSFORM_FAILURE', 'NO_IK_SOLUTION')}
LONG = Duration(sec=10)  # so that the speed of the machine has no influence
BENT = {'shoulder_pan_joint': 0.4, 'elbow_joint': 0.3}
TWO_ARMS = ROOT / 'tests' / 'data' / 'urdf' / 'two_arms.urdf'
HANDS = ['left_hand', 'right_hand']
MOUNT = translation(1, -2, 0.5) @ rotation((0, 0, 1), 0.7)  # of the base link, in a TF frame


def state(positions):
    return RobotState(joint_state=JointState(name=list(positions), position=list(positions.values())))


def compute_ik(node, pose=None, frame='', **fields):
    """Calls ~/compute_ik; `pose` is a 4 x 4 matrix or a PoseStamped."""
    if pose is not None:
        fields['pose_stamped'] = pose_message(pose, frame) if isinstance(pose, np.ndarray) else pose
    return node.call(GetPositionIK, 'compute_ik', ik_request=PositionIKRequest(**fields))


def compute_fk(node, frame='', **fields):
    return node.call(GetPositionFK, 'compute_fk', header=Header(frame_id=frame), **fields)


def assert_code(node, answer, name, *words):
    """Checks the error code and, if this moveit_msgs has a message field (Humble's has not), words of its message."""
    code = answer.error_code
    assert CODES.get(code.val, code.val) == name, code
    if hasattr(code, 'message'):
        assert code.source == node.name
        for word in words:
            assert word in code.message, code.message


def assert_solved(node, robot, answer, targets):
    """Checks that one configuration of the whole robot meets the targets, a matrix for each link; returns it."""
    assert_code(node, answer, 'SUCCESS')
    positions = posture(answer.solution.joint_state)
    assert answer.solution.joint_state.header.stamp.sec > 0
    for link, target in targets.items():
        assert_reached(robot, positions, link, target)
    return positions


def assert_failed(node, answer, name, *words):
    assert_code(node, answer, name, *words)
    assert answer.solution == RobotState(), 'a failure has no solution'


@pytest.fixture(scope='module')
def two_arms(module_start):
    return module_start.node(TWO_ARMS, tip_links=HANDS)


@pytest.fixture(scope='module')
def two_arms_robot():
    return Robot.load(TWO_ARMS)


def test_a_pose_is_enough(arm, arm_robot, generator):
    before, initial = arm.snapshot(), arm.next_posture()
    for _ in range(10):
        target = arm_robot.pose('tool0', arm_robot.sample(generator))
        assert_solved(arm, arm_robot, compute_ik(arm, target), {'tool0': target})
    arm.settle()
    assert len(arm.statuses) == before.statuses and arm.next_posture() == initial, 'a query must not move the arm'


def test_the_answer_is_that_of_solve_ik(arm, arm_robot, generator):
    target, seed = arm_robot.pose('tool0', arm_robot.sample(generator)), state(arm_robot.sample(generator))
    answer = compute_ik(arm, target, robot_state=seed, timeout=LONG, group_name='any_name', ik_link_name='tool0')
    other = arm.solve_ik(target, seed=seed.joint_state, timeout=10.0)
    assert other.success
    assert answer.solution.joint_state.position == other.joint_state.position
    assert answer.solution.joint_state.name == other.joint_state.name


@pytest.mark.parametrize('is_diff', [False, True])
def test_the_seed_is_the_robot_state(arm, arm_robot, generator, is_diff):
    sample = arm_robot.sample(generator)
    seed = state(sample)
    seed.is_diff = is_diff
    answer = compute_ik(arm, arm_robot.pose('tool0', sample), robot_state=seed)
    assert difference(posture(answer.solution.joint_state), sample) < 1e-6
    initial = arm.next_posture()
    some = {'elbow_joint': 0.3, 'wrist_flex_joint': -0.2}
    seed = state(some)
    seed.is_diff = is_diff
    answer = compute_ik(arm, arm_robot.pose('tool0', {**initial, **some}), robot_state=seed)
    assert difference(posture(answer.solution.joint_state), {**initial, **some}) < 1e-6


def test_both_hands_are_solved_together(two_arms, two_arms_robot, generator):
    for _ in range(5):
        sample = two_arms_robot.sample(generator)
        targets = {hand: two_arms_robot.pose(hand, sample) for hand in HANDS}
        answer = compute_ik(
            two_arms, ik_link_names=HANDS, pose_stamped_vector=[pose_message(pose) for pose in targets.values()],
            timeout=LONG,
            # The lists take precedence over these.
            ik_link_name='no_link', pose_stamped=pose_message(translation(9, 9, 9)))
        assert_solved(two_arms, two_arms_robot, answer, targets)


def test_hands_that_pull_the_torso_apart_have_no_solution(two_arms):
    answer = compute_ik(two_arms, ik_link_names=HANDS, timeout=LONG, pose_stamped_vector=[
        pose_message(translation(0, y, 1)) for y in (3, -3)])
    assert_failed(two_arms, answer, 'NO_IK_SOLUTION', 'closest')


@pytest.mark.parametrize('link', ['', *HANDS, 'right_palm_link'])
def test_one_hand_leaves_the_other_where_it_goes(two_arms, two_arms_robot, generator, link):
    sample = two_arms_robot.sample(generator)
    target = two_arms_robot.pose(link or 'left_hand', sample)
    answer = compute_ik(two_arms, target, ik_link_name=link)
    assert_solved(two_arms, two_arms_robot, answer, {link or 'left_hand': target})
    # The same by lists of one element.
    other = compute_ik(two_arms, ik_link_names=[link], pose_stamped_vector=[pose_message(target)])
    assert other.solution.joint_state.position == answer.solution.joint_state.position


def test_joints_outside_the_chain_stay_where_the_robot_state_has_them(two_arms, two_arms_robot):
    answer = compute_ik(two_arms, two_arms_robot.pose('left_hand', two_arms.next_posture()),
                        robot_state=state({'right_finger_joint': 0.01}))
    positions = posture(answer.solution.joint_state)
    assert_posture(two_arms_robot, positions)
    assert positions['right_finger_joint'] == 0.01


@pytest.fixture
def arm_with_camera(start):
    """A node for the bundled arm with a link fixed to the hand beside the tip, far out; and the robot."""
    text = ARM_FILE.read_text().replace('</robot>', '''
        <link name="camera"/>
        <joint name="camera_joint" type="fixed">
          <parent link="hand_link"/> <child link="camera"/> <origin xyz="0.5 0.3 -0.2" rpy="0.4 -0.7 2.0"/>
        </joint></robot>''')
    return start.node(robot_description=text, tip_links=['tool0']), Robot(text)


def test_a_link_that_is_fixed_to_the_tip(arm_with_camera, generator):
    node, robot = arm_with_camera
    # Coarse, so that the lever arm between camera and tip would show.
    with node.changed(position_tolerance=1e-3, orientation_tolerance=1e-2):
        for link in ('camera', 'hand_link'):
            for _ in range(10):
                target = robot.pose(link, robot.sample(generator))
                answer = compute_ik(node, target, ik_link_name=link)
                assert_code(node, answer, 'SUCCESS')
                positions = posture(answer.solution.joint_state)
                assert_reached(robot, positions, link, target, position_tolerance=1e-3, orientation_tolerance=1e-2)
    with node.changed(free_axes=['rz']):
        target = robot.pose('camera', robot.sample(generator))
        assert_failed(node, compute_ik(node, target, ik_link_name='camera'), 'INVALID_LINK_NAME', 'free_axes', 'tool0')


def test_free_axes_of_the_parameter_hold(arm, arm_robot):
    target = arm_robot.pose('tool0', BENT) @ rotation((0, 0, 1), 1.0)
    with arm.changed(free_axes=['rz']):
        positions = posture(compute_ik(arm, target).solution.joint_state)
        pose = arm_robot.pose('tool0', positions)
        assert np.linalg.norm((pose - target)[:3, 2:]) < 1e-4


@pytest.mark.parametrize('link, words', [
    ('elbow_link', ['elbow_link', 'tool0']), ('base_link', ['tool0']), ('claw', ['claw', 'tool0']), ('\n', []),
])
def test_other_links_are_refused(arm, link, words):
    pose = translation(0.4, 0, 0.4)
    assert_failed(arm, compute_ik(arm, pose, ik_link_name=link), 'INVALID_LINK_NAME', *words)
    answer = compute_ik(arm, ik_link_names=[link], pose_stamped_vector=[pose_message(pose)])
    assert_failed(arm, answer, 'INVALID_LINK_NAME', *words)


@pytest.mark.parametrize('links, poses', [(2, 1), (2, 0), (1, 2), (0, 2)])
def test_lists_of_unequal_length_are_refused(two_arms, links, poses):
    answer = compute_ik(two_arms, ik_link_names=HANDS[:links],
                        pose_stamped_vector=[pose_message(translation(0.4, 0, 1))] * poses)
    assert_failed(two_arms, answer, 'INVALID_LINK_NAME', 'ik_link_names', 'pose_stamped_vector')


def test_two_poses_for_one_tip_are_refused(two_arms):
    poses = [pose_message(translation(0.4, 0, z)) for z in (1.0, 1.1)]
    answer = compute_ik(two_arms, ik_link_names=['left_hand', 'left_palm_link'], pose_stamped_vector=poses)
    assert_failed(two_arms, answer, 'INVALID_LINK_NAME', 'left_hand')


def test_what_cannot_be_met_has_no_solution(arm):
    assert_failed(arm, compute_ik(arm, translation(3, 0, 0.3)), 'NO_IK_SOLUTION', 'out of reach', 'closest')
    assert_failed(arm, compute_ik(arm, UNSOLVABLE), 'NO_IK_SOLUTION', 'closest')


def test_an_arm_of_few_joints_gets_the_position_without_a_success(start):
    file = ROOT / 'tests' / 'data' / 'urdf' / 'scara.urdf'
    node, robot = start.node(file, on_unreachable='position'), Robot.load(file)
    target = robot.pose('tool', {'shoulder': 0.3, 'elbow': 0.8, 'stroke': 0.1, 'turn': 1.0}) @ rotation((1, 0, 0), 0.5)
    answer = compute_ik(node, target, timeout=LONG)
    assert_code(node, answer, 'NO_IK_SOLUTION', 'position only')
    reached = robot.pose('tool', posture(answer.solution.joint_state))
    assert np.linalg.norm(reached[:3, 3] - target[:3, 3]) <= 1.001e-5


def test_a_search_ends_with_its_timeout(arm):
    with arm.changed(attempts=1_000_000):
        answer = compute_ik(arm, UNSOLVABLE, timeout=Duration(nanosec=2_000_000))
        assert_failed(arm, answer, 'TIMED_OUT', 'time was up')


@pytest.mark.parametrize('timeout', [Duration(sec=-1), Duration(sec=2**31 - 1), Duration(nanosec=1)])
def test_a_timeout_has_the_bounds_of_the_parameter(arm, arm_robot, timeout):
    answer = compute_ik(arm, arm_robot.pose('tool0', BENT), timeout=timeout)
    assert_failed(arm, answer, 'FAILURE', 'timeout', 'must be from')


@pytest.mark.parametrize('parameter', [False, True])
def test_the_request_decides_whether_collisions_count(start, parameter):
    node = start_arm(start, BESIDE, avoid_collisions=parameter).client
    inside = aside(BESIDE.centre[1])
    answer = compute_ik(node, inside)
    assert answer.error_code.val == MoveItErrorCodes.SUCCESS
    assert BESIDE.nearest(posture(answer.solution.joint_state)) < 0
    assert_failed(node, compute_ik(node, inside, avoid_collisions=True), 'NO_IK_SOLUTION')
    beside = compute_ik(node, home(), avoid_collisions=True)
    assert beside.error_code.val == MoveItErrorCodes.SUCCESS
    assert BESIDE.nearest(posture(beside.solution.joint_state)) >= MARGIN - ROUNDING


@pytest.mark.parametrize('kind, constraint', [
    ('joint', JointConstraint), ('position', PositionConstraint), ('orientation', OrientationConstraint),
    ('visibility', VisibilityConstraint)])
def test_constraints_are_refused(arm, arm_robot, kind, constraint):
    constraints = Constraints(**{f'{kind}_constraints': [constraint()]})
    answer = compute_ik(arm, arm_robot.pose('tool0', BENT), constraints=constraints)
    assert_failed(arm, answer, 'INVALID_GOAL_CONSTRAINTS', 'constraints', kind)


def test_constraints_without_content_are_none(arm, arm_robot):
    target = arm_robot.pose('tool0', BENT)
    answer = compute_ik(arm, target, constraints=Constraints(name='nothing'))
    assert_solved(arm, arm_robot, answer, {'tool0': target})


@pytest.mark.parametrize('field, value, word', [
    ('position_y', math.nan, 'position y'), ('position_x', math.inf, 'position x'),
    ('orientation_w', math.nan, 'orientation'), ('orientation_w', 0.0, 'orientation')])
def test_bad_poses_are_refused(arm, field, value, word):
    message = pose_message(translation(0.4, 0, 0.4))
    part, name = field.split('_')
    setattr(getattr(message.pose, part), name, value)
    assert_failed(arm, compute_ik(arm, message), 'INVALID_GOAL_CONSTRAINTS', word)


@pytest.mark.parametrize('names, positions, words', [
    (['elbow_joint', 'knee_joint'], [0.1, 0.2], ['knee_joint', 'elbow_joint']),
    (['tool0_joint'], [0.0], ['tool0_joint']),
    (['elbow_joint'], [0.1, 0.2], ['1', '2']),
    (['elbow_joint', 'wrist_flex_joint'], [0.1], ['2', '1']),
    (['elbow_joint'], [math.nan], ['elbow_joint']),
    (['elbow_joint'], [math.inf], ['elbow_joint']),
])
def test_bad_robot_states_are_refused(arm, names, positions, words):
    wrong = RobotState(joint_state=JointState(name=names, position=positions))
    answer = compute_ik(arm, translation(0.4, 0, 0.4), robot_state=wrong)
    assert_failed(arm, answer, 'INVALID_ROBOT_STATE', 'robot_state', *words)
    answer = compute_fk(arm, robot_state=wrong)
    assert_code(arm, answer, 'INVALID_ROBOT_STATE', 'robot_state', *words)
    assert not answer.pose_stamped and not answer.fk_link_names


def test_what_of_a_robot_state_makes_no_difference_is_no_matter(arm, arm_robot):
    target = arm_robot.pose('tool0', BENT)
    given = RobotState(
        multi_dof_joint_state=MultiDOFJointState(joint_names=['world_joint'], transforms=[Transform()]),
        attached_collision_objects=[AttachedCollisionObject(link_name='tool0')])
    answer = compute_ik(arm, target, robot_state=given)
    assert_solved(arm, arm_robot, answer, {'tool0': target})
    assert 'multi_dof' not in getattr(answer.error_code, 'message', '')
    given.multi_dof_joint_state.transforms = [Transform(translation=Vector3(x=1.0))]
    answer = compute_ik(arm, target, robot_state=given)
    assert_solved(arm, arm_robot, answer, {'tool0': target})
    assert_code(arm, answer, 'SUCCESS', 'multi_dof_joint_state is not used')
    assert_code(arm, compute_fk(arm, robot_state=given), 'SUCCESS', 'multi_dof_joint_state is not used')


def test_frames(arm, arm_robot):
    initial, target = arm.next_posture(), arm_robot.pose('tool0', BENT)
    arm.publish_transforms(
        transform_message('workshop', 'base_link', MOUNT, arm.node.get_clock().now().to_msg()), static=True)
    elbow = arm_robot.pose('elbow_link', initial)
    placed = {'base_link': target, 'elbow_link': np.linalg.inv(elbow) @ target, 'workshop': MOUNT @ target}
    with arm.changed(transform_timeout=5.0):
        for frame, pose in placed.items():
            assert_solved(arm, arm_robot, compute_ik(arm, pose, frame), {'tool0': target})
    answer = compute_fk(arm, 'workshop', fk_link_names=['elbow_link'], robot_state=state(BENT))
    assert_code(arm, answer, 'SUCCESS')
    assert answer.pose_stamped[0].header.frame_id == 'workshop'
    expected = MOUNT @ arm_robot.pose('elbow_link', {**initial, **BENT})
    assert max(errors(pose_from(answer.pose_stamped[0].pose), expected)) < 1e-9


def test_unknown_frames_are_named(arm):
    assert_failed(arm, compute_ik(arm, translation(0.4, 0, 0.4), 'nowhere'), 'FRAME_TRANSFORM_FAILURE', 'nowhere')
    answer = compute_fk(arm, 'nowhere', fk_link_names=['tool0'])
    assert_code(arm, answer, 'FRAME_TRANSFORM_FAILURE', 'nowhere')
    assert not answer.pose_stamped and not answer.fk_link_names


def test_poses_of_links(arm, arm_robot, generator):
    sample = arm_robot.sample(generator)
    links = ['hand_link', 'base_link', 'hand_link']
    for frame in ('', 'base_link', 'elbow_link'):
        answer = compute_fk(arm, frame, fk_link_names=links, robot_state=state(sample))
        assert_code(arm, answer, 'SUCCESS')
        assert answer.fk_link_names == links and len(answer.pose_stamped) == len(links)
        for link, pose in zip(links, answer.pose_stamped):
            assert pose.header.frame_id == (frame or 'base_link') and pose.header.stamp.sec > 0
            expected = arm_robot.pose(link, sample, base=frame or 'base_link')
            assert max(errors(pose_from(pose.pose), expected)) < 1e-9


def test_without_names_the_poses_are_those_of_the_tips(two_arms, two_arms_robot):
    answer = compute_fk(two_arms)
    assert_code(two_arms, answer, 'SUCCESS')
    assert answer.fk_link_names == HANDS
    present = two_arms.next_posture()
    for hand, pose in zip(HANDS, answer.pose_stamped):
        assert max(errors(pose_from(pose.pose), two_arms_robot.pose(hand, present))) < 1e-9


def test_poses_of_unknown_links_are_refused(arm):
    answer = compute_fk(arm, fk_link_names=['tool0', 'claw'])
    assert_code(arm, answer, 'INVALID_LINK_NAME', 'claw', 'tool0')
    assert not answer.pose_stamped and not answer.fk_link_names


def test_before_a_robot_is_there(start):
    node = start.node(robot=False)
    assert_failed(node, compute_ik(node, translation(0.4, 0, 0.4)), 'FAILURE', 'there is no robot')
    assert_code(node, compute_fk(node), 'FAILURE', 'there is no robot')


def test_under_the_names_of_a_move_group(start, arm_robot):
    node = start.node(ARM_FILE, remaps={f'~/{name}': f'/{name}' for name in ('compute_ik', 'compute_fk')})
    client, other = (node.node.create_client(kind, name) for kind, name in (
        (GetPositionIK, '/compute_ik'), (GetPositionFK, '/compute_fk')))
    node.wait_for(lambda: client.service_is_ready() and other.service_is_ready(), '/compute_ik and /compute_fk')
    target = arm_robot.pose('tool0', BENT)
    future = client.call_async(GetPositionIK.Request(ik_request=PositionIKRequest(pose_stamped=pose_message(target))))
    node.wait_for(future.done, 'an answer')
    assert_solved(node, arm_robot, future.result(), {'tool0': target})
