"""Recorded motion of links as an animation of glTF: poses relative to their parents, where they change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from solidbody.base.vectors import multiply, rotate
from solidbody.formats.gltf.buffer import GltfDocument, Row

Floats = NDArray[np.float64]

STILL = 1e-7
"""What moves less is not animated [m], or in the components of a quaternion: single precision."""


@dataclass(frozen=True, slots=True)
class LinkMotion:
    """Where links were.

    Attributes:
        times: [s], (frames,), growing.
        poses: x y z qw qx qy qz in the world, (frames, links, 7).
    """

    times: Floats
    poses: Floats


def add_animation(
    document: GltfDocument, motion: LinkMotion, parents: Sequence[int | None], nodes: Sequence[int]
) -> None:
    """Add the animation, and set nodes to where they are in the first frame.

    Args:
        document: Has the nodes.
        motion: Of all links.
        parents: Of each link the index of its parent; None = the root.
        nodes: Number of the node of each link.
    """
    if not len(motion.times):
        return
    clock: int | None = None
    samplers: list[Row] = []
    channels: list[Row] = []
    is_one = len(motion.times) == 1
    for link, parent in enumerate(parents):
        places, turns = _relative(motion.poses, link, parent)
        row = document.lists["nodes"][nodes[link]]
        set_place(row, places[0].tolist(), turns[0].tolist())
        for path, values in (("translation", places), ("rotation", turns[:, [1, 2, 3, 0]])):
            if is_one or float(np.abs(values - values[0]).max()) < STILL:
                continue
            if clock is None:
                clock = document.floats(motion.times - motion.times[0], of_vertices=False)
            output = document.floats(values, of_vertices=False)
            channels.append(
                {"sampler": len(samplers), "target": {"node": nodes[link], "path": path}}
            )
            samplers.append({"input": clock, "output": output, "interpolation": "LINEAR"})
    if channels:
        document.add("animations", {"name": "motion", "samplers": samplers, "channels": channels})


def set_place(row: Row, place: Sequence[float], turn: Sequence[float]) -> None:
    """Set where a node is; `turn` is w x y z. What is nothing is not written."""
    row.pop("translation", None)
    row.pop("rotation", None)
    if any(place):
        row["translation"] = [float(value) for value in place]
    w, x, y, z = turn
    if (x, y, z) != (0.0, 0.0, 0.0):
        row["rotation"] = [float(x), float(y), float(z), float(w)]


def _relative(poses: Floats, link: int, parent: int | None) -> tuple[Floats, Floats]:
    """Return places and quaternions (w x y z) in the parent, these without jumps of their sign."""
    places, turns = poses[:, link, :3], poses[:, link, 3:]
    if parent is not None:
        back = poses[:, parent, 3:] * (1.0, -1.0, -1.0, -1.0)
        places = rotate(back, places - poses[:, parent, :3])
        turns = multiply(back, turns)
    turns = turns / np.linalg.norm(turns, axis=1, keepdims=True)
    flips = np.sum(turns[1:] * turns[:-1], axis=1) < 0.0
    signs = np.concatenate(([1.0], np.where(np.cumsum(flips) % 2, -1.0, 1.0)))
    return places, turns * signs[:, None]
