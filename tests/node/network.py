"""Two machines in one: network namespaces joined by a virtual cable."""
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

TOOLS = {'ip': 'iproute2', 'unshare': 'util-linux', 'nsenter': 'util-linux'}  # with their Debian packages
PATH = os.pathsep.join((os.environ['PATH'], '/usr/sbin', '/sbin'))
CABLE = 'cable'  # interface name at both ends
PATIENCE = 60.0  # [s]
ADDRESSES = '192.0.2.1/24', '192.0.2.2/24'  # reserved for documentation
SLOW_ADDRESSES = '198.51.100.1/24', '198.51.100.2/24'  # likewise
# Discovery over the network, without the shared-memory transport of Fast DDS.
ENVIRONMENT = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET', 'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4'}


class Unavailable(Exception):
    """The reason why this machine cannot create network namespaces."""


class Machine:
    """A network namespace, held by a process. The kernel removes the namespace with the process, which ends with this one."""

    def __init__(self, make, enter):
        """Starts the holder by the command `make`; `enter` are nsenter options that lead into its namespace."""
        self.holder = subprocess.Popen([*make, 'cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        self.prefix = ['nsenter', f'--target={self.holder.pid}', *enter]
        try:
            # The echoed line confirms that the namespace exists.
            print('there', file=self.holder.stdin, flush=True)
            answer = self.holder.stdout.readline()
        except BrokenPipeError:
            answer = ''
        if not answer:
            error = self.holder.communicate()[1].strip()
            raise Unavailable(f'{" ".join(make)} failed: {error}')

    def close(self):
        if self.holder.returncode is None:
            self.holder.communicate()

    def command(self, *command):
        """Command line that runs `command` on this machine."""
        return [*self.prefix, *command]

    def node_prefix(self):
        """Prefix of a command line that runs a ROS 2 program on this machine."""
        return self.command('env', *(f'{name}={value}' for name, value in ENVIRONMENT.items()))

    def ip(self, *arguments):
        return self.run('ip', *arguments)

    def run(self, tool, *arguments):
        """Output of an administration tool on this machine."""
        command = self.command(shutil.which(tool, path=PATH), *arguments)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f'{" ".join(command)} failed: {done.stderr}'
        return done.stdout


class Network:
    """Two machines and the cable between them, for use in a `with` block."""

    def __init__(self):
        missing = {tool: package for tool, package in TOOLS.items() if not shutil.which(tool, path=PATH)}
        if missing:
            raise Unavailable(f'no {", ".join(missing)} here (Debian: {", ".join(sorted(set(missing.values())))})')
        self.machines = []
        try:
            self.make_machines()
            self.join()
        except BaseException:
            self.close()
            raise

    def make_machines(self):
        reasons = []
        # Root may create network namespaces; other users may do so in a user namespace in which they are root.
        for make, enter in ([], []), (['--user', '--map-root-user'], ['--user', '--preserve-credentials']):
            try:
                first = Machine(['unshare', *make, '--net'], [*enter, '--net'])
                self.machines.append(first)
                # In the same user namespace as the first one, since both must own the cable.
                second = ['nsenter', f'--target={first.holder.pid}', *enter, 'unshare', '--net']
                self.machines.append(Machine(second, [*enter, '--net']))
                return
            except Unavailable as reason:
                reasons.append(str(reason))
                self.close()
        raise Unavailable('; '.join(reasons))

    def join(self):
        first, second = self.machines
        first.ip('link', 'add', CABLE, 'type', 'veth', 'peer', 'name', CABLE, 'netns', str(second.holder.pid))
        for machine, address in zip(self.machines, ADDRESSES):
            machine.ip('link', 'set', 'lo', 'up')
            machine.ip('address', 'add', address, 'dev', CABLE)
            machine.ip('link', 'set', CABLE, 'up')
        # Programs started before the kernel reports the link as up would not use the cable.
        deadline = time.monotonic() + PATIENCE
        while not all('state UP' in machine.ip('link', 'show', CABLE) for machine in self.machines):
            assert time.monotonic() < deadline, f'the cable was not up within {PATIENCE} s'
            time.sleep(0.02)

    def cut(self):
        self.machines[0].ip('link', 'set', CABLE, 'down')

    def restore(self):
        self.machines[0].ip('link', 'set', CABLE, 'up')

    @contextmanager
    def slow(self, delay):
        """Uses another cable for the duration of a `with` block, which delays all packets [s]. Afterwards the list has their number."""
        first, second = self.machines
        script = str(Path(__file__).with_name('slow_cable.py'))
        cable = subprocess.Popen(first.command(sys.executable, script, str(delay), str(second.holder.pid)),
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        carried = []
        try:
            if not cable.stdout.readline():
                raise Unavailable(f'no slow cable: {cable.communicate()[1]}')
            for machine, name, address in zip(self.machines, ('slow', 'slow_far'), SLOW_ADDRESSES):
                machine.ip('address', 'add', address, 'dev', name)
                machine.ip('link', 'set', name, 'up')
            self.cut()
            yield carried
        finally:
            carried.extend(map(int, cable.communicate()[0].split()))

    def lose(self, percent):
        """From now on both machines lose this share of incoming packets."""
        if not shutil.which('nft', path=PATH):
            raise Unavailable('no nft here (Debian: nftables)')
        for machine in self.machines:
            machine.run('nft', 'add table inet faults; add chain inet faults input { type filter hook input priority 0; }; '
                        f'add rule inet faults input meta l4proto udp numgen random mod 100 < {percent} counter drop')

    def lost(self):
        """Number of packets lost by each machine."""
        return [int(re.search(r'counter packets (\d+)', machine.run('nft', 'list', 'ruleset'))[1]) for machine in self.machines]

    def close(self):
        while self.machines:
            self.machines.pop().close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
