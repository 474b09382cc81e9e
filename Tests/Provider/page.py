"""Where the page that Keyfob starts a browser with leads, for programs that are none."""

import html.parser
import urllib.request


class Links(html.parser.HTMLParser):
    """The address of the refresh and of the link."""

    def __init__(self, text):
        super().__init__()
        self.refresh, self.link = None, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "meta" and values.get("http-equiv") == "refresh":
            self.refresh = values["content"].partition("url=")[2]
        elif tag == "a":
            self.link = values["href"]


def address(url):
    """The address behind a page of the disk; any other address is itself."""
    if not url.startswith("file:"):
        return url
    with urllib.request.urlopen(url) as page:
        links = Links(page.read().decode())
    assert links.refresh == links.link, "the page leads to two places"
    return links.link
