"""Obstacles and attached parts: the service that changes them, the topic that publishes them, the distances to them."""
import math

import pytest
from urdf_ik.msg import BodyPair, ServoStatus, SolveStatus
from urdf_ik.srv import ChangeObstacles, SolvePath

from client import pose_from, transform_message
from conftest import ROBOTS
from kinematics import Robot, translation
from servo_client import Servo, twist
from world import World, box, change, mesh, pose

GANTRY = ROBOTS / 'gantry.urdf'
EDGE = 0.1  # of the cubes [m]
CUBE = box(EDGE, EDGE, EDGE)
SQUARE = mesh([(0, 0, 0), (EDGE, 0, 0), (EDGE, EDGE, 0), (0, EDGE, 0)], [(0, 1, 2), (0, 2, 3)])
NAN = math.nan


def start_gantry(start, **parameters):
    return start.node(GANTRY, tip_links=['hand'], **parameters)


@pytest.fixture(scope='module')
def shared_world(module_start):
    return World(start_gantry(module_start))


@pytest.fixture
def world(shared_world):
    """The shared gantry, without obstacles."""
    shared_world.make(change('clear'))
    shared_world.wait_for_names()
    return shared_world


def post(place=(0.5, 0, 0.3), **fields):
    return change('add', 'post', place, shapes=[CUBE], **fields)


def test_a_robot_alone(world):
    answer = world.check()
    # Rail and carriage are neighbours, and so are carriage and hand. The chain does not move the finger relative to the
    # hand.
    assert {(pair.first, pair.second) for pair in world.check(within=9.0).pairs} == {
        ('rail', 'hand'), ('rail', 'finger'), ('carriage', 'finger')}
    assert answer.free and not answer.pairs
    assert (answer.nearest.first, answer.nearest.second) == ('carriage', 'finger')
    assert answer.nearest.distance == pytest.approx(math.hypot(0.04, 0.24), abs=1e-6)
    assert "link 'carriage'" in answer.message


def test_an_obstacle(world):
    world.make(post())
    assert world.distances()['finger', 'post'] == pytest.approx(0.34, abs=1e-6)
    assert world.distances()['hand', 'post'] == pytest.approx(0.4, abs=1e-6)
    near = world.check({'x': 0.335})
    assert not near.free and 'margin' in near.message
    (pair,) = near.pairs
    assert pair.distance == pytest.approx(0.005, abs=1e-6)
    assert (pair.first_kind, pair.second_kind) == (BodyPair.LINK, BodyPair.OBSTACLE)
    assert (pair.first_point.x, pair.second_point.x) == pytest.approx((0.445, 0.45), abs=1e-6)
    assert world.check({'x': 0.335}, margin=0.004).free
    touching = world.check({'x': 0.4})
    assert not touching.free and touching.nearest.distance == 0.0 and 'touch' in touching.message


def test_positions_that_are_not_given_are_the_published_ones(world):
    world.make(post())
    assert world.distances({'grip': 0.05})['finger', 'post'] == pytest.approx(0.29, abs=1e-6)
    assert world.distances()['finger', 'post'] == pytest.approx(0.34, abs=1e-6)


def test_the_world_is_published_and_can_be_sent_again(world):
    world.make(post(frame='hand'), change('add', 'sheet', (0, 0, 1), meshes=[SQUARE]))
    shown = world.wait_for_names(['post', 'sheet'])
    one, other = shown.obstacles
    assert one.header.frame_id == other.header.frame_id == 'rail'
    assert pose_from(one.pose)[:3, 3] == pytest.approx((0.5, 0, 0.6))
    assert list(one.primitives) == [CUBE] and list(other.meshes) == [SQUARE]
    before = world.distances()
    again = [change('add') for _ in shown.obstacles]
    for message, obstacle in zip(again, shown.obstacles):
        message.obstacle = obstacle
    world.make(change('clear'), *again)
    assert world.distances() == before
    late = World(world.client)
    assert late.wait_for_names(['post', 'sheet']).obstacles == shown.obstacles


def test_order_does_not_matter(world):
    names = [f'cube{number}' for number in range(6)]
    cubes = [change('add', name, (0.3 + 0.2 * number, 0.1, 0.3), shapes=[CUBE]) for number, name in enumerate(names)]
    world.make(*cubes)
    first = world.check(within=9.0)
    world.make(change('clear'), *reversed(cubes))
    assert world.check(within=9.0) == first


def test_move_replace_and_remove(world):
    world.make(post())
    world.make(change('move', 'post', (0.6, 0, 0)))
    assert world.distances()['finger', 'post'] == pytest.approx(math.hypot(0.44, 0.24), abs=1e-6)
    world.make(change('add', 'post', (0.5, 0, 0.3), shapes=[box(0.2, 0.2, 0.2)]))
    assert world.distances()['finger', 'post'] == pytest.approx(0.29, abs=1e-6)
    world.make(change('remove', 'post'))
    assert ('finger', 'post') not in world.distances()
    world.wait_for_names()


def test_shapes_have_places_of_their_own(world):
    world.make(change('add', 'gate', (0.5, 0, 0.3), shapes=[CUBE, CUBE],
                      primitive_poses=[pose(0, 0.2, 0), pose(0, -0.2, 0)]))
    assert world.distances()['finger', 'gate'] == pytest.approx(math.hypot(0.34, 0.14), abs=1e-6)


def test_an_orientation_of_zeros_is_none(world):
    world.make(change('add', 'post', pose(0.5, 0, 0.3, turn=(0, 0, 0, 0)), shapes=[CUBE]))
    assert world.distances()['finger', 'post'] == pytest.approx(0.34, abs=1e-6)


def test_frames_of_tf(world):
    now = world.client.node.get_clock().now().to_msg()
    world.client.publish_transforms(transform_message('hand', 'camera', translation(0.2, 0, 0), now), static=True)
    with world.client.changed(transform_timeout=5.0):
        world.make(post((0.3, 0, 0), frame='camera'))
    assert world.distances()['finger', 'post'] == pytest.approx(0.34, abs=1e-6)
    world.wait_for_names(['post'])
    sentence = world.refusal(change('add', 'other', (0, 0, 9), frame='nowhere', shapes=[CUBE]))
    assert "obstacle 'other'" in sentence and "'nowhere'" in sentence


def test_an_attached_part_moves_with_its_link(world):
    world.make(post(), change('attach', 'part', (0.14, 0, 0), shapes=[box(0.04, 0.04, 0.04)], link='hand'))
    shown = world.wait_for_names(['post'], ['part'])
    assert shown.attached[0].link_name == shown.attached[0].obstacle.header.frame_id == 'hand'
    distances = world.distances()
    # It touches the finger, which is beyond the tip link, so the contact is permitted.
    assert ('finger', 'part') not in distances and ('hand', 'part') not in distances
    assert distances['part', 'post'] == pytest.approx(0.29, abs=1e-6)
    assert world.distances({'x': 0.1})['part', 'post'] == pytest.approx(0.19, abs=1e-6)
    pair = world.check({'x': 0.1}).nearest
    assert (pair.first_kind, pair.second_kind) == (BodyPair.ATTACHED, BodyPair.OBSTACLE)


def test_an_obstacle_is_picked_up_and_put_down(world):
    world.make(post((0.16, 0, 0.3)))
    assert not world.check().free
    world.make(change('attach', 'post', link='hand'))
    shown = world.wait_for_names([], ['post'])
    assert pose_from(shown.attached[0].obstacle.pose)[:3, 3] == pytest.approx((0.16, 0, 0), abs=1e-9)
    assert world.check().free
    assert 'detach' in world.refusal(change('move', 'post', (1, 0, 0)))
    world.make(change('detach', 'post'))
    shown = world.wait_for_names(['post'])
    assert pose_from(shown.obstacles[0].pose)[:3, 3] == pytest.approx((0.16, 0, 0.3), abs=1e-9)
    assert not world.check().free


def test_what_a_part_may_touch(world):
    part = {'place': (0.2, 0, 0), 'shapes': [CUBE], 'link': 'hand'}
    under = change('add', 'table', (0.2, 0, 0.15), shapes=[box(0.2, 0.2, 0.2)])
    world.make(under, change('attach', 'part', **part))
    assert world.distances()['part', 'table'] == 0.0
    world.make(change('attach', 'part', touch=['table'], **part))
    assert ('part', 'table') not in world.distances()


def test_names_of_links_may_have_the_prefix(start):
    world = World(start_gantry(start, frame_prefix='left/'))
    world.make(change('attach', 'part', (0.2, 0, 0), shapes=[CUBE], link='left/hand', touch=['left/carriage']))
    shown = world.wait_for_names([], ['part'])
    assert shown.attached[0].obstacle.header.frame_id == 'left/hand'
    assert list(shown.attached[0].touch_links) == ['carriage'] and ('carriage', 'part') not in world.distances()
    world.make(post(frame='left/hand'))
    assert world.wait_for_names(['post'], ['part']).obstacles[0].header.frame_id == 'left/rail'


def test_all_or_none(world):
    world.make(post())
    world.wait_for_names(['post'])
    sentence = world.refusal(change('add', 'other', (0, 0, 9), shapes=[CUBE]), change('remove', 'post'),
                             change('remove', 'nothing'))
    assert "'nothing'" in sentence
    assert world.distances()['finger', 'post'] == pytest.approx(0.34, abs=1e-6)


@pytest.mark.parametrize('wrong, words', [
    (change('add', 'post', (0, 0, 0)), ["'post'", 'no shapes']),
    (change('add', '', (0, 0, 0), shapes=[CUBE]), ['id']),
    (change('add', 'x' * 2000, (0, 0, 0), shapes=[CUBE]), ['id', '1000']),
    (change('', 'post', (0, 0, 0), shapes=[CUBE]), ['change must be', 'attach']),
    (change('explode', 'post'), ['change must be', "'explode'"]),
    (change('add', 'post', (NAN, 0, 0), shapes=[CUBE]), ["'post'", 'position x', 'NaN']),
    (change('add', 'post', (0, 1e9, 0), shapes=[CUBE]), ["'post'", 'position y']),
    (change('add', 'post', pose(0, 0, 0, turn=(0, 0, 0, 2)), shapes=[CUBE]), ["'post'", 'quaternion']),
    (change('add', 'post', (0, 0, 0), shapes=[box(0, 1, 1)]), ["'post'", 'primitives[0]', 'greater than 0']),
    (change('add', 'post', (0, 0, 0), shapes=[CUBE, box(1, NAN, 1)]), ["'post'", 'primitives[1]', 'NaN']),
    (change('add', 'post', (0, 0, 0), shapes=[box(1, 1)]), ["'post'", '3 dimensions']),
    (change('add', 'post', (0, 0, 0), shapes=[CUBE], primitive_poses=[pose(0, 0, 0)] * 2), ["'post'", '2 poses']),
    (change('add', 'post', (0, 0, 0), meshes=[mesh([], [])]), ["'post'", 'meshes[0]', 'no triangles']),
    (change('add', 'post', (0, 0, 0), meshes=[mesh([(0, 0, 0)] * 3, [(0, 1, 7)])]), ["'post'", 'vertex 7']),
    (change('add', 'post', (0, 0, 0), meshes=[mesh([(NAN, 0, 0)] * 3, [(0, 1, 2)])]), ["'post'", 'finite']),
    (change('move', 'nothing', (0, 0, 0)), ["'nothing'"]),
    (change('move', 'post', (0, 0, 0), shapes=[CUBE]), ["'post'", 'no shapes']),
    (change('detach', 'nothing'), ["'nothing'"]),
    (change('clear', 'post'), ["'post'", 'remove']),
    (change('attach', 'post', (0, 0, 0), shapes=[CUBE]), ["'post'", 'link_name']),
    (change('attach', 'post', (0, 0, 0), shapes=[CUBE], link='elbow'), ["'post'", "'elbow'", 'hand']),
    (change('attach', 'nothing', link='hand'), ["'nothing'", 'shapes']),
    (change('attach', 'post', (0, 0, 0), shapes=[CUBE], link='hand', touch=['carriage', 'fingre', 'tabel']),
     ["'post'", 'touch_links', 'nor obstacles: fingre, tabel']),
    (change('add', 'post', (0, 0, 0), shapes=[box(1, 1e300, 1)]), ["'post'", 'a size of 1e300 m']),
    (change('add', 'post', (0, 1e300, 0), shapes=[CUBE]), ["'post'", 'position y of the pose is 1e300;']),
    (change('add', 'post', (0, 0, 0), shapes=[CUBE], link='hand'), ["'post'", 'attach']),
])
def test_what_makes_no_sense_is_refused(world, wrong, words):
    sentence = world.refusal(wrong)
    assert all(word in sentence for word in words), sentence
    assert len(sentence) < 1000


def test_too_much_is_refused(world):
    many = [change('add', f'cube{number}', (0, 0, 50 + number), shapes=[CUBE]) for number in range(1001)]
    assert '1001 obstacles' in world.refusal(*many)
    world.make(*many[:1000])
    world.wait_for_names(sorted(name.obstacle.id for name in many[:1000]))
    assert '1001 obstacles' in world.refusal(post())
    assert len(world.check(within=0.5).pairs) == 1


def test_bad_requests_to_check(world):
    for fields, words in [({'margin': -1.0}, 'margin'), ({'within': NAN}, 'within'), ({'margin': math.inf}, 'margin')]:
        answer = world.ask(**fields)
        assert not answer.success and not answer.free and words in answer.message
    answer = world.ask({'elbow': 0.0})
    assert not answer.success and "'elbow'" in answer.message


def test_what_cannot_be_parted_is_said_once(start):
    world = World(start_gantry(start))
    world.make(change('add', 'table', (0, 0, -0.56), shapes=[CUBE]))
    assert world.check().free
    world.make(change('add', 'far', (5, 0, 0), shapes=[CUBE]))
    world.check()
    output = world.client.process.output()
    assert output.count("link 'rail' and obstacle 'table'") == 1, output


def test_without_a_robot(start):
    node = start.node(robot=False)
    world = World(node)
    assert 'no robot' in world.refusal(post())
    assert 'no robot' in world.ask().message
    assert world.names() == ([], [])


def test_another_robot_keeps_what_it_has_a_place_for(start):
    world = World(start_gantry(start))
    world.make(post(), change('attach', 'part', (0.3, 0, 0), shapes=[CUBE], link='finger'))
    world.wait_for_names(['post'], ['part'])
    text = GANTRY.read_text()
    world.client.set_all(robot_description=text.replace('finger', 'thumb'))
    world.wait_for_names(['post'])
    assert ('thumb', 'post') in world.distances()
    world.client.set_all(robot_description=text.replace('rail', 'ground'))
    world.wait_for_names()


def without_finger(folder):
    """A gantry whose finger has a missing mesh."""
    path = folder / 'gantry.urdf'
    path.write_text(GANTRY.read_text().replace('<box size="0.02 0.02 0.02"/>', '<mesh filename="finger.stl"/>'))
    return path


@pytest.mark.parametrize('at_start', [True, False])
def test_shapes_are_read_as_soon_as_collisions_are_avoided(start, tmp_path, at_start):
    node = start.node(without_finger(tmp_path), tip_links=['hand'], avoid_collisions=at_start)
    if not at_start:
        node.set_all(avoid_collisions=True)
    node.process.wait_for_output('finger.stl')


def test_many_at_once(world):
    service = world.client.service(ChangeObstacles, 'change_obstacles')
    names = [f'cube{number}' for number in range(8)]  # rclpy queues ten responses
    changes = [change('add', name, (0, 0, 5 + number), shapes=[CUBE]) for number, name in enumerate(names)]
    answers = [service.call_async(ChangeObstacles.Request(changes=[each])) for each in changes]
    world.client.wait_for(lambda: all(answer.done() for answer in answers), 'all answers')
    assert all(answer.result().success for answer in answers)
    world.wait_for_names(names)


def sheet(count):
    """A wavy square metre with this many vertices along each side."""
    side = range(count)
    vertices = [(x / count, y / count, 0.1 * math.sin(x + y)) for x in side for y in side]
    corners = [x * count + y for x in side[:-1] for y in side[:-1]]
    triangles = [(at, at + 1, at + count) for at in corners] + [(at + 1, at + count, at + count + 1) for at in corners]
    return mesh(vertices, triangles)


def test_what_is_removed_takes_no_memory(start):
    world = World(start_gantry(start, avoid_collisions=True))
    many = 10

    def add(number):
        world.make(change('add', f'sheet{number}', (2, number, 0), meshes=[sheet(30)]), post())
        world.check()
        world.received.clear()

    def come_and_go(times):
        for number in range(times):
            add(number)
            world.make(change('remove', f'sheet{number}'), change('remove', 'post'))

    memory = world.client.process.memory
    come_and_go(2)
    before = memory()
    for number in range(many):
        add(number)
    of_many = memory() - before
    world.make(change('clear'))
    come_and_go(6 * many)
    assert of_many > 5e6
    assert memory() - before < 2 * of_many


def test_missing_meshes_are_named(start, tmp_path):
    world = World(start.node(without_finger(tmp_path), tip_links=['hand']))
    assert 'finger.stl' not in world.client.process.output()
    assert not any('finger' in pair for pair in world.distances())
    assert "link 'finger'" in world.client.process.output() and 'finger.stl' in world.client.process.output()


def test_missing_shapes_are_refused_unless_they_are_ignored(start, tmp_path):
    node = start.node(without_finger(tmp_path), tip_links=['hand'], avoid_collisions=True, free_axes=['z', 'rx', 'ry', 'rz'])
    target = Robot.load(GANTRY).pose('hand', {'x': 0.1, 'y': 0.1})
    status = node.send_pose(target)
    assert status.outcome == SolveStatus.INVALID
    for word in ('finger', 'finger.stl', 'missing_shapes'):
        assert word in status.message
    assert not any(node.next_posture().values())
    refused = node.solve_ik(target)
    assert not refused.success and 'finger' in refused.message
    refused = node.call(SolvePath, 'solve_path', poses=[pose(0.1, 0.1, 0)])
    assert not refused.success and 'finger' in refused.message
    servo = Servo(node)
    servo.stream(twist((0.1, 0, 0)), lambda: any('finger' in status.message for status in servo.statuses), 'a status')
    assert {status.code for status in servo.statuses} == {ServoStatus.COLLISION}
    assert not any(node.next_posture().values())
    assert node.solve_ik(target, avoid_collisions='off').success
    node.set_all(missing_shapes='ignore')
    assert node.solve_ik(target).success
    assert not World(node).check().free
