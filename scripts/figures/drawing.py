"""The elements of the figures: panels and charts, skeletons, marks, arrows and arcs."""
import io
from contextlib import contextmanager
from math import cos, pi, sin
from pathlib import Path

import matplotlib.style
import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.linalg import norm

ROOT = Path(__file__).resolve().parents[2]
# The colours of crates/plot.
BLUE, ORANGE, GREEN, RED, PINK = '#0072B2', '#E69F00', '#009E73', '#D55E00', '#CC79A7'
INK, FAINT, GRID = '#262A30', '#6E747C', '#E2E5E9'
DASHED = (0, (4, 3))
FONTS = "'DejaVu Sans', 'Helvetica Neue', Arial, sans-serif"
matplotlib.style.use(ROOT / 'scripts/figures/figures.mplstyle')


@contextmanager
def figure(name, width, height, rows, **grid):
    """The axes of a figure of some size [px]. The output file is reproducible."""
    drawing = Figure((width / 96, height / 96))
    yield list(drawing.subplot_mosaic(rows, **grid).values())
    svg = io.StringIO()
    drawing.savefig(svg, format='svg', metadata={'Date': None})
    # Text with an outline that separates it from the lines below.
    svg = svg.getvalue().replace('<text', '<text stroke="#ffffff" stroke-width="3" stroke-linejoin="round" paint-order="stroke"')
    (ROOT / f'docs/figures/{name}.svg').write_text(svg.replace("'DejaVu Sans'", FONTS))


def panel(axes, title, note, lower, upper):
    """Prepares axes for a drawing between two corners, with equal scales."""
    axes.set_title(title, pad=20)
    axes.annotate(note, (0, 1), (0, 7), xycoords='axes fraction', textcoords='offset points', color=FAINT)
    axes.set_aspect('equal', adjustable='datalim')
    axes.update_datalim([lower, upper])
    axes.margins(0)
    axes.axis('off')


def chart(axes, title, name=None, **settings):
    """Prepares axes for curves. Ticks are a dictionary from positions to labels."""
    ticks = {key: settings.pop(key) for key in ('xticks', 'yticks') if key in settings}
    axes.set(title=title, xlabel=name, **settings)
    for key, texts in ticks.items():
        getattr(axes, f'set_{key}')(list(texts), texts.values())
    axes.minorticks_off()


def pale(colour, share):
    return [1 - share * (1 - part) for part in to_rgb(colour)]


def bones(axes, points, colour, share=1, width=3.4, parents=None):
    """The segments and joints of a skeleton, by default of a chain."""
    points, colour = np.asarray(points), pale(colour, share)
    for parent, end in zip(parents or range(len(points)), points[1:]):
        line(axes, points[parent], end, colour=colour, width=width, solid_capstyle='round')
    dots(axes, *points, colour=colour, size=1.5 * width, mfc='white', mew=0.5 * width)


def line(axes, *points, colour=INK, width=1.1, **style):
    axes.plot(*np.transpose(points), color=colour, lw=width, **style)


def fill(axes, points, colour, alpha=1):
    axes.fill(*np.transpose(points), color=colour, alpha=alpha, lw=0)


def dots(axes, *points, colour=INK, size=6.5, marker='o', **style):
    axes.plot(*np.transpose(points), marker, color=colour, ms=size, **style)


def rings(axes, *points, colour=INK, size=13):
    dots(axes, *points, colour=colour, size=size, mfc='none', mew=1.5)


def marks(axes, *targets):
    """The root at the origin, and targets."""
    dots(axes, (0, 0), size=9, marker='s')
    for target in targets:
        rings(axes, target, colour=RED)
        dots(axes, target, colour=RED, size=4.5)


def arrow(axes, start, end, colour=INK, width=1.5, shrink=0):
    style = {'arrowstyle': '-|>', 'color': colour, 'lw': width, 'shrinkA': shrink, 'shrinkB': shrink, 'mutation_scale': 12}
    axes.annotate('', end, start, arrowprops=style)


def label(axes, text, at, right=0, up=0, colour=INK):
    """Text centred at an offset [pt] from a point."""
    axes.annotate(text, at, (right, up), textcoords='offset points', color=colour, ha='center', va='center', fontsize=10.5)


def ray(angle, length=1.0):
    return length * np.array([cos(angle), sin(angle)])


def arc(centre, radius, start=0.0, end=2 * pi):
    return [centre + ray(angle, radius) for angle in np.linspace(start, end, 61)]


def angle(axes, centre, radius, start, end):
    """An arc with an arrowhead."""
    points = arc(centre, radius, start, end)
    line(axes, *points)
    arrow(axes, points[-2], points[-1], width=1)


def projection(eye, up):
    """The parallel projection (2, 3) of space, seen from the direction `eye`."""
    right = np.cross(up, eye)
    above = np.cross(eye, right)
    return np.array([right / norm(right), above / norm(above)])
