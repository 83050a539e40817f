"""The alternating robots, and the requested poses."""
from kinematics import Robot
from process import ROOT

PREFIX = 'second_'


def texts():
    """The bundled arm, and a copy with other joint names: an answer shows which of them was in use."""
    first = second = (ROOT / 'urdf' / 'arm7.urdf').read_text()
    for joint in Robot(first).joints:
        second = second.replace(f'name="{joint}"', f'name="{PREFIX}{joint}"')
    return first, second


TEXTS = texts()
ROBOTS = [Robot(text) for text in TEXTS]
POSES = [ROBOTS[0].pose('tool0', {'shoulder_pan_joint': 0.03 * (k - 16), 'elbow_joint': 0.3 + 0.02 * k}) for k in range(32)]


def robot_of(positions):
    """The robot with the joints of an answer."""
    return next(robot for robot in ROBOTS if set(robot.movable) == set(positions))
