"""The plot: the share of solved cases of each solver over time."""
import math

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator, StrMethodFormatter

from solvers import OURS, TIME_LIMIT

# Distinguishable with colour blindness: the palette of Okabe and Ito, and different dashes.
STYLES = {
    OURS: {'color': '#000000', 'linewidth': 2.4},
    'trac_ik': {'color': '#D55E00'},
    'optik': {'color': '#0072B2', 'linestyle': '--'},
    'roboticstoolbox': {'color': '#009E73'},
    'pinocchio': {'color': '#CC79A7', 'linestyle': '--'},
    'kdl': {'color': '#E69F00', 'linestyle': '-.'},
    'k': {'color': '#56B4E9', 'linestyle': ':'},
}
POINTS = 12.5  # of a line in one decade, before matplotlib simplifies it
DETAIL = 0.5  # [1/72 inch] largest deviation of the simplified line
COLUMNS = 4
PANEL = (2.6, 2.2)  # [inch]


def solved_shares(results, grid):
    """The percentage of cases solved by each time of the grid [us]."""
    solved = [one for result in results for one in result.solved]
    times = [time for result in results for time in result.times]
    ends = np.sort([time for time, one in zip(times, solved) if one])
    return 100 * np.searchsorted(ends, grid, side='right') / len(times)


def time_grid(results):
    """Times [us] from the decade of the fastest solve to the time limit."""
    fastest = min(min(result.times) for by_name in results.values() for result in by_name.values() if result.times)
    lower, upper = math.floor(math.log10(fastest)), math.log10(TIME_LIMIT * 1e6)
    return np.logspace(lower, upper, round((upper - lower) * POINTS) + 1)


def draw_panel(axes, arm, by_solver, grid):
    for name, results in by_solver.items():
        if results := [result for result in results if not result.failure]:
            shares = solved_shares(results, grid)
            begin = max(np.argmax(shares > 0) - 1, 0)  # the last point without a solved case
            line, = axes.plot(grid[begin:], shares[begin:], clip_on=False, **STYLES[name])
            line.get_path().should_simplify = True  # matplotlib simplifies lines from 128 points on
    axes.set_title(arm, fontsize=10)
    axes.set_xscale('log')
    axes.set_xlim(grid[0], grid[-1])
    axes.set_ylim(0, 102)
    axes.xaxis.set_major_formatter(StrMethodFormatter('{x:g}'))
    axes.yaxis.set_major_locator(MultipleLocator(25))
    axes.minorticks_off()
    axes.grid(True, clip_on=False, color='#dddddd', linewidth=0.6)
    axes.tick_params(length=0, labelsize=8, labelbottom=True)


def draw(results, labels, path):
    """One panel for each arm, both seeds together."""
    names = list(dict.fromkeys(arm for arm, _ in results))
    columns = min(COLUMNS, len(names))
    rows = math.ceil(len(names) / columns)
    # Small and reproducible.
    matplotlib.rcParams.update({
        'svg.fonttype': 'none', 'svg.hashsalt': 'urdf_ik', 'path.simplify_threshold': DETAIL,
        'font.sans-serif': ['DejaVu Sans', 'Arial', 'sans-serif'],
    })
    size = (max(columns * PANEL[0], 6.5), rows * PANEL[1] + 0.9)
    figure = Figure(size, layout='constrained')
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    grid = time_grid(results)
    for axes, arm in zip(panels.flat, names):
        by_solver = {name: [by_name[name] for (one, _), by_name in results.items() if one == arm] for name in labels}
        draw_panel(axes, arm, by_solver, grid)
    for axes in panels.flat[len(names):]:
        axes.set_visible(False)
    figure.supxlabel('time of a solve [µs]', fontsize=9)
    figure.supylabel('solved [%]', fontsize=9)
    lines = [Line2D([], [], **STYLES[name]) for name in labels]
    figure.legend(lines, labels.values(), loc='outside upper center', ncols=7 if columns > 2 else 3, fontsize=9,
                  frameon=False, handlelength=2.8)
    figure.savefig(path, metadata={'Date': None})
