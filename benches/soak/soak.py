"""The node under load for a long time, with large messages and with kills: make soak [HOURS=1] [KILLS=100]

Twenty callers send queries to the node and to a bare echo in turn, during a stream, a servo, batches, changes of parameters, obstacles
and robots (load.py). Each second the memory, descriptors and threads of the node are recorded. Then follow messages of 10 MB and of a
million elements (large.py), then kills (kills.py). The report and the data for the plots are in target/soak.
"""
import json
import platform
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

import kills
import large
import rclpy
from processes import Echo, Helper, usage
from std_msgs.msg import String
from urdf_ik.srv import SolveIK

import report
from client import LATCHED
from conftest import Launcher
from robots import ROOT, TEXTS

CALLERS, PROGRAMS, PERIOD = 20, 4, 0.2  # callers, their processes, and the period of the calls of each [s]
OUTPUT = ROOT / 'target' / 'soak'


def start(launcher):
    """The client of a node that gets its robot by topic."""
    client = launcher.node(robot=False)
    publisher = client.publisher(String, f'{client.namespace}/robot_description', LATCHED)
    publisher.publish(String(data=TEXTS[0]))
    client.wait_for(lambda: client.states, 'the robot')
    return client


def load(client, seconds):
    """The samples of the node under load, the calls, and the times of robot changes."""
    echo = Echo('/soak')
    client.wait_for(client.service(SolveIK, '/soak/echo/solve_ik').service_is_ready, 'the echo', timeout=1800.0)
    loads = Helper('load.py', client.name)
    callers = [Helper('callers.py', client.name, '/soak/echo', CALLERS // PROGRAMS, PERIOD) for _ in range(PROGRAMS)]
    samples, began = [], time.monotonic()
    while (now := time.monotonic()) < began + seconds:
        samples.append({'time': now - began, **usage(client.process)})
        client.states.clear()
        client.statuses.clear()
        client.pace(1.0)
    for helper in (*callers, loads):
        helper.close()
    echo.close()
    calls = [{**call, 'time': call['began'] - began} for caller in callers for call in caller.lines]
    return samples, calls, [line['swapped'] - began for line in loads.lines]


def main():
    hours, count = float(sys.argv[1]), int(sys.argv[2])
    rclpy.init()
    with tempfile.TemporaryDirectory() as folder:
        launcher = Launcher(Path(folder))
        try:
            client = start(launcher)
            samples, calls, swaps = load(client, 3600 * hours)
            sizes = large.measure(client)
            killed = kills.measure(launcher, count)
        finally:
            launcher.stop()
    data = {'machine': f'{platform.node()}, {platform.platform()}', 'date': datetime.now(timezone.utc).isoformat(timespec='minutes'),
            'hours': hours, 'samples': samples, 'calls': calls, 'swaps': swaps, 'large': sizes,
            'kills': killed}
    OUTPUT.mkdir(parents=True, exist_ok=True)
    (OUTPUT / 'soak.json').write_text(json.dumps(data))
    text = report.text(data)
    (OUTPUT / 'report.txt').write_text(text)
    print(text)


main()
