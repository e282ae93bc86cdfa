"""PROTO instances of a document that is read again and again, as long as none of them changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.formats.assets import AssetFinder
from solidbody.formats.options import LoadOptions
from solidbody.formats.vrml.field_types import items_of
from solidbody.formats.vrml.syntax import FileSyntax, ItemSyntax, NodeSyntax
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.library import GONE, expand_world
from solidbody.formats.webots.release import NEWEST, parse_release


class KeptInstances:
    """The top nodes of one document that hold PROTO instances, as they were expanded last.

    A supervisor that paints a shape in each step has the world read anew as often; that took twice as long
    while roads and robots beside it were expanded as well.
    """

    def __init__(self) -> None:
        self._written: tuple[NodeSyntax, ...] = ()
        self._declared: tuple[object, ...] = ()
        self._expanded: dict[int, NodeSyntax | None] = {}
        self._said: tuple[Diagnostic, ...] = ()
        self._finder: AssetFinder | None = None

    def expand(
        self, tree: FileSyntax, source: str, options: LoadOptions, log: DiagnosticLog
    ) -> tuple[FileSyntax, AssetFinder]:
        """Return a file without PROTO instances, and the finder that knows where their files came from.

        Args:
            tree: The file.
            source: Its name; urls are relative to it.
            options: Where PROTOs come from.
            log: Takes all messages.
        """
        written = tuple(node for node in tree.nodes if _holds_instances(node))
        declared = (tree.header, tree.externs, tree.protos)
        if (
            self._finder is None
            or declared != self._declared
            or not _are_same(written, self._written)
        ):
            self._expand_all(tree, source, options)
            self._written, self._declared = written, declared
        assert self._finder is not None
        log.extend(self._said)
        tops = (self._expanded.get(id(node), node) for node in tree.nodes)
        return replace(tree, nodes=tuple(node for node in tops if node is not None)), self._finder

    def _expand_all(self, tree: FileSyntax, source: str, options: LoadOptions) -> None:
        log = DiagnosticLog()
        self._finder = AssetFinder(source, options)
        release = parse_release(tree.header) or NEWEST
        result = expand_world(tree, source, release, options, log, finder=self._finder)
        self._expanded = {
            id(node): top
            for node, top in zip(tree.nodes, result.tops, strict=True)
            if top is not node
        }
        self._said = tuple(log)


def _are_same(some: tuple[NodeSyntax, ...], others: tuple[NodeSyntax, ...]) -> bool:
    return len(some) == len(others) and all(a is b for a, b in zip(some, others, strict=True))


def _holds_instances(top: NodeSyntax) -> bool:
    """Whether a node or one below it is, or may be, an instance of a PROTO."""
    stack: list[Iterable[ItemSyntax]] = [(top,)]
    while stack:
        for item in stack.pop():
            if isinstance(item, NodeSyntax):
                if NODES.find(item.type_name) is None or item.type_name in GONE:
                    return True
                stack.extend(items_of(part.value) for part in item.fields)
    return False
