"""Chooses the recorder for a file by its extension."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from solidbody.base.extras import missing_modules, needs
from solidbody.base.output_files import reason_of
from solidbody.record.base import Recorder, RecordError, check_record_target, turn_on_sensors

if TYPE_CHECKING:
    from solidbody.sim import Sim


RecorderMaker = Callable[["Sim", Path, float | None], Recorder]
"""Makes a recorder for a file, with the time between records [s]; None = the usual."""


def _mcap(sim: Sim, path: Path, period: float | None) -> Recorder:
    if missing_modules("foxglove"):
        raise RecordError(f"{path}: MCAP {needs('foxglove')} (tables as .csv work without)")
    from solidbody.record.mcap_file import McapRecorder

    return McapRecorder(sim, path, period)


def _csv(sim: Sim, path: Path, period: float | None) -> Recorder:
    from solidbody.record.table import TableRecorder

    return TableRecorder(sim, path, period)


def _gltf(sim: Sim, path: Path, period: float | None) -> Recorder:
    from solidbody.record.gltf_file import GltfRecorder

    return GltfRecorder(sim, path, period)


RECORDERS: Final[dict[str, RecorderMaker]] = {
    ".mcap": _mcap,
    ".csv": _csv,
    ".glb": _gltf,
    ".gltf": _gltf,
}
"""Recorders by extension."""


def recorder_for(
    sim: Sim,
    path: Path,
    *,
    period: float | None = None,
    all_sensors: bool = False,
    more: Mapping[str, RecorderMaker] = MappingProxyType({}),
) -> Recorder:
    """Return a recorder that goes along with `sim` and writes to `path`; close it at the end.

    Args:
        sim: The simulation.
        path: The file; its extension chooses the format.
        period: Time between records [s]; None = every step, but not more often than 100 times a second.
        all_sensors: Whether every sensor is turned on, not only those that a program has turned on.
        more: Recorders for other extensions.

    Raises:
        RecordError: The extension is unknown, or the file cannot be written.
    """
    known = {**RECORDERS, **more}
    make = known.get(path.suffix.lower())
    if make is None:
        raise RecordError(
            f'{path}: cannot record to files with the extension "{path.suffix}"; '
            f"known: {', '.join(known)}"
        )
    check_record_target(path)
    if all_sensors:
        turn_on_sensors(sim)
    try:
        recorder = make(sim, path, period)
    except OSError as error:
        raise RecordError(f"{path} cannot be written: {reason_of(error)}") from error
    sim.attach(recorder)
    return recorder
