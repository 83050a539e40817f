#!/usr/bin/env python3
"""A page in the browser on which the arm of a urdf_ik node is seen and dragged.

    view.py --ros-args -p node:=urdf_ik -p port:=8080 -p browser:=true

node: name of the urdf_ik node; port: of the page, on 127.0.0.1 only (the next free one if it is taken);
browser: whether to open the page where there is a display.
"""
import os
import signal
import sys
import threading
import webbrowser

import rclpy
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from viewer.arm import Arm

MISSING = """\
view: the Python package {name} is missing. Install what the page needs, for instance:
    python3 -m pip install viser yourdfpy pycollada"""

try:
    from viewer.page import Page
    from viewer.server import NoServer, open_server
except ModuleNotFoundError as missing:
    sys.exit(MISSING.format(name=missing.name))

GREETING = """\
view: {address} shows {node}. Ctrl-C ends it.
  From another computer: ssh -L {port}:127.0.0.1:{port} {host}, and then open that address there."""


def parameter(arm, name, default):
    """Of any type, so that a wrong one can be named."""
    return arm.declare_parameter(name, default, ParameterDescriptor(dynamic_typing=True)).value


def has_display():
    return bool(os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY'))


def tell(arm, port, wanted):
    address = f'http://127.0.0.1:{port}'
    if port != wanted:
        print(f'view: port {wanted} is taken, so the page is on {port}', flush=True)
    print(GREETING.format(address=address, node=arm.node_name, port=port, host=os.uname().nodename), flush=True)
    if not parameter(arm, 'browser', True):
        return
    if has_display():
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    else:
        print('view: there is no display, so no browser was opened', flush=True)


def run(stopping):
    arm = Arm()
    wanted = parameter(arm, 'port', 8080)
    if not isinstance(wanted, int) or not 0 < wanted < 65536:
        raise NoServer(f'port is {wanted}: it must be a number between 1 and 65535')
    server = open_server(wanted, 'urdf_ik')
    executor = SingleThreadedExecutor()
    executor.add_node(arm)
    page = Page(server, arm, executor)
    tell(arm, server.get_port(), wanted)
    try:
        while not stopping.is_set():
            executor.spin_once(timeout_sec=page.time_to_next_picture())
            page.draw_if_due()
    finally:
        page.close()
        server.stop()


def main():
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stopping.set())
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        run(stopping)
    except NoServer as failure:
        print(f'view: {failure}', file=sys.stderr)
        return 1
    except ExternalShutdownException:
        pass
    return 0


if __name__ == '__main__':
    sys.exit(main())
