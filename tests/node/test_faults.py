"""Faults of the machine and of other programs: kills, full disks, exhausted descriptors and memory, clock jumps, clients that never
read."""
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

from sensor_msgs.msg import JointState
from urdf_ik.msg import SolveStatus
from urdf_ik.srv import SolveIK, SolveIKBatch

from checks import assert_reached, assert_solved
from client import Client, nanoseconds, pose_message, posture
from conftest import ARM_FILE
from kinematics import translation

TARGETS = [{'elbow_joint': 0.2 + 0.01 * k, 'shoulder_pan_joint': 0.02 * k} for k in range(20)]
MARGIN = 300_000_000  # [bytes] of address space for requests: allocators reserve some of it in large blocks
HOUR = 3600


def assert_well(node, robot):
    """It solves a query and a target."""
    pose = robot.pose('tool0', TARGETS[7])
    answer = node.solve_ik(pose)
    assert answer.success, answer.message
    assert_reached(robot, posture(answer.joint_state), 'tool0', pose)
    assert_solved(node, robot, node.send_pose(pose), 'tool0', pose)


def test_a_node_that_is_killed_amid_queries_and_targets_gave_no_wrong_answer_and_starts_again(start, arm_robot):
    for count in range(2):
        node = start.node(ARM_FILE)
        poses = [arm_robot.pose('tool0', positions) for positions in TARGETS]
        queries = [node.service(SolveIK, 'solve_ik').call_async(SolveIK.Request(pose=pose_message(pose))) for pose in poses]
        for pose in poses:
            node.target_publisher('target_pose').publish(pose_message(pose, stamp=node.new_stamp()))
        # At a different moment each time.
        node.wait_for(lambda: sum(query.done() for query in queries) >= 8 * count, 'some answers')
        node.process.kill()
        for query, pose in zip(queries, poses):
            if query.done():
                assert_reached(arm_robot, posture(query.result().joint_state), 'tool0', pose)
    assert_well(start.node(ARM_FILE), arm_robot)


def test_a_full_disk_for_all_that_it_prints_and_logs_does_no_harm(start, arm_robot, tmp_path):
    users = [] if os.geteuid() == 0 else ['--user', '--map-root-user']
    script = 'mount -t tmpfs -o size=64k tmpfs "$0"; head -c 65536 /dev/zero > "$0/fill"; exec "$@" > /dev/full 2>&1'
    prefix = ['env', f'ROS_LOG_DIR={tmp_path}/log', 'unshare', *users, '--mount', 'sh', '-c', script, str(tmp_path)]
    node = start.node(ARM_FILE, prefix=prefix)
    for frame in 'abc':
        node.send_pose(translation(0.3, 0, 0.3), frame)  # each causes a warning
    assert_well(node, arm_robot)


def test_without_free_descriptors_it_serves_its_clients_and_later_new_ones(start, arm_robot):
    node = start.node(ARM_FILE)
    process = node.process.process.pid
    before = resource.prlimit(process, resource.RLIMIT_NOFILE)
    resource.prlimit(process, resource.RLIMIT_NOFILE, (len(os.listdir(f'/proc/{process}/fd')), before[1]))
    assert_well(node, arm_robot)
    assert node.call(SolveIKBatch, 'solve_ik_batch', poses=[pose_message(arm_robot.pose('tool0', TARGETS[0])).pose] * 100).success
    resource.prlimit(process, resource.RLIMIT_NOFILE, before)
    other = Client(node.name)
    start.clients.append(other)
    other.wait_until_ready(node.process)
    assert_well(other, arm_robot)


def test_a_request_beyond_a_documented_limit_is_refused_before_memory_is_taken(start, tmp_path):
    """The response would need 270 MB, more than the node can allocate."""
    joint = '<joint name="{1}" type="continuous"><parent link="{0}"/><child link="{1}"/><origin xyz="0 0.001 0"/></joint><link name="{1}"/>'
    links = [f'link{number}' for number in range(1001)]
    text = ''.join(joint.format(*pair) for pair in zip(links, links[1:]))
    (tmp_path / 'chain.urdf').write_text(f'<robot name="chain"><link name="{links[0]}"/>{text}</robot>')
    node = start.node(tmp_path / 'chain.urdf')
    most = address_space(node) + MARGIN
    resource.prlimit(node.process.process.pid, resource.RLIMIT_AS, (most, most))
    poses = [pose_message(translation(0.1, 0, 0)).pose] * 34_000
    answer = node.call(SolveIKBatch, 'solve_ik_batch', poses=poses)
    assert 'the most is 33554' in answer.message, answer.message
    assert node.forward_kinematics().success


def address_space(node):
    pages = int(Path(f'/proc/{node.process.process.pid}/statm').read_text().split()[0])
    return pages * resource.getpagesize()


def test_a_client_that_stops_reading_holds_nobody_up(start, arm_robot):
    node = start.node(ARM_FILE)
    script = Path(__file__).with_name('network_client.py')
    reader = subprocess.Popen([sys.executable, script, node.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        # It has been answered, so all its subscriptions are discovered.
        kinds = (json.loads(line)['kind'] for line in reader.stdout)
        assert any(kind == 'status' for kind in kinds)
        reader.send_signal(signal.SIGSTOP)
        for positions in TARGETS * 10:
            pose = arm_robot.pose('tool0', positions)
            assert_solved(node, arm_robot, node.send_pose(pose), 'tool0', pose)
        assert_well(node, arm_robot)
    finally:
        reader.kill()
        reader.communicate()


def test_large_messages_leave_no_memory_taken(start, arm_robot):
    """Of a million names: with other allocators and settings of Fast DDS the node retains 80 MB."""
    node = start.node(ARM_FILE)
    assert_well(node, arm_robot)
    before = node.process.memory()
    names = [f'joint{number}' for number in range(1_000_000)]
    answer = node.solve_ik(arm_robot.pose('tool0', TARGETS[0]), seed=JointState(name=names, position=[0.0] * len(names)))
    assert not answer.success and 'joint0' in answer.message
    node.wait_for(lambda: node.process.memory() < before + 20e6, 'the memory to be released')
    assert_well(node, arm_robot)


def test_the_system_clock_may_jump(start, arm_robot, tmp_path):
    library, offset = tmp_path / 'jumping_clock.so', tmp_path / 'offset'
    source = Path(__file__).with_name('jumping_clock.c')
    subprocess.run(['cc', '-shared', '-fPIC', '-o', library, source], check=True)

    def jump(seconds):
        partial = tmp_path / 'partial'
        partial.write_text(f'{seconds}')
        partial.replace(offset)
    jump(0)
    node = start.node(ARM_FILE, prefix=['env', f'LD_PRELOAD={library}', f'CLOCK_OFFSET={offset}'])
    for seconds in (0, HOUR, -HOUR):
        jump(seconds)

        def is_in_time(seconds=seconds):
            ahead = nanoseconds(node.states[-1].header.stamp) - node.node.get_clock().now().nanoseconds
            return abs(ahead / 1e9 - seconds) < HOUR / 2
        node.wait_for(is_in_time, f'stamps {seconds} s ahead')
        pose = arm_robot.pose('tool0', TARGETS[3])
        status = node.send_pose(pose)
        assert status.outcome == SolveStatus.SOLVED, status.message
        assert_reached(arm_robot, node.answer_to(status), 'tool0', pose)
        assert node.solve_ik(pose).success
