"""Reads project files (`.cnoid`) into scenes: the world, its bodies, one simulator, materials, controllers.

A project is a tree of items. Those that take part in a simulation are read: the world, the bodies below it,
one simulator, material tables, a vision simulator, controllers (by name). The program's windows are not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from solidbody.base.diagnostics import DiagnosticLog
from solidbody.base.limits import (
    MAX_FILE_BYTES,
    MAX_SUB_PROJECTS,
    BudgetError,
    Cost,
    load_budget,
)
from solidbody.formats.assets import AssetError
from solidbody.formats.choreonoid.body.lower import read_body
from solidbody.formats.choreonoid.body.resources import NAMED_AGAIN, Resources
from solidbody.formats.choreonoid.body.standin_bodies import body_of_meshes, own_body
from solidbody.formats.choreonoid.keys.access import BodyFileReading, Keys
from solidbody.formats.choreonoid.keys.bodies import material_name
from solidbody.formats.choreonoid.keys.items import Item
from solidbody.formats.choreonoid.keys.projects import (
    AISTSimulatorItemKeys,
    BodyItemKeys,
    BodyRTCItemKeys,
    FileItemKeys,
    ProjectKeys,
    SimpleControllerItemKeys,
    SubProjectItemKeys,
    TimeBarKeys,
    ToolbarKeys,
    VisionSimulatorItemKeys,
    WorldItemKeys,
)
from solidbody.formats.choreonoid.keys.settings import DynamicsMode, VisionSettings
from solidbody.formats.choreonoid.keys.table import Key, Table
from solidbody.formats.choreonoid.keys.yaml_tree import YamlDocument, YamlMap, parse_yaml
from solidbody.formats.choreonoid.project.bodies import INITIAL, SHOWN, State, started_body
from solidbody.formats.choreonoid.project.dynamics_modes import (
    kept_in_plane,
    moved_by_commands,
    stopped_at_ranges,
)
from solidbody.formats.choreonoid.project.items import read_items
from solidbody.formats.choreonoid.project.materials import (
    SHIPPED,
    ContactMaterials,
    contact_table,
    read_materials,
)
from solidbody.formats.choreonoid.project.motions import PLAYER, MotionReader
from solidbody.formats.choreonoid.project.programs import read_programs
from solidbody.formats.choreonoid.project.simulator import (
    AIST_DEFAULTS,
    ENGINES,
    physics_of,
    read_settings,
    typical_mass,
)
from solidbody.formats.choreonoid.project.surroundings import (
    LIGHTS,
    SKY,
    framed,
    lamp_of,
    stored_view,
)
from solidbody.formats.choreonoid.project.vision import (
    PLAIN,
    WITH_EFFECTS,
    read_vision,
    with_vision,
)
from solidbody.formats.file_kinds import BODY_KINDS
from solidbody.formats.gc_pause import collector_paused
from solidbody.formats.link_trees.uris import BodyFiles
from solidbody.formats.mesh_trees import KINDS
from solidbody.formats.options import LoadOptions
from solidbody.formats.renaming import Renaming
from solidbody.formats.text_files import read_text
from solidbody.model.environment import Background
from solidbody.model.links import Body
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape

SHIPPED_TABLE: Final = "default/materials.yaml"
"""Where Choreonoid's own table stands in its share folder. Its numbers are known without the file."""

CONTROLLER_KEY: Final = "controller"
"""Metadata of a body: the native library that would control it."""

_CONTROLLERS: Final[dict[str, Key[str] | None]] = {
    "SimpleControllerItem": SimpleControllerItemKeys.controller,
    "BodyRTCItem": BodyRTCItemKeys.module_name,
    "ROSControlItem": None,
}
"""Items below a body that drive it by native code, and the key that names what they run."""

_QUIET: Final = frozenset(
    {
        "",
        "RootItem",
        "FolderItem",
        "GroupItem",
        "WorldItem",
        "BodyItem",
        "MaterialTableItem",
        *_CONTROLLERS,
        PLAYER,
        PLAIN,
        WITH_EFFECTS,
        "SubProjectItem",
        "LightingItem",
        *ENGINES,
    }
)
"""Classes of items that are read or only hold others."""

_READ: Final[dict[str, type[Table]]] = {
    name: table
    for table in (
        WorldItemKeys,
        BodyItemKeys,
        AISTSimulatorItemKeys,
        VisionSimulatorItemKeys,
        SimpleControllerItemKeys,
    )
    for name in table.types
}
"""Classes whose keys are all known, so that a key that is not may be a slip."""

_MESHES: Final = tuple(f".{kind}" for kind in KINDS)
"""Extensions of files that are a body of one link."""

_SHARED: Final = re.compile(r".*/share/(?:choreonoid-[0-9.]+/)?(model/.+)")
"""Addresses of models that Choreonoid brings, as machines have them."""

_MODES: Final[dict[DynamicsMode, Callable[[Body], Body]]] = {
    DynamicsMode.SPACE: lambda body: body,
    DynamicsMode.PLANE: kept_in_plane,
    DynamicsMode.COMMANDS: moved_by_commands,
}
"""What each mode makes of a body."""

_FORCES: Final = {
    "CFDSimulatorItem": "forces of fluids",
    "FluidDynamicsSimulatorItem": "forces of fluids",
    "MulticopterSimulatorItem": "forces of rotors",
    "SubmersibleSimulatorItem": "buoyancy and drag",
    "PassiveResistanceFieldSimulatorItem": "resistance of fluids",
    "DoseSimulatorItem": "radiation",
    "TrafficControlSimulatorItem": "shaped traffic",
}
"""Simulators beside the simulator, and what is missing without them."""


@collector_paused()
def read_project(text: str, name: str, options: LoadOptions, log: DiagnosticLog) -> Scene | None:
    """Return the scene of a project's text, or None after a message.

    A body that cannot be read is an error; the rest is still put together.

    Args:
        text: What the file holds.
        name: Its name; files are relative to it.
        options: Where the share folder is.
        log: Takes all messages.
    """
    reader = _ProjectReader(name, options, log)
    opened = reader.open(text, name)
    return None if opened is None else reader.scene(*opened)


class _ProjectReader:
    """Reads one project; bodies that several items name are read once."""

    def __init__(self, name: str, options: LoadOptions, log: DiagnosticLog) -> None:
        self._name = name
        self._log = log
        self._files = BodyFiles(name, options, project=str(PurePath(name).parent))
        self._resources = Resources(self._files, log, check_images=options.check_images)
        self._bodies: dict[Path, Body | None] = {}
        self._documents: dict[str, YamlDocument | None] = {}
        self._budget = load_budget()

    def open(self, text: str, name: str) -> tuple[Keys, Item] | None:
        """Return the top-level keys and the root item, sub-projects included."""
        document = parse_yaml(text, name, self._log)
        if document is None:
            return None
        if not isinstance(document.root, YamlMap):
            self._log.error("not-a-project", document.root.span, 'expected a mapping with "items".')
            return None
        keys = Keys(document.root, BodyFileReading(self._log))
        root = read_items(keys)
        return None if root is None else (keys, self._with_sub_projects(root, 0))

    def scene(self, keys: Keys, root: Item) -> Scene:
        """Return the scene of the items."""
        world = _chosen_world(root, keys)
        simulator = _chosen_simulator(world, root, keys)
        settings = AIST_DEFAULTS
        vision: list[VisionSettings] = []
        if simulator is not None:
            bar = _time_bar_rate(keys)
            settings = read_settings(simulator.keys, simulator.class_name, bar_rate=bar)
            vision = self._vision(simulator)
        table = self._materials(world)
        is_run = world is not root or simulator is not None
        motions = MotionReader(self._find, settings.time_step, self._log)
        state = INITIAL if is_run else SHOWN
        placed = self._placed_bodies(world, settings.controller_options, vision, state, motions)
        bodies = [_MODES[settings.mode](body) for body in placed]
        if settings.ode is not None and settings.ode.stops_joints:
            bodies = [stopped_at_ranges(body) for body in bodies]
        _report_items(root, keys)
        settings = replace(settings, typical_mass=typical_mass(bodies))
        used = {shape.contact_material for body in bodies for shape in _shapes(body)}
        color = next((found.background for found in vision if found.background), None)
        background = SKY if color is None else Background(color=color)
        lamps = (lamp_of(item.keys) for item in root.of_class("LightingItem"))
        return Scene(
            name=PurePath(self._name).stem,
            source=self._name,
            physics=physics_of(settings),
            bodies=tuple(bodies),
            contacts=contact_table(table, settings, map(material_name, used)),
            lights=(*LIGHTS, *lamps),
            background=background,
            viewpoint=stored_view(keys) or framed(bodies),
            diagnostics=tuple(self._log),
            files=self._files.access,
            ends_with_programs=settings.ends_with_programs,
        )

    # ---------------------------------------------------------------------------------- sub-projects

    def _with_sub_projects(self, item: Item, depth: int) -> Item:
        """Return the item with the items of projects that stand below it."""
        children = tuple(self._with_sub_projects(child, depth) for child in item.children)
        if item.class_name == "SubProjectItem":
            children = (*children, *self._sub_project(item, depth))
        return replace(item, children=children)

    def _sub_project(self, item: Item, depth: int) -> tuple[Item, ...]:
        keys = item.keys
        keys.pass_over(SubProjectItemKeys)
        url = keys.read(SubProjectItemKeys.file)
        path = self._find(keys, "filename", url)
        if path is None:
            return ()
        if depth >= MAX_SUB_PROJECTS:
            text = f"projects stand more than {MAX_SUB_PROJECTS} deep in each other."
            keys.error("too-deep", "filename", text)
            return ()
        document = self._document(str(path))
        if document is None or not isinstance(document.root, YamlMap):
            return ()
        try:
            self._budget.spend_if_known(path, Cost.YAML_VALUES, NAMED_AGAIN + document.size())
        except BudgetError as error:
            if error.is_new:
                text = f"{error}; from here on projects that were read before are left out."
                keys.error("too-much", "filename", text)
            return ()
        root = read_items(Keys(document.root, BodyFileReading(self._log)))
        if root is None:
            return ()
        return self._with_sub_projects(root, depth + 1).children

    def _document(self, path: str) -> YamlDocument | None:
        """Return what a project holds, or None after a message; each is read once."""
        if path not in self._documents:
            text = read_text(path, self._log, max_bytes=MAX_FILE_BYTES)
            self._documents[path] = None if text is None else parse_yaml(text, path, self._log)
        return self._documents[path]

    # ----------------------------------------------------------------------------------------- parts

    def _find(self, keys: Keys, key: str, url: str) -> Path | None:
        """Return the file of a url, or None after an error message that says how to provide it.

        A copy in the project goes for a file that is not there, with a warning.
        """
        try:
            return self._files.find(url, keys.span.file)  # relative to the (sub-)project it is in
        except AssetError as error:
            copy = self._files.own_copy(url)
            if copy is not None:
                text = f'"{url}" cannot be read; "{copy}" is taken for it.'
                keys.warning("other-address", key, text)
                return Path(copy)
            hint = ""
            if url.startswith("${SHARE}") and not error.is_refused:
                hint = " Give Choreonoid's share folder (or yours) with --share."
            keys.error("missing-file", key, f'cannot read "{url}": {error.text}.{hint}')
            return None

    def _is_there(self, keys: Keys, url: str) -> bool:
        try:
            self._files.find(url, keys.span.file)
        except AssetError:
            return False
        return True

    def _vision(self, simulator: Item) -> list[VisionSettings]:
        found = (read_vision(item) for item in simulator.of_class(PLAIN, WITH_EFFECTS))
        return [settings for settings in found if settings is not None]

    def _materials(self, world: Item) -> ContactMaterials:
        """Return the world's table with those of table items over it."""
        table = SHIPPED
        keys = world.keys
        row = WorldItemKeys.default_material_table_file
        url = keys.read(row) if world.class_name == "WorldItem" else ""
        if url:
            found = self._table(keys, row.name, url)
            table = table if found is None else found
        for item in world.of_class("MaterialTableItem"):
            item.keys.pass_over(FileItemKeys)
            url = item.keys.read(FileItemKeys.file)
            found = self._table(item.keys, FileItemKeys.file.name, url) if url else None
            table = table if found is None else found.over(table)
        return table

    def _table(self, keys: Keys, key: str, url: str) -> ContactMaterials | None:
        is_shipped = url.endswith(SHIPPED_TABLE) and not self._is_there(keys, url)
        if is_shipped and self._files.own_copy(url, least=2) is None:
            return SHIPPED
        path = self._find(keys, key, url)
        text = None if path is None else read_text(str(path), self._log, max_bytes=MAX_FILE_BYTES)
        return None if text is None else read_materials(text, str(path), self._log)

    # ---------------------------------------------------------------------------------------- bodies

    def _placed_bodies(
        self,
        world: Item,
        options: str,
        vision: Sequence[VisionSettings],
        state: State,
        motions: MotionReader,
    ) -> list[Body]:
        renaming = Renaming()
        bodies: list[Body] = []
        for item in world.of_class("BodyItem"):
            body = self._body(item)
            if body is None or not self._may_place(body, item):
                continue
            body = started_body(replace(body, name=item.name or body.name), item, state)
            body = motions.body(body, item)
            body = with_vision(body, item.name, vision)
            bodies.append(renaming.body(_with_controllers(body, item, options)))
        if not bodies:
            self._log.warning(
                "no-bodies", world.keys.span, "the project has no bodies that can be simulated."
            )
        return bodies

    def _may_place(self, body: Body, item: Item) -> bool:
        """Whether a body may stand in the project, once more if need be."""
        try:
            self._budget.spend_if_known(body.span, Cost.LINKS, len(body.links))
        except BudgetError as error:
            if error.is_new:
                text = f"{error}; from here on bodies that were placed before are left out."
                item.keys.error("too-much", BodyItemKeys.file, text)
            return False
        return True

    def _body(self, item: Item) -> Body | None:
        keys = item.keys
        url = keys.read(BodyItemKeys.file)
        if not url:
            keys.error("missing-key", BodyItemKeys.file, "a body item needs the file of its body.")
            return None
        key = keys.written(BodyItemKeys.file)
        url = self._known_address(keys, key, url)
        path = None if self._is_there(keys, url) else own_body(url)
        if path is not None:
            text = f'"{url}" is not found; a body of our own stands in.'
            keys.info("stand-in", key, text)
        else:
            path = self._find(keys, key, url)
        if path is None:
            return None
        if path.suffix.lower() not in (*BODY_KINDS, *_MESHES):
            keys.error(
                "unknown-extension",
                key,
                f'cannot read bodies from "{path.suffix}" files ("{url}"); '
                f"known: {', '.join((*BODY_KINDS, *_MESHES))}.",
            )
            return None
        if path not in self._bodies:
            self._bodies[path] = self._read_body(path)
        body = self._bodies[path]
        if body is None:
            keys.error("no-body", key, f'no body comes of "{url}"; see the messages of that file.')
        return body

    def _read_body(self, path: Path) -> Body | None:
        if path.suffix.lower() in _MESHES:
            text, name = body_of_meshes(path.name), str(path.with_suffix(".body"))
        else:
            text, name = read_text(str(path), self._log, max_bytes=MAX_FILE_BYTES), str(path)
        if text is None:
            return None
        return read_body(text, name, self._resources, self._log)

    def _known_address(self, keys: Keys, key: str, url: str) -> str:
        """Return the address of a body, or of what it seems to mean where nothing is there.

        Some name the share folder of a machine (or one into which the project's own models go) or where
        the project stood there, and Choreonoid's own models were `.wrl` and `.yaml` files once.
        """
        if self._is_there(keys, url):
            return url
        shared = _SHARED.fullmatch(url.replace("\\", "/"))
        others = [url] if shared is None else [url, f"${{SHARE}}/{shared[1]}"]
        if PurePath(url).suffix.lower() in (".wrl", ".yaml", ".yml"):
            others += [str(PurePath(other).with_suffix(".body")) for other in others]
        ours = [other for other in others if own_body(other) is not None]
        copy = self._files.own_copy(url, least=2 if ours else 1)
        found = [other for other in others if self._is_there(keys, other)]
        best = next(iter((*found, *((copy,) if copy else ()), *ours)), url)
        if best != url:
            text = f'"{url}" cannot be read; "{best}" is taken for it.'
            keys.warning("other-address", key, text)
        return best


def _with_controllers(body: Body, item: Item, options: str) -> Body:
    """Return the body with the controllers of its item: those that are run, and the names of the others."""
    metadata = list(body.metadata)
    for controller in item.own(*_CONTROLLERS, behind="BodyItem"):
        keys = controller.keys
        row = _CONTROLLERS[controller.class_name]
        name = ("" if row is None else keys.read(row)) or controller.name
        metadata.append((CONTROLLER_KEY, name))
        if controller.class_name in SimpleControllerItemKeys.types:
            continue
        keys.info(
            "native-controller",
            "" if row is None else row,
            f'the controller "{name}" of "{item.name}" is native code of Choreonoid and is not run; '
            "its joints stay uncommanded. Keep them in place with run --hold, or drive them with "
            "--body-controller.",
        )
    robots = tuple(
        replace(robot, name=body.name) if index == 0 else robot
        for index, robot in enumerate(body.robots)
    )
    programs = read_programs(item, options)
    return replace(body, metadata=tuple(metadata), robots=robots, programs=programs)


def _shapes(body: Body) -> Iterator[Shape]:
    for link in body.links:
        yield from link.shapes


def _chosen_world(root: Item, keys: Keys) -> Item:
    """Return the world that is simulated: the one with a simulator, else the first, else everything."""
    worlds = list(root.of_class("WorldItem"))
    if not worlds:
        return root
    chosen = next((world for world in worlds if any(world.of_class(*ENGINES))), worlds[0])
    others = [world.name for world in worlds if world is not chosen]
    if others:
        keys.info(
            "several-worlds",
            ProjectKeys.items,
            f'of {len(worlds)} worlds "{chosen.name}" is simulated, not {_quoted(others)}.',
        )
    for world in worlds:
        _know_world_keys(world.keys)
    outside = [item.name for item in root.of_class("BodyItem") if not chosen.holds(item)]
    if outside:
        keys.info(
            "outside-world",
            ProjectKeys.items,
            f"bodies outside that world are not simulated: {_quoted(outside)}.",
        )
    return chosen


def _know_world_keys(keys: Keys) -> None:
    keys.pass_over(WorldItemKeys)
    row = WorldItemKeys.collision_detection_between_multiplex_bodies
    if keys.read(row):
        keys.info("not-read", row, f"{row.unsupported}.")


def _chosen_simulator(world: Item, root: Item, keys: Keys) -> Item | None:
    """Return the simulator: the selected one, else the first AIST one, else the first."""
    found = list(world.of_class(*ENGINES)) or list(root.of_class(*ENGINES))
    if not found:
        keys.info(
            "no-simulator",
            ProjectKeys.items,
            "the project has no simulator; the AIST simulator's defaults are used (1 ms steps).",
        )
        return None
    order = list(ENGINES)
    chosen = min(found, key=lambda item: (not item.is_selected, order.index(item.class_name)))
    others = [item.name for item in found if item is not chosen]
    if others:
        keys.info(
            "several-simulators",
            ProjectKeys.items,
            f'of {len(found)} simulators "{chosen.name}" is used, not {_quoted(others)}.',
        )
    return chosen


def _time_bar_rate(keys: Keys) -> float | None:
    """Return the frames per second of the time bar, if the project stores them."""
    bars = keys.keys(ProjectKeys.toolbars)
    bar = None if bars is None else bars.keys(ToolbarKeys.time_bar)
    return None if bar is None else bar.read(TimeBarKeys.frame_rate)


def _report_items(root: Item, keys: Keys) -> None:
    """Say once for each class what is left out, and once that windows are; and which keys look mistyped."""
    for item in root.of_class(*_READ):
        item.keys.warn_of_slips(_READ[item.class_name])
    played = {id(below) for player in root.of_class(PLAYER) for below in player.walk()}
    classes = Counter(
        item.class_name
        for item in root.walk()
        if item.class_name not in _QUIET and id(item) not in played
    )
    for class_name, count in classes.items():
        item = next(root.of_class(class_name))
        items = f"{count} items" if count > 1 else "an item"
        if class_name in _FORCES:
            item.keys.warning(
                "item-not-simulated",
                "",
                f"{items} of the class {class_name} left out: {_FORCES[class_name]} are missing.",
            )
        else:
            item.keys.info(
                "item-left-out",
                "",
                f"{items} of the class {class_name} (plugin {item.plugin}) left out: "
                "nothing here takes its place.",
            )
    if keys.node(ProjectKeys.views) is not None:
        text = "of the program's views only the first scene view's place is read."
        keys.info("views-left-out", ProjectKeys.views, text)


def _quoted(names: Iterable[str]) -> str:
    listed = list(names)
    shown = ", ".join(f'"{name}"' for name in listed[:6])
    return shown + (f" and {len(listed) - 6} more" if len(listed) > 6 else "")
