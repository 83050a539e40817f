"""The faults of a simulated arm as services of its node, for a page or a terminal."""
from std_srvs.srv import SetBool, Trigger

SHIFT = 0.3  # [rad or m] of the first joint
SAG = 0.02  # [rad or m] of all joints
DELAY = 0.2  # [s]


def offer_faults(ros_node, node, arm):
    """Services of `ros_node` below NODE/simulated_arm: freeze, sag, mute and delay (SetBool), shift (Trigger)."""
    switches = {
        'freeze': lambda on: arm.freeze() if on else arm.release(),
        'sag': lambda on: arm.set_sag(**dict.fromkeys(arm.joints, SAG * on)),
        'mute': arm.mute,
        'delay': lambda on: arm.delay(DELAY * on),
    }
    for name, switch in switches.items():
        ros_node.create_service(SetBool, f'{node}/simulated_arm/{name}', answer_with(switch))

    def shift(_, response):
        arm.shift(**{arm.joints[0]: SHIFT})
        response.success = True
        return response
    ros_node.create_service(Trigger, f'{node}/simulated_arm/shift', shift)


def answer_with(switch):
    def answer(request, response):
        switch(request.data)
        response.success = True
        return response
    return answer
