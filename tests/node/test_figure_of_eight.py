"""figure_of_eight.py: its figures, its pauses for other sources, and its clean shutdown."""
import importlib.util
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped, TwistStamped
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory
from urdf_ik.msg import SolveStatus
from visualization_msgs.msg import InteractiveMarkerFeedback

from client import TIMEOUT, nanoseconds, pose_from, pose_message, posture
from conftest import ARM_FILE, ROOT
from kinematics import errors, translation

SCRIPT = ROOT / 'scripts' / 'figure_of_eight.py'
# Stand-in for a module with a slow import.
SLOW_MODULE = """
import pathlib, time
pathlib.Path(__file__).with_name('importing').touch()
time.sleep(60)
"""


@pytest.fixture(scope='module')
def script():
    spec = importlib.util.spec_from_file_location('figure_of_eight', SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lowest(figure):
    return min(figure.point(phase)[2] for phase in np.linspace(0, 1, 400))


@pytest.mark.parametrize('tip', [(0.817, 0.191, -0.005), (0.3, 0.0, 0.6), (0.0, 0.0, 0.9), (0.4, 0.0, -0.5)])
def test_figures_above_the_base_come_first(script, tip):
    figures = script.candidates(np.array(tip), (0.0, 0.0, 0.0, 1.0), 0.0)
    above = [lowest(figure) >= -1e-12 for figure in figures]
    assert above[0] and above == sorted(above, reverse=True)
    assert not above[-1], 'a robot mounted upside down needs figures below its base'


def test_around_the_present_pose_where_that_is_above_the_base(script):
    tip = np.array([0.3, 0.0, 0.6])
    assert np.allclose(script.candidates(tip, (0.0, 0.0, 0.0, 1.0), 0.0)[0].centre, tip)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_imports_ends_it_quietly(tmp_path, number):
    package = tmp_path / 'numpy'
    package.mkdir()
    (package / '__init__.py').write_text(SLOW_MODULE)
    process = subprocess.Popen([sys.executable, str(SCRIPT)], env={**os.environ, 'PYTHONPATH': str(tmp_path)},
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        deadline = time.monotonic() + TIMEOUT
        while not (package / 'importing').exists():
            assert process.poll() is None and time.monotonic() < deadline, 'it does not import numpy'
            time.sleep(0.02)
        process.send_signal(number)
        output = process.communicate(timeout=TIMEOUT)[0]
    finally:
        process.kill()
    assert (process.returncode, output) == (0, '')


class Figure:
    """The running script on a node: the targets that it has sent."""

    def __init__(self, node, folder, *parameters):
        self.node, self.log = node, folder / 'figure.log'
        self.targets = []
        node.subscribe(PoseStamped, f'{node.name}/target_pose', self.targets, 1000)
        arguments = [argument for parameter in (f'node:={node.name}', *parameters) for argument in ('-p', parameter)]
        with self.log.open('wb') as output:
            self.process = subprocess.Popen([sys.executable, str(SCRIPT), '--ros-args', *arguments], stdout=output,
                                            stderr=subprocess.STDOUT)

    def own(self):
        """Targets of the script: those of the tests have no stamp."""
        return [target for target in self.targets if target.header.stamp.sec > 0]

    def rest(self, rests):
        """Pauses or resumes it. After the response to a pause it sends nothing."""
        assert self.node.call(SetBool, f'{self.node.name}/figure_of_eight/rest', data=rests).success

    def wait_until_moving(self):
        def moves():
            assert self.process.poll() is None, self.log.read_text()
            return len(self.own()) >= 3
        self.node.wait_for(moves, 'targets of the figure', TIMEOUT)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(TIMEOUT) == 0, self.log.read_text()

    def wait_until_paused(self):
        def is_quiet():
            self.targets.clear()
            for _ in range(25):
                self.node.next_state()
            return not self.own()
        self.node.wait_for(is_quiet, 'a pause of the figure')

    def wait_until_resumed(self):
        """The targets after a pause of at least a second of the script's own time."""
        def resumed():
            own = self.own()
            times = [nanoseconds(target.header.stamp) for target in own]
            return next((own[index:] for index in range(1, len(own)) if times[index] - times[index - 1] > 1e9), None)
        return self.node.wait_for(resumed, 'a pause of the figure and its end', TIMEOUT)


@pytest.fixture
def figure(start, tmp_path):
    node = start.node(ARM_FILE)
    figure = Figure(node, tmp_path)
    figure.wait_until_moving()
    yield figure
    figure.stop()


@pytest.mark.parametrize('kind, topic', [
    (PoseStamped, 'target_pose'), (PointStamped, 'target_point'), (PoseArray, 'target_path'),
    (PoseStamped, 'tool0/target_pose'), (InteractiveMarkerFeedback, 'handle/feedback'), (TwistStamped, 'target_twist'),
    (JointState, 'joint_jog')])
def test_it_gives_way_while_somebody_else_commands_the_tip(figure, arm_robot, kind, topic):
    node = figure.node
    message = kind()
    if kind is PoseStamped:
        message = pose_message(arm_robot.pose('tool0', {}))
    publisher = node.publisher(kind, f'{node.name}/{topic}')
    node.wait_for(lambda: publisher.get_subscription_count() > 0, 'subscriptions of the node or the figure')
    for _ in range(10):
        publisher.publish(message)
        node.pace(0.05)
    figure.wait_until_resumed()


def test_it_goes_on_from_where_the_tip_is(figure, arm_robot):
    node = figure.node
    place = pose_message(arm_robot.pose('tool0', {'elbow_joint': -0.5, 'shoulder_pan_joint': 1.0}))
    node.publisher(PoseStamped, f'{node.name}/target_pose').publish(place)
    first = figure.wait_until_resumed()[0]
    rest = [state for state in node.states if nanoseconds(state.header.stamp) < nanoseconds(first.header.stamp)][-1]
    distance, angle = errors(pose_from(first.pose), arm_robot.pose('tool0', posture(rest)))
    assert distance < 0.01 and angle < 0.05
    node.wait_for(lambda: len(figure.wait_until_resumed()) > 150, 'the return')
    poses = [pose_from(target.pose) for target in figure.wait_until_resumed()]
    steps = [errors(one, other) for one, other in zip(poses, poses[1:])]
    assert max(distance for distance, _ in steps) < 0.1 and max(angle for _, angle in steps) < 0.3


def test_it_rests_until_it_is_told_to_go_on(figure):
    figure.rest(True)
    figure.wait_until_paused()
    figure.rest(False)
    figure.wait_until_moving()


def test_a_path_is_waited_for(figure, arm_robot):
    """A path longer than the pause is followed to its end."""
    node = figure.node
    here = arm_robot.pose('tool0', {})
    paths = node.publisher(PoseArray, f'{node.name}/target_path')
    node.wait_for(lambda: paths.get_subscription_count() >= 2, 'subscriptions of the node and the figure to paths')
    trajectories = node.subscribe(JointTrajectory, f'{node.name}/joint_trajectory', [])
    figure.rest(True)  # otherwise a pending target would replace the path
    figure.wait_until_paused()
    assert node.send_pose(here).outcome == SolveStatus.SOLVED
    path = PoseArray(poses=[pose_message(translation(0.0, 0.3, 0.0) @ here).pose])  # 3 s at the default speed
    path.header.stamp = node.new_stamp()
    paths.publish(path)
    node.wait_for(lambda: trajectories, 'the path to begin')
    figure.rest(False)
    node.status_of(path.header.stamp, SolveStatus.SOLVED)
