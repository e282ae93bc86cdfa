"""`python -m benchmarks.device_coverage FOLDER`: what keeps the worlds of a folder from a graphics card.

Worlds are opened and nothing is run. A reason counts once per world: those of the world itself, which refuse
all of it, and those of sensors, which refuse only to be bound.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from solidbody.devices.imaging.world_images import why_not, why_not_seen
from solidbody.formats.loading import load
from solidbody.gpu.coverage import refusals
from solidbody.gpu.model_tables import model_tables
from solidbody.model import devices as d
from solidbody.sim import Sim
from solidbody.sim.batch.channels import SENSOR_OF, Channels, ItemKind
from solidbody.sim.batch.device_images import is_image, sees
from solidbody.sim.batch.device_sensors import DeviceSensors


def plain(what: str) -> str:
    """Return a reason without the names of things."""
    what = re.sub(r'\s*\(boundingObject of "[^"]*"\)', "", what)
    what = re.sub(r": .*|^\d+ ", "", what)
    return re.sub(r"\s*\(.*\)$", "", what)


def of_world(sim: Sim) -> set[str]:
    """Return why a world cannot be on a device."""
    return {plain(found.what) for found in refusals(sim.compiled)}


def of_sensors(sim: Sim) -> Iterator[str]:
    """Return why sensors of a world that can be there cannot be read."""
    sensors = DeviceSensors(sim, model_tables(sim.compiled))
    devices = sim.devices.devices
    for channel in Channels(sim, devices).values():
        if channel.kind is not ItemKind.DEVICE:
            continue
        for row in channel.rows:
            if is_image(channel):
                device = devices[row].device
                assert isinstance(device, d.DeviceCamera | d.DeviceRangeFinder | d.DeviceLidar)
                why = why_not(device, sim.devices.world)
                if why is not None:
                    yield f"{channel.name.split('.')[1]}: {why}"
            elif sees(devices[row]):
                why = why_not_seen(sim.devices.world)
                if why is not None:
                    yield f"{channel.name.split('.')[1]}: {why}"
            elif channel.name in SENSOR_OF:
                try:
                    sensors.item(channel.name, devices[row], row, None, 0)
                except ValueError as error:
                    yield f"{channel.name.split('.')[1]}: {plain(str(error).split('a device: ')[-1])}"


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--suffix", default=".wbt")
    options = parser.parse_args()
    worlds, sensing, all_of_it, opened, free = Counter[str](), Counter[str](), 0, 0, 0
    for path in sorted(options.folder.rglob(f"*{options.suffix}")):
        try:
            sim = Sim(load(path))
        except Exception as error:  # what cannot be opened is no matter of devices
            print(f"{path}: {type(error).__name__}", file=sys.stderr, flush=True)
            continue
        opened += 1
        found = of_world(sim)
        worlds.update(found)
        if found:
            continue
        free += 1
        missing = set(of_sensors(sim))
        sensing.update(missing)
        all_of_it += not missing
    print(f"{opened} worlds, {free} on a device, {all_of_it} of them with all of their sensors")
    for title, counts in (("refused worlds", worlds), ("refused sensors", sensing)):
        print(f"{title}:")
        for what, count in counts.most_common():
            print(f"{count:6} {what}")


if __name__ == "__main__":
    main()
