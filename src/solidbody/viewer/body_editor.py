"""Editing of a body or project of Choreonoid on show: its YAML text, nodes and values, with undo."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from solidbody.base.diagnostics import Diagnostic, Severity
from solidbody.base.errors import SolidbodyError
from solidbody.base.span import SourceSpan
from solidbody.formats.choreonoid.keys.yaml_text import word_text
from solidbody.formats.choreonoid.keys.yaml_tree import YamlList, YamlMap, YamlNode, YamlScalar
from solidbody.formats.loading import read_scene_text
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.text_files import decoded_text
from solidbody.model.scene import Scene
from solidbody.sim.following import follow
from solidbody.viewer.body_parts import (
    ELEMENTS,
    LINKS,
    PARTS,
    fields_of,
    tables_of,
    type_of,
)
from solidbody.viewer.editor_steps import PlacedPose, place_link
from solidbody.viewer.folder_files import FileFolder
from solidbody.viewer.outline import link_nodes
from solidbody.viewer.project_items import BELOW, ITEMS, WORLD, bodies_in, body_item, holder_of
from solidbody.viewer.protocol_work import (
    CommandChoices,
    CommandClip,
    CommandCopy,
    CommandEdit,
    CommandFields,
    CommandImport,
    CommandInsert,
    CommandMove,
    CommandPaste,
    CommandRedo,
    CommandRemove,
    CommandSave,
    CommandUndo,
    DeskCommand,
    DeskEvent,
    EventChoices,
    EventClipped,
    EventEdited,
    EventFields,
    EventSaved,
    WireNode,
    WireSlot,
    WireThing,
)
from solidbody.viewer.standing_bodies import standing_text
from solidbody.viewer.yaml_editing import (
    YamlEditError,
    item_text,
    node_at,
    parsed,
    renamed,
    with_item,
    with_value,
    without_item,
)

if TYPE_CHECKING:
    from solidbody.sim import Sim

ENDINGS: Final = (".body", ".cnoid")
"""Files that can be edited like this."""

ROOT: Final = "."
"""Path of the file itself, as the page has it."""

MOST_NODES: Final = 5000
"""Mappings that are listed."""


class BodyFile:
    """A file as text: what is on show is what it describes now.

    Attributes:
        path: The file.
        options: How it is read.
        tree: Its text; another object after each change.
        scene: What it describes.
        log: What there was to say when it was read.
    """

    def __init__(self, path: str, text: str, options: LoadOptions) -> None:
        self.path, self.options = path, options
        self.tree = text
        scene, self.log = self.read(text)
        if scene is None:
            raise YamlEditError(f"{path} cannot be read")
        self.scene = scene

    def read(self, text: str) -> tuple[Scene | None, tuple[Diagnostic, ...]]:
        """Return what a text in the place of the file describes."""
        scene, log = read_scene_text(text, self.path, options=self.options)
        return scene, tuple(log)

    def text(
        self, sim: Sim | None = None, *, target: object = None, keeps_layout: bool = True
    ) -> str:
        """Return the text, as it was written; of a simulation, as its bodies stand now."""
        return self.tree if sim is None else standing_text(self, sim)


@dataclass(frozen=True, slots=True)
class _TextStep:
    """A change of the text."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class _MoveStep:
    """A body that was moved by hand."""

    path: str
    link: str
    before: PlacedPose
    after: PlacedPose


class BodyEditor:
    """Holds the text of a simulation's body or project.

    Args:
        sim: The simulation, which must have been made from the file.
        world: The file.
    """

    def __init__(self, sim: Sim, world: BodyFile) -> None:
        self.folder: FileFolder | None = None
        self._sim = sim
        self._world = world
        self._done: list[_TextStep | _MoveStep] = []
        self._undone: list[_TextStep | _MoveStep] = []
        self._clipped: tuple[str, str] | None = None

    @property
    def world(self) -> BodyFile:
        """The file."""
        return self._world

    def reopen(self) -> None:
        """The file was read again by others: read it too."""
        self._world = open_body_file(self._world.path, self._world.options)
        self._done.clear()
        self._undone.clear()

    # ------------------------------------------------------------------ the tree

    @property
    def _root(self) -> YamlMap:
        return parsed(self._world.tree, self._world.path)

    @property
    def _is_project(self) -> bool:
        return self._world.path.lower().endswith(".cnoid")

    def nodes(self) -> list[WireNode]:
        """Return the mappings of the file, each after the one that holds it; after a project's the links."""
        links = {
            (link.span.line, link.span.column): row
            for row, link in reversed(list(enumerate(self._sim.scene.links())))
            if link.span.file == self._world.path
        }
        root = self._root
        found = [WireNode(_title(root, self._world.path), _kind(root, ""), ROOT, None, None)]
        stack = [(node, path, 0) for path, node in reversed(list(_inner(root, "")))]
        while stack and len(found) < MOST_NODES:
            node, path, parent = stack.pop()
            row = len(found)
            link = links.get((node.span.line, node.span.column))
            found.append(WireNode(_title(node, path), _kind(node, path), path, parent, link))
            stack += [(inner, way, row) for way, inner in reversed(list(_inner(node, path)))]
        if self._is_project:  # they stand in files of bodies
            below = len(found)
            found += [
                replace(node, parent=None if node.parent is None else node.parent + below)
                for node in link_nodes(self._sim.scene)
            ]
        return found

    def path_at(self, span: SourceSpan) -> str | None:
        """Return the path of the innermost mapping around a place; None = there is none."""
        if span.file != self._world.path:
            return None
        path, node = "", self._root
        while True:
            inner = next(
                ((way, item) for way, item in _inner(node, path) if _holds(item, span)), None
            )
            if inner is None:
                return path or ROOT
            path, node = inner

    # ------------------------------------------------------------------ commands

    def obey(self, command: DeskCommand) -> list[DeskEvent]:
        """Carry out a command; return what to tell the page."""
        try:
            match command:
                case CommandFields(path):
                    return [self._fields(path)]
                case CommandEdit(path, value):
                    return [self._edit(_plain(path), value)]
                case CommandChoices(path):
                    return [self._choices(path)]
                case CommandInsert(path, what):
                    return [self._insert(_plain(path), what)]
                case CommandRemove(path):
                    title = self._title(path)
                    text = without_item(self._world.tree, _plain(path), self._world.path)
                    return [self._change(text, title, f"{title} was removed.")]
                case CommandCopy(path):
                    return [self._copy(_plain(path))]
                case CommandClip(path):
                    text = item_text(self._world.tree, _plain(path), self._world.path)
                    self._clipped = (_plain(path).rpartition(".")[0], text)
                    return [EventClipped(self._title(path), text)]
                case CommandPaste(text):
                    return [self._paste(text)]
                case CommandUndo():
                    return [self._undo()]
                case CommandRedo():
                    return [self._redo()]
                case CommandSave(ticket):
                    name = os.path.basename(self._world.path)
                    return [EventSaved(ticket, name, self._world.tree)]
                case CommandMove():
                    raise YamlEditError("The order of a body file is changed in its text.")
                case CommandImport(name, at):
                    return [self._import(name, at)]
        except (SolidbodyError, ValueError) as error:
            return [self._event(str(error), is_error=True)]

    def note_move(self, link: str, before: PlacedPose, after: PlacedPose) -> EventEdited:
        """A body was moved by hand: let that be undone."""
        name = link.rpartition("/")[2] or link
        self._done.append(_MoveStep(name, link, before, after))
        self._undone.clear()
        return self._event(f"{name} was moved.")

    @property
    def next_steps(self) -> tuple[str, str]:
        """What can be undone and what can be done again; empty = nothing."""
        undo = self._done[-1].path if self._done else ""
        return undo, self._undone[-1].path if self._undone else ""

    # ------------------------------------------------------------------ what is asked

    def _fields(self, path: str) -> EventFields:
        root = self._root
        node = node_at(root, _plain(path))
        if not isinstance(node, YamlMap):
            raise YamlEditError(f"there are no values at {path}")
        tables = tables_of(root, _plain(path), is_project=self._is_project)
        title = f"{_title(node, path)} {_kind(node, path)}"
        return EventFields(path, title, list(fields_of(self._world.tree, node, tables)))

    def _choices(self, path: str) -> EventChoices:
        plain = _plain(path)
        slots: list[WireSlot] = []
        if self._is_project:
            return self._item_choices(path, plain)
        if not plain:
            slots = [WireSlot("links", False, list(LINKS), [], [])]
        elif isinstance(node_at(self._root, plain), YamlMap):
            slots = [WireSlot("elements", False, list(ELEMENTS), [], [])]
        things = [WireThing(name, "Ready to use", part.what) for name, part in PARTS.items()]
        return EventChoices(path, self._title(path), slots, things, [])

    def _item_choices(self, path: str, plain: str) -> EventChoices:
        """Return the items of a project that can stand below one."""
        found = holder_of(self._root, plain)
        if found is None:
            return EventChoices(path, self._title(path), [], [], [])
        holder = type_of(found[1])
        ready = BELOW[holder]
        things = [WireThing(name, "Ready to use", ITEMS[name].what) for name in ready]
        models = bodies_in(self.folder) if holder == WORLD else []
        slot = WireSlot("children", False, list(ready), [], [])
        return EventChoices(path, _title(found[1], found[0]), [slot], things, models)

    def _title(self, path: str) -> str:
        plain = _plain(path)
        return _title(node_at(self._root, plain), plain or self._world.path)

    # ------------------------------------------------------------------ what is changed

    def _edit(self, path: str, value: str) -> EventEdited:
        holder, _, key = path.rpartition(".")
        title = f"{self._title(holder)} › {key}"
        text = with_value(self._world.tree, path, value, self._world.path)
        return self._change(text, title, f"{title} was changed.")

    def _insert_item(self, path: str, what: str) -> EventEdited:
        """Put an item into a project."""
        found = holder_of(self._root, path)
        part = ITEMS.get(what)
        if part is None or found is None or what not in BELOW[type_of(found[1])]:
            raise YamlEditError(f'there is nothing called "{what[:60]}" that fits here')
        name = _free("".join(word.capitalize() for word in what.split()), set(_names(self._root)))
        name = name.replace("Aist", "AIST").replace("Ode", "ODE")
        return self._add_item(found[0], part.text.replace("{name}", name), what)

    def _import(self, name: str, at: tuple[float, float, float]) -> EventEdited:
        """Put a body of the folder into a project."""
        if not self._is_project:
            raise YamlEditError("No files can be taken into a body.")
        if self.folder is None or name not in bodies_in(self.folder):
            raise YamlEditError(f'there is no body "{name[:80]}" in the folder')
        file = self.folder.file(name)
        found = holder_of(self._root, "")
        if found is None or type_of(found[1]) != WORLD:
            raise YamlEditError("bodies belong into a world, and this project has none")
        free = _free(file.stem, set(_names(self._root)))
        text = body_item(free, file, Path(self._world.path), at)
        return self._add_item(found[0], text, free)

    def _add_item(self, holder: str, text: str, title: str) -> EventEdited:
        target = f"{holder}.children"
        new = with_item(self._world.tree, target, text, self._world.path)
        items = node_at(parsed(new, self._world.path), target)
        last = len(items.items) - 1 if isinstance(items, YamlList) else 0
        return self._change(new, title, f"{title} was added.", f"{target}.{last}")

    def _insert(self, path: str, what: str) -> EventEdited:
        if self._is_project:
            return self._insert_item(path, what)
        part = PARTS.get(what)
        if part is None:
            raise YamlEditError(f'there is nothing called "{what[:60]}" that fits into a body')
        wanted = "links" if what in LINKS else "elements"
        target = path or wanted
        if target.rpartition(".")[2] != wanted:
            raise YamlEditError(f"{what} belongs into {wanted}")
        names = set(_names(self._root))
        name = _free(what.replace(" ", "_").upper(), names)
        text = part.text.replace("{name}", name)
        if "{parent}" in text:
            text = text.replace("{parent}", word_text(self._first_link()))
        new = with_item(self._world.tree, target, text, self._world.path)
        found = node_at(parsed(new, self._world.path), target)
        count = len(found.items) if isinstance(found, YamlList) else 1
        return self._change(new, what, f"{what} was added.", f"{target}.{count - 1}")

    def _first_link(self) -> str:
        links = self._root.get("links")
        first = links.items[0] if isinstance(links, YamlList) and links.items else None
        name = first.get("name") if isinstance(first, YamlMap) else None
        if not isinstance(name, YamlScalar):
            raise YamlEditError("the first link has no name that others could hang on")
        return name.text

    def _copy(self, path: str) -> EventEdited:
        text = item_text(self._world.tree, path, self._world.path)
        return self._append(path.rpartition(".")[0], text, self._title(path), "copied")

    def _paste(self, text: str) -> EventEdited:
        if self._clipped is None or text.strip():
            raise YamlEditError("Nothing was copied here that could be pasted.")
        path, item = self._clipped
        return self._append(path, item, "what was copied", "pasted")

    def _append(self, path: str, item: str, title: str, how: str) -> EventEdited:
        """Put a copy of an item at the end of its list, with a free name."""
        node = parsed(item, self._world.path)
        name = node.get("name")
        if isinstance(name, YamlScalar):
            item = renamed(item, _free(name.text, set(_names(self._root))))
        new = with_item(self._world.tree, path, item, self._world.path)
        found = node_at(parsed(new, self._world.path), path)
        count = len(found.items) if isinstance(found, YamlList) else 1
        return self._change(new, title, f"{title} was {how}.", f"{path}.{count - 1}")

    def _change(self, text: str, title: str, said: str, path: str = "") -> EventEdited:
        before = self._world.tree
        remark = self._set(text)
        self._done.append(_TextStep(title, before, text))
        self._undone.clear()
        return self._event(f"{said} {remark}".rstrip(), path=path)

    def _set(self, text: str) -> str:
        """Take another text, and let the simulation follow; return what there is to say about it.

        Raises:
            SolidbodyError: The text is wrong; nothing has changed.
        """
        shown = [link.path for link in self._sim.scene.links()]
        if shown != [link.path for link in self._world.scene.links()]:
            raise YamlEditError(
                "The simulation has bodies that are not in the file: edit that in its text."
            )
        known = {item.text for item in self._world.log}
        scene, log = self._world.read(text)
        news = [
            item for item in log if item.text not in known and item.severity is not Severity.INFO
        ]
        wrong = next((item for item in news if item.severity is Severity.ERROR), None)
        if scene is None or wrong is not None:
            raise YamlEditError(wrong.text if wrong else "the file could not be read any more")
        starts = {link.path: link.pose for link in self._world.scene.links() if link.parent is None}
        found = follow(self._sim, scene)
        for link in scene.links():  # what was put somewhere goes there
            start = starts.get(link.path)
            if link.parent is None and start is not None and start != link.pose:
                place_link(self._sim, link.path, (link.pose.position, link.pose.rotation))
        for hook in self._sim.step_hooks:
            rebind = getattr(hook, "rebind", None)
            if rebind is not None:  # robots and devices are found again
                rebind(found)
        self._world.tree, self._world.scene, self._world.log = text, scene, log
        return " ".join(item.text for item in news)

    def _undo(self) -> EventEdited:
        if not self._done:
            raise YamlEditError("There is nothing to undo.")
        step = self._done[-1]
        if isinstance(step, _TextStep):
            self._set(step.before)
        else:
            place_link(self._sim, step.link, step.before)
        self._undone.append(self._done.pop())
        return self._event(f"The change of {step.path} was undone.")

    def _redo(self) -> EventEdited:
        if not self._undone:
            raise YamlEditError("There is nothing to do again.")
        step = self._undone[-1]
        if isinstance(step, _TextStep):
            self._set(step.after)
        else:
            place_link(self._sim, step.link, step.after)
        self._done.append(self._undone.pop())
        return self._event(f"{step.path} was changed again.")

    def _event(self, text: str, *, is_error: bool = False, path: str = "") -> EventEdited:
        return EventEdited(text, is_error, *self.next_steps, path)


def open_body_file(path: str, options: LoadOptions = DEFAULT_OPTIONS) -> BodyFile:
    """Read a body or a project as a text to be edited. Raises SolidbodyError or OSError."""
    with open(path, "rb") as file:
        text, _ = decoded_text(file.read())
    parsed(text, path)
    return BodyFile(path, text, options)


def open_body_editor(sim: Sim, options: LoadOptions = DEFAULT_OPTIONS) -> BodyEditor | None:
    """Return an editor for the file of a simulation; None if it is no body, or not this one alone."""
    source = sim.scene.source
    if not source.lower().endswith(ENDINGS) or not os.path.isfile(source):
        return None
    try:
        file = open_body_file(source, options)
    except (SolidbodyError, OSError, UnicodeError):
        return None
    shown = [link.path for link in sim.scene.links()]
    return BodyEditor(sim, file) if shown == [link.path for link in file.scene.links()] else None


# --------------------------------------------------------------------------- mappings


def _plain(path: str) -> str:
    """Return a path without what stands for the file itself."""
    return path.strip(ROOT)


def _inner(node: YamlMap, path: str) -> Iterator[tuple[str, YamlMap]]:
    """Yield the mappings below one, with their paths; those that come by aliases stand elsewhere."""
    for key, value in node.pairs:
        way = f"{path}.{key.text}".lstrip(".")
        if isinstance(value, YamlMap) and value.span.line >= node.span.line:
            yield way, value
        elif isinstance(value, YamlList):
            for number, item in enumerate(value.items):
                if isinstance(item, YamlMap):
                    yield f"{way}.{number}", item


def _title(node: YamlNode, path: str) -> str:
    name = node.get("name") if isinstance(node, YamlMap) else None
    if isinstance(name, YamlScalar) and name.text:
        return name.text
    last = next((part for part in reversed(path.split(".")) if part and not part.isdecimal()), "")
    return type_of(node) or os.path.basename(last)


def _kind(node: YamlMap, path: str) -> str:
    joint = node.get("joint_type")
    if path.split(".")[0] == "links" and path.count(".") == 1:
        return f"Link on {joint.text}" if isinstance(joint, YamlScalar) else "Link"
    if not path:
        found = node.get("format")
        return found.text if isinstance(found, YamlScalar) else "File"
    last = next((part for part in reversed(path.split(".")) if not part.isdecimal()), "")
    return type_of(node) or last


def _names(root: YamlMap) -> Iterator[str]:
    stack: list[YamlMap] = [root]
    while stack:
        node = stack.pop()
        name = node.get("name")
        if isinstance(name, YamlScalar):
            yield name.text
        stack += [inner for _, inner in _inner(node, "")]


def _free(name: str, taken: set[str]) -> str:
    number = 1
    free = name
    while free in taken:
        free = f"{name}_{number}"
        number += 1
    return free


def _holds(node: YamlMap, span: SourceSpan) -> bool:
    place = (span.line, span.column)
    return (node.span.line, node.span.column) <= place <= (node.span.end_line, node.span.end_column)
