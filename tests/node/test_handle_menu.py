"""The menu of a handle: every entry, and its label."""
import pytest
from rcl_interfaces.msg import ParameterEvent
from rclpy.qos import qos_profile_parameter_events
from urdf_ik.msg import SolveStatus

from checks import POSITION_TOLERANCE, assert_solved, difference
from client import posture, python_value
from conftest import ARM_FILE, ROBOTS, UNSOLVABLE
from handle_client import HandleClient
from kinematics import errors, rotation, translation
from motion import assert_smooth, still

AIM = {'shoulder_pan_joint': 0.5, 'shoulder_lift_joint': 0.3, 'elbow_joint': -0.4, 'wrist_flex_joint': 0.3}
INITIAL = {'shoulder_pan_joint': -0.7, 'elbow_joint': 0.2}
SLOW = 'joint_limits: {shoulder_pan_joint: {has_velocity_limits: true, max_velocity: 0.05}}'
TURNS = ['turn x', 'turn y', 'turn z']


@pytest.fixture
def handle(arm):
    return HandleClient(arm).connect()


@pytest.fixture
def aim(arm_robot):
    return arm_robot.pose('tool0', AIM)


def wait_for_mark(handle, title, marked=True):
    handle.client.wait_for(lambda: handle.markers and (title in handle.menu()[1]) == marked, f'the check mark of {title}')


def controls(handle):
    return [control.name for control in handle.marker().controls]


def test_the_menu_has_these_entries(handle):
    titles, marked = handle.menu()
    assert list(titles) == ['Solver', 'jacobian', 'fabrik', 'closed_form', 'Position only', 'Keep orientation',
                            'To the initial configuration', 'Reset', 'Stop']
    assert marked == {'jacobian'}
    assert len(set(titles.values())) == len(titles) and 0 not in titles.values()
    parents = {entry.id: entry.parent_id for entry in handle.marker().menu_entries}
    assert [parents[titles[solver]] for solver in ('jacobian', 'fabrik', 'closed_form')] == [titles['Solver']] * 3


def test_the_solver_is_the_parameter(arm, handle, aim, arm_robot):
    events = arm.subscribe(ParameterEvent, '/parameter_events', [], qos_profile_parameter_events)

    def is_heard():
        arm.set_all(solver='jacobian')
        return events

    # Messages published before mutual discovery are lost.
    arm.wait_for(is_heard, 'the events')
    for solver in ('fabrik', 'closed_form', 'jacobian'):
        handle.choose(solver)
        wait_for_mark(handle, solver)
        assert arm.get('solver') == [solver]
        assert handle.menu()[1] == {solver}

        def changed():
            return [python_value(new.value) for event in events if event.node == arm.name
                    for new in event.changed_parameters if new.name == 'solver']

        arm.wait_for(lambda: changed()[-1:] == [solver], f'the event of {solver}')
        status = arm.status_of(handle.drag([aim])[-1])
        assert status.solver == solver
        assert_solved(arm, arm_robot, status, 'tool0', aim)
    # The other direction: the check marks follow the parameter.
    with arm.changed(solver='fabrik'):
        wait_for_mark(handle, 'fabrik')
    wait_for_mark(handle, 'jacobian')


def test_a_solver_that_the_chain_does_not_have(start):
    node = start.node(ROBOTS / 'telescope.urdf', tip_links=['tool'])
    handle = HandleClient(node).connect()
    (name,) = handle.markers
    handle.choose('closed_form', name)
    node.wait_for(lambda: handle.text(name), 'the reason')
    assert 'closed form' in handle.text(name)
    assert handle.menu(name)[1] == {'jacobian'} and node.get('solver') == ['jacobian']
    handle.choose('fabrik', name)
    node.wait_for(lambda: not handle.text(name), 'the reason to disappear')
    handle.choose('closed_form', name)
    node.wait_for(lambda: handle.text(name), 'the reason')
    # A drag replaces the status.
    handle.drag([handle.pose(name)], name)
    node.wait_for(lambda: not handle.text(name), 'the reason to disappear')


def test_position_only(arm, handle, arm_robot):
    assert arm.status_of(handle.drag([UNSOLVABLE])[-1]).outcome != SolveStatus.SOLVED
    handle.choose('Position only')
    wait_for_mark(handle, 'Position only')
    # A ring for its rotation would have no effect.
    assert not set(TURNS) & set(controls(handle))
    status = arm.status_of(handle.drag([UNSOLVABLE])[-1])
    assert (status.outcome, status.orientation_error) == (SolveStatus.SOLVED, 0), status.message
    distance, _ = errors(arm_robot.pose('tool0', arm.answer_to(status)), UNSOLVABLE)
    assert distance <= POSITION_TOLERANCE
    handle.choose('Position only')
    wait_for_mark(handle, 'Position only', marked=False)
    assert set(TURNS) <= set(controls(handle))
    assert arm.status_of(handle.drag([UNSOLVABLE])[-1]).outcome != SolveStatus.SOLVED


def test_keep_orientation(arm, handle, arm_robot, aim):
    arm.answer_to(arm.send_pose(aim))
    kept = arm_robot.pose('tool0', arm.next_posture())
    handle.choose('Keep orientation')
    wait_for_mark(handle, 'Keep orientation')
    assert not set(TURNS) & set(controls(handle))
    # Any orientation that a client sends.
    for turn in (0.0, 0.4, 1.0):
        moved = translation(-0.02, 0.01, 0.03 * turn) @ kept @ rotation((0, 1, 0), turn)
        status = arm.status_of(handle.drag([moved])[-1])
        expected = moved.copy()
        expected[:3, :3] = kept[:3, :3]
        assert_solved(arm, arm_robot, status, 'tool0', expected)
    # It is kept when the arm rotates for another reason.
    arm.answer_to(arm.send_pose(arm_robot.pose('tool0', {'shoulder_pan_joint': -0.3, 'wrist_flex_joint': 1.0})))
    expected = aim.copy()
    expected[:3, :3] = kept[:3, :3]
    assert_solved(arm, arm_robot, arm.status_of(handle.drag([aim])[-1]), 'tool0', expected)
    # The two choices exclude each other.
    handle.choose('Position only')
    wait_for_mark(handle, 'Position only')
    assert handle.menu()[1] == {'jacobian', 'Position only'}
    handle.choose('Keep orientation')
    wait_for_mark(handle, 'Keep orientation')
    handle.choose('Keep orientation')
    wait_for_mark(handle, 'Keep orientation', marked=False)
    assert_solved(arm, arm_robot, arm.status_of(handle.drag([aim])[-1]), 'tool0', aim)


def test_reset(arm, handle, aim):
    initial = arm.next_posture()
    moved = arm.answer_to(arm.status_of(handle.drag([aim])[-1]))
    assert difference(moved, initial) > 0.1
    handle.choose('Reset')
    arm.wait_for(lambda: posture(arm.states[-1]) == initial, 'the initial posture')


@pytest.fixture
def smooth(start):
    return start.node(ARM_FILE, motion='smooth', publish_rate=100.0, initial_posture=str(INITIAL))


def test_to_the_initial_configuration_as_any_motion(smooth, arm_robot, aim):
    handle = HandleClient(smooth).connect()
    stamp = handle.drag([aim])[-1]
    smooth.answer_to(smooth.status_of(stamp, SolveStatus.SOLVED))
    before = smooth.snapshot()
    handle.choose('To the initial configuration')
    smooth.wait_for(lambda: posture(smooth.states[-1]) == arm_robot.follow_mimics(INITIAL), 'the initial posture')
    moving = [state for state in smooth.states_since(before) if not still(state)]
    assert len(moving) > 10
    assert_smooth(moving, arm_robot, 1 / 100)


def test_to_the_initial_configuration_at_once(arm, arm_robot, handle, aim):
    initial = arm.next_posture()
    arm.answer_to(arm.status_of(handle.drag([aim])[-1]))
    handle.choose('To the initial configuration')
    arm.wait_for(lambda: posture(arm.states[-1]) == initial, 'the initial posture')


def test_stop(smooth, arm_robot, aim):
    smooth.set_all(joint_limits=SLOW)
    handle = HandleClient(smooth).connect()
    initial, neutral = smooth.next_posture(), handle.colour()
    other = HandleClient(smooth).connect()
    first = smooth.status_of(handle.drag([aim])[-1])
    assert first.outcome == SolveStatus.STEP_LIMITED
    # A motion in progress is no failure.
    smooth.wait_for(lambda: handle.colour() != neutral, 'the colour')
    assert not handle.text()
    # Any client may do that, also while another one holds the handle.
    handle.press()
    other.choose('Stop')
    smooth.wait_for(lambda: posture(smooth.states[-1]) != initial and still(smooth.states[-1]), 'the arm to rest')
    assert max(errors(arm_robot.pose('tool0', smooth.next_posture()), aim)) > 0.01
