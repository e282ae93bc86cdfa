"""Joints in URDF that follow others (`mimic`): who follows whom, how, and where each one starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from solidbody.base.span import SourceSpan
from solidbody.formats.link_trees.drafts import CouplingDraft
from solidbody.formats.link_trees.messages import Messages, Spot
from solidbody.formats.xml_tree import XmlElement

Number = Callable[[XmlElement, str, float], float]
"""Returns a number of an element: its attribute, or the default."""

MOVING_TYPES = ("revolute", "continuous", "prismatic")
"""Joints that can follow and be followed."""


@dataclass(frozen=True, slots=True)
class Mimics:
    """Followers by the links that they move; `starts`: their positions while no other joint has moved."""

    couplings: Mapping[str, CouplingDraft]
    starts: Mapping[str, float]


def read_mimics(joints: Mapping[str, XmlElement], number: Number, messages: Messages) -> Mimics:
    """Return which joints follow others; one that cannot moves freely, after a message.

    Args:
        joints: Joints by the links that they move.
        number: Reads numbers.
        messages: Takes what is wrong.
    """
    by_name = {
        joint.attributes.get("name", ""): link for link, joint in reversed(list(joints.items()))
    }
    found: dict[str, CouplingDraft] = {}
    for link, joint in joints.items():
        mimic = joint.first("mimic")
        if mimic is None or joint.attributes.get("type") not in MOVING_TYPES:
            continue
        name = mimic.attributes.get("joint", "")
        leader = by_name.get(name)
        if leader is None:
            _say(
                joint,
                mimic.span,
                f'no joint is named "{name}"',
                messages.guess(name, by_name),
                messages,
            )
        elif joints[leader].attributes.get("type") not in MOVING_TYPES:
            _say(joint, mimic.span, f'"{name}" does not move', "", messages)
        else:
            values = number(mimic, "multiplier", 1.0), number(mimic, "offset", 0.0)
            found[link] = CouplingDraft(link, leader, *values, mimic.span)
    for link in _in_rings(found):
        said = (
            f'it follows itself by way of "{joints[found[link].leader].attributes.get("name", "")}"'
        )
        _say(joints[link], found[link].span, said, "", messages)
        del found[link]
    starts: dict[str, float] = {}
    for link in found:
        _start(link, found, starts)
    return Mimics(found, starts)


def _say(joint: XmlElement, span: SourceSpan, what: str, guess: str, messages: Messages) -> None:
    node = f'<joint name="{joint.attributes.get("name", "")}">'
    Spot(messages, span, node, "mimic").error("mimic-joint", f"{what}; it moves freely.{guess}")


def _in_rings(found: Mapping[str, CouplingDraft]) -> list[str]:
    """Return the followers that lead to themselves."""
    rings: list[str] = []
    for link in found:
        seen: set[str] = set()
        at = link
        while at in found and at not in seen:
            seen.add(at)
            at = found[at].leader
        if at == link:
            rings.append(link)
    return rings


def _start(link: str, found: Mapping[str, CouplingDraft], starts: dict[str, float]) -> float:
    """Return where a joint starts: at 0, if it follows nobody."""
    way: list[str] = []
    while link in found and link not in starts:
        way.append(link)
        link = found[link].leader
    value = starts.get(link, 0.0)
    for follower in reversed(way):
        coupling = found[follower]
        value = starts[follower] = coupling.multiplier * value + coupling.offset
    return value
