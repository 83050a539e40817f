"""What urdfik answers: plain data, which can be pickled."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class Outcome(IntEnum):
    """The outcome of a problem, with the codes of the node's SolveStatus."""

    SOLVED = 0
    """The pose is met within the tolerances."""
    OUT_OF_REACH = 1
    """Certain: no joint positions reach the pose."""
    JOINT_LIMITS = 2
    """Joint limits are in the way: without them the pose is met."""
    STEP_LIMITED = 3
    """On its way: ``max_step`` did not allow more."""
    NOT_CONVERGED = 4
    """The attempts or the time ran out before a solution was found."""
    INVALID = 5
    """The row of a batch makes no sense: ``Answers.refused`` says why."""
    COLLISION = 9
    """Something is in the way: the arm would come nearer to it than the margin."""
    POSITION_ONLY = 10
    """With ``closest="position"``: the position is met, and the orientation is as close as it goes there."""


_IN_WORDS = {
    Outcome.SOLVED: "solved",
    Outcome.OUT_OF_REACH: "out of reach",
    Outcome.JOINT_LIMITS: "joints are at their limits",
    Outcome.STEP_LIMITED: "on its way: the largest allowed step is too short",
    Outcome.NOT_CONVERGED: "no solution was found",
    Outcome.COLLISION: "something is in the way",
    Outcome.POSITION_ONLY: "position only: the orientation is as close as it goes there",
}


@dataclass(slots=True, eq=False)
class Answer:
    """The answer to one problem."""

    solved: bool
    """Whether every pose is met, by forward kinematics of exactly these positions."""
    positions: NDArray[np.float64]
    """Joint positions (n,) [rad or m], inside the joint limits; the nearest that were found where a pose is not met."""
    reason: str
    """The outcome as a sentence, with numbers and names."""
    outcome: Outcome
    position_error: float
    """Distance of the tip from its pose [m], over the axes that count; of several tips the largest."""
    orientation_error: float
    """The same for the angle [rad]."""
    iterations: int
    """Iterations of all attempts."""
    attempts: int
    """Starting points that were tried, with the seed."""


@dataclass(slots=True, eq=False)
class Answers:
    """The answers to a batch of N problems, in their order."""

    solved: NDArray[np.bool_]
    """(N,), as Answer.solved."""
    positions: NDArray[np.float64]
    """(N, n) [rad or m]; NaN in rows that were refused."""
    outcomes: NDArray[np.uint8]
    """(N,), values of Outcome."""
    position_errors: NDArray[np.float64]
    """(N,) [m]; NaN in rows that were refused."""
    orientation_errors: NDArray[np.float64]
    """(N,) [rad]; NaN in rows that were refused."""
    iterations: NDArray[np.int64]
    """(N,)"""
    attempts: NDArray[np.int64]
    """(N,)"""
    refused: dict[int, str]
    """Why rows were refused, by their indices."""

    def __len__(self) -> int:
        return len(self.solved)

    @property
    def reasons(self) -> list[str]:
        """The outcome of each row in words, made when it is asked for."""
        return [self.refused.get(row) or _IN_WORDS[Outcome(outcome)] for row, outcome in enumerate(self.outcomes)]


@dataclass(slots=True, eq=False)
class Trajectory:
    """Joint positions at T even times, from rest to rest. T is 0 where nothing of the path can be followed."""

    times: NDArray[np.float64]
    """(T,) [s], from 0 on."""
    positions: NDArray[np.float64]
    """(T, n) [rad or m], inside the joint limits."""
    velocities: NDArray[np.float64]
    """(T, n) [rad/s or m/s]"""
    accelerations: NDArray[np.float64]
    """(T, n) [rad/s² or m/s²]"""
    fraction: float
    """The fraction of the path that is followed; exactly 1 where its last pose is reached."""
    reason: str | None
    """Where and why it ends before that, as a sentence."""
    position_deviation: float
    """Greatest distance of the tip from the path [m], over the axes that are not free."""
    orientation_deviation: float
    """The same for the angle [rad]."""

    @property
    def complete(self) -> bool:
        """Whether the path is followed to its end."""
        return self.reason is None


@dataclass(slots=True, eq=False)
class SkeletonAnswer:
    """A pose of a skeleton of m points. All lengths and limits hold."""

    solved: bool
    """Whether every target is met."""
    points: NDArray[np.float64]
    """(m, 3) [m]"""
    orientations: NDArray[np.float64]
    """(m, 4), qx qy qz qw: of the root, then of each segment, whose x axis is along it."""
    positions: dict[str, float] | None
    """Joint positions [rad]: of a figure of hinges by segment, of an arm of pitch and yaw as NAME_pitch and NAME_yaw;
    None where a joint has more than one angle."""
    reasons: dict[str, str]
    """What became of each target, in words."""
    errors: dict[str, tuple[float, float]]
    """Distance [m] and angle [rad] that are left of each target."""
    iterations: int
    restarts: int
