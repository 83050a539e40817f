"""placo: its tasks in a loop of `solve`, with the base fixed. For robots without continuous joints."""
import numpy as np
import placo
from chain_urdf import chain_urdf
from measure import requirements, rotation

ITERATIONS, EXACT, STILL = 300, 1e-6, 1e-9


class Placo:
    """A robot with a fixed base. Only its frames can be points of goals."""

    name = 'placo'

    def __init__(self, file):
        self.robot, self.names = placo.RobotWrapper(chain_urdf(file), placo.Flags.ignore_collisions), file['joint_names']

    def place(self, positions):
        for name, position in zip(self.names, positions):
            self.robot.set_joint(name, float(position))
        self.robot.update_kinematics()

    def pose(self, positions, link):
        """The pose of a link, and the centre of mass, for a comparison of the models."""
        self.place(positions)
        return self.robot.get_T_world_frame(link), self.robot.com_world()

    def tasks(self, solver, case):
        goals = {goal['type']: goal for goal in requirements(case) if 'frame' not in goal}
        relative = {goal['type']: goal for goal in requirements(case) if 'frame' in goal}
        errors = []
        if relative:
            turn, position = relative['orientation'], relative['position']
            links = position['frame'], position['link']
            for task, name in ((solver.add_relative_position_task(*links, np.array(position['p'])), 'relative position'),
                               (solver.add_relative_orientation_task(*links, rotation(turn)), 'relative orientation')):
                task.configure(name, 'soft', 1.0)
                errors.append(task.error_norm)
        if 'position' in goals:
            position = solver.add_position_task(goals['position']['link'], np.array(goals['position']['p']))
            position.configure('position', 'soft', 1.0)
            errors.append(position.error_norm)
        if 'orientation' in goals:
            turn = solver.add_orientation_task(goals['orientation']['link'], rotation(goals['orientation']))
            turn.configure('orientation', 'soft', 1.0)
            errors.append(turn.error_norm)
        if 'center_of_mass' in goals:
            center = solver.add_com_task(np.array(goals['center_of_mass']['p']))
            center.configure('centre', 'soft', 1.0)
            errors.append(center.error_norm)
        return errors

    def solve(self, case, start):
        """Gauss-Newton steps from joint positions until all errors vanish or the joints rest."""
        self.place(start)
        solver = placo.KinematicsSolver(self.robot)
        solver.mask_fbase(True)
        solver.add_regularization_task(1e-6)
        errors = self.tasks(solver, case)
        for _ in range(ITERATIONS):
            try:
                step = solver.solve(True)
            except RuntimeError:
                return None
            self.robot.update_kinematics()
            if np.abs(step).max() < STILL or all(error() < EXACT for error in errors):
                break
        return np.array([self.robot.get_joint(name) for name in self.names])
