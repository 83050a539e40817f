"""mink: its tasks in a loop of `solve_ik`, as in its examples."""
import mink
import mujoco
import numpy as np
from chain_urdf import chain_urdf
from measure import requirements

ITERATIONS, DAMPING, EXACT, STILL = 300, 1e-3, 1e-6, 1e-9


class Mink:
    """A model with two sites on each tip, for the points of goals."""

    name = 'mink'

    def __init__(self, file):
        spec = mujoco.MjSpec.from_file(chain_urdf(file))
        for tip in file['tip_links']:
            for kind in ('position', 'gaze'):
                spec.body(tip).add_site(name=f'{tip}/{kind}')
        self.model = spec.compile()
        self.configuration = mink.Configuration(self.model)
        addresses = [self.model.joint(name).qposadr[0] for name in file['joint_names']]
        self.order, self.limits = np.array(addresses), [mink.ConfigurationLimit(self.model)]

    def positions_of(self, positions):
        q = np.zeros(self.model.nq)
        q[self.order] = positions
        return q

    def pose(self, positions, link):
        """The pose of a link, and the centre of mass, for a comparison of the models."""
        self.configuration.update(self.positions_of(positions))
        return self.configuration.get_transform_frame_to_world(link, 'body').as_matrix(), self.configuration.data.subtree_com[1].copy()

    def site(self, goal):
        """The site of a link, at the point of a goal."""
        name = f"{goal['link']}/{goal['type']}"
        site = self.model.site(name).id
        # MuJoCo places sites with this flag at the body's origin.
        self.model.site_pos[site], self.model.site_sameframe[site] = goal.get('point', (0, 0, 0)), 0
        return name

    def tasks(self, case):
        goals = {goal['type']: goal for goal in requirements(case) if 'frame' not in goal}
        relative = {goal['type']: goal for goal in requirements(case) if 'frame' in goal}
        tasks = []
        if relative:
            position, turn = relative['position'], relative['orientation']
            x, y, z, w = turn['q_xyzw']
            task = mink.RelativeFrameTask(position['link'], 'body', position['frame'], 'body', 1.0, 1.0)
            task.set_target(mink.SE3(np.array([w, x, y, z, *position['p']])))
            tasks.append(task)
        if 'position' in goals:
            turn = goals.get('orientation')
            x, y, z, w = turn['q_xyzw'] if turn else (0, 0, 0, 1)
            task = mink.FrameTask(self.site(goals['position']), 'site', 1.0, 1.0 if turn else 0.0)
            task.set_target(mink.SE3(np.array([w, x, y, z, *goals['position']['p']])))
            tasks.append(task)
        if 'cone' in goals:
            task = mink.AxisAlignTask(goals['cone']['link'], 'body', goals['cone']['axis'])
            task.set_target(np.array(goals['cone']['direction']))
            tasks.append(task)
        if 'gaze' in goals:
            task = mink.LookAtTask(self.site(goals['gaze']), 'site', goals['gaze']['axis'])
            task.set_target(np.array(goals['gaze']['p']))
            tasks.append(task)
        if 'center_of_mass' in goals:
            task = mink.ComTask(1.0)
            task.set_target(np.array(goals['center_of_mass']['p']))
            tasks.append(task)
        return tasks

    def solve(self, case, start):
        """Gauss-Newton steps from joint positions until all errors vanish or the joints rest."""
        tasks = self.tasks(case)
        self.configuration.update(self.positions_of(start))
        for _ in range(ITERATIONS):
            velocity = mink.solve_ik(self.configuration, tasks, 1.0, 'daqp', damping=DAMPING, limits=self.limits)
            self.configuration.integrate_inplace(velocity, 1.0)
            if np.abs(velocity).max() < STILL or all(np.linalg.norm(task.compute_error(self.configuration)) < EXACT for task in tasks):
                break
        return self.configuration.q[self.order]
