"""What mkdocs does beside its own work for the site of docs/ (mkdocs.yml names this file).

A page may link to any file of the repository, as on GitHub: such a file becomes part of the site, under its path; one
in docs/ is there under its path in docs/. The site's first page is README.md. Headings have the anchors that GitHub
gives them. For a site that is opened as files, the index of the search is a script, too (offline.js)."""
import os
import posixpath
import re

from mkdocs.structure.files import File

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
CONFIG = re.compile(r"(?<!\[)`(configs/[\w./]+\.cfg)`")
FENCE = re.compile(r"(^```.*?^```$|^(?: {4}[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
FIRST, OTHERS = "README.md", {"configs": "docs/howto/examples.md"}   # a page for a folder


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def source(src_path):
    """The file of the repository that a page of the site is made of."""
    return f"docs/{src_path}" if src_path != FIRST and os.path.exists(f"{ROOT}/docs/{src_path}") else src_path


def target(page, link):
    """The file of the repository to which a link on a page leads; None: it leads elsewhere."""
    if re.match(r"[a-z]+:", link):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source(page)), link))
    path = OTHERS.get(path, path)
    return posixpath.join(path, "README.md") if os.path.isdir(os.path.join(ROOT, path)) else path


def in_site(path):
    return path[len("docs/"):] if path.startswith("docs/") else path


def text_of(page):
    return read(source(page))


def outside_code(text, change):
    """The text, with its parts that are no blocks of code changed."""
    parts = FENCE.split(text)
    parts[::2] = [change(part) for part in parts[::2]]
    return "".join(parts)


def on_config(config):
    slug = lambda text, separator: re.sub(r"[^\w -]", "", text.strip().lower()).replace(" ", separator)
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slug
    return config


def on_files(files, config):
    for file in list(files):
        if file.src_path.endswith(".in") or file.src_path.startswith("man/"):
            files.remove(file)
    pages = [file.src_path for file in files if file.src_path.endswith(".md")]
    wanted = set()
    for page in pages:
        for match in LINK.finditer(text_of(page)):
            wanted.add(target(page, match.group(1)))
        wanted.update(CONFIG.findall(text_of(page)))
    for path in sorted(filter(None, wanted)):
        if not path.startswith(("docs/", "README.md")) and os.path.exists(os.path.join(ROOT, path)):
            files.append(File(path, ROOT, config["site_dir"], config["use_directory_urls"]))
    return files


def on_page_markdown(markdown, page, config, files):
    here = page.file.src_path

    def to(path):
        return posixpath.relpath(in_site(path), posixpath.dirname(here) or ".")

    def link(match):
        path = target(here, match.group(1))
        return match.group(0) if path is None else f"]({to(path)}{match.group(2) or ''})"

    def change(text):
        text = LINK.sub(link, text)
        return CONFIG.sub(lambda match: f"[`{match.group(1)}`]({to(match.group(1))})"
                          if os.path.exists(os.path.join(ROOT, match.group(1))) else match.group(0), text)

    return outside_code(read(FIRST) if here == FIRST else markdown, change)


def on_post_build(config):
    folder = os.path.join(config["site_dir"], "search")
    with open(os.path.join(folder, "search_index.json"), encoding="utf-8") as index, \
            open(os.path.join(folder, "search_index.js"), "w", encoding="utf-8") as script:
        script.write("var __search = { index: Promise.resolve(" + index.read() + ") };\n")
