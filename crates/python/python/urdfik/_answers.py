"""The results of urdfik: plain data, which can be pickled."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Outcome(IntEnum):
    """The outcome of a problem, with the codes of the node's SolveStatus."""

    SOLVED = 0
    """The pose and all goals are met within the tolerances."""
    OUT_OF_REACH = 1
    """The pose is provably out of reach, or a goal is met nowhere."""
    JOINT_LIMITS = 2
    """Joint limits are in the way: without them the pose is met."""
    STEP_LIMITED = 3
    """``max_step`` limited the motion towards the pose."""
    NOT_CONVERGED = 4
    """No solution within the attempts and the time."""
    INVALID = 5
    """An invalid row of a batch: ``Answers.refused`` has the reason."""
    COLLISION = 9
    """A collision is in the way: the clearance would be smaller than the margin."""
    POSITION_ONLY = 10
    """With ``closest="position"``: the position is met, with the closest orientation."""
    GOAL_CONFLICT = 12
    """A goal or pose excludes the others: without it they are met."""


_IN_WORDS = {
    Outcome.SOLVED: "solved",
    Outcome.OUT_OF_REACH: "out of reach",
    Outcome.JOINT_LIMITS: "joints are at their limits",
    Outcome.STEP_LIMITED: "on its way: the largest allowed step is too short",
    Outcome.NOT_CONVERGED: "no solution was found",
    Outcome.COLLISION: "something is in the way",
    Outcome.GOAL_CONFLICT: "goals exclude each other",
    Outcome.POSITION_ONLY: "position only: the orientation is as close as it goes there",
}


@dataclass(slots=True, eq=False)
class Answer:
    """The answer to one problem."""

    solved: bool
    """True if forward kinematics of exactly these positions meets every pose and goal."""
    positions: NDArray[np.float64]
    """Joint positions (n,) [rad or m], within the joint limits; the closest that were found if a pose or goal is not met."""
    reason: str
    """The outcome as a sentence, with numbers and names."""
    outcome: Outcome
    position_error: float
    """Position error of the tip [m] along the axes that are not free; the largest of several tips."""
    orientation_error: float
    """Orientation error of the tip [rad] about the axes that are not free; the largest of several tips."""
    violations: NDArray[np.float64]
    """Violation of each goal (G,) [m or rad]; those that are met may have up to 1e-5."""
    iterations: int
    """Number of iterations in all attempts."""
    attempts: int
    """Number of starting points tried, including the seed, without those whose solution collided."""


@dataclass(slots=True, eq=False)
class Answers:
    """The answers to a batch of N problems, in the same order."""

    solved: NDArray[np.bool_]
    """(N,), as Answer.solved."""
    positions: NDArray[np.float64]
    """(N, n) [rad or m]; NaN in refused rows."""
    outcomes: NDArray[np.uint8]
    """(N,), values of Outcome."""
    position_errors: NDArray[np.float64]
    """(N,) [m]; NaN in refused rows."""
    orientation_errors: NDArray[np.float64]
    """(N,) [rad]; NaN in refused rows."""
    violations: NDArray[np.float64]
    """(N, G) [m or rad], with the greatest number G of goals; NaN in refused rows, and in rows with fewer goals."""
    iterations: NDArray[np.int64]
    """(N,)"""
    attempts: NDArray[np.int64]
    """(N,)"""
    refused: dict[int, str]
    """Reasons for refused rows, by row index."""

    def __len__(self) -> int:
        return len(self.solved)

    @property
    def reasons(self) -> list[str]:
        """The outcome of each row in words, created on each access."""
        return [self.refused.get(row) or _IN_WORDS[Outcome(outcome)] for row, outcome in enumerate(self.outcomes)]


@dataclass(slots=True, eq=False)
class Trajectory:
    """Joint positions at T equally spaced times, from rest to rest. T is 0 if no part of the path can be followed."""

    times: NDArray[np.float64]
    """(T,) [s], starting at 0."""
    positions: NDArray[np.float64]
    """(T, n) [rad or m], inside the joint limits."""
    velocities: NDArray[np.float64]
    """(T, n) [rad/s or m/s]"""
    accelerations: NDArray[np.float64]
    """(T, n) [rad/s² or m/s²]"""
    fraction: float
    """Fraction of the path length that is followed; exactly 1 if its last pose is reached."""
    reason: str | None
    """Where and why it ends early, as a sentence; None if complete."""
    position_deviation: float
    """Largest position error of the tip from the path [m], along the axes that are not free."""
    orientation_deviation: float
    """Largest orientation error of the tip from the path [rad], about the axes that are not free."""
    goal_violations: NDArray[np.float64]
    """Largest violation of each goal along the trajectory [m or rad]; empty without goals or without points."""

    @property
    def complete(self) -> bool:
        """True if the path is followed to its end."""
        return self.reason is None


@dataclass(slots=True, eq=False)
class SkeletonAnswer:
    """A pose of a skeleton with m points, within all lengths and limits."""

    solved: bool
    """True if every target is met."""
    points: NDArray[np.float64]
    """(m, 3) [m]"""
    orientations: NDArray[np.float64]
    """(m, 4), qx qy qz qw: the root, then each segment, whose x axis points along it."""
    positions: dict[str, float] | None
    """Joint positions [rad]: by segment for a figure of hinges, NAME_pitch and NAME_yaw for a pitch-yaw arm;
    None if a joint has more than one angle."""
    reasons: dict[str, str]
    """The outcome of each target, in words."""
    errors: dict[str, tuple[float, float]]
    """Remaining distance [m] and angle [rad] of each target."""
    iterations: int
    restarts: int
