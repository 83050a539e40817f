"""Random problems of goals, and their check by Pinocchio.

    judge.py make ROBOT.urdf BASE TIP[,TIP…] OUT.json COUNT [SEED]   problems that hold at a random configuration
    judge.py at_limits …                                             mixtures that hold at one with joints at limits
    judge.py for_peers …                                             exact goals, for peers.py
    judge.py infeasible …                                            problems with one reason to fail
    judge.py standing …                                              unreachable poses with standing goals, for nearest.py
    urdf_ik evaluate --cases OUT.json --solutions S.json --outcomes O.json
    judge.py check OUT.json S.json [O.json]                          checks the command line's answers
    judge.py times OUT.json T.json                                   mean times of `evaluate --times` over that of full poses"""
import json
import sys
from pathlib import Path

import infeasible
import numpy as np
import problems
from measure import Robot, meets

MAKERS = {'make': problems.make, 'at_limits': problems.at_limits, 'for_peers': problems.for_peers, 'infeasible': infeasible.infeasible,
          'standing': infeasible.standing}
WORDS = {'reach': 'cannot be met, even without joint limits', 'conflict': 'excludes the others', 'limits': 'limit'}


def write(kind, urdf, base, tips, out, count, seed=1):
    tips = tips.split(',')
    robot = Robot(urdf, base)
    names, limits, circles = robot.chain(tips)
    head = {'robot': Path(urdf).stem, 'urdf': str(Path(urdf).resolve()), 'base_link': base, 'tip_links': tips, 'joint_names': names,
            'lower': limits[:, 0].tolist(), 'upper': limits[:, 1].tolist(), 'continuous': circles}
    Path(out).write_text(json.dumps(head | {'cases': list(MAKERS[kind](robot, tips, int(count), int(seed)))}))


def check(cases, solutions, outcomes=None):
    file = json.loads(Path(cases).read_text())
    robot, counts = Robot(file['urdf'], file['base_link']), {}
    answers = json.loads(Path(solutions).read_text())
    sentences = json.loads(Path(outcomes).read_text()) if outcomes else [''] * len(answers)
    for index, (case, q, sentence) in enumerate(zip(file['cases'], answers, sentences)):
        solved, wrong, total = counts.setdefault(case['kind'], [0, 0, 0])
        if 'reason' in case:
            good, claimed = q is None and WORDS[case['reason']] in sentence, q is not None
        else:
            good = q is not None and meets(robot, file, case, q)
            claimed = q is not None and not good
        if not good:
            print(f"case {index}, {case['kind']}: {sentence}")
        counts[case['kind']] = [solved + good, wrong + claimed, total + 1]
    failed = {kind: count for kind, count in counts.items() if count[0] < count[2] or count[1]}
    good, wrong, total = np.sum(list(counts.values()), axis=0)
    print(f"{file['robot']}: {good} of {total}, {wrong} false claims")
    for kind, (solved, wrong, total) in failed.items():
        print(f'    {kind}: {solved} of {total}, {wrong} false')
    return bool(failed)


def times(cases, durations):
    """The mean time of each kind, of one goal and of mixtures, relative to that of full poses; the limits are factors of three and
    eight."""
    file, found = json.loads(Path(cases).read_text()), np.array(json.loads(Path(durations).read_text()))
    kinds = np.array([case['kind'] for case in file['cases']])
    pose = found[kinds == 'pose'].mean()
    ratios = {kind: found[kinds == kind].mean() / pose for kind in dict.fromkeys(kinds.tolist())}
    mixed = np.array(['+' in kind for kind in kinds])
    one, more = found[~mixed & (kinds != 'pose')].mean() / pose, found[mixed].mean() / pose
    print(f"{file['robot']}: {found.mean():.1f} µs, full pose {pose:.2f} µs, one goal {one:.2f} times as long, mixtures {more:.2f};",
          ', '.join(f'{kind} {ratio:.1f}' for kind, ratio in sorted(ratios.items(), key=lambda each: -each[1])[:6]))
    return one > 3 or more > 8 or any(ratio > (8 if '+' in kind else 3) for kind, ratio in ratios.items())


if __name__ == '__main__':
    readers = {'check': check, 'times': times}
    sys.exit(readers[sys.argv[1]](*sys.argv[2:]) if sys.argv[1] in readers else write(*sys.argv[1:]))
