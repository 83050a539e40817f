"""The processes of a soak test, and their resources."""
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from robots import ROOT

FOLDER = Path(__file__).resolve().parent


class Helper:
    """A program of this folder that prints lines of JSON, collected in `lines`, until its standard input ends."""

    def __init__(self, program, *arguments):
        command = [sys.executable, str(FOLDER / program), *map(str, arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(map(json.loads, self.process.stdout)))
        self.reader.start()

    def close(self):
        if self.process.poll() is not None:
            raise SystemExit(f'{self.process.args[1]} ended by itself with status {self.process.returncode}')
        self.process.stdin.close()
        self.process.wait()
        self.reader.join()


class Echo:
    """The bare service of benches/node/echo.rs at NAME/echo."""

    def __init__(self, name):
        command = [ROOT / 'scripts' / 'cargo-ros', 'bench', '--locked', '-p', 'urdf_ik_node', '--bench', 'node', '--',
                   'echo-in-a-service', '--ros-args', '-r', f'__ns:={name}']
        # Cargo is its parent: both end as a group.
        self.process = subprocess.Popen(command, start_new_session=True)

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def usage(process):
    """The present resources of a NodeProcess: memory [MB], descriptors, threads, and its processor time so far [s]."""
    folder = Path(f'/proc/{process.process.pid}')
    fields = (folder / 'stat').read_text().rsplit(')', 1)[1].split()
    ticks = int(fields[11]) + int(fields[12])  # user and system time, fields 14 and 15 of the line
    return {'memory': process.memory() / 1e6, 'descriptors': len(list((folder / 'fd').iterdir())), 'threads': int(fields[17]),
            'processor': ticks / os.sysconf('SC_CLK_TCK')}
