"""The parts of the page that need neither a node nor a browser."""
import math
from types import SimpleNamespace

import numpy as np
import pytest

for module in ('viser', 'yourdfpy'):
    pytest.importorskip(module, reason=f'the page in the browser is not tested: no Python package {module} here')

import viser.transforms  # noqa: E402
from geometry_msgs.msg import Point, Vector3  # noqa: E402
from std_msgs.msg import ColorRGBA  # noqa: E402
from visualization_msgs.msg import Marker  # noqa: E402

import kinematics  # noqa: E402
from conftest import ARM_FILE, ROBOTS  # noqa: E402
from viewer import shapes  # noqa: E402
from viewer.markers import Markers, goals_of  # noqa: E402
from viewer.page import notes_about  # noqa: E402
from viewer.panel import axes_of, joint_row, name_of_axes  # noqa: E402
from viewer.pointer import PATH, Pointer, is_seen_at  # noqa: E402
from viewer.robot import BadDescription, JointRange, Robot  # noqa: E402
from viewer.server import PageScripts  # noqa: E402
from viewer.shapes import MeshError, MeshFinder, load_shapes  # noqa: E402
from viewer.steering.pads import FRESH, Pads  # noqa: E402
from viewer.steering.pads import PATH as STEER_PATH  # noqa: E402
from viewer.steering.twist import axes_of_view, twist_of  # noqa: E402

TRIANGLE = 'solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n'


@pytest.mark.parametrize('file', [ARM_FILE, *sorted(ROBOTS.glob('*.urdf'))], ids=lambda file: file.stem)
def test_links_are_drawn_where_they_are(file, generator):
    robot, judge = Robot(file.read_text()), kinematics.Robot.load(file)
    for _ in range(5):
        positions = judge.follow_mimics(judge.sample(generator))
        poses = robot.link_poses(np.array([positions.get(name, 0.0) for name in robot.joint_index]))
        for link, index in robot.link_index.items():
            assert np.allclose(poses[index], judge.pose(link, positions), atol=1e-12), link


def test_many_missing_meshes_leave_room_on_the_panel():
    assert notes_about(['a.stl', 'b.stl', 'c.stl']) == ['not drawn: a.stl', 'not drawn: b.stl', 'not drawn: c.stl']
    assert notes_about([f'{number}.stl' for number in range(23)])[2:] == ['not drawn: 2.stl', 'not drawn: 20 more']


@pytest.mark.parametrize('text', [
    '', 'this is no URDF', '<robot name="empty"/>', '<robot><link name="a"/><joint name="j" type="fixed"/></robot>',
    '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/>'
    '<origin xyz="nan 0 0"/></joint></robot>',
    '<robot name="ring"><link name="a"/><link name="b"/><joint name="i" type="fixed"><parent link="a"/><child link="b"/></joint>'
    '<joint name="j" type="fixed"><parent link="b"/><child link="a"/></joint></robot>'])
def test_bad_descriptions_are_refused(text):
    with pytest.raises(BadDescription, match='cannot be drawn'):
        Robot(text)


def test_meshes_are_found_as_in_ros(tmp_path):
    (tmp_path / 'arm_description' / 'urdf').mkdir(parents=True)
    mesh = tmp_path / 'arm_description' / 'meshes' / 'a b.stl'
    mesh.parent.mkdir()
    mesh.write_text(TRIANGLE)
    finder = MeshFinder(tmp_path / 'arm_description' / 'urdf' / 'arm.urdf')
    url = f'file://{mesh}'.replace(' ', '%20')
    for name in ('package://arm_description/meshes/a%20b.stl', '../meshes/a b.stl', url, str(mesh)):
        assert finder.find(name).resolve() == mesh, name
    assert MeshFinder().find('package://urdf_ik/urdf/arm7.urdf').is_file(), 'by the ament index'
    for name in ('package://nowhere/a.stl', 'package://../a.stl', 'http://example.org/a.stl', 'b.stl', '/dev/zero'):
        with pytest.raises(MeshError):
            finder.find(name)
    with pytest.raises(MeshError, match='place of the URDF'):
        MeshFinder().find('meshes/a.stl')


def robot_with_mesh(mesh):
    return Robot(f'<robot name="r"><link name="a"><visual><geometry><mesh filename="{mesh}"/></geometry></visual></link></robot>')


def test_a_mesh_that_is_too_large_is_left_out(tmp_path, monkeypatch):
    file = tmp_path / 'a.stl'
    file.write_text(TRIANGLE)
    assert len(load_shapes(robot_with_mesh(file), MeshFinder()).parts) == 1
    monkeypatch.setattr(shapes, 'MAX_TRIANGLES', 0)
    left_out = load_shapes(robot_with_mesh(file), MeshFinder())
    assert left_out.parts == [] and left_out.bare_links == {0} and 'triangles' in left_out.missing[0]
    monkeypatch.setattr(shapes, 'MAX_BYTES', 10)
    assert 'larger' in load_shapes(robot_with_mesh(file), MeshFinder()).missing[0]


def test_equal_shapes_are_drawn_as_one():
    shapes = load_shapes(Robot(ARM_FILE.read_text()), MeshFinder())
    places = sum(len(part.links) for part in shapes.parts)
    assert places == ARM_FILE.read_text().count('<visual>') and len(shapes.parts) < places


def test_text_from_outside_is_escaped():
    assert '<script>' not in joint_row('<script>alert(1)</script>', 0.0, JointRange(-1.0, 1.0, True))


def test_a_joint_at_its_limit_is_marked():
    assert 'at its limit' in joint_row('j', 1.0, JointRange(-1.0, 1.0, True))
    assert 'at its limit' not in joint_row('j', 0.9, JointRange(-1.0, 1.0, True))
    assert 'at its limit' not in joint_row('j', 5.0, JointRange(-np.inf, np.inf, True))


@pytest.mark.parametrize('axes', [[], ['rz'], ['rx', 'ry', 'rz'], ['x', 'rz']])
def test_free_axes_have_a_name_each(axes):
    assert axes_of(name_of_axes(axes)) == axes


def test_a_ball_is_under_the_pointer_where_the_camera_shows_it():
    """A camera 2 m in front of the ball, looking along -x of the scene: its right is +y, its down is -z."""
    turn = viser.transforms.SO3.from_matrix(np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))
    camera = SimpleNamespace(wxyz=turn.wxyz, position=np.array([2.0, 0.0, 0.5]), fov=2 * math.atan(0.5))
    # Half the height of the picture is 1 m there.
    for middle, place in (((0, 0, 0.5), (0, 0)), ((0, 0.8, 0.5), (0.8, 0)), ((0, 0, 0.9), (0, -0.4))):
        assert is_seen_at(place, camera, middle, 0.1)
        assert is_seen_at((place[0] + 0.09, place[1]), camera, middle, 0.1)
        assert not is_seen_at((place[0] + 0.11, place[1]), camera, middle, 0.1)
        assert not is_seen_at((place[0], place[1] - 0.11), camera, middle, 0.1)
    assert not is_seen_at((0, 0), camera, (3, 0, 0.5), 0.1), 'behind the camera'


@pytest.mark.parametrize('query, site, taken, known', [
    ('right=0.1&down=-0.2', 'same-origin', True, True),
    ('right=0.1&down=-0.2', 'cross-site', False, False),
    ('right=0.1&down=-0.2', None, False, False),
    ('right=nan&down=0', 'same-origin', True, False),
    ('right=1', 'same-origin', True, False),
    ('right=a&down=b', 'same-origin', False, False),
    ('right=1&right=2&down=0', 'same-origin', False, False)])
def test_only_pages_of_this_server_tell_where_their_pointer_is(query, site, taken, known):
    pointer = Pointer()
    headers = {'Sec-Fetch-Site': site} if site else {}
    assert pointer.handle(SimpleNamespace(path=f'{PATH}?{query}', headers=headers)) == taken
    assert (pointer._place is not None) == known


def steer(pads, by='0,0,0,0,0,0', page='a', client='1', number='1', held='1', site='same-origin', path=STEER_PATH):
    """Whether the server accepts the request of a page with these deflections of its pads."""
    query = f'page={page}&client={client}&number={number}&held={held}&by={by}'
    return pads.handle(SimpleNamespace(path=f'{path}?{query}', headers={'Sec-Fetch-Site': site} if site else {}))


def test_pads_are_told_by_pages_of_this_server_only():
    for options in ({'site': 'cross-site'}, {'site': None}, {'path': '/other'}):
        pads = Pads()
        assert not steer(pads, **options) and pads.held() is None
    pads = Pads()
    assert steer(pads, by='1,-0.5,0,7,0,-7')
    assert pads.held().client == 1 and pads.held().by.tolist() == [1, -0.5, 0, 1, 0, -1]


@pytest.mark.parametrize('host, taken', [
    ('127.0.0.1:8080', True), ('localhost:9000', True), ('evil.example:8080', False), (None, False)])
def test_a_foreign_name_that_leads_to_the_server_steers_nothing(host, taken):
    page_scripts = PageScripts(Pointer(), Pads())
    headers = {'Sec-Fetch-Site': 'same-origin', **({'Host': host} if host else {})}
    path = f'{STEER_PATH}?page=a&client=1&number=1&held=1&by=1,0,0,0,0,0'
    assert page_scripts.handle(SimpleNamespace(path=path, headers=headers)) == taken
    assert (page_scripts.pads.held() is not None) == taken


@pytest.mark.parametrize('options', [
    {'by': '1,2'}, {'by': 'nan,0,0,0,0,0'}, {'by': 'a'}, {'by': ''}, {'client': 'x'}, {'number': '1.5'}, {'held': ''},
    {'page': 'a&page=b'}, {'by': '0,0,0,0,0,0&' + 'x=1&' * 100}])
def test_deflections_that_make_no_sense_are_ignored(options):
    pads = Pads()
    assert steer(pads, **options) and pads.held() is None


def test_pads_let_go_when_told_so_and_when_the_page_is_silent_or_gone(monkeypatch):
    pads = Pads()
    steer(pads, number='2')
    steer(pads, number='1', held='0')
    assert pads.held() is not None, 'an outdated request'
    steer(pads, number='3', held='0')
    assert pads.held() is None
    steer(pads, number='4')
    pads.let_go(2)
    assert pads.held() is not None
    pads.let_go(1)
    assert pads.held() is None
    steer(pads, number='5')
    later = pads.held().received + FRESH + 0.01
    monkeypatch.setattr('viewer.steering.pads.time.monotonic', lambda: later)
    assert pads.held() is None


def test_one_page_steers_at_a_time():
    pads = Pads()
    steer(pads, page='a', number='9')
    steer(pads, page='b', number='1', by='1,1,1,1,1,1')
    steer(pads, page='b', number='2', held='0')
    assert pads.held().page == 'a'
    steer(pads, page='a', number='10', held='0')
    steer(pads, page='b', number='3')
    assert pads.held().page == 'b'


def test_a_deflection_is_a_twist():
    speeds = (0.1, 0.3)
    for index, expected in enumerate([(0, -0.1, 0, 0, 0, 0), (0.1, 0, 0, 0, 0, 0), (0, 0, 0.1, 0, 0, 0),
                                      (0, 0, 0, 0, 0, -0.3), (0, 0, 0, 0, 0.3, 0), (0, 0, 0, 0.3, 0, 0)]):
        assert np.allclose(twist_of(np.eye(6)[index], speeds), expected)
    corner = twist_of(np.ones(6), speeds)
    assert np.allclose([np.linalg.norm(corner[:3]), np.linalg.norm(corner[3:])], speeds)
    # A camera that looks along +x of the scene: right is -y, up is z.
    view = axes_of_view(viser.transforms.SO3.from_matrix(np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]])).wxyz)
    assert np.allclose(view, np.array([[0, -1, 0], [0, 0, 1], [1, 0, 0]]).T)
    assert np.allclose(twist_of(np.array([1, 0, 0, 0, 0, 0]), speeds, view), (0, -0.1, 0, 0, 0, 0))
    for by, place, leads_to in (((1, 0, 0), (-1, 0, 0), (0, -1, 0)), ((0, 1, 0), (-1, 0, 0), (0, 0, 1))):
        angular = twist_of(np.array([0, 0, 0, *by]), speeds, view)[3:]
        assert np.allclose(np.cross(angular, place), 0.3 * np.array(leads_to)), 'the side facing the viewer follows the pad'


class DrawnScene:
    """Objects added to a scene, by name."""

    def __init__(self):
        self.nodes = {}

    def add_line_segments(self, name, points, colors, thickness):
        self.nodes[name] = SimpleNamespace(points=points, colors=colors, thickness=thickness, remove=lambda: self.nodes.pop(name))
        return self.nodes[name]


def lines(namespace, ends, color=(1.0, 0.0, 0.0, 0.5)):
    return Marker(ns=namespace, type=Marker.LINE_LIST, scale=Vector3(x=0.01), color=ColorRGBA(**dict(zip('rgba', color))),
                  points=[Point(**dict(zip('xyz', end))) for end in ends])


def test_the_faces_of_a_workspace_are_outlined():
    scene, base = DrawnScene(), np.eye(4)
    markers = Markers(scene)
    base[:3, 3] = (0, 0, 1)
    edge = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)]
    drawn = {('workspace', 0): lines('workspace', edge), ('tip', 0): lines('tip', edge)}
    markers.show(drawn, base, dark=False)
    (name, node), = scene.nodes.items()
    assert name == '/markers/0/workspace' and np.array_equal(node.points, [[[0, 0, 1], [1, 0, 1]]])
    assert np.array_equal(node.colors, (216, 90, 94)), 'half of it, on the colour of the grid'
    markers.show(drawn, base, dark=True)
    assert np.array_equal(node.colors, (170, 45, 49)) and scene.nodes[name] is node
    drawn['workspace', 0] = lines('workspace', edge + edge)
    markers.show(drawn, base, dark=True)
    assert node.points.shape == (2, 2, 3)
    drawn['workspace', 0] = lines('workspace', edge + edge)
    drawn['workspace', 0].colors = [ColorRGBA(r=1.0, a=1.0)] * 2 + [ColorRGBA(g=1.0, a=1.0)] * 2
    markers.show(drawn, base, dark=True)
    assert np.array_equal(node.colors[:, 0], [(255, 0, 0), (0, 255, 0)])
    markers.show({}, base, dark=True)
    assert not scene.nodes


def test_goals_are_read_from_their_labels():
    def label(name, number, text):
        return Marker(ns=f'goals/{name}', id=number, type=Marker.TEXT_VIEW_FACING, text=text)
    markers = {(marker.ns, marker.id): marker for marker in (
        label('b', 9, 'b\n0.2 m'), label('a', 4, 'a'), lines('goals/a', []), lines('workspace', []))}
    assert goals_of(markers) == [('a', ''), ('b', '0.2 m')]
