#!/usr/bin/env python3
"""Lets a real Chromium do at the provider of these tests what a person does there.

usage: browser.py URL [USER] [--deny] [--code CODE] [--text] [--timeout S]

Signs in as USER (else $TEST_USER), consents, or with --deny does not, also for a device (URL may lack its code: --code)
and for a sign-out. Prints the address outside of the provider where the browser ends up, or the heading of the page;
with --text also what the page shows there. Ends with 1 where something is wrong, 2 where nobody listens.
Any certificate is accepted. Needs chromium and chromedriver; speaks WebDriver with it."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import page as pages

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("user", nargs="?", default=os.environ.get("TEST_USER"))
parser.add_argument("--deny", action="store_true")
parser.add_argument("--code")
parser.add_argument("--text", action="store_true")
parser.add_argument("--timeout", type=float, default=60)
options = parser.parse_args()

ARGUMENTS = """headless=new no-sandbox disable-gpu disable-dev-shm-usage no-proxy-server no-first-run
    disable-background-networking disable-component-update disable-sync disable-extensions""".split()
# What a step needs to know of the page: its buttons with their labels, and its fields by name.
LOOK = """
const buttons = [...document.querySelectorAll('form button, form input[type=submit]')].map(
    e => [e, e.tagName === 'BUTTON' ? e.innerText.trim() : e.value]);
const fields = {};
for (const e of document.querySelectorAll('form input[name]:not([type=hidden]):not([type=submit])')) fields[e.name] = e;
const heading = document.querySelector('h1, h2, h3');
return {url: location.href, isNew: document.readyState === 'complete' && !window.wasPressed, buttons, fields,
        heading: heading ? heading.innerText.trim() : '', text: document.body ? document.body.innerText : ''};
"""


class Stale(Exception):
    """The page has changed under our hands."""


class Browser:
    def __init__(self, home):
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        environment = os.environ | {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home}
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.session = None
        # It chooses a port and says so: "… was started successfully on port 12345."
        for line in self.driver.stdout:
            if "successfully on port" in line:
                self.base = f"http://127.0.0.1:{line.rstrip().rstrip('.').split()[-1]}"
                break
        else:
            sys.exit("browser.py: chromedriver does not start")
        chromium = {"args": [f"--{name}" for name in ARGUMENTS] + [f"--user-data-dir={home}/profile"]}
        if program := shutil.which("chromium"):
            chromium["binary"] = program
        wanted = {"browserName": "chrome", "acceptInsecureCerts": True, "goog:chromeOptions": chromium}
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with self.opener.open(request, timeout=options.timeout) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as answer:
            value = json.load(answer)["value"]
            if value["error"] in ("stale element reference", "no such element"):
                raise Stale from None
            if "net::ERR_CONNECTION_REFUSED" in value["message"]:
                return None
            sys.exit(f"browser.py: {value['error']}: {value['message'].splitlines()[0]}")

    def do(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def go(self, url):
        self.do("POST", "/url", {"url": url})

    def look(self):
        return self.do("POST", "/execute/sync", {"script": LOOK, "args": []})

    def element(self, element, action, body):
        self.do("POST", f"/element/{next(iter(element.values()))}/{action}", body)

    def type(self, element, text):
        self.element(element, "clear", {})
        self.element(element, "value", {"text": text})

    def press(self, element):
        # A click may return before the next page is there: this one is known by the mark.
        self.do("POST", "/execute/sync", {"script": "window.wasPressed = true", "args": []})
        self.element(element, "click", {})

    def close(self):
        if self.session is not None:
            self.do("DELETE", "")
        self.driver.terminate()
        self.driver.wait()


def pressed(buttons):
    """The button that a person presses."""
    refusing = [element for element, label in buttons if label in ("Cancel", "Deny")]
    others = [element for element, label in buttons if label not in ("Cancel", "Deny")]
    return (refusing if options.deny and refusing else others)[0]


def visit(browser):
    provider = urllib.parse.urlsplit(pages.address(options.url))[:2]
    browser.go(options.url)
    has_signed_in, page = False, None
    end = time.monotonic() + options.timeout
    while time.monotonic() < end:
        page = browser.look()
        if page["url"].startswith("chrome-error:"):
            print("browser.py: nobody listens at", browser.do("GET", "/url"), file=sys.stderr)
            return 2
        if not page["isNew"] or page["url"].startswith("file:"):
            time.sleep(0.05)
            continue
        if urllib.parse.urlsplit(page["url"])[:2] != provider:
            print(page["url"])
            if options.text:
                print(page["text"])
            return 0
        if page["heading"].startswith("Error"):
            break
        if not page["buttons"]:
            if not page["heading"]:
                break
            print(page["heading"])
            return 0
        try:
            if "username" in page["fields"]:
                if has_signed_in:
                    break
                browser.type(page["fields"]["username"], options.user)
                browser.type(page["fields"]["password"], f"{options.user}-password")
                has_signed_in = True
            if "user_code" in page["fields"] and options.code:
                browser.type(page["fields"]["user_code"], options.code)
            browser.press(pressed(page["buttons"]))
        except Stale:
            pass
    print(f"browser.py: stuck at {page['url']}\n{page['text'][:400]}", file=sys.stderr)
    return 1


with tempfile.TemporaryDirectory(prefix="keyfob-browser-", ignore_cleanup_errors=True) as home:
    browser = None
    try:
        browser = Browser(home)
        code = visit(browser)
    finally:
        if browser is not None:
            browser.close()
sys.exit(code)
