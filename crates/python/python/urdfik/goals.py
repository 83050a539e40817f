"""Goals besides poses, for the argument ``goals`` of the solving methods: plain data, which can be pickled.

    level = urdfik.goals.ConeGoal(axis=[0, 0, 1], direction=[0, 0, 1], angle=np.radians(5))
    answer = arm.solve(goals=[level])

A goal refers to a link, relative to a frame: another link, or by default the base link. A frame that the arm moves follows the solution;
other links stay where they are. Without ``link`` a goal refers to the only tip, with its tool. Bounds may be None or infinite. A violation
of 1e-5 m or rad is accepted. A dict with ``type`` and the same fields is equivalent to an instance.

FrameGoal and RelativeFrameGoal are the counterparts of FrameTask and RelativeFrameTask in mink.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeAlias

from numpy.typing import ArrayLike

from urdfik._urdfik import pose_numbers

__all__ = [
    "ComGoal",
    "ConeGoal",
    "DistanceGoal",
    "FrameGoal",
    "GazeGoal",
    "Goal",
    "JointsGoal",
    "OrientationGoal",
    "PositionGoal",
    "RelativeFrameGoal",
]

_Bounds: TypeAlias = ArrayLike | Sequence[float | None] | None
_EXACTLY = (0.0, 0.0, 0.0)


@dataclass(kw_only=True, eq=False)
class Goal:
    """The fields of all goals. A subclass is a kind of goal: its ``type`` and further fields, which become those of a dict."""

    type: ClassVar[str]
    name: str | None = None
    """Name in sentences and errors. Default: the type."""
    weight: float | None = None
    """Weight of the squared violation if not all goals can be met, above 0. Default: 1."""
    standing: bool | None = None
    """True: the goal comes before poses and other goals if not all can be met. Default: False."""

    def dicts(self) -> list[dict[str, Any]]:
        """The goal as dicts, each with a violation of its own: one, except for poses."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return [{"type": self.type} | {name: value for name, value in given.items() if value is not None}]


@dataclass(kw_only=True, eq=False)
class _LinkGoal(Goal):
    link: str | None = None
    """Name of the link. Default: the only tip, with its tool."""
    frame: str | None = None
    """Name of the link that the goal is relative to. Default: the base link."""


@dataclass(kw_only=True, eq=False)
class PositionGoal(_LinkGoal):
    """A point of the link lies inside a box of the frame."""

    type = "position"
    point: ArrayLike | None = None
    """The point (3,) in the link's frame [m]. Default: its origin."""
    p: ArrayLike | None = None
    """Origin (3,) of the box in the frame [m]. Default: that of the frame."""
    q_xyzw: ArrayLike | None = None
    """Orientation (4,) of the axes of the box in the frame. Default: that of the frame."""
    lower: _Bounds = None
    """Lower bounds (3,) along these axes [m]. Default: none."""
    upper: _Bounds = None
    """Upper bounds (3,) along these axes [m]. Default: none."""


@dataclass(kw_only=True, eq=False)
class DistanceGoal(_LinkGoal):
    """A point of the link has a distance from a point of the frame, or from a line through it."""

    type = "distance"
    point: ArrayLike | None = None
    """The point (3,) in the link's frame [m]. Default: its origin."""
    p: ArrayLike | None = None
    """The point (3,) in the frame [m]. Default: its origin."""
    direction: ArrayLike | None = None
    """Direction (3,) of the line in the frame. Default: the distance from the point."""
    lower: float | None = None
    """Least distance [m]. Default: 0."""
    upper: float | None = None
    """Greatest distance [m]. Default: none."""


@dataclass(kw_only=True, eq=False)
class ConeGoal(_LinkGoal):
    """An axis of the link lies within an angle of a direction of the frame."""

    type = "cone"
    axis: ArrayLike
    """The axis (3,) in the link's frame, of any length but 0."""
    direction: ArrayLike
    """The direction (3,) in the frame, of any length but 0."""
    angle: float
    """The angle, 0 to pi [rad]."""


@dataclass(kw_only=True, eq=False)
class OrientationGoal(_LinkGoal):
    """The rotation E from an orientation of the frame to that of the link has three numbers within bounds."""

    type = "orientation"
    q_xyzw: ArrayLike | None = None
    """The orientation (4,) in the frame. Default: that of the frame."""
    lower: _Bounds = None
    """Lower bounds (3,) [rad]. Default: none."""
    upper: _Bounds = None
    """Upper bounds (3,) [rad]. Default: none."""
    parameterization: str | None = None
    """The numbers: "rotation_vector" (default), or "xyz_euler", the angles of E = Rx(a) Ry(b) Rz(c)."""
    axes: str | None = None
    """Axes of the rotation vector: those of "target" (default), the orientation, or of "frame"."""


@dataclass(kw_only=True, eq=False)
class GazeGoal(_LinkGoal):
    """A point of the frame, seen from a point of the link, lies within an angle of an axis of the link."""

    type = "gaze"
    point: ArrayLike | None = None
    """The point of view (3,) in the link's frame [m]. Default: its origin."""
    axis: ArrayLike
    """The axis (3,) of sight in the link's frame, of any length but 0."""
    p: ArrayLike | None = None
    """The point (3,) to see, in the frame [m]. Default: its origin."""
    angle: float
    """The angle, 0 to pi [rad]."""


@dataclass(kw_only=True, eq=False)
class JointsGoal(Goal):
    """A weighted sum of joint positions, all in rad or all in m, lies within bounds."""

    type = "joints"
    coefficients: Mapping[str, float]
    """Factor of each joint, by name."""
    lower: float | None = None
    """Lower bound [rad or m]. Default: none."""
    upper: float | None = None
    """Upper bound [rad or m]. Default: none."""


@dataclass(kw_only=True, eq=False)
class ComGoal(Goal):
    """The centre of mass of the robot lies inside a box of the frame. The masses are those of the URDF."""

    type = "center_of_mass"
    frame: str | None = None
    """The frame of the box: a link. Default: the base link."""
    p: ArrayLike | None = None
    """Centre of the box (3,) in the frame [m]. Default: its origin."""
    q_xyzw: ArrayLike | None = None
    """Orientation of the box in the frame (4,). Default: that of the frame."""
    lower: _Bounds = None
    """Lower bounds (3,) from the centre along the axes of the box [m]. Default: none."""
    upper: _Bounds = None
    """Upper bounds (3,) [m]. Default: none."""


@dataclass(kw_only=True, eq=False)
class FrameGoal(_LinkGoal):
    """The link has a pose in the frame: a goal of type "position", then one of type "orientation"."""

    pose: ArrayLike
    """The pose (4, 4) or (7,), x y z qx qy qz qw."""

    def dicts(self) -> list[dict[str, Any]]:
        *p, qx, qy, qz, qw = pose_numbers(self.pose)
        shared: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(_LinkGoal)}
        shared |= {"lower": _EXACTLY, "upper": _EXACTLY}
        position = PositionGoal(p=p, **shared)
        orientation = OrientationGoal(q_xyzw=(qx, qy, qz, qw), **shared)
        return position.dicts() + orientation.dicts()


@dataclass(kw_only=True, eq=False)
class RelativeFrameGoal(FrameGoal):
    """The link has a pose relative to another link."""

    frame: str = field()
    """Name of the other link."""
