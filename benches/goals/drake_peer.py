"""Drake's InverseKinematics with SNOPT, for goals in the frame of the base link or of the other tip."""
from pathlib import Path

import numpy as np
from chain_urdf import chain_urdf
from measure import requirements
from pydrake.all import (
    ComPositionConstraint,
    InverseKinematics,
    MultibodyPlant,
    Parser,
    Quaternion,
    RigidTransform,
    RotationMatrix,
    SnoptSolver,
    Solve,
)

# Bound of an exact angle: at 0 the derivatives of Drake's constraints vanish. They are cosines, so feasibility is
# quadratic in the angle.
EXACT, FEASIBILITY = 1e-5, 1e-10


def quaternion(goal):
    x, y, z, w = goal.get('q_xyzw', (0, 0, 0, 1))
    return Quaternion(np.array([w, x, y, z]) / np.linalg.norm([w, x, y, z]))


class Drake:
    """A plant of the chain."""

    name = 'Drake'

    def __init__(self, file):
        self.plant = MultibodyPlant(0.0)
        path = chain_urdf(file)
        Parser(self.plant).AddModels(path)
        # Drake takes a link of this name as the world.
        if 'link name="world"' not in Path(path).read_text():
            self.plant.WeldFrames(self.plant.world_frame(), self.plant.GetFrameByName('anchor'))
        self.plant.Finalize()
        self.order = np.array([self.plant.GetJointByName(name).position_start() for name in file['joint_names']])
        self.base = self.plant.GetFrameByName(file['base_link'])

    def pose(self, positions, link):
        """The pose of a link, and the centre of mass, for a comparison of the models."""
        q, context = np.zeros(self.plant.num_positions()), self.plant.CreateDefaultContext()
        q[self.order] = positions
        self.plant.SetPositions(context, q)
        pose = self.plant.GetFrameByName(link).CalcPoseInWorld(context).GetAsMatrix4()
        return pose, self.plant.CalcCenterOfMassPositionInWorld(context)

    def require(self, ik, goal):
        frame = self.plant.GetFrameByName(goal['frame']) if 'frame' in goal else self.base
        kind, p = goal['type'], np.array(goal.get('p', (0, 0, 0)), float)
        if kind == 'center_of_mass':
            center = ik.prog().NewContinuousVariables(3)
            mean = ComPositionConstraint(self.plant, None, self.base, ik.get_mutable_context())
            ik.prog().AddConstraint(mean, np.concatenate([ik.q(), center]))
            ik.prog().AddBoundingBoxConstraint(p + goal['lower'], p + goal['upper'], center)
            return
        link, point = self.plant.GetFrameByName(goal['link']), np.array(goal.get('point', (0, 0, 0)), float)
        angle = max(goal.get('angle', 0.0), EXACT)
        if kind == 'position':
            box = RigidTransform(quaternion(goal), p)
            ik.AddPositionConstraint(link, point, frame, box, np.array(goal['lower'], float), np.array(goal['upper'], float))
        elif kind == 'cone':
            ik.AddAngleBetweenVectorsConstraint(link, np.array(goal['axis']), frame, np.array(goal['direction']), 0, angle)
        elif kind == 'gaze':
            ik.AddGazeTargetConstraint(link, point, np.array(goal['axis']), frame, p, angle)
        elif kind == 'orientation':
            bound = max(goal['upper'][0], EXACT)
            ik.AddOrientationConstraint(frame, RotationMatrix(quaternion(goal)), link, RotationMatrix(), bound)
        elif kind == 'distance':
            ik.AddPointToPointDistanceConstraint(link, point, frame, p, goal['lower'], goal['upper'])

    def solve(self, case, start):
        ik = InverseKinematics(self.plant, True)
        for goal in requirements(case):
            self.require(ik, goal)
        q = np.zeros(self.plant.num_positions())
        q[self.order] = start
        ik.prog().SetSolverOption(SnoptSolver.id(), 'Major feasibility tolerance', FEASIBILITY)
        ik.prog().SetInitialGuess(ik.q(), q)
        return Solve(ik.prog()).GetSolution(ik.q())[self.order]
