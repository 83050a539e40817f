"""The page in the browser: it draws the robot, and drags move the arm."""
import re

import numpy as np
import pytest

for module in ('viser', 'yourdfpy', 'websockets', 'imageio'):
    pytest.importorskip(module, reason=f'the page in the browser is not tested: no Python package {module} here')

from geometry_msgs.msg import PoseStamped  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from checks import POSITION_TOLERANCE, difference  # noqa: E402
from client import LATCHED, pose_from, pose_message, posture  # noqa: E402
from conftest import ARM_FILE, ROBOTS, ROOT, numbers  # noqa: E402
from driver import MEASURED_AT, publish  # noqa: E402
from kinematics import errors, translation  # noqa: E402
from pages import (  # noqa: E402
    HEIGHT,
    TIMEOUT,
    WIDTH,
    Z_ARROW,
    Program,
    choose,
    click,
    drag,
    free_port,
    leave,
    needs_browser,
    pixels,
    wait_for,
    wait_for_pixels,
    wait_for_text,
    wait_for_z_arrow,
    window,  # noqa: F401
)
from simulated_arm.faults import offer_faults  # noqa: E402
from test_figure_of_eight import Figure  # noqa: E402
from test_noodle import generate  # noqa: E402
from viewer.scene import TRACE_COLOR  # noqa: E402
from world import World, box, change, mesh  # noqa: E402

VIEW = ROOT / 'scripts' / 'view.py'

def start_view(log, node, port=None, remap=None, **environment):
    """A started view.py."""
    remappings = ['-r', remap] if remap else []
    return Program(log, VIEW, '--ros-args', '-p', f'node:={node}', '-p', f'port:={port or free_port()}', *remappings, **environment)


@pytest.fixture
def view(tmp_path):
    started = []

    def start(node, **options):
        started.append(start_view(tmp_path / f'view{len(started)}.log', node, **options))
        return started[-1]

    yield start
    for each in started:
        each.stop()


@pytest.fixture
def page(window, view, start, request):
    """Starts a node and opens its page, and waits for a text on it; an error in the console fails the test."""
    window.errors.clear()

    def open_page(urdf, text, namespace=None, **parameters):
        namespace = namespace or f'/view{next(numbers)}'
        seen = view(f'{namespace}/urdf_ik')
        node = start.node(urdf, namespace=namespace, **parameters)
        window.open(seen.address())
        wait_for_text(window, text)
        return node, window

    yield open_page
    leave(window, request.node.name)


ACCENT = (215, 105, 35)  # of the bundled arm's rings, lit
BONE = (35, 115, 130)
MEASURED = (165, 190, 225)  # of the measured arm in front of the background
OBSTACLE, ATTACHED = (118, 151, 142), (166, 135, 185)


@needs_browser
def test_what_is_dragged_moves_the_arm(page, arm_robot):
    node, window = page(ARM_FILE, 'arm7')
    targets = node.subscribe(PoseStamped, f'{node.name}/target_pose', [])
    wait_for_pixels(window, ACCENT, 200)
    x, y = (float(side) for side in wait_for_z_arrow(window))
    before = posture(node.next_state())
    drag(window, (x, y), (0, -60), pause=lambda: node.pace(0.05))

    start = arm_robot.pose('tool0', before)

    def has_followed():
        there = arm_robot.pose('tool0', posture(node.next_state()))
        last = pose_from(targets[-1].pose) if targets else start
        return last[2, 3] > start[2, 3] + 0.03 and errors(there, last)[0] < 2 * POSITION_TOLERANCE

    node.wait_for(has_followed, 'the arm to follow the arrow upwards', TIMEOUT)
    last = pose_from(targets[-1].pose)
    assert np.allclose(last[:2, 3], start[:2, 3], atol=1e-3), 'the arrow points along z'
    assert np.allclose(last[:3, :3], start[:3, :3], atol=1e-3), 'a drag along an axis does not turn'
    wait_for_text(window, 'reached')


@needs_browser
def test_the_trace_begins_where_the_arm_is(window, view, start):
    node = start.node(ARM_FILE, namespace=f'/view{next(numbers)}', initial_posture='{shoulder_pan_joint: 1.0}')
    late = f'{node.name}/late'
    window.open(view(node.name, remap=f'{node.name}/joint_states:={late}').address())
    # The parameters are known before the joint states.
    wait_for_text(window, 'arm7')
    state, publisher = node.next_state(), node.node.create_publisher(JointState, late, 10)
    node.wait_for(publisher.get_subscription_count, 'the page')
    publisher.publish(state)
    wait_for_text(window, '57.3°')
    wait_for_pixels(window, Z_ARROW, 100)
    assert len(pixels(window, TRACE_COLOR, tolerance=30)[0]) < 30, 'the arm has not moved'
    leave(window, 'test_the_trace_begins_where_the_arm_is')


@needs_browser
def test_with_a_tool_the_tool_is_dragged(page, arm_robot):
    node, window = page(ARM_FILE, 'arm7')
    targets = node.subscribe(PoseStamped, f'{node.name}/target_pose', [])
    wait_for_pixels(window, ACCENT, 200)

    def handle():
        return np.array(wait_for_z_arrow(window), float)
    at_link = handle()
    node.set_all(tool='{tool0: {p: [0, 0, 0.1]}}')
    node.wait_for(lambda: np.linalg.norm(handle() - at_link) > 5, 'the handle to move to the tool', TIMEOUT)
    start = arm_robot.pose('tool0', posture(node.next_state())) @ translation(0, 0, 0.1)
    drag(window, handle().tolist(), (0, -60), pause=lambda: node.pace(0.05))

    def has_followed():
        there = arm_robot.pose('tool0', posture(node.next_state())) @ translation(0, 0, 0.1)
        last = pose_from(targets[-1].pose) if targets else start
        return last[2, 3] > start[2, 3] + 0.03 and errors(there, last)[0] < 2 * POSITION_TOLERANCE
    node.wait_for(has_followed, 'the tool to follow the arrow upwards', TIMEOUT)
    assert np.allclose(pose_from(targets[-1].pose)[:2, 3], start[:2, 3], atol=1e-3), 'the arrow points along z'


@needs_browser
def test_what_is_chosen_on_the_panel_is_done(page, arm_robot):
    node, window = page(ARM_FILE, 'arm7')
    before = posture(node.next_state())
    node.send_pose(translation(-0.05, 0, 0) @ arm_robot.pose('tool0', before))
    # The panel may move between reading a place and clicking it.
    node.wait_for(lambda: click(window, "[...document.querySelectorAll('button')].find(e => e.innerText == 'Reset')")
                  and difference(posture(node.next_state()), before) < 1e-9, 'the previous configuration')
    choose(window, 'jacobian', 'fabrik')
    node.wait_for(lambda: node.get('solver') == ['fabrik'], 'the solver to be set')


BUTTON = "[...document.querySelectorAll('button')].find(e => e.innerText == {!r})".format


@pytest.fixture
def page_and_figure(page, tmp_path):
    node, window = page(ARM_FILE, 'arm7')
    figure = Figure(node, tmp_path)
    try:
        figure.wait_until_moving()
        yield window, figure
    finally:
        figure.stop()


@needs_browser
def test_the_figure_of_eight_rests_and_goes_on_by_a_button(page_and_figure):
    window, figure = page_and_figure

    def press(label, then):
        """Clicks until the button has another label: the panel may move between reading a place and clicking it."""
        def has_changed():
            if then in window.text():
                return True
            click(window, BUTTON(label))
            figure.node.pace(1.0)
            return False
        wait_for(has_changed, f'the button with the label {then}')

    press('Figure of eight: rest', 'Figure of eight: go on')
    press('Figure of eight: go on', 'Figure of eight: rest')
    figure.targets.clear()
    figure.wait_until_moving()


@needs_browser
def test_the_figure_of_eight_waits_for_a_pointer_over_the_handle(page_and_figure):
    window, figure = page_and_figure
    # The handle passes there once per round.
    columns, rows = wait_for_pixels(window, Z_ARROW, 10, tolerance=30)
    window.mouse('mouseMoved', columns.mean(), rows.mean())

    def has_stopped():
        count = len(figure.own())
        for _ in range(25):
            figure.node.next_state()
        return len(figure.own()) == count
    figure.node.wait_for(has_stopped, 'the figure to wait for the pointer', TIMEOUT)
    window.mouse('mouseMoved', WIDTH - 10, HEIGHT - 10)
    figure.wait_until_resumed()


@needs_browser
def test_the_node_killed_and_back(page, start):
    namespace = '/killed'
    node, window = page(ARM_FILE, 'arm7 (/killed/urdf_ik)', namespace)
    node.process.kill()
    wait_for_text(window, 'is gone')
    again = start.node(ARM_FILE, namespace=namespace, solver='fabrik')
    wait_for_text(window, 'arm7 (/killed/urdf_ik)')
    assert again.send_pose(translation(0.4, 0.1, 0.4)).solver == 'fabrik'
    wait_for(lambda: 'fabrik' in window.evaluate("[...document.querySelectorAll('input')].map(e => e.value).join()"),
             'the solver of the new node')


BROKEN = """<robot name="broken"><link name="base"><visual><geometry><mesh filename="package://nowhere/base.stl"/></geometry>
</visual></link><joint name="turn" type="revolute"><parent link="base"/><child link="hand"/>
<origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="hand"><visual><geometry><mesh filename="torn.stl"/>
</geometry></visual><visual><origin xyz="0 0 0.15"/><geometry><box size="0.1 0.1 0.3"/></geometry><material name="orange">
<color rgba="0.95 0.45 0.10 1"/></material></visual></link></robot>"""


@needs_browser
def test_meshes_that_are_missing_or_broken_are_named_and_the_rest_is_drawn(page, tmp_path):
    (tmp_path / 'broken.urdf').write_text(BROKEN)
    (tmp_path / 'torn.stl').write_bytes(b'no mesh')
    _, window = page(tmp_path / 'broken.urdf', 'not drawn: package://nowhere/base.stl')
    assert 'not drawn: torn.stl' in window.text()
    wait_for_pixels(window, ACCENT, 200)
    wait_for_pixels(window, BONE, 100)


@needs_browser
def test_obstacles_are_drawn_and_attached_parts_move(page):
    node, window = page(ARM_FILE, 'arm7')
    world = World(node)
    sheet = mesh([(-0.2, -0.2, 0), (0.2, -0.2, 0), (0.2, 0.2, 0), (-0.2, 0.2, 0)], [(0, 1, 2), (0, 2, 3)])
    world.make(change('add', 'block', (0.3, -0.4, 0.2), shapes=[box(0.3, 0.2, 0.4)]),
               change('add', 'sheet', (0.3, 0.4, 0.3), meshes=[sheet]),
               change('attach', 'part', (0, 0, 0.15), shapes=[box(0.15, 0.15, 0.15)], link='tool0'))
    wait_for_pixels(window, OBSTACLE, 1000, tolerance=12)
    wait_for_pixels(window, ATTACHED, 1000, tolerance=12)
    world.make(change('clear'))
    wait_for(lambda: len(pixels(window, ATTACHED, tolerance=12)[0]) < 100, 'the obstacles to go')


@needs_browser
def test_a_measured_arm_is_drawn_beside_the_commanded_one(page):
    node, window = page(ARM_FILE, 'arm7', measured_timeout=0.0)

    def measured(positions):
        publish(node, positions)
        node.pace(0.05)
        return len(pixels(window, MEASURED, tolerance=25)[0])
    node.wait_for(lambda: measured(MEASURED_AT) > 3000, 'the measured arm', TIMEOUT)
    there = posture(node.next_state())
    node.wait_for(lambda: measured(there) < 300, 'a single arm', TIMEOUT)


@needs_browser
def test_a_drive_is_frozen_and_resumed_on_the_page(page, simulate):
    node, window = page(ARM_FILE, 'arm7', motion='smooth', command_joints=list(MEASURED_AT))
    arm = simulate(node, MEASURED_AT)
    offer_faults(node.node, node.name, arm)
    jogs = node.wait_until_heard(node.publisher(JointState, f'{node.name}/joint_jog'))
    freeze = "[...document.querySelectorAll('label')].find(e => e.innerText.trim() == 'Freeze')"

    def turn_until(condition, what, element=None):
        """Presses an element of the page repeatedly, since the panel may move between reading a place and clicking it."""
        def turned():
            jogs.publish(JointState(name=['shoulder_pan_joint'], velocity=[0.3]))
            if condition():
                return True
            if element:
                click(window, element)
                node.pace(0.5)
            return False
        node.wait_for(turned, what, TIMEOUT)

    def is_at_rest():
        before = arm.positions()
        node.pace(0.3)
        return difference(arm.positions(), before) < 1e-3
    turn_until(lambda: not is_at_rest(), 'the arm to move')
    turn_until(is_at_rest, 'the drives to freeze', freeze)
    turn_until(lambda: 'not following' in window.text(), 'the page to say that the arm does not follow')
    arm.release()
    turn_until(lambda: 'not following' not in window.text(), 'the arm to be resumed', BUTTON('Resume'))
    turn_until(lambda: not is_at_rest(), 'the arm to move again')


@needs_browser
def test_two_arms_have_a_handle_each(page):
    node, window = page(ROBOTS / 'two_arms.urdf', 'two_arms', tip_links=['left-hand', 'right-hand'])
    wait_for_pixels(window, BONE, 200)
    hands = {hand: pose_from(node.forward_kinematics(link_names=[hand]).poses[0].pose) for hand in ('left-hand', 'right-hand')}
    node.set_all(free_axes=['rx', 'ry', 'rz'])
    for hand, pose in hands.items():
        node.send_pose(translation(-0.05, 0, 0.05) @ pose, topic=f'{hand.replace("-", "_")}/target_pose')
    wait_for(lambda: all(re.search(rf'reached\s*{hand}', window.text()) for hand in hands), lambda: window.text())


@needs_browser
def test_a_thousand_joints(page, tmp_path):
    _, window = page(generate(tmp_path, 1000), 'and 960 more')
    wait_for_pixels(window, (240, 200, 110), 300, tolerance=60)


@needs_browser
def test_numbers_and_texts_that_make_no_sense(page):
    node, window = page(ARM_FILE, 'arm7')
    states = node.publisher(JointState, f'{node.name}/joint_states')
    descriptions = node.publisher(String, f'{node.name}/robot_description', LATCHED)
    targets = node.publisher(PoseStamped, f'{node.name}/target_pose')
    for publisher in (states, descriptions, targets):
        node.wait_for(lambda: publisher.get_subscription_count() > 0, publisher.topic_name)
    bad_target = pose_message(np.eye(4), 'tool0')
    bad_target.pose.position.x = float('nan')
    for _ in range(20):
        states.publish(JointState(name=['elbow_joint', '<b>?</b>'], position=[float('nan'), float('inf')]))
        states.publish(JointState(name=['elbow_joint'], position=[]))
        targets.publish(bad_target)
        targets.publish(PoseStamped())
    descriptions.publish(String(data='this is no URDF'))
    wait_for_text(window, 'cannot be drawn')
    wait_for_text(window, 'arm7')
    wait_for_pixels(window, ACCENT, 200)
