"""Headless Chromium of Debian, driven by the DevTools protocol (https://chromedevtools.github.io/devtools-protocol)."""
import base64
import io
import json
import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

import imageio.v3 as imageio
from websockets.sync.client import connect

NAMES = ('chromium', 'chromium-browser', 'google-chrome')
OPTIONS = (
    '--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-quic',
    '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--remote-debugging-port=0', '--hide-scrollbars')
TIMEOUT = 120.0  # [s] generous timeout for a busy machine


def executable():
    """The path of a Chromium executable, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser page with its own profile. `errors` lists the page's error messages."""

    def __init__(self, profile: Path, width=1280, height=800):
        self.errors, self._number = [], 0
        self._log = (profile.with_suffix('.log')).open('wb')
        self.process = subprocess.Popen(
            [executable(), *OPTIONS, f'--user-data-dir={profile}', f'--window-size={width},{height}', 'about:blank'],
            stdout=self._log, stderr=subprocess.STDOUT, env={**os.environ, 'HOME': str(profile)})
        try:
            self._socket = connect(self._address(profile), max_size=None, open_timeout=TIMEOUT, compression=None)
            for domain in ('Page', 'Runtime', 'Log'):
                self.call(f'{domain}.enable')
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def _address(self, profile):
        """Address of the page's web socket. The browser writes its port into its profile."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            assert self.process.poll() is None, 'the browser exited unexpectedly'
            try:
                port = (profile / 'DevToolsActivePort').read_text().split()[0]
                with urllib.request.urlopen(f'http://127.0.0.1:{port}/json', timeout=TIMEOUT) as answer:
                    pages = [target for target in json.load(answer) if target['type'] == 'page']
                if pages:
                    return pages[0]['webSocketDebuggerUrl']
            except (OSError, IndexError):
                pass
            time.sleep(0.05)
        raise AssertionError(f'the browser did not start in {TIMEOUT} s')

    def call(self, method, **parameters):
        """The browser's response to a command; skips events that arrive before it."""
        self._number += 1
        self._socket.send(json.dumps({'id': self._number, 'method': method, 'params': parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=TIMEOUT))
            if message.get('id') == self._number:
                assert 'error' not in message, (method, message['error'])
                return message['result']
            self._see(message.get('method'), message.get('params', {}))

    def _see(self, event, parameters):
        if event == 'Runtime.exceptionThrown':
            self.errors.append(parameters['exceptionDetails'].get('exception', {}).get('description', 'an exception'))
        elif event == 'Runtime.consoleAPICalled' and parameters['type'] in ('error', 'assert'):
            words = (argument.get('value', argument.get('description')) for argument in parameters['args'])
            self.errors.append(' '.join(map(str, words)))
        elif event == 'Log.entryAdded' and parameters['entry']['level'] == 'error':
            self.errors.append(parameters['entry']['text'])

    def resize(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=False)

    def open(self, address):
        self.call('Page.navigate', url=address)

    def evaluate(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        assert 'exceptionDetails' not in answer, answer['exceptionDetails']
        return answer['result'].get('value')

    def text(self):
        return self.evaluate('document.body ? document.body.innerText : ""')

    def screenshot(self, file=None):
        """The page's pixels, shape (height, width, 3)."""
        data = base64.b64decode(self.call('Page.captureScreenshot', format='png')['data'])
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        return imageio.imread(io.BytesIO(data))[..., :3]

    def mouse(self, kind, x, y, buttons=0):
        button = 'left' if buttons or kind == 'mouseReleased' else 'none'
        self.call('Input.dispatchMouseEvent', type=kind, x=float(x), y=float(y), button=button, buttons=buttons,
                  clickCount=0 if kind == 'mouseMoved' else 1)

    def click(self, x, y):
        self.mouse('mouseMoved', x, y)
        self.mouse('mousePressed', x, y, 1)
        self.mouse('mouseReleased', x, y)

    def key(self, kind, code, key):
        """`kind` is keyDown or keyUp; `code` is the physical key, `key` its meaning."""
        self.call('Input.dispatchKeyEvent', type=kind, code=code, key=key)

    def close(self):
        if getattr(self, '_socket', None) is not None:
            self._socket.close()
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._log.close()
