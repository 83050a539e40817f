"""The report of a soak test as text."""
import os

import numpy as np

WARM_UP = 600.0  # [s] after which memory must not grow
AFTER_SWAP = 1.0  # [s] after a change of the robot, in which answers may be late


def row(name, milliseconds):
    if not len(milliseconds):
        return f'{name:24}      none'
    p50, p99 = np.percentile(milliseconds, [50, 99])
    return f'{name:24}{len(milliseconds):9}{p50:9.2f}{p99:9.2f}{max(milliseconds):9.1f}'


def is_after_swap(moment, swaps):
    return any(-AFTER_SWAP < moment - swap < AFTER_SWAP for swap in swaps)


def answers(data):
    """Lines about the times of answers and the outcomes."""
    swaps, outcomes, rows = data['swaps'], {}, {}
    for call in data['calls']:
        outcomes[call['outcome']] = outcomes.get(call['outcome'], 0) + 1
        if 'milliseconds' in call:
            during = ', robot replaced' if is_after_swap(call['time'], swaps) else ''
            rows.setdefault(call['peer'] + during, []).append(call['milliseconds'])
    yield f'{"answers [ms]":24}{"count":>9}{"p50":>9}{"p99":>9}{"max":>9}'
    yield from (row(name, rows[name]) for name in sorted(rows))
    yield f'outcomes: {", ".join(f"{count} {name}" for name, count in sorted(outcomes.items()))}; {len(swaps)} other robots'


def resources(data):
    """Lines about memory, descriptors and threads."""
    samples = data['samples']
    late = [sample for sample in samples if sample['time'] > WARM_UP] or samples[len(samples) // 2:]
    hours = [sample['time'] / 3600 for sample in late]
    growth = np.polyfit(hours, [sample['memory'] for sample in late], 1)[0]
    for name, unit in (('memory', ' MB'), ('descriptors', ''), ('threads', '')):
        values = [sample[name] for sample in late]
        yield f'{name}: {min(values):.0f} to {max(values):.0f}{unit} after {late[0]["time"]:.0f} s'
    yield f'growth of memory: {growth:.2f} MB per hour after {late[0]["time"]:.0f} s'
    yield f'processor: {samples[-1]["processor"] / samples[-1]["time"]:.2f} cores'


def text(data):
    load = '/'.join(f'{value:.1f}' for value in os.getloadavg())
    large = (f'{name:34}{before:9.0f}{after:9.0f}{settled:9.0f}{settled - before:9.0f}' for name, before, after, settled in data['large'])
    lines = [f'{data["date"]}, {data["machine"]}, {os.cpu_count()} cores, load {load}: {data["hours"]:g} h', '',
             *answers(data), '', *resources(data), '',
             f'{"memory [MB]":34}{"before":>9}{"after":>9}{"settled":>9}{"kept":>9}',
             *large]
    kills = data['kills']
    if kills['times']:
        discovery, first = np.array(kills['times']).T
        lines += ['', f'{len(first)} kills: discovered after {np.median(discovery):.2f} s (max {max(discovery):.2f} s), '
                  f'first answer {1000 * np.median(first):.0f} ms later (max {1000 * max(first):.0f} ms); '
                  f'{kills["answers"]} answers, {kills["wrong"]} wrong']
    if kills['stops']:
        lines += [f'{len(kills["stops"])} times SIGTERM under load: ends after {max(kills["stops"]):.2f} s at the most']
    return '\n'.join(lines) + '\n'
