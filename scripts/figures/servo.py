"""The figures of docs/teleop.md: MoveIt Servo's rule and this servo."""
import xml.etree.ElementTree as ElementTree
from math import pi

import numpy as np
from drawing import BLUE, DASHED, INK, RED, ROOT, chart, dots, figure, label, line, panel
from numpy.linalg import norm

import urdfik

RATE, START = 100, np.array([0, -0.45, 0.72, 0, -0.47, 0])  # steps of the servo [Hz], first positions [rad]
# Velocity of the tip [m/s] and duration [s]: out to the stretched elbow, a pause, and back to a limit of the elbow.
LEGS = [((0.178, 0.014, 0.089), 4.6), ((0, 0, 0), 0.6), ((-0.14, 0, -0.14), 6.3)]


class MoveItServoRule:
    """Joint velocities by the pseudoinverse, scaled down to the joint limits and near singularities: from a condition number of 17 to a
    halt at 30, half as much if the twist leads away. The arm halts 0.1 rad from a joint limit. The numbers are the defaults of MoveIt
    Servo's servo_parameters.yaml, the rule is velocityScalingFactorForSingularity of its common.cpp."""

    def __init__(self, arm, max_velocities, start=START):
        self.arm, self.max_velocities, self.positions = arm, max_velocities, start

    def scale(self, jacobian, inverse, twist):
        directions, values, _ = np.linalg.svd(jacobian)
        condition, towards = values[0] / values[-1], directions[:, -1]
        if np.linalg.cond(self.arm.jacobian(self.positions + inverse @ (0.01 * towards))) <= condition:
            towards = -towards
        range_of_scale = 30 - 17 if towards @ twist > 0 else 2 * (30 - 17)
        return 0 if condition >= 30 else min(1, 1 - (condition - 17) / range_of_scale)

    def step(self, twist):
        jacobian = self.arm.jacobian(self.positions)
        inverse = np.linalg.pinv(jacobian)
        velocities = self.scale(jacobian, inverse, np.asarray(twist)) * (inverse @ twist)
        change = velocities / max(1, *abs(velocities) / self.max_velocities) / RATE
        after = self.positions + change
        if not np.any((change < 0) & (after <= self.arm.lower + 0.1) | (change > 0) & (after >= self.arm.upper - 0.1)):
            self.positions = after
        return self.positions


def record(arm, max_velocities, step):
    """Rows of a run: time [s], distance from the line [m], ratio of the speed along it to the commanded speed, maximum ratio of a
    joint's speed to its limit, and distance of the wrist from its singularity [rad]."""
    rows, before = [], START
    for velocity, seconds in LEGS:
        start = end = arm.forward_kinematics(before)[:3, 3]
        square = max(np.dot(velocity, velocity), 1e-300)
        for _ in range(round(seconds * RATE)):
            after = step([*velocity, 0, 0, 0])
            last, end = end, arm.forward_kinematics(after)[:3, 3]
            off_line = norm(end - start - np.dot(end - start, velocity) / square * np.array(velocity))
            speed = np.dot(end - last, velocity) / square * RATE
            rows.append(((len(rows) + 1) / RATE, off_line, speed, max(abs(after - before) * RATE / max_velocities), abs(after[4])))
            before = after
    return np.array(rows)


def arm6():
    """The bundled six-joint arm, and its maximum velocities [rad/s]."""
    path = ROOT / 'urdf/arm6.urdf'
    arm, joints = urdfik.Arm(path), {joint.get('name'): joint for joint in ElementTree.parse(path).iter('joint')}
    return arm, np.array([float(joints[name].find('limit').get('velocity')) for name in arm.joint_names])


def servos(arm, max_velocities, start, **options):
    """MoveIt Servo's rule and this servo, with their colours."""
    ours = arm.servo(RATE, start, joint_limits={name: {'acceleration': 5.0, 'jerk': 50.0} for name in arm.joint_names}, **options)
    return {"MoveIt Servo's rule": (MoveItServoRule(arm, max_velocities, start), RED), 'this servo': (ours, BLUE)}


def servo():
    arm, max_velocities = arm6()
    runs = servos(arm, max_velocities, START, max_deviation_angle=0.0)
    share = {'ylim': (0, 1.1), 'yticks': {0: '0', 0.5: '0.5', 1: '1'}, 'xlim': (0, 11.5)}
    lengths = {'yscale': 'log', 'ylim': (1e-7, 0.1), 'yticks': {1e-7: '0.1 µm', 1e-5: '10 µm', 1e-3: '1 mm', 0.1: '10 cm'}}
    with figure('servo', 700, 620, 'a;b;c') as axes:
        for name, (one, colour) in runs.items():
            time, off_line, *shares, wrist = record(arm, max_velocities, one.step).T
            for below, values in zip(axes, [np.maximum(off_line, 1e-7), *shares]):
                below.plot(time, values, color=colour, lw=2.2, label=name)
        chart(axes[0], 'distance from the line', **share | lengths)
        chart(axes[1], 'share of the commanded speed', **share)
        chart(axes[2], 'the fastest joint, over its limit', 'time [s]', **share)
        axes[0].legend(loc='lower right', bbox_to_anchor=(1, 1), ncols=2, reverse=True)
        out, back = time < LEGS[0][1], time > LEGS[0][1] + LEGS[1][1]
        for at, text in [(time[out][np.argmin(wrist[out])], 'wrist'), (4.6, 'elbow stretched'),
                         (time[back][np.argmin(wrist[back])], 'wrist'), (11, 'joint limit')]:
            axes[0].text(at, 0.06, text, color=INK, ha='center', va='top')


HAND_START = np.array([0, 0.54, 0.97, 0.05, 0.2, 0])  # [rad]
HAND_SECONDS = 8  # of a loop


def hand_twists():
    """The velocities of a hand that draws an eight, with a tremor of about 0.1 mm and 0.4 mrad at 8 Hz, shape (steps, 6)."""
    phase = 2 * pi * np.arange(HAND_SECONDS * RATE) / (HAND_SECONDS * RATE)
    eight = np.array([0 * phase, 0.12 * np.cos(phase), 2 * 0.10 * np.cos(2 * phase), *np.zeros((3, len(phase)))]).T
    axes = np.arange(6)
    tremor = np.cos(8 * HAND_SECONDS * phase[:, None] * (1 + 0.05 * axes) + 1.7 * axes) * np.repeat([0.006, 0.02], 3)
    return 2 * pi / HAND_SECONDS * eight + tremor


def hand():
    arm, max_velocities = arm6()
    twists, start = hand_twists(), arm.forward_kinematics(HAND_START)[:3, 3]
    time = np.arange(1, len(twists) + 1) / RATE
    commanded = start + np.cumsum(twists[:, :3], axis=0) / RATE
    seconds = {'xlim': (0, HAND_SECONDS), 'xticks': {k: k for k in range(0, HAND_SECONDS + 1, 2)}}
    with figure('hand', 700, 430, 'ab;ac', width_ratios=[1, 1.1]) as (path, shares, conditions):
        panel(path, 'path of the tip', 'from the front; the dots are its ends', commanded.min(axis=0)[1:], commanded.max(axis=0)[1:])
        line(path, *commanded[:, 1:], ls=DASHED, width=1.6, label='command')
        dots(path, commanded[-1, 1:])
        for name, (one, colour) in reversed(servos(arm, max_velocities, HAND_START).items()):
            positions = np.array([one.step(twist) for twist in twists])
            tips = arm.forward_kinematics(positions)[:, :3, 3]
            moved = np.sum(np.diff(tips, axis=0, prepend=start[None]) * RATE * twists[:, :3], axis=1)
            # Over one period of the tremor.
            share, square = (np.convolve(values, np.ones(12), 'same') for values in (moved, np.sum(twists[:, :3]**2, axis=1)))
            line(path, *tips[:, 1:], colour=colour, width=2.2, label=name)
            dots(path, tips[-1, 1:], colour=colour)
            shares.plot(time, share / square, color=colour, lw=2.2)
            conditions.plot(time, np.minimum(np.linalg.cond(arm.jacobian(positions)), 1e4), color=colour, lw=2.2)
        path.legend(loc='upper center', bbox_to_anchor=(0.5, 0))
        chart(shares, 'share of the commanded speed', **seconds, ylim=(-0.05, 1.1), yticks={0: '0', 0.5: '0.5', 1: '1'})
        conditions.axhline(30, color=RED, ls=DASHED, lw=1)
        label(conditions, 'halt at 30', (5, 30), 0, 9, RED)
        chart(conditions, 'condition number of the Jacobian', 'time [s]', **seconds, yscale='log', ylim=(5, 1e4),
              yticks={10: '10', 30: '30', 100: '100', 1000: '1000', 10000: '10 000'})
