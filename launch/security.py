"""SROS 2 for the launch files."""
import os
from pathlib import Path

ENCLAVE = '/urdf_ik'
FILES = ('cert.pem', 'key.pem', 'identity_ca.cert.pem', 'permissions_ca.cert.pem', 'governance.p7s', 'permissions.p7s')
PLUGIN = b'builtin.PKI-DH'  # the name of the authentication plug-in in the libraries of a Fast DDS with security


def environment(keystore):
    """The environment of a node that communicates only with holders of certificates; an error names the missing parts."""
    folder = Path(keystore).absolute()
    enclave = folder / 'enclaves' / ENCLAVE[1:]
    missing = [name for name in FILES if not (enclave / name).is_file()]
    if missing:
        raise RuntimeError(f'security: {enclave} lacks {", ".join(missing)}: make a keystore by config/sros2/keystore.sh of this package')
    if os.environ.get('RMW_IMPLEMENTATION', 'rmw_fastrtps_cpp').startswith('rmw_fastrtps'):
        check_fast_dds()
    return {'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce', 'ROS_SECURITY_KEYSTORE': str(folder)}


def check_fast_dds():
    for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
        for library in ('libfastdds.so', 'libfastrtps.so'):
            file = Path(prefix) / 'lib' / library
            if file.is_file():
                if PLUGIN not in file.read_bytes():
                    raise RuntimeError(
                        f'security: {file} was built without security, as all ROS 2 from PyPI is, so the node cannot start: use a ROS 2 '
                        'of Debian packages, or Fast DDS and rmw_fastrtps built with -DSECURITY=ON')
                return
