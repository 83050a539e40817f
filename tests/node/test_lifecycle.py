"""Start, diagnostics and stop."""
import os
import signal
import subprocess
import threading

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import SolveIK, SolveIKBatch

from checks import assert_solved
from client import Client, nanoseconds, pose_message, posture
from conftest import ARM_FILE, LONG, UNSOLVABLE
from kinematics import errors, rotation, translation
from motion import still
from path_client import PathFollower
from process import NODE, STOP_TIMEOUT, executable, ros_arguments

SIGNALS = [signal.SIGINT, signal.SIGTERM]

def assert_stops(process, number):
    """It exits during a computation of a minute."""
    process.send_signal(number)
    assert process.wait() == 0, process.output()
    assert 'panicked' not in process.output(), process.output()


@pytest.mark.parametrize('number', SIGNALS)
def test_a_signal_stops_it_with_status_0(start, number):
    node = start.node(ARM_FILE)
    assert_stops(node.process, number)
    node.wait_for(lambda: node.node.count_publishers(f'{node.name}/joint_states') == 0, 'the graph to remove it')


@pytest.mark.parametrize('number', SIGNALS)
def test_a_signal_stops_it_without_a_robot(start, number):
    assert_stops(start.node(robot=False).process, number)


@pytest.mark.parametrize('number', SIGNALS)
def test_a_signal_stops_it_during_a_flood(start, arm_robot, number):
    node = start.node(ARM_FILE)
    message = pose_message(arm_robot.pose('tool0', {'elbow_joint': 0.3}))
    publisher = node.target_publisher('target_pose')
    stopped = threading.Event()

    def flood():
        while not stopped.is_set():
            publisher.publish(message)
    thread = threading.Thread(target=flood)
    thread.start()
    try:
        node.wait_for(lambda: node.statuses, 'the first status')
        assert_stops(node.process, number)
    finally:
        stopped.set()
        thread.join()


def test_a_signal_stops_it_while_a_target_waits_for_its_frame(start):
    node = start.node(ARM_FILE, transform_timeout=60.0)
    node.target_publisher('target_pose').publish(pose_message(translation(0.3, 0, 0.3), 'nowhere', node.new_stamp()))
    node.settle()
    assert_stops(node.process, signal.SIGINT)


@pytest.mark.parametrize('number', SIGNALS)
def test_a_signal_stops_it_as_soon_as_it_is_in_the_graph(start, number):
    for count in range(3):
        namespace = f'/early{number}{count}'
        client = Client(f'{namespace}/urdf_ik')
        start.clients.append(client)
        process = start.run(*ros_arguments(namespace, {'urdf_file': str(ARM_FILE)}, {}))
        client.wait_for(lambda: ('urdf_ik', namespace) in client.node.get_node_names_and_namespaces(), 'the node')
        assert_stops(process, number)


@pytest.fixture
def long_chain(tmp_path):
    """The file of a chain of 300 parallel axes. For an unreachable target a million attempts of FABRIK take more than a minute."""
    joint = '<joint name="{1}" type="continuous"><parent link="{0}"/><child link="{1}"/><origin xyz="0 0.01 0"/></joint><link name="{1}"/>'
    links = [f'link{number}' for number in range(301)]
    text = ''.join(joint.format(*pair) for pair in zip(links, links[1:]))
    (tmp_path / 'chain.urdf').write_text(f'<robot name="chain"><link name="{links[0]}"/>{text}</robot>')
    return tmp_path / 'chain.urdf'


def test_a_long_search_holds_nothing_else_up(start, long_chain):
    """Neither the target of the topic nor the request of the service."""
    node = start.node(long_chain, **LONG)
    target = pose_message(translation(0, 1, 0) @ rotation((0, 1, 0), 1.5), stamp=node.new_stamp())
    node.target_publisher('target_pose').publish(target)
    answer = node.service(SolveIK, 'solve_ik').call_async(SolveIK.Request(pose=target))
    node.live(50)
    assert node.get('solver') == ['fabrik']
    assert node.forward_kinematics().success
    node.settle()
    assert not node.statuses and not answer.done(), 'a search has ended'
    assert_stops(node.process, signal.SIGINT)


@pytest.mark.parametrize('service', ['stop', 'reset', 'resume'])
def test_a_service_that_stops_the_arm_does_not_wait_for_a_long_search(start, arm_robot, service):
    node = start.node(ARM_FILE, motion='smooth', speed_scale=0.02, **LONG)
    far = arm_robot.pose('tool0', {'shoulder_pan_joint': 1.5})
    node.send_pose(far)
    node.wait_for(lambda: any(node.states[-1].velocity), 'the arm to move')
    searched = pose_message(UNSOLVABLE, stamp=node.new_stamp())
    node.target_publisher('target_pose').publish(searched)
    node.live(10)
    assert node.call(Trigger, service).success
    assert not node.statuses_of(searched.header.stamp), 'the search has ended'
    if service == 'stop':
        node.wait_for(lambda: still(node.states[-1]), 'the arm to rest')
        assert errors(arm_robot.pose('tool0', posture(node.states[-1])), far)[0] > 0.1


def test_a_path_does_not_wait_for_a_long_search_which_then_moves_nothing(start, arm_robot):
    node = start.node(ARM_FILE, motion='smooth', **{**LONG, 'timeout': 10.0})
    follower = PathFollower(node)
    searched = pose_message(UNSOLVABLE, stamp=node.new_stamp())
    node.target_publisher('target_pose').publish(searched)
    node.live(10)
    here = arm_robot.pose('tool0', posture(node.states[-1]))
    there = here @ rotation((0, 0, 1), 0.1)
    assert follower.follow([there]).result().success
    status = node.status_of(searched.header.stamp)
    assert status.outcome == SolveStatus.INVALID and 'was requested before the motion to this target' in status.message
    node.settle()
    assert errors(arm_robot.pose('tool0', posture(node.states[-1])), there) <= (1e-5, 1e-5)


def test_a_signal_stops_it_beside_long_searches(start):
    node = start.node(ARM_FILE)
    target = pose_message(UNSOLVABLE)
    for _ in range(5):
        node.service(SolveIK, 'solve_ik').call_async(SolveIK.Request(pose=target, **LONG))
    batch = SolveIKBatch.Request(poses=[target.pose] * 100, **LONG)
    node.service(SolveIKBatch, 'solve_ik_batch').call_async(batch)
    assert node.solve_ik(translation(3, 0, 0.3)).status.outcome == SolveStatus.OUT_OF_REACH
    assert_stops(node.process, signal.SIGTERM)


def test_a_second_signal_does_not_matter(start):
    process = start.node(ARM_FILE).process
    process.send_signal(signal.SIGINT)
    assert_stops(process, signal.SIGTERM)


@pytest.mark.parametrize('arguments, word', [
    (['--ros-args', '-p'], '-p'),
    (['--ros-args', '-p', 'timeout'], 'timeout'),
    (['--ros-args', '-r', 'nonsense'], 'nonsense'),
    (['--ros-args', '--params-file', '/no/such/file.yaml'], '/no/such/file.yaml'),
    (['--ros-args', '--log-level', 'chatty'], 'chatty'),
    (['--ros-args', '-r', '__node:=not a name'], 'not a name'),
])
def test_bad_ros_arguments_end_it_with_a_sentence(start, arguments, word):
    process = start.run(*arguments)
    assert process.wait() not in (0, None)
    assert word in process.output()
    for noise in ('panicked', 'RUST_BACKTRACE', 'Err('):
        assert noise not in process.output(), process.output()


@pytest.mark.parametrize('argument, words', [
    ('--help', ['Usage: urdf_ik_node', '--ros-args', '--version', 'urdf_file', 'position_tolerance', '1e-5']),
    ('-h', ['Usage: urdf_ik_node']),
    ('--version', ['urdf_ik_node 0.']),
    ('-V', ['urdf_ik_node 0.']),
])
def test_it_tells_about_itself_and_ends(start, argument, words):
    process = start.run(argument)
    assert process.wait() == 0, process.output()
    for word in words:
        assert word in process.output()
    assert 'waits' not in process.output()


def test_a_reader_of_the_help_may_stop_early():
    """As with `head`: this is no error."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run([executable(NODE), '--help'], stdout=writer, stderr=subprocess.PIPE, timeout=STOP_TIMEOUT)
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, b'')


@pytest.mark.parametrize('argument', ['--hlep', 'robot.urdf'])
def test_an_argument_that_means_nothing_ends_it_with_a_sentence(start, argument):
    process = start.run(argument, *ros_arguments('/nothing', {}, {}))
    assert process.wait() == 1, process.output()
    assert argument in process.output() and '--help' in process.output()


def test_it_can_be_renamed_and_put_in_a_namespace(start, arm_robot):
    node = start.node(ARM_FILE, namespace='/factory/cell', name='follower')
    assert node.name == '/factory/cell/follower'
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    assert_solved(node, arm_robot, node.send_pose(target), 'tool0', target)


def test_two_nodes_do_not_disturb_each_other(start, arm_robot):
    one, other = start.node(ARM_FILE), start.node(ARM_FILE)
    target = arm_robot.pose('tool0', {'elbow_joint': 0.3})
    initial = other.next_posture()
    assert_solved(one, arm_robot, one.send_pose(target), 'tool0', target)
    other.settle()
    assert other.next_posture() == initial and not other.statuses


def test_several_robots_live_side_by_side(start, arm_robot):
    left = start.node(ARM_FILE, namespace='/left', frame_prefix='left/')
    right = start.node(ARM_FILE, namespace='/right', frame_prefix='right/', motion='smooth')
    initial = right.next_posture()
    target = arm_robot.pose('tool0', {'shoulder_pan_joint': 0.5})
    status = left.send_pose(target, frame='left/base_link')
    assert_solved(left, arm_robot, status, 'tool0', target)
    right.settle()
    assert right.next_posture() == initial and not right.statuses
    status = right.send_pose(target, frame='right/base_link')
    right.status_of(status.header.stamp, SolveStatus.SOLVED)
    left.settle()
    assert len(left.statuses) == 1


def test_joint_states_can_be_remapped(start):
    node = start.node(ARM_FILE, robot=False, remaps={'~/joint_states': 'joint_states'})
    node.subscribe(JointState, f'{node.namespace}/joint_states', node.states)
    node.next_posture()


def diagnostics_of(node):
    """The diagnostics of the node with their times [s], at each call."""
    received = node.subscribe(DiagnosticArray, '/diagnostics', [])
    return lambda: [(nanoseconds(array.header.stamp) / 1e9, status) for array in received for status in array.status
                    if node.name.strip('/') in status.name]


def test_diagnostics_come_once_a_second(start):
    node = start.node(ARM_FILE)
    diagnostics = diagnostics_of(node)
    node.wait_for(lambda: len(diagnostics()) >= 3, 'three diagnostics')
    times, own = zip(*diagnostics())
    assert times[2] - times[0] > 1.0
    assert own[-1].level in (DiagnosticStatus.OK, b'\x00'), own[-1]
    assert any('arm7' in value.value for value in own[-1].values), own[-1]
    assert own[-1].message


def test_without_a_robot_diagnostics_say_so(start):
    node = start.node(robot=False)
    own = diagnostics_of(node)
    _, status = node.wait_for(own, 'diagnostics')[-1]
    assert status.level != DiagnosticStatus.OK and 'robot' in status.message
