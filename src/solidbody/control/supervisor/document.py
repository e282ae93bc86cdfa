"""The world of a running simulation as an editable document, with numbered nodes.

A change is made at once, and `is_behind` says that the simulation has to follow (`stage.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace

from solidbody.base.diagnostics import DiagnosticLog, Severity
from solidbody.base.errors import LoadError
from solidbody.base.span import SourceSpan
from solidbody.control.supervisor.errors import SupervisorError
from solidbody.control.supervisor.pending_values import DraftKey, PendingValue
from solidbody.control.supervisor.tree import (
    Tree,
    WrittenPaths,
    is_visible,
    node_key,
    paths_in,
)
from solidbody.formats.options import LoadOptions
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax, Scope
from solidbody.formats.webots.edit.changes import Change
from solidbody.formats.webots.edit.document import World, load_world
from solidbody.formats.webots.edit.paths import EditError, find_node, node_at, value_of
from solidbody.formats.webots.lower.scene import Lowered
from solidbody.formats.webots.nodes.typed import TypedNode
from solidbody.formats.webots.releases.file import modern_world
from solidbody.formats.webots.releases.release import (
    FIRST_ENU,
    FIRST_EXTERN_PROTO,
    FIRST_POSE,
    NEWEST,
)


class Document:
    """A world file that supervisors look at and change.

    Args:
        options: Where PROTOs and other files of the world come from.
        find: Returns the document when it is first asked for.
    """

    def __init__(self, options: LoadOptions, find: Callable[[], World]) -> None:
        self.options = options
        self._find = find
        self._world: World | None = None
        self.release = NEWEST
        """The release that the world's file was written for; the document is in the form of today."""
        self._tree = Tree()
        self._indexed: Lowered | None = None
        self._seen: FileSyntax | None = None
        self._links: dict[int, int] = {}
        self._paths = WrittenPaths()
        self._settled: Container[int] | None = None
        self.is_behind = False
        """Whether the simulation does not know of some changes."""
        self.loaded: FileSyntax | None = None
        """The file as it was at the start."""
        self.notes: list[str] = []
        """What the controller that asks is told beside the answer."""
        self.unreviewed: Callable[[], list[str]] | None = None
        """What is left to do for nodes that were just imported; returns what there is to say about them."""
        self.drafts: dict[DraftKey, PendingValue] = {}
        """Values that programs have set, of fields from which nothing else follows."""

    # ------------------------------------------------------------------ the file

    @property
    def is_open(self) -> bool:
        """Whether anybody has asked for it."""
        return self._world is not None

    @property
    def world(self) -> World:
        """The file and its scene; read when it is first asked for."""
        if self._world is None:
            self.take(self._find())
        assert self._world is not None
        return self._world

    def read(self, source: str, edited: Callable[[], World] | None = None) -> World:
        """Return a world file as a document in the form of today; `edited` makes what is taken for it."""
        if not source.lower().endswith(".wbt"):
            raise SupervisorError(f'"{source}" is no Webots world: it has no nodes to look at')
        try:
            world = edited() if edited else load_world(source, options=self.options)
        except LoadError as error:
            raise SupervisorError(str(error)) from error
        self.release = world.release
        self._tree.is_old = world.release < FIRST_ENU
        if world.release < FIRST_POSE:
            tree = modern_world(world.tree, source, self.options, DiagnosticLog())
            early = str(world.release) if world.release < FIRST_EXTERN_PROTO else ""
            options = replace(self.options, proto_release=early, world_release=str(world.release))
            world = World(tree, source, options=options)
        return world

    def take(self, world: World) -> None:
        """Make a file the one of the simulation, which is at its start."""
        self._world = world
        self.loaded = world.tree
        self.is_behind = False
        self._settled = None
        self.drafts.clear()

    # ------------------------------------------------------------------ nodes

    @property
    def tree(self) -> Tree:
        """The nodes as they are now."""
        self.notes += self.review()
        lowered = self.world.lowered
        if lowered is not self._indexed:
            self._tree.load(lowered, self.world.tree.header)
            self._links = {id(n): k for k, n in enumerate(lowered.nodes) if n is not None}
            self._indexed, self._seen = lowered, self.world.tree
        return self._tree

    @property
    def known(self) -> Tree:
        """The nodes as they are now; their values may be those from before some drafts were written."""
        is_same = self.unreviewed is None and self.world.tree is self._seen
        return self._tree if is_same else self.tree

    def review(self) -> list[str]:
        """Write drafts and look at imported nodes, once for all; return what there is to say about them."""
        if not self.drafts and self.unreviewed is None:
            return []
        notes = self._write_drafts()
        review, self.unreviewed = self.unreviewed, None
        try:
            return notes if review is None else notes + review()
        except SupervisorError as error:
            return [*notes, f"Error: {error}"]

    def _write_drafts(self) -> list[str]:
        """Write the values that were set; return what there is to say about them."""
        drafts, self.drafts = self.drafts, {}
        notes: list[str] = []
        for key, draft in drafts.items():
            said = [] if draft.is_written else self._write_draft(draft)
            notes += said
            if not said:  # else the world has another value
                self.drafts[key] = draft
        return notes

    def _write_draft(self, draft: PendingValue) -> list[str]:
        drafts, self.drafts = self.drafts, {}  # they stay as they are
        is_seen = self.world.tree is self._seen
        mended: list[str] = []
        try:
            self.change(lambda world: world.set(draft.path, draft.value, mended=mended))
        except SupervisorError as error:
            return [f"Error: {error}"]
        finally:
            self.drafts = drafts
            draft.is_written = True
        if is_seen:  # no node has come or gone
            self._seen = self.world.tree
        return [f"Warning: {text}" for text in mended]

    def path(self, node: TypedNode) -> str:
        """Return where a node stands in the file as written; SupervisorError if it does not."""
        if is_visible(node):
            found = self._path_of(node_key(node.syntax).span, node.syntax.scope)
            if found is not None:
                return found
        raise SupervisorError(
            f"{node.syntax.label} lies inside a PROTO: its fields can be read, not changed"
        )

    def _path_of(self, span: SourceSpan, scope: Scope | None) -> str | None:
        """Return where a node stands; a default that it belongs to is spelled out at its instance."""
        if scope is None:
            return self._paths.find(self.world.tree, span)
        instance = self._path_of(scope.instance.span, scope.outer)
        if instance is None:
            return None
        node = self._written(instance)
        for name, parameter in scope.parameters.items():
            value = value_of(node, name) or parameter.default
            path = paths_in(value, f"{instance}.{name}").get(span)
            if path is not None:
                self.spell_out(instance, name, scope)
                return path
        return None

    def spell_out(self, instance: str, name: str, scope: Scope) -> None:
        """Write the default of a parameter at an instance that does not give it, to be changed there."""
        default = scope.parameters[name].default
        if default is not None and value_of(self._written(instance), name) is None:
            self.change(lambda world: world.spell_out(instance, name, default, scope.file))

    def _written(self, path: str) -> NodeSyntax:
        tree = self.world.tree
        return node_at(tree, find_node(tree, path))

    # ------------------------------------------------------------------ changes

    def change(self, edit: Callable[[World], Change]) -> Change:
        """Make a change."""
        self.notes += self._write_drafts()
        self.drafts.clear()
        world = self.world
        if self._settled is None:
            self._settled = self.tree.numbers
        try:
            change = edit(world)
        except EditError as error:
            raise SupervisorError(str(error)) from error
        self.is_behind |= bool(change.touches)
        world.return_to(world.tree)  # nobody will undo it: do not keep what was before
        return change

    def become(self, tree: FileSyntax) -> None:
        """Be as a file was, or would be."""
        if tree is not self.world.tree:
            self.drafts.clear()
            self.world.return_to(tree)
            self.is_behind = True

    def settled(self) -> None:
        """The simulation has followed."""
        self.is_behind = False
        self._settled = None

    def is_new(self, node: TypedNode) -> bool:
        """Whether the simulation does not know a node yet: all that there is to it is in the document."""
        return self._settled is not None and self.tree.number(node) not in self._settled

    def row(self, node: TypedNode) -> int | None:
        """Return the row of a node's link in the scene; None for nodes that are no link."""
        _ = self.tree
        return self._links.get(id(node))

    def complaints(self, before: set[tuple[str, str]]) -> list[str]:
        """Return what reading the world has to say that it did not say before."""
        return [
            str(item)
            for item in self.world.diagnostics
            if item.severity is not Severity.INFO and (item.code, item.text) not in before
        ]

    def known_complaints(self) -> set[tuple[str, str]]:
        """Return what reading the world has to say."""
        return {(item.code, item.text) for item in self.world.diagnostics}
