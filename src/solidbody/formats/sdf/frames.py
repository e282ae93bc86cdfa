"""Where links, joints and frames of a model are: poses relative to each other, across nested models."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from solidbody.base.transforms import Pose
from solidbody.formats.sdf.values import Values
from solidbody.formats.xml_tree import XmlElement

MODEL: Final = "__model__"
PLACED: Final = ("link", "joint", "frame", "model")
DEEPEST: Final = 60
"""Models inside each other, or frames one behind the other."""


@dataclass(slots=True)
class FrameScope:
    """The names of a model (or world) and where each of them is.

    Attributes:
        element: The model.
        values: Reads poses.
        above: The scope that it stands in; None for a model of the world.
    """

    element: XmlElement
    values: Values
    above: FrameScope | None = None
    elements: dict[str, XmlElement] = field(default_factory=dict[str, XmlElement])
    nested: dict[str, FrameScope] = field(default_factory=dict[str, "FrameScope"])
    _known: dict[str, Pose] = field(default_factory=dict[str, Pose])
    _open: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        for child in self.element.children:
            if child.tag not in PLACED:
                continue
            name = child.attributes.get("name", "")
            if child.tag == "joint" and (name in self.elements or name == "world"):
                name = self._renamed(child, name)
            if name in self.elements or name in ("", MODEL, "world"):
                what = "it has no name" if not name else f'the name "{name}" is taken'
                self.values.spot(child, "name").error("duplicate-name", f"{what}; it is left out.")
                continue
            self.elements[name] = child
            if child.tag == "model":
                self.nested[name] = FrameScope(child, self.values, self)

    def _renamed(self, joint: XmlElement, name: str) -> str:
        """Return another name for a joint that is called as a link is, as old files have it."""
        other = self.elements.get(name)
        own = f"{name} joint"
        if (other is not None and other.tag == "joint") or own in self.elements:
            return name
        what = "the world" if other is None else f"a {other.tag}"
        said = f'{what} has the name "{name}", too; this joint is called "{own}".'
        self.values.spot(joint, "name").warning("duplicate-name", said)
        joint.attributes["name"] = own
        return own

    def has(self, name: str) -> bool:
        """Whether something of this name can be meant here."""
        first, _, rest = name.partition("::")
        if rest:
            return first in self.nested and self.nested[first].has(rest)
        return name == MODEL or name in self.elements

    def pose(self, name: str) -> Pose | None:
        """Return where something is in the frame of this model; None after a message or if it is unknown."""
        if name == MODEL:
            return Pose()
        first, _, rest = name.partition("::")
        if rest:
            inner = self.nested[first].pose(rest) if first in self.nested else None
            outer = self.pose(first)
            return None if inner is None or outer is None else outer * inner
        if name not in self.elements:
            return None
        if name not in self._known:
            if name in self._open or len(self._open) > DEEPEST:
                said = "its place depends on itself; it is taken to be that of the model."
                self.values.spot(self.elements[name], "pose").error("frame-ring", said)
                return Pose()
            self._open.append(name)
            self._known[name] = self._placed(name)
            self._open.pop()
        return self._known[name]

    def _placed(self, name: str) -> Pose:
        element = self.elements[name]
        written = element.first("pose")
        pose = self.values.pose(written)
        base = None if written is None else written.attributes.get("relative_to")
        home = self._frame(element, base or self._usual(element), "relative_to")
        pose = home * pose
        placement = element.attributes.get("placement_frame")
        if element.tag == "model" and placement:
            inner = self.nested[name].pose(placement)
            if inner is not None:
                return pose * inner.inverse()
            self._unknown(element, placement, "placement_frame")
        return pose

    def _usual(self, element: XmlElement) -> str:
        """Return the frame that a pose is given in where none is named."""
        if element.tag == "joint":
            return self.values.word(element, "child") or MODEL
        if element.tag == "frame":
            return element.attributes.get("attached_to") or MODEL
        return MODEL

    def _frame(self, element: XmlElement, name: str, field_name: str) -> Pose:
        found = self.pose(name)
        if found is None:
            if name != "world":
                self._unknown(element, name, field_name)
            return Pose()
        return found

    def _unknown(self, element: XmlElement, name: str, field_name: str) -> None:
        known = [*self.elements, MODEL]
        guess = self.values.messages.guess(name, known)
        said = f'no frame is named "{name}"; the frame of the model is used.{guess}'
        self.values.spot(element, field_name).error("unknown-frame", said)

    def attached(self, name: str) -> str:
        """Return the link that a name stands for: a frame stands for what it is attached to."""
        seen: list[str] = []
        while name not in seen and len(seen) < DEEPEST:
            seen.append(name)
            first, _, rest = name.partition("::")
            if rest and first in self.nested:
                return f"{first}::{self.nested[first].attached(rest)}"
            element = self.elements.get(name)
            if element is None or element.tag == "link":
                break
            if element.tag == "model":
                return f"{name}::{self.nested[name].canonical()}"
            name = (
                self.values.word(element, "child")
                if element.tag == "joint"
                else element.attributes.get("attached_to", "")
            ) or self.canonical()
        return self.canonical() if name == MODEL else name

    def canonical(self) -> str:
        """Return the link that the frame of the model goes along with."""
        named = self.element.attributes.get("canonical_link", "")
        if named:
            return named
        for name, element in self.elements.items():
            if element.tag == "link":
                return name
        for name, scope in self.nested.items():
            return f"{name}::{scope.canonical()}"
        return ""
