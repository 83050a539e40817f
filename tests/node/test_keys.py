"""keys.py in a real terminal, with a real node."""
import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

import pytest
from geometry_msgs.msg import TwistStamped
from sensor_msgs.msg import JointState

from client import TIMEOUT, posture
from conftest import ROOT
from motion import still

KEYS = ROOT / 'scripts' / 'keys.py'
REPEAT = 0.03  # [s] key repeat period of terminals


class Shell:
    """A terminal that runs keys.py, with its output."""

    def __init__(self, *arguments):
        self.ours, self.its = pty.openpty()
        self.before = termios.tcgetattr(self.its)
        self.process = subprocess.Popen(
            [sys.executable, str(KEYS), '--ros-args', *arguments], stdin=self.its, stdout=self.its, stderr=self.its,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.shown = ''

    def read(self):
        while select.select([self.ours], [], [], 0)[0]:
            self.shown += os.read(self.ours, 4096).decode()
        return self.shown

    def wait_for(self, text):
        deadline = time.monotonic() + TIMEOUT
        while text not in self.read():
            assert self.process.poll() is None and time.monotonic() < deadline, f'no "{text}" in {self.shown}'
            time.sleep(0.02)

    def press(self, keys):
        os.write(self.ours, keys.encode())

    def end(self):
        """The exit status. The terminal settings must be restored."""
        status = self.process.wait(TIMEOUT)
        self.read()
        assert termios.tcgetattr(self.its) == self.before
        assert 'Traceback' not in self.shown, self.shown
        return status

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.ours)
        os.close(self.its)


@pytest.fixture
def shell(arm):
    terminal = Shell('-p', f'node:={arm.name}')
    terminal.wait_for('at rest')
    yield terminal
    terminal.close()


@pytest.fixture
def heard(arm):
    """Messages of keys.py."""
    return (arm.subscribe(TwistStamped, f'{arm.name}/target_twist', [], 100),
            arm.subscribe(JointState, f'{arm.name}/joint_jog', [], 100))


def hold(arm, shell, key, condition):
    """Repeats a key as a terminal does, until the condition is true."""
    def pressed():
        shell.press(key)
        arm.pace(REPEAT)
        return condition()
    arm.wait_for(pressed, f'the effect of {key}; keys.py shows {shell.read()}')


def velocity(message):
    linear, angular = message.twist.linear, message.twist.angular
    return [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]


def test_a_held_key_sends_twists_and_its_release_one_zero(arm, heard, shell):
    twists, jogs = heard
    hold(arm, shell, 'w', lambda: len(twists) > 10)
    arm.wait_for(lambda: not any(velocity(twists[-1])), 'a zero')
    arm.settle()
    # If the machine stalls for longer than a key counts as held, the key is released and held again in between.
    sent = [any(velocity(twist)) for twist in twists]
    assert all(velocity(twist) == [0.1, 0, 0, 0, 0, 0] for twist, moves in zip(twists, sent) if moves)
    assert sent[0] and not any(not a and not b for a, b in zip(sent, sent[1:])), 'a release sends one zero'
    assert {twist.header.frame_id for twist in twists} == {''}
    shell.press('x')
    shell.wait_for('axes of the tip')
    count = len(twists)
    hold(arm, shell, '\x1b[D', lambda: len(twists) > count)
    assert velocity(twists[count]) == [0, 0.1, 0, 0, 0, 0] and twists[count].header.frame_id == 'tool0', 'it still published'
    assert not jogs


def test_a_number_jogs_a_joint_both_ways(arm, heard, shell):
    twists, jogs = heard
    hold(arm, shell, '2', lambda: jogs)
    shell.press('0')
    hold(arm, shell, '2', lambda: jogs[-1].velocity[0] < 0)
    arm.wait_for(lambda: jogs[-1].velocity[0] == 0, 'a zero')
    # A zero in between: the machine stalled for longer than a key counts as held.
    moves = {(*jog.name, jog.velocity[0]) for jog in jogs if jog.velocity[0] != 0}
    assert moves == {('shoulder_lift_joint', 0.3), ('shoulder_lift_joint', -0.3)} and not twists


def test_the_arm_moves_while_a_key_is_held_and_then_rests(arm, arm_robot, shell):
    def height():
        return arm_robot.pose('tool0', posture(arm.states[-1]))[2, 3]
    begin = height()
    hold(arm, shell, 'f', lambda: height() < begin - 0.02)
    arm.wait_for(lambda: still(arm.states[-1]), 'the arm to rest')


def test_what_holds_the_arm_back_is_shown(arm, shell):
    shell.press('+' * 6)
    hold(arm, shell, '4', lambda: "joint 'elbow_joint' is at its limit" in shell.read())
    shell.press(' ')
    shell.wait_for('at rest')


@pytest.mark.parametrize('key', ['q', '\x03'])  # Ctrl-C
def test_it_ends_by_a_key_in_the_midst_of_a_motion(arm, heard, shell, key):
    twists, _ = heard
    hold(arm, shell, 'w', lambda: twists)
    shell.press(key)
    assert shell.end() == 0


def test_it_ends_by_a_signal(shell):
    shell.process.send_signal(signal.SIGTERM)
    assert shell.end() == 0


def test_it_has_the_terminal_again_after_ctrl_z(shell):
    shell.process.send_signal(signal.SIGSTOP)
    termios.tcsetattr(shell.its, termios.TCSANOW, shell.before)  # as a shell does
    shell.process.send_signal(signal.SIGCONT)
    shell.press('x')
    shell.wait_for('axes of the tip')


def test_it_ends_with_its_terminal(arm):
    terminal = Shell('-p', f'node:={arm.name}')
    try:
        terminal.wait_for('at rest')
        os.close(terminal.ours)
        os.close(terminal.its)
        assert terminal.process.wait(TIMEOUT) == 0
    finally:
        terminal.process.kill()
        terminal.ours, terminal.its = pty.openpty()
        terminal.close()


def test_help_is_shown_at_first_and_again(shell):
    assert shell.read().count('faster, slower') == 1
    shell.press('h')
    deadline = time.monotonic() + TIMEOUT
    while shell.read().count('faster, slower') < 2:
        assert time.monotonic() < deadline


def test_without_a_terminal_it_says_so():
    run = subprocess.run([sys.executable, str(KEYS)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    assert run.returncode == 1 and 'not a terminal' in run.stderr


@pytest.mark.parametrize('speed', ['-1.0', '.nan', 'fast'])
def test_a_wrong_speed_is_refused(speed):
    terminal = Shell('-p', f'linear_speed:={speed}')
    try:
        assert terminal.end() == 1
        assert f'linear_speed is {speed.strip(".")}' in terminal.shown
    finally:
        terminal.close()


def test_without_a_node_it_says_what_it_waits_for_and_ends_by_ctrl_c():
    terminal = Shell('-p', 'node:=nobody')
    try:
        terminal.wait_for('waiting for the node /nobody')
        terminal.press('\x03')
        assert terminal.end() == 0
    finally:
        terminal.close()


def test_with_two_tips_each_has_its_topic(start):
    node = start.node(ROOT / 'urdf' / 'dual_arm.urdf', tip_links=['left_hand', 'right_hand'])
    twists = {tip: node.subscribe(TwistStamped, f'{node.name}/{tip}/target_twist', []) for tip in ('left_hand', 'right_hand')}
    terminal = Shell('-p', f'node:={node.name}')
    try:
        terminal.wait_for('left_hand | at rest')
        hold(node, terminal, 'w', lambda: twists['left_hand'])
        terminal.press('t')
        terminal.wait_for('right_hand | at rest')
        hold(node, terminal, 'w', lambda: twists['right_hand'])
        assert not any(velocity(twists['left_hand'][-1]))
    finally:
        terminal.close()
