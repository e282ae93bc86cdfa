"""Scenes varied on a worker: the same bytes as those of a file in which the values are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import solidbody as sb
from solidbody.sim import Sim
from solidbody.sweeps.bench import Bench
from solidbody.sweeps.jobs import Job
from solidbody.sweeps.preparing import prepare
from solidbody.sweeps.study_file import study_of
from tests.sweeps.worlds import BOX, ROBOT, sliding, write


def bench_of(study: dict[str, Any]) -> tuple[Bench, tuple[Job, ...]]:
    prepared = prepare(study_of(study))
    return Bench(prepared.data), prepared.jobs


def bytes_after(sim: Sim, steps: int = 60) -> bytes:
    sim.step(steps)
    return sim.snapshot().to_bytes()


FIELDS: dict[str, tuple[str, list[Any], bool]] = {
    "friction": ("WorldInfo.contactProperties[0].coulombFriction", [0.1, 0.3], True),
    "mass": ("BOX.MASS.mass", [1.0, 2.0], True),
    "place": ("BOX.translation", [(0, 0, 0.1), (0, 1, 0.3)], True),
    "size": ("FORM.size", [(0.2, 0.2, 0.2), (0.3, 0.2, 0.2)], False),
    "gravity": ("WorldInfo.gravity", [9.81, 1.62], False),
    "step": ("WorldInfo.basicTimeStep", [8, 4], False),
    "velocity": ("BOX.linearVelocity", [(2, 0, 0), (0, 1, 0)], False),
}


@pytest.mark.parametrize("case", FIELDS)
def test_varied_field_is_as_if_it_were_written_in_the_file(case: str, tmp_path: Path) -> None:
    """Step by step to the byte, whatever runs were done before; patched where only numbers differ."""
    path, values, is_patched = FIELDS[case]
    parameters = {"x": {"path": path, "values": values}}
    bench, jobs = bench_of(sliding(tmp_path, parameters=parameters))
    for job in (jobs[1], jobs[0], jobs[1]):
        world = sb.load_world(tmp_path / "box.wbt")
        world.set(path, job.values[0])
        world.save(tmp_path / "written.wbt")
        expected = bytes_after(Sim(sb.load(tmp_path / "written.wbt")))
        assert bytes_after(bench.simulation(bench.scene(job))) == expected
    assert bench.compilations == (0 if is_patched else 1)


def test_attribute_is_patched_like_a_field(tmp_path: Path) -> None:
    """The same friction by another path."""
    first, jobs = bench_of(sliding(tmp_path))
    parameters = {"friction": {"model": "contacts[ice,default].friction", "values": [0.2, 0.4]}}
    second, others = bench_of(sliding(tmp_path, parameters=parameters))
    for job, other in zip(jobs, others, strict=True):
        a = first.simulation(first.scene(job))
        assert bytes_after(a) == bytes_after(second.simulation(second.scene(other)))
    assert second.compilations == 0


def test_structures_are_compiled_once_each(tmp_path: Path) -> None:
    """Two sizes times three frictions: one compilation beside the first."""
    parameters = {
        "size": {"path": "FORM.size", "values": [(0.2, 0.2, 0.2), (0.3, 0.2, 0.2)]},
        "friction": {
            "path": "WorldInfo.contactProperties[0].coulombFriction",
            "values": [0.2, 0.3, 0.4],
        },
    }
    bench, jobs = bench_of(sliding(tmp_path, parameters=parameters))
    for job in (*jobs, *reversed(jobs)):
        bench.simulation(bench.scene(job))
    assert bench.compilations == 1


def test_seed_is_that_of_the_noise(tmp_path: Path) -> None:
    """As if randomSeed were written in the file; without compiling."""
    write(tmp_path, robot_wbt=ROBOT % ("<none>", "FALSE"))
    study = {"scene": tmp_path / "robot.wbt", "duration": 1, "seeds": [3, 4]}
    bench, jobs = bench_of(study)

    def noise(sim: Sim) -> list[float]:
        gps = sim.device("gps")
        gps.enable(0.008)
        sim.step(5)
        return list(gps.value)

    found = [noise(bench.simulation(bench.scene(job))) for job in jobs]
    for job, values in zip(jobs, found, strict=True):
        text = (ROBOT % ("<none>", "FALSE")).replace("{ basic", f"{{ randomSeed {job.seed} basic")
        write(tmp_path, seeded_wbt=text)
        assert noise(Sim(sb.load(tmp_path / "seeded.wbt"))) == values
    assert found[0] != found[1]
    assert bench.compilations == 0


def test_seed_from_the_clock_is_the_same_for_all_runs(tmp_path: Path) -> None:
    """A study has the same results everywhere, also of a world with randomSeed -1."""
    text = (ROBOT % ("<none>", "FALSE")).replace("{ basic", "{ randomSeed -1 basic")
    write(tmp_path, robot_wbt=text)
    parameters = {"noise": {"path": "NOISY.accuracy", "values": [0.1, 0.2]}}
    study = {"scene": tmp_path / "robot.wbt", "duration": 1, "parameters": parameters}
    prepared = prepare(study_of(study))
    benches = [Bench(prepared.data) for _ in range(2)]
    seeds = {b.scene(job).physics.random_seed for b in benches for job in prepared.jobs}
    assert seeds == {prepared.data.scene.physics.random_seed}


def test_error_that_a_value_brings_is_a_message(tmp_path: Path) -> None:
    """A path that leads into the file, a value that the scene cannot have."""
    write(tmp_path, box_wbt=BOX)
    parameters = {
        "form": {
            "path": "BOX.boundingObject",
            "values": ["Box { size 1 1 1 }", "Sphere { radius 1 }"],
        }
    }
    bench, jobs = bench_of(sliding(tmp_path, parameters=parameters))
    forms = [bench.scene(job).bodies[1].links[0].shapes[0].geometry for job in jobs]
    assert [type(form).__name__ for form in forms] == ["GeometryBox", "GeometrySphere"]
