"""The web server of the page: viser on 127.0.0.1, for pages of this server only.

The page is a client of the public topics, services and parameters. viser does not check the origin of a web socket, so this
server does.
"""
import functools
import http
import logging
import socket
import sys
from collections import namedtuple
from urllib.parse import urlsplit

import rich
import viser
import websockets.asyncio.server

HOST = '127.0.0.1'
LOCAL_NAMES = ('127.0.0.1', 'localhost', '::1')
PORTS_TRIED = 100


class NoServer(Exception):
    """Why there is no web server, as a sentence."""


class OneLine(logging.Formatter):
    """A record in one line: what strangers send to the port must not fill the terminal with tracebacks."""

    def format(self, record):
        cause = record.exc_info[1] if record.exc_info else None
        words = f'page: {record.getMessage()}' + (f': {cause}' if cause else '')
        return words.splitlines()[0]


class Tellers(namedtuple('Tellers', 'pointer pads')):
    """Scripts in pages that tell more than viser does: where their pointer is, and how their pads are held."""

    def attach(self, server):
        for teller in self:
            teller.attach(server)

    def are_told_by(self, request):
        """Whether a request is from one of these scripts, which then has its content."""
        is_own = urlsplit(f'//{request.headers.get("Host", "")}').hostname in LOCAL_NAMES
        return is_own and any(teller.is_told_by(request) for teller in self)


def open_server(port, label, tellers=None):
    """A viser server on this port or the next free one. Its pages have the scripts of `tellers`."""
    rich.get_console().quiet = True  # view.py prints its own messages
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    for name in ('websockets', 'asyncio'):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
    start = functools.partial(viser.ViserServer, host=HOST, port=free_port(port), label=label, verbose=False)
    server = serve_own_pages(start, tellers.are_told_by if tellers else lambda request: False)
    server.gui.main_panel.dock_right()
    if tellers:
        tellers.attach(server)
    return server


def free_port(first):
    for port in range(first, min(first + PORTS_TRIED, 65536)):
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((HOST, port))
                return port
            except OSError:
                continue
    raise NoServer(f'no port from {first} on is free: choose another one by the parameter port')


def is_own_page(headers):
    """Whether a web socket is asked for by a page of this server.

    A browser says in `Origin` which page asks, and in `Host` which server it means. Behind a forwarded port both have the
    forwarded name. A name that is not local may be a foreign one that leads here.
    """
    host = headers.get('Host', '')
    return headers.get('Origin') == f'http://{host}' and urlsplit(f'//{host}').hostname in LOCAL_NAMES


def serve_own_pages(start, is_taken):
    """Calls `start`, and has the web socket server that it starts refuse pages of others, which viser itself does not.

    A request for which `is_taken` is true is answered with nothing.
    """
    serve = websockets.asyncio.server.serve
    guarded = []

    def serve_guarded(handler, *arguments, process_request, **options):
        guarded.append(True)

        @functools.wraps(process_request)
        def guard(connection, request):
            if request.headers.get('Upgrade', '').lower() == 'websocket' and not is_own_page(request.headers):
                return connection.respond(http.HTTPStatus.FORBIDDEN, 'this page is not one of this server\n')
            if is_taken(request):
                return connection.respond(http.HTTPStatus.NO_CONTENT, '')
            return process_request(connection, request)

        return serve(handler, *arguments, process_request=guard, **options)

    websockets.asyncio.server.serve = serve_guarded
    try:
        server = start()
    finally:
        websockets.asyncio.server.serve = serve
    if not guarded:
        server.stop()
        raise NoServer(f'viser {viser.__version__} starts its server in a way that cannot be guarded against pages of others: '
                       'install viser 1.1.1')
    return server
