"""MuJoCo models as robots: the compiled model becomes the text of a URDF and of an SRDF, and the triangles of its meshes."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import combinations
from math import atan2, cos, hypot, sin
from typing import Any, TypeAlias

import numpy as np

from urdfik._urdfik import Error

try:
    mujoco: Any = import_module("mujoco")  # which has no types
except ImportError:
    mujoco = None

# The follower of a joint equality: the joint it follows, or None; multiplier and offset [rad or m].
_Rules: TypeAlias = dict[int, tuple[int | None, float, float]]

# Limit of a slide without limits [m]. A URDF needs one; solvers search near 0.
_FAR = 1e6


def robot_source(model: Any, sites: Sequence[str]) -> dict[str, Any]:
    """The fields of the robot's source, with a link for each of these sites."""
    if mujoco is None:
        raise Error("from_mujoco needs the package mujoco: pip install mujoco")
    if not isinstance(model, mujoco.MjModel):
        expected = 'a mujoco.MjModel, for example mujoco.MjModel.from_xml_path("robot.xml")'
        raise Error(f"model is of type {type(model).__name__}; it must be {expected}")
    colliding = np.flatnonzero(model.geom_contype | model.geom_conaffinity)
    robot = ET.Element("robot", name=model.names.split(b"\0", 1)[0].decode())
    for body in range(model.nbody):
        _add_link(robot, model, body, colliding[model.geom_bodyid[colliding] == body])
    rules = _rules(model)
    for body in range(1, model.nbody):
        _add_joints(robot, model, body, rules)
    for site in sites:
        _add_site(robot, model, site)
    return {
        "urdf": ET.tostring(robot, encoding="unicode"),
        "file": None,
        "package_dirs": [],
        "srdf": _srdf(model, colliding),
        "soft_limits": False,
        "meshes": _meshes(model, colliding),
    }


def _name(model: Any, kind: str, index: int) -> str:
    """The name of a body, joint, site or mesh, or its index if it has none."""
    return getattr(model, kind)(index).name or f"{kind}_{index}"


def _add(parent: ET.Element, tag: str, **attributes: Any) -> ET.Element:
    """Adds an element with texts and lists of numbers, which keep all bits."""
    texts = {key: value if isinstance(value, str) else " ".join(map(repr, map(float, value))) for key, value in attributes.items()}
    return ET.SubElement(parent, tag, texts)


def _add_origin(parent: ET.Element, position: Iterable[float], quaternion: Sequence[float] = (1, 0, 0, 0)) -> None:
    """A pose in the parent's frame [m], its quaternion with the scalar first."""
    _add(parent, "origin", xyz=position, rpy=_roll_pitch_yaw(quaternion))


def _roll_pitch_yaw(quaternion: Sequence[float]) -> tuple[float, float, float]:
    """Angles [rad] that reproduce the rotation to rounding: at a pitch of 90° the roll compensates an error of the yaw."""
    entries = np.empty(9)
    mujoco.mju_quat2Mat(entries, quaternion)
    (a, b, c), (d, e, f), (g, _, _) = entries.reshape(3, 3)
    yaw = atan2(d, a)
    return atan2(sin(yaw) * c - cos(yaw) * f, cos(yaw) * e - sin(yaw) * b), atan2(-g, hypot(a, d)), yaw


def _add_link(robot: ET.Element, model: Any, body: int, geoms: Iterable[int]) -> None:
    link = _add(robot, "link", name=_name(model, "body", body))
    if model.body_mass[body] > 0:
        inertial = _add(link, "inertial")
        _add_origin(inertial, model.body_ipos[body])
        _add(inertial, "mass", value=[model.body_mass[body]])
    for geom in geoms:
        collision = _add(link, "collision")
        _add_origin(collision, model.geom_pos[geom], model.geom_quat[geom])
        _add_shape(_add(collision, "geometry"), model, geom)


def _add_shape(geometry: ET.Element, model: Any, geom: int) -> None:
    kind, size = mujoco.mjtGeom(model.geom_type[geom]).name.removeprefix("mjGEOM_").lower(), model.geom_size[geom]
    match kind:
        case "box":
            _add(geometry, kind, size=2 * size)
        case "sphere":
            _add(geometry, kind, radius=size[:1])
        case "cylinder" | "capsule":
            _add(geometry, kind, radius=size[:1], length=2 * size[1:2])
        case "mesh":
            _add(geometry, kind, filename=_name(model, "mesh", model.geom_dataid[geom]))
        case _:  # The reader of shapes names it as one that is not supported.
            _add(geometry, kind)


def _meshes(model: Any, geoms: Iterable[int]) -> dict[str, tuple[list[list[float]], list[list[int]]]]:
    """Vertices [m] and faces of the meshes of these geoms, by name."""
    meshes = {}
    for mesh in {model.geom_dataid[geom] for geom in geoms if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH}:
        vertices, faces = model.mesh_vertadr[mesh], model.mesh_faceadr[mesh]
        meshes[_name(model, "mesh", mesh)] = (
            model.mesh_vert[vertices : vertices + model.mesh_vertnum[mesh]].tolist(),
            model.mesh_face[faces : faces + model.mesh_facenum[mesh]].tolist(),
        )
    return meshes


def _zero(model: Any, joint: int) -> float:
    """Position of a hinge or slide in the model's reference configuration [rad or m], where bodies have their own poses."""
    return float(model.qpos0[model.jnt_qposadr[joint]])


def _rules(model: Any) -> _Rules:
    """The rule of each joint that an active equality couples to another joint or to a constant."""
    rules: _Rules = {}
    for equality in np.flatnonzero((model.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (model.eq_active0 != 0)):
        follower, master, terms = int(model.eq_obj1id[equality]), int(model.eq_obj2id[equality]), model.eq_data[equality, :5]
        name = _name(model, "joint", follower)
        if follower in rules:
            raise Error(f"joint '{name}' has two joint equalities; it can follow one joint: remove one of them")
        if master < 0:
            rules[follower] = None, 0.0, _zero(model, follower) + terms[0]
            continue
        if terms[2:].any():
            degree = np.flatnonzero(terms)[-1]
            raise Error(
                f"joint '{name}' follows '{_name(model, 'joint', master)}' by a polynomial of degree {degree}; "
                "it must be of the first degree: set its other coefficients to 0, or its equality to inactive"
            )
        rules[follower] = master, terms[1], _zero(model, follower) + terms[0] - terms[1] * _zero(model, master)
    return rules


def _add_joints(robot: ET.Element, model: Any, body: int, rules: _Rules) -> None:
    """Connects a body with its parent: a chain of its joints, with links at their anchors, or a fixed joint."""
    name, first = _name(model, "body", body), model.body_jntadr[body]
    parent, joints = _name(model, "body", model.body_parentid[body]), range(first, first + model.body_jntnum[body])
    position, quaternion = model.body_pos[body].copy(), model.body_quat[body].copy()
    for joint in joints:
        position, quaternion = _anchor(model, joint, position, quaternion)
        at_body = joint == joints[-1] and not model.jnt_pos[joint].any()
        link = name if at_body else f"{name}:{_name(model, 'joint', joint)}"
        if not at_body:
            _add(robot, "link", name=link)
        _add_joint(robot, model, joint, rules, parent=parent, child=link, origin=(position, quaternion))
        parent, position, quaternion = link, -model.jnt_pos[joint], np.array([1.0, 0.0, 0.0, 0.0])
    if parent != name:
        _add_fixed(robot, parent, name, position, quaternion)


def _anchor(model: Any, joint: int, position: Any, quaternion: Any) -> tuple[Any, Any]:
    """The pose of a joint's frame at position 0, from that of its body before the joint [m]."""
    shift, turn = model.jnt_pos[joint].copy(), np.array([1.0, 0.0, 0.0, 0.0])
    kind, axis = model.jnt_type[joint], model.jnt_axis[joint]
    if kind == mujoco.mjtJoint.mjJNT_SLIDE:
        shift -= _zero(model, joint) * axis
    elif kind == mujoco.mjtJoint.mjJNT_HINGE:
        mujoco.mju_axisAngle2Quat(turn, axis, -_zero(model, joint))
    shifted, turned = np.empty(3), np.empty(4)
    mujoco.mju_rotVecQuat(shifted, shift, quaternion)
    mujoco.mju_mulQuat(turned, quaternion, turn)
    return position + shifted, turned


def _add_joint(robot: ET.Element, model: Any, joint: int, rules: _Rules, *, parent: str, child: str, origin: Any) -> None:
    master, multiplier, offset = rules.get(joint, (joint, 1.0, 0.0))
    is_slide = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_SLIDE
    is_hinge = model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_HINGE
    limits = model.jnt_range[joint] if model.jnt_limited[joint] else None
    if master is None:
        limits = offset, offset
    if is_slide and limits is None:
        limits = -_FAR, _FAR
    # Ball and free joints have no place in a chain, which names them.
    kind = "prismatic" if is_slide else "floating" if not is_hinge else "continuous" if limits is None else "revolute"
    element = _add(robot, "joint", name=_name(model, "joint", joint), type=kind)
    _connect(element, parent, child, *origin)
    _add(element, "axis", xyz=model.jnt_axis[joint])
    if limits is not None and kind != "floating":
        _add(element, "limit", lower=limits[:1], upper=limits[1:])
    if master not in (joint, None):
        _add(element, "mimic", joint=_name(model, "joint", master), multiplier=[multiplier], offset=[offset])


def _connect(joint: ET.Element, parent: str, child: str, position: Any, quaternion: Any) -> None:
    _add(joint, "parent", link=parent)
    _add(joint, "child", link=child)
    _add_origin(joint, position, quaternion)


def _add_fixed(robot: ET.Element, parent: str, child: str, position: Any, quaternion: Any) -> None:
    _connect(_add(robot, "joint", name=f"{child}:fixed", type="fixed"), parent, child, position, quaternion)


def _add_site(robot: ET.Element, model: Any, site: str) -> None:
    known = [_name(model, "site", index) for index in range(model.nsite)]
    if site not in known:
        raise Error(f"the model has no site '{site}'; its sites are: {', '.join(known) or 'none'}")
    index = known.index(site)
    _add(robot, "link", name=site)
    _add_fixed(robot, _name(model, "body", model.site_bodyid[index]), site, model.site_pos[index], model.site_quat[index])


def _srdf(model: Any, colliding: Any) -> str:
    """The pairs of bodies without contacts in MuJoCo."""
    excluded = {tuple(sorted(divmod(int(signature), 1 << 16))) for signature in model.exclude_signature}
    robot = ET.Element("robot", name="mujoco")
    for pair in combinations(sorted({int(body) for body in model.geom_bodyid[colliding]}), 2):
        if pair in excluded or _is_parent(model, pair) or not _masks_match(model, colliding, pair):
            first, second = (_name(model, "body", body) for body in pair)
            _add(robot, "disable_collisions", link1=first, link2=second, reason="MuJoCo")
    return ET.tostring(robot, encoding="unicode")


def _is_parent(model: Any, pair: tuple[int, int]) -> bool:
    """True if one is rigidly connected with the other or its child. The parent of the first moving bodies is checked."""
    first, second = (model.body_weldid[body] for body in pair)
    above = [model.body_weldid[model.body_parentid[body]] for body in (first, second)]
    return bool(first == second or (first != 0 and second != 0 and (first == above[1] or second == above[0])))


def _masks_match(model: Any, colliding: Any, pair: tuple[int, int]) -> bool:
    first, second = (colliding[model.geom_bodyid[colliding] == body] for body in pair)
    types, affinities = model.geom_contype, model.geom_conaffinity
    return bool(
        np.any(types[first][:, None] & affinities[second]) or np.any(affinities[first][:, None] & types[second])
    )
