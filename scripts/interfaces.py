#!/usr/bin/env python3
"""Prints the topics, services and actions of a running node from the ROS graph.

    interfaces.py --ros-args -p node:=urdf_ik
"""
import re
import sys
import time
from functools import partial

import rclpy
from rclpy.action import get_action_server_names_and_types_by_node
from rclpy.node import Node, NodeNameNonExistentError

TIMEOUT = 10.0  # [s] for the node to appear
SETTLE_TIME = 1.0  # [s] without a change until the list counts as complete
PAUSE = 0.1  # [s] between two polls
# Every node has these: parameter services, /parameter_events, /rosout.
OF_EVERY_NODE = 'rcl_interfaces/'
PART_OF_ACTION = '/_action/'


def topic_name(link):
    """A link name as part of a topic name, converted as by the node."""
    name = re.sub(r'[^A-Za-z0-9]', '_', link)
    return f'_{name}' if name[:1].isdigit() else name


def interfaces(asker, node):
    """The topics, services and actions of `node` (a full name): pairs of a heading and a list of pairs of name and type.

    Every list is empty if the node is not in the graph.
    """
    namespace, name = node.rsplit('/', 1)
    headings = {
        'what it listens to': asker.get_subscriber_names_and_types_by_node,
        'what it publishes': asker.get_publisher_names_and_types_by_node,
        'what it answers': asker.get_service_names_and_types_by_node,
        'what it carries out': partial(get_action_server_names_and_types_by_node, asker),
    }
    try:
        return [(heading, own(ask(name, namespace or '/'))) for heading, ask in headings.items()]
    except NodeNameNonExistentError:
        return [(heading, []) for heading in headings]


def own(names_and_types):
    return [(name, kind) for name, kinds in names_and_types for kind in kinds
            if not kind.startswith(OF_EVERY_NODE) and PART_OF_ACTION not in name]


def settled_interfaces(asker, node, wait=time.sleep):
    """The interfaces of `node` once they no longer change: those of a new node are discovered one by one, its services last.

    `wait` waits for that many seconds, and returns true to end the whole.
    """
    found, since = interfaces(asker, node), time.monotonic()
    deadline = since + TIMEOUT
    while not all(rows for _, rows in found) or time.monotonic() < since + SETTLE_TIME:
        if wait(PAUSE) or time.monotonic() > deadline:
            break
        now = interfaces(asker, node)
        if now != found:
            found, since = now, time.monotonic()
    return found


def in_columns(found):
    """Lines of heading, name and type."""
    width = max((len(name) for _, rows in found for name, _ in rows), default=0)
    lines = []
    for heading, rows in found:
        for row, (name, kind) in enumerate(rows):
            lines.append(f'  {heading if row == 0 else "":<22}  {name:<{width}}  {kind}')
    return '\n'.join(lines)


def main():
    rclpy.init()
    asker = Node('interfaces')
    node = asker.resolve_service_name(asker.declare_parameter('node', 'urdf_ik').value)
    found = settled_interfaces(asker, node)
    if not any(rows for _, rows in found):
        print(f'interfaces: there is no node {node}', file=sys.stderr)
        return 1
    print(in_columns(found))
    return 0


if __name__ == '__main__':
    sys.exit(main())
