"""The figure of README.md."""
import numpy as np
from drawing import BLUE, FAINT, ROOT, chart, dots, figure, label, line, pale


def performance():
    """The table of `make bench-peers` in docs/benchmarks.md: each cell has the mean time [µs] and the percentage solved."""
    table = (ROOT / 'docs/benchmarks.md').read_text().split('<!-- bench-peers: begin -->')[1].split('<!-- bench-peers: end -->')[0]
    (_, *solvers), _, *arms = ([cell.strip() for cell in row.strip('|').split('|')] for row in table.splitlines() if row[:1] == '|')
    cells = np.array([[cell.strip(')').split(' (') for cell in arm[1:]] for arm in arms], float)  # arm, solver, number
    order = np.argsort(-cells[:, :, 0].mean(axis=0))
    with figure('performance', 700, 300, 'ab', width_ratios=[2, 1]) as (times, shares):
        for row, solver in enumerate(order):
            colour, (mean, solved) = BLUE if solvers[solver] == 'urdf_ik' else FAINT, cells[:, solver].mean(axis=0)
            for axes, numbers, middle in [(times, cells[:, solver, 0], mean), (shares, cells[:, solver, 1], solved)]:
                line(axes, (min(numbers), row), (max(numbers), row), colour=pale(colour, 0.35), width=5, solid_capstyle='round')
                dots(axes, (middle, row), colour=colour, size=8, clip_on=False)
            label(times, f'{mean:.2g} µs' if mean < 10 else f'{mean:.0f} µs', (max(cells[:, solver, 0]), row), 34, 0, colour)
        names = {row: solvers[solver] for row, solver in enumerate(order)}
        chart(times, 'time of a solve', f'mean over {len(arms)} robots, and their range', xscale='log', xlim=(1, 2e4), yticks=names,
              xticks={1: '1 µs', 10: '10 µs', 100: '100 µs', 1000: '1 ms', 10000: '10 ms'})
        chart(shares, 'solved', xlim=(75, 101), yticks=dict.fromkeys(names, ''), xticks={k: f'{k} %' for k in (80, 90, 100)})
