"""Streams of positions with a standing cone, compared with the full poses of the same source.

    streams.py STREAMS ROBOT.urdf:BASE:TIP…

The source is a smooth random motion of the joints whose axis stays in the cone, made by Pinocchio. Followers track; if tracking fails
they search, and publish the closest positions if this fails too. The axis of every published state is measured by Pinocchio. A jump is
a stream whose largest joint step is over 0.2 rad; the second count is of steps over three times the median. Needs the module urdfik."""
import sys

import numpy as np
import pinocchio as pin
from measure import TOLERANCE, Robot, angle
from problems import Problems

import urdfik

POSITIONS, STEP, JUMP, MEDIANS = 200, 0.015, 0.2, 3
ANGLES = np.radians([0, 5, 15])


class Source:
    """Joint motions of an arm whose axis stays in a cone."""

    def __init__(self, robot, tip, seed):
        self.robot, self.tip, self.problems = robot, tip, Problems(robot, [tip], seed)
        self.limits = np.where(np.array(self.problems.circles)[:, None], [-np.inf, np.inf], self.problems.limits)
        joints = [robot.model.joints[robot.model.getJointId(name)] for name in self.problems.names]
        self.columns = [joint.idx_v for joint in joints]

    def turning(self, q):
        """The angular Jacobian of the tip in the frame of the base link; the robot is placed at q."""
        robot = self.robot
        pin.computeJointJacobians(robot.model, robot.data)
        frame = robot.model.getFrameId(self.tip)
        jacobian = pin.getFrameJacobian(robot.model, robot.data, frame, pin.LOCAL_WORLD_ALIGNED)[3:, self.columns]
        return robot.data.oMf[robot.model.getFrameId(robot.base)].rotation.T @ jacobian

    def into_cone(self, q, cone):
        """Moves joints as little as possible until the axis is in the cone; `None` if limits prevent it."""
        for _ in range(50):
            q = np.clip(q, self.limits[:, 0], self.limits[:, 1])
            turn = self.problems.place(q).pose(self.tip).rotation
            axis, direction = turn @ cone['axis'], np.array(cone['direction'])
            excess = angle(axis, direction) - cone['angle']
            if excess <= 1e-9:
                return q
            normal = np.cross(axis, direction) / np.linalg.norm(np.cross(axis, direction))
            row = normal @ self.turning(q)
            q = q + row * min(excess + 1e-10, 0.1) / max(row @ row, 1e-6)
        return None

    def raw(self):
        """Smooth joint positions at nearly uniform distances: quadratic Bézier curves between random configurations."""
        middle = self.problems.sample()
        start = (self.problems.sample() + middle) / 2
        while True:
            following = self.problems.sample()
            end, t = (middle + following) / 2, 0.0
            while t < 1:
                a, b = start + t * (middle - start), middle + t * (end - middle)
                yield a + t * (b - a)
                t += STEP / np.linalg.norm(2 * (b - a))
            start, middle = end, following

    def stream(self, bound):
        """Configurations, their poses, and the cone."""
        while True:
            raw = self.raw()
            before = next(raw)
            axis = self.problems.unit()
            tilt = pin.exp3(0.9 * bound * self.problems.unit())
            direction = tilt @ self.problems.place(before).pose(self.tip).rotation @ axis
            cone = {'type': 'cone', 'link': self.tip, 'axis': axis.tolist(), 'direction': direction.tolist(), 'angle': float(bound)}
            q, found = before, []
            for there in raw:
                q = self.into_cone(q + there - before, cone)
                if q is None or len(found) == POSITIONS:
                    break
                before = there
                found.append(q)
            steps = np.abs(np.diff(found, axis=0)).max(axis=1) if len(found) > 1 else np.array([1.0])
            if len(found) == POSITIONS and steps.max() < 0.05:
                return found, [self.problems.place(q).pose(self.tip) for q in found], cone


class Follower:
    """Publishes joint positions for targets."""

    def __init__(self, arm, start):
        self.arm, self.q, self.published, self.searched, self.unmet = arm, start, [], 0, 0

    def go_to(self, target, goals):
        answer = self.arm.track(target, self.q, goals=goals)
        if not answer.solved:
            self.searched += 1
            answer = self.arm.solve(target, self.q, goals=goals)
        self.unmet += not answer.solved
        self.q = answer.positions
        self.published.append(self.q)

    def steps(self, start):
        return np.abs(np.diff([start, *self.published], axis=0)).max(axis=1)


class Arm:
    """An arm, for the source and for the followers."""

    def __init__(self, urdf, base, tip):
        self.robot, self.arm, self.tip = Robot(urdf, base), urdfik.Arm(urdf, tip=tip, base=base), tip

    def follow(self, poses, start, goals):
        """A follower after a stream of poses, or of positions if there are goals, and its steps after the first target."""
        follower = Follower(self.arm, start)
        for pose in poses:
            follower.go_to(pose.translation if goals else pose.homogeneous, goals)
        return follower, follower.steps(start)[1:]

    def judge(self, bound, streams):
        """Whether streams of positions leave the cone, or jump more often than those of poses."""
        source, totals = Source(self.robot, self.tip, 21), {name: np.zeros(4, int) for name in ('poses', 'positions')}
        order, worst, left, notes = self.arm.order(source.problems.names), 0.0, 0, []
        for number in range(streams):
            configurations, poses, cone = source.stream(bound)
            start = np.empty(len(order))
            start[order] = configurations[0]
            for name, goals in (('poses', []), ('positions', [cone | {'standing': True}])):
                follower, steps = self.follow(poses, start, goals)
                jumps, uneven = steps.max() > JUMP, steps.max() > MEDIANS * np.median(steps)
                totals[name] += [jumps, uneven, follower.searched, follower.unmet]
            axes = [source.problems.place(q[order]).pose(self.tip).rotation @ cone['axis'] for q in follower.published]
            excess = max(angle(axis, np.array(cone['direction'])) - bound for axis in axes)
            worst, left = max(worst, excess), left + (excess > TOLERANCE)
            if jumps or follower.unmet or excess > TOLERANCE:
                notes.append(f'    stream {number}: {steps.max():.2f} rad at {steps.argmax() + 1}, {follower.unmet} unmet, '
                             f'excess {excess:.1e} rad')
        words = '; '.join(f'{name} {jumps} jumps, {uneven} uneven, {searched} searches, {unmet} unmet'
                          for name, (jumps, uneven, searched, unmet) in totals.items())
        print(f'{self.robot.model.name}, cone {np.degrees(bound):.0f}°: {words}; the cone left in {left} streams, worst {worst:.1e} rad',
              *notes, sep='\n', flush=True)
        return left > 0 or totals['positions'][0] > totals['poses'][0]


def judge(streams, arm):
    arm = Arm(*arm.split(':'))
    return sum(arm.judge(bound, streams) for bound in ANGLES) > 0


if __name__ == '__main__':
    sys.exit(sum(judge(int(sys.argv[1]), arm) for arm in sys.argv[2:]) > 0)
