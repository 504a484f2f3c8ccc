"""Drives headless Chromium through chromedriver's HTTP protocol (W3C WebDriver)."""
import base64
import json
import os
import socket
import subprocess
import urllib.error
import urllib.request

# How many times longer limits last, as ./check says.
SLOW = int(os.environ.get("OB_SLOW", "1"))


def need_localhost():
    """chromedriver talks to the browser by that name, and says no more than that there is no session."""
    try:
        socket.getaddrinfo("localhost", 80)
    except OSError:
        raise RuntimeError("this machine does not know the name localhost, which chromedriver needs: "
                           "echo '127.0.0.1 localhost' >>/etc/hosts") from None


class Browser:
    def __init__(self, width=1360, height=860, hosts="MAP * ~NOTFOUND"):
        need_localhost()
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.base = "http://127.0.0.1:" + line.strip().rstrip(".").split()[-1]
                break
        else:
            raise RuntimeError("chromedriver did not start")
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
                            "--disable-dev-shm-usage", "--hide-scrollbars",
                            "--host-resolver-rules=" + hosts,
                            f"--window-size={width},{height}"]}
        capabilities = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                        "timeouts": {"script": 30000 * SLOW, "pageLoad": 80000 * SLOW},
                                        "goog:loggingPrefs": {"browser": "ALL"}}}
        self.session = ""
        self.session = "/session/" + self.call("POST", "/session",
                                               {"capabilities": capabilities})["sessionId"]

    def call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + self.session + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=90 * SLOW) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(json.load(e)["value"]["message"].split("\n")[0]) from None

    def open(self, path):
        self.call("POST", "/url", {"url": "file://" + path})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def frame(self):
        """Waits until the browser has drawn; a report draws a part of it in each frame."""
        self.call("POST", "/execute/async", {"script": """const done = arguments[0];
            const look = () => requestAnimationFrame(() => typeof asked !== "undefined" && asked ? look() : done());
            requestAnimationFrame(look);""", "args": []})

    def keys(self, *keys):
        """Types keys one after the other; a pair is held together: (SHIFT, RIGHT)."""
        steps = []
        for key in keys:
            held = key if isinstance(key, tuple) else (key,)
            steps += [{"type": "keyDown", "value": k} for k in held]
            steps += [{"type": "keyUp", "value": k} for k in reversed(held)]
        self.actions({"type": "key", "id": "keys", "actions": steps})

    def actions(self, *actions):
        self.call("POST", "/actions", {"actions": [*actions]})

    def mouse(self, *steps):
        self.actions({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                      "actions": [*steps]})

    def move(self, x, y):
        self.mouse({"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)})

    def click(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{list(found.values())[0]}/click", {})

    def wheel(self, x, y, by):
        self.actions({"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": int(x), "y": int(y), "deltaX": 0, "deltaY": by, "duration": 0}]})

    def log(self):
        return self.call("POST", "/se/log", {"type": "browser"})

    def picture(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", "")
        except (OSError, RuntimeError):
            pass
        self.driver.terminate()
        try:
            self.driver.wait(10)
        except subprocess.TimeoutExpired:
            self.driver.kill()
