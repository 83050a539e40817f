"""The joints between two links of a robot description."""
import xml.etree.ElementTree as ET
from collections import namedtuple

Joint = namedtuple('Joint', 'name is_prismatic')


def joints(text, base, tip):
    """The joints that move `tip` relative to `base`, from the base on. A mimic joint counts as its master."""
    parents = {}
    for joint in ET.fromstring(text).findall('joint'):
        parents[joint.find('child').get('link')] = joint.find('parent').get('link'), joint
    down, up = above(parents, tip), above(parents, base)
    while down and up and down[-1] is up[-1]:  # above the common ancestor
        down.pop()
        up.pop()
    return [Joint(joint.get('name'), joint.get('type') == 'prismatic') for joint in (*up, *reversed(down)) if moves(joint)]


def link_of(text, frame):
    """The link with this frame, and the prefix of frames before link names."""
    links = [link.get('name') for link in ET.fromstring(text).findall('link')]
    link = max((link for link in links if frame.endswith(link)), key=len)
    return link, frame.removesuffix(link)


def above(parents, link):
    """The joints above a link, nearest first."""
    found = []
    while link in parents:
        link, joint = parents[link]
        found.append(joint)
    return found


def moves(joint):
    return joint.get('type') in ('revolute', 'continuous', 'prismatic') and joint.find('mimic') is None
