"""Constraints of compute_ik as goals."""
import importlib.util
import json
import math

import numpy as np
import pytest

if importlib.util.find_spec('moveit_msgs') is None:
    pytest.skip('constraints of compute_ik not tested: no Python package moveit_msgs here (it comes with MoveIt)',
                allow_module_level=True)

from geometry_msgs.msg import Pose, Quaternion, Vector3
from moveit_msgs.msg import (
    BoundingVolume,
    Constraints,
    JointConstraint,
    OrientationConstraint,
    PositionConstraint,
    VisibilityConstraint,
)
from shape_msgs.msg import Mesh, SolidPrimitive
from std_msgs.msg import Header

from client import pose_message, transform_message
from goals import ROUNDING, TOLERANCE, angle_between, euler_angles, rotation_vector
from kinematics import quaternion_of, rotation, translation
from test_moveit import LONG, assert_failed, assert_solved, compute_ik

ROLL, ELBOW = 'upper_arm_roll_joint', 'elbow_link'
SLACK = TOLERANCE + ROUNDING
BOX, SPHERE, CYLINDER = SolidPrimitive.BOX, SolidPrimitive.SPHERE, SolidPrimitive.CYLINDER


def region(kind, dimensions, pose):
    return BoundingVolume(primitives=[SolidPrimitive(type=kind, dimensions=dimensions)], primitive_poses=[pose_message(pose).pose])


def in_region(kind, dimensions, pose, frame='base_link', link=ELBOW, offset=(0, 0, 0), **fields):
    x, y, z = map(float, offset)
    return Constraints(position_constraints=[PositionConstraint(
        header=Header(frame_id=frame), link_name=link, target_point_offset=Vector3(x=x, y=y, z=z),
        constraint_region=region(kind, dimensions, pose), **fields)])


def oriented(pose, tolerances, frame='base_link', link=ELBOW, **fields):
    x, y, z, w = map(float, quaternion_of(pose))
    names = [f'absolute_{axis}_axis_tolerance' for axis in 'xyz']
    return Constraints(orientation_constraints=[OrientationConstraint(
        header=Header(frame_id=frame), link_name=link, orientation=Quaternion(x=x, y=y, z=z, w=w), **dict(zip(names, tolerances)),
        **fields)])


def looking(sensor, target, sensor_frame, target_frame='base_link', **fields):
    return Constraints(visibility_constraints=[VisibilityConstraint(
        sensor_pose=pose_message(sensor, sensor_frame), target_pose=pose_message(target, target_frame), **fields)])


class Samples:
    """Configurations of the seven-joint arm: the pose of the tip does not determine the elbow."""

    def __init__(self, node, robot, generator):
        self.node, self.robot, self.generator = node, robot, generator

    def solve(self, make, check, count=8):
        """Solves for the tip of samples with the constraints of `make`, which hold there, and checks the answers."""
        for _ in range(count):
            sample = self.robot.sample(self.generator)
            target = self.robot.pose('tool0', sample)
            constraints = make(sample)
            answer = compute_ik(self.node, target, constraints=constraints, timeout=LONG)
            check(assert_solved(self.node, self.robot, answer, {'tool0': target}), sample)


@pytest.fixture
def samples(arm, arm_robot, generator):
    return Samples(arm, arm_robot, generator)


def test_a_joint_stays_within_its_tolerances(samples):
    def make(sample):
        return Constraints(joint_constraints=[JointConstraint(
            joint_name=ROLL, position=sample[ROLL], tolerance_above=0.01, tolerance_below=0.02, weight=1.0)])

    def check(positions, sample):
        assert -0.02 - SLACK <= positions[ROLL] - sample[ROLL] <= 0.01 + SLACK
    samples.solve(make, check)


@pytest.mark.parametrize('frame', ['base_link', 'shoulder_pan_link'])
def test_a_point_stays_in_a_box(samples, frame):
    turn, size, offset = rotation((0.6, 0, 0.8), 0.7), [0.02, 0.04, 0.06], (0.01, -0.02, 0.03)

    def point(positions):
        return (samples.robot.pose(ELBOW, positions, base=frame) @ [*offset, 1])[:3]

    def make(sample):
        return in_region(BOX, size, translation(*point(sample)) @ turn, frame, offset=offset)

    def check(positions, sample):
        beyond = np.abs(turn[:3, :3].T @ (point(positions) - point(sample))) - 0.5 * np.array(size)
        assert beyond.max() <= SLACK
    samples.solve(make, check)


def test_a_point_stays_in_a_sphere(samples):
    def centre(positions):
        return samples.robot.pose(ELBOW, positions)[:3, 3]

    def check(positions, sample):
        assert np.linalg.norm(centre(positions) - centre(sample)) <= 0.02 + SLACK
    samples.solve(lambda sample: in_region(SPHERE, [0.02], translation(*centre(sample)), frame=''), check)


@pytest.mark.parametrize('parameterization', [OrientationConstraint.XYZ_EULER_ANGLES, OrientationConstraint.ROTATION_VECTOR])
def test_an_orientation_stays_within_its_tolerances(samples, parameterization):
    tolerances = [0.1, 0.2, 0.3]

    def wanted(sample):
        return samples.robot.pose(ELBOW, sample) @ rotation((0.6, 0, 0.8), 0.05)

    def check(positions, sample):
        desired = wanted(sample)[:3, :3]
        error = desired.T @ samples.robot.pose(ELBOW, positions)[:3, :3]
        # MoveIt compares rotation vectors along the axes of the header's frame.
        is_euler = parameterization == OrientationConstraint.XYZ_EULER_ANGLES
        values = euler_angles(error) if is_euler else desired @ rotation_vector(error)
        assert (np.abs(values) - tolerances).max() <= SLACK
    samples.solve(lambda sample: oriented(wanted(sample), tolerances, parameterization=parameterization), check)


@pytest.mark.parametrize('direction', [VisibilityConstraint.SENSOR_Z, VisibilityConstraint.SENSOR_Y, VisibilityConstraint.SENSOR_X])
def test_a_sensor_on_the_elbow_sees_its_target(samples, direction):
    sensor, axis = translation(0.02, 0.03, 0.05) @ rotation((0, 1, 0), 0.4), 2 - direction

    def place(positions):
        return samples.robot.pose(ELBOW, positions) @ sensor

    def target(sample):
        # In front of the sensor, with the z axis towards it.
        view = np.eye(4)[axis, :3]
        towards = place(sample)[:3, :3] @ -view
        beside = np.cross(towards, [0.36, 0.48, 0.8])
        beside /= np.linalg.norm(beside)
        pose = np.eye(4)
        pose[:3, :3] = np.column_stack([beside, np.cross(towards, beside), towards])
        pose[:3, 3] = (place(sample) @ [*(0.5 * view), 1])[:3]
        return pose

    def make(sample):
        return looking(sensor, target(sample), ELBOW, max_view_angle=0.1, max_range_angle=0.05, sensor_view_direction=direction)

    def check(positions, sample):
        looks = place(positions)[:3, axis]
        assert angle_between(looks, -target(sample)[:3, 2]) <= 0.1 + SLACK
        assert angle_between(looks, target(sample)[:3, 3] - place(positions)[:3, 3]) <= 0.05 + SLACK
    samples.solve(make, check)


def test_a_frame_of_tf(samples):
    mount = translation(0.3, -0.2, 0.5) @ rotation((0, 0, 1), 0.7)
    stamp = samples.node.node.get_clock().now().to_msg()
    samples.node.publish_transforms(transform_message('cell', 'base_link', mount, stamp), static=True)

    def centre(positions):
        return samples.robot.pose(ELBOW, positions)[:3, 3]

    def check(positions, sample):
        assert np.linalg.norm(centre(positions) - centre(sample)) <= 0.02 + SLACK
    with samples.node.changed(transform_timeout=10.0):
        samples.solve(lambda sample: in_region(SPHERE, [0.02], mount @ translation(*centre(sample)), 'cell'), check, count=2)
    answer = compute_ik(samples.node, translation(0.4, 0, 0.4), constraints=in_region(SPHERE, [0.1], np.eye(4), 'nowhere'))
    assert_failed(samples.node, answer, 'FRAME_TRANSFORM_FAILURE', 'nowhere')


def test_standing_goals_are_kept(samples):
    """Also with constraints, and with the tool of the parameter, which poses of MoveIt ignore."""
    tool = translation(0.05, 0, 0.1)
    for _ in range(8):
        sample = samples.robot.sample(samples.generator)
        target, elbow = samples.robot.pose('tool0', sample), samples.robot.pose(ELBOW, sample)[:3, 3]
        side = {'type': 'position', 'name': 'side', 'link': ELBOW, 'p': elbow.tolist(), 'lower': [-0.01] * 3, 'upper': [0.01] * 3}
        place = {'type': 'distance', 'name': 'place', 'p': (target @ tool)[:3, 3].tolist(), 'upper': 0.001}
        free = Constraints(joint_constraints=[JointConstraint(
            joint_name=ROLL, position=sample[ROLL], tolerance_above=1.0, tolerance_below=1.0, weight=1.0)])
        with samples.node.changed(goals=json.dumps([side, place]), tool='{tool0: {p: [0.05, 0, 0.1]}}'):
            answers = [compute_ik(samples.node, target, constraints=one, timeout=LONG) for one in (Constraints(), free)]
        for answer in answers:
            positions = assert_solved(samples.node, samples.robot, answer, {'tool0': target})
            assert np.abs(samples.robot.pose(ELBOW, positions)[:3, 3] - elbow).max() <= 0.01 + SLACK


def test_a_pose_that_standing_goals_exclude_has_no_solution(arm, arm_robot):
    target = arm_robot.pose('tool0', {})
    far = {'type': 'distance', 'name': 'far', 'p': target[:3, 3].tolist(), 'lower': 0.1}
    with arm.changed(goals=json.dumps(far)):
        assert_failed(arm, compute_ik(arm, target, timeout=LONG), 'NO_IK_SOLUTION', "goal 'far'")


def test_a_violated_constraint_is_named(arm, arm_robot):
    target = arm_robot.pose('tool0', {})
    answer = compute_ik(arm, target, constraints=in_region(SPHERE, [0.1], translation(0, 0, 5)), timeout=LONG)
    assert_failed(arm, answer, 'NO_IK_SOLUTION', 'position_constraints[0]', 'violated')


def many(constraints, kind, count):
    setattr(constraints, kind, getattr(constraints, kind) * count)
    return constraints


def both_meshes():
    constraints = in_region(SPHERE, [0.1], np.eye(4))
    volume = constraints.position_constraints[0].constraint_region
    volume.meshes, volume.mesh_poses = [Mesh()], [Pose()]
    return constraints


REFUSED = [
    (in_region(CYLINDER, [0.1, 0.1], np.eye(4)), ['position_constraints[0]', 'BOX', 'SPHERE']),
    (in_region(BOX, [0.1, 0.1], np.eye(4)), ['position_constraints[0]', 'BOX', '3']),
    (in_region(SPHERE, [math.nan], np.eye(4)), ['position_constraints[0]', 'radius', 'NaN']),
    (in_region(BOX, [0.1, -0.1, 0.1], np.eye(4)), ['position_constraints[0]', 'edge', '-0.1']),
    (in_region(SPHERE, [0.1], np.eye(4), link='claw'), ['position_constraints[0]', 'claw', ELBOW]),
    (in_region(SPHERE, [0.1], np.eye(4), offset=(math.nan, 0, 0)), ['position_constraints[0]', 'point']),
    (in_region(SPHERE, [0.1], np.eye(4), weight=-1.0), ['position_constraints[0]', 'weight', '-1']),
    (in_region(SPHERE, [0.1], np.eye(4), weight=math.inf), ['position_constraints[0]', 'weight', 'inf']),
    (both_meshes(), ['position_constraints[0]', 'meshes']),
    (oriented(np.eye(4), [0.1, math.nan, 0.1]), ['orientation_constraints[0]', 'absolute_y_axis_tolerance', 'NaN']),
    (oriented(np.eye(4), [-0.1, 0.1, 0.1]), ['orientation_constraints[0]', 'absolute_x_axis_tolerance', '-0.1']),
    (oriented(np.eye(4), [0.1] * 3, parameterization=7), ['orientation_constraints[0]', 'parameterization', '7']),
    (Constraints(joint_constraints=[JointConstraint(joint_name='knee')]), ['joint_constraints[0]', 'knee']),
    (Constraints(joint_constraints=[JointConstraint(joint_name=ROLL, position=math.inf)]), ['joint_constraints[0]', 'position']),
    (looking(np.eye(4), np.eye(4), ELBOW, target_radius=0.1, max_view_angle=0.1), ['visibility_constraints[0]', 'target_radius']),
    (looking(np.eye(4), np.eye(4), ELBOW, max_view_angle=-0.1), ['visibility_constraints[0]', 'max_view_angle']),
    (looking(np.eye(4), np.eye(4), ELBOW, max_view_angle=0.1, sensor_view_direction=3), ['visibility_constraints[0]', '3']),
    (looking(np.eye(4), np.eye(4), 'camera', max_view_angle=0.1), ['visibility_constraints[0]', 'camera']),
    (many(in_region(SPHERE, [0.1], np.eye(4)), 'position_constraints', 101), ['101', '100']),
]


@pytest.mark.parametrize('constraints, words', REFUSED)
def test_constraints_that_make_no_sense_are_refused_by_name(arm, arm_robot, constraints, words):
    answer = compute_ik(arm, arm_robot.pose('tool0', {}), constraints=constraints)
    assert_failed(arm, answer, 'INVALID_GOAL_CONSTRAINTS', *words)


def test_an_infinite_tolerance_is_no_bound(arm, arm_robot):
    target = arm_robot.pose('tool0', {})
    free = JointConstraint(joint_name=ROLL, position=0.0, tolerance_above=math.inf, tolerance_below=math.inf)
    answer = compute_ik(arm, target, constraints=Constraints(joint_constraints=[free]), timeout=LONG)
    assert_solved(arm, arm_robot, answer, {'tool0': target})
