#!/usr/bin/env python3
"""A page in the browser for viewing and dragging a skeleton or an arm, without a ROS node.

    play.py [--model MODEL] [--port 8080] [--no-browser]

--model: the YAML of a skeleton, the URDF of a two- or three-link arm, or the name of one that comes with the package;
--port: of the page, on 127.0.0.1 only (the next free one if it is taken).
"""
import argparse
import sys
from pathlib import Path

from viewer.program import greet, needed_packages, stopped_by_signals

with needed_packages('play'):
    from player.model import BUNDLED, NoModel, find_model
    from player.page import Page
    from player.stream import NoStream, command
    from viewer.server import NoServer, open_server

FIRST = 'humanoid'


def arguments():
    parser = argparse.ArgumentParser(description='A skeleton that is played with in the browser.')
    parser.add_argument('--model', default=FIRST, help=f'a YAML, a URDF, or one of: {", ".join(BUNDLED)} (default: {FIRST})')
    parser.add_argument('--port', default=8080, type=int, help='of the page (default: 8080, or the next free one)')
    parser.add_argument('--no-browser', action='store_true', help='do not open the page')
    return parser.parse_args()


def share_folder():
    """The folder of the bundled models: the checkout with this file, or the share folder of the installed package."""
    folder = Path(__file__).absolute().parent
    return folder.parent if (folder.parent / 'config').is_dir() else folder.parents[1] / 'share' / 'urdf_ik'


def run(wanted, stopping):
    share = share_folder()
    find_model(wanted.model, share)
    command()
    if not 0 < wanted.port < 65536:
        raise NoServer(f'the port is {wanted.port}: it must be a number between 1 and 65535')
    server = open_server(wanted.port, 'urdf_ik')
    page = Page(server, wanted.model, share)
    greet('play', wanted.model, server.get_port(), wanted.port, not wanted.no_browser)
    try:
        page.run(stopping)
    finally:
        page.close()
        server.stop()


def main():
    wanted = arguments()
    stopping = stopped_by_signals()
    try:
        run(wanted, stopping)
    except (NoModel, NoServer, NoStream) as failure:
        print(f'play: {failure}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
