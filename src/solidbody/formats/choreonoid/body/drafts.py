"""Links, loops and bodies of a body file before they are resolved: parents are still names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from solidbody.base.span import SourceSpan
from solidbody.base.transforms import Pose
from solidbody.formats.choreonoid.body.link_joints import JointDraft
from solidbody.formats.choreonoid.keys.yaml_tree import YamlNode
from solidbody.model.devices import Device
from solidbody.model.joints import LoopBall, LoopFixed, LoopHinge, LoopPiston
from solidbody.model.mass import MassProperties
from solidbody.model.shapes import Shape

CONTINUOUS_TRACK: Final = "isContinuousTrack"
"""Info flag of the first shoe of a chain of shoes."""

Info = tuple[tuple[str, str], ...]
"""Keys that nothing here reads, and their values as one-line YAML."""


@dataclass(frozen=True, slots=True)
class LinkDraft:
    """One link as its file describes it.

    Attributes:
        name: Unique in the body; may be empty.
        joint_name: Of its joint; empty = as the link.
        parent: Name of the parent link; None = none given.
        offset: In the parent, at joint position 0.
        material: Contact material.
        node: Path for messages.
    """

    name: str
    joint_name: str
    parent: str | None
    offset: Pose
    joint: JointDraft
    material: str
    mass: MassProperties
    shapes: tuple[Shape, ...]
    devices: tuple[Device, ...]
    info: Info
    node: str
    span: SourceSpan


@dataclass(frozen=True, slots=True)
class LoopDraft:
    """A joint that closes a loop between two links, by name; `poses` are the joint frames in them."""

    kind: type[LoopBall] | type[LoopHinge] | type[LoopPiston] | type[LoopFixed]
    links: tuple[str, str]
    poses: tuple[Pose, Pose]
    name: str
    node: str
    span: SourceSpan


@dataclass(slots=True)
class BodyDraft:
    """A body file as read, sub-bodies included.

    Attributes:
        name: Of the model.
        root: Name of the root link; None = the first link.
        links: In file order.
        loops: Extra joints.
        info: Keys that nothing reads, by name.
        rules: Values of keys that tell what collides, by name.
    """

    name: str
    span: SourceSpan
    root: str | None = None
    links: list[LinkDraft] = field(default_factory=list[LinkDraft])
    loops: list[LoopDraft] = field(default_factory=list[LoopDraft])
    info: dict[str, str] = field(default_factory=dict[str, str])
    rules: dict[str, YamlNode] = field(default_factory=dict[str, "YamlNode"])

    @property
    def root_index(self) -> int | None:
        """Index of the root link, or None if there is none of that name."""
        if self.root is None:
            return 0 if self.links else None
        return next((k for k, link in enumerate(self.links) if link.name == self.root), None)
