"""Runs launch files with stand-in executables that record their arguments."""
import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

MISSING = [name for name in ('launch', 'launch_ros') if importlib.util.find_spec(name) is None]
if MISSING:
    pytest.skip(f'launch files not tested: no Python package {" and ".join(MISSING)} here (a ROS 2 desktop has them)',
                allow_module_level=True)

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 120.0  # [s] generous timeout for a busy machine
LAUNCH = '''
import sys
from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource
arguments = [argument.split(':=', 1) for argument in sys.argv[2:]]
service = LaunchService()
service.include_launch_description(LaunchDescription([
    IncludeLaunchDescription(PythonLaunchDescriptionSource(sys.argv[1]), launch_arguments=arguments)]))
sys.exit(service.run())
'''
# Records its arguments and the contents of files among them, and runs until it is stopped.
STAND_IN = '''#!{python}
import json, os, signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
files = [open(name).read() for flag, name in zip(sys.argv, sys.argv[1:]) if flag in ('--params-file', '-d')]
json.dump({{'arguments': sys.argv[1:], 'files': files}}, open('{record}.part', 'w'))
os.rename('{record}.part', '{record}')
signal.pause()
'''


def wait_for(condition, process):
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert process.poll() is None, process.communicate()[0]
        assert time.monotonic() < deadline, 'the expected processes did not start in time'
        time.sleep(0.02)


class Started:
    """Recorded arguments of an executable."""

    def __init__(self, record):
        self.arguments, self.files = record['arguments'], record['files']
        self.remappings = dict(
            rule.split(':=', 1) for flag, rule in zip(self.arguments, self.arguments[1:]) if flag == '-r')
        self.parameters = {}
        for text in record['files']:
            for section in yaml.safe_load(text).values():
                self.parameters.update(section.get('ros__parameters', {}) if isinstance(section, dict) else {})


def launch(path, *arguments, **environment):
    return subprocess.Popen(
        [sys.executable, '-c', LAUNCH, str(path), *arguments], text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment})


def end(process):
    """Ends a launch as Ctrl-C does, including its processes; returns its output."""
    os.killpg(process.pid, signal.SIGINT)
    output = process.communicate(timeout=TIMEOUT)[0]
    assert process.returncode == 0, output
    return output


def kill(process):
    """Cleans up all processes of a launch after any outcome."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # all processes have ended, as expected


def stand_ins(folder, executables):
    """Environment with stand-ins for these executables, which record their arguments."""
    for executable, package in executables.items():
        index = folder / 'share' / 'ament_index' / 'resource_index' / 'packages'
        index.mkdir(parents=True, exist_ok=True)
        (index / package).touch()
        program = folder / 'lib' / package / executable
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(STAND_IN.format(python=sys.executable, record=folder / f'{executable}.json'))
        program.chmod(0o755)
    prefixes = f'{folder}{os.pathsep}{os.environ.get("AMENT_PREFIX_PATH", "")}'
    return {'AMENT_PREFIX_PATH': prefixes, 'ROS_LOG_DIR': str(folder), 'TMPDIR': str(folder)}


def started(folder, executables, name, expected, *arguments):
    """Launches the file `name` with stand-ins for these executables; returns a Started for each expected executable, and the output."""
    for record in folder.glob('*.json'):  # of an earlier launch
        record.unlink()
    process = launch(ROOT / 'launch' / name, *arguments, **stand_ins(folder, executables))
    try:
        wait_for(lambda: all((folder / f'{executable}.json').exists() for executable in expected), process)
        output = end(process)
    finally:
        kill(process)
    records = {path.stem: Started(json.loads(path.read_text())) for path in folder.glob('*.json')}
    assert sorted(records) == sorted(expected), output
    return records, output
