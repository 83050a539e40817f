#!/usr/bin/env python3
"""Prints a bill of materials (CycloneDX 1.5, JSON) of the crates compiled into packages: scripts/sbom.py [PACKAGE[,PACKAGE]] [TARGET]

These are the crates of Cargo.lock, with their checksums there. For the node it also lists the wheels of the private ROS 2.
"""
import json
import re
import sys

from licences import ROOT, compiled_in

NODE = 'urdf_ik_node'
OURS = f'urdf_ik_cli,urdf_ik_c,urdf_ik_python,{NODE}'
LOCKED = re.compile(r'^name = "(.*)"\nversion = "(.*)"\nsource = ".*"\nchecksum = "(.*)"$', re.MULTILINE)


def crates(packages, target):
    checksums = {(name, version): checksum for name, version, checksum in LOCKED.findall((ROOT / 'Cargo.lock').read_text())}
    for entry in compiled_in(packages, target):
        name, version = entry['name'], entry['version']
        address = f'pkg:cargo/{name}@{version}'
        yield {
            'type': 'library', 'bom-ref': address, 'name': name, 'version': version, 'purl': address,
            'licenses': [{'expression': entry['license'].replace('/', ' OR ')}],
            'hashes': [{'alg': 'SHA-256', 'content': checksums[name, version]}],
        }


def wheels():
    for name, version in re.findall(r'^([\w-]+)==([\w.]+)', (ROOT / 'scripts/requirements.txt').read_text(), re.MULTILINE):
        address = f'pkg:pypi/{name}@{version}'
        yield {'type': 'library', 'bom-ref': address, 'name': name, 'version': version, 'purl': address}


def main(packages=OURS, target='x86_64-unknown-linux-gnu'):
    names = packages.split(',')
    version = re.search(r'^version = "(.*)"', (ROOT / 'Cargo.toml').read_text(), re.MULTILINE).group(1)
    print(json.dumps({
        'bomFormat': 'CycloneDX', 'specVersion': '1.5', 'version': 1,
        'metadata': {'component': {
            'type': 'application', 'bom-ref': 'urdf_ik', 'name': 'urdf_ik', 'version': version,
            'licenses': [{'expression': 'Apache-2.0 OR MIT'}],
        }},
        'components': [*crates(names, target), *(wheels() if NODE in names else [])],
    }, indent=1))


if __name__ == '__main__':
    main(*sys.argv[1:])
