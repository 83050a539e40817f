"""Position drives of an arm with mass, in MuJoCo: gravity makes it sag, and torques are bounded.

The constants reproduce the lag of `Drives` and the stiffness of common forward position controllers.
"""
import mujoco
import numpy as np

from .drives import LAG

STEP = 0.001  # [s]
DENSITY = 1300.0  # [kg/m³] of links without mass in the URDF: 21 kg for the bundled arm7
STIFFNESS = 22.0  # [1/rad] of a drive, relative to its effort limit: the bundled arm7 sags by 7 mrad


class PhysicalDrives:
    """As `Drives`, for joints with effort limits in a URDF file. Contacts are disabled."""

    def __init__(self, urdf_file, positions, lag=LAG):
        specification = mujoco.MjSpec.from_file(str(urdf_file))
        specification.option.timestep = STEP
        specification.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        for shape in specification.geoms:
            shape.contype = shape.conaffinity = 0
            shape.density = DENSITY
        for joint in specification.joints:
            add_drive(specification, joint, lag)
        self._model = specification.compile()
        self._data = mujoco.MjData(self._model)
        joints = [self._model.joint(name) for name in positions]
        self._places = np.array([joint.qposadr[0] for joint in joints])
        self._speeds = np.array([joint.dofadr[0] for joint in joints])
        self._drives = np.array([self._model.actuator(name).id for name in positions])
        self.braked, self._rest = np.zeros(len(joints), bool), 0.0
        self.place(np.array(list(positions.values()), float))

    @property
    def positions(self):
        return self._data.qpos[self._places]

    @property
    def velocities(self):
        return self._data.qvel[self._speeds]

    def advance(self, goals, duration):
        """Follows goals of shape (joints,) for a duration [s], rounded down to time steps."""
        self._data.ctrl[self._drives] = goals
        self._rest += duration
        held = self._data.qpos[self._places[self.braked]]
        while self._rest >= STEP:
            mujoco.mj_step(self._model, self._data)
            self._data.qpos[self._places[self.braked]], self._data.qvel[self._speeds[self.braked]] = held, 0.0
            self._rest -= STEP

    def place(self, positions):
        """Sets the positions, at rest."""
        self._data.qpos[self._places], self._data.qvel[:] = positions, 0.0


def add_drive(specification, joint, lag):
    """Torque: stiffness (goal - position) - damping velocity, within the effort limit."""
    effort = joint.actfrcrange[1]
    stiffness = STIFFNESS * effort
    joint.armature, joint.frictionloss = stiffness * lag**2 / 4, effort / 60  # critically damped by the armature alone
    joint.actfrclimited = joint.limited = False
    drive = specification.add_actuator(name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    drive.gaintype, drive.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
    drive.gainprm[0] = stiffness
    drive.biasprm[:3] = 0.0, -stiffness, -stiffness * lag
    drive.forcelimited, drive.forcerange = True, (-effort, effort)
