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
    """There is no web server; the message gives the reason."""


class OneLine(logging.Formatter):
    """A record in one line: requests of strangers must not fill the terminal with tracebacks."""

    def format(self, record):
        cause = record.exc_info[1] if record.exc_info else None
        words = f'page: {record.getMessage()}' + (f': {cause}' if cause else '')
        return words.splitlines()[0]


class PageScripts(namedtuple('PageScripts', 'pointer pads')):
    """Scripts in pages that report more than viser does: the pointer, and the deflection of the pads."""

    def attach(self, server):
        for script in self:
            script.attach(server)

    def handle(self, request):
        """Passes a request to these scripts. Returns whether it is one of theirs."""
        is_own = urlsplit(f'//{request.headers.get("Host", "")}').hostname in LOCAL_NAMES
        return is_own and any(script.handle(request) for script in self)


def open_server(port, label, page_scripts=None):
    """A viser server on this port or the next free one. Its pages run `page_scripts`."""
    rich.get_console().quiet = True  # view.py prints its own messages
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(OneLine())
    for name in ('websockets', 'asyncio'):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
    start = functools.partial(viser.ViserServer, host=HOST, port=free_port(port), label=label, verbose=False)
    server = serve_own_pages(start, page_scripts.handle if page_scripts else lambda request: False)
    server.gui.main_panel.dock_right()
    if page_scripts:
        page_scripts.attach(server)
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
    """Whether a web socket is requested by a page of this server.

    A browser sends the page in `Origin`, and the server in `Host`. Behind a forwarded port both have the
    forwarded name. A name that is not local may be a foreign one that resolves to this machine.
    """
    host = headers.get('Host', '')
    return headers.get('Origin') == f'http://{host}' and urlsplit(f'//{host}').hostname in LOCAL_NAMES


def serve_own_pages(start, handle):
    """Calls `start`, and makes its web socket server refuse foreign pages, which viser itself accepts.

    A request for which `handle` is true gets an empty response.
    """
    serve = websockets.asyncio.server.serve
    guarded = []

    def serve_guarded(handler, *arguments, process_request, **options):
        guarded.append(True)

        @functools.wraps(process_request)
        def guard(connection, request):
            if request.headers.get('Upgrade', '').lower() == 'websocket' and not is_own_page(request.headers):
                return connection.respond(http.HTTPStatus.FORBIDDEN, 'this page is not one of this server\n')
            if handle(request):
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
