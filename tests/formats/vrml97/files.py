"""VRML97 texts, read without a disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.formats.assets import AssetError
from solidbody.formats.geometry.trees import TreeNode, TreePart
from solidbody.formats.vrml97.scene import read_vrml97_text

HEADER = "#VRML V2.0 utf8\n"


class TextFiles:
    """Files by name, all in one folder."""

    def __init__(self, texts: Mapping[str, str], log: DiagnosticLog) -> None:
        self.texts = texts
        self.log = log

    def find(self, url: str, base: str) -> Path:
        if url not in self.texts:
            raise AssetError(url, "there is no such file")
        return Path(url)

    def address(self, url: str, base: str) -> str:
        return f"{base}/{url}"

    def tree(self, path: Path) -> TreeNode | None:
        return read_vrml97_text(self.texts[str(path)], str(path), self, self.log)


def read(text: str, others: Mapping[str, str] | None = None) -> tuple[TreeNode, DiagnosticLog]:
    """Return the tree of a text behind the header, and what was said about it."""
    log = DiagnosticLog()
    tree = read_vrml97_text(HEADER + text, "part.wrl", TextFiles(others or {}, log), log)
    assert tree is not None, [str(item) for item in log]
    return tree, log


def read_clean(text: str) -> TreeNode:
    """Return the tree of a text about which there is nothing to say."""
    tree, log = read(text)
    assert [str(item) for item in log] == []
    return tree


def parts_of(tree: TreeNode) -> list[TreePart]:
    """Return all parts in the order of the file."""
    return [part for part, _, _ in tree.placed_parts()]


def only_part(text: str) -> TreePart:
    """Return the only part of a text about which there is nothing to say."""
    (part,) = parts_of(read_clean(text))
    return part
