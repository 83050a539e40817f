#!/usr/bin/env python3
"""Runs the urdf_ik node with a moving target, without a desktop, and prints a line a second.

    python scripts/run.py          (in a shell that has sourced scripts/env.sh)

Environment variables: URDF (a file; default: the bundled arm), BASE and TIP (links; default: the root link and the only
moving leaf; several tips are separated by commas), DURATION [s] (default: until Ctrl-C), VIEW (0: without the page in the browser).
With a DURATION the exit status is 0 only if at least 99 % of the targets were reached.
"""
import importlib.util
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import rclpy
from ament_index_python.packages import get_package_share_directory
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from interfaces import in_columns, settled_interfaces
from watch import Watch

NEEDED_SHARE = 0.99  # share of targets that a run with a DURATION must reach
STOP_TIMEOUT = 5.0  # [s] for a child to end after SIGTERM
GREETING = """\
{node} follows a moving target with {urdf}.
In another shell, in this folder:   source scripts/env.sh
  and there, for instance:          python scripts/watch.py
{tools}Ctrl-C ends it.
"""
TOOLS = """\
  with the ros2 command:            ros2 topic echo {node}/joint_states
                                    ros2 service call {node}/forward_kinematics urdf_ik/srv/ForwardKinematics
"""
NODE = '/urdf_ik'


class Failure(Exception):
    """A message for the user."""


def urdf_path():
    path = Path(os.environ.get('URDF') or Path(get_package_share_directory('urdf_ik')) / 'urdf' / 'arm7.urdf').resolve()
    if not path.is_file():
        raise Failure(f'there is no file {path}: set URDF to a robot description')
    return path


def duration():
    """Duration of the run; endless without DURATION."""
    text = os.environ.get('DURATION') or 'inf'
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:
        raise Failure(f'DURATION is "{text}": it must be a number of seconds above 0')
    return seconds


def description():
    """The module with which the launch files read robot descriptions."""
    path = Path(get_package_share_directory('urdf_ik')) / 'launch' / 'description.py'
    specification = importlib.util.spec_from_file_location('description', path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def node_command(urdf, defaults):
    executable = shutil.which('urdf_ik_node')
    if executable is None:
        raise Failure('urdf_ik_node is not on PATH: build it (`make build`), then `source scripts/env.sh`')
    parameters = {**defaults, 'urdf_file': str(urdf)}
    if base := os.environ.get('BASE'):
        parameters['base_link'] = base
    if tips := os.environ.get('TIP'):
        parameters['tip_links'] = tips.split(',')
    arguments = [argument for name, value in parameters.items() for argument in ('-p', f'{name}:={json.dumps(value)}')]
    return [executable, '--ros-args', *arguments]


def start(command):
    """Starts a child in its own session, so that Ctrl-C reaches it only through this program."""
    return subprocess.Popen(command, start_new_session=True)


def end(children):
    for child in children:
        if child.poll() is None:
            child.terminate()
    deadline = time.monotonic() + STOP_TIMEOUT
    for child in children:
        try:
            child.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


def check(children):
    """Raises an error if a child has exited."""
    for name, child in children.items():
        if child.poll() is not None:
            raise Failure(f'{name} ended by itself with status {child.returncode}: its messages above say why')


def list_interfaces(watch, children, stopping):
    """Prints the topics and services reported by the node."""
    def wait(seconds):
        check(children)
        return stopping.wait(seconds)

    print(f'\n{in_columns(settled_interfaces(watch, NODE, wait))}\n', flush=True)


def attend(watch, children, seconds, stopping):
    """Prints the lines until the time is over or a signal arrives."""
    executor = SingleThreadedExecutor()
    executor.add_node(watch)
    deadline = time.monotonic() + seconds
    while not stopping.is_set() and time.monotonic() < deadline:
        executor.spin_once(timeout_sec=0.1)
        check(children)


def judge(total, seconds):
    """Prints the summary; with a DURATION, checks the share of reached targets."""
    if total.targets == 0:
        if seconds < math.inf:
            raise Failure(f'no target was answered in {seconds:g} s')
        return
    print(f'summary: {total}', flush=True)
    if seconds < math.inf and total.reached < NEEDED_SHARE * total.targets:
        raise Failure(f'less than {NEEDED_SHARE:.0%} of the targets were reached')


def start_script(name):
    return start([sys.executable, str(Path(__file__).with_name(name))])


def run(stopping):
    urdf, seconds = urdf_path(), duration()
    defaults, sentence = description().for_short_chain(str(urdf), os.environ.get('BASE', ''), os.environ.get('TIP', ''))
    command = node_command(urdf, defaults)
    tools = TOOLS.format(node=NODE) if shutil.which('ros2') else ''
    print(GREETING.format(node=NODE, urdf=urdf, tools=tools), flush=True)
    if sentence:
        print(sentence, flush=True)
    watch = Watch(NODE)
    children, page = {}, []
    try:
        children['urdf_ik_node'] = start(command)
        if os.environ.get('VIEW') != '0':
            page.append(start_script('view.py'))  # not one of the children: the node also moves without a page
        list_interfaces(watch, children, stopping)
        children['figure_of_eight.py'] = start_script('figure_of_eight.py')
        attend(watch, children, seconds, stopping)
    finally:
        end([*page, *reversed(children.values())])
    judge(watch.total, seconds)


def main():
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stopping.set())
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        run(stopping)
    except Failure as failure:
        print(f'run: {failure}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
