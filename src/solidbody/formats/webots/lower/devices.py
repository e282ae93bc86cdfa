"""Lowers device nodes to the devices of links.

Some devices speak of things that come later in the file (the shapes below an LED, the head of a
lidar, the far end of a muscle): they are completed when the whole top node has been walked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import cast

from solidbody.base.diagnostics import DiagnosticLog, did_you_mean
from solidbody.base.transforms import scale
from solidbody.formats.assets import AssetFinder
from solidbody.formats.webots.lower.builders import LinkBuilder
from solidbody.formats.webots.lower.geometries import GeometryReader
from solidbody.formats.webots.lower.lowering_context import LoweringContext
from solidbody.formats.webots.lower.motors import AxisDevices
from solidbody.formats.webots.lower.old_devices import as_of, volume_of_radius
from solidbody.formats.webots.lower.plain import lower_plain
from solidbody.formats.webots.lower.shapes import lower_appearance
from solidbody.formats.webots.lower.tracks import lower_belt
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.release import Release
from solidbody.model.devices import (
    Device,
    DeviceBase,
    DeviceCharger,
    DeviceDisplay,
    DeviceLed,
    DeviceLidar,
    DeviceMicrophone,
    DeviceMuscle,
    DevicePropeller,
    DeviceSkin,
    DeviceTouchSensor,
    DeviceUnknown,
    DeviceVacuumGripper,
)
from solidbody.model.motors import Motor
from solidbody.model.shapes import Shape

Carriers = Callable[[], Mapping[str, str]]
"""Gives the paths of links by names of solids, of all that the file has had so far."""

_WITHOUT_DEVICE = ("Servo",)
_ALSO_ON_SOLIDS = ("Connector", "VacuumGripper")
"""Devices that do something without a program: what others hold on to."""


@dataclass(frozen=True, slots=True)
class Surfaces:
    """The bounding object of a solid: indices in the shapes of its link, and what only the device feels."""

    colliding: tuple[int, ...]
    feelers: tuple[Shape, ...]


@dataclass(slots=True)
class DeviceLowering:
    """Gathers the devices of links, and what some of them have to wait for."""

    release: Release
    finder: AssetFinder
    log: DiagnosticLog
    _paths: dict[TypedNode, tuple[str, str]] = field(
        default_factory=dict[TypedNode, tuple[str, str]]
    )
    _shapes: dict[TypedNode, list[tuple[LinkBuilder, int]]] = field(
        default_factory=dict[TypedNode, list[tuple[LinkBuilder, int]]]
    )
    _lights: dict[TypedNode, int] = field(default_factory=dict[TypedNode, int])
    _later: list[Callable[[Carriers], None]] = field(
        default_factory=list[Callable[[Carriers], None]]
    )

    # what the walk reports

    def placed(self, solid: TypedNode, path: str, link: str) -> None:
        """Remember the path of a solid and of the link that carries it."""
        self._paths[solid] = (path, link)

    def path_of(self, solid: TypedNode) -> str:
        """Return the path of a solid that has been placed."""
        return self._paths[solid][0]

    def drawn(self, shape: TypedNode, link: LinkBuilder, index: int) -> None:
        """Remember where in a link's shapes those of a Shape node begin."""
        self._shapes.setdefault(shape, []).append((link, index))

    def lit(self, light: TypedNode, index: int) -> None:
        """Remember the number of a light."""
        self._lights[light] = index

    def finish(self, carriers: Carriers) -> None:
        """Complete the devices that had to wait; `carriers` are link paths by names of solids."""
        for complete in self._later:
            complete(carriers)
        self._later.clear()
        self._shapes.clear()

    # devices

    def solid(
        self,
        node: TypedNode,
        inside: LoweringContext,
        surfaces: Surfaces,
        geometries: GeometryReader,
    ) -> None:
        """Add the device that a solid is, if it is one.

        Args:
            node: The solid.
            inside: The place of its children.
            surfaces: Its bounding object.
            geometries: Reads what the device draws.
        """
        link, pose = inside.link, inside.frame.pose
        if link is None or node.type in _WITHOUT_DEVICE:
            return
        if node.type == "Charger":
            self._add(inside, node, lower_plain(DeviceCharger, node, self.log, pose=pose))
            return
        if not node.is_a("Device"):
            return
        if inside.robot is None and not (node.type in _ALSO_ON_SOLIDS and _is_in_solid(node)):
            node.warn(
                self.log,
                "device-without-robot",
                f"a {node.type} needs a Robot above it; no program can use it.",
            )
        device: Device
        if node.type == "Track":
            device = lower_belt(node, inside.frame, geometries, self.log)
        elif node.type == "Radio":
            device = lower_plain(DeviceUnknown, node, pose=pose, kind=node.type)
        else:
            device = cast(Device, lower_plain(DeviceBase, node, self.log, pose=pose))
        if isinstance(device, DeviceMicrophone):
            node.inform(
                self.log, "unsupported-node", "microphones are not supported: they hear nothing."
            )
        if isinstance(device, DeviceTouchSensor | DeviceVacuumGripper):
            device = replace(device, shapes=surfaces.colliding, feelers=surfaces.feelers)
        self._add(inside, node, as_of(self.release, device))

    def _add(self, inside: LoweringContext, node: TypedNode, device: Device) -> None:
        link = inside.link
        assert link is not None
        first, place = len(link.shapes), link.add_device(device, inside.robot)

        def complete(_: Carriers) -> None:
            nodes = node.children()
            below = self._below(nodes[:1] if isinstance(device, DeviceLed) else nodes)
            shapes = tuple(k for shape in below for k in self._indices(shape, link, first))
            match device:
                case DeviceLed():
                    lights = tuple(self._lights[item] for item in below if item in self._lights)
                    link.devices[place] = replace(device, shapes=shapes, lights=lights)
                case DeviceCharger():
                    link.devices[place] = replace(device, shapes=shapes)
                case DeviceDisplay() if shapes:
                    link.devices[place] = replace(device, shape=shapes[0])
                case DeviceLidar() if device.head is not None:
                    head = node.node("rotatingHead")
                    if head in self._paths:
                        turning = replace(device.head, frame=self._paths[head][0])
                        link.devices[place] = replace(device, head=turning)
                case _:
                    pass

        if isinstance(device, DeviceLed | DeviceCharger | DeviceDisplay | DeviceLidar):
            self._later.append(complete)

    def _below(self, nodes: list[TypedNode]) -> list[TypedNode]:
        """Return the shapes and lights among nodes and inside their groups, in order."""
        found: list[TypedNode] = []
        stack = nodes[::-1]
        while stack:
            node = stack.pop()
            if node.type == "Shape" or node.is_a("Light"):
                found.append(node)
            elif node.is_a("Group") and not node.is_a("Solid"):
                stack.extend(node.children()[::-1])
        return found

    def _indices(self, shape: TypedNode, link: LinkBuilder, first: int) -> list[int]:
        """Return where a Shape was drawn in `link`: the first time from index `first` on."""
        return [i for owner, i in self._shapes.get(shape, ()) if owner is link and i >= first][:1]

    def propeller(self, node: TypedNode, place: LoweringContext, motor: Motor | None) -> bool:
        """Add the propeller to the link; whether there is one to add it to."""
        link = place.link
        if link is None or place.upper is None:
            node.warn(
                self.log, "propeller-without-solid", "a Propeller needs a Solid above it; left out."
            )
            return False
        if not place.upper.is_dynamic:
            node.warn(
                self.log,
                "propeller-without-physics",
                "the solid above the Propeller has no physics: nothing is pushed.",
            )
        name = motor.name if motor else node.label or "propeller"
        device = lower_plain(
            DevicePropeller, node, self.log, name=name, pose=place.frame.pose, motor=motor
        )
        device = replace(device, center_of_thrust=scale(device.center_of_thrust, place.scale[0]))
        index = link.add_device(device, place.robot)

        def complete(_: Carriers) -> None:
            link.devices[index] = replace(
                device,
                fast_helix=self._helix(node, "fastHelix"),
                slow_helix=self._helix(node, "slowHelix"),
            )

        self._later.append(complete)
        return True

    def _helix(self, node: TypedNode, field_name: str) -> str:
        helix = node.node(field_name)
        return self._paths[helix][0] if helix is not None and helix in self._paths else ""

    def muscles(self, axis: AxisDevices, place: LoweringContext, end_point: TypedNode) -> None:
        """Add the muscles of a motor to the link above its joint."""
        link, motor, motor_node = place.link, axis.motor, axis.motor_node
        if link is None or motor is None or motor_node is None:
            return
        pose, name = place.frame.pose, motor.name
        for node in motor_node.children("muscles"):
            muscle = lower_plain(
                DeviceMuscle, node, name=f"muscle of {name}", pose=pose, motor=name
            )
            if node.is_written("maxRadius") and not node.is_written("volume"):
                volume = volume_of_radius(node, motor, motor_node, end_point)
                is_visible = muscle.is_visible and volume > 0.0
                muscle = replace(muscle, volume=volume or muscle.volume, is_visible=is_visible)
            index = link.add_device(muscle, place.robot)

            def complete(
                carriers: Carriers, muscle: DeviceMuscle = muscle, index: int = index
            ) -> None:
                if end_point in self._paths:
                    end = self._paths[end_point][1]
                else:
                    end = carriers().get(_reference_name(end_point), "")
                link.devices[index] = replace(muscle, end=end)

            self._later.append(complete)

    def skin(self, node: TypedNode, place: LoweringContext) -> None:
        """Add a skin to the link; its bones may come later in the file."""
        link = place.link
        if link is None:
            node.warn(self.log, "skin-without-solid", "a Skin needs a Robot above it; left out.")
            return
        node.inform(
            self.log,
            "unsupported-node",
            "skins are not supported: neither drawn nor moved; the solids that drive them are simulated.",
        )
        look = partial(lower_appearance, finder=self.finder)
        skin = lower_plain(DeviceSkin, node, child=look, finder=self.finder)
        skin = replace(skin, pose=place.frame.pose * skin.pose)
        index = link.add_device(skin, place.robot)

        def complete(carriers: Carriers) -> None:
            bones: list[str] = []
            known = carriers()
            for bone in node.children("bones"):
                name = bone.string("solidName")
                if name in known:
                    bones.append(known[name])
                else:
                    bone.warn(
                        self.log,
                        "unknown-solid",
                        f'no solid is named "{name}"; the bone is left out.'
                        f"{did_you_mean(name, known)}",
                        field="solidName",
                    )
            link.devices[index] = replace(skin, bones=tuple(bones))

        self._later.append(complete)


def _is_in_solid(node: TypedNode) -> bool:
    """Whether a solid stands anywhere above a node."""
    above = node.parent
    while above is not None and not above.is_a("Solid"):
        above = above.parent
    return above is not None


def _reference_name(node: TypedNode) -> str:
    return node.string("solidName") if node.type == "SolidReference" else ""
