"""The conversion of keys by keys.py, without a terminal or node."""
import pytest

from conftest import ARM_FILE, ROOT
from teleop import chain
from teleop.steering import FASTEST, HELD, HELP, SLOWEST, TWISTS, Jog, Speeds, Steering, Twist
from teleop.terminal import split

TWO_ARMS = ROOT / 'urdf' / 'dual_arm.urdf'
SPEEDS = Speeds(linear=0.1, angular=0.3, joint=0.2)
JOINTS = [chain.Joint('lift', True), chain.Joint('elbow', False)]


@pytest.fixture
def steering():
    return Steering(SPEEDS, {'left': JOINTS, 'right': JOINTS[1:]})


@pytest.mark.parametrize('text, keys, rest', [
    ('wa', ['w', 'a'], ''),
    ('\x1b[A\x1b[D', ['up', 'left'], ''),
    ('\x1bOC', ['right'], ''),  # as sent by a terminal in application mode
    ('w\x1b[', ['w'], '\x1b['),
    ('\x1b', [], '\x1b'),
    ('\x1b[1;5B', ['down'], ''),
    ('\x1b[3~x', ['', 'x'], ''),
    ('\x1bw', ['\x1b', 'w'], ''),
    ('', [], ''),
])
def test_what_a_terminal_sends_is_split_into_keys(text, keys, rest):
    assert split(text) == (keys, rest)


def test_a_sequence_may_come_in_two_parts():
    _, begun = split('\x1b[')
    assert split(f'{begun}A') == (['up'], '')


@pytest.mark.parametrize('key', TWISTS)
def test_every_key_of_a_twist_moves_along_one_axis(steering, key):
    axis, direction = TWISTS[key]
    assert steering.press(key, 1.0)
    command = steering.command(1.0)
    assert isinstance(command, Twist)
    speed = direction * (SPEEDS.linear if axis < 3 else SPEEDS.angular)
    assert command.velocity == [speed if axis == other else 0.0 for other in range(6)]


def test_both_directions_of_each_axis_have_a_key_that_the_help_names():
    for letters in (False, True):
        keys = [key for key in TWISTS if (len(key) == 1) == letters]
        axes = {TWISTS[key] for key in keys}
        assert len(axes) == len(keys) and axes == {(axis, -direction) for axis, direction in axes}
        assert all(key in HELP.split() or f'{key},' in HELP.split() for key in keys)
    assert {TWISTS[key] for key in TWISTS if len(key) == 1} == {(axis, sign) for axis in range(6) for sign in (-1, 1)}


def test_numbers_are_joints_of_the_chain_both_ways(steering):
    steering.press('1', 0.0)
    assert steering.command(0.0) == Jog('lift', SPEEDS.linear)
    steering.press('2', 0.0)
    assert steering.command(0.0) == Jog('elbow', SPEEDS.joint)
    steering.press('0', 0.0)
    assert steering.command(0.0) == Jog('elbow', -SPEEDS.joint)
    assert not steering.press('3', 0.0), 'there are two joints'


def test_a_key_counts_until_it_is_not_repeated(steering):
    steering.press('w', 0.0)
    assert steering.command(0.99 * HELD) and not steering.command(HELD)
    steering.press('w', 0.9 * HELD)
    assert steering.command(1.5 * HELD)
    steering.press(' ', HELD)
    assert steering.command(HELD) is None


def test_speeds_go_up_and_down_within_bounds(steering):
    steering.press('w', 0.0)
    before = steering.command(0.0).velocity[0]
    steering.press('-', 0.0)
    assert 0 < steering.command(0.0).velocity[0] < before
    for key, share in (('-', SLOWEST), ('+', FASTEST), ('=', FASTEST)):
        for _ in range(100):
            steering.press(key, 0.0)
        assert steering.command(0.0).velocity[0] == pytest.approx(share * SPEEDS.linear)


def test_another_tip_has_joints_of_its_own_and_begins_at_rest(steering):
    steering.press('w', 0.0)
    steering.press('t', 0.0)
    assert steering.tip == 'right' and steering.command(0.0) is None
    steering.press('1', 0.0)
    assert steering.command(0.0).joint == 'elbow'
    steering.press('t', 0.0)
    assert steering.tip == 'left'


def test_the_line_says_what_moves_and_what_is_set_or_what_the_node_says(steering):
    assert steering.line(0.0, '') == 'left | at rest | axes of the base | 0.1 m/s, 0.3 rad/s | joints +0.2 rad/s'
    for key in 'x0s':
        steering.press(key, 0.0)
    assert steering.line(0.0, '') == 'left | -x | axes of the tip | 0.1 m/s, 0.3 rad/s | joints -0.2 rad/s'
    steering.press('2', 0.0)
    assert steering.line(0.0, 'a limit') == 'left | elbow | a limit'


@pytest.mark.parametrize('key', ['', 'W', '\x1b', 'é', '²', 'z'])
def test_other_keys_mean_nothing(steering, key):
    assert not steering.press(key, 0.0) and steering.command(0.0) is None


def test_the_chain_of_a_tip_has_its_moving_joints_in_order():
    text = ARM_FILE.read_text()
    names = [joint.name for joint in chain.joints(text, 'base_link', 'tool0')]
    assert names[0] == 'shoulder_pan_joint' and len(names) == 7
    assert [joint.name for joint in chain.joints(text, 'tool0', 'base_link')] == names[::-1]
    assert chain.joints(text, 'tool0', 'tool0') == []


def test_a_chain_between_two_branches_leaves_out_what_moves_both():
    text = TWO_ARMS.read_text()
    of_left, of_right = ({joint.name for joint in chain.joints(text, 'base_link', hand)} for hand in ('left_hand', 'right_hand'))
    assert of_left & of_right, 'the torso'
    between = [joint.name for joint in chain.joints(text, 'left_hand', 'right_hand')]
    assert set(between) == of_left ^ of_right and len(set(between)) == len(between)


def test_the_base_link_is_found_behind_a_prefix():
    text = ARM_FILE.read_text()
    assert chain.link_of(text, 'base_link') == ('base_link', '')
    assert chain.link_of(text, 'left/base_link') == ('base_link', 'left/')
