"""Walks `elements`, the nodes below a link, in file order with their pose and their role.

What stands outside Visual and Collision nodes is drawn and collides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from solidbody.formats.choreonoid.body.devices import DEVICE_TYPES, PLUGIN_TYPES, device_of
from solidbody.formats.choreonoid.body.mass import rigid_body
from solidbody.formats.choreonoid.body.resources import ResourceNodes, Resources
from solidbody.formats.choreonoid.body.shapes import lines_of, place_below, shapes_of
from solidbody.formats.choreonoid.keys.access import Keys, shown
from solidbody.formats.choreonoid.keys.bodies import NodeKeys
from solidbody.formats.choreonoid.keys.shapes import (
    GroupKeys,
    PurposeKeys,
    ResourceKeys,
    RigidBodyKeys,
    TransformKeys,
)
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, YamlScalar
from solidbody.formats.link_trees.node_transforms import NodeTransform
from solidbody.model.devices import Device
from solidbody.model.mass import MassProperties
from solidbody.model.shapes import Shape, ShapeRole

SCENERY: Final = {
    "Node": "a node without content",
    "DirectionalLight": "lights of this kind belong to the world",
    "PerspectiveCamera": "a camera of the viewer",
    "OrthographicCamera": "a camera of the viewer",
    "Fog": "fog belongs to the world",
    "Text": "text is not drawn",
}
"""Nodes that only dress the scene, and why nothing comes of them here."""


@dataclass(slots=True)
class Parts:
    """What the nodes below a link add up to, all in link coordinates."""

    shapes: list[Shape] = field(default_factory=list[Shape])
    devices: list[Device] = field(default_factory=list[Device])
    masses: list[MassProperties] = field(default_factory=list[MassProperties])


class ElementReader:
    """Walks the nodes of one file and of the YAML files that it takes parts from."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._readers: dict[str, Callable[[Keys, NodeTransform, ShapeRole, Parts], None]] = {
            "Group": self._group,
            "Transform": self._transform,
            "RigidBody": self._rigid_body,
            "Visual": self._visual,
            "Collision": self._collision,
            "Shape": self._shape,
            "LineSet": self._lines,
            "Resource": self._resource,
        }

    def read(self, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts) -> None:
        """Add what stands under the key `elements` of a node to `parts`."""
        value = keys.node(NodeKeys.elements)
        if value is not None:
            self.read_value(value, keys, place, role, parts)

    def read_value(
        self, value: YamlNode, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts
    ) -> None:
        """Add the nodes of a value in any of the three spellings to `parts`."""
        for type_name, node in typed_nodes(value, keys, NodeKeys.elements.name):
            self.read_node(type_name, node, place, role, parts)

    def read_node(
        self, type_name: str, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts
    ) -> None:
        """Add one node of a known type to `parts`."""
        is_optional = keys.read(NodeKeys.is_optional)
        keys.read(NodeKeys.is_meta_scene)
        keys.node(NodeKeys.type)
        reader = self._readers.get(type_name)
        if reader is not None:
            keys.node(NodeKeys.name)
            reader(keys, place, role, parts)
        elif type_name == "Skip":
            return
        elif type_name in SCENERY:
            keys.info("scenery-node", "", f"{type_name}: {SCENERY[type_name]}; left out.")
        elif is_optional and type_name not in DEVICE_TYPES:
            keys.warning(
                "optional-node",
                "",
                f'nothing here knows the node type "{type_name}"; left out, since it is optional.',
            )
        elif type_name in DEVICE_TYPES or type_name in PLUGIN_TYPES:
            self._device(type_name, keys, place, role, parts)
        else:
            self._unknown(type_name, keys, place, role, parts)

    # ---------------------------------------------------------------------------------------- nodes

    def _group(self, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts) -> None:
        self.read(keys, place, role, parts)
        keys.warn_of_slips(GroupKeys)

    def _transform(self, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts) -> None:
        inner = place_below(place, keys)
        if keys.find(TransformKeys.scale_orientation) is not None:
            keys.warning(
                "unread-key",
                TransformKeys.scale_orientation,
                "it has no effect below a link, as in Choreonoid.",
            )
        self.read(keys, inner, role, parts)
        keys.warn_of_slips(TransformKeys)

    def _rigid_body(self, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts) -> None:
        inner = place_below(place, keys)
        parts.masses.append(rigid_body(keys, inner))
        self.read(keys, inner, role, parts)
        keys.warn_of_slips(RigidBodyKeys)

    def _visual(self, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts) -> None:
        self._one_purpose(keys, place, role, parts, ShapeRole.VISUAL)

    def _collision(self, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts) -> None:
        self._one_purpose(keys, place, role, parts, ShapeRole.COLLISION)

    def _one_purpose(
        self, keys: Keys, place: NodeTransform, outer: ShapeRole, parts: Parts, role: ShapeRole
    ) -> None:
        if outer not in (ShapeRole.BOTH, role):
            keys.error(
                "nested-purpose",
                "",
                "a Visual must not stand inside a Collision, nor the other way round; "
                "the outer one counts.",
            )
            role = outer
        inner = place_below(place, keys)
        for row, reader in (
            (PurposeKeys.shape, self._shape),
            (PurposeKeys.resource, self._resource),
        ):
            node = keys.keys(row)
            if node is not None:
                node.node(NodeKeys.type)
                reader(node, inner, role, parts)
        self.read(keys, inner, role, parts)
        keys.warn_of_slips(PurposeKeys)

    def _shape(self, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts) -> None:
        parts.shapes.extend(shapes_of(keys, place, role, self._resources))

    def _resource(self, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts) -> None:
        inner = place_below(place, keys)
        found = self._resources.load(keys, inner, role)
        keys.warn_of_slips(ResourceKeys)
        if not isinstance(found, ResourceNodes):
            parts.shapes.extend(found)
            return
        with self._resources.opened(found):
            for node in found.nodes:
                self.read_value(node, keys, inner, role, parts)

    def _lines(self, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts) -> None:
        parts.shapes.extend(lines_of(keys, place, role, self._resources))

    def _device(
        self, type_name: str, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts
    ) -> None:
        inner = place_below(place, keys)
        device = device_of(type_name, keys, inner)
        if device is not None:
            parts.devices.append(device)
        self.read(keys, inner, role, parts)

    def _unknown(
        self, type_name: str, keys: Keys, place: NodeTransform, role: ShapeRole, parts: Parts
    ) -> None:
        """Keep a node of an unknown type as a device, unless its name is a slip of the pen."""
        hint = keys.reading.guess(type_name, (*self._readers, *SCENERY, "Skip"))
        if not hint:
            self._device(type_name, keys, place, role, parts)
            return
        keys.error(
            "unknown-node", NodeKeys.type, f'no node type is named "{type_name}"; left out.{hint}'
        )


def typed_nodes(value: YamlNode, keys: Keys, name: str) -> Iterator[tuple[str, Keys]]:
    """Yield (type, keys) of nodes: a list of mappings with `type`, one of them, or `Type: {...}`.

    Args:
        value: What stands under the key.
        keys: The mapping that it stands in, for messages.
        name: The key.
    """
    if isinstance(value, YamlList):
        for number, item in enumerate(value.items):
            if isinstance(item, YamlMap):
                yield from _mapped_nodes(item, keys, f"{name}[{number}]")
            else:
                keys.wrong(name, item, "a node, which is a mapping")
    elif isinstance(value, YamlMap):
        yield from _mapped_nodes(value, keys, name)
    elif value.text:  # an empty value is a list without entries
        keys.wrong(name, value, "a list of nodes or a mapping")


def _mapped_nodes(node: YamlMap, keys: Keys, label: str) -> Iterator[tuple[str, Keys]]:
    type_node = node.get("type")
    if type_node is not None:
        if isinstance(type_node, YamlScalar):
            yield type_node.text, keys.child(node, _label(label, type_node.text, node))
        else:
            keys.wrong(NodeKeys.type.name, type_node, "the name of a node type")
        return
    for key, item in node.pairs:
        if not isinstance(item, YamlMap):
            keys.error(
                "wrong-node",
                "",
                f'{label}: expected a node with "type", or "{key.text}" to hold a mapping, '
                f"got {shown(item)}.",
                span=item.span,
            )
            continue
        inside = item.get("type")
        if isinstance(inside, YamlScalar) and inside.text != key.text:
            keys.error(
                "wrong-node",
                "",
                f'{label}: the node is called {key.text} but its type is "{inside.text}"; '
                f"read as {key.text}.",
                span=inside.span,
            )
        yield key.text, keys.child(item, _label(label, key.text, item))


def _label(place: str, type_name: str, node: YamlMap) -> str:
    name = node.get("name")
    called = f' "{name.text}"' if isinstance(name, YamlScalar) and name.text else ""
    return f"{place} {type_name}{called}"
