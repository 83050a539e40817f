"""The bundled arm with solid links beside a ball, and their distances, computed independently of the package under test."""
import itertools
import math
import xml.etree.ElementTree as ET

import numpy as np
from shape_msgs.msg import SolidPrimitive

from client import posture
from conftest import ARM_FILE
from kinematics import Robot, translation
from motion import PERIOD, consecutive
from world import World, change

# The cylinder of each solid link: radius, length, and height of its centre on the link's z axis [m].
CYLINDERS = {'upper_arm_roll_link': (0.055, 0.2, 0.1), 'forearm_roll_link': (0.045, 0.1, 0.05),
             'hand_link': (0.04, 0.06, 0.06)}
MARGIN = 0.01  # default of the parameter collision_margin [m]
ALLOWED_BETWEEN = 1e-3  # permitted violation of the margin between states [m]
ROUNDING = 1e-6  # of a distance [m]
PLACES_BETWEEN = 2  # sampling step between two joint states


def solid_arm():
    """The URDF of the bundled arm with cylinders for three links and no shapes for the others."""
    robot = ET.fromstring(ARM_FILE.read_text())
    for link in robot.findall('link'):
        for collision in link.findall('collision'):
            link.remove(collision)
        if link.get('name') in CYLINDERS:
            radius, length, height = CYLINDERS[link.get('name')]
            collision = ET.SubElement(link, 'collision')
            ET.SubElement(collision, 'origin', xyz=f'0 0 {height}')
            ET.SubElement(ET.SubElement(collision, 'geometry'), 'cylinder', radius=str(radius), length=str(length))
    return ET.tostring(robot, encoding='unicode')


ROBOT = Robot(solid_arm())


def start_arm(start, *balls, **parameters):
    """The obstacles of a new node for the solid arm, with balls."""
    world = World(start.node(robot_description=ROBOT.text, **{'avoid_collisions': True, **parameters}))
    for place in balls:
        place.add_to(world)
    return world


def home():
    """The initial pose of the tool."""
    return ROBOT.pose('tool0', {})


def aside(y):
    """The same, shifted to the left [m]."""
    return translation(0, y, 0) @ home()


class Ball:
    """A ball in the path of the solid arm."""

    def __init__(self, centre, radius, name='ball'):
        self.centre, self.radius, self.name = centre, radius, name

    def add_to(self, world):
        shape = SolidPrimitive(type=SolidPrimitive.SPHERE, dimensions=[self.radius])
        world.make(change('add', self.name, self.centre, shapes=[shape]))

    def distance(self, link, positions):
        """Distance of a solid link [m]; negative inside."""
        radius, length, height = CYLINDERS[link]
        x, y, z = (np.linalg.inv(ROBOT.pose(link, positions)) @ [*self.centre, 1.0])[:3]
        beside, beyond = math.hypot(x, y) - radius, abs(z - height) - 0.5 * length
        return math.hypot(max(beside, 0.0), max(beyond, 0.0)) - self.radius

    def nearest(self, positions):
        """Distance of the arm [m]."""
        return min(self.distance(link, positions) for link in CYLINDERS)

    def assert_clear(self, postures, ways=None, margin=MARGIN, between=MARGIN - ALLOWED_BETWEEN):
        """Each configuration keeps the margin, and each motion nearly so: between consecutive configurations, unless others are given.
        Returns the smallest distance of the configurations."""
        least = min(map(self.nearest, postures))
        assert least >= margin - ROUNDING, least
        for one, other in itertools.pairwise(postures) if ways is None else ways:
            for share in np.linspace(0, 1, PLACES_BETWEEN + 2)[1:-1]:
                way = self.nearest({name: one[name] + share * (other[name] - one[name]) for name in one})
                assert way >= between - ROUNDING, way
        return least

    def assert_passed(self, states, period=PERIOD, **margins):
        """The same for joint states published once a period or more often, and for the straight motions between them."""
        ways = [(posture(one), posture(other)) for one, other in consecutive(states, period)]
        assert ways, 'no consecutive states'
        return self.assert_clear([posture(state) for state in states], ways, **margins)


BESIDE = Ball((0.5, 0.22, 0.4), 0.08)  # to the left of the hand
MOVING = {'margin': MARGIN - ALLOWED_BETWEEN}  # of states in motion
