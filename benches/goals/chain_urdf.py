"""URDFs for peers: only kinematics and masses, with all joints outside the chain fixed at 0."""
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

COMPILER = '<mujoco><compiler fusestatic="false" balanceinertia="true" strippath="true" discardvisual="true"/></mujoco>'


def chain_urdf(file):
    """Writes the URDF of a case file for peers. Its root is attached to another link, because MuJoCo merges the root with the world."""
    root = ET.parse(file['urdf']).getroot()
    children = {joint.find('child').get('link') for joint in root.iter('joint') if joint.find('child') is not None}
    links = [link.get('name') for link in root.findall('link')]
    kept = ET.Element('robot', name=file['robot'])
    kept.append(ET.fromstring(COMPILER))
    ET.SubElement(kept, 'link', name='anchor')
    for link in root.findall('link'):
        new = ET.SubElement(kept, 'link', name=link.get('name'))
        inertial = link.find('inertial')
        new.append(inertial if inertial is not None and float(inertial.find('mass').get('value')) > 0 else ET.fromstring(
            '<inertial><mass value="1e-9"/><inertia ixx="1e-9" iyy="1e-9" izz="1e-9" ixy="0" ixz="0" iyz="0"/></inertial>'))
    anchor = ET.SubElement(kept, 'joint', name='anchor_joint', type='fixed')
    ET.SubElement(anchor, 'parent', link='anchor')
    ET.SubElement(anchor, 'child', link=next(link for link in links if link not in children))
    for joint in root.findall('joint'):
        moves = joint.get('name') in file['joint_names']
        new = ET.SubElement(kept, 'joint', name=joint.get('name'), type=joint.get('type') if moves else 'fixed')
        new.extend(joint.find(tag) for tag in ('origin', 'parent', 'child') if joint.find(tag) is not None)
        if moves:
            limit = joint.find('limit')
            ET.SubElement(new, 'axis', xyz=joint.find('axis').get('xyz') if joint.find('axis') is not None else '1 0 0')
            ranges = {side: limit.get(side, '0') for side in ('lower', 'upper')} if joint.get('type') != 'continuous' else {}
            ET.SubElement(new, 'limit', effort='100', velocity='3', **ranges)
    path = Path(tempfile.mkdtemp()) / 'chain.urdf'
    ET.ElementTree(kept).write(path)
    return str(path)
