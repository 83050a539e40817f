"""Random sequences of requests, messages and parameters: each request is answered, and a plain query correctly afterwards."""
from importlib import import_module

import numpy as np
import pytest

from checks import assert_reached
from conftest import ARM_FILE

STEPS = 60
TEXTS = ['', 'tool0', 'base_link', 'elbow_joint', 'nobody', 'x' * 300, '{', '[]', 'first', 'nan', 'ä/b', '{tool0: {p: [0, 0, 0.1]}}',
         '[{type: cone, axis: [0, 0, 1], direction: [0, 0, -1], angle: 0.5}]']
NUMBERS = [0.0, -1.0, 1e-300, 1e300, np.nan, np.inf, -np.inf]
# Not changed, so that the last query keeps its meaning and the node stays available: its robot, names and clocks.
KEPT = ('urdf_file', 'robot_description', 'base_link', 'tip_link', 'use_sim_time', 'qos_overrides', 'frame_prefix')


def interface(name):
    """The class of a type such as std_srvs/srv/Trigger."""
    package, kind, base = name.split('/')
    return getattr(import_module(f'{package}.{kind}'), base)


class Filler:
    """Fills messages of any type with random values."""

    def __init__(self, generator):
        self.generator = generator

    def one_of(self, values):
        return values[self.generator.integers(len(values))]

    def number(self):
        return self.one_of(NUMBERS) if self.generator.random() < 0.1 else float(self.generator.normal())

    def value(self, kind):
        """A random value of a field of that type."""
        if kind.startswith('sequence<'):
            inner = kind[len('sequence<'):-1].split(',')[0]
            return [self.value(inner) for _ in range(self.generator.integers(4))]
        if kind.endswith(']'):
            inner, size = kind[:-1].split('[')
            return [self.value(inner) for _ in range(int(size))]
        if '/' in kind:
            return self.filled(interface(kind.replace('/', '/msg/'))())
        if kind in ('float', 'double'):
            # float32 fields accept no finite value beyond the float32 range.
            return self.number() if kind == 'double' else float(np.float32(self.generator.normal()))
        if kind == 'boolean':
            return bool(self.generator.integers(2))
        if kind == 'octet':
            return bytes([self.generator.integers(5)])
        if 'int' in kind:
            bits = int(kind.lstrip('uint'))
            least, greatest = (0, 2**bits - 1) if kind[0] == 'u' else (-2**(bits - 1), 2**(bits - 1) - 1)
            return self.one_of([0, 1, 2, 3, least, greatest])
        return self.one_of(TEXTS)

    def filled(self, message):
        """The message with random values in some of its fields."""
        for field, kind in message.get_fields_and_field_types().items():
            if self.generator.random() < 0.6:
                setattr(message, field, self.value(kind))
        return message


@pytest.mark.parametrize('seed', range(3))
def test_a_plain_query_is_right_after_random_requests(start, arm_robot, seed):
    node = start.node(ARM_FILE)
    filler = Filler(np.random.default_rng(seed))
    prefix = f'{node.name}/'
    services = [(name[len(prefix):], interface(kinds[0])) for name, kinds in node.node.get_service_names_and_types()
                if name.startswith(prefix) and kinds[0].startswith(('urdf_ik/srv/', 'std_srvs/'))]
    subscribed = node.node.get_subscriber_names_and_types_by_node('urdf_ik', node.namespace)
    topics = [(name[len(prefix):], interface(kinds[0])) for name, kinds in subscribed if name.startswith(prefix) and '/msg/' in kinds[0]]
    assert len(services) > 8 and len(topics) > 5, (services, topics)
    names = [name for name in node.parameters('list_parameters').result.names if not name.startswith(KEPT)]
    before = dict(zip(names, node.get(*names)))
    for _ in range(STEPS):
        match filler.generator.integers(3):
            case 0:
                name, kind = filler.one_of(services)
                request = filler.filled(kind.Request())
                node.call(kind, name, **{field: getattr(request, field) for field in request.get_fields_and_field_types()})
            case 1:
                name, kind = filler.one_of(topics)
                node.target_publisher(name, kind).publish(filler.filled(kind()))
            case _:
                name = filler.one_of(names)
                value = filler.one_of([before[name], filler.number(), int(filler.generator.integers(100)), filler.one_of(TEXTS), True])
                node.set(**{name: value})  # accepted or refused
    # Start-up parameters are refused and unchanged.
    node.set(**before)
    node.call(dict(services)['clutch'], 'clutch', data=False)
    node.call(dict(services)['resume'], 'resume')
    target = arm_robot.pose('tool0', {'shoulder_pan_joint': 0.4, 'elbow_joint': 0.3})
    answer = node.solve_ik(target, attempts=1000)
    assert answer.success, answer.message
    assert_reached(arm_robot, dict(zip(answer.joint_state.name, answer.joint_state.position)), 'tool0', target)
