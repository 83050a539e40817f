"""Checks that no linter has: at most two meanings per type name in the library crates, and Rust comments of at most 120 columns."""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WIDTH = 120  # [columns] of a comment
MEANINGS = 2  # definitions of a type name in different files of the library crates
NOT_LIBRARIES = {'cli', 'figures', 'random', 'testing'}
NOT_YET = 'crates/motion/src/servo'  # is being rewritten
COMMENT = re.compile(r'\s*//|[^"]*("[^"]*"[^"]*)*\s// ')  # on its own line, or after code
TYPE = re.compile(r'^(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|type|union) (\w+)', re.MULTILINE)


def rust_files(*folders):
    """Every Rust file in these folders, with its path in the repository."""
    for folder in folders:
        for file in sorted((ROOT / folder).rglob('*.rs')):
            name = file.relative_to(ROOT).as_posix()
            if not name.startswith(NOT_YET) and 'target' not in file.relative_to(ROOT).parts:
                yield name, file.read_text(encoding='utf-8')


def is_library(name):
    parts = name.split('/')
    return parts[1] not in NOT_LIBRARIES and parts[2] == 'src' and 'testing' not in parts and parts[-1] != 'tests.rs'


def ambiguous_types():
    places = defaultdict(dict)
    for name, text in rust_files('crates'):
        if is_library(name):
            for found in TYPE.finditer(text):
                places[found[1]][name] = text.count('\n', 0, found.start()) + 1
    for word, files in sorted(places.items()):
        if len(files) > MEANINGS:
            for name, line in files.items():
                yield f'{name}:{line}: one of {len(files)} types {word}: at most {MEANINGS} may share a name; rename the less public ones'


def long_comments():
    for name, text in rust_files('benches', 'crates', 'examples', 'src'):
        for number, line in enumerate(text.splitlines(), 1):
            if len(line) > WIDTH and COMMENT.match(line):
                yield f'{name}:{number}: a comment ends in column {len(line)}: wrap it at {WIDTH}'


problems = [*ambiguous_types(), *long_comments()]
print('\n'.join(problems))
sys.exit(bool(problems))
