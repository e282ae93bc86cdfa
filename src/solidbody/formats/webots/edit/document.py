"""A world file as a document: what is written in it, the scene it gives, edits, and saving.

world = load_world("arena.wbt")
world.set("ROBOT.translation", (0, 0, 1))
sim = Sim(world.scene)
sim.run(2.0)
world.save("later.wbt", sim=sim)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from solidbody.base.diagnostics import Diagnostic, DiagnosticLog
from solidbody.base.errors import LoadError
from solidbody.base.limits import MAX_FILE_BYTES
from solidbody.base.output_files import write_whole
from solidbody.formats.loading import CachedReading, lower_world
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml.parser import parse_text
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax, ValueSyntax
from solidbody.formats.webots.edit.changes import Change, Editor
from solidbody.formats.webots.edit.values import FieldValue
from solidbody.formats.webots.lower.scene import Lowered
from solidbody.formats.webots.protos.library import parameter_types
from solidbody.formats.webots.releases.file import modern_world
from solidbody.formats.webots.releases.release import FIRST_POSE, NEWEST, Release, parse_release
from solidbody.formats.webots.releases.turns import mapped_nodes, with_numbers
from solidbody.formats.webots.write.in_place import text_in_place
from solidbody.formats.webots.write.rates import accelerations_remark, read_accelerations
from solidbody.formats.webots.write.state import Edit, RunningSim, StateEdits, state_edits
from solidbody.formats.webots.write.text import file_text
from solidbody.formats.webots.write.urls import declarations_for, with_moved_urls
from solidbody.model.scene import Scene


class World:
    """A world file that can be looked at, changed, simulated and saved.

    The file is kept as it is written: release, declarations, DEF and USE, PROTO instances, order of
    fields. Comments are not kept (Webots drops them as well), unless it is asked for (`keeps_layout`).
    """

    def __init__(
        self,
        tree: FileSyntax,
        path: str,
        syntax: Sequence[Diagnostic] = (),
        options: LoadOptions = DEFAULT_OPTIONS,
        kept: CachedReading | None = None,
        source: str | None = None,
    ) -> None:
        """Make a document of a syntax tree.

        Args:
            tree: The tree.
            path: Its file; urls are relative to it.
            syntax: What parsing had to say.
            options: Where PROTOs and other files come from.
            kept: What is kept of earlier documents of the same file, of which only what differs is read.
            source: The text that the tree was read from, to keep its layout; None = it is not known.
        """
        self.path = path
        self.options = options
        self._syntax = tuple(syntax)
        self._editor = Editor(tree, self._forget)
        self._kept = kept or CachedReading()
        self._original = None if source is None else (source, tree)
        self._lowered: Lowered | None = None
        self._accelerations: tuple[float, ...] = ()
        self._diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def tree(self) -> FileSyntax:
        """The file as it is written now."""
        return self._editor.tree

    @property
    def release(self) -> Release:
        """The release that the file was written for."""
        return parse_release(self.tree.header) or NEWEST

    @property
    def scene(self) -> Scene:
        """What the file describes, with all changes made so far."""
        return self._built().scene

    @property
    def lowered(self) -> Lowered:
        """The scene with the nodes that it comes from; another object after each change."""
        return self._built()

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What reading had to say."""
        self._built()
        return self._diagnostics

    # changes

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes in force, oldest first."""
        return tuple(self._editor.changes)

    def get(self, path: str) -> FieldValue:
        """Return the value of a field or the node that a path names, such as `ROBOT.translation`."""
        return self._editor.get(path)

    def set(
        self,
        path: str,
        value: Any,
        *,
        type_name: str | None = None,
        mended: list[str] | None = None,
    ) -> Change:
        """Set a field. Raises EditError, and changes nothing, if it cannot take the value.

        `type_name` is the type of a PROTO parameter; None = as the value looks. With a list `mended`, which
        takes what is wrong, a value out of range is set as a reader would take it.
        """
        return self._editor.set(path, value, type_name=type_name, mended=mended)

    def insert(
        self,
        path: str,
        text: str,
        index: int | None = None,
        *,
        type_name: str | None = None,
        protos: tuple[str, ...] = (),
    ) -> Change:
        """Insert nodes, given as text, in a field (in the file, for an empty path).

        `protos` are urls of PROTOs that they need; those that the file does not declare are declared.
        """
        return self._editor.insert(path, text, index, type_name=type_name, protos=protos)

    def spell_out(self, path: str, name: str, default: ValueSyntax, file: str) -> Change:
        """Write the default of a parameter of the PROTO in `file` at an instance, which stays what it is."""
        protos = declarations_for(default, file, self.path)
        return self._editor.spell_out(path, name, default, protos)

    def remove(self, path: str) -> Change:
        """Remove a node."""
        return self._editor.remove(path)

    def move(
        self, path: str, to: str, index: int | None = None, *, type_name: str | None = None
    ) -> Change:
        """Move a node into a field (to the top of the file, for an empty one), before its item `index`."""
        return self._editor.move(path, to, index, type_name=type_name)

    def return_to(self, tree: FileSyntax) -> None:
        """Make `tree` (an earlier value of the property) the present one; changes cannot be undone then."""
        self._editor.return_to(tree)

    # saving

    def text(
        self,
        *,
        sim: RunningSim | None = None,
        target: str | os.PathLike[str] | None = None,
        keeps_layout: bool = False,
    ) -> str:
        """Return the file as text: default values left out, nothing expanded.

        Args:
            target: The file it is for: relative urls are rewritten if its folder is another one.
            keeps_layout: Whether comments and the layout of what was not changed are kept.
            sim: A simulation of `scene`: its poses, joint positions and velocities are written. A
                world of a release before R2023b is then written in the form of today.
        """
        if sim is None:
            return self._written(self.tree, target, keeps_layout=keeps_layout)
        if sim.scene is not self.scene:
            raise ValueError("the simulation is not one of this world's scene")
        tree = self.tree
        if self.release < FIRST_POSE:
            tree = modern_world(tree, self.path, self.options, DiagnosticLog())
        tree = _with_state(tree, state_edits(sim, self._built().nodes, tree))
        return self._written(tree, target, keeps_layout=keeps_layout) + accelerations_remark(sim)

    def save(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        sim: RunningSim | None = None,
        keeps_layout: bool = False,
    ) -> None:
        """Write the world to a file (its own, without `path`), all or nothing.

        Args:
            path: Where to write.
            sim: As in `text`.
            keeps_layout: As in `text`.

        Raises:
            OSError: It cannot be written; the old file is as it was.
        """
        text = self.text(sim=sim, target=path, keeps_layout=keeps_layout)
        write_whole(Path(self.path if path is None else path), text.encode("utf-8"))

    def modern_text(
        self, log: DiagnosticLog, *, target: str | os.PathLike[str] | None = None
    ) -> str:
        """Return the file in the form of the newest release; `log` takes what must be done by hand."""
        return self._written(modern_world(self.tree, self.path, self.options, log), target)

    # inside

    def _written(
        self,
        tree: FileSyntax,
        target: str | os.PathLike[str] | None,
        *,
        keeps_layout: bool = False,
    ) -> str:
        types = parameter_types(tree, self.path, self.options)
        tree = with_moved_urls(tree, self.path, os.fspath(self.path if target is None else target))
        if keeps_layout and self._original is not None:
            found = text_in_place(*self._original, tree, types=types)
            if found is not None:
                return found
        return file_text(tree, types=types)

    def _forget(self) -> None:
        self._lowered = None

    def keep_accelerations(self, values: tuple[float, ...]) -> None:
        """Take the accelerations that the file keeps of the step before it was saved."""
        self._accelerations = values

    def _built(self) -> Lowered:
        if self._lowered is None:
            log = DiagnosticLog(list(self._syntax))
            lowered = lower_world(self.tree, self.path, self.options, log, self._kept)
            # what is changed does not go on as it was
            if self._accelerations and not self._editor.changes:
                scene = replace(lowered.scene, start_accelerations=self._accelerations)
                lowered = replace(lowered, scene=scene)
            self._lowered = lowered
            self._diagnostics = tuple(log)
        return self._lowered


def load_world(path: str | os.PathLike[str], *, options: LoadOptions = DEFAULT_OPTIONS) -> World:
    """Return a world file as a document.

    Args:
        path: The file.
        options: Where PROTOs and other files come from.

    Raises:
        LoadError: The file cannot be read, or it is not a world file.
    """
    log = DiagnosticLog()
    name = os.fspath(path)
    text = read_text(name, log, max_bytes=MAX_FILE_BYTES)
    tree = None if text is None else parse_text(text, name, log)
    if tree is None:
        raise LoadError(name, log.items)
    world = World(tree, name, log.items, options, source=text)
    world.keep_accelerations(read_accelerations(text or ""))
    return world


def _with_state(tree: FileSyntax, edits: StateEdits) -> FileSyntax:
    """Return the tree with the numbers of `edits` in the nodes they belong to."""
    nodes = tuple(_edited(node, edits) for node in tree.nodes)
    return replace(tree, nodes=nodes)


def _edited(top: NodeSyntax, edits: StateEdits) -> NodeSyntax:
    """Return a top node with edits applied."""

    def change(node: NodeSyntax) -> NodeSyntax:
        values = edits.get(node.span)
        return _edited_node(node, values) if values else node

    return mapped_nodes(top, change)


def _edited_node(node: NodeSyntax, values: dict[str, Edit]) -> NodeSyntax:
    for name, edit in reversed(values.items()):
        first = edit.is_hidden or name in ("translation", "rotation")
        node = with_numbers(node, name, edit.values, first=first)
        if edit.is_hidden:
            fields = tuple(
                replace(part, is_hidden=True) if part.name == name else part for part in node.fields
            )
            node = replace(node, fields=fields)
    return node
