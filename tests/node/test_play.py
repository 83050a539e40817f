"""The page of an interactive skeleton: `play.py` and the real stream of `urdf_ik skeleton`."""
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

for module in ('viser', 'websockets', 'imageio'):
    pytest.importorskip(module, reason=f'the page in the browser is not tested: no Python package {module} here')

import imageio.v3 as imageio  # noqa: E402

from conftest import ROOT  # noqa: E402
from pages import (  # noqa: E402
    TIMEOUT,
    Program,
    choose,
    click,
    drag,
    free_port,
    leave,
    needs_browser,
    pixels,
    show,
    wait_for,
    wait_for_pixels,
    wait_for_place,
    wait_for_text,
    wait_for_z_arrow,
    window,  # noqa: F401
)
from player.cones import cone_rim, hinge_rim  # noqa: E402
from player.figure import turned_along  # noqa: E402
from player.model import BUNDLED, Model  # noqa: E402
from player.question import NOTHING, POSE, Question  # noqa: E402
from process import executable  # noqa: E402

CHAIN = """segments:
  - {name: upper, length: 0.3, rest: [0, -60, 0]}
  - {name: lower, length: 0.3, rest: [0, 60, 0]}
  - {name: hand, length: 0.3}
"""
PLAY = ROOT / 'scripts' / 'play.py'
BONE = (30, 120, 135)
UP_ARROW = (204, 140, 185)
REACHED = (0, 160, 112)  # the ball of a handle
ROS_MODULES = ('ament_index_python', 'launch', 'rclpy', 'rosidl_parser', 'rpyutils', 'urdf_ik')
TOLERANCE = 1e-5  # [m]


class Recorded(Program):
    """A started play.py that runs the real `urdf_ik` between copies of its input and output."""

    def __init__(self, folder, *arguments):
        folder.mkdir()
        self._folder = folder
        (folder / 'urdf_ik').write_text(
            f'#!/bin/bash\necho $$ > {folder}/pid\n'
            f'exec "{executable("urdf_ik")}" "$@" < <(tee -a {folder}/asked) > >(tee -a {folder}/answered)\n')
        (folder / 'urdf_ik').chmod(0o755)
        super().__init__(folder / 'play.log', PLAY, '--no-browser', '--port', free_port(), *arguments,
                         PATH=f'{folder}:{os.environ["PATH"]}')

    def asked(self):
        return lines_of(self._folder / 'asked')

    def answered(self):
        """All answers after the newest model."""
        lines = lines_of(self._folder / 'answered')
        return lines[max((number for number, line in enumerate(lines) if 'model' in line), default=-1) + 1:]

    def kill_solver(self):
        os.kill(int((self._folder / 'pid').read_text()), signal.SIGKILL)

    def model(self):
        return Model([line['model'] for line in lines_of(self._folder / 'answered') if 'model' in line][-1])


def lines_of(file):
    """The complete lines."""
    text = file.read_text() if file.exists() else ''
    return [json.loads(line) for line in text[:text.rfind('\n') + 1].splitlines()]


@pytest.fixture
def play(tmp_path):
    started = []

    def start(*arguments):
        started.append(Recorded(tmp_path / f'play{len(started)}', *arguments))
        return started[-1]

    yield start
    for each in started:
        each.stop()


@pytest.fixture
def chain(tmp_path):
    """A bent chain with its end in the middle of the picture."""
    (tmp_path / 'chain.yaml').write_text(CHAIN)
    return tmp_path / 'chain.yaml'


@pytest.fixture
def page(window, play, request):
    """Starts play.py and opens its page, and waits for a text on it."""
    window.errors.clear()

    def open_page(model, text):
        program = play('--model', model)
        window.open(program.address())
        wait_for_text(window, text)
        return program, window

    yield open_page
    leave(window, request.node.name)


def press(window, label):
    """Presses the button, or the check box of the label."""
    element = f"[...document.querySelectorAll('button, label')].find(e => e.innerText == {label!r})"
    show(window, element)
    wait_for(lambda: click(window, element), f'the button {label}')


def wait_for_ball(window):
    """A point on the left of the handle's ball, away from its arrows."""
    return wait_for_place(window, REACHED, lambda columns, _: columns < np.quantile(columns, 0.3), count=60, tolerance=30)


@needs_browser
@pytest.mark.parametrize('name', BUNDLED)
def test_every_bundled_model_is_drawn(page, name):
    program, window = page(name, 'reached')
    wait_for_pixels(window, BONE, 150)
    assert program.answered()[-1]['is_solved'], 'at rest the ends do not move'


@needs_browser
def test_the_figure_follows_an_arrow(page, chain):
    program, window = page(chain, 'reached')
    x, y = wait_for_z_arrow(window, tip=True)
    drag(window, (x, y), (0, 50))
    lowest = program.model().rest[-1, 2] - 0.02

    def has_followed():
        target, place = program.asked()[-1]['targets'][0]['position'], program.answered()[-1]['points'][-1]
        return target[2] < lowest and np.allclose(place, target, rtol=0.0, atol=TOLERANCE)

    wait_for(has_followed, lambda: program.answered()[-1])
    wait_for_text(window, 'reached')


@needs_browser
def test_the_ball_is_dragged_across_the_view(page, chain):
    program, window = page(chain, 'reached')
    drag(window, wait_for_ball(window), (-60, 60))
    wait_for(lambda: program.asked()[-1]['targets'][0]['position'][1] < -0.02, lambda: program.asked()[-1])
    wait_for(lambda: program.answered()[-1]['is_solved'], lambda: program.answered()[-1])


@needs_browser
def test_a_switch_changes_the_answer(page, tmp_path):
    (tmp_path / 'elbow.yaml').write_text(
        'segments:\n  - {name: upper, length: 0.5}\n'
        '  - {name: lower, length: 0.5, rest: [0, 40, 0], hinge: {axis: [0, 1, 0], range: [-10, 10]}}\n')
    program, window = page(tmp_path / 'elbow.yaml', 'reached')
    drag(window, wait_for_ball(window), (-80, -30))
    wait_for(lambda: program.answered()[-1]['limited'] == ['lower'], lambda: program.answered()[-1])
    wait_for_text(window, 'At their limits: lower')
    press(window, 'Limits')
    wait_for(lambda: not program.asked()[-1]['limits'], lambda: program.asked()[-1])
    wait_for(lambda: program.answered()[-1]['limited'] == [], lambda: program.answered()[-1])


@needs_browser
def test_every_choice_is_understood_by_the_solver(page):
    program, window = page('humanoid', 'reached')
    for label in ('Acceleration', 'Damped least squares after FABRIK', 'Fresh starts', 'Limits'):
        press(window, label)
    choose(window, 'fixed', 'moved')
    choose(window, 'moved', 'free')
    choose(window, 'position', 'position and orientation')
    wait_for(lambda: 'orientation' in program.asked()[-1]['targets'][0], lambda: program.asked()[-1])
    asked = program.asked()[-1]
    assert asked['options'] == {'polish': False, 'acceleration': 0, 'restarts': 0}
    assert (asked['limits'], asked['root']) == (False, 'free')
    assert any(isinstance(line['root'], dict) for line in program.asked()), 'the root was moved in between'
    wait_for(lambda: len(program.asked()) == len(program.answered()), 'all answers')
    assert [line for line in program.answered() if 'error' in line] == []


@needs_browser
def test_the_methods_of_the_pitch_yaw_arm(page):
    program, window = page('pitch-yaw arm', 'reached')
    choose(window, 'damped', 'pseudoinverse')
    press(window, 'Follow')
    drag(window, wait_for_ball(window), (-60, -60))
    press(window, 'Solve')
    wait_for(lambda: len(program.answered()[-1]['path']) > 3, lambda: program.answered()[-1])
    assert program.asked()[-1]['method'] == 'pseudoinverse'


@needs_browser
def test_single_passes(page, chain):
    program, window = page(chain, 'reached')
    press(window, 'Follow')
    x, y = wait_for_z_arrow(window, tip=True)
    before = len(program.asked())
    drag(window, (x, y), (0, 80))
    press(window, 'Forward')
    forward = wait_for(lambda: len(program.answered()) > before and program.answered()[before], 'an answer')
    asked = program.asked()[before]
    assert asked['pass'] == 'forward', 'no requests while it does not follow'
    assert np.allclose(forward['points'][-1], asked['targets'][0]['position'], atol=TOLERANCE), 'the end is at its target'
    assert np.linalg.norm(forward['points'][0]) > 0.01, 'and the root is displaced'
    press(window, 'Backward')
    backward = wait_for(lambda: len(program.answered()) > before + 1 and program.answered()[before + 1], 'an answer')
    assert np.allclose(backward['points'][0], 0.0, atol=TOLERANCE), 'the root is back'
    press(window, 'Cycle')
    wait_for(lambda: [line.get('pass') for line in program.asked()[before + 2:]] == ['forward', 'backward'], 'both passes')


@needs_browser
def test_back_to_rest(page, chain):
    program, window = page(chain, 'reached')
    x, y = wait_for_z_arrow(window, tip=True)
    drag(window, (x, y), (0, 50))
    wait_for(lambda: not np.allclose(program.answered()[-1]['points'], program.model().rest, atol=0.02), 'the figure to move')
    press(window, 'Back to rest')
    wait_for(lambda: np.allclose(program.answered()[-1]['points'], program.model().rest, atol=TOLERANCE), 'the rest')
    assert program.asked()[-1]['seed'] == 'rest'


@needs_browser
def test_elbow_up_and_down(page):
    program, window = page('two-link arm', 'reached')
    wait_for_place(window, BONE, lambda columns, _: columns > 0)
    before = set(zip(*pixels(window, BONE)))
    choose(window, 'elbow up', 'elbow down (beyond limits)')
    wait_for(lambda: len(before & set(zip(*pixels(window, BONE)))) < 0.8 * len(before), 'the solid arm to move')


@needs_browser
def test_the_up_vector_is_dragged(page):
    program, window = page('three-link arm', 'reached')
    x, y = wait_for_place(window, UP_ARROW, lambda _, rows: rows < rows.min() + 6, tolerance=30)
    drag(window, (x, y - 6), (40, 20))
    wait_for(lambda: program.asked()[-1]['up'][2] < 0.99, lambda: program.asked()[-1])
    assert np.isclose(np.linalg.norm(program.asked()[-1]['up']), 1.0)
    wait_for(lambda: len(program.asked()) == len(program.answered()), 'all answers')
    assert program.answered()[-1]['residuals'][0]['angle'] < 1e-6


@needs_browser
def test_a_figure_in_the_plane_stays_there(page, tmp_path):
    (tmp_path / 'flat.yaml').write_text('dimensions: 2\n' + CHAIN.replace('-60, 0', '0, 60').replace('60, 0', '0, -60'))
    program, window = page(tmp_path / 'flat.yaml', 'reached')
    drag(window, wait_for_ball(window), (-60, 60))
    wait_for(lambda: len(program.asked()) > 1 and len(program.asked()) == len(program.answered()), 'answers')
    assert all(line['targets'][0]['position'][2] == 0.0 for line in program.asked())
    assert program.answered()[-1]['is_solved']


@needs_browser
def test_a_picture_is_saved(page, tmp_path):
    program, window = page('hand', 'reached')
    window.call('Browser.setDownloadBehavior', behavior='allow', downloadPath=str(tmp_path))
    press(window, 'Picture')
    picture = imageio.imread(wait_for(lambda: list(tmp_path.glob('hand*.png')), 'a file')[0])
    assert (np.abs(picture[..., :3].astype(int) - BONE).max(axis=2) < 40).sum() > 100


@needs_browser
def test_a_broken_file_is_mended_and_loaded_again(page, tmp_path):
    file = tmp_path / 'figure.yaml'
    file.write_text('segments:\n  - {name: upper, length: 0}\n')
    program, window = page(file, 'figure.yaml')
    wait_for_text(window, 'press Load again')
    assert 'upper' in window.text()
    assert 'upper' in program.output(), 'the terminal shows it, too'
    file.write_text('segments:\n  - {name: upper, length: 0.3}\n')
    press(window, 'Load again')
    wait_for_text(window, 'reached')
    wait_for_pixels(window, BONE, 100)


@needs_browser
def test_a_stream_that_ends_is_said_and_started_again(page):
    program, window = page('noodle', 'reached')
    program.kill_solver()
    wait_for_text(window, 'the solver ended by itself')
    assert 'the solver ended by itself' in program.output()
    press(window, 'Load again')
    wait_for(lambda: 'ended' not in window.text() and 'reached' in window.text(), window.text)


@pytest.mark.parametrize('arguments, message', [
    (['--model', 'nowhere.yaml'], 'there is no file nowhere.yaml: name the YAML of a skeleton'),
    (['--port', '0'], 'it must be a number between 1 and 65535')])
def test_bad_arguments_are_refused(arguments, message):
    ended = subprocess.run([sys.executable, str(PLAY), *arguments], capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 1 and message in ended.stderr and len(ended.stderr.splitlines()) == 1


def test_no_ros_is_needed(tmp_path):
    command = ['make', '--no-print-directory', '--dry-run', 'play']
    recipe = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert recipe.split()[:2] == ['exec', 'scripts/play.sh'], recipe
    # As before set-up, with only the Python packages of the page.
    alone = {name: value for name, value in os.environ.items() if name in ('HOME', 'PATH')}
    ended = subprocess.run([sys.executable, '-X', 'importtime', str(PLAY), '--model', 'nowhere.yaml'], cwd=tmp_path, env=alone,
                           capture_output=True, text=True, timeout=TIMEOUT)
    assert 'there is no file nowhere.yaml' in ended.stderr, ended.stderr
    imported = {line.rpartition('|')[2].split('.')[0].strip() for line in ended.stderr.splitlines() if line.startswith('import time:')}
    assert 'viser' in imported
    assert [name for name in imported if name in ROS_MODULES or name.endswith('_msgs')] == []


DESCRIPTION = {'name': 'fork', 'kind': 'skeleton', 'dimensions': 3, 'points': ['root', 'a', 'b'], 'ends': ['a', 'b'],
        'segments': [{'name': name, 'parent': 'root', 'length': 1.0, 'joint': 'free', 'limits': None} for name in 'ab'],
        'rest': {'points': [[0, 0, 0], [1, 0, 0], [1, 0, 0]], 'orientations': [[0, 0, 0, 1]] * 3}}


def test_what_is_asked():
    question = Question(Model(DESCRIPTION))
    question.asks.update(a=NOTHING, b=POSE)
    line = question.line(single_pass='forward')
    assert line['targets'] == [{'point': 'b', 'position': [1, 0, 0], 'orientation': [0, 0, 0, 1]}]
    assert (line['pass'], line['seed'], line['root']) == ('forward', 'previous', 'fixed')
    question.switches['acceleration'] = False
    assert question.line()['options']['acceleration'] == 0
    question.asks['b'] = NOTHING
    assert question.is_empty


def test_limits_are_drawn_where_they_are():
    rim = cone_rim({'up': 60, 'down': 40, 'left': 70, 'right': 30})
    polar = np.degrees(np.arccos(rim[:, 0]))
    left, up, right, down = (polar[quarter * (len(rim) - 1) // 4] for quarter in range(4))
    assert np.allclose((left, up, right, down), (70, 60, 30, 40))
    assert np.allclose(hinge_rim({'axis': [0, 0, 2], 'range': [0, 90]})[[0, -1]], [[1, 0, 0], [0, 1, 0]])


def test_bones_lie_along_their_segments(generator):
    along = generator.normal(size=(50, 3))
    along[0] = (-1, 0, 0)
    turns = turned_along(np.tile([1.0, 0, 0, 0], (50, 1)), along, np.linalg.norm(along, axis=1))
    w, x, y, z = turns.T
    x_axes = np.column_stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])
    assert np.allclose(x_axes, along / np.linalg.norm(along, axis=1, keepdims=True))
