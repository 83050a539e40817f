"""Makes an install prefix for C programs of ROS 2's wheels, which were built for Python alone: repair.py PREFIX."""

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy
import rosidl_parser.parser

# Libraries of rcl that name Python modules as needed, though they use nothing of them.
RCL_LIBRARIES = ("librcl.so", "librcl_action.so", "librcl_lifecycle.so")

# What the parser of interfaces gets. Each generator of messages is a program of its own that parses all interfaces of a package, which is half
# of its work: so what one of them has parsed is kept for the others.
PARSES_ONCE = """

import hashlib
import pathlib
import pickle

_parse = get_ast_from_idl_string


def get_ast_from_idl_string(idl_string):
    kept = pathlib.Path(sys.prefix, 'parsed', hashlib.sha256(idl_string.encode()).hexdigest())
    if kept.exists():
        return pickle.loads(kept.read_bytes())
    tree = _parse(idl_string)
    kept.parent.mkdir(exist_ok=True)
    unfinished = kept.with_suffix(f'.{os.getpid()}')
    unfinished.write_bytes(pickle.dumps(tree))
    unfinished.rename(kept)
    return tree
"""


def link_middleware(lib: Path) -> None:
    """Gives the middleware the name under which programs link it: there is one, so nothing has to choose."""
    name = lib / "librmw_implementation.so"
    if not name.exists():
        name.symlink_to("librmw_fastrtps_cpp.so")


def drop_python_modules(library: Path) -> None:
    """Unlinks Python modules from a library; a program that is not Python dies at start with them."""
    needed = subprocess.run(
        ["patchelf", "--print-needed", library], check=True, capture_output=True, text=True
    ).stdout.split()
    for name in needed:
        if name.endswith("__rosidl_generator_py.so"):
            subprocess.run(["patchelf", "--remove-needed", name, library], check=True)


def name_this_python(share: Path) -> None:
    """Replaces the build machine's Python in the exported CMake files by this one."""
    numpy_headers = re.compile(r"/opt/python/[^;\"]*/numpy/_core/include")
    python_headers = re.compile(r"/opt/python/[^;\"]*/include/python3\.\d+")
    for path in share.rglob("*.cmake"):
        text = path.read_text()
        if "/opt/python/" in text:
            text = numpy_headers.sub(numpy.get_include(), text)
            path.write_text(python_headers.sub(sysconfig.get_path("include"), text))
            print("now names", sys.executable, "-", path)


def parse_once(parser: Path) -> None:
    """Makes the parser of interfaces keep what it parsed."""
    text = parser.read_text()
    if PARSES_ONCE not in text:
        parser.write_text(text + PARSES_ONCE)


def main() -> None:
    prefix = Path(sys.argv[1])
    link_middleware(prefix / "lib")
    for name in RCL_LIBRARIES:
        drop_python_modules(prefix / "lib" / name)
    name_this_python(prefix / "share")
    parse_once(Path(rosidl_parser.parser.__file__))


if __name__ == "__main__":
    main()
