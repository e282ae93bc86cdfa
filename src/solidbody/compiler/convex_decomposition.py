"""The convex decomposition of hollow meshes that move, by coacd; results are cached on disk.

Most are cut when they first meet another one (`lazy_convex_decomposition`); this module says which, and cuts.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from solidbody.base.cache import cache_folder
from solidbody.base.extras import needs
from solidbody.base.progress import Progress
from solidbody.compiler.convex_decomposition_worker import TOO_LONG
from solidbody.compiler.convex_hulls import fitted_to_hull, hull_volume
from solidbody.compiler.geoms import is_convex, surface_of
from solidbody.compiler.mesh_components import Faces, Points, connected_components, is_met
from solidbody.model.devices import DeviceTouchSensor, DeviceVacuumGripper
from solidbody.model.geometry import Geometry, GeometryMesh
from solidbody.model.links import Body, Link, Motion
from solidbody.model.scene import Scene
from solidbody.model.shapes import Shape, ShapeRole

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

SETTINGS: dict[str, object] = {
    # more parts than this cost more time per step than they are worth
    "max_convex_hull": 16,
    "decimate": True,
    "max_ch_vertex": 64,
    # a sixth of coacd's own search: several times as fast, and one part more here and there
    "mcts_iterations": 20,
    "mcts_nodes": 8,
    "mcts_max_depth": 2,
    "resolution": 400,
    "seed": 0,
}
FINEST_COPY, ROUGHEST_COPY = 25, 12
"""Cells along the copy that is made of surfaces with gaps and folds; coacd takes 50, and much longer."""
COARSE: dict[str, object] = {"preprocess_mode": "on", "mcts_iterations": 10, "mcts_nodes": 5}
"""What a second attempt, or a mesh of many faces, sets otherwise: a rougher copy of the surface is cut."""
MANY_FACES = 30_000
"""Faces from which on a mesh is cut coarsely at once: a limit that does not depend on the machine."""
NEARLY_CONVEX = 0.95
"""Share of its hull that a closed mesh fills from which on the hull stands in for it."""
MAX_KEPT = 64_000_000
"""[bytes, unpacked] Larger files are none of ours: parts are a few thousand points."""
MAX_REASON = 1000
"""Characters of the reason that is kept for a mesh that could not be cut."""
SHARE_OF_SIZE = 0.08
"""Share of half its size that the parts of a mesh may fill wrongly."""
SHALLOW = 0.003
"""[m] Dents not deeper than this need no parts of their own (screw holes, fillets)."""
MOST_SHARE = 0.25
"""Share of half its size that counts for small things, for which all dents are shallow."""
TIME_LIMIT = 300.0
"""[s] Of one processor for one attempt; after two a mesh's hull stands in for it. Only for what hangs: the
worst links of the robots that we know take 10 s."""
PATIENCE = 20.0
"""Factor by which the clock may be behind the processor's time before a process counts as lost."""
PLACES = 7
"""Decimals of coordinates [m] up to which copies of a part are the same."""
TASK = "cutting meshes into convex parts"
LAYOUT = 4
"""Version of what is kept: to be raised when the same input would give other parts."""


class DecompositionError(Exception):
    """A mesh could not be cut into parts; the text says why."""


class DecompositionStopped(DecompositionError):
    """Somebody ended the work, which says nothing about the mesh."""


@dataclass(slots=True)
class ConvexParts:
    """Parts of the hollow moving meshes of a scene.

    Attributes:
        parts: Corners of each part's hull, by the mesh.
        failures: Why a mesh has no parts, by the mesh.
        hollow: The meshes that are no convex solids, parts or not: primitives meet their triangles.
        surfaces: Of all meshes that were looked at.
    """

    parts: dict[int, list[Points]] = field(default_factory=dict[int, list[Points]])
    failures: dict[int, str] = field(default_factory=dict[int, str])
    hollow: set[int] = field(default_factory=set[int])
    surfaces: dict[Geometry, tuple[Points, Faces] | None] = field(
        default_factory=dict[Geometry, "tuple[Points, Faces] | None"]
    )

    @classmethod
    def of_scene(cls, scene: Scene, progress: Progress | None = None) -> ConvexParts:
        """Look at every mesh that moves and collides; cut those whose parts must be known from the start."""
        out = cls()
        copies: dict[GeometryMesh, list[int]] = {}
        for number, mesh in {id(mesh): mesh for mesh in _moving_meshes(scene)}.items():
            copies.setdefault(mesh, []).append(number)
        for mesh, numbers in copies.items():
            surface = out.surfaces[mesh] = surface_of(mesh)
            if surface is None or not len(surface[1]):
                continue
            if not is_convex(*surface) or not is_met(*surface).all():
                out.hollow.update(numbers)
        at_once = (mesh for mesh in _meshes_cut_at_once(scene) if id(mesh) in out.hollow)
        out.parts, out.failures = cut_meshes(at_once, progress)
        return out


def cut_meshes(
    meshes: Iterable[GeometryMesh], progress: Progress | None = None
) -> tuple[dict[int, list[Points]], dict[int, str]]:
    """Cut meshes into convex parts, each different one once; returns them, and why one has none, by id.

    Convex meshes have neither.
    """
    parts: dict[int, list[Points]] = {}
    failures: dict[int, str] = {}
    hollow: dict[str, tuple[Points, Faces]] = {}
    components: list[tuple[list[int], list[MeshComponent]]] = []
    copies: dict[GeometryMesh, list[int]] = {}
    for number, mesh in {id(mesh): mesh for mesh in meshes}.items():
        copies.setdefault(mesh, []).append(number)
    for mesh, numbers in copies.items():
        surface = surface_of(mesh)
        if surface is None or not len(surface[1]) or is_convex(*surface):
            continue
        found: list[MeshComponent] = []
        components.append((numbers, found))
        for points, faces in connected_components(*surface):
            if is_convex(points, faces) or is_nearly_convex(points, faces):
                found.append(MeshComponent(points))
                continue
            # copies of a part elsewhere on a robot are cut once
            origin = points.min(axis=0)
            canonical = np.round(points - origin, PLACES)
            key = content_key(canonical, faces)
            hollow[key] = canonical, faces
            found.append(MeshComponent(origin, key))
    cut = _cut_all(hollow, progress)
    for numbers, found in components:
        failed = [error for x in found if isinstance(error := cut.get(x.key), DecompositionError)]
        if failed:
            failures |= dict.fromkeys(numbers, str(failed[0]))
            continue
        corners = [
            part
            for x in found
            for part in ([y + x.points for y in _parts_of(cut, x)] if x.key else [x.points])
        ]
        parts |= dict.fromkeys(numbers, corners)
    return parts, failures


@dataclass(frozen=True, slots=True)
class MeshComponent:
    """A connected component of a mesh: its corners if convex; else where it is, the key of its parts."""

    points: Points
    key: str = ""


def _parts_of(
    cut: Mapping[str, list[Points] | DecompositionError], component: MeshComponent
) -> list[Points]:
    return cast(list[Points], cut[component.key])


def is_nearly_convex(points: Points, faces: Faces) -> bool:
    """Whether the hull of a component may stand for it: it is tiny, or closed and nearly fills its hull."""
    if float(np.ptp(points, axis=0).max()) <= 4.0 * SHALLOW:
        return True
    if not is_met(points, faces).all():
        return False
    volume = abs(float(np.linalg.det(points[faces] - points[faces[0, 0]]).sum())) / 6.0
    hull = hull_volume(points)
    return hull > 0.0 and volume >= NEARLY_CONVEX * hull


def _cut_all(
    hollow: dict[str, tuple[Points, Faces]], progress: Progress | None
) -> dict[str, list[Points] | DecompositionError]:
    """Return the parts of each component, or why there are none."""
    out: dict[str, list[Points] | DecompositionError] = {}
    for key in hollow:
        kept = _read(_place_of(key))
        if kept is not None:
            out[key] = kept
    missing = [key for key in hollow if key not in out]
    if not missing:
        return out

    from concurrent.futures import ThreadPoolExecutor, as_completed

    def cut(key: str) -> list[Points] | DecompositionError:
        try:
            return convex_parts(*hollow[key], key=key)
        except DecompositionError as error:
            return error

    tell = progress or (lambda _what, _done, _all: None)
    # each component is a process of its own; these threads only wait for them
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        waiting = {pool.submit(cut, key): key for key in missing}
        try:
            tell(TASK, 0, len(missing))
            for done, future in enumerate(as_completed(waiting), start=1):
                out[waiting[future]] = future.result()
                tell(TASK, done, len(missing))
        except BaseException:  # Ctrl-C: nobody waits for the rest
            _stop_workers(pool)
            tell(TASK, len(missing), len(missing))
            raise
    return out


_running: set[subprocess.Popen[str]] = set()


def _stop_workers(pool: ThreadPoolExecutor) -> None:
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in tuple(_running):
        worker.kill()


def _moving_meshes(scene: Scene) -> Iterator[GeometryMesh]:
    """Yield the meshes that may collide as convex parts: those that move, and what devices feel with."""
    for body in scene.bodies:
        for link, is_moving in zip(body.links, moving_links(body), strict=True):
            yield from _collision_meshes(link.shapes if is_moving else ())
            yield from _collision_meshes(_touch_probes(link))


def _meshes_cut_at_once(scene: Scene) -> Iterator[GeometryMesh]:
    """Yield the meshes that more than the contacts of a step asks for: touch probes, driven robots."""
    for body in scene.bodies:
        for link, is_moving in zip(body.links, moving_links(body), strict=True):
            if is_moving and not is_cut_when_met(link):
                yield from _collision_meshes(link.shapes)
            yield from _collision_meshes(_touch_probes(link))


def is_cut_when_met(link: Link) -> bool:
    """Whether the hollow meshes of a link that moves stay whole until one meets another."""
    return link.motion is Motion.DYNAMIC


def _touch_probes(link: Link) -> Iterator[Shape]:
    for device in link.devices:
        if isinstance(device, DeviceTouchSensor | DeviceVacuumGripper):
            yield from device.feelers


def _collision_meshes(shapes: Iterable[Shape]) -> Iterator[GeometryMesh]:
    for shape in shapes:
        if shape.role is not ShapeRole.VISUAL and isinstance(shape.geometry, GeometryMesh):
            yield shape.geometry


def moving_links(body: Body) -> list[bool]:
    """Return for each link whether physics or wheels without physics move it, or what it is part of."""
    driven = {robot.link for robot in body.robots if robot.drive is not None}
    out: list[bool] = []
    for index, link in enumerate(body.links):
        carried = link.parent is not None and out[link.parent]
        out.append(link.motion is Motion.DYNAMIC or carried or index in driven)
    return out


def _coacd_version() -> str | None:
    """Return which coacd is installed; None = it is not."""
    import importlib.metadata

    try:
        return importlib.metadata.version("coacd")
    except importlib.metadata.PackageNotFoundError:
        return None


def content_key(points: Points, faces: Faces) -> str:
    """Return a name for the parts of a mesh: its content, the settings and coacd's version."""
    version = _coacd_version() or "none"
    settings = json.dumps([SETTINGS, COARSE, _settings(points, faces)])
    digest = hashlib.sha256(f"{LAYOUT} {version} {settings}".encode())
    digest.update(np.ascontiguousarray(points, dtype="<f8").tobytes())
    digest.update(np.ascontiguousarray(faces, dtype="<i8").tobytes())
    return digest.hexdigest()


def convex_parts(
    points: Points, faces: Faces, *, key: str | None = None, time_limit: float = TIME_LIMIT
) -> list[Points]:
    """Return the corners of convex parts of a mesh, from the cache or cut now.

    Raises:
        DecompositionError: coacd is missing, failed or took too long; the last two are remembered.
    """
    kept = _place_of(key or content_key(points, faces))
    found = _read(kept)
    if found is not None:
        return found
    failure = kept.with_suffix(".failed")
    reason = _read_failure(failure)
    if reason:
        raise DecompositionError(reason)
    if _coacd_version() is None:
        raise DecompositionError(f"cutting meshes {needs('meshes')}")
    errors: list[str] = []
    fine = _settings(points, faces)
    for settings in (fine, {**fine, **COARSE}):
        try:
            found = fitted_to_hull(_cut(points, faces, settings, time_limit), points)
        except DecompositionStopped:
            raise
        except DecompositionError as error:
            errors.append(str(error))
            continue
        _keep(kept, _parts_file(found))
        return found
    _keep(failure, errors[0].encode())
    raise DecompositionError(errors[0])


def _settings(points: Points, faces: Faces) -> dict[str, object]:
    """Return what coacd is told about a mesh: by its size and its number of faces."""
    size = float(np.ptp(points, axis=0).max())
    # cells of half the depth that counts are small enough
    cells = min(max(round(2.0 * size / SHALLOW), ROUGHEST_COPY), FINEST_COPY)
    out = {**SETTINGS, "threshold": _threshold(points), "preprocess_resolution": cells}
    return {**out, **COARSE} if len(faces) > MANY_FACES else out


def _threshold(points: Points) -> float:
    """Return what coacd may fill wrongly, as a share of half the size of a mesh."""
    half = float(np.ptp(points, axis=0).max()) / 2.0
    return min(max(SHARE_OF_SIZE, SHALLOW / half), MOST_SHARE)


def _place_of(key: str) -> Path:
    return cache_folder(os.environ, "convex-parts") / f"{key}.npz"


def _read(path: Path) -> list[Points] | None:
    """Return kept parts; None = there are none, or the file is damaged: they are made anew."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as packed:
            if sum(item.file_size for item in packed.infolist()) > MAX_KEPT:
                return None
        # without pickles: a file may be anybody's
        with np.load(path, allow_pickle=False) as kept:
            points, counts = kept["points"], kept["counts"]
        if points.dtype.kind != "f" or counts.dtype.kind not in "iu":
            return None
        if points.ndim != 2 or points.shape[1] != 3 or counts.ndim != 1 or not len(counts):
            return None
        if counts.min() < 1 or counts.sum() != len(points) or not np.isfinite(points).all():
            return None
        return np.split(points.astype(float), np.cumsum(counts)[:-1])
    except Exception:  # damage in a zip file makes its readers raise anything at all
        return None


def _read_failure(path: Path) -> str:
    """Return why a mesh could not be cut before; empty = it was not tried, or the note is damaged."""
    try:
        return path.read_text(encoding="utf-8")[:MAX_REASON] if path.is_file() else ""
    except (OSError, ValueError):
        return ""


def _parts_file(parts: list[Points]) -> bytes:
    buffer = io.BytesIO()
    counts = np.array([len(part) for part in parts])
    np.savez_compressed(buffer, points=np.concatenate(parts), counts=counts)
    return buffer.getvalue()


def _keep(path: Path, content: bytes) -> None:
    """Write beside its place, then move there; a cache that cannot be written is no error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError:
        return


def _cut(
    points: Points, faces: Faces, settings: Mapping[str, object], time_limit: float
) -> list[Points]:
    worker = Path(__file__).with_name("convex_decomposition_worker.py")
    with tempfile.TemporaryDirectory(prefix="solidbody-parts-") as folder:
        given, made = Path(folder) / "in.npz", Path(folder) / "out.npz"
        np.savez(given, points=points, faces=faces, settings=json.dumps(settings))
        # -P: the modules beside the worker are not to stand in for others of the same name
        command = [sys.executable, "-P", str(worker), str(given), str(made), str(time_limit)]
        code, stderr = _run_worker(command, time_limit)
        found = _read(made)
        if code == TOO_LONG:
            raise DecompositionError(f"coacd took more than {time_limit:g} s")
        if code in _ENDED:
            raise DecompositionStopped("coacd was ended from outside")
        if code != 0 or found is None:
            said = stderr.strip().splitlines()
            raise DecompositionError(f"coacd failed: {said[-1] if said else f'code {code}'}")
        return found


_ENDED = {-signal.SIGINT, -signal.SIGTERM, -9}
"""Exit codes of a worker that somebody ended."""


def _run_worker(command: list[str], time_limit: float) -> tuple[int, str]:
    """Return the exit code and what it said; it does not hear Ctrl-C, which would look like a failure."""
    try:
        worker = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # several run side by side
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
    except OSError as error:
        raise DecompositionError(f"coacd could not be started: {error}") from error
    _running.add(worker)
    try:
        _, stderr = worker.communicate(timeout=PATIENCE * max(time_limit, 1.0))
    except subprocess.TimeoutExpired:
        return TOO_LONG, ""
    finally:
        _running.discard(worker)
        if worker.poll() is None:
            worker.kill()
            worker.wait()
    return worker.returncode, stderr
