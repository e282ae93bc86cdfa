"""The library with sanitizers of addresses and undefined behaviour passes what the others ask of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from solidbody.contact.build import CONTROLLER, build_native
from tests.control.c import test_c_cars as cars
from tests.control.c import test_c_devices as devices
from tests.control.c import test_c_many as many
from tests.control.c import test_c_rest as rest
from tests.control.c import test_c_robot as robots
from tests.control.c import test_c_supervisor as supervisors
from tests.control.c.programs import OPTIONS, need_c
from tests.control.projects import Project

FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")
TESTS = [
    test
    for module in (cars, devices, many, rest, robots, supervisors)
    for name, test in vars(module).items()
    if name.startswith("test_") and list(inspect.signature(test).parameters) == ["project"]
]


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


@pytest.mark.slow
@pytest.mark.usefixtures("sanitized")
@pytest.mark.parametrize("test", TESTS)
def test_nothing_is_wrong_with_memory_or_numbers(
    test: Callable[[Project], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sanitizer says what it found and ends the program with its own status."""
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        monkeypatch.setenv(name, "exitcode=99:detect_leaks=1")
    protos = tmp_path / "protos"
    protos.mkdir()
    (protos / "Block.proto").write_text(supervisors.PROTO)
    project = (many.prepared if test.__module__ == many.__name__ else Project)(tmp_path)
    test(project)
    assert not [text for _, text in project.said if "exited with 99" in text]
    assert not re.search("Sanitizer|runtime error", "\n".join(project.errors()))
