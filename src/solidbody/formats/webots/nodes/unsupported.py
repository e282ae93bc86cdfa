"""Rows of the node types that are known but not simulated, each with the reason.

Their base part counts: a radio is a solid with shapes and mass.

Source: Webots reference manual R2025a (node chart).
"""

from __future__ import annotations

from solidbody.formats.webots.table import Field, FieldType, Node

UNSUPPORTED_ROWS = (
    Node(
        "Radio",
        base="Device",
        fields=(Field("name", FieldType.SFString, "radio", to="DeviceUnknown.name"),),
        unsupported="an experiment that Webots never finished; its shapes and mass count",
        has_all_fields=False,
        can_be_used=False,
    ),
)
