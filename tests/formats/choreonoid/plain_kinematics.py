"""Referee: kinematics and masses of a body file, straight from its YAML with numpy.

Shares no code with the package: PyYAML's own loader (anchors, merges), rotation matrices by Rodrigues'
formula, and the laws of Choreonoid:

    revolute:   p = p_p + R_p b,            R = R_p R_b exp(a q)
    prismatic:  p = p_p + R_p (b + R_b a q), R = R_p R_b
    mass:       m = sum m_i,  c = sum m_i c_i/m,  I = sum (I_i + m_i (|d|^2 E - d d^T)),  d = c - c_i
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

Array = NDArray[np.float64]

LETTERS = {"X": (1, 0, 0), "Y": (0, 1, 0), "Z": (0, 0, 1)}


@dataclass
class PlainLink:
    """One link: offset in its parent, joint, and mass about its own centre."""

    name: str
    parent: str | None
    kind: str
    axis: Array
    offset: tuple[Array, Array]
    mass: tuple[float, Array, Array]


def rotation_matrix(axis: Array, angle: float) -> Array:
    """Return exp([axis]x angle) by Rodrigues' formula."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def plain_links(text: str) -> list[PlainLink]:
    """Return the links of a body file that has plain Link entries only."""
    data = yaml.safe_load(text)
    unit = 1.0 if _get(data, "angle_unit", "angleUnit") == "radian" else np.pi / 180
    return [_link(entry, unit) for entry in data["links"]]


def link_poses(
    links: list[PlainLink], root: tuple[Array, Array], q: Mapping[str, float]
) -> dict[str, tuple[Array, Array]]:
    """Return (position, rotation matrix) of each link in the world."""
    poses: dict[str, tuple[Array, Array]] = {links[0].name: root}
    waiting = links[1:]
    while waiting:
        for link in [item for item in waiting if item.parent in poses]:
            p, r = poses[link.parent or ""]
            b, rb = link.offset
            at = q.get(link.name, 0.0)
            if link.kind == "revolute":
                poses[link.name] = p + r @ b, r @ rb @ rotation_matrix(link.axis, at)
            elif link.kind in ("prismatic", "slide"):
                poses[link.name] = p + r @ (b + rb @ link.axis * at), r @ rb
            else:
                poses[link.name] = p + r @ b, r @ rb
            waiting.remove(link)
    return poses


def total_mass(
    links: list[PlainLink], poses: Mapping[str, tuple[Array, Array]]
) -> tuple[float, Array, Array]:
    """Return (mass, centre, inertia about the centre) of all links in world axes."""
    parts = [
        (m, poses[link.name][0] + poses[link.name][1] @ c, _turned(poses[link.name][1], i))
        for link in links
        for m, c, i in (link.mass,)
    ]
    return _combined(parts)


def _link(entry: Mapping[str, Any], unit: float) -> PlainLink:
    axis = _get(entry, "joint_axis", "jointAxis")
    if isinstance(axis, str):
        axis = np.array(LETTERS[axis[-1].upper()]) * (-1.0 if axis[0] == "-" else 1.0)
    axis = np.array([0.0, 0.0, 1.0]) if axis is None else np.asarray(axis, float)
    parts = list(_rigid_bodies(entry.get("elements"), np.eye(4), unit))
    has_own = any(_get(entry, *names) is not None for names in _MASS_KEYS)
    if not parts:
        own = _own_mass(entry, 1.0, np.eye(3))
    elif has_own:
        own = _combined([*parts, _own_mass(entry, 0.0, np.zeros((3, 3)))])
    else:
        own = _combined(parts)
    return PlainLink(
        entry["name"],
        entry.get("parent"),
        _get(entry, "joint_type", "jointType") or "fixed",
        axis / np.linalg.norm(axis),
        _offset(entry, unit),
        own,
    )


_MASS_KEYS = (("mass",), ("center_of_mass", "centerOfMass"), ("inertia",))


def _own_mass(entry: Mapping[str, Any], mass: float, inertia: Array) -> tuple[float, Array, Array]:
    center = _get(entry, "center_of_mass", "centerOfMass")
    numbers = entry.get("inertia")
    if numbers is not None and len(numbers) == 6:
        xx, xy, xz, yy, yz, zz = numbers
        numbers = [xx, xy, xz, xy, yy, yz, xz, yz, zz]
    return (
        float(entry.get("mass", mass)),
        np.zeros(3) if center is None else np.asarray(center, float),
        inertia if numbers is None else np.asarray(numbers, float).reshape(3, 3),
    )


def _rigid_bodies(elements: Any, place: Array, unit: float) -> Iterator[tuple[float, Array, Array]]:
    """Yield (mass, centre, inertia) of RigidBody nodes in the frame of the link."""
    if elements is None:
        return
    if isinstance(elements, Mapping):
        nodes = [(elements["type"], elements)] if "type" in elements else list(elements.items())
    else:
        nodes = [(node["type"], node) for node in elements]
    for kind, node in nodes:
        inner = place
        if kind in ("Transform", "RigidBody", "Visual", "Collision"):
            b, r = _offset(node, unit)
            step = np.eye(4)
            step[:3, :3] = r @ np.diag(node.get("scale", [1, 1, 1]))
            step[:3, 3] = b
            inner = place @ step
        if kind == "RigidBody":
            m, c, i = _own_mass(node, 0.0, np.zeros((3, 3)))
            linear = inner[:3, :3]
            yield m, linear @ c + inner[:3, 3], linear @ i @ linear.T
        yield from _rigid_bodies(node.get("elements"), inner, unit)


def _combined(parts: list[tuple[float, Array, Array]]) -> tuple[float, Array, Array]:
    mass = sum(m for m, _, _ in parts)
    if mass == 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    center = sum((m * c for m, c, _ in parts), np.zeros(3)) / mass
    inertia = np.zeros((3, 3))
    for m, c, i in parts:
        d = center - c
        inertia += i + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, center, inertia


def _turned(r: Array, inertia: Array) -> Array:
    return r @ inertia @ r.T


def _offset(entry: Mapping[str, Any], unit: float) -> tuple[Array, Array]:
    b = np.asarray(entry.get("translation", [0, 0, 0]), float)
    turns = entry.get("rotation")
    if turns is None:
        return b, np.eye(3)
    r = np.eye(3)
    for x, y, z, angle in turns if isinstance(turns[0], list) else [turns]:
        r = r @ rotation_matrix(np.array([x, y, z], float), angle * unit)
    return b, r


def _get(entry: Mapping[str, Any], *names: str) -> Any:
    return next((entry[name] for name in names if name in entry), None)
