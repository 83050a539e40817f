"""The server of the page: accepted origins, its port, and missing packages."""
import base64
import contextlib
import os
import socket
import subprocess
import sys

import pytest

for module in ('viser', 'websockets'):
    pytest.importorskip(module, reason=f'the page in the browser is not tested: no Python package {module} here')

import viser  # noqa: E402
from websockets.exceptions import ConnectionClosed  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

from pages import TIMEOUT, wait_for  # noqa: E402
from test_view import VIEW, start_view, view  # noqa: E402, F401


@pytest.mark.parametrize('origin, host, accepted', [
    ('http://127.0.0.1:{port}', None, True),
    ('http://localhost:9999', 'localhost:9999', True),  # behind a forwarded port
    ('http://evil.example', None, False),
    ('http://127.0.0.1:1', None, False),
    ('http://evil.example:{port}', 'evil.example:{port}', False),  # a foreign name that resolves to this server
    (None, None, False)])
def test_pages_of_others_are_refused(module_view, origin, host, accepted):
    port = module_view.port()
    answer = shake_hands(port, (origin or '').format(port=port), (host or f'127.0.0.1:{port}').format(port=port))
    assert answer.startswith(b'HTTP/1.1 101 ' if accepted else b'HTTP/1.1 403 '), answer


def shake_hands(port, origin, host):
    """Requests a web socket as a browser does; returns the first line of the response."""
    lines = [
        'GET / HTTP/1.1', f'Host: {host}', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13',
        f'Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}', f'Sec-WebSocket-Protocol: viser-v{viser.__version__}']
    lines += [f'Origin: {origin}'] if origin else []
    with socket.create_connection(('127.0.0.1', port), timeout=TIMEOUT) as connection:
        connection.sendall('\r\n'.join([*lines, '', '']).encode())
        with connection.makefile('rb') as answer:
            return answer.readline()


def test_junk_on_the_port_leaves_no_traceback(view):
    program = view('/nobody')
    port = program.port()
    for junk in (b'\0\xff' * 500, b'junk\r\n\r\n', b'GET / HTTP/1.1\r\n', b'GET /' + b'a' * 100_000, b'POST / HTTP/1.1\r\n\r\n', b''):
        with socket.create_connection(('127.0.0.1', port), timeout=TIMEOUT) as connection:
            connection.sendall(junk)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                pass
    # As a page of this server that sends junk.
    for junk in (b'junk', 'junk', b'\xc1', b'\x80', b'\x81\xa4type\xa4junk', b'\x90', bytes(100_000)):
        with connect(f'ws://127.0.0.1:{port}', origin=f'http://127.0.0.1:{port}', subprotocols=[f'viser-v{viser.__version__}'],
                     max_size=None) as page:
            page.send(junk)
            with contextlib.suppress(ConnectionClosed, TimeoutError):
                while page.recv(timeout=1.0):
                    pass
    answer = shake_hands(port, f'http://127.0.0.1:{port}', f'127.0.0.1:{port}')
    assert answer.startswith(b'HTTP/1.1 101 '), answer
    assert 'Traceback' not in program.output() and '  File ' not in program.output(), program.output()


@pytest.fixture(scope='module')
def module_view(tmp_path_factory):
    started = start_view(tmp_path_factory.mktemp('view') / 'view.log', '/nobody')
    yield started
    started.stop()


def test_only_this_computer_is_listened_to(module_view):
    port = module_view.port()
    listening = [line.split()[1] for line in open('/proc/net/tcp') if line.split()[3] == '0A']
    assert [address for address in listening if address.endswith(f':{port:04X}')] == [f'0100007F:{port:04X}']
    assert not any(line.split()[1].endswith(f':{port:04X}') for line in open('/proc/net/tcp6'))


def test_a_port_that_is_taken(view, module_view):
    taken = module_view.port()
    other = view('/nobody', port=taken)
    assert other.port() > taken
    assert f'port {taken} is taken, so the page is on {other.port()}' in other.output()


def test_without_a_display_no_browser_is_opened(module_view):
    if os.environ.get('DISPLAY') or os.environ.get('WAYLAND_DISPLAY'):
        pytest.skip('there is a display')
    module_view.port()
    wait_for(lambda: 'there is no display' in module_view.output(), 'the message about the display')
    assert 'ssh -L' in module_view.output()


@pytest.mark.parametrize('port', [0, 65536, 'eighty'])
def test_a_bad_port_is_refused(port):
    ended = subprocess.run([sys.executable, str(VIEW), '--ros-args', '-p', f'port:={port}'], capture_output=True, text=True,
                           timeout=TIMEOUT)
    assert ended.returncode == 1 and 'it must be a number between 1 and 65535' in ended.stderr


def test_a_missing_package_is_named(tmp_path):
    (tmp_path / 'viser.py').write_text("raise ModuleNotFoundError('No module named viser', name='viser')")
    environment = {**os.environ, 'PYTHONPATH': f'{tmp_path}:{os.environ["PYTHONPATH"]}'}
    ended = subprocess.run([sys.executable, str(VIEW)], env=environment, capture_output=True, text=True, timeout=TIMEOUT)
    assert ended.returncode == 1
    assert 'the Python package viser is missing' in ended.stderr and 'pip install viser' in ended.stderr
