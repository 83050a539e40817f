"""Runs urdf_ik and published solvers on the same cases in turn, checks every answer, writes tables and a plot.

    python compare.py URDF_IK_PROGRAM FOLDER_OF_COMPILED_PEERS          (`make bench-peers` does this)

Environment variables: CASES (maximum for each arm; 400), ROBOTS and PEERS (names, separated by commas; default:
all), CASE_FOLDER (default: ../shared/cases beside the project, where there is one), OUT (folder of the results;
default: this one), UPDATE_DOCS (1: writes the short table into docs/benchmarks.md, between its two marker comments).
"""
import json
import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import arms
import plot
import report
import solvers
from solvers import TIME_LIMIT, TOLERANCE, PeerError

ROOT = Path(__file__).resolve().parents[2]
CHUNKS = 4  # of the cases of an arm: solvers take turns, to share changes of the machine's speed
SEEDS = ('nominal', 'random')


@dataclass
class Result:
    """Results of one solver for one arm and one kind of seed."""

    solved: list[bool] = field(default_factory=list)
    times: list[float] = field(default_factory=list)  # [us]
    wrong: int = 0  # answers that miss the target or the limits
    failure: str = ''  # reason for missing answers


def judge(result, cases, answers, is_right, limit=TIME_LIMIT):
    """Adds the answers to the result. A correct one after the time limit is not wrong, but does not count."""
    if not len(cases) == len(answers.solutions) == len(answers.times):
        raise PeerError('it did not answer every case')
    for case, solution, time in zip(cases, answers.solutions, answers.times, strict=True):
        right = solution is not None and is_right(case, solution)
        result.wrong += solution is not None and not right
        result.solved.append(right and time <= limit * 1e6)
        result.times.append(time)


def compare(arm, seed, competitors):
    """The results of all solvers by name; each chunk of the cases begins with another solver."""
    kinematics = arms.Kinematics(arm.urdf, arm.base, arm.tip)

    def is_right(case, solution):
        return kinematics.is_right(solution, case, TOLERANCE)

    results = {solver.name: Result() for solver in competitors}
    with tempfile.TemporaryDirectory() as folder:
        for chunk in range(CHUNKS):
            cases = arm.cases[chunk::CHUNKS]
            if not cases:
                continue
            task = solvers.write_task(arm, cases, seed, Path(folder))
            first = chunk % len(competitors)
            for solver in competitors[first:] + competitors[:first]:
                result = results[solver.name]
                if result.failure:
                    continue
                try:
                    judge(result, cases, solver.answers(task), is_right)
                except PeerError as error:
                    if solver.name == solvers.OURS:
                        raise
                    result.failure = str(error)
                    print(f'{arm.name}, {seed}: {solver.label} is left out: {error}', flush=True)
    return results


def case_count():
    text = os.environ.get('CASES') or '400'
    if not text.isdecimal() or int(text) == 0:
        raise PeerError(f'CASES is "{text}": it must be a whole number above 0')
    return int(text)


def scene_folder():
    return Path(os.environ.get('SCENE_FOLDER') or ROOT.parent / 'shared' / 'scenes')


def scene_robots():
    """The robots of the scene files, used by compare_scenes.py."""
    return [path.stem for path in sorted(scene_folder().glob('*.json'))]


def all_arms(count):
    """The bundled arm and those of the case files; arms that cannot be compared are skipped with a message."""
    names = solvers.names_from('ROBOTS')
    folder = Path(os.environ.get('CASE_FOLDER') or ROOT.parent / 'shared' / 'cases')
    found = [arms.bundled_arm(ROOT, count)]
    for path in sorted(folder.glob('*.json')):
        try:
            found.append(arms.read_case_file(path, count))
        except (arms.ArmError, OSError, KeyError, json.JSONDecodeError) as error:
            print(f'{path} is left out: {error}', flush=True)
    there = [arm.name for arm in found] + scene_robots()
    if unknown := [name for name in names if name not in there]:
        raise PeerError(f'ROBOTS names {", ".join(unknown)}; there are: {", ".join(dict.fromkeys(there))}')
    return [arm for arm in found if arm.cases and (not names or arm.name in names)]


def installed(competitors):
    """The installed solvers with their versions; the others are skipped with a message."""
    found = {}
    for solver in competitors:
        try:
            found[solver] = solver.version()
        except PeerError as error:
            if solver.name == solvers.OURS:
                raise
            print(f'{solver.label} is left out: {error}', flush=True)
    return found


def run(ours, programs):
    document = ROOT / 'docs' / 'benchmarks.md' if os.environ.get('UPDATE_DOCS') == '1' else None
    if document:
        report.split_at_markers(document)  # fail before the run rather than after it
    out = Path(os.environ.get('OUT') or Path(__file__).parent)
    out.mkdir(parents=True, exist_ok=True)
    versions = installed(solvers.chosen(solvers.all_solvers(ours, programs), solvers.names_from('PEERS')))
    competitors = list(versions)
    labels = {solver.name: solver.label for solver in competitors}
    began, results = report.Machine.now(), {}
    for arm in all_arms(case_count()):
        for seed in SEEDS:
            results[arm.name, seed] = compare(arm, seed, competitors)
            print(report.summary(arm.name, seed, results[arm.name, seed], labels), flush=True)
    if not results:
        return
    machine = report.machine_text(began, report.Machine.now())
    versions = {solver.label: version for solver, version in versions.items()}
    (out / 'results.md').write_text(report.full_table(results, labels, versions, machine))
    plot.draw(results, labels, out / 'solved_against_time.svg')
    if document:
        report.write_between_markers(document, report.short_table(results, labels, machine))
    print(f'written: {out / "results.md"}, {out / "solved_against_time.svg"}{f", {document}" if document else ""}')


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        run(Path(sys.argv[1]), Path(sys.argv[2]))
    except (PeerError, arms.ArmError, report.MarkerError) as error:
        sys.exit(f'bench-peers: {error}')


if __name__ == '__main__':
    main()
