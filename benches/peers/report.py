"""The tables: the full one, and the short one for docs/benchmarks.md."""
import os
import platform
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import numpy as np

from solvers import OURS, RUNS, TIME_LIMIT, TOLERANCE

TOLERANCE_TEXT = f'{TOLERANCE:g}'.replace('e-0', 'e-')
MARKERS = 'bench-peers'

HOW = f"""\
Limit of one solve: {TIME_LIMIT * 1e3:g} ms. Tolerance: {TOLERANCE_TEXT} m and rad. Every case is run {RUNS} times. The
first run gives the solution. The smallest time counts, since one preemption would outweigh hundreds of solves. If a
solver uses other random numbers in each run (TRAC-IK, roboticstoolbox), the smallest time is that of its luckiest run.

Each solver runs in a process of its own on the same core. The solvers take turns, with a quarter of the cases at a time.
TRAC-IK has two threads by design, which share that core. The time is that of the call, from Python if that is the
solver's interface. A case is solved if its answer came within the limit, meets the target by Pinocchio's forward
kinematics of the whole robot, and lies inside the joint limits. An answer is wrong if the solver claims success for it,
but it misses the target or the limits. Mean, median and 99th percentile are over all cases, with the time that unsolved
ones took. The last column is the solver's mean time divided by that of urdf_ik.
"""


class MarkerError(Exception):
    """The document cannot be written; the message gives the reason."""


@dataclass
class Machine:
    """The state of the machine at one moment: its load is part of the results."""

    processor: str
    cores: int
    day: date
    load: float  # runnable processes, mean of a minute

    @classmethod
    def now(cls):
        lines = Path('/proc/cpuinfo').read_text().splitlines()
        models = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
        return cls((models or [platform.machine()])[0], os.cpu_count(), date.today(), os.getloadavg()[0])


def machine_text(began, ended):
    day = f'{ended.day.day} {ended.day:%B %Y}'
    load = f'load {began.load:.1f} before and {ended.load:.1f} at the end'
    return f'{ended.processor}, {ended.cores} cores, {load}, {day}'


def percent_solved(results):
    """Rounded down, so that 100 means all of them."""
    solved = [one for result in results for one in result.solved]
    return f'{1000 * sum(solved) // len(solved) / 10:.1f}'.removesuffix('.0')


def microseconds(time):
    """Whole numbers from 100 on, one decimal below, two below 10."""
    return f'{time:.{0 if time >= 99.95 else 1 if time >= 9.995 else 2}f}'


def ratio(times, ours):
    factor = np.mean(times) / np.mean(ours)
    return f'{factor:.0f}' if factor >= 9.95 else f'{factor:.1f}'


def summary(arm, seed, results, labels):
    """One line of one arm and seed for the terminal."""
    words = [f'{labels[name]} {microseconds(np.mean(result.times))} us {percent_solved([result])} %'
             for name, result in results.items() if not result.failure]
    return f'{arm}, {seed}: ' + ' | '.join(words)


def table(header, rows, left):
    """A Markdown table with text in the first `left` columns and numbers in the others."""
    rule = ['---'] * left + ['---:'] * (len(header) - left)
    return ''.join(f'| {" | ".join(row)} |\n' for row in [header, rule, *rows])


def full_table(results, labels, versions, machine):
    header = ['robot', 'seed', 'solver', 'solved %', 'wrong', 'mean µs', 'median µs', '99 % µs', '× urdf_ik']
    rows, left_out = [], []
    for (arm, seed), by_name in results.items():
        for name, result in by_name.items():
            if result.failure:
                left_out.append(f'- {labels[name]} on {arm}, {seed}: {result.failure}\n')
                continue
            median, late = np.percentile(result.times, [50, 99])
            times = [microseconds(time) for time in (np.mean(result.times), median, late)]
            rows.append([arm, seed, labels[name], percent_solved([result]), str(result.wrong), *times,
                         ratio(result.times, by_name[OURS].times)])
    cases = max(len(by_name[OURS].times) for by_name in results.values())
    text = ('# urdf_ik beside published solvers\n\nWritten by `make bench-peers`.\n\n'
            f'{machine}. Reachable poses for each robot: {cases}.\n\n{HOW}\n'
            '![solved against time](solved_against_time.svg)\n\n')
    text += table(header, rows, 3)
    text += '\nVersions: ' + '; '.join(f'{label}: {version}' for label, version in versions.items()) + '.\n'
    if left_out:
        text += '\nLeft out:\n\n' + ''.join(left_out)
    return text


def short_table(results, labels, machine):
    """One row for each robot, both seeds together."""
    rows = []
    for arm in dict.fromkeys(arm for arm, _ in results):
        row = [arm]
        for name in labels:
            both = [by_name[name] for (one, _), by_name in results.items() if one == arm]
            both = [result for result in both if not result.failure]
            times = [time for result in both for time in result.times]
            row.append(f'{microseconds(np.mean(times))} ({percent_solved(both)})' if times else '-')
        rows.append(row)
    cases = max(len(by_name[OURS].times) for by_name in results.values())
    caption = f"""\
Mean time of a solve in µs, and in brackets the percentage solved, of {cases} reachable poses for each robot, each from
the middle of the joint ranges and from a random seed, to {TOLERANCE_TEXT} m and rad within {TIME_LIMIT * 1e3:g} ms
({machine}):
"""
    return f'{caption}\n{table(["robot", *labels.values()], rows, 1)}'


def split_at_markers(document, name=MARKERS):
    """The document's text before the first marker of that name and after the second one, both including their marker."""
    begin, end = f'<!-- {name}: begin -->', f'<!-- {name}: end -->'
    text = document.read_text()
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise MarkerError(f'{document} needs these two lines around the table: {begin} and {end}')
    return text[:text.index(begin) + len(begin)], text[text.index(end):]


def write_between_markers(document, text, name=MARKERS):
    before, after = split_at_markers(document, name)
    document.write_text(f'{before}\n{text}{after}')
