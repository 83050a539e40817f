"""Makes an install prefix for C programs of ROS 2's wheels, which were built for Python alone: repair.py PREFIX."""

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy

# Libraries of rcl that name Python modules as needed, though they use nothing of them.
RCL_LIBRARIES = ("librcl.so", "librcl_action.so", "librcl_lifecycle.so")


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


def main() -> None:
    prefix = Path(sys.argv[1])
    link_middleware(prefix / "lib")
    for name in RCL_LIBRARIES:
        drop_python_modules(prefix / "lib" / name)
    name_this_python(prefix / "share")


if __name__ == "__main__":
    main()
