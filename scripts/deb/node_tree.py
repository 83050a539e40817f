#!/usr/bin/env python3
"""Copies the run-time files of the node into one install prefix: scripts/deb/node_tree.py INSTALL DESTINATION [PREFIX]

INSTALL is colcon's install folder of the package. From PREFIX, the private ROS 2, come rclpy, the messages, and the
libraries that these and the node load. Headers, generators, CMake files, the page and tests are omitted. Prints the files
taken from PREFIX.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Files of the package for builds and shells, pictures and pages, and source checks.
NOT_FOR_RUNNING = shutil.ignore_patterns(
    'include', 'cmake', 'colcon-core', 'environment', 'hook', '*.bash', '*.dsv', '*.sh', '*.zsh', '*.egg-info', '__pycache__', '*.c',
    '*_s__rosidl_typesupport_introspection*', 'parent_prefix_path', 'player', 'viewer', 'figures', 'licences.py', 'play.py',
    'run.py', 'sbom.py', 'style.py', 'view.py')
PYTHON_PACKAGES = ('ament_index_python', 'rclpy', 'rosidl_generator_py', 'rosidl_parser', 'rpyutils')
# The middleware code for the messages of a package, which the linked code loads by name.
LINKED = '__rosidl_typesupport_c.so'
LOADED_BY_NAME = ('__rosidl_typesupport_fastrtps_c.so', '__rosidl_typesupport_introspection_c.so')


def python_packages(prefix):
    """The folders of rclpy, its dependencies, and all messages with theirs."""
    modules, = prefix.glob('lib/python3.*/site-packages')
    messages = [path.name[3:].split('__')[0] for path in sorted(prefix.glob('lib/lib*__rosidl_generator_py.so'))]
    return [modules / name for name in (*PYTHON_PACKAGES, *messages)]


def needed(binary):
    """The names of the libraries linked by a binary."""
    listed = subprocess.run(['readelf', '--dynamic', binary], check=True, capture_output=True, text=True).stdout
    return re.findall(r'\(NEEDED\).*\[(.*)\]', listed)


def is_binary(path):
    with path.open('rb') as file:
        return file.read(4) == b'\x7fELF'


def take_libraries(destination, prefix):
    """Copies the private ROS 2's libraries linked by the binaries below a folder, with their own dependencies."""
    folders = [prefix / 'lib', *sorted(prefix.glob('lib/python3.*/site-packages/ros_*.libs'))]
    todo = [path for path in destination.rglob('*') if path.is_file() and is_binary(path)]
    taken = []
    while todo:
        names = needed(todo.pop())
        names += [name.replace(LINKED, loaded) for name in names if name.endswith(LINKED) for loaded in LOADED_BY_NAME]
        for name in names:
            source = next((folder / name for folder in folders if (folder / name).exists()), None)
            target = destination / 'lib' / name
            if source and not target.exists():
                shutil.copy2(source, target)
                taken.append(source)
                todo.append(target)
    return taken


def forget_folders(destination, prefix):
    """Removes the search paths of the binaries, which lead out of the prefix: LD_LIBRARY_PATH names the single folder of all libraries."""
    for path in [path for path in destination.rglob('*') if path.is_file() and is_binary(path)]:
        subprocess.run([prefix / 'bin/patchelf', '--remove-rpath', path], check=True)


def main(install, destination, prefix=None):
    shutil.copytree(install, destination, ignore=NOT_FOR_RUNNING)
    (destination / 'lib/urdf_ik/urdf_ik').unlink(missing_ok=True)  # in the package of the command line
    subprocess.run(['strip', destination / 'lib/urdf_ik/urdf_ik_node'], check=True)
    if prefix is None:
        return
    taken = python_packages(prefix)
    for folder in taken:
        shutil.copytree(folder, destination / folder.relative_to(prefix), ignore=NOT_FOR_RUNNING)
    taken += take_libraries(destination, prefix)
    forget_folders(destination, prefix)
    print(*sorted(taken), sep='\n')


if __name__ == '__main__':
    main(*map(Path, sys.argv[1:]))
