"""Obstacles and attached parts in the scene, from the last message on ~/obstacles."""
import numpy as np
import trimesh
import viser.transforms
from shape_msgs.msg import SolidPrimitive

from .drawing import Placed
from .instances import opacity
from .shapes import MAX_TRIANGLES, SECTIONS, part_of, split_sharp_edges

OBSTACLE, ATTACHED = (0.45, 0.60, 0.55, 0.85), (0.70, 0.55, 0.80, 0.90)  # as in RViz
ROOT = 0  # the first link of a robot


class Obstacles:
    """Redraws after a changed message, and moves attached parts with their links."""

    def __init__(self, scene):
        self._scene, self._placed, self._drawn = scene, [], None

    def show(self, message, robot, link_poses):
        """The poses of the links have shape (links, 4, 4)."""
        if message is not self._drawn:
            self.remove()
            self._drawn = message
            self._add_all(message, robot)
        for placed in self._placed:
            placed.show(link_poses)

    def remove(self):
        for placed in self._placed:
            placed.node.remove()
        self._placed, self._drawn = [], None

    def _add_all(self, message, robot):
        stands = [(obstacle, ROOT, OBSTACLE) for obstacle in message.obstacles]
        # A link of a replaced robot may be missing.
        carried = [(part.obstacle, robot.link_index[part.link_name], ATTACHED)
                   for part in message.attached if part.link_name in robot.link_index]
        budget = MAX_TRIANGLES
        for obstacle, link, rgba in stands + carried:
            for part, origin in parts_of(obstacle, rgba):
                budget -= len(part.faces)
                if budget >= 0:
                    self._add(part, link, origin)

    def _add(self, part, link, origin):
        node = self._scene.add_mesh_simple(
            f'/obstacles/{len(self._placed)}', part.vertices, part.faces, color=part.rgba[:3], opacity=opacity(part.rgba),
            side=part.side)
        self._placed.append(Placed(node, [link], [origin], part.vertices))


def parts_of(obstacle, rgba):
    """The triangles of each shape of an obstacle, with the pose of the shape in the frame of the obstacle's header."""
    pose = matrix(obstacle.pose)
    for primitive, place in zip(obstacle.primitives, obstacle.primitive_poses):
        yield part_of(*solid(primitive), rgba), pose @ matrix(place)
    for mesh, place in zip(obstacle.meshes, obstacle.mesh_poses):
        vertices = [(vertex.x, vertex.y, vertex.z) for vertex in mesh.vertices]
        faces = [triangle.vertex_indices for triangle in mesh.triangles]
        yield part_of(vertices, faces, rgba, 'double'), pose @ matrix(place)


def solid(primitive):
    """Vertices and faces of a box, a sphere or a cylinder: the node publishes no other primitives."""
    if primitive.type == SolidPrimitive.SPHERE:
        sphere = trimesh.creation.icosphere(subdivisions=3, radius=primitive.dimensions[0])
        return sphere.vertices, sphere.faces
    if primitive.type == SolidPrimitive.CYLINDER:
        height, radius = primitive.dimensions
        mesh = trimesh.creation.cylinder(radius, height, sections=SECTIONS)
    else:
        mesh = trimesh.creation.box(np.array(primitive.dimensions))
    return split_sharp_edges(mesh.vertices, mesh.faces)


def matrix(pose):
    """4 x 4 matrix of a Pose."""
    place, turn = pose.position, pose.orientation
    found = np.eye(4)
    found[:3, 3] = (place.x, place.y, place.z)
    found[:3, :3] = viser.transforms.SO3(np.array([turn.w, turn.x, turn.y, turn.z])).as_matrix()
    return found
