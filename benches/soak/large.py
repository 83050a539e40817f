"""Messages of 10 MB and of a million elements, and the memory retained by the node afterwards."""
from geometry_msgs.msg import PoseArray, PoseStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from urdf_ik.srv import ForwardKinematics, SolveIKBatch

from client import pose_message
from robots import POSES, TEXTS

ELEMENTS = 1_000_000
LARGE = 'x' * 10_000_000
SETTLING = 5.0  # [s] until freed memory is back in the system


def send(client, kind, topic, message):
    """Publishes one message, after which the node must still answer."""
    publisher = client.publisher(kind, topic)
    client.wait_until_heard(publisher).publish(message)
    client.pace(SETTLING)
    client.forward_kinematics()


def cases(client):
    """Names, and functions that send the messages."""
    name, pose = client.name, pose_message(POSES[0]).pose
    names = [f'joint{k}' for k in range(ELEMENTS)]
    numbers = [0.0] * ELEMENTS
    return {
        'path of 1e6 poses': lambda: send(client, PoseArray, f'{name}/target_path', PoseArray(poses=[pose] * ELEMENTS)),
        'joint velocities of 1e6 joints': lambda: send(
            client, JointState, f'{name}/joint_jog', JointState(name=names, velocity=numbers)),
        'target in a frame of 10 MB': lambda: send(client, PoseStamped, f'{name}/target_pose', pose_message(POSES[0], LARGE)),
        'description of 10 MB': lambda: send(
            client, String, f'{client.namespace}/robot_description', String(data=TEXTS[0] + f'<!--{LARGE}-->')),
        'batch of 1e6 poses': lambda: client.call(SolveIKBatch, 'solve_ik_batch', poses=[pose] * ELEMENTS, batch_timeout=2.0),
        'query of 1e6 joint positions': lambda: client.call(
            ForwardKinematics, 'forward_kinematics', joint_state=JointState(name=names, position=numbers)),
    }


def measure(client):
    """Rows of the name of a message and of the memory before, after and shortly after it [MB]."""
    def memory():
        return client.process.memory() / 1e6
    rows = []
    for name, send_it in cases(client).items():
        before = memory()
        send_it()
        after = memory()
        client.pace(SETTLING)
        rows.append((name, before, after, memory()))
    return rows
