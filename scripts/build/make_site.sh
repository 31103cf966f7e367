#!/bin/sh
# make_site.sh [FOLDER]: the pages of docs/ as a site in FOLDER (default build/site), which needs no network: open
# FOLDER/index.html, or serve the folder. mkdocs and its theme are Debian's packages mkdocs and mkdocs-material.
set -e
cd "$(dirname "$0")/../.."
to=$(realpath -m "${1:-build/site}")
if ! command -v mkdocs >/dev/null; then
    echo 'make_site.sh: needs mkdocs: apt-get install mkdocs mkdocs-material' >&2
    exit 1
fi
export PYTHONDONTWRITEBYTECODE=1
mkdocs --quiet build --strict --clean --site-dir "$to"
python3 scripts/build/check_site.py "$to"
