"""The topic `markers`: contents, compared with independent kinematics, and timing."""
import math
import re

import numpy as np
import pytest
from geometry_msgs.msg import PoseArray
from std_msgs.msg import String
from std_srvs.srv import Trigger
from urdf_ik.msg import SolveStatus
from visualization_msgs.msg import Marker, MarkerArray

from client import LATCHED, Client, pose_message
from conftest import ARM_FILE, ROBOTS, ROOT
from kinematics import Robot, translation
from test_noodle import generate

TIP = 'tool0'
EXACT = 1e-9  # [m]
OF_ONE_TIP = {'tip', 'target', 'trace', 'difference', 'reach'}
PLANAR = (ROBOTS / 'planar.urdf').read_text()


class Scene:
    """A display of the topic, which processes markers like RViz."""

    def __init__(self, client, node):
        self.markers, self.messages, self.is_whole = {}, [], False
        client.node.create_subscription(MarkerArray, f'{node.name}/markers', self.receive, 100)

    def receive(self, message):
        self.messages.append(message)
        assert message.markers, 'a message without markers'
        keys = [(marker.ns, marker.id) for marker in message.markers]
        assert len(keys) == len(set(keys)), f'duplicate markers in a message: {keys}'
        for marker in message.markers:
            assert_drawable(marker)
            if marker.action == Marker.DELETEALL:
                self.markers, self.is_whole = {}, True
            elif not self.is_whole:
                # If one subscriber comes as another one goes, changes may arrive before the full set.
                continue
            elif marker.action == Marker.DELETE:
                del self.markers[marker.ns, marker.id]
            else:
                self.markers[marker.ns, marker.id] = marker

    def namespaces(self):
        return {namespace for namespace, _ in self.markers}

    def frames(self):
        return {marker.header.frame_id for marker in self.markers.values()}

    def points(self, namespace, number=0):
        """The corners of a marker, n x 3."""
        return np.array([as_tuple(point) for point in self.markers[namespace, number].points])

    def sphere(self, namespace, number=0):
        """Centre and diameter [m]."""
        marker = self.markers[namespace, number]
        assert marker.type == Marker.SPHERE and marker.scale.x == marker.scale.y == marker.scale.z
        return np.array(as_tuple(marker.pose.position)), marker.scale.x


def as_tuple(point):
    return point.x, point.y, point.z


def assert_drawable(marker):
    """RViz rejects non-finite numbers and zero sizes, and some of them crash Ogre."""
    pose, colours = marker.pose, [marker.color, *marker.colors]
    values = [*as_tuple(pose.position), *(value for point in marker.points for value in as_tuple(point)),
              *as_tuple(marker.scale), *(value for c in colours for value in (c.r, c.g, c.b, c.a))]
    assert all(map(math.isfinite, values)), marker
    turn = (pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w)
    # Only the cube at an orientation that can be turned is turned itself.
    is_grip = marker.type == Marker.CUBE and marker.ns.startswith('goal_handles/')
    assert math.isclose(math.hypot(*turn), 1.0) if is_grip else turn == (0.0, 0.0, 0.0, 1.0), marker
    if marker.action == Marker.ADD:
        assert marker.scale.x > 0 and marker.color.a > 0, marker
        assert len(marker.colors) in (0, len(marker.points))
        assert marker.frame_locked and marker.header.stamp.sec == marker.header.stamp.nanosec == 0


def watch(node):
    """The displayed scene of a node, once it is not empty."""
    scene = Scene(node, node)
    node.wait_for(lambda: scene.markers, 'markers')
    return scene


def axes_of(scene, namespace, number=0):
    """The frame drawn by three lines as a 4 x 4 matrix, and their length [m]."""
    points = scene.points(namespace, number)
    assert points.shape == (6, 3)
    frame = translation(*points[0])
    lengths = np.linalg.norm(points[1::2] - points[0::2], axis=1)
    assert np.ptp(lengths) < EXACT and np.ptp(points[0::2], axis=0).max() == 0.0
    frame[:3, :3] = ((points[1::2] - points[0::2]) / lengths[:, None]).T
    return frame, lengths[0]


def wait_for_tip(node, scene, pose, namespace='tip', number=0):
    """Waits until the axes of the tip are drawn at this 4 x 4 matrix."""
    def is_there():
        return (namespace, number) in scene.markers and np.abs(axes_of(scene, namespace, number)[0] - pose).max() < 1e-6
    node.wait_for(is_there, f'the axes of {namespace} at\n{pose}')


def test_tip_and_target_are_drawn_where_they_are(arm, arm_robot, generator):
    scene = watch(arm)
    assert 'target' not in scene.namespaces() and scene.frames() == {'base_link'}
    for _ in range(3):
        pose = arm_robot.pose(TIP, arm_robot.sample(generator))
        status = arm.send_pose(pose)
        assert status.outcome == SolveStatus.SOLVED, status.message
        wait_for_tip(arm, scene, arm_robot.pose(TIP, arm.answer_to(status)))
        wait_for_tip(arm, scene, pose, 'target')
        centre, _ = scene.sphere('target', 1)
        assert np.abs(centre - pose[:3, 3]).max() < EXACT
        assert 'difference' not in scene.namespaces(), 'the tip is at the target'
    assert axes_of(scene, 'target')[1] > axes_of(scene, 'tip')[1], 'both are visible at the same place'


def test_a_line_leads_from_the_tip_to_a_target_out_of_reach(arm, arm_robot):
    scene = watch(arm)
    far = translation(3.0, 1.0, 0.5)
    status = arm.send_pose(far)
    assert status.outcome == SolveStatus.OUT_OF_REACH
    tip = arm_robot.pose(TIP, arm.answer_to(status))
    wait_for_tip(arm, scene, tip)
    arm.wait_for(lambda: 'difference' in scene.namespaces(), 'the line')
    assert np.abs(scene.points('difference') - [tip[:3, 3], far[:3, 3]]).max() < 1e-6
    red = scene.markers['difference', 0].color
    arm.send_pose(arm_robot.pose(TIP, {}))
    arm.wait_for(lambda: 'difference' not in scene.namespaces(), 'the end of the line')
    green = scene.markers['target', 1].color
    assert red.r > red.g and green.g > green.r


def test_a_target_without_an_orientation_has_no_axes(arm, arm_robot):
    scene = watch(arm)
    place = arm_robot.pose(TIP, {})[:3, 3]
    arm.send_point(place)
    arm.wait_for(lambda: 'target' in scene.namespaces(), 'the target')
    assert np.abs(scene.sphere('target', 1)[0] - place).max() < EXACT and ('target', 0) not in scene.markers
    arm.send_pose(arm_robot.pose(TIP, {}))
    arm.wait_for(lambda: ('target', 0) in scene.markers, 'the axes of a pose')


def test_the_reach_is_a_sphere_around_the_first_joint(arm, arm_robot):
    scene = watch(arm)
    joints, link = [], TIP
    while link != arm_robot.root:
        joints.append(arm_robot.joint_above[link])
        link = joints[-1].parent
    *others, first = joints
    reach = sum(np.linalg.norm(joint.origin[:3, 3]) for joint in others)
    assert np.linalg.norm(scene.points('reach') - first.origin[:3, 3], axis=1) == pytest.approx(reach)
    # A surface would intercept clicks on the handle inside.
    assert scene.markers['reach', 0].type == Marker.LINE_LIST and scene.markers['reach', 0].color.a < 0.5


def test_the_trace_follows_the_tip_and_ends_with_a_reset(arm, arm_robot):
    scene = watch(arm)
    start = arm_robot.pose(TIP, arm.next_posture())
    places = [start]
    for step in range(1, 6):
        places.append(translation(0.0, 0.02 * step, 0.0) @ start)
        arm.send_pose(places[-1])
        wait_for_tip(arm, scene, places[-1], 'target')
        arm.wait_for(lambda: 'trace' in scene.namespaces()
                     and np.abs(scene.points('trace')[-1] - places[-1][:3, 3]).max() < 1e-4, 'the trace')
    trace = scene.points('trace')
    assert np.abs(trace - [place[:3, 3] for place in places]).max() < 1e-4
    assert len(scene.markers['trace', 0].colors) == len(trace)
    arm.reset()
    arm.wait_for(lambda: scene.namespaces() == {'tip', 'reach'}, 'the end of trace and target')


def test_the_planned_path_is_drawn(arm, arm_robot):
    scene = watch(arm)
    start = arm_robot.pose(TIP, arm.next_posture())
    corners = [start, translation(0.0, 0.05, 0.0) @ start, translation(0.0, 0.05, 0.05) @ start]
    message = PoseArray(poses=[pose_message(pose).pose for pose in corners[1:]])
    message.header.stamp = arm.new_stamp()
    publisher = arm.wait_until_heard(arm.publisher(PoseArray, f'{arm.name}/target_path'))
    publisher.publish(message)
    arm.wait_for(lambda: 'path' in scene.namespaces(), 'the path')
    path = scene.points('path')
    ends = np.array([corners[0][:3, 3], corners[-1][:3, 3]])
    assert np.abs(path[[0, -1]] - ends).max() < 1e-6
    up, along = path[:, 2] - start[2, 3], path[:, 1] - start[1, 3]
    assert np.minimum(np.abs(up), np.abs(along - 0.05)).max() < 1e-6, 'it is on the two lines'
    wait_for_tip(arm, scene, corners[-1], 'target')
    arm.status_of(message.header.stamp, SolveStatus.SOLVED)
    arm.reset()
    arm.wait_for(lambda: 'path' not in scene.namespaces(), 'the end of the path')


def test_joints_at_their_limits_are_marked(start, arm_robot):
    shoulder, elbow = arm_robot.joints['shoulder_lift_joint'], arm_robot.joints['elbow_joint']
    posture = {shoulder.name: shoulder.upper, elbow.name: elbow.lower}
    node = start.node(ARM_FILE, initial_posture=str(posture))
    scene = watch(node)
    expected = [arm_robot.pose(joint.child, arm_robot.follow_mimics(posture))[:3, 3] for joint in (shoulder, elbow)]
    assert scene.markers['limits', 0].type == Marker.SPHERE_LIST
    assert np.abs(scene.points('limits') - expected).max() < EXACT
    red = scene.markers['limits', 0].color
    assert red.r > 0.9 and red.g < 0.2
    node.send_pose(arm_robot.pose(TIP, {}))
    node.wait_for(lambda: 'limits' not in scene.namespaces(), 'joints off their limits')


def test_at_rest_all_is_repeated_and_nothing_else_is_sent(arm):
    scene = watch(arm)
    arm.live()
    scene.messages.clear()
    arm.wait_for(lambda: len(scene.messages) == 2, 'a repetition')
    for message in scene.messages:
        assert message.markers[0].action == Marker.DELETEALL
        assert {(marker.ns, marker.id) for marker in message.markers[1:]} == scene.markers.keys()


def test_what_changes_is_sent_alone(arm, arm_robot):
    scene = watch(arm)
    start = arm_robot.pose(TIP, arm.next_posture())
    for step in range(100):
        arm.send_pose(translation(0.0, 0.001 * step, 0.0) @ start)
    changes = [message for message in scene.messages if message.markers[0].action != Marker.DELETEALL]
    assert changes and {marker.ns for message in changes for marker in message.markers} <= {'tip', 'trace', 'target'}


def test_a_late_viewer_sees_all_and_before_the_first_nothing_is_kept(start, arm_robot):
    node = start.node(ARM_FILE)
    here = arm_robot.pose(TIP, node.next_posture())
    for step in range(10):
        node.send_pose(translation(0.0, 0.02 * step, 0.0) @ here)
    scene = watch(node)
    scene.messages.clear()
    node.wait_for(lambda: scene.messages, 'a repetition')
    assert scene.namespaces() == {'tip', 'target', 'reach'}, 'without subscribers there is no trace'
    late = Client(node.name)
    try:
        second = Scene(late, node)
        late.wait_for(lambda: second.messages, 'the first message')
        assert second.messages[0].markers[0].action == Marker.DELETEALL
        assert second.markers == scene.markers
    finally:
        late.close()


def test_the_frame_has_the_prefix(start):
    assert watch(start.node(ARM_FILE, frame_prefix='left/')).frames() == {'left/base_link'}


def test_another_base_link(start, arm_robot):
    base = 'elbow_link'
    assert base in arm_robot.links
    node = start.node(ARM_FILE, base_link=base, tip_links=[TIP])
    scene = watch(node)
    assert scene.frames() == {base}
    wait_for_tip(node, scene, arm_robot.pose(TIP, node.next_posture(), base))


def test_two_arms_have_namespaces_of_their_own(start, generator):
    robot, tips = Robot.load(ROBOTS / 'two_arms.urdf'), ['left-hand', 'right-hand']
    node = start.node(ROBOTS / 'two_arms.urdf', tip_links=tips)
    scene = watch(node)
    posture = node.next_posture()
    for number, tip in enumerate(tips):
        wait_for_tip(node, scene, robot.pose(tip, posture), f'{tip}/tip', 2 * number)
    target = robot.pose(tips[1], robot.sample(generator))
    publisher = node.target_publisher('right_hand/target_pose')
    node.wait_until_heard(publisher)
    status = node.send_pose(target, topic='right_hand/target_pose')
    wait_for_tip(node, scene, target, 'right-hand/target', 2)
    wait_for_tip(node, scene, robot.pose(tips[0], node.answer_to(status)), 'left-hand/tip')
    assert 'left-hand/target' not in scene.namespaces()
    allowed = {f'{tip}/{what}' for tip in tips for what in OF_ONE_TIP} | {'limits', 'skeleton'}
    assert scene.namespaces() <= allowed


def bones(scene):
    """The ends of the lines of a skeleton, n x 2 x 3."""
    return scene.points('skeleton').reshape(-1, 2, 3)


def test_a_robot_without_visuals_shows_its_joints(start):
    robot = Robot(PLANAR)
    node = start.node(robot_description=PLANAR)
    scene = watch(node)
    posture = node.next_posture()
    place = {link: robot.pose(link, posture)[:3, 3] for link in robot.links}
    expected = [(place[joint.parent], place[joint.child]) for joint in robot.joints.values()]
    assert np.abs(bones(scene) - expected).max() < EXACT
    movable = [place[robot.joints[name].child] for name in robot.movable]
    assert np.abs(scene.points('skeleton', 1) - movable).max() < EXACT
    assert scene.points('skeleton', 2)[0::6] == pytest.approx(np.array(movable))


def with_mesh(name):
    """The planar robot with this mesh for one link."""
    link = '<link name="lower"/>'
    assert link in PLANAR
    return PLANAR.replace(link, f'<link name="lower"><visual><geometry><mesh filename="{name}"/></geometry></visual></link>')


def test_missing_meshes_are_named_once_and_the_joints_are_shown(start):
    node = start.node(robot_description=with_mesh('package://nobody/meshes/lower.stl'))
    scene = watch(node)
    assert 'skeleton' in scene.namespaces()
    scene.messages.clear()
    node.wait_for(lambda: len(scene.messages) == 2, 'repetitions')
    (line,) = node.process.lines_with('package://nobody/meshes/lower.stl')
    assert '1 of 1 meshes' in line and 'AMENT_PREFIX_PATH' in line, line


def test_a_robot_whose_meshes_are_there_has_no_skeleton(start, tmp_path):
    mesh = tmp_path / 'lower.stl'
    mesh.touch()
    scene = watch(start.node(robot_description=with_mesh(f'file://{mesh}')))
    assert 'skeleton' not in scene.namespaces()


def test_a_noodle_of_a_thousand_joints(start, tmp_path):
    plain = tmp_path / 'plain.urdf'
    text = generate(tmp_path, 1000).read_text()
    plain.write_text(re.sub(r'<visual>.*?</visual>', '', text, flags=re.DOTALL))
    robot = Robot.load(plain)
    node = start.node(plain)
    scene = watch(node)
    assert len(scene.markers) < 20, 'lists, not a marker for each joint'
    status = node.send_point((0.3, 0.2, 0.5))
    posture = node.answer_to(status)
    wait_for_tip(node, scene, robot.pose('tip_link', posture))
    assert bones(scene).shape == (len(robot.joints), 2, 3)
    lengths = np.linalg.norm(bones(scene)[:, 1] - bones(scene)[:, 0], axis=1)
    assert lengths == pytest.approx([np.linalg.norm(joint.origin[:3, 3]) for joint in robot.joints.values()])
    assert len(scene.points('skeleton', 1)) == 1000 and len(scene.points('skeleton', 2)) <= 6 * 100


def test_a_replaced_robot_leaves_nothing_behind(start):
    node = start.node()
    scene = Scene(node, node)
    node.meet()
    node.settle(states=0)
    descriptions = node.publisher(String, f'{node.namespace}/robot_description', LATCHED)
    descriptions.publish(String(data=PLANAR))
    node.wait_for(lambda: scene.messages, 'the first robot')
    assert 'skeleton' in scene.namespaces(), 'without a robot there are no markers'
    node.send_point((0.4, 0.2, 0.0))
    node.wait_for(lambda: 'target' in scene.namespaces(), 'its target')
    descriptions.publish(String(data=ARM_FILE.read_text()))
    node.wait_for(lambda: scene.namespaces() == {'tip', 'reach'}, 'the second robot alone')
    assert scene.frames() == {'base_link'}


def test_stop_ends_what_was_asked(arm, arm_robot):
    scene = watch(arm)
    arm.send_pose(arm_robot.pose(TIP, {}))
    arm.wait_for(lambda: 'target' in scene.namespaces(), 'the target')
    assert arm.call(Trigger, 'stop').success
    arm.wait_for(lambda: 'target' not in scene.namespaces(), 'no target')


EXTREME = '''<robot name="extreme"><link name="a"/><link name="b"/><link name="tip"/>
  <joint name="rail" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
    <limit lower="{lower}" upper="{upper}" velocity="1" effort="1"/></joint>
  <joint name="turn" type="continuous"><parent link="b"/><child link="tip"/><origin xyz="{length} 0 0"/></joint></robot>'''


@pytest.mark.parametrize('lower, upper, length', [
    (0, 1e308, 1), (1e307, 1e308, 1), (-1, 1, 1e9), (0, 0, 0), (-1e-300, 1e-300, 1e-300)])
def test_extreme_robots_have_no_numbers_that_cannot_be_drawn(start, lower, upper, length):
    node = start.node(robot_description=EXTREME.format(lower=lower, upper=upper, length=length))
    scene = Scene(node, node)
    node.wait_for(lambda: len(scene.messages) > 1, 'markers')
    node.send_point((math.nan, 0.0, 0.0))
    node.send_point((1e300, 0.0, 0.0))
    node.send_point((1.0, 0.0, 0.0))
    scene.messages.clear()
    node.wait_for(lambda: len(scene.messages) > 1, 'markers after targets')


def test_every_bundled_robot_is_drawn(start):
    for file in sorted((ROOT / 'urdf').glob('*.urdf')):
        robot = Robot.load(file)
        tips = sorted(set(robot.links) - {joint.parent for joint in robot.joint_above.values()})
        namespaces = {name.split('/')[-1] for name in watch(start.node(file, tip_links=tips)).namespaces()}
        assert {'tip', 'reach'} <= namespaces, file
