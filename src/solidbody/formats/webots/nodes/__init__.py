"""The node table: every Webots node type, its fields, and what becomes of each."""

from __future__ import annotations

from pathlib import Path

from solidbody.formats.webots.nodes.table import NodeTable, read_rows

NODES = NodeTable(read_rows(Path(__file__).with_name("nodes.txt").read_text(encoding="utf-8")))
