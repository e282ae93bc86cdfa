"""Prepares a study: reads and compiles its scene, checks every value against it, numbers the runs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from solidbody._version import __version__
from solidbody.base.diagnostics import DiagnosticLog, Severity, did_you_mean
from solidbody.base.errors import CompileError, LoadError, NameLookupError, SolidbodyError
from solidbody.base.limits import MAX_FILE_BYTES
from solidbody.compiler import compile_scene
from solidbody.control.programs import NO_PROGRAM
from solidbody.formats.loading import read_scene
from solidbody.formats.scene_merging import SceneFile, parse_scene_file, read_scene_files
from solidbody.formats.text_files import read_text
from solidbody.formats.vrml.syntax import FileSyntax, NodeSyntax
from solidbody.formats.webots.edit.document import World, load_world
from solidbody.formats.webots.edit.paths import EditError, FieldPlace, find_place, node_at
from solidbody.formats.webots.nodes import NODES
from solidbody.formats.webots.protos.library import parameter_types
from solidbody.model.scene import Scene
from solidbody.sweeps.bench import BenchData, WorldFile
from solidbody.sweeps.columns import Columns
from solidbody.sweeps.functions import FunctionError, FunctionLoader
from solidbody.sweeps.jobs import Job
from solidbody.sweeps.model_paths import ModelPathError, get_from_scene, set_in_scene
from solidbody.sweeps.run import RunError, give_command
from solidbody.sweeps.sampling import points_of
from solidbody.sweeps.study import Kind, Parameter, Range, Study, StudyError, Value

MAX_TOLD: Final = 20
"""Mistakes that are told at once."""


@dataclass(frozen=True, slots=True)
class PreparedStudy:
    """A study that can be run.

    Attributes:
        study: As it was written.
        data: What travels to the workers.
        jobs: Its runs, in order.
        inputs: Digests of what the results depend on, by name: files, functions, versions.
        warnings: What there is to say beforehand.
    """

    study: Study
    data: BenchData
    jobs: tuple[Job, ...]
    inputs: dict[str, str]
    warnings: tuple[str, ...] = ()


def prepare(study: Study) -> PreparedStudy:
    """Return a study with its scene. Raises StudyError with everything that is wrong with it."""
    parts = _parts(study)
    world = _world_of(study, parts)
    scene = _scene_of(study, parts, world)
    points = points_of(study)
    seeds: tuple[int | None, ...] = study.seeds or (None,)
    jobs = [(values, seed) for values in points for seed in seeds]
    problems = list(_problems(study, scene, world, points))
    if problems:
        more = [f"... and {len(problems) - MAX_TOLD} more"] if len(problems) > MAX_TOLD else []
        raise StudyError(*problems[:MAX_TOLD], *more)
    try:
        compiled = compile_scene(scene)
    except CompileError as error:
        raise StudyError(f"{study.place('scene')}it cannot be simulated: {error}") from None
    file = None if world is None else _file_of(study, world)
    data = BenchData(scene, compiled, file, _absolute(study), study.options)
    _check_simulation(study, data)
    return PreparedStudy(
        study,
        data,
        tuple(Job(run, values, seed) for run, (values, seed) in enumerate(jobs)),
        _inputs(study, parts),
        tuple(_warnings(study, scene)),
    )


# ------------------------------------------------------------------------------------------ the scene


def _parts(study: Study) -> list[SceneFile]:
    """Return the files of a scene, from the folder of the study on."""
    found: list[SceneFile] = []
    for text in study.scene:
        try:
            part = parse_scene_file(str(study.folder / text))
        except ValueError as error:
            raise StudyError(f"{study.place('scene')}{error}") from None
        path = Path(part.path)
        if not path.is_file():
            beside = [item.name for item in path.parent.iterdir()] if path.parent.is_dir() else []
            hint = did_you_mean(path.name, beside)
            raise StudyError(f'{study.place("scene")}there is no file "{part.path}".{hint}')
        found.append(replace(part, path=str(path.resolve())))
    return found


def _world_of(study: Study, parts: list[SceneFile]) -> World | None:
    """Return the scene's file as a document, if it is one world of Webots and fields of it are varied."""
    fields = [item for item in study.conditions.parameters if item.kind is Kind.FIELD]
    is_world = len(parts) == 1 and parts[0].path.lower().endswith(".wbt")
    if fields and not is_world:
        raise StudyError(
            *(
                f'{study.place("parameters", item.name, "path")}"{item.target}" names a field of a world'
                " file, and the scene is not one .wbt file; model = ... reaches every format"
                for item in fields
            )
        )
    if not is_world:
        return None
    try:
        return load_world(parts[0].path, options=study.options)
    except LoadError as error:
        raise StudyError(f"{study.place('scene')}{error}") from None


def _scene_of(study: Study, parts: list[SceneFile], world: World | None) -> Scene:
    if world is not None:
        scene, said = world.scene, world.diagnostics
        errors = [item for item in said if item.severity is Severity.ERROR]
        if not errors:
            return scene
        # worlds with errors are simulated in part, as `run` does; what cannot be is refused there too
        found, log = read_scene(parts[0].path, options=study.options)
        if found is not None:
            return replace(scene, diagnostics=said)
    else:
        found, log = read_scene_files(parts, options=study.options)
        if found is not None:
            return found
    shown = [str(item) for item in log if item.severity is Severity.ERROR][:MAX_TOLD]
    raise StudyError(f"{study.place('scene')}the scene cannot be simulated", *shown)


def _file_of(study: Study, world: World) -> WorldFile:
    types = parameter_types(world.tree, world.path, study.options)
    found: dict[str, str] = {}
    for item in study.conditions.parameters:
        if item.kind is Kind.FIELD:
            known = _parameter_type(world.tree, item.target, types)
            if known:
                found[item.target] = known
    infos = [k for k, node in enumerate(world.tree.nodes) if node.type_name == "WorldInfo"]
    seed_path = f"{infos[0]}.randomSeed" if infos else ""
    return WorldFile(world.tree, world.path, study.options, seed_path, found)


def _parameter_type(tree: FileSyntax, path: str, types: dict[str, dict[str, str]]) -> str | None:
    """Return the type of a PROTO's parameter; None for a field of a node of Webots.

    Raises:
        EditError: The PROTO has no such parameter.
    """
    place = find_place(tree, path)
    if not isinstance(place, FieldPlace):
        raise EditError(f'"{path}" is a node, not a field; name the field to set.')
    node: NodeSyntax = node_at(tree, place.node)
    if NODES.find(node.type_name) is not None or node.type_name not in types:
        return None
    known = types[node.type_name]
    if place.name not in known:
        raise EditError(
            f'"{path}": the PROTO {node.type_name} has no parameter "{place.name}".'
            f"{did_you_mean(place.name, known)}"
        )
    return known[place.name]


def _absolute(study: Study) -> Any:
    """Return the conditions with files of controllers in Python as they are found from anywhere."""
    texts: list[str] = []
    for text in study.conditions.body_controllers:
        body, equals, program = text.rpartition("=")
        texts.append(f"{body}{equals}{study.folder.resolve() / program}")
    return replace(study.conditions, body_controllers=tuple(texts))


# ------------------------------------------------------------------------------------------ checks


def _problems(
    study: Study, scene: Scene, world: World | None, points: list[tuple[Value, ...]]
) -> Iterator[str]:
    """Yield what is wrong with parameters and their values."""
    types = {} if world is None else parameter_types(world.tree, world.path, study.options)
    for at, parameter in enumerate(study.conditions.parameters):
        where = study.place("parameters", parameter.name, parameter.kind.value)
        if parameter.kind is Kind.FIELD and world is not None:
            problem = _problem_of(_parameter_type, world.tree, parameter.target, types)
        elif parameter.kind is Kind.MODEL:
            problem = _problem_of(get_from_scene, scene, parameter.target)
        else:
            problem = ""
        if problem:
            yield f"{where}{problem}"
            continue
        said: dict[str, Value] = {}
        values = dict.fromkeys(point[at] for point in points)
        for value in values:
            try:
                _try_value(scene, world, types, parameter, value)
            except (EditError, ModelPathError) as error:
                said.setdefault(_without_value(str(error)), value)
        key = "range" if isinstance(parameter.values, Range) else "values"
        spread = study.place("parameters", parameter.name, key)
        for text, value in list(said.items())[:3]:
            yield f"{spread}{text} (value {value!r:.80})"


def _problem_of(look_up: Callable[..., object], *arguments: object) -> str:
    """Return why a path leads nowhere; empty = it leads somewhere."""
    try:
        look_up(*arguments)
    except (EditError, ModelPathError) as error:
        return str(error)
    return ""


def _without_value(text: str) -> str:
    return text.replace("; nothing is changed.", "").rstrip(".")


def _try_value(
    scene: Scene,
    world: World | None,
    types: dict[str, dict[str, str]],
    parameter: Parameter,
    value: Value,
) -> None:
    """Raise EditError or ModelPathError if a parameter cannot have a value."""
    if parameter.kind is Kind.MODEL:
        set_in_scene(scene, parameter.target, value)
    elif parameter.kind is Kind.FIELD and world is not None:
        tree = world.tree
        try:
            world.set(
                parameter.target,
                value,
                type_name=_parameter_type(tree, parameter.target, types),
            )
        finally:
            world.return_to(tree)


def _check_simulation(study: Study, data: BenchData) -> None:
    """Find out whether columns, motors and functions of a study exist."""
    from solidbody.sim import Sim

    problems: list[str] = []
    conditions = data.conditions
    sim = Sim.of(data.scene, data.compiled, engine=conditions.engine, threads=1)
    for section, items in (("measure", conditions.measures), ("stop", conditions.stops)):
        for item in items:
            names = (item.column, *getattr(item, "columns", ()))
            for name in filter(None, names):
                try:
                    Columns(sim, (name,))
                except NameLookupError as error:
                    problems.append(f"{study.place(section, item.name)}{error}")
    for parameter in conditions.parameters:
        if parameter.kind is Kind.DRIVE:
            try:
                give_command(sim, parameter.target, 0.0)
            except (RunError, SolidbodyError) as error:
                problems.append(f"{study.place('parameters', parameter.name, 'drive')}{error}")
    loader = FunctionLoader()
    for source in conditions.functions:
        try:
            loader.load(source)
        except FunctionError as error:
            problems.append(f"{study.place(*_keys_of(study, source))}{error}")
    if problems:
        raise StudyError(*problems)


def _keys_of(study: Study, source: object) -> tuple[str, ...]:
    for section, items in (
        ("measure", study.conditions.measures),
        ("stop", study.conditions.stops),
    ):
        for item in items:
            if item.function is source:
                return (section, item.name)
    return ("prepare",)


def _warnings(study: Study, scene: Scene) -> Iterator[str]:
    """Yield what will not go as one may think."""
    supervisors = [
        robot.name
        for body in scene.bodies
        for robot in body.robots
        if robot.is_supervisor and robot.controller not in NO_PROGRAM
    ]
    varied = [p.name for p in study.conditions.parameters if p.kind is Kind.MODEL]
    if supervisors and varied and study.conditions.controllers:
        yield (
            f'supervisor "{supervisors[0]}" sees the world file, in which {", ".join(varied)} (model = ...)'
            " are not changed, and a change of its own may undo them; path = ... changes the file"
        )
    externs = [
        robot.name
        for body in scene.bodies
        for robot in body.robots
        if robot.controller == "<extern>"
    ]
    if externs and study.conditions.controllers:
        yield f'robot "{externs[0]}" waits for an extern controller, which nobody starts in a study'


# ------------------------------------------------------------------------------------------ versions


def versions() -> dict[str, str]:
    """Return the versions that results depend on."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"solidbody": __version__, "python": platform.python_version()}
    for module, names in {"mujoco": ("mujoco-core", "mujoco"), "numpy": ("numpy",)}.items():
        found[module] = ""
        for name in names:
            with suppress(PackageNotFoundError):
                found[module] = found[module] or version(name)
    found["machine"] = f"{platform.system()} {platform.machine()}"
    return found


def _inputs(study: Study, parts: list[SceneFile]) -> dict[str, str]:
    """Return digests of what is looked at again when a study is resumed."""
    found: dict[str, str] = {}
    for part in parts:
        text = read_text(part.path, DiagnosticLog(), max_bytes=MAX_FILE_BYTES)
        found[f"file {Path(part.path).name}"] = _digest(text or "")
    for source in study.conditions.functions:
        found[f"file {Path(source.file).name}"] = source.digest
    found.update((f"version of {name}", text) for name, text in versions().items())
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
