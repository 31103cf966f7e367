#!/usr/bin/env python3
"""check_site.py FOLDER: of a site that mkdocs has made, each link leads to a file and an anchor that are there, nothing
is loaded from elsewhere, no markup is left as text, and no page has more than 2,000 words: ten minutes.

A word has two letters in a row; numbers of tables are looked up, not read. Standard library only."""
import os
import re
import sys
import urllib.parse
from html.parser import HTMLParser

MOST = 2000
UNRENDERED = re.compile(r"^\s*([-*] |1\. |\|.*\|$)|\]\(|^#+ ", re.MULTILINE)   # a list, a table, a link, a heading
LOADED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src")}


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids, self.loaded, self.left, self.words = [], set(), [], [], 0
        self.article = self.paragraph = self.code = 0
        self.text = ""
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.update(values[name] for name in ("id", "name") if values.get(name))
        self.links += [values["href"]] if tag == "a" and values.get("href") else []
        self.loaded += [values[name] for name in ("src", "href") if (tag, name) in LOADED and values.get(name)]
        self.article += tag == "article"
        self.code += tag in ("pre", "code")
        if tag == "p":
            self.paragraph, self.text = 1, ""

    def handle_endtag(self, tag):
        self.article -= tag == "article"
        self.code -= tag in ("pre", "code")
        if tag == "p":
            self.paragraph = 0
            if UNRENDERED.search(self.text):
                self.left.append(self.text[:60])

    def handle_data(self, data):
        if self.article:
            self.words += sum(1 for word in data.split() if re.search(r"[^\W\d_]{2}", word))
        if self.paragraph and not self.code:
            self.text += data


def main(folder):
    paths = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names
             if name.endswith(".html")]
    pages = {os.path.realpath(path): Page(path) for path in paths}
    wrong = []
    for path, page in pages.items():
        name = os.path.relpath(path, os.path.realpath(folder))
        for link in page.links + page.loaded:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                if link in page.loaded and not link.startswith("data:"):
                    wrong.append(f"{name}: loads {link}")
                continue
            if name == "404.html":  # its paths begin where the site will be
                continue
            to = os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path)) if url.path else path
            to = os.path.realpath(to)
            to = os.path.join(to, "index.html") if os.path.isdir(to) else to
            if not os.path.exists(to):
                wrong.append(f"{name}: no file {link}")
            elif url.fragment and to in pages and urllib.parse.unquote(url.fragment) not in pages[to].ids:
                wrong.append(f"{name}: no anchor {link}")
        wrong += [f"{name}: left as text: {text!r}" for text in page.left]
        if page.words > MOST:
            wrong.append(f"{name}: {page.words} words, more than {MOST}")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(pages)} pages, {sum(page.words for page in pages.values())} words, the longest "
          f"{max(page.words for page in pages.values())}")
    return 1 if wrong or len(pages) < 2 else 0


sys.exit(main(sys.argv[1]))
