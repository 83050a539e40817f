"""Properties of robot descriptions for the launch files."""
import html
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from xml.sax.saxutils import quoteattr

MOVABLE = ('revolute', 'continuous', 'prismatic')
FULL_POSE = 6  # joints needed for a full pose
MESH = re.compile(r'(<mesh\b[^>]*?\bfilename\s*=\s*)(?:"([^"]*)"|\'([^\']*)\')')


def read(path):
    """The robot description in a file; xacro is expanded."""
    if not Path(path).is_file():  # a pipe would block
        raise RuntimeError(f'there is no file {path}')
    if not path.endswith('.xacro'):
        return Path(path).read_text(errors='replace')
    try:
        import xacro
    except ImportError as error:
        raise RuntimeError(f'{path} is a xacro file, but xacro is not installed: install ros-$ROS_DISTRO-xacro') from error
    return xacro.process_file(path).toxml()


def parse(description, path):
    """The robot element."""
    try:
        return ET.fromstring(description)
    except ET.ParseError as error:
        raise RuntimeError(f'{path} is not a robot description: {error}') from error


def root_link(robot, path):
    """The link that is not the child of a joint."""
    children = {child.get('link') for child in robot.findall('joint/child')}
    roots = [link.get('name') for link in robot.findall('link') if link.get('name') not in children]
    if len(roots) != 1:
        raise RuntimeError(f'{path} needs one link that is not the child of a joint, but has {len(roots)}: {", ".join(roots)}')
    return roots[0]


def joints_to_tip(robot, base, tips):
    """Number of joints that move a link of `tips` (none: the only leaf) relative to the link `base` (empty: the root); of several tips
    the minimum. A mimic joint counts as its master. None if the links do not exist, which the node reports."""
    above, masters = {}, {}
    for joint in robot.findall('joint'):
        name, (parent, child, mimic) = joint.get('name'), (joint.find(tag) for tag in ('parent', 'child', 'mimic'))
        if parent is None or child is None:
            return None
        above[child.get('link')] = parent.get('link'), name
        if joint.get('type') in MOVABLE:
            masters[name] = name if mimic is None else mimic.get('joint')
    links = {link.get('name') for link in robot.findall('link')}
    tips = tips or list(links - {parent for parent, _ in above.values()} - {base})
    if len(tips) != len(set(tips) & links) or (base and base not in links):
        return None

    def joints_above(link):
        found = set()
        while link in above and above[link][1] not in found:  # an invalid description may have loops
            link, joint = above[link]
            found.add(joint)
        return found

    ways = (joints_above(tip) ^ joints_above(base) for tip in tips)
    return min((len({masters[joint] for joint in way if joint in masters}) for way in ways), default=None)


def for_short_chain(path, base, tips):
    """The parameters for an arm of a file that cannot meet most full poses, and a message about it; empty for any other, and for a file
    that is no robot description, which the node reports. `tips` are links separated by commas."""
    try:
        robot = parse(read(path), path)
    except (RuntimeError, OSError):
        return {}, ''
    joints = joints_to_tip(robot, base, [tip for tip in tips.split(',') if tip])
    if joints is None or joints >= FULL_POSE:
        return {}, ''
    return {'on_unreachable': 'position'}, (
        f'{joints} joints cannot meet most full poses: on_unreachable is set to position, so that the arm reaches the position exactly and '
        'the orientation as closely as it can')


def numbers(element, attribute):
    """The numbers of an attribute; none if they are invalid, which the node reports."""
    try:
        values = [float(word) for word in element.get(attribute, '').split()] if element is not None else []
    except ValueError:
        return []
    return values if all(map(math.isfinite, values)) else []


def size(robot, root, tips):
    """Length [m] along the joints from the root link to the farthest of the links `tips`, or of all links."""
    joints = {}
    for joint in robot.findall('joint'):
        parent, child = joint.find('parent'), joint.find('child')
        if parent is not None and child is not None:
            length = math.hypot(*numbers(joint.find('origin'), 'xyz'))
            joints.setdefault(parent.get('link'), []).append((child.get('link'), length))
    lengths, open_links = {root: 0.0}, [root]
    while open_links:
        link = open_links.pop()
        for child, length in joints.get(link, []):
            if child not in lengths:  # an invalid description may have loops
                lengths[child] = lengths[link] + length
                open_links.append(child)
    longest = max((lengths[link] for link in tips if link in lengths), default=0.0) or max(lengths.values())
    return longest if longest > 0 else 1.0


def with_found_meshes(description, path):
    """The description with absolute file names for meshes beside the file that are in no installed package.

    RViz searches only installed packages.
    """
    def named_by_file(match):
        begin, mesh = match[1], html.unescape(match[2] or match[3] or '')
        file = mesh_beside(mesh, Path(path).absolute())
        return match[0] if file is None else f'{begin}{quoteattr(f"file://{file}")}'

    return MESH.sub(named_by_file, description)


def mesh_beside(mesh, path):
    """The file of a mesh that is relative to the description, or in the folder of its package beside or above it; else None."""
    from ament_index_python import PackageNotFoundError, get_package_share_directory
    if '://' not in mesh:
        places = [path.parent / mesh]
    elif mesh.startswith('package://'):
        name = mesh.removeprefix('package://')
        package, _, file = name.partition('/')
        try:
            if (Path(get_package_share_directory(package)) / file.lstrip('/')).is_file():
                return None
        except (PackageNotFoundError, ValueError):
            pass  # it may be beside the description
        places = [folder / name for folder in path.parents]
    else:
        return None
    return next((place for place in places if is_file(place)), None)


def is_file(place):
    try:
        return place.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
