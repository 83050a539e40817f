"""A cable from this machine to the machine of the process PID that delays all packets: slow_cable.py SECONDS PID

Prints a line once both ends exist and, at the end of its standard input, the number of packets carried.
"""
import fcntl
import os
import select
import shutil
import struct
import subprocess
import sys
import time
from collections import deque

from network import PATH

ENDS = 'slow', 'slow_far'  # names of the ends, on this machine and on the other
REQUEST, FLAGS = 0x400454CA, 0x1001  # TUNSETIFF; IFF_TUN and IFF_NO_PI: IP packets without a header
LARGEST = 65536  # [bytes] of a packet


def end(name):
    """The file descriptor of an end of the cable, which remains in this process when the end moves to the other machine."""
    descriptor = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, REQUEST, struct.pack('16sH22x', name.encode(), FLAGS))
    return descriptor


def carry(one, other, delay):
    """Carries packets in both directions until the standard input ends. Returns their number."""
    under_way, carried = deque(), 0
    while True:
        wait = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        ready, _, _ = select.select([one, other, sys.stdin], [], [], wait)
        if sys.stdin in ready:
            return carried
        for source, target in ((one, other), (other, one)):
            if source in ready:
                under_way.append((time.monotonic() + delay, target, os.read(source, LARGEST)))
        while under_way and under_way[0][0] <= time.monotonic():
            _, target, packet = under_way.popleft()
            try:
                os.write(target, packet)
                carried += 1
            except OSError:
                pass  # its end is down, or full


def main():
    delay, other = float(sys.argv[1]), sys.argv[2]
    descriptors = [end(name) for name in ENDS]
    subprocess.run([shutil.which('ip', path=PATH), 'link', 'set', ENDS[1], 'netns', other], check=True)
    print('there', flush=True)
    print(carry(*descriptors, delay))


if __name__ == '__main__':
    main()
