"""Permitted contacts from the SRDF of a robot."""
import pytest
from std_msgs.msg import String

from client import LATCHED
from test_obstacles import CUBE, GANTRY, start_gantry
from world import World, change

SRDF = '<robot name="gantry">{}</robot>'
PAIRS = ''.join(f'<disable_collisions link1="{one}" link2="{other}" reason="Adjacent"/>'
                for one, other in [('carriage', 'hand'), ('hand', 'finger'), ('carriage', 'finger')])


@pytest.mark.parametrize('as_file', [False, True])
def test_an_srdf_says_what_may_touch(start, tmp_path, as_file):
    text = SRDF.format(PAIRS)
    path = tmp_path / 'gantry.srdf'
    path.write_text(text)
    world = World(start_gantry(start, robot_description_semantic=str(path) if as_file else text))
    assert set(world.distances()) == {('rail', 'carriage'), ('rail', 'hand'), ('rail', 'finger')}


def test_the_end_effector_of_an_srdf_may_touch_what_it_holds(start):
    part = change('attach', 'part', (0.2, 0, 0), shapes=[CUBE], link='hand')
    without = World(start.node(GANTRY, tip_links=['finger']))
    without.make(part)
    assert without.distances()['finger', 'part'] == pytest.approx(0.04, abs=1e-6)
    hand = ('<group name="gripper"><link name="hand"/><joint name="grip"/></group>'
            '<end_effector name="gripper" parent_link="carriage" group="gripper"/>')
    world = World(start.node(GANTRY, tip_links=['finger'], robot_description_semantic=SRDF.format(PAIRS + hand)))
    world.make(part)
    assert ('finger', 'part') not in world.distances()
    assert world.distances()['carriage', 'part'] > 0.0


def test_the_topic_of_an_srdf(start):
    world = World(start_gantry(start))
    assert ('carriage', 'finger') in world.distances()
    topic = world.client.publisher(String, f'{world.client.namespace}/robot_description_semantic', LATCHED)
    topic.publish(String(data=SRDF.format(PAIRS)))
    world.client.wait_for(lambda: ('carriage', 'finger') not in world.distances(), 'the pairs of the SRDF')
    other = SRDF.format('<disable_collisions link1="a" link2="b" reason="Never"/>')
    for bad, words in [(other, 'another robot'), ('<urdf/>', 'SRDF'), ('<robot', 'XML')]:
        topic.publish(String(data=bad))
        world.client.wait_for(lambda: words in world.client.process.output(), f'a refusal with "{words}"')
    assert ('carriage', 'finger') not in world.distances()


@pytest.mark.parametrize('given, words', [
    ('no/such.srdf', 'no/such.srdf'),
    ('<robot', 'XML'),
    (str(GANTRY), 'it is a URDF'),
    (SRDF.format('<disable_collisions link1="a" link2="b" reason="Never"/>'), 'another robot'),
])
def test_an_srdf_that_cannot_be_used_ends_the_node(start, given, words):
    process = start.run('--ros-args', '-p', f'urdf_file:={GANTRY}', '-p', 'tip_links:=[hand]',
                        '-p', f"robot_description_semantic:='{given}'")
    assert process.wait() == 1
    assert words in process.output() and 'robot_description_semantic' in process.output()
