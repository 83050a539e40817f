"""The meaning of the keys, and the commanded motion."""
from collections import namedtuple

HELP = """\
  w s  or up, down     forwards, backwards  (x)     u o  turn about x
  a d  or left, right  left, right          (y)     i k  turn about y
  r f                  up, down             (z)     j l  turn about z

  1 ... 9  a joint            0  the joints turn the other way
  + -      faster, slower     x  along the axes of the base link or of the tip
  space    stop               t  the next tip, where there are several
  h        this help          q  end

Hold one key at a time: the arm moves as long as the terminal repeats it.
A short press is a short move."""

# The axis of a twist, linear first, and the direction.
TWISTS = {
    'w': (0, 1), 's': (0, -1), 'a': (1, 1), 'd': (1, -1), 'r': (2, 1), 'f': (2, -1),
    'up': (0, 1), 'down': (0, -1), 'left': (1, 1), 'right': (1, -1),
    'u': (3, 1), 'o': (3, -1), 'i': (4, 1), 'k': (4, -1), 'j': (5, 1), 'l': (5, -1),
}
JOINT_KEYS = tuple('123456789')
NAMES = ('x', 'y', 'z', 'about x', 'about y', 'about z')
HELD = 0.15  # [s] that a key counts as held: longer than the repeat period of terminals
FASTER = 1.25
SLOWEST, FASTEST = 0.05, 5.0  # initial factor of the speeds

Speeds = namedtuple('Speeds', 'linear angular joint')  # [m/s], [rad/s], [rad/s]
Twist = namedtuple('Twist', 'velocity')  # linear [m/s], then angular [rad/s]
Jog = namedtuple('Jog', 'joint velocity')  # [rad/s], or [m/s] of a prismatic joint


class Steering:
    """The motion commanded by the keys, and the settings that they change."""

    def __init__(self, speeds, tips):
        """`tips` has the joints of each tip link."""
        self.speeds, self.tips = speeds, tips
        self.tip = next(iter(tips))
        self.share = 1.0
        self.joint_direction = 1
        self.of_tip = False  # along the axes of the tip
        self.key, self.until = '', 0.0

    def press(self, key, now):
        """Handles a key received at the time `now` [s]. Returns whether it has a meaning."""
        if key in TWISTS or key in JOINT_KEYS[:len(self.tips[self.tip])]:
            self.key, self.until = key, now + HELD
        elif key in ('+', '=', '-'):
            faster = 1 / FASTER if key == '-' else FASTER
            self.share = min(max(self.share * faster, SLOWEST), FASTEST)
        elif key == '0':
            self.joint_direction = -self.joint_direction
        elif key == 'x':
            self.of_tip = not self.of_tip
        elif key == 't':
            tips = list(self.tips)
            self.tip = tips[(tips.index(self.tip) + 1) % len(tips)]
            self.release()
        elif key == ' ':
            self.release()
        else:
            return False
        return True

    def release(self):
        self.until = 0.0

    def command(self, now):
        """The Twist or Jog of the key held at the time `now` [s], or None."""
        if now >= self.until:
            return None
        if self.key in TWISTS:
            axis, direction = TWISTS[self.key]
            speed = self.speeds.linear if axis < 3 else self.speeds.angular
            return Twist([direction * self.share * speed if axis == other else 0.0 for other in range(6)])
        joint = self.tips[self.tip][int(self.key) - 1]
        speed = self.speeds.linear if joint.is_prismatic else self.speeds.joint
        return Jog(joint.name, self.joint_direction * self.share * speed)

    def line(self, now, news):
        """The moving part, and the node's message about it; without a message, the settings."""
        linear, angular, joint = (self.share * speed for speed in self.speeds)
        sign = '-+'[self.joint_direction > 0]
        settings = [f'axes of the {"tip" if self.of_tip else "base"}', f'{linear:.3g} m/s, {angular:.3g} rad/s',
                    f'joints {sign}{joint:.3g} rad/s']
        tip = [self.tip] if len(self.tips) > 1 else []
        return ' | '.join([*tip, self.moving(self.command(now)), *([news] if news else settings)])

    def moving(self, command):
        if command is None:
            return 'at rest'
        if isinstance(command, Jog):
            return command.joint
        axis, direction = TWISTS[self.key]
        return f'{"-+"[direction > 0]}{NAMES[axis]}'
