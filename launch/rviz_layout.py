"""Adapts the RViz layout to a robot: its size, its root link, and the namespace of its topics."""
import math
import tempfile

import yaml

TOPIC_KEYS = ('Value', 'Interactive Markers Namespace')
# Relative to the robot's size.
VIEW_DISTANCE = 2.2
FOCUS = {'X': 0.15, 'Y': 0.0, 'Z': 0.35}
NEAR_CLIP = 0.005
LINK_FRAMES = 0.25
FOCAL_SHAPE = 0.04
POINT = 0.03
GRID_CELL = 0.2  # rounded to 1, 2 or 5 times a power of ten


def fitted(path, root, size, namespace):
    """The layout in the file `path` for a robot of this size [m] with this root link; topics are below the namespace."""
    with open(path) as file:
        layout = yaml.safe_load(file)
    below(layout, namespace.strip('/'))
    manager = layout['Visualization Manager']
    manager['Global Options']['Fixed Frame'] = root
    view = manager['Views']['Current']
    view['Distance'] = VIEW_DISTANCE * size
    view['Focal Point'] = {axis: share * size for axis, share in FOCUS.items()}
    view['Near Clip Distance'] = NEAR_CLIP * size
    view['Focal Shape Size'] = FOCAL_SHAPE * size
    displays = {display['Name']: display for display in manager['Displays']}
    displays['Grid']['Cell Size'] = rounded(GRID_CELL * size)
    displays['Link frames']['Marker Scale'] = LINK_FRAMES * size
    displays['Reach cloud']['Size (m)'] = POINT * size
    return layout


def below(node, namespace):
    """Puts all topics of a part of the layout below the namespace."""
    items = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in items:
        if isinstance(value, (dict, list)):
            below(value, namespace)
        elif namespace and key in TOPIC_KEYS and isinstance(value, str) and value.startswith('/'):
            node[key] = f'/{namespace}{value}'


def rounded(length):
    """The largest of 1, 2 or 5 times a power of ten that does not exceed this."""
    power = 10.0 ** math.floor(math.log10(length))
    return max(factor * power for factor in (1, 2, 5) if factor == 1 or factor * power <= length)


def write(layout):
    """Writes the layout into a temporary file, which the caller removes; returns its path."""
    with tempfile.NamedTemporaryFile('w', prefix='urdf_ik_', suffix='.rviz', delete=False) as file:
        yaml.safe_dump(layout, file, sort_keys=False)
    return file.name
