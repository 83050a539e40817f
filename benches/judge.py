"""Runs the benches that judge answers, and fails if a figure misses its threshold: judge.py [NAME]…

Only counts, and ratios within one run, have thresholds: they do not depend on the machine."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def streams(output):
    """Streams of poses: no unmet target, and with a null-space task at most 4 more jumps in 30 streams than without."""
    rows = re.findall(r'^(\S+) +(curves|lines) +(\w+) +(\d+) +\d+ +(\d+) \|', output, re.MULTILINE)
    without = {(arm, shape): int(jumps) for arm, shape, task, jumps, _ in rows if task == 'none'}
    for arm, shape, task, jumps, unmet in rows:
        if int(jumps) > without[arm, shape] + 4 or int(unmet) > 0:
            yield f'{arm}, {shape}, {task}: {jumps} streams jump, without a task {without[arm, shape]}; {unmet} targets are unmet'
    if not rows:
        yield 'no row was printed'


def keep_clear(output):
    """Arms among obstacles: no violated clearance, and no late stop."""
    if 'nothing is broken' not in output:
        yield output.splitlines()[-1]


def servo(output):
    """Velocity commands: the rows with bounds."""
    if 'nothing failed' not in output:
        yield from re.findall(r'.*\bFAILED\b.*', output)


# All judges except those of times.
SERVO = [
    'starts', 'singular', 'limits', 'zeros', 'slide', 'wall', 'coast', 'held', 'turns', 'random', 'bounds',
    'dropouts', 'hold60', 'hands', 'person', 'noise', 'rounding', 'poses', 'lag', 'level',
]

BENCHES = {  # arguments, and the function that checks the output
    'streams': ([], streams),
    'keep_clear': (['runs=280'], keep_clear),
    'servo': (SERVO, servo),
}

failures = []
for name in sys.argv[1:] or BENCHES:
    arguments, check = BENCHES[name]
    command = ['cargo', 'bench', '--locked', '--bench', name, '--', *arguments]
    print(f'== {" ".join(command)}', flush=True)
    bench = subprocess.run(command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE)
    print(bench.stdout, flush=True)
    found = list(check(bench.stdout)) or ['the bench failed'] * (bench.returncode != 0)
    failures += [f'{name}: {failure}' for failure in found]
sys.exit('\n'.join(failures))
