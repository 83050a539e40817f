"""Robots and arms: their properties and kinematics."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import urdfik
from conftest import draw, random, urdf

PENDULUM = """
<robot name="pendulum">
  <link name="ceiling"/> <link name="rod"/> <link name="end"/>
  <joint name="pivot" type="continuous"> <parent link="ceiling"/> <child link="rod"/> <axis xyz="0 1 0"/> </joint>
  <joint name="slide" type="prismatic"> <parent link="rod"/> <child link="end"/> <axis xyz="0 0 -1"/>
    <limit lower="0.5" upper="2" effort="1" velocity="1"/> </joint>
</robot>
"""


def test_an_arm_is_made_of_a_path_a_text_or_a_robot():
    path = urdf("arm7")
    arms = [urdfik.Arm(robot, tip="tool0") for robot in (path, str(path), path.read_text(), urdfik.Robot(path))]
    for arm in arms:
        assert arm.joint_names == arms[0].joint_names and len(arm.joint_names) == 7
        assert arm.base == "base_link" and arm.tips == ["tool0"]
    assert urdfik.Arm(path).tips == ["tool0"]


def test_limits_are_arrays_and_continuous_joints_have_none():
    arm = urdfik.Arm(PENDULUM)
    assert arm.joint_names == ["pivot", "slide"]
    np.testing.assert_array_equal(arm.lower, [-np.inf, 0.5])
    np.testing.assert_array_equal(arm.upper, [np.inf, 2.0])
    np.testing.assert_array_equal(arm.nominal, [0.0, 1.25])


def test_a_robot_tells_its_links_and_where_they_are():
    robot = urdfik.Robot(PENDULUM)
    assert (robot.name, robot.root, robot.leaves) == ("pendulum", "ceiling", ["end"])
    assert robot.link_names == ["ceiling", "rod", "end"] and robot.joint_names == ["pivot", "slide"]
    assert robot.warnings == [] and robot.urdf == PENDULUM
    poses = robot.link_poses({"pivot": np.pi / 2, "slide": 1.0})
    np.testing.assert_allclose(poses["end"][:3, 3], [-1, 0, 0], atol=1e-15)
    np.testing.assert_allclose(robot.link_poses()["end"][:3, 3], [0, 0, -1.25])


def test_link_poses_take_arrays(hands):
    robot = hands.robot
    numbers = random(6).uniform(-0.5, 0.5, len(robot.joint_names))
    by_name, by_order = robot.link_poses(dict(zip(robot.joint_names, numbers))), robot.link_poses(numbers)
    assert by_name.keys() == by_order.keys() == set(robot.link_names)
    for link, pose in by_name.items():
        np.testing.assert_array_equal(by_order[link], pose)


@pytest.mark.parametrize("name, tip", [("iiwa14", "tool0"), ("kr6r900sixx", "tool0"), ("gen3", "EndEffector_Link")])
def test_a_frame_on_the_foot_is_no_tip(name, tip):
    arm = urdfik.Arm(urdf(name))
    assert len(arm.tips) == 1 and arm.joint_names == urdfik.Arm(urdf(name), tip=tip).joint_names


XACRO = '<robot name="r" xmlns:xacro="http://wiki.ros.org/xacro">{}</robot>'


def test_other_formats_are_recognised(tmp_path):
    includes = XACRO.format('<xacro:include filename="$(find ur_description)/urdf/ur_macro.xacro"/>')
    world = XACRO.format('<link name="world"/><xacro:ur_robot name="ur" parent="world"/>')
    for text in (includes, world, PENDULUM.replace('"0.5"', '"${lower}"')):
        file = tmp_path / "robot.urdf.xacro"
        file.write_text(text)
        for given in (text, file):
            with pytest.raises(urdfik.Error, match="this is a xacro file: expand it first, for example by `xacro"):
                urdfik.Arm(given)
    with pytest.raises(urdfik.Error, match="MJCF, the format of MuJoCo"):
        urdfik.Robot("<mujoco model='arm'><worldbody/></mujoco>")


def test_forward_kinematics_of_one_and_of_many():
    arm = urdfik.Arm(PENDULUM)
    pose = arm.forward_kinematics([np.pi / 2, 1.0])
    np.testing.assert_allclose(pose, [[0, 0, 1, -1], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]], atol=1e-15)
    np.testing.assert_array_equal(arm.forward_kinematics({"slide": 1.0, "pivot": np.pi / 2, "finger": 9}), pose)
    many = np.array([[np.pi / 2, 1.0], [0.0, 0.5]])
    assert arm.forward_kinematics(many).shape == (2, 4, 4)
    np.testing.assert_array_equal(arm.forward_kinematics(many)[0], pose)
    # Rows in another memory order, and other number types.
    np.testing.assert_array_equal(arm.forward_kinematics(np.asfortranarray(many)), arm.forward_kinematics(many))
    np.testing.assert_array_equal(arm.forward_kinematics(np.array([[1, 2]], np.int32)), arm.forward_kinematics([[1.0, 2.0]]))
    assert arm.forward_kinematics(np.zeros((0, 2))).shape == (0, 4, 4)


def test_poses_of_several_tips(hands):
    q = draw(hands, random(1), 5)
    both = hands.forward_kinematics(q)
    assert both.shape == (5, 2, 4, 4)
    np.testing.assert_array_equal(hands.forward_kinematics(q[0]), both[0])
    np.testing.assert_array_equal(hands.forward_kinematics(q, tip="right_hand"), both[:, 1])


@pytest.mark.parametrize("frame", ["base", "tip"])
def test_the_jacobian_is_the_derivative(panda, frame):
    q, step = draw(panda, random(2), 1)[0], 1e-6
    pose, jacobian = panda.forward_kinematics(q), panda.jacobian(q, frame=frame)
    assert jacobian.shape == (6, 7)
    axes = pose[:3, :3].T if frame == "tip" else np.eye(3)
    for joint in range(7):
        change = np.zeros(7)
        change[joint] = step
        slope = (panda.forward_kinematics(q + change) - panda.forward_kinematics(q - change)) / (2 * step)
        turning = slope[:3, :3] @ pose[:3, :3].T
        np.testing.assert_allclose(jacobian[:3, joint], axes @ slope[:3, 3], atol=1e-8)
        np.testing.assert_allclose(jacobian[3:, joint], axes @ [turning[2, 1], turning[0, 2], turning[1, 0]], atol=1e-8)


def test_manipulability_is_yoshikawas(panda):
    q = draw(panda, random(3), 4)
    jacobians = panda.jacobian(q)
    assert jacobians.shape == (4, 6, 7)
    expected = np.sqrt(np.linalg.det(jacobians @ jacobians.transpose(0, 2, 1)))
    np.testing.assert_allclose(panda.manipulability(q), expected, rtol=1e-9)
    assert isinstance(panda.manipulability(q[0]), float)


def test_another_programs_order(panda):
    theirs = list(reversed(panda.joint_names))
    order, q = panda.order(theirs), draw(panda, random(4), 3)
    np.testing.assert_array_equal(q[..., order], q[:, ::-1])
    back = np.empty_like(q)
    back[..., order] = q[:, ::-1]
    np.testing.assert_array_equal(back, q)
    with pytest.raises(urdfik.Error, match="the arm has no joint 'finger'; its joints are: panda_joint1"):
        panda.order(["finger"])


def test_robots_and_arms_are_pickled(hands, arm):
    robot = pickle.loads(pickle.dumps(hands.robot))
    assert robot.link_names == hands.robot.link_names
    copy = pickle.loads(pickle.dumps(hands))
    assert (copy.tips, copy.base, copy.joint_names) == (hands.tips, hands.base, hands.joint_names)
    q = draw(hands, random(5), 2)
    np.testing.assert_array_equal(copy.forward_kinematics(q), hands.forward_kinematics(q))
    # The world of an unpickled arm also finds the files of the URDF.
    assert not urdfik.World(pickle.loads(pickle.dumps(arm))).missing_shapes


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: urdfik.Arm("nowhere.urdf"), "cannot read .*nowhere.urdf: there is no such file"),
        (lambda: urdfik.Arm("<robot"), "not well-formed XML"),
        (lambda: urdfik.Arm(urdf("arm7"), tip="hand"), "hand"),
        (lambda: urdfik.Arm(urdf("arm7"), base="nobody"), "nobody"),
        (lambda: urdfik.Arm(urdf("dual_arm")), "left_hand"),
        (lambda: urdfik.Arm(urdfik.Robot(PENDULUM), srdf="<robot/>"), "Robot"),
        (lambda: urdfik.Arm(PENDULUM).forward_kinematics([1, 2, 3]), r"q has the shape \(3,\); it must be \(2,\), or \(N, 2\)"),
        (lambda: urdfik.Arm(PENDULUM).forward_kinematics({"pivot": 1}), "does not name joint 'slide'"),
        (lambda: urdfik.Arm(PENDULUM).forward_kinematics("pivot"), "q must be an array of numbers"),
        (lambda: urdfik.Arm(PENDULUM).jacobian([0, 1], frame="world"), "frames are: base, tip"),
        (lambda: urdfik.Arm(urdf("dual_arm"), ["left_hand", "right_hand"]).jacobian([0] * 13), "several tips"),
        (lambda: urdfik.Robot(PENDULUM).link_poses({"elbow": 1}), "no joint 'elbow'"),
        (lambda: urdfik.Robot(PENDULUM).link_poses([1.0]), r"positions has the shape \(1,\); it must be \(2,\)"),
        (lambda: urdfik.Robot(PENDULUM).link_poses([1.0, np.nan]), "the position of joint 'slide' is NaN"),
    ],
)
def test_what_is_wrong_is_named(call, words):
    with pytest.raises(urdfik.Error, match=words):
        call()
    assert issubclass(urdfik.Error, ValueError)


def test_classes_do_not_change(arm):
    with pytest.raises(AttributeError):
        arm.base = "tool0"
    assert repr(arm).startswith("<urdfik.Arm arm7: 7 joints from base_link to tool0")
    assert Path(urdfik.__file__).with_name("py.typed").exists()


LIMITED = """<robot name="limited"> <link name="a"/> <link name="b"/> <link name="c"/>
  <joint name="hinge" type="revolute"> <parent link="a"/> <child link="b"/> <axis xyz="0 0 1"/>
    <limit lower="-1.5" upper="2" effort="1" velocity="1"/>
    <safety_controller soft_lower_limit="-1.25" k_velocity="1"/> </joint>
  <joint name="follower" type="revolute"> <parent link="b"/> <child link="c"/> <origin xyz="0.5 0 0"/> <axis xyz="0 0 1"/>
    <limit lower="0" upper="3" effort="1" velocity="-1"/>
    <mimic joint="hinge" multiplier="-1"/> </joint>
</robot>"""


def test_the_limits_of_a_master_alone_count_and_its_soft_limits_where_asked_for():
    arm = urdfik.Arm(LIMITED)
    assert (arm.lower, arm.upper) == ([-1.5], [2.0])
    assert any("mimics another" in warning and "follower" in warning for warning in arm.robot.warnings)
    assert arm.solve(arm.forward_kinematics([2.0])).solved
    for soft in urdfik.Arm(LIMITED, soft_limits=True), urdfik.Arm(urdfik.Robot(LIMITED, soft_limits=True)):
        again = pickle.loads(pickle.dumps(soft))
        assert soft.lower == again.lower == [-1.25] and soft.upper == again.upper == [2.0]
    with pytest.raises(urdfik.Error, match="soft_limits"):
        urdfik.Arm(arm.robot, soft_limits=True)
