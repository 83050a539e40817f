"""The parts of the page that need neither a node nor a browser."""
import sys

import numpy as np
import pytest

for module in ('viser', 'yourdfpy'):
    pytest.importorskip(module, reason=f'the page in the browser is not tried: no Python package {module} here')

from conftest import ARM_FILE, ROBOTS, ROOT  # noqa: E402

sys.path.insert(0, str(ROOT / 'scripts'))

import kinematics  # noqa: E402
from viewer import shapes  # noqa: E402
from viewer.panel import axes_of, joint_row, name_of_axes  # noqa: E402
from viewer.robot import BadDescription, JointRange, Robot  # noqa: E402
from viewer.shapes import MeshError, MeshFinder, load_shapes  # noqa: E402

TRIANGLE = 'solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n'


@pytest.mark.parametrize('file', [ARM_FILE, *sorted(ROBOTS.glob('*.urdf'))], ids=lambda file: file.stem)
def test_links_are_drawn_where_they_are(file, generator):
    robot, judge = Robot(file.read_text()), kinematics.Robot.load(file)
    for _ in range(5):
        positions = judge.follow_mimics(judge.sample(generator))
        poses = robot.link_poses(np.array([positions.get(name, 0.0) for name in robot.joint_index]))
        for link, index in robot.link_index.items():
            assert np.allclose(poses[index], judge.pose(link, positions), atol=1e-12), link


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
