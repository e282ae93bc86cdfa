"""The library with sanitizers of addresses and undefined behaviour passes what the others ask of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from solidbody.contact.build import CONTROLLER, build_native
from tests.control.c import test_c_devices as devices
from tests.control.c import test_c_robot as robots
from tests.control.c import test_c_supervisor as supervisors
from tests.control.c.programs import OPTIONS, need_c
from tests.control.projects import Project

FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")
TESTS = (
    devices.test_motors_brakes_and_position_sensors,
    devices.test_old_servos_and_wheels,
    devices.test_sensors_of_numbers,
    devices.test_cameras,
    devices.test_range_finders_and_lidars,
    devices.test_emitters_and_receivers,
    devices.test_what_holds_shows_and_sounds,
    devices.test_displays,
    supervisors.test_nodes,
    supervisors.test_protos,
    supervisors.test_fields,
    supervisors.test_the_run,
    robots.test_facts_and_devices,
    robots.test_users_and_windows,
    robots.test_motions,
    robots.test_messages_are_those_of_webots,
    robots.test_supervisors_are_told_of_wrong_arguments,
)


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let programs be compiled with sanitizers, and take a library that is."""
    need_c()
    library = tmp_path_factory.mktemp("sanitized") / CONTROLLER.file.name
    built = build_native(CONTROLLER, output=library, extra_flags=FLAGS)
    if not built.ok:
        pytest.skip(f"no sanitizers here: {built.message.splitlines()[-1]}")
    OPTIONS.flags, OPTIONS.library = FLAGS, library
    yield
    OPTIONS.flags, OPTIONS.library = (), None


@pytest.mark.usefixtures("sanitized")
@pytest.mark.parametrize("test", TESTS)
def test_nothing_is_wrong_with_memory_or_numbers(
    test: Callable[[Project], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sanitizer ends the program with its own status, which is an error of the run."""
    monkeypatch.setenv("ASAN_OPTIONS", "exitcode=99:detect_leaks=1")
    protos = tmp_path / "protos"
    protos.mkdir()
    (protos / "Block.proto").write_text(supervisors.PROTO)
    project = Project(tmp_path)
    test(project)
    assert not [text for level, text in project.said if level == "error"]
