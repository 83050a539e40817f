"""Fixtures: nodes under test, each in its own namespace, in a ROS domain that no other run on this machine uses."""
import fcntl
import itertools
import math
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DOMAINS = range(1, 101)  # ids above 101 need ports in the ephemeral range of Linux


def claim_domain():
    """Claims a domain id by a file lock, released when this process ends."""
    for offset in DOMAINS:
        domain = DOMAINS[(os.getpid() + offset) % len(DOMAINS)]
        lock = open(Path(tempfile.gettempdir()) / f'urdf_ik_test_domain_{domain}', 'w')
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return domain, lock
        except OSError:
            lock.close()
    raise RuntimeError('no ROS domain is free')


DOMAIN, DOMAIN_LOCK = claim_domain()
os.environ.update(ROS_DOMAIN_ID=str(DOMAIN), ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST', RCUTILS_COLORIZED_OUTPUT='0')

# Imported only now, since the middleware reads the environment.
import rclpy  # noqa: E402

from client import Client  # noqa: E402
from kinematics import Robot, rotation, translation  # noqa: E402
from motion import ACCELERATION, JERK  # noqa: E402
from process import NodeProcess, ros_arguments  # noqa: E402

sys.path.insert(0, str(ROOT / 'scripts'))

from simulated_arm.arm import SimulatedArm  # noqa: E402

SEARCH_TIMEOUT = 30.0  # [s] search timeout: the default would end some searches early on a busy machine
running = []
numbers = itertools.count(1)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Adds the output of the nodes to the report of a failure."""
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for started in running:
            report.sections.append((' '.join(started.command)[:500], started.output()))


@pytest.fixture(scope='session', autouse=True)
def ros():
    rclpy.init()
    yield
    rclpy.shutdown()


class Launcher:
    """Starts nodes and stops them at the end."""

    def __init__(self, folder):
        self.folder = folder
        self.clients = []
        self.processes = []

    def run(self, *arguments, prefix=()):
        """A process with these arguments; `prefix` goes before its command line."""
        process = NodeProcess(arguments, self.folder / f'node{next(numbers)}.log', prefix)
        running.append(process)
        self.processes.append(process)
        return process

    def node(self, urdf=None, robot=None, remaps=(), namespace=None, name='urdf_ik', arguments=(), prefix=(), **parameters):
        """A client of a new node that is ready; `urdf` is a file. A double underscore in a parameter name stands for a dot. `prefix` goes
        before its command line.

        `robot` says whether the node has a robot at that time; by default it depends on the parameters.
        """
        namespace = namespace or f'/test{next(numbers)}'
        parameters = {'default_acceleration': ACCELERATION, 'default_jerk': JERK, 'timeout': SEARCH_TIMEOUT, **parameters}
        parameters = {name.replace('__', '.'): value for name, value in parameters.items()}
        if urdf is not None:
            parameters['urdf_file'] = str(urdf)
        remaps = dict(remaps)
        client = Client(f'{namespace}/{name}', remaps.get('~/measured_joint_states'))
        self.clients.append(client)
        client.process = self.run(*ros_arguments(namespace, parameters, {'__node': name, **remaps}), *arguments, prefix=prefix)
        has_robot = bool(urdf or 'robot_description' in parameters) if robot is None else robot
        client.wait_until_ready(client.process, has_robot)
        return client

    def stop(self):
        try:
            for process in self.processes:
                process.stop()
        finally:
            for process in self.processes:
                running.remove(process)
            for client in self.clients:
                client.close()


@pytest.fixture
def start(tmp_path):
    launcher = Launcher(tmp_path)
    yield launcher
    launcher.stop()


@pytest.fixture(scope='module')
def module_start(tmp_path_factory):
    launcher = Launcher(tmp_path_factory.mktemp('nodes'))
    yield launcher
    launcher.stop()


@pytest.fixture(scope='module')
def shared_arm(module_start):
    return module_start.node(ARM_FILE)


@pytest.fixture
def arm(shared_arm):
    """A node for the bundled arm at its initial configuration, shared by the tests of a file."""
    shared_arm.reset()
    return shared_arm


@pytest.fixture
def simulate():
    """Connects a simulated arm to the node of the client `node`: simulate(node, positions, …)."""
    arms = []

    def connect(node, *arguments, **options):
        arms.append(SimulatedArm(node.name, *arguments, **options))
        node.meet()
        return arms[-1]
    yield connect
    for arm in arms:
        arm.close()


ARM_FILE = ROOT / 'urdf' / 'arm7.urdf'
ROBOTS = HERE / 'robots'
# For the bundled arm: the position is just within reach, but the tool points back, and the wrist cannot be that far
# out.
UNSOLVABLE = translation(0.8, 0, 0.34) @ rotation((0, 1, 0), -math.pi / 2)
# A search that may take a minute.
LONG = {'attempts': 1_000_000, 'timeout': 60.0, 'solver': 'fabrik'}


@pytest.fixture(scope='session')
def arm_robot():
    return Robot.load(ARM_FILE)


@pytest.fixture
def generator():
    return np.random.default_rng(7)
