#!/usr/bin/env python3
"""A page in the browser for viewing and dragging the arm of a urdf_ik node.

    view.py --ros-args -p node:=urdf_ik -p port:=8080 -p browser:=true

node: name of the urdf_ik node; port: of the page, on 127.0.0.1 only (the next free one if it is taken);
browser: whether to open the page if there is a display.
"""
import sys

import rclpy
from rcl_interfaces.msg import ParameterDescriptor
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from viewer.arm import Arm
from viewer.program import greet, needed_packages, stopped_by_signals

with needed_packages('view'):
    from viewer.page import Page
    from viewer.pointer import Pointer
    from viewer.server import NoServer, PageScripts, open_server
    from viewer.steering.pads import Pads


def parameter(arm, name, default):
    """Dynamically typed, so that an error can name a wrong type."""
    return arm.declare_parameter(name, default, ParameterDescriptor(dynamic_typing=True)).value


def run(stopping):
    arm = Arm()
    wanted = parameter(arm, 'port', 8080)
    if not isinstance(wanted, int) or not 0 < wanted < 65536:
        raise NoServer(f'port is {wanted}: it must be a number between 1 and 65535')
    page_scripts = PageScripts(Pointer(), Pads())
    server = open_server(wanted, 'urdf_ik', page_scripts)
    executor = SingleThreadedExecutor()
    executor.add_node(arm)
    page = Page(server, arm, executor, page_scripts)
    greet('view', arm.node_name, server.get_port(), wanted, parameter(arm, 'browser', True))
    try:
        while not stopping.is_set():
            executor.spin_once(timeout_sec=page.time_to_next_picture())
            page.draw_if_due()
    finally:
        page.close()
        server.stop()


def main():
    stopping = stopped_by_signals()
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
