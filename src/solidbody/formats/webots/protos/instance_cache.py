"""Cache of expanded PROTO instances: after an edit only the instances that changed are expanded again."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.base.limits import BudgetError, Cost, load_budget
from solidbody.formats.assets import AssetFinder
from solidbody.formats.options import LoadOptions
from solidbody.formats.vrml.expansion import Expander
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax
from solidbody.formats.webots.protos.library import WorldProtos
from solidbody.formats.webots.protos.once_said import Event
from solidbody.formats.webots.releases.release import NEWEST, parse_release

_SAID_EACH_TIME: Final = frozenset(
    {
        "unknown-field",
        "repeated-field",
        "deprecated-field",
        "bad-value",
        "wrong-node",
        "shared-node",
        "missing-proto",
        "unknown-hidden",
        "non-finite",
        "hidden-of-original",
        "hidden-mismatch",
    }
)
"""What is said of each instance, but for what `OnceSaid` keeps count of."""


@dataclass(frozen=True, slots=True)
class _Expanded:
    """A top node and what became of it.

    Attributes:
        written: The node.
        node: What it is with its instances expanded; None = nothing is left.
        said: Messages.
        told: What it was the first to hear of what is said once.
        heard: What of that it came by.
        spent: Nodes that came out.
        evaluations: How many templates had been evaluated before.
        is_odd: Whether something was said of which nobody knows whether others would be told.
    """

    written: NodeSyntax
    node: NodeSyntax | None
    said: tuple[Diagnostic, ...]
    told: frozenset[Event]
    heard: frozenset[Event]
    spent: int
    evaluations: int
    is_odd: bool


class InstanceCache:
    """The top nodes of one document as they were expanded last.

    A supervisor that gives a house another colour in each step has that house expanded as often, not the
    town. The process of templates stays at hand once a template was asked for a second time.
    """

    def __init__(self) -> None:
        self._declaring: FileSyntax | None = None
        self._tops: dict[int, _Expanded] = {}
        self._said: tuple[Diagnostic, ...] = ()
        self._log = DiagnosticLog()
        self._finder: AssetFinder | None = None
        self._library: WorldProtos | None = None
        self._expander: Expander | None = None
        self._closing: weakref.finalize[..., InstanceCache] | None = None

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
        is_declared = self._declares(tree)
        self._declaring = None  # should anything go wrong, all are expanded next time
        if not is_declared or not self._update(tree):
            self._expand_all(tree, source, options)
        self._declaring = replace(tree, nodes=())
        assert self._finder is not None
        kept = [self._tops[id(node)] for node in tree.nodes]
        log.extend(self._said)
        log.extend(item for top in kept if top.said for item in top.said)
        nodes = tuple(top.node for top in kept if top.node is not None)
        return replace(tree, nodes=nodes), self._finder

    def _declares(self, tree: FileSyntax) -> bool:
        """Whether a file declares the same PROTOs as before, or more of which nobody has known.

        Worlds of before R2022b declare nothing; an import into one brings the declarations that it needs.
        """
        before = self._declaring
        if before is None or (tree.header, tree.protos) != (before.header, before.protos):
            return False
        assert self._library is not None
        return tree.externs == before.externs or self._library.declare(tree.externs)

    def _expand_all(self, tree: FileSyntax, source: str, options: LoadOptions) -> None:
        if self._closing is not None:
            self._closing()
        self._log = DiagnosticLog()
        self._finder = AssetFinder(source, options)
        release = parse_release(tree.header) or NEWEST
        self._library = WorldProtos(tree, source, release, options, self._finder, self._log)
        self._closing = weakref.finalize(self, self._library.close)
        self._expander = Expander(self._library, self._log)
        self._said = tuple(self._log)
        try:
            self._tops = {id(node): self._expanded(node) for node in tree.nodes}
        finally:
            self._library.close()  # it comes back when it is needed

    def _update(self, tree: FileSyntax) -> bool:
        """Expand the top nodes that are new; return whether the others stay as they would be by that."""
        new = [node for node in tree.nodes if id(node) not in self._tops]
        present = {id(node) for node in tree.nodes}
        gone = [top for key, top in self._tops.items() if key not in present]
        if not new and not gone:
            return True
        assert self._library is not None and self._expander is not None
        if self._expander.is_exhausted or any(top.is_odd for top in gone):
            return False
        tops = {key: top for key, top in self._tops.items() if key in present}
        try:
            load_budget().spend(Cost.PROTO_NODES, sum(top.spent for top in tops.values()))
        except BudgetError:
            return False
        silent = frozenset[Event]().union(*(top.told for top in gone))
        self._expander.budget = load_budget()
        count = gone[0].evaluations if len(gone) == len(new) == 1 else self._library.evaluations
        self._library.go_on(count, silent)
        for node in new:
            tops[id(node)] = top = self._expanded(node)
            silent -= top.told
        self._tops = tops
        # of a template others are told as soon as they have the same values
        lost = any(event[0] != "template" for event in silent)
        in_order = _first_is_told(self._tops[id(node)] for node in tree.nodes)
        return in_order and not lost and not self._expander.is_exhausted

    def _expanded(self, node: NodeSyntax) -> _Expanded:
        library, expander = self._library, self._expander
        assert library is not None and expander is not None
        self._log.items.clear()
        library.once.begin()
        evaluations, spent = library.evaluations, expander.spent
        found = expander.top(library.with_modern_size(node))
        once = set(map(id, library.once.messages))
        others = {item.code for item in self._log if id(item) not in once}
        return _Expanded(
            node,
            found,
            tuple(self._log),
            frozenset(library.once.told),
            frozenset(library.once.heard),
            expander.spent - spent,
            evaluations,
            not others <= _SAID_EACH_TIME,
        )


def _first_is_told(tops: Iterable[_Expanded]) -> bool:
    """Whether what is said once was said to the first who came by it, in the order of the file."""
    known: set[Event] = set()
    for top in tops:
        if not top.heard - known <= top.told:
            return False
        known |= top.heard
    return True
