#!/usr/bin/env python3
"""Does at the provider of these tests what a person does in a browser, without one: in a few milliseconds.

usage: visit.py URL [USER] [--deny] [--stay] [--code CODE] [--ca FILE] [--by-name] [--quiet]

Signs in as USER (else $TEST_USER), consents, or with --deny does not, also for a device (URL may lack its code: --code)
and for a sign-out. Prints the address outside of the provider where that leads, and goes there, unless it is to --stay;
or prints the heading of the page where it ends; nothing of it with --quiet. A form for another place is posted there. Ends with 1 at
a page of an error, 2 where nobody listens. With --ca the provider's certificate is checked; --by-name goes to stand-ins (standins/) as
HTTPS_PROXY and KEYFOB_CA_FILE say. One without a page takes USER for who sits at the browser."""

import argparse
import html.parser
import http.cookiejar
import json
import os
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request

import page as pages

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("user", nargs="?", default=os.environ.get("TEST_USER"))
parser.add_argument("--deny", action="store_true")
parser.add_argument("--stay", action="store_true")
parser.add_argument("--code")
parser.add_argument("--ca")
parser.add_argument("--by-name", action="store_true")
parser.add_argument("--quiet", action="store_true")
options = parser.parse_args()


class Page(html.parser.HTMLParser):
    """The last form of a page, its buttons as (label, name, value), and the first heading."""

    def __init__(self, text):
        super().__init__()
        self.fields, self.buttons, self.heading, self.action = None, [], None, None
        self.text, self.button = None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.fields, self.buttons, self.action = {}, [], values.get("action")
        elif tag == "input" and values.get("type") == "submit":
            self.buttons.append((values.get("value", ""), values.get("name"), values.get("value", "")))
        elif tag == "input" and "name" in values and self.fields is not None:
            self.fields[values["name"]] = values.get("value") or ""
        elif tag in ("button", "h1", "h2", "h3"):
            self.text, self.button = "", values

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        if tag == "button":
            self.buttons.append((self.text.strip(), self.button.get("name"), self.button.get("value", "")))
        elif tag in ("h1", "h2", "h3") and self.heading is None:
            self.heading = self.text.strip()

    def pressed(self):
        """The button that a person presses."""
        refusing = [button for button in self.buttons if button[0] in ("Cancel", "Deny")]
        others = [button for button in self.buttons if button not in refusing and button[0] != "Switch user"]
        return (refusing if options.deny and refusing else others)[0]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


if options.by_name:
    options.ca = os.environ["KEYFOB_CA_FILE"]
proxies = {"https": os.environ["HTTPS_PROXY"]} if options.by_name else {}
context = ssl.create_default_context(cafile=options.ca)
if options.ca is None:
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
browser = urllib.request.build_opener(
    NoRedirect, urllib.request.ProxyHandler(proxies), urllib.request.HTTPSHandler(context=context),
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def origin(url):
    return urllib.parse.urlsplit(url)[:2]


def fetch(url, fields=None, referrer=None):
    data = None if fields is None else urllib.parse.urlencode(fields).encode()
    request = urllib.request.Request(url, data, {} if referrer is None else {"Referer": referrer})
    if options.user and origin(url) == origin(options.url):
        request.add_header("X-Person", options.user)
    try:
        with browser.open(request, timeout=60) as answer:
            return answer.status, answer.headers, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code, answer.headers, answer.read().decode(errors="replace")


def leave(url, fields=None):
    """Goes to where the provider leads."""
    if not options.quiet:
        print(url)
    if not options.stay:
        try:
            fetch(url, fields)
        except OSError as error:
            sys.exit(print(f"visit.py: nobody listens: {error}", file=sys.stderr) or 2)
    sys.exit(0)


def glewlwyd(url):
    """Does what the script of Glewlwyd's page does, and gives the address where it leads."""
    base, values = urllib.parse.urljoin(url, "/api/"), dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    for method, place, document in [
        ("POST", "auth/", {"username": options.user, "password": f"{options.user}-password"}),
        ("PUT", f"auth/grant/{values['client_id']}/", {"scope": values["scope"]}),
    ]:
        request = urllib.request.Request(base + place, json.dumps(document).encode(), {"Content-Type": "application/json"}, method=method)
        browser.open(request, timeout=60).close()
    return values["callback_url"] + "&g_continue"


options.url = pages.address(options.url)
url, fields, referrer = options.url, None, None
has_signed_in = False
for _ in range(20):
    status, headers, text = fetch(url, fields, referrer)
    if 300 <= status < 400:
        url, fields, referrer = urllib.parse.urljoin(url, headers["Location"]), None, url
        if origin(url) != origin(options.url):
            leave(url)
        continue
    if urllib.parse.urlsplit(url).path == "/login.html":
        url, fields, referrer = glewlwyd(url), None, None
        continue
    page = Page(text)
    if status >= 400 or (page.heading or "").startswith("Error"):
        sys.exit(f"visit.py: {status} {page.heading or ''} at {urllib.parse.urlsplit(url).path}\n{text[:400]}")
    if page.action and page.action.startswith("http") and origin(page.action) != origin(url):
        leave(page.action, page.fields)
    if not page.buttons:
        print(page.heading or "")
        sys.exit(0)
    fields, referrer = dict(page.fields), url
    # Canaille asks for the name on one page and for the password on the next.
    if "login" in fields:
        fields["login"] = options.user
    elif "password" in fields:
        if has_signed_in:
            sys.exit("visit.py: the password is wrong")
        fields |= {"username": options.user} if "username" in fields else {}
        fields["password"] = f"{options.user}-password"
        has_signed_in = True
    if "user_code" in fields and options.code:
        fields["user_code"] = options.code
    _, name, value = page.pressed()
    if name:
        fields[name] = value
sys.exit(f"visit.py: this leads nowhere: {urllib.parse.urlsplit(url).path}\n{text[:400]}")
