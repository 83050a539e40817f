"""Obstacles in MoveIt's messages, and check_state_validity."""
import importlib.util

import pytest
from geometry_msgs.msg import Pose
from sensor_msgs.msg import JointState

if importlib.util.find_spec('moveit_msgs') is None:
    pytest.skip('the topics of obstacles and check_state_validity not tested: no Python package moveit_msgs here (it comes with MoveIt)',
                allow_module_level=True)

from moveit_msgs.msg import AttachedCollisionObject, CollisionObject, Constraints, ContactInformation, JointConstraint, RobotState
from moveit_msgs.srv import GetStateValidity
from shape_msgs.msg import Plane

from conftest import ROBOTS
from world import World, box, pose

CUBE = box(0.1, 0.1, 0.1)


class MoveIt:
    """The obstacles of a gantry, changed as by a program for MoveIt."""

    def __init__(self, client):
        self.client, self.world = client, World(client)
        topic = f'{client.namespace}/%scollision_object'
        self.objects = client.wait_until_heard(client.publisher(CollisionObject, topic % '', 100))
        self.parts = client.wait_until_heard(client.publisher(AttachedCollisionObject, topic % 'attached_', 100))

    def send(self, name, operation=CollisionObject.ADD, place=(0.5, 0, 0.3), shapes=(CUBE,), **fields):
        self.objects.publish(thing(name, operation, place, shapes, **fields))

    def send_part(self, name, operation=CollisionObject.ADD, place=(0.3, 0, 0), shapes=(CUBE,), link='hand'):
        self.parts.publish(AttachedCollisionObject(link_name=link, object=thing(name, operation, place, shapes)))

    def validity(self, positions, **fields):
        state = JointState(name=list(positions), position=[float(value) for value in positions.values()])
        return self.client.call(GetStateValidity, 'check_state_validity', robot_state=RobotState(joint_state=state), **fields)


def thing(name, operation, place, shapes, **fields):
    message = CollisionObject(id=name, pose=pose(*place), operation=operation, primitives=list(shapes), **fields)
    message.primitive_poses = [Pose() for _ in shapes]
    return message


@pytest.fixture
def moveit(start):
    return MoveIt(start.node(ROBOTS / 'gantry.urdf', tip_links=['hand']))


def test_objects_come_move_and_go(moveit):
    moveit.send('post')
    moveit.send('other', place=(0, 0.8, 0.3))
    moveit.world.wait_for_names(['other', 'post'])
    assert moveit.world.distances()['finger', 'post'] == pytest.approx(0.34, abs=1e-6)
    moveit.send('post', CollisionObject.MOVE, (0.6, 0, 0.3), shapes=())
    moveit.client.wait_for(lambda: moveit.world.distances()['finger', 'post'] == pytest.approx(0.44, abs=1e-6), 'the move')
    moveit.send('post', CollisionObject.REMOVE)
    moveit.world.wait_for_names(['other'])
    moveit.send('', CollisionObject.REMOVE)
    moveit.world.wait_for_names()


def test_parts_are_attached_and_detached(moveit):
    moveit.send('post')
    moveit.world.wait_for_names(['post'])
    moveit.send_part('post', shapes=())
    moveit.send_part('part')
    moveit.world.wait_for_names([], ['part', 'post'])
    moveit.send_part('part', CollisionObject.REMOVE)
    moveit.world.wait_for_names(['part'], ['post'])
    moveit.send_part('', CollisionObject.REMOVE)
    moveit.world.wait_for_names(['part', 'post'])


def test_what_is_not_known_is_refused_in_the_log(moveit):
    moveit.send('floor', planes=[Plane()], plane_poses=[Pose()])
    moveit.client.process.wait_for_output('planes')
    moveit.send('more', CollisionObject.APPEND)
    moveit.client.process.wait_for_output("operation of object 'more'")
    moveit.send('post', shapes=())
    moveit.client.process.wait_for_output("obstacle 'post': it has no shapes")
    assert moveit.world.names() == ([], [])


def test_validity(moveit):
    moveit.send('post')
    moveit.world.wait_for_names(['post'])
    free = moveit.validity({'x': 0.3})
    assert free.valid and not free.contacts
    touching = moveit.validity({'x': 0.45})
    assert not touching.valid
    assert {(contact.contact_body_1, contact.contact_body_2) for contact in touching.contacts} == {
        ('finger', 'post'), ('hand', 'post')}
    assert {contact.body_type_2 for contact in touching.contacts} == {ContactInformation.WORLD_OBJECT}
    # From the first body to the second: the hand is before the post, the finger behind it.
    normals = {contact.contact_body_1: contact.normal.x for contact in touching.contacts}
    assert normals['hand'] > 0 > normals['finger']


def test_what_cannot_be_checked_is_not_valid(moveit):
    constraints = Constraints(joint_constraints=[JointConstraint(joint_name='x')])
    assert not moveit.validity({'x': 0.0}, constraints=constraints).valid
    moveit.client.process.wait_for_output('joint constraints')
    assert not moveit.validity({'elbow': 0.0}).valid
    moveit.client.process.wait_for_output("'elbow'")


def test_a_state_of_which_shapes_are_missing_is_not_valid(start, tmp_path):
    robot = tmp_path / 'gantry.urdf'
    robot.write_text((ROBOTS / 'gantry.urdf').read_text().replace('<box size="0.02 0.02 0.02"/>', '<mesh filename="finger.stl"/>'))
    moveit = MoveIt(start.node(robot, tip_links=['hand']))
    assert not moveit.validity({'x': 0.1}).valid
    moveit.client.process.wait_for_output('could not be loaded')
    moveit.client.set_all(missing_shapes='ignore')
    assert moveit.validity({'x': 0.1}).valid
