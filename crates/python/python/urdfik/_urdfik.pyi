from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from urdfik._answers import Answer, Answers, SkeletonAnswer, Trajectory

__all__ = ["Arm", "Error", "Robot", "Servo", "Skeleton", "World", "rebuild_arm", "rebuild_robot"]

_Floats: TypeAlias = NDArray[np.float64]
_Path: TypeAlias = str | PathLike[str]
_Pose: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
_Positions: TypeAlias = ArrayLike | Mapping[str, float]
_Solver: TypeAlias = Literal["jacobian", "closed_form", "fabrik"]
_Pick: TypeAlias = Literal["first", "nearest", "most_manipulable"]
_Frame: TypeAlias = Literal["base", "tip"]
_Axis: TypeAlias = Literal["x", "y", "z", "rx", "ry", "rz"]
_Axes: TypeAlias = _Axis | Sequence[_Axis]
_FreeAxes: TypeAlias = _Axes | Mapping[str, _Axes] | None

class _JointLimit(TypedDict, total=False):
    velocity: float
    acceleration: float
    jerk: float

_JointLimits: TypeAlias = _Path | Mapping[str, _JointLimit] | None

class Error(ValueError): ...

@final
class Robot:
    def __new__(cls, urdf: _Path, *, package_dirs: Sequence[_Path] = (), srdf: _Path | None = None) -> Robot: ...
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
    def link_poses(self, positions: Mapping[str, float] = {}) -> dict[str, _Floats]: ...

@final
class Arm:
    def __new__(
        cls,
        robot: _Path | Robot,
        tip: str | Sequence[str] | None = None,
        base: str | None = None,
        *,
        package_dirs: Sequence[_Path] = (),
        srdf: _Path | None = None,
    ) -> Arm: ...
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
    def manipulability(self, q: Mapping[str, float], *, tip: str | None = None) -> float: ...
    @overload
    def manipulability(self, q: ArrayLike, *, tip: str | None = None) -> Any: ...
    def solve(
        self,
        pose: _Pose,
        seed: _Positions | None = None,
        *,
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
        closest: bool | Literal["position"] = True,
    ) -> Answer: ...
    def solve_all(
        self,
        pose: _Pose,
        seed: _Positions | None = None,
        *,
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
    ) -> list[Answer]: ...
    def solve_batch(
        self,
        poses: _Pose,
        seeds: _Positions | None = None,
        *,
        threads: int = 1,
        progress: Callable[[int, int], object] | None = None,
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
        closest: bool | Literal["position"] = True,
    ) -> Answers: ...
    def track(
        self,
        pose: _Pose,
        q: _Positions,
        max_step: float | ArrayLike | None = None,
        *,
        solver: _Solver = "jacobian",
        free_axes: _FreeAxes = None,
        position_tolerance: float = 1e-05,
        orientation_tolerance: float = 1e-05,
        avoid: World | None = None,
        posture: _Positions | None = None,
        posture_weight: float = 1.0,
        limits_weight: float = 0.0,
        manipulability_weight: float = 0.0,
        closest: bool | Literal["position"] = True,
    ) -> Answer: ...
    def path(
        self,
        waypoints: ArrayLike,
        q: _Positions,
        *,
        blend_radius: float = 0.0,
        speed: float = 0.1,
        acceleration: float = 0.5,
        period: float = 0.01,
        joint_limits: _JointLimits = None,
        solver: _Solver = "jacobian",
        free_axes: _FreeAxes = None,
        avoid: World | None = None,
        posture: _Positions | None = None,
        posture_weight: float = 1.0,
        limits_weight: float = 0.0,
        manipulability_weight: float = 0.0,
    ) -> Trajectory: ...
    def servo(
        self,
        rate: float,
        q: _Positions,
        *,
        joint_limits: _JointLimits = None,
        linear_speed: float = 0.5,
        angular_speed: float = 1.5,
        held_back: str = "wait",
        give_position: float = 0.02,
        give_orientation: float = 0.1,
        free_axes: _FreeAxes = None,
        avoid: World | None = None,
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
    ) -> World: ...
    @property
    def margin(self) -> float: ...
    @property
    def missing_shapes(self) -> list[str]: ...
    @overload
    def is_free(self, q: Mapping[str, float]) -> bool: ...
    @overload
    def is_free(self, q: ArrayLike) -> Any: ...
    def nearest(self, q: _Positions) -> tuple[str, str, float] | None: ...

@final
class Servo:
    def step(
        self, twist: _Pose | None = None, *, frame: _Frame = "base", velocities: _Positions | None = None
    ) -> _Floats: ...
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
        seed: ArrayLike | SkeletonAnswer | None = None,
        *,
        root: Literal["fixed", "free"] | ArrayLike = "fixed",
        weights: Mapping[str, float] | None = None,
        tolerance: float = 1e-06,
        orientation_tolerance: float = 1e-06,
    ) -> SkeletonAnswer: ...

def rebuild_arm(given: dict[str, Any], tips: list[str], base: str) -> Arm: ...
def rebuild_robot(given: dict[str, Any]) -> Robot: ...
