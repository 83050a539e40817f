"""Measured joint states, published as drivers do."""
from sensor_msgs.msg import JointState

# Of the bundled arm.
MEASURED_AT = {
    'shoulder_pan_joint': 0.8, 'shoulder_lift_joint': 0.3, 'upper_arm_roll_joint': -0.5, 'elbow_joint': 0.2,
    'forearm_roll_joint': 0.9, 'wrist_flex_joint': -0.4, 'wrist_roll_joint': 1.5}


def publish(node, positions, **fields):
    message = JointState(name=list(positions), position=list(positions.values()), **fields)
    message.header.stamp = node.new_stamp()
    node.measured.publish(message)


def stream(node, positions):
    """Publishes like a driver until the node has run for some periods with this measurement."""
    for _ in range(20):
        publish(node, positions)
        node.pace(0.01)
    if node.states:
        node.next_posture()
        node.live(5)


def stream_until(node, positions, condition, what):
    """Publishes like a driver until a condition holds."""
    def published():
        publish(node, positions)
        return condition()
    node.wait_for(published, what)
