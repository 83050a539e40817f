"""Kills of the node at random moments of queries and streams, and its recovery."""
import random
import signal
import time

from geometry_msgs.msg import PoseStamped
from rcl_interfaces.srv import GetParameters
from urdf_ik.srv import SolveIK

from client import Client, pose_message, posture
from kinematics import errors
from process import ros_arguments
from robots import POSES, ROBOTS, ROOT

LATEST = 1.0  # [s] of work before a kill
TOLERANCE = 1e-4  # [m, rad]


class Victim:
    """A node that is killed and restarted, and its only client, which survives.

    Each life has its own name: the graph removes a killed node with a delay, during which it would seem available.
    """

    def __init__(self, launcher):
        self.launcher = launcher
        self.client = Client('/killed/urdf_ik')
        launcher.clients.append(self.client)
        self.lives = self.wrong = self.answers = 0

    def start(self):
        """Starts the node. Returns the times until mutual discovery and from there to its first answer [s]."""
        began = time.monotonic()
        self.lives += 1
        namespace = f'/killed{self.lives}'
        self.process = self.launcher.run(*ros_arguments(namespace, {'urdf_file': str(ROOT / 'urdf' / 'arm7.urdf')}, {}))
        self.queries = self.client.service(SolveIK, f'{namespace}/urdf_ik/solve_ik')
        self.targets = self.client.publisher(PoseStamped, f'{namespace}/urdf_ik/target_pose', 100)
        self.client.wait_for(self.queries.service_is_ready, 'the node')
        # The node discovers the clients in the order of their creation, and answers this one after its discovery.
        found = self.client.service(GetParameters, f'{namespace}/urdf_ik/get_parameters')
        self.client.wait_for(found.service_is_ready, 'the services of parameters')
        self.client.wait_for(found.call_async(GetParameters.Request()).done, 'the node to find this client')
        self.client.node.destroy_client(self.client.services.pop(found.srv_name))
        discovered = time.monotonic()
        self.client.wait_for(self.query(POSES[0]).done, 'the first answer')
        return discovered - began, time.monotonic() - discovered

    def query(self, pose):
        future = self.queries.call_async(SolveIK.Request(pose=pose_message(pose)))
        future.add_done_callback(lambda done: self.check(done.result(), pose))
        return future

    def check(self, answer, pose):
        found = ROBOTS[0].pose('tool0', posture(answer.joint_state))
        self.answers += 1
        self.wrong += not answer.success or max(errors(found, pose)) > TOLERANCE

    def work(self, generator):
        """Queries and targets, one after the other, until a random moment."""
        end = time.monotonic() + generator.uniform(0, LATEST)
        while time.monotonic() < end:
            pose = generator.choice(POSES)
            self.query(pose)
            self.targets.publish(pose_message(pose))
            self.client.executor.spin_once(timeout_sec=0.001)

    def die(self):
        self.process.kill()
        self.forget()

    def stop(self):
        """The node's shutdown time after SIGTERM [s]."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.forget()
        return time.monotonic() - began

    def forget(self):
        self.launcher.processes.remove(self.process)
        self.client.node.destroy_client(self.client.services.pop(self.queries.srv_name))
        self.client.node.destroy_publisher(self.client.publishers.pop(self.targets.topic_name))


def measure(launcher, count):
    """Kills a node `count` times, and stops it a tenth as often."""
    victim, generator = Victim(launcher), random.Random(7)
    times, stops = [victim.start()], []
    for _ in range(count):
        victim.work(generator)
        victim.die()
        times.append(victim.start())
    for _ in range(count // 10):
        victim.work(generator)
        stops.append(victim.stop())
        victim.start()
    return {'times': times[1:], 'stops': stops, 'answers': victim.answers, 'wrong': victim.wrong}
