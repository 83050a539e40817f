from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from urdfik._answers import Answer, Answers, SkeletonAnswer, Trajectory
from urdfik.goals import Goal

__all__ = [
    "Arm",
    "Error",
    "Robot",
    "Servo",
    "Skeleton",
    "World",
    "pose_numbers",
    "rebuild_arm",
    "rebuild_robot",
    "rebuild_servo",
    "run_command",
]

_Floats: TypeAlias = NDArray[np.float64]
# Joint positions of one configuration, and of several. The type of an array does not tell which it has.
_OneRow: TypeAlias = Mapping[str, float] | Sequence[float]
_Rows: TypeAlias = Sequence[Sequence[float]] | Sequence[NDArray[Any]]
_Path: TypeAlias = str | PathLike[str]
_Pose: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
_Positions: TypeAlias = ArrayLike | Mapping[str, float]
_Solver: TypeAlias = Literal["jacobian", "closed_form", "fabrik"]
_Pick: TypeAlias = Literal["first", "nearest", "most_manipulable"]
_Frame: TypeAlias = Literal["base", "tip"]
_HeldBack: TypeAlias = Literal["wait", "slide"]
_Axis: TypeAlias = Literal["x", "y", "z", "rx", "ry", "rz"]
_Axes: TypeAlias = _Axis | Sequence[_Axis]
_Goals: TypeAlias = Sequence[Goal | Mapping[str, Any]]
_FreeAxes: TypeAlias = _Axes | Mapping[str, _Axes] | None

class _JointLimit(TypedDict, total=False):
    velocity: float
    acceleration: float
    jerk: float

_JointBounds: TypeAlias = Mapping[str, tuple[float, float]] | tuple[ArrayLike, ArrayLike] | ArrayLike | None
_JointLimits: TypeAlias = _Path | Mapping[str, _JointLimit] | None

class Error(ValueError): ...

@final
class Robot:
    def __new__(
        cls, urdf: _Path, *, package_dirs: Sequence[_Path] = (), srdf: _Path | None = None, soft_limits: bool = False
    ) -> Robot: ...
    @property
    def name(self) -> str: ...
    @property
    def urdf(self) -> str: ...
    @property
    def root(self) -> str: ...
    @property
    def link_names(self) -> list[str]: ...
    @property
    def leaves(self) -> list[str]: ...
    @property
    def joint_names(self) -> list[str]: ...
    @property
    def warnings(self) -> list[str]: ...
    def link_poses(self, positions: _Positions = {}) -> dict[str, _Floats]: ...

@final
class Arm:
    def __new__(
        cls,
        robot: _Path | Robot,
        tip: str | Sequence[str] | None = None,
        base: str | None = None,
        *,
        tool: _Pose | None = None,
        package_dirs: Sequence[_Path] = (),
        srdf: _Path | None = None,
        soft_limits: bool = False,
    ) -> Arm: ...
    @classmethod
    def from_mujoco(
        cls,
        model: Any,
        *,
        site: str | Sequence[str] | None = None,
        body: str | Sequence[str] | None = None,
        base: str | None = None,
        tool: _Pose | None = None,
    ) -> Arm: ...
    def with_tool(self, tool: _Pose) -> Arm: ...
    @property
    def tool(self) -> _Floats: ...
    @property
    def joint_names(self) -> list[str]: ...
    @property
    def lower(self) -> _Floats: ...
    @property
    def upper(self) -> _Floats: ...
    @property
    def nominal(self) -> _Floats: ...
    @property
    def tips(self) -> list[str]: ...
    @property
    def base(self) -> str: ...
    @property
    def robot(self) -> Robot: ...
    def order(self, names: Sequence[str]) -> NDArray[np.uintp]: ...
    def forward_kinematics(self, q: _Positions, *, tip: str | None = None) -> _Floats: ...
    def jacobian(self, q: _Positions, frame: _Frame = "base", *, tip: str | None = None) -> _Floats: ...
    @overload
    def manipulability(self, q: _OneRow, *, tip: str | None = None) -> float: ...
    @overload
    def manipulability(self, q: _Rows, *, tip: str | None = None) -> _Floats: ...
    @overload
    def manipulability(self, q: NDArray[Any], *, tip: str | None = None) -> float | _Floats: ...
    def solve(
        self,
        pose: _Pose | None = None,
        seed: _Positions | None = None,
        *,
        goals: _Goals | None = None,
        constraints: _Goals | None = None,
        solver: _Solver = "jacobian",
        free_axes: _FreeAxes = None,
        position_tolerance: float = 1e-05,
        orientation_tolerance: float = 1e-05,
        pick: _Pick = "first",
        attempts: int = 100,
        random_seed: int = 0,
        timeout: float | None = None,
        avoid: World | None = None,
        posture: _Positions | None = None,
        posture_weight: float = 1.0,
        limits_weight: float = 0.0,
        manipulability_weight: float = 0.0,
        bounds: _JointBounds = None,
        move_weights: _Positions | None = None,
        tool: _Pose | None = None,
        closest: bool | Literal["position"] = True,
    ) -> Answer: ...
    def solve_all(
        self,
        pose: _Pose | None = None,
        seed: _Positions | None = None,
        *,
        max_turns: int = 0,
        goals: _Goals | None = None,
        constraints: _Goals | None = None,
        solver: _Solver = "jacobian",
        free_axes: _FreeAxes = None,
        position_tolerance: float = 1e-05,
        orientation_tolerance: float = 1e-05,
        attempts: int = 100,
        random_seed: int = 0,
        timeout: float | None = None,
        avoid: World | None = None,
        posture: _Positions | None = None,
        posture_weight: float = 1.0,
        limits_weight: float = 0.0,
        manipulability_weight: float = 0.0,
        bounds: _JointBounds = None,
        move_weights: _Positions | None = None,
        tool: _Pose | None = None,
    ) -> list[Answer]: ...
    def solve_batch(
        self,
        poses: _Pose | None = None,
        seeds: _Positions | None = None,
        *,
        threads: int = 1,
        progress: Callable[[int, int], object] | None = None,
        goals: _Goals | Sequence[_Goals] | None = None,
        constraints: _Goals | Sequence[_Goals] | None = None,
        solver: _Solver = "jacobian",
        free_axes: _FreeAxes = None,
        position_tolerance: float = 1e-05,
        orientation_tolerance: float = 1e-05,
        pick: _Pick = "first",
        attempts: int = 100,
        random_seed: int = 0,
        timeout: float | None = None,
        avoid: World | None = None,
        posture: _Positions | None = None,
        posture_weight: float = 1.0,
        limits_weight: float = 0.0,
        manipulability_weight: float = 0.0,
        bounds: _JointBounds = None,
        move_weights: _Positions | None = None,
        tool: _Pose | None = None,
        closest: bool | Literal["position"] = True,
    ) -> Answers: ...
    def track(
        self,
        pose: _Pose | None,
        q: _Positions,
        max_step: float | ArrayLike | None = None,
        *,
        goals: _Goals | None = None,
        constraints: _Goals | None = None,
        solver: _Solver = "jacobian",
        free_axes: _FreeAxes = None,
        position_tolerance: float = 1e-05,
        orientation_tolerance: float = 1e-05,
        avoid: World | None = None,
        posture: _Positions | None = None,
        posture_weight: float = 1.0,
        limits_weight: float = 0.0,
        manipulability_weight: float = 0.0,
        bounds: _JointBounds = None,
        move_weights: _Positions | None = None,
        tool: _Pose | None = None,
        closest: bool | Literal["position"] = True,
    ) -> Answer: ...
    def path(
        self,
        waypoints: ArrayLike,
        q: _Positions | None = None,
        *,
        blend_radius: float = 0.0,
        speed: float = 0.1,
        acceleration: float = 0.5,
        period: float = 0.01,
        joint_limits: _JointLimits = None,
        search: int = 100,
        goals: _Goals | None = None,
        constraints: _Goals | None = None,
        solver: _Solver = "jacobian",
        free_axes: _FreeAxes = None,
        avoid: World | None = None,
        posture: _Positions | None = None,
        posture_weight: float = 1.0,
        limits_weight: float = 0.0,
        manipulability_weight: float = 0.0,
        tool: _Pose | None = None,
    ) -> Trajectory: ...
    def servo(
        self,
        rate: float,
        q: _Positions,
        *,
        joint_limits: _JointLimits = None,
        linear_speed: float = 0.5,
        angular_speed: float = 1.5,
        max_deviation_angle: float = 1.05,
        slack_position: float = 0.02,
        slack_orientation: float = 0.1,
        free_axes: _FreeAxes = None,
        avoid: World | None = None,
        goals: _Goals | None = None,
        held_back: _HeldBack | None = None,
        give_position: float | None = None,
        give_orientation: float | None = None,
    ) -> Servo: ...

@final
class World:
    def __new__(
        cls,
        arm: Arm,
        obstacles: Iterable[Mapping[str, Any]] = (),
        *,
        attached: Iterable[Mapping[str, Any]] = (),
        rest: Mapping[str, float] = {},
        margin: float = 0.0001,
        missing_shapes: Literal["refuse", "ignore"] = "refuse",
    ) -> World: ...
    @property
    def margin(self) -> float: ...
    @property
    def missing_shapes(self) -> list[str]: ...
    def moved(self, poses: Mapping[str, ArrayLike]) -> World: ...
    @overload
    def is_free(self, q: _OneRow) -> bool: ...
    @overload
    def is_free(self, q: _Rows) -> NDArray[np.bool_]: ...
    @overload
    def is_free(self, q: NDArray[Any]) -> bool | NDArray[np.bool_]: ...
    def nearest(self, q: _Positions) -> tuple[str, str, float] | None: ...

@final
class Servo:
    def step(
        self,
        twist: _Pose | None = None,
        *,
        frame: _Frame = "base",
        velocities: _Positions | None = None,
        pose: _Pose | None = None,
    ) -> _Floats: ...
    @property
    def report(self) -> dict[str, Any]: ...
    @property
    def goals(self) -> _Goals | None: ...
    @property
    def positions(self) -> _Floats: ...
    @property
    def velocities(self) -> _Floats: ...
    @property
    def accelerations(self) -> _Floats: ...
    @property
    def is_at_rest(self) -> bool: ...

@final
class Skeleton:
    def __new__(cls, model: _Path) -> Skeleton: ...
    @property
    def name(self) -> str: ...
    @property
    def points(self) -> list[str]: ...
    @property
    def ends(self) -> list[str]: ...
    @property
    def rest(self) -> _Floats: ...
    def solve(
        self,
        targets: Mapping[str, ArrayLike],
        seed: ArrayLike | Mapping[str, float] | SkeletonAnswer | None = None,
        *,
        root: Literal["fixed", "free"] | ArrayLike = "fixed",
        weights: Mapping[str, float] | None = None,
        tolerance: float = 1e-06,
        orientation_tolerance: float = 1e-06,
    ) -> SkeletonAnswer: ...

def pose_numbers(pose: ArrayLike) -> _Floats: ...
def rebuild_arm(given: dict[str, Any], tips: list[str], base: str, tools: list[list[float]]) -> Arm: ...
def rebuild_robot(given: dict[str, Any]) -> Robot: ...
def rebuild_servo(arm: Arm, saved: dict[str, Any], world: World | None) -> Servo: ...
def run_command(arguments: Sequence[str]) -> int: ...
