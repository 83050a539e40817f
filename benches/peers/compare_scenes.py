"""Runs urdf_ik and published solvers on the same scenes, checks every answer with Pinocchio and coal, writes a table.

    python compare_scenes.py URDF_IK_PROGRAM                             (`make bench-peers` does this)

Environment variables: CASES (maximum for each robot; 400), ROBOTS and PEERS (names, separated by commas;
default: all), SCENE_FOLDER (default: ../shared/scenes beside the project, where there is one), OUT (folder of the
results; default: this one), UPDATE_DOCS (1: writes the table into docs/collisions.md, between its two marker
comments).
"""
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

import arms
import report
import scenes
from compare import ROOT, Result, case_count, installed, judge, scene_folder
from solvers import HERE, OURS, RUNS, TOLERANCE, PeerError, PythonPeer, evaluated, names_from, parsed, run_alone

TIME_LIMIT = 0.05  # [s] of one solve
MARKERS = 'bench-scenes'
HOW = f"""\
Collision-free solutions among obstacles: a free configuration is known for each target. Limit of one solve:
{TIME_LIMIT * 1e3:g} ms. Tolerance: {report.TOLERANCE_TEXT} m and rad. A case is solved if the answer came within the limit, meets the
target, lies inside the joint limits, and is free by coal on the exact shapes. An answer is wrong if the solver claims
success for it, but one of these is not so. Mean, median and 99th percentile are over all cases, the smallest of {RUNS}
runs each. TRAC-IK is asked again from random seeds until coal finds no collision; roboplan's SimpleIk checks collisions
itself.
"""


def peer_answers(name, path, chain):
    settings = [str(TIME_LIMIT), str(TOLERANCE), str(RUNS)]
    return parsed(run_alone([sys.executable, HERE / 'scene_peers.py', name, path, chain, *settings]))


def judged(scene_judge, cases, answers):
    """The answers as a result."""
    def is_right(case, solution):
        scene_judge.enter(case)
        return scene_judge.is_right(solution, case['target'], TOLERANCE)

    result = Result()
    judge(result, cases, answers, is_right, TIME_LIMIT)
    return result


def compare(of, program, peers):
    """The results of all solvers by name."""
    scene_judge, results = scenes.Judge(of), {}
    with tempfile.TemporaryDirectory() as folder:
        path, chain = Path(folder) / 'scenes.json', Path(folder) / arms.CHAIN
        scenes.write(of, path)
        arms.write_chain_urdf(arms.arm_from(of.robot, of.urdf, of.base, of.tip), chain)
        results[OURS] = judged(scene_judge, of.cases, evaluated(program, path, Path(folder), TIME_LIMIT, '--avoid-collisions'))
        for peer in peers:
            try:
                results[peer.name] = judged(scene_judge, of.cases, peer_answers(peer.name, path, chain))
            except PeerError as error:
                print(f'{of.robot}: {peer.label} is left out: {error}', flush=True)
    return results


def all_scenes(folder, count):
    """The scenes of the bundled arm and those of the files."""
    names = names_from('ROBOTS')

    def wanted(name):
        return not names or name in names
    files = [path for path in sorted(scene_folder().glob('*.json')) if wanted(path.stem)]
    found = [scenes.bundled(ROOT, folder, count)] if wanted('arm7') else []
    return found + [scenes.read(path, count) for path in files]


def table(results, labels):
    header = ['robot', 'solver', 'solved %', 'wrong', 'mean µs', 'median µs', '99 % µs', '× urdf_ik']
    rows = []
    for robot, by_name in results.items():
        for name, result in by_name.items():
            times = [np.mean(result.times), *np.percentile(result.times, [50, 99])]
            rows.append([robot, labels[name], report.percent_solved([result]), str(result.wrong),
                         *map(report.microseconds, times), report.ratio(result.times, by_name[OURS].times)])
    return report.table(header, rows, 2)


def run(program):
    document = ROOT / 'docs' / 'collisions.md' if os.environ.get('UPDATE_DOCS') == '1' else None
    if document:
        report.split_at_markers(document, MARKERS)  # fail before the run rather than after it
    out = Path(os.environ.get('OUT') or Path(__file__).parent)
    out.mkdir(parents=True, exist_ok=True)
    peers, names = [PythonPeer('trac_ik', 'TRAC-IK with coal', 'pytracik'),
                    PythonPeer('roboplan', 'roboplan SimpleIk', 'roboplan')], names_from('PEERS')
    versions = installed([peer for peer in peers if not names or peer.name in names])
    labels = {OURS: 'urdf_ik', **{peer.name: peer.label for peer in versions}}
    began, results = report.Machine.now(), {}
    with tempfile.TemporaryDirectory() as folder:
        for of in all_scenes(Path(folder), case_count()):
            results[of.robot] = compare(of, program, list(versions))
            print(report.summary(of.robot, f'{len(of.cases)} scenes', results[of.robot], labels), flush=True)
    if not results:
        return
    text = f'{HOW}\n{report.machine_text(began, report.Machine.now())}:\n\n{table(results, labels)}'
    text += '\nVersions: ' + '; '.join(f'{peer.label}: {version}' for peer, version in versions.items()) + '.\n'
    title = '# urdf_ik beside published solvers, among obstacles\n\nWritten by `make bench-peers`.\n\n'
    (out / 'scene_results.md').write_text(title + text)
    if document:
        report.write_between_markers(document, text, MARKERS)
    print(f'written: {out / "scene_results.md"}{f", {document}" if document else ""}')


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        run(Path(sys.argv[1]))
    except (PeerError, arms.ArmError, report.MarkerError) as error:
        sys.exit(f'bench-peers: {error}')


if __name__ == '__main__':
    main()
