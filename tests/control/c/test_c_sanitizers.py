"""The library with sanitizers of addresses and undefined behaviour passes what the others ask of it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

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


def _cases() -> Iterator[Any]:
    """Return the tests that take a project, and beside it a `MonkeyPatch` or values from a list."""
    for module in (cars, devices, many, rest, robots, supervisors):
        for name, test in vars(module).items():
            if not name.startswith("test_"):
                continue
            wanted = list(inspect.signature(test).parameters)
            marks = [m.args for m in getattr(test, "pytestmark", ()) if m.name == "parametrize"]
            lists = [values for names, values in marks if _split(names) == wanted[1:]]
            if wanted == ["project"]:
                yield pytest.param(test, (), id=name)
            elif wanted == ["project", "monkeypatch"]:
                yield pytest.param(test, (pytest.MonkeyPatch,), id=name)
            elif wanted[0] == "project" and lists:
                for number, given in enumerate(lists[0]):
                    values = given if isinstance(given, tuple) else (given,)
                    yield pytest.param(test, values, id=f"{name}-{number}")


def _split(names: str | Sequence[str]) -> list[str]:
    return re.findall(r"\w+", names) if isinstance(names, str) else list(names)


TESTS = list(_cases())


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
@pytest.mark.parametrize(("test", "values"), TESTS)
def test_nothing_is_wrong_with_memory_or_numbers(
    test: Callable[..., None],
    values: tuple[Any, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sanitizer says what it found and ends the program with its own status."""
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
        monkeypatch.setenv(name, "exitcode=99:detect_leaks=1")
    protos = tmp_path / "protos"
    protos.mkdir()
    (protos / "Block.proto").write_text(supervisors.PROTO)
    project = (many.prepared if test.__module__ == many.__name__ else Project)(tmp_path)
    test(project, *(monkeypatch if value is pytest.MonkeyPatch else value for value in values))
    assert not [text for _, text in project.said if "exited with 99" in text]
    assert not re.search("Sanitizer|runtime error", "\n".join(project.errors()))
