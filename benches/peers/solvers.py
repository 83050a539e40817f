"""The solvers of the comparison: each runs on the cases of one file in a separate process on one core."""
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import arms

HERE = Path(__file__).resolve().parent
TIME_LIMIT = 0.005  # [s] of one solve
TOLERANCE = 1e-5  # [m] and [rad]
RUNS = 3  # of each case: the first gives the solution, the minimum time counts; as in `urdf_ik evaluate`
PROCESS_LIMIT = 900  # [s] for the cases of one file, in case a peer hangs
OURS = 'urdf_ik'
AMONG_OBSTACLES = {'roboplan'}  # peers of compare_scenes.py only


class PeerError(Exception):
    """A solver has no answers; the message gives the reason."""


@dataclass
class Answers:
    """Of the cases of one file, in their order."""

    solutions: list[list[float] | None]
    times: list[float]  # [us]


@dataclass
class Task:
    """The cases of one file in both forms, in the folder of temporary files."""

    cases: Path
    problem: Path
    seed: str
    folder: Path


class Solver:
    """A solver by its name in the environment variable PEERS, and its name in tables."""

    def __init__(self, name, label):
        self.name, self.label = name, label

    def version(self):
        """The version as text; PeerError if the solver is not installed."""
        raise NotImplementedError

    def answers(self, task):
        raise NotImplementedError


class Ours(Solver):
    def __init__(self, program):
        super().__init__(OURS, 'urdf_ik')
        self.program = program

    def version(self):
        describe = ['git', '-C', str(HERE), 'describe', '--always', '--dirty']
        revision = subprocess.run(describe, capture_output=True, text=True)
        return ' '.join(run_alone([self.program, '--version']).split()[1:] + revision.stdout.split())

    def answers(self, task):
        return evaluated(self.program, task.cases, task.folder, TIME_LIMIT, '--solver', 'jacobian', '--seed', task.seed)


class PythonPeer(Solver):
    def __init__(self, name, label, package):
        super().__init__(name, label)
        self.package = package

    def version(self):
        try:
            return f'{self.package} {metadata.version(self.package)}'
        except metadata.PackageNotFoundError:
            raise PeerError(f'the Python package {self.package} is not installed') from None

    def answers(self, task):
        return parsed(run_alone([sys.executable, HERE / 'python_peers.py', self.name, task.cases, str(TIME_LIMIT),
                                 str(TOLERANCE), str(RUNS)]))


class CompiledPeer(Solver):
    def __init__(self, name, label, program):
        super().__init__(name, label)
        self.program = program

    def version(self):
        if not self.program.is_file():
            raise PeerError(f'there is no {self.program}, so it was not built')
        return f'{self.name} {run_alone([self.program, "--version"]).strip()}'

    def answers(self, task):
        return parsed(run_alone([self.program, task.problem, str(RUNS)]))


def all_solvers(ours, programs):
    """Every solver, ours first; `programs` is the folder of the compiled peers."""
    return [
        Ours(ours),
        PythonPeer('trac_ik', 'TRAC-IK', 'pytracik'),
        PythonPeer('optik', 'OptIK', 'optik-py'),
        PythonPeer('roboticstoolbox', 'roboticstoolbox ik_LM', 'roboticstoolbox-python'),
        CompiledPeer('pinocchio', 'Pinocchio CLIK', programs / 'pinocchio'),
        CompiledPeer('kdl', 'KDL NR_JL', programs / 'kdl'),
        CompiledPeer('k', 'k', programs / 'k'),
    ]


def last_core():
    """The core of all solvers: the first ones also run the system's own work."""
    return max(os.sched_getaffinity(0))


def run_alone(command):
    """The output of a command on one core with one thread for linear algebra; PeerError if it fails."""
    threads = dict.fromkeys(['OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS', 'RAYON_NUM_THREADS'], '1')
    words = ['taskset', '--cpu-list', str(last_core()), *(str(word) for word in command)]
    surroundings = {**os.environ, **threads}
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=PROCESS_LIMIT, env=surroundings)
    except subprocess.TimeoutExpired:
        raise PeerError(f'it did not end within {PROCESS_LIMIT} s') from None
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f'it ended with status {done.returncode}']
        raise PeerError(words[-1])
    return done.stdout


def evaluated(program, cases, folder, limit, *options):
    """The answers of `urdf_ik evaluate` to a file of cases; `limit` in seconds."""
    solutions, times = folder / 'solutions.json', folder / 'times.json'
    run_alone([program, 'evaluate', '--cases', cases, '--timeout-ms', str(limit * 1e3), '--position-tolerance', str(TOLERANCE),
               '--orientation-tolerance', str(TOLERANCE), '--solutions', solutions, '--times', times, *options])
    return Answers(json.loads(solutions.read_text()), json.loads(times.read_text()))


def parsed(output):
    """The answers in the last line of a peer's output; libraries may print earlier lines."""
    content = json.loads(output.strip().splitlines()[-1])
    return Answers(content['solutions'], content['times_us'])


def write_task(arm, cases, seed, folder):
    """Writes the cases in both forms for the solvers."""
    task = Task(folder / 'cases.json', folder / 'problem.txt', seed, folder)
    arms.write_chain_urdf(arm, folder / arms.CHAIN)
    arms.write_chain_urdf(arm, folder / arms.BOUNDED_CHAIN, circles=False)
    arms.write_case_file(arm, cases, seed, folder, task.cases)
    arms.write_problem_file(arm, cases, seed, folder, task.problem, TIME_LIMIT, TOLERANCE)
    return task


def chosen(solvers, names):
    """Ours and the solvers of these names, by default all; PeerError for an unknown name."""
    known = {solver.name for solver in solvers}
    known |= AMONG_OBSTACLES
    if unknown := [name for name in names if name not in known]:
        raise PeerError(f'PEERS names {", ".join(unknown)}; there are: {", ".join(sorted(known - {OURS}))}')
    return [solver for solver in solvers if not names or solver.name in [OURS, *names]]


def names_from(variable):
    """The words of an environment variable, separated by commas or spaces."""
    return [word for word in re.split(r'[,\s]+', os.environ.get(variable, '')) if word]
