"""What tests of editing ask of an editor."""

from __future__ import annotations

from solidbody.viewer.world_editor import WorldEditor


def path_of(editor: WorldEditor, title: str) -> str:
    return next(node.path for node in editor.nodes() if node.title == title)
