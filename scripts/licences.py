#!/usr/bin/env python3
"""Prints the licence notices of all crates compiled into packages: scripts/licences.py PACKAGE[,PACKAGE] [TARGET]

These are their dependencies, without those that run only at build time, and the standard library of Rust. Texts that
several crates share are printed once. `make wheel` and `make deb` put them into their packages.
"""
import html
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTICE = re.compile(r'(licen[cs]e|copying|copyright|notice|unlicense|authors)', re.IGNORECASE)
HEAD = '''Licence notices of what is compiled into {packages}.

Its own code is under the Apache License, Version 2.0, or the MIT licence, at your choice. It contains the crates below, and the standard
library of Rust, each under the licence named.
'''


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiled_in(names, target):
    """The packages of the dependency graph that are linked: by normal dependencies, not through macros."""
    data = json.loads(output('cargo', 'metadata', '--locked', '--format-version', '1', '--filter-platform', target))
    packages = {entry['id']: entry for entry in data['packages']}
    nodes = {node['id']: node for node in data['resolve']['nodes']}
    is_macro = {key: any('proc-macro' in kind['kind'] for kind in entry['targets']) for key, entry in packages.items()}
    todo = [key for key, entry in packages.items() if entry['name'] in names]
    found = {}
    while todo:
        key = todo.pop()
        if key in found or is_macro[key]:
            continue
        found[key] = packages[key]
        for dependency in nodes[key]['deps']:
            if any(kind['kind'] is None for kind in dependency['dep_kinds']):
                todo.append(dependency['pkg'])
    # Path dependencies are our own.
    return sorted((entry for entry in found.values() if entry['source']), key=lambda entry: (entry['name'], entry['version']))


def texts_of(folder):
    files = sorted(path for path in folder.iterdir() if path.is_file() and NOTICE.match(path.name))
    return [path.read_text(errors='replace').strip() for path in files]


def stand_in(entry):
    """The licence text, with authors, of a crate without a licence file."""
    authors = ', '.join(entry['authors']) or entry['repository']
    licence = entry['license'] or ''
    if 'Apache-2.0' in licence:
        return f'Copyright {authors}\n\n' + (ROOT / 'LICENSE-APACHE').read_text().strip()
    if 'MIT' in licence:
        return re.sub(r'Copyright .*', f'Copyright {authors}', (ROOT / 'LICENSE-MIT').read_text(), count=1).strip()
    raise SystemExit(f'{entry["name"]} {entry["version"]} has the licence {licence!r}, and no text of it beside it: add it here')


def main(packages, target='x86_64-unknown-linux-gnu'):
    names, texts = [], {}
    for entry in compiled_in(packages.split(','), target):
        name = f'{entry["name"]} {entry["version"]}'
        names.append(f'{name}: {entry["license"]}')
        for text in texts_of(Path(entry['manifest_path']).parent) or [stand_in(entry)]:
            texts.setdefault(re.sub(r'\s+', ' ', text), (text, []))[1].append(name)
    print(HEAD.format(packages=packages.replace(',', ' and ')))
    print('\n'.join(names))
    for text, of in texts.values():
        print(f'\n{"-" * 100}\n{", ".join(of)}\n\n{text}')
    library = Path(output('rustc', '--print', 'sysroot').strip()) / 'share/doc/rust/COPYRIGHT-library.html'
    print(f'\n{"-" * 100}\nthe standard library of {output("rustc", "--version").strip()}\n')
    print(as_text(library.read_text()))


def as_text(page):
    """A page of HTML without its tags."""
    page = re.sub(r'(?s)<(style|script|head)\b.*?</\1>', '', page)
    lines = html.unescape(re.sub(r'<[^>]+>', '', page)).splitlines()
    return re.sub(r'\n{3,}', '\n\n', '\n'.join(line.rstrip() for line in lines)).strip()


if __name__ == '__main__':
    main(*sys.argv[1:])
