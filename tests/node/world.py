"""Obstacle messages, and the services for obstacles."""
from geometry_msgs.msg import Point, Pose
from shape_msgs.msg import Mesh, MeshTriangle, SolidPrimitive
from urdf_ik.msg import Obstacle, ObstacleChange, Obstacles
from urdf_ik.srv import ChangeObstacles, CheckCollisions

from client import LATCHED, fill

NO_ROTATION = (0, 0, 0, 1)


def pose(*place, turn=NO_ROTATION):
    """Pose from a position and a quaternion."""
    message = Pose()
    fill(message.position, 'xyz', place)
    fill(message.orientation, 'xyzw', turn)
    return message


def box(*size):
    return SolidPrimitive(type=SolidPrimitive.BOX, dimensions=[float(edge) for edge in size])


def cylinder(height, radius):
    return SolidPrimitive(type=SolidPrimitive.CYLINDER, dimensions=[float(height), float(radius)])


def sphere(radius):
    return SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[float(radius)])


def mesh(vertices, triangles):
    return Mesh(vertices=[Point(x=float(x), y=float(y), z=float(z)) for x, y, z in vertices],
                triangles=[MeshTriangle(vertex_indices=corners) for corners in triangles])


def change(what, name='', place=None, frame='', shapes=(), meshes=(), link='', touch=(), **fields):
    """A change of the obstacles."""
    obstacle = Obstacle(id=name, primitives=list(shapes), meshes=list(meshes), **fields)
    if place is not None:
        obstacle.pose = place if isinstance(place, Pose) else pose(*place)
    obstacle.header.frame_id = frame
    return ObstacleChange(change=what, obstacle=obstacle, link_name=link, touch_links=list(touch))


class World:
    """The obstacles of a node: changes and queries."""

    def __init__(self, client):
        self.client = client
        self.received = client.subscribe(Obstacles, f'{client.name}/obstacles', [], LATCHED)

    def change(self, *changes):
        return self.client.call(ChangeObstacles, 'change_obstacles', changes=list(changes))

    def make(self, *changes):
        """Makes changes that must be accepted."""
        answer = self.change(*changes)
        assert answer.success, answer.message

    def refusal(self, *changes):
        """The reason for a refusal of changes, which must have no effect."""
        before = self.names()
        answer = self.change(*changes)
        assert not answer.success, 'the changes were accepted'
        assert self.names() == before
        return answer.message

    def names(self):
        """The names of obstacles and of attached parts in the last message."""
        world = self.client.wait_for(lambda: self.received and self.received[-1], 'the obstacles')
        return [obstacle.id for obstacle in world.obstacles], [part.obstacle.id for part in world.attached]

    def wait_for_names(self, obstacles=(), attached=()):
        """The message once it lists these obstacles and attached parts."""
        self.client.wait_for(lambda: self.received and self.names() == (list(obstacles), list(attached)),
                             f'{obstacles} and {attached}; the last were {self.received and self.names()}')
        return self.received[-1]

    def check(self, positions=None, **fields):
        """The response of ~/check_collisions, which must not be a refusal."""
        answer = self.ask(positions, **fields)
        assert answer.success, answer.message
        return answer

    def ask(self, positions=None, **fields):
        request = CheckCollisions.Request(**fields)
        request.joint_state.name = list(positions or {})
        request.joint_state.position = [float(value) for value in (positions or {}).values()]
        service = self.client.service(CheckCollisions, 'check_collisions')
        self.client.wait_for(service.service_is_ready, 'check_collisions')
        future = service.call_async(request)
        self.client.wait_for(future.done, 'an answer of check_collisions')
        return future.result()

    def distances(self, positions=None, within=10.0):
        """{(first, second): distance} of all pairs within a distance."""
        return {(pair.first, pair.second): pair.distance for pair in self.check(positions, within=within).pairs}


