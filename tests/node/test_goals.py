"""Goals other than poses in SolveIK and SolveIKBatch, checked with independent kinematics."""
import math

import numpy as np
import pytest
import yaml
from sensor_msgs.msg import JointState
from urdf_ik.msg import JointBounds, SolveStatus

from checks import assert_posture, assert_reached
from client import posture, transform_message
from conftest import ARM_FILE, ROOT
from goals import ROUNDING, TOLERANCE, Judge, angle_between, box_at, centre_of_mass, euler_angles, rotation_vector, text
from kinematics import Robot, pose_of, quaternion_of, rotation, translation
from solids import BESIDE, MARGIN, ROBOT, start_arm
from solids import ROUNDING as DISTANCE_ROUNDING
from test_batch import rows, solve_batch

TWO_ARMS = ROOT / 'tests' / 'data' / 'urdf' / 'two_arms.urdf'
HANDS = ['left_hand', 'right_hand']
NO_POSE = {'free_axes': [True] * 6, 'timeout': 30.0}
MOUNT = translation(0.3, -0.2, 0.5) @ rotation((0, 0, 1), 0.7) @ rotation((1, 0, 0), -0.4)
LEVEL = {'type': 'cone', 'axis': [1, 0, 0], 'direction': [0, 0, 1], 'angle': 0.1}
FAR = {'type': 'distance', 'name': 'far', 'p': [5, 0, 0], 'upper': 0.1}


def floats(values):
    return [float(value) for value in values]


def quaternion(pose):
    return floats(quaternion_of(pose))


class Kinds:
    """Goals of all kinds that hold at a sample, in the base link's frame or another link's."""

    def __init__(self, judge, sample, generator, frame=None):
        self.judge, self.sample, self.generator = judge, sample, generator
        self.common = {} if frame is None else {'frame': frame}
        self.relative = judge.relative(self.common, sample)

    def direction(self):
        return floats(self.generator.normal(size=3))

    def point(self):
        return floats(self.generator.uniform(-0.1, 0.1, 3))

    def position(self):
        turned = pose_of((0, 0, 0), quaternion(rotation((0, 0.6, 0.8), self.generator.uniform(-3, 3))))
        goal = {'point': self.point(), 'q_xyzw': quaternion(turned), 'p': self.point(), **self.common}
        offset = turned[:3, :3].T @ self.judge.offset(goal, self.sample)
        return {'type': 'position', **goal, **box_at(offset, 0.005)}

    def one_bound(self):
        goal = {'type': 'position', **self.common, 'lower': [None, None, float(self.relative[2, 3])]}
        return goal

    def distance(self):
        goal = {'point': self.point(), 'p': self.point(), **self.common}
        value = float(np.linalg.norm(self.judge.offset(goal, self.sample)))
        return {'type': 'distance', **goal, 'lower': value, 'upper': value + 0.01}

    def distance_from_a_line(self):
        goal = {'p': floats(self.relative[:3, 3] + self.generator.normal(size=3) * 0.01), 'direction': self.direction()}
        return {'type': 'distance', **goal, **self.common, 'upper': 0.05}

    def cone(self):
        axis = self.direction()
        return {'type': 'cone', 'axis': axis, 'direction': floats(self.relative[:3, :3] @ axis), **self.common,
                'angle': float(self.generator.choice([0.0, 0.1, 0.5]))}

    def orientation(self):
        turned = self.relative @ rotation((0.6, 0, 0.8), 0.3)
        values = rotation_vector(turned[:3, :3].T @ self.relative[:3, :3])
        return {'type': 'orientation', 'q_xyzw': quaternion(turned), **self.common, **box_at(values, 0.02)}

    def orientation_along_the_frame(self):
        turned = self.relative @ rotation((0.6, 0, 0.8), 0.3)
        values = turned[:3, :3] @ rotation_vector(turned[:3, :3].T @ self.relative[:3, :3])
        return {'type': 'orientation', 'axes': 'frame', 'q_xyzw': quaternion(turned), **self.common, **box_at(values, 0.02)}

    def euler_angles(self):
        turned = self.relative @ rotation((0.6, 0, 0.8), 0.3)
        values = euler_angles(turned[:3, :3].T @ self.relative[:3, :3])
        return {'type': 'orientation', 'parameterization': 'xyz_euler', 'q_xyzw': quaternion(turned), **self.common,
                **box_at(values, 0.02)}

    def gaze(self):
        seen = (self.relative @ [0.05, -0.1, 0.6, 1])[:3]
        angle = angle_between([0, 0, 1], [0.05, -0.1, 0.6])
        return {'type': 'gaze', 'axis': [0, 0, 1], 'p': floats(seen), 'angle': angle, **self.common}

    def joints(self):
        names = list(self.sample)[:3]
        coefficients = dict(zip(names, [1.0, -2.0, 0.5]))
        value = sum(factor * self.sample[name] for name, factor in coefficients.items())
        return {'type': 'joints', 'coefficients': coefficients, 'lower': value, 'upper': value}


OF_LINKS = ['position', 'one_bound', 'distance', 'distance_from_a_line', 'cone', 'orientation',
            'orientation_along_the_frame', 'euler_angles', 'gaze']


def assert_met(judge, answer, goals):
    """Checks success and the reported violations against independent ones; returns the joint positions."""
    assert answer.success and answer.status.outcome == SolveStatus.SOLVED, answer.message
    positions = posture(answer.joint_state)
    assert_posture(judge.robot, positions)
    measured = [judge.violation(goal, positions) for goal in goals]
    assert max(measured) <= TOLERANCE + ROUNDING, measured
    assert list(answer.goal_violations) == pytest.approx(measured, abs=ROUNDING)
    return positions


def assert_refused(answer, *words, outcome=SolveStatus.INVALID):
    assert not answer.success and answer.status.outcome == outcome, answer.message
    assert not answer.joint_state.name and not answer.goal_violations
    for word in words:
        assert word in answer.message, answer.message
    assert len(answer.message) < 3000


def solve(node, *goals, **fields):
    return node.solve_ik(goals=[goal if isinstance(goal, str) else text(goal) for goal in goals], **{**NO_POSE, **fields})


@pytest.fixture(scope='module')
def judge(arm_robot):
    return Judge(arm_robot)


@pytest.fixture(scope='module')
def two_arms(module_start):
    return module_start.node(TWO_ARMS, tip_links=HANDS)


@pytest.fixture(scope='module')
def two_arms_judge():
    return Judge(Robot.load(TWO_ARMS))


@pytest.mark.parametrize('frame', [None, 'elbow_link'])
@pytest.mark.parametrize('kind', OF_LINKS)
def test_a_goal_of_each_kind_is_met_without_a_pose(arm, judge, generator, kind, frame):
    for _ in range(8):
        goal = getattr(Kinds(judge, judge.robot.sample(generator), generator, frame), kind)()
        assert_met(judge, solve(arm, goal), [goal])


def test_a_relation_of_joints_is_met(arm, judge, generator):
    for _ in range(8):
        goal = Kinds(judge, judge.robot.sample(generator), generator).joints()
        assert_met(judge, solve(arm, goal), [goal])


def test_the_centre_of_mass_is_kept_in_a_box(start, generator):
    inertial = '<inertial><origin xyz="0.01 0 0.08"/><mass value="{}"/>' \
               '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    described = ARM_FILE.read_text()
    for mass, link in enumerate(['base_link', 'shoulder_lift_link', 'elbow_link', 'hand_link'], 1):
        described = described.replace(f'<link name="{link}">', f'<link name="{link}">{inertial.format(mass)}')
    judge = Judge(Robot(described))
    node = start.node(robot_description=described)
    for _ in range(8):
        sample = judge.robot.sample(generator)
        goal = {'type': 'center_of_mass', **box_at(centre_of_mass(judge.robot, sample), 0.005)}
        assert_met(judge, solve(node, goal), [goal])


def test_a_robot_without_masses_has_no_centre_of_mass(arm):
    answer = solve(arm, {'type': 'center_of_mass', 'lower': [0, 0, 0], 'upper': [1, 1, 1]})
    assert_refused(answer, 'goal 1', 'center_of_mass', 'no masses')


def test_goals_are_met_together_and_beside_a_pose(arm, judge, generator):
    for _ in range(8):
        sample = judge.robot.sample(generator)
        kinds = Kinds(judge, sample, generator)
        several = [kinds.one_bound(), kinds.cone(), kinds.joints()]
        assert_met(judge, solve(arm, *several), several)
        # Self-motion of the seven-joint arm lifts the elbow.
        height = float(judge.robot.pose('elbow_link', sample)[2, 3])
        elbow_up = {'type': 'position', 'link': 'elbow_link', 'lower': [None, None, height - 0.005]}
        target = judge.robot.pose('tool0', sample)
        positions = assert_met(judge, solve(arm, elbow_up, pose=target, free_axes=[False] * 6), [elbow_up])
        assert_reached(judge.robot, positions, 'tool0', target)


def test_goals_may_be_yaml_and_have_names(arm, judge):
    answer = solve(arm, '{type: cone, name: level cup, weight: 2, axis: [1, 0, 0], direction: [0, 0, 1], angle: 0.1}')
    assert_met(judge, answer, [LEVEL])


def test_the_example_of_the_page_is_met(arm, judge):
    page = (ROOT / 'docs' / 'node.md').read_text()
    request = yaml.safe_load(page.split('urdf_ik/srv/SolveIK "')[1].split('"')[0])
    assert_met(judge, arm.solve_ik(**request), [yaml.safe_load(goal) for goal in request['goals']])


def test_the_answer_is_the_same_to_the_bit(arm, judge, generator):
    goal = Kinds(judge, judge.robot.sample(generator), generator).position()
    one, other = solve(arm, goal), solve(arm, goal)
    assert one.joint_state.position == other.joint_state.position
    assert one.goal_violations == other.goal_violations


def test_a_goal_without_a_link_refers_to_the_tool(arm, judge, generator):
    sample = judge.robot.sample(generator)
    tool = translation(0, 0, 0.1)
    place = floats((judge.robot.pose('tool0', sample) @ tool)[:3, 3])
    goal = {'type': 'distance', 'p': place, 'upper': 0.01}
    with arm.changed(tool='{tool0: {p: [0, 0, 0.1]}}'):
        assert_met(judge, solve(arm, goal), [{**goal, 'point': [0, 0, 0.1]}])
        named = {**goal, 'link': 'tool0'}
        assert_met(judge, solve(arm, named), [named])


@pytest.mark.parametrize('kind', OF_LINKS)
def test_a_frame_of_tf(arm, arm_robot, generator, kind):
    stamp = arm.node.get_clock().now().to_msg()
    arm.publish_transforms(transform_message('table', 'base_link', MOUNT, stamp), static=True)
    judge = Judge(arm_robot, frames={'table': np.linalg.inv(MOUNT)})
    goal = getattr(Kinds(judge, arm_robot.sample(generator), generator, 'table'), kind)()
    with arm.changed(transform_timeout=10.0):
        assert_met(judge, solve(arm, goal, goal), [goal, goal])


def test_a_frame_of_tf_on_a_link_is_taken_where_the_arm_is(arm, arm_robot, generator):
    stamp = arm.node.get_clock().now().to_msg()
    seen = translation(0.1, 0.02, 0.4)
    arm.publish_transforms(transform_message('hand_link', 'seen_part', seen, stamp), static=True)
    present = arm_robot.pose('hand_link', arm.next_posture()) @ seen
    goal = {'type': 'distance', 'frame': 'seen_part', 'upper': 0.2}
    with arm.changed(transform_timeout=10.0):
        assert_met(Judge(arm_robot, frames={'seen_part': present}), solve(arm, goal), [goal])


def test_links_may_have_the_frame_prefix(start, judge):
    node = start.node(ARM_FILE, frame_prefix='left/')
    goal = {**LEVEL, 'link': 'left/hand_link', 'frame': 'left/elbow_link'}
    bare = {**LEVEL, 'link': 'hand_link', 'frame': 'elbow_link'}
    assert_met(judge, solve(node, goal, bare), [bare, bare])


def test_two_hands_hold_a_box(two_arms, two_arms_judge, generator):
    robot = two_arms_judge.robot
    for _ in range(5):
        between = np.linalg.inv(robot.pose('right_hand', sample := robot.sample(generator))) @ robot.pose('left_hand', sample)
        common = {'link': 'left_hand', 'frame': 'right_hand', 'q_xyzw': quaternion(between), 'lower': [0] * 3, 'upper': [0] * 3}
        goals = [{'type': 'position', 'p': floats(between[:3, 3]), **common}, {'type': 'orientation', **common}]
        assert_met(two_arms_judge, solve(two_arms, *goals), goals)


def test_links_outside_the_chain_stay_in_place(start, two_arms_judge, generator):
    node = start.node(TWO_ARMS, tip_links=['left_hand'])
    robot, present = two_arms_judge.robot, node.next_posture()
    sample = {name: value if name.startswith('left') else present[name] for name, value in robot.sample(generator).items()}
    goal = {'type': 'distance', 'link': 'left_hand', 'frame': 'right_hand'}
    distance = float(np.linalg.norm(two_arms_judge.offset(goal, sample)))
    goal = {**goal, 'lower': distance, 'upper': distance}
    positions = assert_met(two_arms_judge, solve(node, goal), [goal])
    assert all(positions[name] == present[name] for name in present if name.startswith('right'))
    # The seed of a joint outside the chain is part of the answer.
    moved = JointState(name=['right_elbow_joint'], position=[0.5])
    assert assert_met(two_arms_judge, solve(node, goal, seed=moved), [goal])['right_elbow_joint'] == 0.5


def test_with_several_tips_a_goal_names_its_link(two_arms):
    assert_refused(solve(two_arms, LEVEL), 'goal 1', 'cone', 'link', *HANDS)


def test_a_violated_goal_is_named(arm, judge):
    answer = solve(arm, LEVEL, FAR)
    assert not answer.success and answer.status.outcome != SolveStatus.SOLVED
    assert "goal 'far' is violated" in answer.message, answer.message
    positions = posture(answer.joint_state)
    assert_posture(judge.robot, positions)
    measured = [judge.violation(goal, positions) for goal in (LEVEL, FAR)]
    assert measured[1] > 3
    assert list(answer.goal_violations) == pytest.approx(measured, abs=1e-6)
    held = solve(arm, FAR, on_unreachable='hold')
    assert not held.joint_state.name and held.goal_violations[0] > 3


def test_the_reason_of_a_failure_has_an_outcome(arm):
    answer = solve(arm, FAR)
    assert answer.status.outcome == SolveStatus.OUT_OF_REACH, answer.message
    upside_down = {**LEVEL, 'name': 'upside down', 'direction': [0, 0, -1]}
    answer = solve(arm, LEVEL, upside_down)
    assert answer.status.outcome == SolveStatus.GOAL_CONFLICT, answer.message
    assert "goal 'cone'" in answer.message or "goal 'upside down'" in answer.message


def test_goals_hold_with_bounds_and_in_all_solutions(arm, judge, generator):
    sample = judge.robot.sample(generator)
    roll = 'upper_arm_roll_joint'
    lock = JointBounds(joint=roll, lower=sample[roll], upper=sample[roll])
    height = float(judge.robot.pose('elbow_link', sample)[2, 3])
    goal = {'type': 'position', 'link': 'elbow_link', 'lower': [None, None, height - 0.01]}
    target = judge.robot.pose('tool0', sample)
    answer = solve(arm, goal, pose=target, free_axes=[False] * 6, bounds=[lock], all_solutions=True)
    assert_met(judge, answer, [goal])
    assert answer.all_joint_states
    for state in answer.all_joint_states:
        assert posture(state)[roll] == sample[roll]
        assert judge.violation(goal, posture(state)) <= TOLERANCE + ROUNDING
        assert_reached(judge.robot, posture(state), 'tool0', target)


def test_obstacles_are_avoided(start):
    node = start_arm(start, BESIDE).client
    goal = {'type': 'distance', 'p': floats(BESIDE.centre), 'lower': 0.1, 'upper': 0.2}
    positions = assert_met(Judge(ROBOT), solve(node, goal, solver='jacobian'), [goal])
    assert BESIDE.nearest(positions) >= MARGIN - DISTANCE_ROUNDING


def test_a_query_with_goals_moves_nothing(arm):
    before, initial = arm.snapshot(), arm.next_posture()
    assert solve(arm, LEVEL).success
    assert not solve(arm, {'type': 'magic'}).success
    arm.settle()
    assert all(posture(state) == initial for state in arm.states_since(before))
    assert len(arm.statuses) == before.statuses


def test_each_target_of_a_batch_has_the_goals(arm, judge, generator):
    samples = [judge.robot.sample(generator) for _ in range(50)]
    poses = [judge.robot.pose('tool0', sample) for sample in samples]
    height = min(float(judge.robot.pose('elbow_link', sample)[2, 3]) for sample in samples)
    elbow = {'type': 'position', 'link': 'elbow_link', 'lower': [None, None, height]}
    answer = solve_batch(arm, [*poses, translation(5, 0, 0)], goals=[text(elbow), text(FAR)])
    assert answer.solved == 0 and answer.not_met == 51
    assert "goal 'far' is violated" in answer.message and 'poses[' in answer.message, answer.message
    violations = np.array(answer.goal_violations).reshape(51, 2)
    for row, (first, second) in zip(rows(answer), violations):
        assert first == pytest.approx(judge.violation(elbow, row), abs=1e-6)
        assert second == pytest.approx(judge.violation(FAR, row), abs=1e-6)
    answer = solve_batch(arm, poses, goals=[text(elbow)], timeout=30.0)
    assert answer.success and max(answer.goal_violations) <= TOLERANCE, answer.message
    for row, pose in zip(rows(answer), poses):
        assert judge.violation(elbow, row) <= TOLERANCE + ROUNDING
        assert_reached(judge.robot, row, 'tool0', pose)


def test_a_batch_of_goals_alone_starts_at_its_seeds(arm, judge, generator):
    seeds = [judge.robot.sample(generator) for _ in range(20)]
    seed = JointState(name=list(seeds[0]), position=[value for sample in seeds for value in sample.values()])
    answer = solve_batch(arm, [np.zeros((4, 4))] * 20, goals=[text(LEVEL)], seed=seed, **NO_POSE)
    assert answer.success, answer.message
    assert all(judge.violation(LEVEL, row) <= TOLERANCE + ROUNDING for row in rows(answer))
    # Solutions as seeds: no motion is needed.
    again = JointState(name=answer.joint_names, position=answer.positions)
    assert solve_batch(arm, [np.zeros((4, 4))] * 20, goals=[text(LEVEL)], seed=again, **NO_POSE).positions \
        == pytest.approx(answer.positions, abs=1e-9)


def test_goals_of_a_batch_need_one_position_of_links_outside_the_chain(start, two_arms_judge):
    node = start.node(TWO_ARMS, tip_links=['left_hand'])
    goal = {'type': 'distance', 'link': 'left_hand', 'frame': 'right_hand', 'lower': 0.3}

    def solved(*positions):
        seed = JointState(name=['right_elbow_joint'], position=positions)
        return solve_batch(node, [np.zeros((4, 4))] * 2, goals=[text(goal)], seed=seed, **NO_POSE)
    for answer in (solved(0.5), solved(0.5, 0.5)):
        assert answer.success, answer.message
        assert all(row['right_elbow_joint'] == 0.5 and two_arms_judge.violation(goal, row) <= TOLERANCE for row in rows(answer))
    answer = solved(0.5, 0.4)
    assert (answer.solved, answer.refused) == (1, 1) and 'outside the chain' in answer.message, answer.message


@pytest.mark.parametrize('solver', ['fabrik', 'closed_form'])
def test_every_solver_takes_goals(arm, arm_robot, solver):
    answer = solve(arm, LEVEL, solver=solver)
    assert answer.success and answer.status.solver == solver, answer.message
    assert Judge(arm_robot).violation(LEVEL, posture(answer.joint_state)) <= TOLERANCE + ROUNDING


def test_all_axes_free_without_goals_is_no_request(arm):
    answer = solve(arm)
    assert answer.status.outcome == SolveStatus.INVALID and not math.isfinite(answer.status.position_error)
