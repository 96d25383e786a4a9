# SPDX-License-Identifier: Apache-2.0
"""browser: a headless Chromium that opens one page, driven over its debugging pipe (two descriptors, JSON messages that end
with a NUL), so that tests need nothing but Python. check.py uses it."""

import json
import os
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class Browser:
    def __init__(self, path, width=1440, height=900, fragment=""):
        program = next((p for p in map(shutil.which, PROGRAMS) if p), None)
        if not program:
            raise SystemExit("needs chromium")
        self.folder = tempfile.mkdtemp(dir=os.environ.get("BATS_TEST_TMPDIR"))
        down, self.to = os.pipe()
        self.come, up = os.pipe()

        def descriptors():
            fd, other = os.dup(down), os.dup(up)
            os.dup2(fd, 3)
            os.dup2(other, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--disable-background-networking", "--disable-dev-shm-usage", f"--user-data-dir={self.folder}", f"--window-size={width},{height}"],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down)
        os.close(up)
        self.number, self.rest, self.events = 0, b"", []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(domain + ".enable")
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Page.navigate", url="file://" + os.path.abspath(path) + fragment)
        self.wait("typeof Blocks === 'object' && Blocks.ready")

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.come, 1 << 20)
            if not piece:
                raise SystemExit("the browser has ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def js(self, code):
        """The value of an expression, when its promise is kept."""
        result = self.send("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{code}: {result['exceptionDetails'].get('exception', {}).get('description')}")
        return result["result"].get("value")

    def wait(self, code, seconds=300):
        end = time.monotonic() + seconds
        while not self.js(f"Boolean({code})"):
            if time.monotonic() > end:
                raise SystemExit(f"still not true: {code}")
            time.sleep(0.02)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def drag(self, x0, y0, x1, y1, shift=False):
        def send(kind, x, y, **more):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", modifiers=8 if shift else 0, **more)

        send("mousePressed", x0, y0, clickCount=1)
        for i in range(1, 6):
            send("mouseMoved", x0 + (x1 - x0) * i / 5, y0 + (y1 - y0) * i / 5, buttons=1)
        send("mouseReleased", x1, y1, clickCount=1)

    def click_on(self, selector):
        """In the middle of the first element that the selector finds, as a user would."""
        self.js(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center'}})")
        box = self.js(f"(r => [r.left + r.width / 2, r.top + r.height / 2])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        self.click(*box)

    def type(self, text):
        for c in text:
            self.send("Input.dispatchKeyEvent", type="keyDown", key=c, text=c)
            self.send("Input.dispatchKeyEvent", type="keyUp", key=c)

    def requests(self):
        """Addresses beyond the page itself that it asked for."""
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"
                and not e["params"]["request"]["url"].startswith(("file://", "data:", "about:"))]

    def errors(self):
        return [e["params"] for e in self.events if e.get("method") == "Runtime.exceptionThrown"
                or (e.get("method") == "Log.entryAdded" and e["params"]["entry"]["level"] == "error")]

    def close(self):
        try:
            self.send("Browser.close")
        except SystemExit:
            pass
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
