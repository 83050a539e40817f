"""Bounds and weights of joints in requests: SolveIK and SolveIKBatch."""
import math

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from urdf_ik.msg import JointBounds, JointWeight, SolveStatus

from checks import assert_reached, difference
from client import posture
from test_batch import rows, solve_batch

BENT = {'shoulder_pan_joint': 0.4, 'shoulder_lift_joint': 0.3, 'upper_arm_roll_joint': 0.5, 'elbow_joint': -0.5,
        'wrist_flex_joint': 0.7}
ROLL = 'upper_arm_roll_joint'


def bounds(joint, lower, upper):
    return JointBounds(joint=joint, lower=lower, upper=upper)


def weight(joint, value):
    return JointWeight(joint=joint, weight=value)


def test_a_locked_joint_stays_where_it_is_locked(arm, arm_robot):
    target = arm_robot.pose('tool0', BENT)
    for at in (0.2, 0.5, 0.9):
        answer = arm.solve_ik(target, bounds=[bounds(ROLL, at, at)], timeout=10.0)
        assert answer.success, answer.message
        assert posture(answer.joint_state)[ROLL] == at
        assert_reached(arm_robot, posture(answer.joint_state), 'tool0', target)


def test_bounds_hold_also_where_the_target_cannot_be_met_within_them(arm, arm_robot):
    target = arm_robot.pose('tool0', BENT)
    within = [bounds(name, -0.1, 0.1) for name in BENT]
    answer = arm.solve_ik(target, bounds=within, timeout=10.0)
    assert not answer.success and answer.status.outcome == SolveStatus.JOINT_LIMITS, answer.message
    assert all(abs(posture(answer.joint_state)[name]) <= 0.1 for name in BENT)


def test_all_solutions_are_within_the_bounds(arm, arm_robot):
    half = [bounds('elbow_joint', -math.inf, 0.0)]
    answer = arm.solve_ik(arm_robot.pose('tool0', BENT), bounds=half, all_solutions=True, timeout=10.0)
    assert answer.success and answer.all_joint_states
    assert all(posture(state)['elbow_joint'] <= 0.0 for state in answer.all_joint_states)


def test_a_heavy_joint_moves_less(arm, arm_robot):
    seed = JointState(name=list(BENT), position=list(BENT.values()))
    target = arm_robot.pose('tool0', {**BENT, 'shoulder_pan_joint': 0.7})

    def moves(**fields):
        answer = arm.solve_ik(target, seed=seed, timeout=10.0, **fields)
        assert answer.success, answer.message
        assert_reached(arm_robot, posture(answer.joint_state), 'tool0', target)
        return {name: abs(posture(answer.joint_state)[name] - at) for name, at in BENT.items()}
    light = moves(move_weights=[weight(name, 1.0) for name in BENT])
    heavy = moves(move_weights=[weight(name, 100.0 if name == ROLL else 1.0) for name in BENT])
    assert heavy[ROLL] < 0.5 * light[ROLL]


def test_a_batch_has_them_too(arm, arm_robot, generator):
    poses = [arm_robot.pose('tool0', {**arm_robot.sample(generator), ROLL: 0.5}) for _ in range(50)]
    answer = solve_batch(arm, poses, bounds=[bounds(ROLL, 0.5, 0.5)], timeout=10.0)
    # A rounded target may be out of reach of six joints.
    assert answer.solved >= 45, answer.message
    assert all(row[ROLL] == 0.5 for row in rows(answer))
    one = arm.solve_ik(poses[0], bounds=[bounds(ROLL, 0.5, 0.5)], timeout=10.0)
    assert difference(rows(answer)[0], posture(one.joint_state)) == 0.0


BAD = [
    ({'bounds': [bounds('knee', 0.0, 1.0)]}, ['bounds', 'knee', ROLL]),
    ({'bounds': [bounds('', 0.0, 1.0)]}, ['bounds', ROLL]),
    ({'bounds': [bounds(ROLL, math.nan, 1.0)]}, [ROLL, 'NaN']),
    ({'bounds': [bounds(ROLL, 1.0, 0.5)]}, [ROLL, 'no position']),
    ({'bounds': [bounds('elbow_joint', 50.0, 60.0)]}, ['elbow_joint', 'limits']),
    ({'bounds': [bounds(ROLL, 0.0, 1.0)] * 2}, [ROLL, 'twice']),
    ({'move_weights': [weight('knee', 1.0)]}, ['move_weights', 'knee']),
    ({'move_weights': [weight(ROLL, math.nan)]}, [ROLL, 'NaN']),
    ({'move_weights': [weight(ROLL, -1.0)]}, [ROLL, '-1']),
    ({'move_weights': [weight(ROLL, 1.0)] * 2}, [ROLL, 'twice']),
]


@pytest.mark.parametrize('fields, words', BAD)
def test_what_makes_no_sense_is_refused_by_name(arm, arm_robot, fields, words):
    target = arm_robot.pose('tool0', BENT)
    one, many = arm.solve_ik(target, **fields), solve_batch(arm, [target] * 2, **fields)
    assert one.status.outcome == SolveStatus.INVALID and not one.joint_state.name
    assert many.refused == 2 and np.isnan(many.position_errors).all()
    for answer in (one, many):
        assert all(word in answer.message for word in words), answer.message

