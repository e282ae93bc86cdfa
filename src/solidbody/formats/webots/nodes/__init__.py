"""The node table: every Webots node type, its fields, and what becomes of each."""

from __future__ import annotations

from solidbody.formats.webots.nodes.actuators import ACTUATOR_ROWS
from solidbody.formats.webots.nodes.deprecated import DEPRECATED_ROWS
from solidbody.formats.webots.nodes.fluids import FLUID_ROWS
from solidbody.formats.webots.nodes.geometries import GEOMETRY_ROWS
from solidbody.formats.webots.nodes.joints import JOINT_ROWS
from solidbody.formats.webots.nodes.mechanisms import MECHANISM_ROWS
from solidbody.formats.webots.nodes.sensors import SENSOR_ROWS
from solidbody.formats.webots.nodes.shapes import SHAPE_ROWS
from solidbody.formats.webots.nodes.solids import SOLID_ROWS
from solidbody.formats.webots.nodes.unsupported import UNSUPPORTED_ROWS
from solidbody.formats.webots.nodes.vision import VISION_ROWS
from solidbody.formats.webots.nodes.world import WORLD_ROWS
from solidbody.formats.webots.table import NodeTable

NODES = NodeTable(
    (
        *WORLD_ROWS,
        *SOLID_ROWS,
        *SHAPE_ROWS,
        *GEOMETRY_ROWS,
        *JOINT_ROWS,
        *MECHANISM_ROWS,
        *FLUID_ROWS,
        *SENSOR_ROWS,
        *VISION_ROWS,
        *ACTUATOR_ROWS,
        *DEPRECATED_ROWS,
        *UNSUPPORTED_ROWS,
    )
)
