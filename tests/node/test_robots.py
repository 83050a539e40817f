"""Robots of manufacturers."""
import pytest

from checks import assert_posture, assert_solved
from conftest import ROOT
from kinematics import Robot

FOLDER = ROOT / 'tests' / 'data' / 'robots'
ROBOTS = {  # file: base link, tip link
    'fetch.urdf': ('torso_lift_link', 'gripper_link'),
    'gen3.urdf': ('base_link', 'EndEffector_Link'),
    'iiwa14.urdf': ('base_link', 'tool0'),
    'kr6r900sixx.urdf': ('base_link', 'tool0'),
    'panda.urdf': ('panda_link0', 'panda_hand_tcp'),
    'talos_full_v2.urdf': ('torso_2_link', 'gripper_left_base_link'),
    'ur5_robot.urdf': ('base_link', 'tool0'),
}


@pytest.mark.parametrize('file', ROBOTS)
def test_targets_are_met(start, generator, file):
    robot = Robot.load(FOLDER / file)
    base, tip = ROBOTS[file]
    node = start.node(FOLDER / file, base_link=base, tip_links=[tip])
    assert_posture(robot, node.next_posture())
    for _ in range(8):
        target = robot.pose(tip, robot.sample(generator), base)
        assert_solved(node, robot, node.send_pose(target), tip, target, base)
