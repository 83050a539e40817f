"""The source of the robot description, and its changes."""
import pytest
from std_msgs.msg import String
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus

from checks import assert_posture, assert_solved
from client import LATCHED
from conftest import ARM_FILE, ROBOTS
from kinematics import Robot, translation
from process import ros_arguments

PLANAR = (ROBOTS / 'planar.urdf').read_text()
LONGER = PLANAR.replace('0.5 0 0', '0.7 0 0')
UPPER_LIMIT_FIRST = PLANAR.replace('lower="-2.5" upper="2.5"', 'lower="2.5" upper="-2.5"')
# A base frame, as on industrial robots.
ON_FOOT = PLANAR.replace('</robot>', '<link name="foot"/><joint name="foot_joint" type="fixed"><parent link="base"/>'
                         '<child link="foot"/></joint></robot>')
BAD = {
    'no XML': ('this is not a robot', ''),
    'not closed': ('<robot name="r"><link name="a"/>', ''),
    'no robot': ('<car/>', 'robot'),
    'no links': ('<robot name="r"/>', 'link'),
    'missing link': (PLANAR.replace('<child link="lower"/>', '<child link="forearm"/>'), 'forearm'),
    'two roots': (PLANAR.replace('</robot>', '<link name="island"/></robot>'), 'island'),
    'limits the wrong way round': (UPPER_LIMIT_FIRST, 'elbow'),
    'zero axis': (PLANAR.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>', 1), 'shoulder'),
    'not a number': (PLANAR.replace('0.5 0 0', 'nan 0 0', 1), 'elbow'),
    'empty': ('', ''),
    'xacro': ('<robot name="r"><xacro:include filename="r.xacro"/></robot>', 'xacro robot.xacro'),
    'MJCF': ('<mujoco model="r"><worldbody/></mujoco>', 'MuJoCo'),
}


def publish(node, text):
    """Publishes a description like robot_state_publisher."""
    node.publisher(String, f'{node.namespace}/robot_description', LATCHED).publish(String(data=text))


def wait_for_joints(node, *names):
    """Waits until the joint states are those of a robot with these joints."""
    node.wait_for(lambda: node.states and set(node.states[-1].name) == set(names), f'joint states of {names}')


def assert_follows(node, text, sample):
    """A target is met by the kinematics of this description."""
    robot = Robot(text)
    assert_reaches(node, robot, 'tip', robot.pose('tip', sample))


def assert_reaches(node, robot, tip, target):
    # Until then targets are refused for the previous robot.
    assert node.call(Trigger, 'resume').success
    assert_solved(node, robot, node.send_pose(target), tip, target)


def test_from_the_parameter(start):
    node = start.node(robot_description=PLANAR)
    assert_follows(node, PLANAR, {'shoulder': 0.4, 'elbow': 0.7})
    assert node.get('robot_description') == [PLANAR]


def test_a_leaf_that_does_not_move_is_no_tip(start):
    node = start.node(robot_description=ON_FOOT)
    assert_follows(node, ON_FOOT, {'shoulder': 0.4, 'elbow': 0.7})


def test_the_parameter_goes_before_the_file(start):
    node = start.node(ARM_FILE, robot_description=PLANAR)
    assert set(node.next_posture()) == {'shoulder', 'elbow'}


def test_the_file_goes_before_the_topic(start):
    node = start.node(ARM_FILE)
    received = node.subscribe(String, f'{node.name}/robot_description', [], LATCHED)
    publish(node, PLANAR)
    node.wait_until_heard(node.publisher(String, f'{node.namespace}/robot_description', LATCHED))
    node.settle()
    assert 'elbow_joint' in node.next_posture()
    # Another robot would be published before this one.
    node.set_all(robot_description=LONGER)
    node.wait_for(lambda: received and received[-1].data == LONGER, 'the description')
    assert [message.data for message in received] == [ARM_FILE.read_text(), LONGER]


def test_from_the_topic_published_before_the_start(start):
    other = start.node(robot=False, namespace='/early')
    publish(other, PLANAR)
    wait_for_joints(other, 'shoulder', 'elbow')
    node = start.node(robot=True, namespace='/early', name='later')
    assert_follows(node, PLANAR, {'shoulder': 0.4, 'elbow': 0.7})


def test_from_the_topic_late_then_changing(start):
    node = start.node(robot=False)
    received = node.subscribe(String, f'{node.name}/robot_description', [], LATCHED)
    status = node.send_pose(translation(0.5, 0.5, 0))
    assert status.outcome == SolveStatus.NO_ROBOT and 'robot' in status.message
    assert not node.states

    publish(node, PLANAR)
    wait_for_joints(node, 'shoulder', 'elbow')
    assert_posture(Robot(PLANAR), node.next_posture())
    assert_follows(node, PLANAR, {'shoulder': 0.4, 'elbow': 0.7})

    publish(node, LONGER)
    node.wait_for(lambda: received and received[-1].data == LONGER, 'the new description')
    assert_follows(node, LONGER, {'shoulder': 0.4, 'elbow': 0.7})

    publish(node, ARM_FILE.read_text())
    wait_for_joints(node, *Robot.load(ARM_FILE).movable)
    arm = Robot.load(ARM_FILE)
    assert_reaches(node, arm, 'tool0', arm.pose('tool0', {'elbow_joint': 0.3}))


def test_the_same_text_again_changes_nothing(start):
    node = start.node(robot=False)
    received = node.subscribe(String, f'{node.name}/robot_description', [], LATCHED)
    publish(node, PLANAR)
    wait_for_joints(node, 'shoulder', 'elbow')
    status = node.send_pose(Robot(PLANAR).pose('tip', {'shoulder': 0.4, 'elbow': 0.7}))
    reached = node.answer_to(status)
    publish(node, PLANAR)
    node.settle()
    assert node.next_posture() == reached
    publish(node, LONGER)
    node.wait_for(lambda: received and received[-1].data == LONGER, 'another description')
    assert [message.data for message in received] == [PLANAR, LONGER]


@pytest.fixture(scope='module')
def shared_planar(module_start):
    node = module_start.node(robot=False)
    publish(node, PLANAR)
    wait_for_joints(node, 'shoulder', 'elbow')
    return node


@pytest.mark.parametrize('fault', BAD)
def test_a_bad_description_is_refused_and_the_old_one_kept(shared_planar, fault):
    node = shared_planar
    text, word = BAD[fault]
    warnings = len(node.process.lines_with('description'))
    publish(node, text)
    node.wait_for(lambda: len(node.process.lines_with('description')) > warnings, 'the reason')
    assert word in node.process.lines_with('description')[-1] or word in node.process.output().splitlines()[-1]
    assert_follows(node, PLANAR, {'shoulder': 0.4, 'elbow': 0.7})


def test_a_description_without_the_tip_is_refused(start):
    node = start.node(robot=False, tip_links=['tip'])
    publish(node, PLANAR)
    wait_for_joints(node, 'shoulder', 'elbow')
    publish(node, ARM_FILE.read_text())
    node.wait_for(lambda: node.process.lines_with("tip"), 'the reason')
    assert_follows(node, PLANAR, {'shoulder': 0.4, 'elbow': 0.7})


def test_a_bad_one_first_then_a_good_one(start):
    node = start.node(robot=False)
    publish(node, UPPER_LIMIT_FIRST)
    node.wait_for(lambda: node.process.lines_with('elbow'), 'the reason')
    assert node.send_pose(translation(0.5, 0.5, 0)).outcome == SolveStatus.NO_ROBOT
    publish(node, PLANAR)
    wait_for_joints(node, 'shoulder', 'elbow')
    assert_follows(node, PLANAR, {'shoulder': 0.4, 'elbow': 0.7})


def test_a_bad_description_in_the_live_parameter_is_refused_with_the_reason(start):
    node = start.node(robot_description=PLANAR)
    assert 'elbow' in node.refusal(robot_description=UPPER_LIMIT_FIRST)
    assert node.get('robot_description') == [PLANAR]
    assert_follows(node, PLANAR, {'shoulder': 0.4, 'elbow': 0.7})


def test_the_live_parameter_replaces_the_robot(start):
    node = start.node(robot_description=PLANAR)
    node.set_all(robot_description=LONGER)
    assert_follows(node, LONGER, {'shoulder': 0.4, 'elbow': 0.7})
    received = node.subscribe(String, f'{node.name}/robot_description', [], LATCHED)
    node.wait_for(lambda: received, 'the description')
    assert received[-1].data == LONGER


def test_no_single_leaf_lists_the_leaves(start):
    node = start.node(robot=False)
    publish(node, (ROBOTS / 'two_arms.urdf').read_text())
    node.wait_for(lambda: node.process.lines_with('left-hand'), 'the reason')
    (line,) = node.process.lines_with('left-hand')
    assert 'right-hand' in line and 'tip_links' in line and 'argument tip_link' in line and 'waits for another' in line
    assert node.send_pose(translation(0.5, 0.5, 0)).outcome == SolveStatus.NO_ROBOT


@pytest.mark.parametrize('parameters, words', [
    ({'urdf_file': '/no/such/file.urdf'}, ['/no/such/file.urdf']),
    ({'robot_description': UPPER_LIMIT_FIRST}, ['elbow']),
    ({'robot_description': PLANAR, 'tip_links': ['claw']}, ['claw', 'tip']),
    ({'robot_description': PLANAR, 'base_link': 'claw'}, ['claw', 'base']),
    ({'robot_description': PLANAR, 'tip_links': ['base']}, ['base']),
    ({'robot_description': (ROBOTS / 'two_arms.urdf').read_text()}, ['left-hand', 'tip_links', 'argument tip_link']),
    ({'urdf_file': str(ARM_FILE), 'posture': '{knee: 1.0}'}, ['posture', 'knee']),
    ({'urdf_file': str(ARM_FILE), 'command_joints': ['knee']}, ["command_joints: 'knee' is not a movable joint"]),
    ({'urdf_file': str(ARM_FILE), 'joint_limits': 'joint_limits: {knee: {has_velocity_limits: true, max_velocity: 1.0}}'},
     ['joint_limits', 'knee']),
])
def test_a_parameter_without_a_robot_that_can_be_used_ends_the_start(start, parameters, words):
    process = start.run(*ros_arguments('/unusable', parameters, {}))
    assert process.wait() == 1, process.output()
    for word in [*words, next(iter(parameters))]:
        assert word in process.output(), process.output()
    assert 'panicked' not in process.output()


def test_a_robot_without_a_parameter_is_waited_for_by_name(start):
    process = start.run(*ros_arguments('/patient', {}, {}))
    assert 'waits' in process.wait_for_output('topic robot_description')


def test_the_time_of_a_simulation_is_waited_for_by_name(start):
    process = start.run(*ros_arguments('/patient', {'use_sim_time': True, 'urdf_file': str(ARM_FILE)}, {}))
    assert 'waits' in process.wait_for_output('/clock')


LIMITED = """<robot name="limited"> <link name="base"/> <link name="arm"/> <link name="tip"/> <link name="deco"/>
  <joint name="j" type="revolute"> <parent link="base"/> <child link="arm"/> <axis xyz="0 0 1"/>
    <limit lower="-1.5" upper="1.5" effort="1" velocity="-1"/>
    <safety_controller soft_lower_limit="-1.25" soft_upper_limit="9" k_velocity="1"/> </joint>
  <joint name="end" type="fixed"> <parent link="arm"/> <child link="tip"/> <origin xyz="1 0 0"/> </joint>
  <joint name="d" type="revolute"> <parent link="base"/> <child link="deco"/> <axis xyz="0 0 1"/>
    <limit lower="2" upper="3" effort="1" velocity="1"/> <mimic joint="j" multiplier="-1"/> </joint>
</robot>"""


@pytest.mark.parametrize('soft_limits, lower', [(False, -1.5), (True, -1.25)])
def test_the_limits_of_a_master_alone_count_and_its_soft_limits_where_asked_for(start, soft_limits, lower):
    node = start.node(robot_description=LIMITED, tip_links=['tip'], soft_limits=soft_limits, branch_jumps=False)
    output = node.process.wait_for_output('mimics another')
    assert 'these can leave theirs: d\n' in output and 'velocity limit of 0 or less' in output
    robot = Robot(LIMITED)
    for angle in (-1.4, 1.5):
        status = node.send_pose(robot.pose('tip', {'j': angle}))
        posture = node.next_posture()
        assert posture['j'] == pytest.approx(max(angle, lower), abs=1e-4) and posture['d'] == -posture['j']
        assert (status.outcome == SolveStatus.SOLVED) == (angle >= lower)
    assert not node.set(soft_limits=not soft_limits)[0].successful
