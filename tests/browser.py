"""browser.py - Debian's chromium without a window, driven over a pipe: what a page asks for, says and shows.

    with Browser() as browser:
        page = browser.open('/tmp/report.html', width=360, dark=True)
        page.requests, page.messages        what it fetched beside itself, what it told the console
        page.ask('document.title')          a value out of the page
        page.picture(), page.pdf()          bytes

No package is needed: the DevTools protocol is JSON between NUL bytes on file descriptors 3 and 4.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE = 60
NOTHING = (EOFError, TimeoutError, OSError, ValueError)  # what comes of a browser that is not there


def find():
    """The path of a chromium, or None."""
    return shutil.which('chromium') or shutil.which('chromium-browser')


def why_not():
    """Why chromium can't open even an empty page here, by its own words; None when it can. In a container it may lack what it needs."""
    with tempfile.NamedTemporaryFile(suffix='.html') as empty:
        empty.write(b'<!doctype html><title>empty</title>')
        empty.flush()
        chromium = Browser()
        try:
            with chromium:
                title = chromium.open(empty.name).ask('document.title')
                return None if title == 'empty' else 'it shows %r' % title
        except NOTHING as why:
            return chromium.last_words or str(why)


class Page:
    def __init__(self, browser, session):
        self.browser = browser
        self.session = session
        self.requests = []
        self.messages = []
        self.loaded = False

    def call(self, method, **params):
        return self.browser.call(method, params, self.session)

    def hear(self, method, params):
        if method == 'Network.requestWillBeSent':
            self.requests.append(params['request']['url'])
        elif method == 'Log.entryAdded':
            self.messages.append(params['entry']['text'])
        elif method == 'Runtime.consoleAPICalled':
            self.messages.append(str(params['args']))
        elif method == 'Runtime.exceptionThrown':
            self.messages.append(params['exceptionDetails']['text'])
        elif method == 'Page.loadEventFired':
            self.loaded = True

    def ask(self, expression):
        return self.call('Runtime.evaluate', expression=expression, returnByValue=True)['result'].get('value')

    def picture(self):
        size = self.call('Page.getLayoutMetrics')['cssContentSize']
        clip = {'x': 0, 'y': 0, 'width': size['width'], 'height': size['height'], 'scale': 1}
        return base64.b64decode(self.call('Page.captureScreenshot', captureBeyondViewport=True, clip=clip)['data'])

    def pdf(self):
        return base64.b64decode(self.call('Page.printToPDF', preferCSSPageSize=True, printBackground=True)['data'])

    def close(self):
        self.call('Page.close')


class Browser:
    last_words = ''

    def __enter__(self):
        self.home = tempfile.mkdtemp()
        self.said = tempfile.TemporaryFile()
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()

        def put_in_place():
            high = [os.dup(to_browser), os.dup(from_browser)]  # 3 or 4 may be one of the pipes itself
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [find(), '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
             '--hide-scrollbars', '--host-resolver-rules=MAP * ~NOTFOUND', '--remote-debugging-pipe', '--user-data-dir=' + self.home],
            preexec_fn=put_in_place, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.said,
            start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.rest = b''
        self.n_calls = 0
        self.pages = {}
        return self

    def __exit__(self, *_):
        try:
            self.call('Browser.close', {})
        except NOTHING:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.said.seek(0)
        lines = self.said.read().decode('utf-8', 'replace').split('\n')
        self.last_words = next((line.strip() for line in reversed(lines) if line.strip()), '')
        self.said.close()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.home, ignore_errors=True)

    def receive(self, until):
        while b'\0' not in self.rest:
            if not select.select([self.back], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError('the browser does not answer')
            more = os.read(self.back, 1 << 16)
            if not more:
                raise EOFError('the browser went away')
            self.rest += more
        message, self.rest = self.rest.split(b'\0', 1)
        message = json.loads(message)
        if 'method' in message and message.get('sessionId') in self.pages:
            self.pages[message['sessionId']].hear(message['method'], message['params'])
        return message

    def call(self, method, params, session=None):
        self.n_calls += 1
        number = self.n_calls
        message = {'id': number, 'method': method, 'params': params}
        if session:
            message['sessionId'] = session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(until)
            if answer.get('id') == number:
                if 'error' in answer:
                    raise ValueError('%s: %s' % (method, answer['error']))
                return answer['result']

    def open(self, path, width=1200, dark=False):
        target = self.call('Target.createTarget', {'url': 'about:blank'})['targetId']
        session = self.call('Target.attachToTarget', {'targetId': target, 'flatten': True})['sessionId']
        page = self.pages[session] = Page(self, session)
        for what in ('Page', 'Network', 'Log', 'Runtime'):
            page.call(what + '.enable')
        page.call('Emulation.setDeviceMetricsOverride', width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        page.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        page.call('Page.navigate', url='file://' + os.path.realpath(path))
        until = time.monotonic() + PATIENCE
        while not page.loaded:
            self.receive(until)
        page.requests = [url for url in page.requests if not url.startswith(('data:', 'file://' + os.path.realpath(path)))]
        return page
