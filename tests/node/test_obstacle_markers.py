"""Obstacles, attached parts and the nearest pair, as drawn by RViz."""
import numpy as np
import pytest
from visualization_msgs.msg import Marker

from client import posture
from conftest import ROBOTS
from test_markers import as_tuple, watch
from world import World, box, change, cylinder, mesh, pose, sphere

GANTRY = ROBOTS / 'gantry.urdf'
CUBE = box(0.1, 0.1, 0.1)


@pytest.fixture
def gantry(start):
    return start.node(GANTRY, tip_links=['hand'])


def wait_for(node, scene, namespace, count):
    """The markers of a namespace by id, once there are this many."""
    def found():
        numbers = {number: marker for (name, number), marker in scene.markers.items() if name == namespace}
        return len(numbers) == count and numbers
    return node.wait_for(found, f'{count} markers of {namespace}')


def wait_until_gone(node, scene, namespace):
    node.wait_for(lambda: namespace not in scene.namespaces(), f'the end of {namespace}')


def test_each_shape_is_drawn_where_it_is(gantry):
    scene, world = watch(gantry), World(gantry)
    world.make(change('add', 'a', (0.5, 0, 0.3), shapes=[box(0.1, 0.2, 0.3), cylinder(0.4, 0.05)],
                      primitive_poses=[pose(0, 0, 0), pose(0, 0.5, 0)]),
               change('add', 'b', (0.5, -1, 0.3), shapes=[sphere(0.2)]),
               change('add', 'c', (0, 0, 2), meshes=[mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])]))
    shown = wait_for(gantry, scene, 'obstacles', 4)
    for number, kind, place, size in [(0, Marker.CUBE, (0.5, 0, 0.3), (0.1, 0.2, 0.3)),
                                      (1, Marker.CYLINDER, (0.5, 0.5, 0.3), (0.1, 0.1, 0.4)),
                                      (2, Marker.SPHERE, (0.5, -1, 0.3), (0.4, 0.4, 0.4))]:
        marker = shown[number]
        assert marker.type == kind and marker.header.frame_id == 'rail'
        assert as_tuple(marker.pose.position) == pytest.approx(place) and as_tuple(marker.scale) == pytest.approx(size)
    assert shown[3].type == Marker.TRIANGLE_LIST
    assert np.allclose([as_tuple(point) for point in shown[3].points], [(0, 0, 2), (1, 0, 2), (0, 1, 2)])
    world.make(change('clear'))
    wait_until_gone(gantry, scene, 'obstacles')


def test_a_mesh_of_many_triangles_is_a_box(gantry):
    scene, world = watch(gantry), World(gantry)
    count = 73  # of vertices along each side
    vertices = [(x, y, 0.2 * (x == y)) for x in np.linspace(-1, 1, count) for y in np.linspace(-1, 1, count)]
    starts = [row * count + column for row in range(count - 1) for column in range(count - 1)]
    triangles = [(at, at + 1, at + count) for at in starts] + [(at + 1, at + count, at + count + 1) for at in starts]
    world.make(change('add', 'sheet', (0, 0, 2), meshes=[mesh(vertices, triangles)]))
    (marker,) = wait_for(gantry, scene, 'obstacles', 1).values()
    assert marker.type == Marker.CUBE and as_tuple(marker.scale) == pytest.approx((2, 2, 0.2), abs=1e-6)
    assert as_tuple(marker.pose.position) == pytest.approx((0, 0, 2.1), abs=1e-6)


def test_attached_parts_move_with_the_arm(gantry):
    scene, world = watch(gantry), World(gantry)
    world.make(change('attach', 'part', (0.2, 0, 0), shapes=[CUBE], link='hand'))
    (marker,) = wait_for(gantry, scene, 'attached', 1).values()
    assert as_tuple(marker.pose.position) == pytest.approx((0.2, 0, 0.3))
    gantry.send_point((0.4, 0.2, 0.3))
    gantry.wait_for(lambda: np.allclose(as_tuple(scene.markers['attached', 0].pose.position), (0.6, 0.2, 0.3), atol=1e-4),
                    'the part beside the hand')
    assert posture(gantry.next_state())['x'] == pytest.approx(0.4, abs=1e-4)


def test_a_line_leads_to_what_is_near(gantry):
    scene, world = watch(gantry), World(gantry)
    world.make(change('add', 'post', (0.175, 0, 0.3), shapes=[CUBE]))
    (line,) = wait_for(gantry, scene, 'nearest', 1).values()
    ends = np.array([as_tuple(point) for point in line.points])
    assert np.allclose(ends[:, 0], (0.11, 0.125), atol=1e-6) and line.color.r > line.color.g
    world.make(change('move', 'post', (0.5, 0, 0.3)))
    wait_until_gone(gantry, scene, 'nearest')
