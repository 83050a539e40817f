"""The shapes of a robot's visuals as triangles. External mesh files may be missing, broken or huge."""
import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlparse

import numpy as np
import trimesh
from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

MAX_BYTES = 64 * 1024 * 1024  # of a mesh file
MAX_TRIANGLES = 1_000_000  # of all shapes together
PLAIN = (0.72, 0.74, 0.77, 1.0)  # if neither the URDF nor the mesh has a colour
SECTIONS = 40  # of a cylinder

# Broken files are reported on the page.
logging.getLogger('trimesh').setLevel(logging.CRITICAL)


class MeshError(Exception):
    """A mesh that cannot be drawn; the message gives the reason."""


@dataclass
class Part:
    """Triangles of one colour, and all poses at which they are drawn."""
    vertices: np.ndarray
    faces: np.ndarray
    rgba: tuple  # 0 to 1
    side: str = 'front'  # visible faces; triangles of files may face either way: 'double'
    links: list = field(default_factory=list)  # indices of links
    origins: list = field(default_factory=list)  # 4 x 4, in the frames of these links


@dataclass
class Shapes:
    parts: list
    missing: list  # a message for each mesh that is not drawn
    bare_links: set  # indices of the links with missing meshes


class MeshFinder:
    """Resolves the file names in a URDF; `urdf` is its path if known."""

    def __init__(self, urdf=None):
        self.folder = Path(urdf).resolve().parent if urdf else None

    def find(self, name):
        parts = urlparse(name)
        if parts.scheme == 'package':
            path = self._in_package(parts.netloc, unquote(parts.path).lstrip('/'))
        elif parts.scheme in ('', 'file'):
            path = Path(unquote(parts.path) if parts.scheme else name)
            if not path.is_absolute():
                if self.folder is None:
                    raise MeshError('the path is relative, and the place of the URDF is not known')
                path = self.folder / path
        else:
            raise MeshError(f'{parts.scheme}:// is not supported')
        if not path.is_file():
            raise MeshError(f'there is no file {path}')
        if path.stat().st_size > MAX_BYTES:
            raise MeshError(f'{path} is larger than {MAX_BYTES // 2**20} MiB')
        return path

    def _in_package(self, package, path):
        """In the package's share folder, else in a folder of its name beside or above the URDF."""
        folders = []
        try:
            folders.append(Path(get_package_share_directory(package)))
        except (PackageNotFoundError, ValueError):
            pass
        if self.folder is not None:
            folders += [above / package for above in (self.folder, *self.folder.parents)]
        if not folders:
            raise MeshError(f'there is no package {package}')
        found = (folder / path for folder in folders if (folder / path).is_file())
        return next(found, folders[0] / path)


def load_shapes(robot, finder):
    """The shapes of all visuals. Equal ones share their triangles, so that a browser draws them at once."""
    loaded, missing, bare = OrderedDict(), {}, set()
    budget = MAX_TRIANGLES
    for visual in robot.visuals:
        key = shape_key(visual)
        if key not in loaded and key not in missing:
            try:
                parts = make_parts(visual, finder)
                budget -= sum(len(part.faces) for part in parts)
                if budget < 0:
                    raise MeshError(f'the robot would have more than {MAX_TRIANGLES} triangles')
                loaded[key] = parts
            except Exception as error:  # mesh readers raise all kinds of exceptions
                name = visual.geometry.mesh.filename if visual.geometry and visual.geometry.mesh else 'a visual'
                missing[key] = f'{name}: {error or type(error).__name__}'
        if key in missing:
            bare.add(visual.link)
        for part in loaded.get(key, []):
            part.links.append(visual.link)
            part.origins.append(visual.origin)
    return Shapes([part for parts in loaded.values() for part in parts], list(missing.values()), bare)


def shape_key(visual):
    """The properties that two visuals must share to be drawn as one."""
    geometry = visual.geometry
    if geometry is None:
        return None
    kinds = (geometry.box, geometry.cylinder, geometry.sphere, geometry.mesh)
    values = [None if kind is None else tuple(str(np.asarray(value).tolist()) for value in vars(kind).values()) for kind in kinds]
    return (*values, visual.rgba)


def make_parts(visual, finder):
    geometry = visual.geometry
    if geometry is None:
        raise MeshError('it has no geometry')
    if geometry.mesh is not None:
        return mesh_parts(finder.find(geometry.mesh.filename), geometry.mesh.scale, visual.rgba)
    if geometry.box is not None:
        mesh = trimesh.creation.box(np.asarray(geometry.box.size, float))
    elif geometry.cylinder is not None:
        mesh = trimesh.creation.cylinder(geometry.cylinder.radius, geometry.cylinder.length, sections=SECTIONS)
    elif geometry.sphere is not None:
        mesh = trimesh.creation.icosphere(subdivisions=2, radius=geometry.sphere.radius)
    else:
        raise MeshError('it has no geometry')
    vertices, faces = mesh.vertices, mesh.faces
    if geometry.sphere is None:
        vertices, faces = split_sharp_edges(vertices, faces)
    return [part_of(vertices, faces, visual.rgba or PLAIN)]


def mesh_parts(path, scale, rgba):
    scene = trimesh.load_scene(path, process=False)
    scale = np.ones(3) if scale is None else np.broadcast_to(np.asarray(scale, float), 3)
    if path.suffix.lower() == '.dae' and scene.units:
        scale = scale * trimesh.units.unit_conversion(scene.units, 'meters')
    parts = []
    for node in scene.graph.nodes_geometry:
        pose, name = scene.graph[node]
        mesh = scene.geometry[name]
        if len(getattr(mesh, 'faces', ())):
            vertices = (mesh.vertices @ pose[:3, :3].T + pose[:3, 3]) * scale
            parts.append(part_of(vertices, mesh.faces, rgba or own_color(mesh), 'double'))
    if not parts:
        raise MeshError(f'{path} has no triangles')
    return parts


def part_of(vertices, faces, rgba, side='front'):
    vertices = np.asarray(vertices, np.float32)
    if not np.isfinite(vertices).all():
        raise MeshError('a vertex is not a finite number')
    return Part(vertices, np.asarray(faces, np.uint32), tuple(float(channel) for channel in rgba), side)


def split_sharp_edges(vertices, faces, sharpest=np.cos(np.radians(40))):
    """Duplicates the vertices of triangles at sharp edges, because shared ones would be shaded as round."""
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    shared, new_vertices = {}, []
    new_faces = np.empty_like(faces)
    for face, (corner_ids, normal) in enumerate(zip(faces, normals)):
        for corner, vertex in enumerate(corner_ids):
            group = shared.setdefault(int(vertex), [])
            match = next((index for index, other in group if other @ normal > sharpest), None)
            if match is None:
                match = len(new_vertices)
                group.append((match, normal))
                new_vertices.append(vertices[vertex])
            new_faces[face, corner] = match
    return np.array(new_vertices, np.float32), new_faces


def own_color(mesh):
    """The colour of a mesh without one in the URDF, 0 to 1."""
    visual = mesh.visual
    if not getattr(visual, 'defined', False):
        return PLAIN
    source = getattr(visual, 'material', visual)
    color = np.asarray(source.main_color, float) / 255
    return tuple(color) if color.shape == (4,) and np.isfinite(color).all() else PLAIN
