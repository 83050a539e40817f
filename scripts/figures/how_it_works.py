"""The figures of docs/how-it-works.md."""
from itertools import product
from math import atan2, cos, pi, radians, sin

import numpy as np
from answers import PLAIN, ask, configurations, cycles, cycles_to, distance, planar, points_of, request
from drawing import (
    BLUE,
    DASHED,
    FAINT,
    GREEN,
    GRID,
    INK,
    ORANGE,
    PINK,
    RED,
    angle,
    arc,
    arrow,
    bones,
    chart,
    dots,
    figure,
    fill,
    label,
    line,
    marks,
    pale,
    panel,
    projection,
    ray,
    rings,
)
from numpy.linalg import norm


def passes():
    seed, target = [[0, 0], [0.3, 0.05], [0.6, 0.02], [0.88, 0.14], [1.12, 0.3]], [0.4, 1]
    done = cycles_to(planar(seed), {4: target})
    (forward, backward), seed = done[0], np.array(seed)
    titles = [('1 initial configuration', 'the end has to reach the target'),
              ('2 forward: from the target to the root', 'each point moves along its dashed line'),
              ('3 backward: from the root to the end', 'the same, from the fixed root'),
              (f'4 after {len(done)} cycles', 'the end is within a millimetre of the target')]
    with figure('passes', 700, 635, 'ab;cd') as axes:
        for one, (title, note) in zip(axes, titles):
            panel(one, title, note, (-0.08, -0.1), (1.22, 1.06))
        bones(axes[0], seed, BLUE)
        for k, offset in enumerate([(0, -17), (-2, 14), (0, -15), (8, -13), (9, 13)]):
            label(axes[0], f'$p_{k}$', seed[k], *offset)
        for k, offset in enumerate([(0, 11), (1, 11), (-6, 10), (-8, 9)]):
            label(axes[0], f'$l_{k + 1}$', (seed[k] + seed[k + 1]) / 2, *offset, BLUE)
        label(axes[0], 'target', target, 30, 0, RED)
        for one, before, after, first, step in [(axes[1], seed, forward, 4, -1), (axes[2], forward, backward, 0, 1)]:
            bones(one, before, BLUE, 0.28)
            for k in range(4):
                line(one, after[first + step * k], before[first + step * (k + 1)], colour=FAINT, ls=DASHED)
            bones(one, after, BLUE)
            arrow(one, before[first], after[first], shrink=7)
        for k, (_, points) in enumerate(done, 1):
            bones(axes[3], points, BLUE, 1 if k == len(done) else 0.1 + 0.28 * k / len(done))
        for one in axes:
            marks(one, target)


def reach():
    far = 'too far: stretched', [[0, 0], [-0.12, 0.3], [0.12, 0.52], [0.42, 0.6]], [1.05, 0.66], 4, 'outer reach'
    near = 'too near: folded', [[0, 0], [0.62, 0.3], [0.8, 0.16], [0.7, 0.02]], [0.13, 0.16], 0, 'inner reach'
    with figure('reach', 700, 270, 'ab') as axes:
        for one, (title, seed, target, count, name) in zip(axes, [far, near]):
            answer, = ask(planar(seed), request({3: target}, options=PLAIN))
            missed = answer['residuals'][0]['distance']
            panel(one, title, f'the target is missed by {missed:.2f} m', (-1, -0.06), (1.18, 1.08))
            lengths = norm(np.diff(seed, axis=0), axis=1)
            radii = {'outer reach': sum(lengths), 'inner reach': max(0, 2 * max(lengths) - sum(lengths))}
            for radius, colour in zip(radii.values(), [pale(BLUE, 0.05), 'white']):
                fill(one, arc((0, 0), radius, 0, pi), colour)
                line(one, *arc((0, 0), radius, 0, pi), colour=FAINT, ls=DASHED)
            label(one, name, (0, radii[name]), -23, 10, FAINT)
            for points in [seed, *(backward for _, backward in cycles(planar(seed), {3: target}, count))]:
                bones(one, points, BLUE, 0.28)
            line(one, points_of(answer)[3], target, ls=DASHED)
            bones(one, points_of(answer), BLUE)
            marks(one, target)


def sub_base():
    seed = [[0, 0], [-0.05, 0.24], [0, 0.48], [-0.2, 0.62], [-0.26, 0.84], [0.2, 0.62], [0.26, 0.84]]
    targets, model = {4: [-0.54, 0.32], 6: [0.21, 0.58]}, planar(seed, [0, 1, 2, 3, 2, 5])
    done = cycles_to(model, targets)
    (forward, backward), seed = done[0], np.array(seed)
    suggested = [cycles(model, {k: position}, 1)[0][0] for k, position in targets.items()]
    branches = [([2, 3, 4], GREEN), ([2, 5, 6], PINK)]
    panels = [('1 forward: each branch from its target', 'each suggests another place for the sub-base', seed, None),
              ('2 forward: it moves to their centroid', 'then the pass continues to the root', seed, forward),
              ('3 backward: from the root to both ends', 'all lengths are right again', forward, backward),
              (f'4 after {len(done)} cycles', 'both ends are within a millimetre', seed, done[-1][1])]
    with figure('sub-base', 700, 620, 'ab;cd') as axes:
        for one, (title, note, before, after) in zip(axes, panels):
            panel(one, title, note, (-0.6, -0.06), (0.4, 0.88))
            for points, share in [(before, 0.27), (after, 1)]:
                for branch, colour in [*branches, ([0, 1, 2], BLUE)] if points is not None else []:
                    bones(one, points[branch], colour, share)
        for points, (branch, colour) in zip(suggested, branches):
            bones(axes[0], points[branch], colour)
            for one in axes[:2]:
                rings(one, points[2], colour=colour)
        line(axes[1], *(points[2] for points in suggested), ls=DASHED)
        dots(axes[1], forward[2], size=9)
        label(axes[0], 'sub-base', seed[2], 32, -11, FAINT)
        for one in axes:
            marks(one, *targets.values())


def cone():
    def direction(polar, azimuth):
        """The unit vector with an angle from x and an azimuth from y [rad]."""
        return np.array([cos(polar), sin(polar) * cos(azimuth), sin(polar) * sin(azimuth)])

    def seen(vector):
        """A direction as seen along x, with left on the left: its angle from x [degrees] is the radius."""
        polar, azimuth = np.degrees(atan2(np.hypot(*vector[1:]), vector[0])), atan2(vector[2], vector[1])
        return polar * np.array([-cos(azimuth), sin(azimuth)])

    def limit(azimuth):
        a, b = radians(70 if cos(azimuth) > 0 else 30), radians(60 if sin(azimuth) > 0 else 40)
        return a * b / np.hypot(b * cos(azimuth), a * sin(azimuth))

    sides = [('left', 70, 0, BLUE), ('up', 60, 90, GREEN), ('right', 30, 180, ORANGE), ('down', 40, 270, PINK)]  # [degrees]
    limits = {name: half for name, half, *_ in sides} | {'twist': [0, 0]}
    wanted = [direction(*np.radians(one)) for one in [(88, 40), (35, 60), (80, 130), (52, 205), (66, 305), (25, 330)]]
    asked = [{'targets': [{'point': 'tip', 'position': list(one)}], 'pass': name}
             for one, name in product(wanted, ['forward', 'backward'])]
    answers = ask({'segments': [{'name': 'tip', 'length': 1, 'cone': limits}]}, *asked)
    nearest = [np.array(answer['points'][1]) for answer in answers[1::2]]
    view = projection((0.8, -0.75, 0.45), (0, 0, 1))
    with figure('cone', 700, 430, 'ab', width_ratios=[0.95, 1]) as (space, flat):
        panel(space, 'the directions that a joint allows', '', (-0.6, -0.86), (1, 0.92))
        panel(flat, 'its chart: degrees away from x', '', (-98, -94), (94, 94))
        for radius in (30, 60, 90):
            line(flat, *arc((0, 0), radius), colour=GRID)
        for name, half, azimuth, colour in sides:
            border = [direction(limit(one), one) for one in np.linspace(radians(azimuth), radians(azimuth + 90), 25)]
            axis = [direction(polar, radians(azimuth)) for polar in np.linspace(0, radians(half), 25)]
            line(space, *(view @ one for one in axis), colour=colour, ls=DASHED)
            for axes, project, alpha in [(space, lambda one: view @ one, 0.3), (flat, seen, 0.22)]:
                fill(axes, [*map(project, border), (0, 0)], colour, alpha)
                line(axes, *map(project, border), colour=colour, width=1.9)
                line(axes, (0, 0), project(axis[-1]), colour=colour if axes is space else FAINT)
            away, out = view @ (axis[-1] - axis[0]), seen(axis[-1])
            label(space, name, view @ axis[-1], *16 * away / norm(away))
            label(flat, f'{name} {half}°', out, *(26 if azimuth % 180 == 0 else 13) * out / norm(out))
        arrow(space, (0, 0), view @ (1.42, 0, 0), FAINT, 1.1)
        label(space, '$x$', view @ (1.42, 0, 0), 7, -8, FAINT)
        bones(space, [view @ (-0.7, 0, 0), (0, 0)], FAINT)
        bones(space, [(0, 0), view @ wanted[0]], INK, 0.25)
        bones(space, [(0, 0), view @ nearest[0]], INK)
        for start, end in zip(map(seen, wanted), map(seen, nearest)):
            if norm(end - start) > 1e-6:
                dots(flat, start, colour=pale(INK, 0.35))
                arrow(flat, start, end, shrink=3)
            dots(flat, end)


def blocked():
    parents, lengths, rests = [0, 1, 2, 3, 2, 5], [0.3, 0.3, 0.3, 0.28, 0.3, 0.28], [90, 0, 60, 0, -60, 0]
    ranges = [[-25, 25], [-25, 25], [-50, 70], [0, 140], [-70, 50], [-140, 0]]
    segments = [{'name': f'p{k + 1}', 'parent': f'p{parent}', 'length': length, 'rest': [0, 0, rest], 'hinge': {'range': limits}}
                for k, (parent, length, rest, limits) in enumerate(zip(parents, lengths, rests, ranges))]
    model, targets = {'dimensions': 2, 'root': {'name': 'p0'}, 'segments': segments}, {4: [-0.16, 0.8], 6: [0.73, 0.56]}
    done = cycles(model, targets, 20)
    forward, backward = done[-1]
    polish = PLAIN | {'polish': True, 'tolerance': 1e-4}
    options = [PLAIN | {'polish': False}, polish, *(polish | {'iterations': k} for k in range(21))]
    alone, solved, *after = ask(model, *(request(targets, seed='rest', options=one) for one in options))
    with figure('blocked', 700, 570, 'ab;cc', height_ratios=[1.5, 1]) as (left, right, below):
        panel(left, 'cycles can be blocked', 'the backward pass undoes the forward pass', (-0.6, -0.06), (0.8, 0.98))
        panel(right, 'all joints at once', 'least squares continue from there', (-0.6, -0.06), (0.8, 0.98))
        for k in (int(name[1:]) - 1 for name in alone['limited']):
            at = backward[parents[k]]
            x, y = at - backward[parents[parents[k] - 1]] if parents[k] else (1, 0)
            sector = [at, *arc(at, 0.6 * lengths[k], *(atan2(y, x) + np.radians(rests[k] + np.array(ranges[k])))), at]
            fill(left, sector, PINK, 0.2)
            line(left, *sector, colour=pale(PINK, 0.6))
            rings(left, at, colour=PINK, size=12)
        bones(left, forward, ORANGE, 0.6, 2.2, parents)
        bones(left, backward, BLUE, parents=parents)
        bones(right, backward, BLUE, 0.28, parents=parents)
        bones(right, points_of(solved), GREEN, parents=parents)
        for one in (left, right):
            marks(one, *targets.values())
        chart(below, 'largest distance to a target', 'iteration', yscale='log', ylim=(8e-7, 1), xlim=(0, 20),
              xticks={k: k for k in range(0, 21, 2)}, yticks={1e-6: '1 µm', 1e-4: '0.1 mm', 1e-2: '1 cm', 1: '1 m'})
        cycles_alone = [points_of(after[0]), *(points for _, points in done)]
        for name, curve, colour, above in [('cycles alone', cycles_alone, BLUE, 0.25),
                                           ('then least squares', list(map(points_of, after)), GREEN, 4)]:
            heights = [max(distance(points, targets), 1e-6) for points in curve]
            below.plot(heights, color=colour, lw=2.6)
            below.text(20, heights[-1] * above, name, color=colour, ha='right', va='center', fontsize=10.5)


def circle():
    def nearest(point):
        across = point - centre - n * (n @ (point - centre))
        return centre + r * across / norm(across)

    b, r_a, r_b, was, eye = np.array([0.62, 0, 0.1]), 0.46, 0.38, np.array([0.3, -0.6, -0.3]), np.array([0.5, -1, 0.35])
    n, d = b / norm(b), norm(b)
    h = (d + (r_a - r_b) * (r_a + r_b) / d) / 2
    centre, r = h * n, np.sqrt((r_a - h) * (r_a + h))
    view = projection(eye, (0, 0, 1))
    elbow, before, middle, wrist = (view @ one for one in (nearest(was), was, centre, b))
    with figure('circle', 700, 360, 'ab', width_ratios=[1.25, 1]) as (space, flat):
        panel(space, 'two spheres meet in a circle', 'the joint goes to its nearest point', (-0.48, -0.5), (0.98, 0.5))
        for sphere, radius, colour in [((0, 0), r_a, BLUE), (wrist, r_b, GREEN)]:
            fill(space, arc(sphere, radius), colour, 0.08)
            line(space, *arc(sphere, radius), colour=pale(colour, 0.6))
        front = nearest(centre + eye) - centre
        for start, style in [(pi / 2, {'ls': DASHED, 'width': 1.9}), (-pi / 2, {'width': 2.6})]:
            half = [centre + front * cos(t) + np.cross(n, front) * sin(t) for t in np.linspace(start, start + pi, 61)]
            line(space, *(view @ one for one in half), colour=ORANGE, **style)
        line(space, (0, 0), wrist, colour=FAINT, ls=DASHED)
        line(space, middle, elbow, colour=ORANGE, width=1.5)
        dots(space, middle, colour=ORANGE, size=5)
        bones(space, [(0, 0), before, wrist], BLUE, 0.3)
        arrow(space, before, elbow, shrink=4)
        bones(space, [(0, 0), elbow, wrist], BLUE)
        marks(space)
        for name in [('$a$', (0, 0), -13, -2), ('$b$', wrist, 13, -3), ('$r_a$', elbow / 2, 0, -15, BLUE),
                     ('$r_b$', (elbow + wrist) / 2, 9, -13, BLUE), ('$r$', (middle + elbow) / 2, 8, 0, ORANGE),
                     ('before', before, 0, -16, FAINT)]:
            label(space, *name)
        seed, target = [[0, 0], [0.18, 0.22], [0.46, 0.3], [0.74, 0.24], [0.92, 0]], [0.5, 0.62]
        (forward, closed), = cycles(planar(seed), {4: target}, 1, circles=True)
        joint = next(k for k in range(1, 5) if np.array_equal(closed[k + 1], forward[k + 1]))
        panel(flat, 'so a chain closes in one cycle', 'each sphere is a circle in the plane', (-0.32, -0.3), (0.98, 0.7))
        for neighbour in (closed[joint - 1], closed[joint + 1]):
            line(flat, *arc(neighbour, norm(closed[joint] - neighbour)), colour=pale(ORANGE, 0.7))
        for points, colour, share in [(seed, INK, 0.15), (forward, BLUE, 0.3), (closed, BLUE, 1)]:
            bones(flat, points, colour, share)
        rings(flat, closed[joint], colour=ORANGE)
        marks(flat, target)


def steps():
    lengths, target, seed = np.array([0.5, 0.4]), np.array([0.62, 0.26]), np.array([0.03, -0.06])
    methods = {'pseudoinverse': ORANGE, 'damped': BLUE}

    def forward_kinematics(yaws):
        """The points of the arm. Its segments point along the sums of the yaws."""
        sums = np.cumsum(yaws)
        return np.vstack([(0, 0), np.cumsum(np.transpose(lengths * [np.cos(sums), np.sin(sums)]), axis=0)])

    def step(yaws, method):
        points = forward_kinematics(yaws)
        error, jacobian = target - points[2], np.array([(-y, x) for x, y in points[2] - points[:2]]).T
        damping = error @ error if method == 'damped' else 0
        return jacobian.T @ np.linalg.inv(jacobian @ jacobian.T + damping * np.eye(2)) @ error

    def solved(method, count):
        """The answer after some iterations. Ranges force the arm to the seed, and the second request releases it."""
        segments = [{'name': f'p{k}', 'length': length, 'pitch': [0, 0], 'yaw': [np.degrees(yaw)] * 2}
                    for k, (length, yaw) in enumerate(zip(lengths, seed), 1)]
        free = request({2: target}, limits=False, method=method, options={'tolerance': 1e-9, 'iterations': count})
        return ask({'kind': 'pitch_yaw', 'segments': segments}, request({2: target}), free)[1]

    with figure('steps', 700, 510, 'ab;cd') as (*first, turns, distances):
        for one, (method, colour) in zip(first, methods.items()):
            wanted, after = step(seed, method), points_of(solved(method, 1))
            largest = max(abs(wanted))
            tried = [forward_kinematics(seed + wanted * min(1, 1 / largest) / 2**k) for k in range(20)]
            halvings = next(k for k, points in enumerate(tried) if np.allclose(points, after, atol=1e-9))
            taken = f'cut to 1, halved {halvings} times' if halvings else 'taken as it is'
            panel(one, method, f'requests {largest:.1f} rad: {taken}', (-0.05, -0.14), (1, 0.36))
            bones(one, forward_kinematics(seed), INK, 0.2)
            for points in tried[:halvings]:
                bones(one, points, colour, 0.25, 1.9)
            bones(one, after, colour)
            marks(one, target)
        chart(turns, 'requested turn', 'bend', yscale='log', ylim=(0.1, 100), xlim=(0, 60),
              xticks={bend: f'{bend}°' for bend in range(0, 61, 20)}, yticks={0.1: '0.1', 1: '1', 10: '10', 100: '100 rad'})
        chart(distances, 'with halving, both converge', 'iteration', yscale='log', ylim=(1e-9, 1), xlim=(0, 10),
              xticks={k: k for k in range(0, 11, 2)}, yticks={1e-9: '1 nm', 1e-6: '1 µm', 1e-3: '1 mm', 1: '1 m'})
        bends = np.arange(2, 61, 2)
        for method, colour in methods.items():
            requested = [max(abs(step((bend / 2, -bend), method))) for bend in np.radians(bends)]
            turns.plot(bends, requested, color=colour, lw=2.6)
            turns.text(30, requested[14] * 2.6, method, color=colour, ha='center', va='center', fontsize=10.5)
            left = [max(solved(method, count)['residuals'][0]['distance'], 1e-9) for count in range(11)]
            distances.plot(left, color=colour, lw=2.6)


def two_link():
    lengths, target = [0.5, 0.36], np.array([0.58, 0.3])
    solutions = configurations([('0 0 1', f'{length} 0 0') for length in lengths], [*target, 0])
    (up, (shoulder, bend)), (down, _) = ((points[:, :2], angles) for points, angles in solutions)
    elbow, towards = up[1], atan2(target[1], target[0])
    with figure('two-link', 700, 440, 'a') as (axes,):
        panel(axes, '', '', (-0.16, -0.13), (0.84, 0.6))
        fill(axes, up, BLUE, 0.08)
        line(axes, (0, 0), (0.5, 0), colour=FAINT)
        line(axes, (0, 0), target, ls=DASHED, width=1.5)
        line(axes, elbow, elbow + ray(shoulder, 0.19), colour=FAINT)
        wedge = arc((0, 0), 0.15, towards, shoulder)
        fill(axes, [*wedge, (0, 0)], ORANGE, 0.35)
        line(axes, *wedge)
        angle(axes, (0, 0), 0.26, 0, towards)
        angle(axes, (0, 0), 0.38, 0, shoulder)
        angle(axes, elbow, 0.13, shoulder, shoulder + bend)
        bones(axes, down, GREEN, 0.55)
        bones(axes, up, BLUE)
        marks(axes, target)
        for points, colour, side in [(up, BLUE, 1), (down, GREEN, -1)]:
            for k, (x, y) in enumerate(np.diff(points, axis=0)):
                beside = 0.035 * side / lengths[k] * np.array([-y, x])
                label(axes, f'$l_{k + 1}$', (points[k] + points[k + 1]) / 2 + beside, colour=colour)
        for name in [(r'$\theta_a$', ray((towards + shoulder) / 2, 0.105)), (r'$\theta_E$', ray(towards / 2, 0.3)),
                     (r'$\theta_0$', ray(0.27 * shoulder, 0.42)), (r'$\theta_1$', elbow + ray(shoulder + 0.45 * bend, 0.17)),
                     ('$d$', target / 2, 8, -10), ('elbow up', elbow, -34, 6, BLUE), ('elbow down', down[1], 11, -17, GREEN),
                     ('shoulder', (0, 0), 0, -18), ('target', target, 30, 0, RED)]:
            label(axes, *name)


def three_link():
    def rotation(yaw, roll):
        """By the roll about z, then by the yaw about y."""
        (c, s), (d, t) = ray(yaw), ray(roll)
        return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ [[d, -t, 0], [t, d, 0], [0, 0, 1]]

    def patch(axes, plane, points, colour):
        """The part of a plane, with directions (3, 2), that contains these points."""
        low, high = (points @ plane).min(axis=0) - 0.1, (points @ plane).max(axis=0) + 0.1
        corners = np.array([low, (high[0], low[1]), high, (low[0], high[1]), low]) @ plane.T @ view.T
        fill(axes, corners, colour, 0.13)
        line(axes, *corners, colour=pale(colour, 0.4))

    def draw_arm(axes, project, before, after):
        """An arm in front of another one, its target and the up vector."""
        head = project @ (end + 0.26 * up)
        line(axes, (0, 0), project @ wrist, ls=DASHED, width=1.5)
        line(axes, project @ wrist, project @ end, colour=pale(ORANGE, 0.6), width=1.5)
        arrow(axes, project @ end, head, ORANGE, 2.2)
        label(axes, '$E_y$', head, 13, 0, ORANGE)
        bones(axes, before @ project.T, BLUE, 0.3)
        bones(axes, after @ project.T, BLUE)
        marks(axes, project @ end)

    lengths, wrist, up = (0.5, 0.42, 0.22), np.array([0.5, 0.3, -0.12]), np.array([0.3, 0.6, -0.75])
    up, view = up / norm(up), projection((-0.45, 0.45, 0.85), (0, 1, 0))
    end = wrist + lengths[2] * up
    yaw, roll, *links = ('0 1 0', '0 0 0'), ('0 0 1', '0 0 0'), *(('1 0 0', f'0 {length} 0') for length in lengths)
    both_rolls = configurations([yaw, roll, *links], end, up=list(up))
    solutions = [one for one in both_rolls if abs(one[1][1]) < pi / 2]
    (first, angles), (second, _) = solutions[:2]
    upright, (turned, *_) = configurations([yaw, *links[:2]], wrist)[0]
    after = rotation(turned, atan2(sin(turned) * up[2] - cos(turned) * up[0], up[1]))
    wrong, plane = upright @ rotation(turned, 0) @ after.T, rotation(*angles[:2])[:, 1:]
    with figure('three-link', 700, 650, 'ab;cd') as (left, right, flat, table):
        missed = f'the wrist is missed by {norm(wrong[2] - wrist):.2f} m'
        panel(left, 'solved upright, then rolled: wrong', missed, (-0.36, -0.2), (0.72, 0.98))
        panel(right, 'rotated into the plane, then solved: right', 'wrist and up vector span it', (-0.36, -0.2), (0.72, 0.98))
        patch(left, after[:, 1:], wrong, FAINT)
        patch(right, plane, np.vstack([first, second]), GREEN)
        tail, base = plane @ (0.57, 0.02), view @ (0, 0.34, 0)
        normal = view @ (tail + 0.4 * np.cross(*plane.T))
        arrow(right, view @ tail, normal, GREEN, 1.9)
        label(right, '$n$', normal, -10, -5, GREEN)
        for axes, before, after in [(left, upright, wrong), (right, second, first)]:
            arrow(axes, (0, 0), base, FAINT, 1.5)
            draw_arm(axes, view, before, after)
            rings(axes, view @ wrist, size=12)
            for name in [('$y$', base, -9, 0, FAINT), ('$O$', (0, 0), -11, -10), ('$E$', view @ end, 14, -5, RED),
                         ('$P_T$', view @ wrist, 16, -8)]:
                label(axes, *name)
        arrow(left, view @ upright[2], view @ wrong[2], RED, 1.9, shrink=3)
        panel(flat, 'in the plane: two links, then one more', 'both elbows, the last link along the up vector',
              (-0.3, -0.06), (0.66, 1.02))
        project, start = np.array([-plane[:, 1], plane[:, 0]]), pi / 2
        line(flat, (0, 0), (0, 0.4), colour=FAINT)
        draw_arm(flat, project, second, first)
        for k, (joint, by) in enumerate(zip(first @ project.T, angles[2:])):
            line(flat, joint, joint + ray(start, 0.14), colour=FAINT)
            angle(flat, joint, 0.1, start, start + by)
            # The label of a small angle is beside its arc.
            at = ray(start + by / 2, 0.15) if abs(by) > 0.5 else ray(start - 0.4 * np.sign(by), 0.16)
            label(flat, rf'$\theta_{k}$', joint + at)
            start += by
        label(flat, '$E$', project @ end, -14, -2, RED)
        label(flat, '$P_T$', project @ wrist, 8, -15)
        panel(table, 'four solutions: two normals, two elbows', 'the same elbows, seen from either side', (-0.6, 0), (4.6, 4))
        for column, name in enumerate([r'\theta_y', r'\beta', r'\theta_0', r'\theta_1', r'\theta_2']):
            label(table, f'${name}$', (column, 3.4))
            for row, (_, positions) in enumerate(solutions):
                degrees = f'{round(np.degrees(positions[column]))}°'.replace('-', '−')
                label(table, degrees, (column, 2.6 - 0.8 * row), colour=FAINT)
