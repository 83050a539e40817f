"""Conversion of poses and colours for viser's nodes."""
import numpy as np
import viser.transforms


def wxyz_of(poses):
    """Quaternions of matrices, shape (n, 4)."""
    return viser.transforms.SO3.from_matrix(poses[:, :3, :3]).wxyz


def opacity(rgba):
    return rgba[3] if rgba[3] < 1 else None


def instance_color(rgba):
    """The colour of instances as bytes. Viser takes it as linear, but URDFs and meshes use sRGB."""
    srgb = np.asarray(rgba[:3])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    return tuple(int(round(255 * channel)) for channel in linear)


def standing(count):
    """Orientations and positions of this many instances at the root link."""
    return np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)), np.zeros((count, 3), np.float32)


def turns_from_z(vectors, lengths):
    """The minimum rotations of the z axis into these vectors, as quaternions w, x, y, z."""
    unit = np.divide(vectors, lengths[:, None], out=np.tile([0.0, 0.0, 1.0], (len(vectors), 1)), where=lengths[:, None] > 1e-12)
    turns = np.column_stack([1 + unit[:, 2], -unit[:, 1], unit[:, 0], np.zeros(len(unit))])
    turns[unit[:, 2] < -1 + 1e-9] = (0, 1, 0, 0)
    return turns / np.linalg.norm(turns, axis=1, keepdims=True)
