"""A scene on a worker: read and compiled once, then varied from run to run.

Where two scenes differ in numbers only, the constants of one are patched for the other
(`compiler/patching.py`), which gives the same bytes as compiling it. Others are compiled, and the last few
are kept, so that a study over a structure and ten frictions compiles each structure once.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from solidbody.base.diagnostics import Diagnostic, Severity
from solidbody.base.errors import SolidbodyError
from solidbody.compiler import Compiled, compile_scene
from solidbody.compiler.differences import difference
from solidbody.compiler.geoms import FormCache
from solidbody.compiler.patching import patched
from solidbody.compiler.start import with_seed
from solidbody.formats.loading import CachedReading
from solidbody.formats.options import DEFAULT_OPTIONS, LoadOptions
from solidbody.formats.vrml.syntax import FileSyntax
from solidbody.formats.webots.edit.document import World
from solidbody.model.scene import Scene
from solidbody.sweeps.jobs import Job
from solidbody.sweeps.model_paths import set_in_scene
from solidbody.sweeps.study import Conditions, Kind

if TYPE_CHECKING:
    from solidbody.sim import Sim

KEPT: Final = 8
"""Structures of a scene whose constants are kept."""


class VariedSceneError(SolidbodyError):
    """The values of a run give no scene that can be simulated."""


@dataclass(frozen=True, slots=True)
class WorldFile:
    """A world file as it was read: what is edited for each run.

    Attributes:
        tree: The file.
        path: Its name.
        options: Where PROTOs and other files come from.
        seed_path: Field of the seed; empty = it has none.
        types: Types of the parameters of PROTOs that are varied, by path.
    """

    tree: FileSyntax
    path: str
    options: LoadOptions = DEFAULT_OPTIONS
    seed_path: str = ""
    types: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class BenchData:
    """What travels to each worker, once: the scene, its constants, what holds for every run."""

    scene: Scene
    compiled: Compiled
    world: WorldFile | None
    conditions: Conditions
    options: LoadOptions = DEFAULT_OPTIONS


class Bench:
    """Makes the simulation of each run.

    Args:
        data: What has travelled here.
        threads: How many may share a step; None = as many as a simulation takes by itself.
    """

    def __init__(self, data: BenchData, *, threads: int | None = None) -> None:
        self.data, self._threads = data, threads
        self._kept = CachedReading()
        self._forms = FormCache()
        self._bases: OrderedDict[int, tuple[Scene, Compiled]] = OrderedDict()
        self._next = 0
        self.compilations = 0
        """Scenes compiled here so far."""
        scene = data.scene
        if data.world is not None:
            # bodies that a run does not change are the same objects as these
            again = self.world(Job(-1, tuple(None for _ in data.conditions.parameters))).scene  # type: ignore[arg-type]
            if replace(again, physics=scene.physics) != scene:
                raise VariedSceneError(
                    f"{data.world.path} reads differently here: a file that it needs has changed or is"
                    " missing"
                )
            scene = replace(again, physics=scene.physics)
        self._remember(scene, data.compiled)

    def world(self, job: Job) -> World:
        """Return the document of a run. Raises EditError for a value that a field cannot take."""
        file = self.data.world
        assert file is not None
        world = World(file.tree, file.path, options=file.options, kept=self._kept)
        for parameter, value in zip(self.data.conditions.parameters, job.values, strict=True):
            if parameter.kind is Kind.FIELD and value is not None:
                world.set(parameter.target, value, type_name=file.types.get(parameter.target))
        if file.seed_path:
            written = world.get(file.seed_path)
            moment = isinstance(written, int | float) and written < 0
            seed = job.seed if not moment or job.seed is not None else self._base_seed
            if seed is not None and seed != written:
                world.set(file.seed_path, seed)
        return world

    @property
    def _base_seed(self) -> int:
        return self.data.scene.physics.random_seed

    def scene(self, job: Job) -> Scene:
        """Return the scene of a run.

        Raises:
            SolidbodyError: A value cannot be taken, or what comes out has errors that the file had not.
        """
        scene = self.data.scene
        if self.data.world is not None:
            world = self.world(job)
            scene = world.scene
            self._check(world.diagnostics)
        for parameter, value in zip(self.data.conditions.parameters, job.values, strict=True):
            if parameter.kind is Kind.MODEL:
                scene = set_in_scene(scene, parameter.target, value)
        if job.seed is not None and job.seed != scene.physics.random_seed:
            scene = replace(scene, physics=replace(scene.physics, random_seed=job.seed))
        return scene

    def _check(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        known = {(item.code, item.text) for item in self.data.scene.diagnostics}
        for item in diagnostics:
            if item.severity is Severity.ERROR and (item.code, item.text) not in known:
                subject = ".".join(part for part in (item.node, item.field) if part)
                raise VariedSceneError(f"{subject}: {item.text}" if subject else item.text)

    def simulation(self, scene: Scene) -> Sim:
        """Return a simulation of a scene at its start. Raises CompileError."""
        from solidbody.sim import Sim

        engine = self.data.conditions.engine
        return Sim.of(scene, self._constants(scene), engine=engine, threads=self._threads)

    def _constants(self, scene: Scene) -> Compiled:
        for key in reversed(self._bases):
            base, compiled = self._bases[key]
            found = _varied(base, compiled, scene)
            if found is not None:
                self._bases.move_to_end(key)
                return found
        compiled = compile_scene(scene, forms=self._forms)
        self.compilations += 1
        self._remember(scene, compiled)
        return compiled

    def _remember(self, scene: Scene, compiled: Compiled) -> None:
        self._bases[self._next] = scene, compiled
        self._next += 1
        if len(self._bases) > KEPT:
            self._bases.popitem(last=False)


def _varied(base: Scene, compiled: Compiled, scene: Scene) -> Compiled | None:
    """Return the constants of a scene from those of another one; None = it has to be compiled."""
    seed = scene.physics.random_seed
    physics = replace(scene.physics, random_seed=base.physics.random_seed)
    alike = replace(scene, physics=physics)
    change = difference(base, alike)
    if change is None:
        return None
    found: Compiled | None = compiled
    if change.is_physical:
        found = patched(compiled, alike, change)
    if found is not None and seed != base.physics.random_seed:
        found = replace(found, start=with_seed(found.start, seed))
    return found
