"""Draws docs/figures from answers of the command line, of the Python module (servo) and from docs/benchmarks.md (performance).

`make figures` runs it with the command line of target/release. It needs matplotlib and the module: pip install matplotlib ./crates/python
python3 scripts/figures NAME... draws only these, for instance servo and hand.
"""
import sys

from answers import humanoid
from how_it_works import blocked, circle, cone, passes, reach, steps, sub_base, three_link, two_link
from performance import performance
from servo import hand, servo

FIGURES = (passes, reach, sub_base, cone, blocked, humanoid, circle, steps, two_link, three_link, servo, hand, performance)
for draw in FIGURES:
    if not sys.argv[1:] or draw.__name__ in sys.argv[1:]:
        draw()
