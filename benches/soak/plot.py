"""Plots of a soak from target/soak/soak.json. It needs matplotlib."""
import json
from pathlib import Path

import matplotlib.style
import numpy as np
from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / 'target' / 'soak'
BLUE, ORANGE, GREEN = '#0072B2', '#E69F00', '#009E73'
BINS = 120
matplotlib.style.use(ROOT / 'scripts' / 'figures' / 'figures.mplstyle')


def percentiles(calls, peer, edges):
    """Times of answers at the middle of each non-empty bin: moment [min], p50, p99, maximum [ms]."""
    calls = [call for call in calls if call['peer'] == peer and 'milliseconds' in call]
    moments, times = (np.array([call[key] for call in calls]) for key in ('time', 'milliseconds'))
    for low, high in zip(edges, edges[1:]):
        inside = times[(low <= moments) & (moments < high)]
        if len(inside):
            yield (low + high) / 120, *np.percentile(inside, [50, 99]), inside.max()


def draw(data):
    samples = data['samples']
    minutes = [sample['time'] / 60 for sample in samples]
    figure = Figure(figsize=(9, 8))
    memory, counts, answers = figure.subplots(3, sharex=True)
    memory.plot(minutes, [sample['memory'] for sample in samples], color=BLUE)
    memory.set(title='Resident memory of the node [MB]', ylim=(0, None))
    for name, colour in (('descriptors', ORANGE), ('threads', GREEN)):
        counts.plot(minutes, [sample[name] for sample in samples], color=colour, label=name)
    counts.set(title='Descriptors and threads', ylim=(0, None))
    counts.legend()
    edges = np.linspace(0, samples[-1]['time'] + 1, BINS + 1)
    for peer, colour in (('echo', ORANGE), ('node', BLUE)):
        moments, p50, p99, largest = zip(*percentiles(data['calls'], peer, edges))
        answers.semilogy(moments, p50, color=colour, linestyle=':', label=f'{peer}, p50')
        answers.semilogy(moments, p99, color=colour, label=f'{peer}, p99')
        answers.semilogy(moments, largest, color=colour, linestyle='', marker='.', label=f'{peer}, max')
    answers.set(title='Times of answers [ms]', xlabel='Time [min]')
    answers.legend(ncols=2)
    return figure


figure = draw(json.loads((FOLDER / 'soak.json').read_text()))
for suffix in ('svg', 'png'):
    figure.savefig(FOLDER / f'soak.{suffix}')
print(f'plots: {FOLDER}/soak.svg')
