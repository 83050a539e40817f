"""The panel beside the scene: status, joints, solver, buttons. External text is escaped."""
import html
import math

import numpy as np
from urdf_ik.msg import SolveStatus

from .arm import FAULTS
from .colors import GREEN, RED
from .outcomes import word_and_color
from .steering.panel import SteeringPanel
from .style import STYLE, block, chosen, headline, length, note, numbers, outcome

MAX_ROWS = 40  # of joints, and of goals
HINTS = {'freeze': 'An emergency stop: the drives hold where they are', 'sag': 'The arm settles below its commands',
         'mute': 'No measurements', 'delay': 'Measurements come late'}
AT_LIMIT = 1e-3  # [rad or m] from a limit
NO_FREE_AXES = 'none'
FREE_AXES = {
    NO_FREE_AXES: [], 'rx': ['rx'], 'ry': ['ry'], 'rz': ['rz'], 'rx, ry, rz (position only)': ['rx', 'ry', 'rz'],
}


class Panel:
    """Elements of the panel. `actions` has a function for each user action, called in viser's threads."""

    def __init__(self, server, actions):
        gui = server.gui
        gui.add_html(STYLE)
        self._status = gui.add_html('')
        self._goals_folder = gui.add_folder('Goals', visible=False)
        with self._goals_folder:
            self._goals = gui.add_html('')
        with gui.add_folder('Arm'):
            buttons = gui.add_button_group('Move', ['Stop', 'Reset', 'Resume'])
            self._figure = gui.add_button('', visible=False, hint='The target that moves on a figure of eight')
            self._solver = gui.add_dropdown('Solver', ['jacobian'], hint='The parameter solver')
            self._free_axes = gui.add_dropdown('Free axes', list(FREE_AXES), hint='The parameter free_axes')
        self.steering = SteeringPanel(gui)
        self._simulation = gui.add_folder('Simulated arm', visible=False)
        with self._simulation:
            faults = {name: gui.add_checkbox(name.capitalize(), False, hint=HINTS[name]) for name in FAULTS}
            shift = gui.add_button('Shift', hint='Moves the first joint by hand')
        with gui.add_folder('Joints'):
            self._joints = gui.add_html('')
        with gui.add_folder('View'):
            trace = gui.add_checkbox('Trace', True, hint='Where the tips have been')
            target = gui.add_checkbox('Target', True, hint='The axes of the newest target')
            shadow = gui.add_checkbox('Shadow', False)
            dark = gui.add_checkbox('Dark', False)
            view_buttons = gui.add_button_group('Show', ['Clear trace', 'Camera home', 'Picture'])
        self._figure.on_click(lambda event: actions['figure']())
        shift.on_click(lambda event: actions['move']('simulated_arm/shift'))
        for name, box in faults.items():
            box.on_update(chosen(lambda event, name=name: actions['fault'](name, event.target.value)))
        buttons.on_click(lambda event: actions['move'](event.target.value))
        view_buttons.on_click(lambda event: actions['show'](event.target.value, event.client))
        self._solver.on_update(chosen(lambda event: actions['solver'](event.target.value)))
        self._free_axes.on_update(chosen(lambda event: actions['free_axes'](axes_of(event.target.value))))
        for name, box in (('trace', trace), ('target', target), ('shadow', shadow), ('dark', dark)):
            box.on_update(lambda event, name=name: actions[name](event.target.value))

    def show_figure(self, is_there, is_resting):
        """The button that pauses or resumes the figure of eight."""
        label = 'Figure of eight: go on' if is_resting else 'Figure of eight: rest'
        if self._figure.label != label:
            self._figure.label = label
        if self._figure.visible != is_there:
            self._figure.visible = is_there

    def show_simulation(self, is_there):
        if self._simulation.visible != is_there:
            self._simulation.visible = is_there

    def show_parameters(self, parameters, solvers):
        """Displays the values of the node, whoever set them."""
        for dropdown, value, known in (
                (self._solver, parameters.get('solver', ''), solvers),
                (self._free_axes, name_of_axes(parameters.get('free_axes', [])), FREE_AXES)):
            options = tuple(dict.fromkeys([*known, value]))
            if tuple(dropdown.options) != options:
                dropdown.options = options
            if dropdown.value != value:
                dropdown.value = value

    def show_status(self, title, statuses, answered, rate, notes):
        """`statuses` by tip link, `answered` the newest of all, `rate` of answers [Hz], `notes` messages for the user."""
        lines = [headline(title)]
        if answered is not None and answered.outcome == SolveStatus.FOLLOWING_ERROR and answered.tip_link not in statuses:
            lines.append(outcome(*word_and_color(answered), '', answered.message))
        lines += [outcome(*word_and_color(status), tip, status.message) for tip, status in statuses.items()]
        if answered is not None:
            lines.append(numbers(((f'{1e6 * answered.solve_time:.0f} µs', 'solve time'),
                                  (length(answered.position_error), 'error'), (f'{rate:.0f} Hz', 'targets'))))
        self._status.content = block([*lines, *map(note, notes)])

    def show_goals(self, goals):
        """The name of each standing goal, and its violation with unit, empty if it is met."""
        if self._goals_folder.visible != bool(goals):
            self._goals_folder.visible = bool(goals)
        self._goals.content = block([goal_row(*goal) for goal in goals[:MAX_ROWS]])

    def show_joints(self, positions, ranges):
        """Joint positions by name, and a JointRange for each movable joint."""
        rows = [joint_row(name, positions.get(name, 0.0), joint_range) for name, joint_range in list(ranges.items())[:MAX_ROWS]]
        if len(ranges) > MAX_ROWS:
            rest = list(ranges.items())[MAX_ROWS:]
            limited = [name for name, joint_range in rest if at_limit(positions.get(name, 0.0), joint_range)]
            rows.append(f'<div class="dim">and {len(rest)} more, {len(limited)} of them at a limit</div>')
        self._joints.content = block(rows)


def axes_of(name):
    return FREE_AXES.get(name, [axis.strip() for axis in name.split(',')])


def name_of_axes(axes):
    return next((name for name, known in FREE_AXES.items() if known == axes), ', '.join(axes))


def at_limit(position, joint_range):
    return min(position - joint_range.lower, joint_range.upper - position) < AT_LIMIT


def goal_row(name, violation):
    word, color = ('violated', RED) if violation else ('met', GREEN)
    return outcome(word, color, f'{name}, by {violation}' if violation else name, '')


def joint_row(name, position, joint_range):
    limited = at_limit(position, joint_range)
    bounded = np.isfinite([joint_range.lower, joint_range.upper]).all() and joint_range.upper > joint_range.lower
    if bounded:
        share = (position - joint_range.lower) / (joint_range.upper - joint_range.lower)
    else:
        share = (position + math.pi) / (2 * math.pi) % 1.0
    share = min(max(share, 0.0), 1.0)
    value = f'{math.degrees(position):.1f}°' if joint_range.turns else f'{position:.4f} m'
    name = html.escape(name)
    title = f'{name}: at its limit' if limited else name
    return (f'<div class="row{" limit" if limited else ""}" title="{title}"><span>{name}</span>'
            f'<div class="track{"" if bounded else " free"}"><i style="left: {100 * share:.1f}%"></i></div>'
            f'<span class="value">{"⊣ " if limited else ""}{value}</span></div>')
