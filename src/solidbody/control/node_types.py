"""Webots' numbers of node types, as controllers know them (`Node.ROBOT`, `device.getNodeType()`)."""

from __future__ import annotations

from typing import Final

from solidbody.devices.kinds import KINDS

_OTHERS: Final = {
    0: """NO_NODE APPEARANCE BACKGROUND BILLBOARD BOX CAD_SHAPE CAPSULE COLOR CONE COORDINATE CYLINDER
    DIRECTIONAL_LIGHT ELEVATION_GRID FOG GROUP IMAGE_TEXTURE INDEXED_FACE_SET INDEXED_LINE_SET MATERIAL
    MESH MUSCLE NORMAL PBR_APPEARANCE PLANE POINT_LIGHT POINT_SET POSE SHAPE SPHERE SPOT_LIGHT
    TEXTURE_COORDINATE TEXTURE_TRANSFORM TRANSFORM VIEWPOINT ROBOT""",
    53: "PROPELLER",
    62: """BALL_JOINT BALL_JOINT_PARAMETERS CHARGER CONTACT_PROPERTIES DAMPING FLUID FOCUS HINGE_JOINT
    HINGE_JOINT_PARAMETERS HINGE_2_JOINT IMMERSION_PROPERTIES JOINT_PARAMETERS LENS LENS_FLARE PHYSICS
    RECOGNITION SLIDER_JOINT SLOT SOLID SOLID_REFERENCE TRACK TRACK_WHEEL WORLD_INFO ZOOM MICROPHONE
    RADIO""",
}
"""Node types that are no devices of controllers, from the number of the first of them on."""

NUMBERS: Final[dict[str, int]] = {
    name: first + k for first, names in _OTHERS.items() for k, name in enumerate(names.split())
} | {
    name: number
    for kind in KINDS
    if kind.client is not None
    for name, number in kind.client.node_types.items()
}
"""Numbers by name, those of the R2023b headers."""
