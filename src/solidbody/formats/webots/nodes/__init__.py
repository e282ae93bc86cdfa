"""The node table: every Webots node type, its fields, and what becomes of each."""

from __future__ import annotations

from solidbody.formats.webots.nodes.joints import JOINT_ROWS
from solidbody.formats.webots.nodes.shapes import SHAPE_ROWS
from solidbody.formats.webots.nodes.solids import SOLID_ROWS
from solidbody.formats.webots.nodes.unsupported import UNSUPPORTED_ROWS
from solidbody.formats.webots.nodes.world import WORLD_ROWS
from solidbody.formats.webots.table import NodeTable

NODES = NodeTable((*WORLD_ROWS, *SOLID_ROWS, *SHAPE_ROWS, *JOINT_ROWS, *UNSUPPORTED_ROWS))
