"""What MJCF has no word for, gathered by kind and told once for each, in the words of the file read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.span import NOWHERE, SourceSpan
from solidbody.model.contacts import ContactProperties
from solidbody.model.devices import Device
from solidbody.model.joints import joint_axes
from solidbody.model.scene import Scene

CODE: Final = "lost-in-mjcf"

SHOWN: Final = 3
"""Names that a warning lists."""

_KINDS: Final = {
    ".wbt": 0,
    ".proto": 0,
    ".body": 1,
    ".wrl": 1,
    ".yaml": 1,
    ".yml": 1,
    ".cnoid": 1,
    ".urdf": 2,
    ".xacro": 2,
    ".sdf": 2,
    ".world": 2,
}
_MJCF: Final = 3

_WORDS: Final = {
    #                 Webots                    Choreonoid                  URDF, SDF           MJCF
    "bounce": ("bounce", "restitution", "restitution_coefficient", "solref"),
    "softness": ("softERP, softCFM", "cullingDepth", "kp, kd", "solref, solimp"),
    "directions": ("coulombFriction of several directions", "friction", "fdir1, mu2", "friction"),
    "rotation": ("frictionRotation", "friction", "fdir1", "friction"),
    "slip": ("forceDependentSlip", "slip", "slip1, slip2", "slip"),
    "damping": ("Damping", "damping", "velocity_decay", "damping"),
    "stop bounce": ("minStop, maxStop with bounce", "joint_range", "limit", "range"),
    "max velocity": ("maxVelocity", "joint_velocity_range", "velocity of <limit>", "ctrlrange"),
    "acceleration": ("acceleration", "acceleration", "acceleration", "acceleration"),
    "brake": ("Brake", "brake", "brake", "brake"),
    "coupled": ("motors coupled by ::", "mimic", "mimic", "equality"),
    "track": ("Track", "pseudo_continuous_track", "<gazebo> tracks", "track"),
    "propeller": ("Propeller", "Rotor", "propeller", "propeller"),
    "fluid": ("Fluid", "fluid", "fluid", "density"),
    "standing motor": ("motors without Physics", "link_position", "motors", "motors"),
    "texture": ("textures", "textures", "textures", "textures"),
    "axes": ("axes of BallJoint with motors", "ball joint", "ball joint", "ball"),
}


@dataclass(frozen=True, slots=True)
class SourceWords:
    """How the format of a scene's file calls things."""

    column: int

    @staticmethod
    def of(source: str) -> SourceWords:
        """Return the words of a file's format."""
        return SourceWords(_KINDS.get(PurePath(source).suffix.lower(), _MJCF))

    @property
    def is_mjcf(self) -> bool:
        """Whether the file was MJCF itself."""
        return self.column == _MJCF

    def word(self, kind: str) -> str:
        """Return how a thing is called there."""
        return _WORDS[kind][self.column]


@dataclass(slots=True)
class _Loss:
    span: SourceSpan
    what: str
    names: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Losses:
    """Gathers what is lost: one warning for each kind."""

    scene: Scene
    words: SourceWords
    _found: dict[tuple[str, str], _Loss] = field(default_factory=dict[tuple[str, str], _Loss])
    _remarks: list[str] = field(default_factory=list[str])

    def lose(self, kind: str, name: str, span: SourceSpan, how: str = "MJCF cannot say it") -> None:
        """Note that something of a kind is lost.

        Args:
            kind: Of `_WORDS`.
            name: What has it.
            span: Where it is written.
            how: What becomes of it.
        """
        loss = self._found.setdefault((kind, how), _Loss(span, f"{self.words.word(kind)}: {how}"))
        if loss.span is NOWHERE:
            loss.span = span
        if name not in loss.names:
            loss.names.append(name)

    def leave_out(self, device: Device) -> None:
        """Note that a device is left out."""
        word = device.model or type(device).__name__.removeprefix("Device")
        what = f"{word}: it is left out"
        loss = self._found.setdefault((word, ""), _Loss(device.span, what))
        loss.names.append(device.name)

    def say(self, remark: str) -> None:
        """Note something that is not lost, but different."""
        self._remarks.append(remark)

    def report(self, log: DiagnosticLog) -> None:
        """Write one message for each kind."""
        self._note_scene()
        whole = SourceSpan(self.scene.source, 1, 1, 1, 1)
        remarks = (
            "MuJoCo's own contact model takes the place of the contact law",
            *self._remarks,
        )
        for remark in remarks:
            log.info(CODE, whole, f"{remark}.")
        for loss in self._found.values():
            span = whole if loss.span is NOWHERE else loss.span
            log.warning(CODE, span, f"{loss.what} ({_listed(loss.names)}).")

    def _note_scene(self) -> None:
        for link in self.scene.links():
            if link.damping is not None and (link.damping.linear or link.damping.angular):
                self.lose("damping", link.name, link.span)
            for axis in joint_axes(link.joint):
                if axis.stops is not None and axis.stops.bounce:
                    self.lose("stop bounce", link.name, link.span)
                if axis.brake is not None:
                    self.lose("brake", axis.brake.name, axis.brake.span)
        for fluid in self.scene.fluids:
            self.lose("fluid", fluid.name, fluid.span, "it is left out")

    def note_contact(self, entry: ContactProperties) -> None:
        """Note what of a pair of materials has no word; of what no file has written, nothing is said."""
        if entry.span is NOWHERE:
            return
        name = " / ".join(entry.materials)
        if entry.bounce != 0.0:
            self.lose("bounce", name, entry.span)
        if len(entry.friction) > 1:
            self.lose("directions", name, entry.span, "the first is taken for all")
        if entry.friction_rotation != (0.0, 0.0):
            self.lose("rotation", name, entry.span)
        if any(entry.slip):
            self.lose("slip", name, entry.span)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f'"{name}"' for name in names[:SHOWN])
    more = len(names) - SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
