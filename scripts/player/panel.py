"""The panel beside the figure: outcomes of the targets, and all settings."""
import math

from viewer.colors import AMBER, GREEN, RED
from viewer.style import block, chosen, dimmed, headline, length, note, numbers, outcome

from . import configurations
from .model import PITCH_YAW, SKELETON
from .question import ASKS, METHODS, ROOTS

MAX_ROWS = 12  # of ends, and of names in a list
SEEN_ANGLE = 1e-3  # [rad] orientation error that is reported
SWITCHES = {
    'limits': ('Limits', 'Whether the joints keep their limits'),
    'acceleration': ('Acceleration', 'Anderson acceleration of the cycles'),
    'polish': ('Damped least squares after FABRIK', 'Where the cycles have stalled'),
    'circles': ('Circles', 'Closes a chain without limits by the circle between two joints where it can'),
    'restarts': ('Fresh starts', 'Where a target is not met, tries from other configurations, most of them when a handle is let go. '
                 'The figure may jump'),
}
# For each kind of model: a hint, and buttons with their passes, where None is a whole solve.
STEPS = {
    SKELETON: ('Forward: a pass from the ends; backward: from the root; cycle: both',
               {'Forward': ['forward'], 'Backward': ['backward'], 'Cycle': ['forward', 'backward'], 'Solve': [None]}),
    PITCH_YAW: ('A straight path to the target in even steps; small points lie in between', {'Solve': [None]}),
}
REACHED = ('reached', GREEN)
VIEWS = {
    'limits': ('Show limits', 'Cones of balls, fans of hinges; yellow where a joint is at its limit'),
    'shadow': ('Shadow', None),
    'dark': ('Dark', None),
}


class Panel:
    """Created for each model; None if it could not be read.

    `actions` has a function for each user action, called in viser's threads.
    """

    def __init__(self, server, status, models, name, model, question, views, actions):
        """`status`: the permanent element at the top; `models`: the available names; `name`: the selected one; `views`: whether each of
        `VIEWS` is shown."""
        gui = server.gui
        self._status, self._elements = status, []
        self._configurations = self._follow = None
        with self._folder(gui, 'Model'):
            choice = gui.add_dropdown('Model', models, initial_value=name)
            load = gui.add_button('Load again', hint='Reads the file once more, and starts the solver anew')
        choice.on_update(chosen(lambda event: actions['model'](event.target.value)))
        load.on_click(lambda event: actions['model'](name))
        if model is not None:
            with self._folder(gui, 'Targets'):
                self._add_targets(gui, model, question, actions)
            with self._folder(gui, 'Solver'):
                self._add_solver(gui, model, question, actions)
            if model.kind in STEPS:
                with self._folder(gui, 'Step by step'):
                    self._add_steps(gui, *STEPS[model.kind], actions)
        with self._folder(gui, 'View'):
            self._add_view(gui, model, views, actions)

    def _folder(self, gui, label):
        self._elements.append(gui.add_folder(label))
        return self._elements[-1]

    def remove(self):
        for element in self._elements:
            element.remove()

    def _add_targets(self, gui, model, question, actions):
        if model.kind == SKELETON:
            for end in model.ends[:MAX_ROWS]:
                asked = gui.add_dropdown(plain(end), ASKS, initial_value=question.asks[end],
                                         hint='What its target asks for')
                asked.on_update(chosen(lambda event, end=end: actions['ask'](end, event.target.value)))
            root = gui.add_dropdown('Root', ROOTS, initial_value=question.root, hint='Fixed, moved by a handle, or free to follow')
            root.on_update(chosen(lambda event: actions['root'](event.target.value)))
        rest = gui.add_button('Back to rest')
        rest.on_click(lambda event: actions['rest']())

    def _add_solver(self, gui, model, question, actions):
        switches = {SKELETON: SWITCHES, PITCH_YAW: {'limits': SWITCHES['limits']}}.get(model.kind, {})
        for key, (label, hint) in switches.items():
            if {'limits': model.has_limits, 'circles': len(model.ends) == 1}.get(key, True):
                box = gui.add_checkbox(label, question.switches[key], hint=hint)
                box.on_update(chosen(lambda event, key=key: actions['switch'](key, event.target.value)))
        if model.kind == PITCH_YAW:
            method = gui.add_dropdown('Method', METHODS, initial_value=question.method)
            method.on_update(chosen(lambda event: actions['method'](event.target.value)))
        elif model.kind != SKELETON:
            self._configurations = gui.add_dropdown('Configuration', configurations.ELBOWS)
            self._configurations.on_update(chosen(lambda event: actions['configuration'](
                event.target.options.index(event.target.value))))

    def _add_steps(self, gui, hint, steps, actions):
        self._follow = gui.add_checkbox('Follow', True, hint='Off: the figure waits for the buttons below')
        self._follow.on_update(chosen(lambda event: actions['follow'](event.target.value)))
        buttons = gui.add_button_group('Step', list(steps), hint=hint)
        buttons.on_click(lambda event: actions['step'](steps[event.target.value]))

    def _add_view(self, gui, model, views, actions):
        for key, (label, hint) in VIEWS.items():
            if key != 'limits' or (model is not None and model.kind == SKELETON and model.has_limits):
                box = gui.add_checkbox(label, views[key], hint=hint)
                box.on_update(chosen(lambda event, key=key: actions['view'](key, event.target.value)))
        buttons = ['Camera home', 'Picture'] + (['Clear path'] if model is not None and model.kind == PITCH_YAW else [])
        gui.add_button_group('Show', buttons).on_click(lambda event: actions['show'](event.target.value, event.client))

    def show_following(self, on):
        if self._follow is not None and self._follow.value != on:
            self._follow.value = on

    def show_configurations(self, found, number):
        """The configurations of an arm, and the selected one."""
        if self._configurations is None:
            return
        options = tuple(configurations.name(each, one) for each, one in enumerate(found))
        if self._configurations.options != options:
            self._configurations.options = options
        if self._configurations.value != options[number]:
            self._configurations.value = options[number]

    def show_status(self, title, answer, notes):
        """`answer`: the newest one of the stream, or None; `notes`: messages for the user."""
        lines = [headline(title)]
        if answer is not None:
            residuals = answer['residuals']
            alike = {}
            for residual in residuals:
                alike.setdefault((word_and_color(residual), explanation(residual)), []).append(place(residual))
            lines += [outcome(*look, names(listed), sentence) for (look, sentence), listed in alike.items()]
            farthest = max((residual['distance'] for residual in residuals), default=0.0)
            lines.append(numbers(((duration(answer['microseconds']), 'solve time'), (length(farthest), 'residual'),
                                  (answer['iterations'], 'iterations'))))
            lines.append(dimmed(f'At their limits: {names(answer["limited"])}.' if answer['limited'] else ''))
        self._status.content = block([*lines, *map(note, notes)])


def plain(name):
    return name.replace('_', ' ')


def duration(microseconds):
    return f'{microseconds:.0f} µs' if microseconds < 1000 else f'{microseconds / 1000:.3g} ms'


def names(listed):
    """As part of a sentence."""
    rest = [f'{len(listed) - MAX_ROWS} more'] if len(listed) > MAX_ROWS else []
    return ', '.join([*map(plain, listed[:MAX_ROWS]), *rest])


def word_and_color(residual):
    """The outcome of a target, as in the stream."""
    if residual['solved']:
        return REACHED
    return ('out of reach', RED) if (residual['reason'] or '').startswith('out of reach') else ('held back', AMBER)


def explanation(residual):
    """The reason for a missed target, beyond the outcome."""
    return (residual['reason'] or '').removeprefix('out of reach: ')


def place(residual):
    """The end, and its distance from a missed target."""
    if residual['solved']:
        return residual['point']
    turn = f' and {math.degrees(residual["angle"]):.1f}°' if residual['angle'] > SEEN_ANGLE else ''
    return f'{residual["point"]} ({length(residual["distance"])}{turn} away)'
