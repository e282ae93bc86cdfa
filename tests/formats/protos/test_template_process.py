"""One process evaluates the templates of one load after the other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from solidbody.formats.webots.protos import template_process
from tests.formats.protos.projects import JAVASCRIPT, LUA, read_quietly
from tests.waiting import wait_until

HEADERS = {"javascript": JAVASCRIPT, "lua": LUA}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that this test starts; none waits for work at its beginning."""
    made: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def noted(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        made.append(start(*arguments, **options))  # type: ignore[call-overload]
        return made[-1]

    monkeypatch.setattr(template_process, "_idle", {})
    monkeypatch.setattr(template_process, "_answers", template_process.SizedStore(0))
    monkeypatch.setattr(template_process.subprocess, "Popen", noted)
    return made


def name_of(folder: Path, language: str, code: str) -> str:
    """Return what a template gives as a name, in a load of its own."""
    value = f"%<= {code} >%" if language == "javascript" else f"%{{= {code} }}%"
    proto = f'{HEADERS[language]}PROTO P [ ] {{ Solid {{ name "{value}" }} }}'
    return next(read_quietly(folder, "P { }", {"P": proto}).links()).name


@pytest.mark.parametrize("language", HEADERS)
def test_the_next_load_finds_the_process_and_nothing_of_the_last_one(
    tmp_path: Path, started: list[subprocess.Popen[bytes]], language: str
) -> None:
    """Each evaluation has a context of its own, so nothing is carried from one world to another."""
    write, read = {
        "javascript": (
            "(globalThis.left = 'x', Math.abs = 'y', 'a')",
            "typeof left + typeof Math.abs",
        ),
        "lua": ("rawset(_G, 'left', 'x') and 'a'", "type(left) .. type(math.abs)"),
    }[language]
    assert name_of(tmp_path, language, write) == "a"
    assert name_of(tmp_path, language, read) in ("undefinedfunction", "nilfunction")
    assert len(started) == 1


def test_a_process_that_ended_while_it_had_no_work_is_replaced(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    assert name_of(tmp_path, "javascript", "'a'") == "a"
    started[0].kill()
    wait_until(lambda: started[0].poll() is not None)
    assert name_of(tmp_path, "javascript", "'b'") == "b"
    assert len(started) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_process_that_ends_as_it_is_asked_is_asked_anew(
    tmp_path: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have gone to its idle end just then, or have had its memory taken by templates before."""
    assert name_of(tmp_path, "javascript", "'a'") == "a"
    os.kill(started[0].pid, signal.SIGSTOP)  # it still counts as well when it is chosen
    ask = template_process._Worker.ask

    def ended(worker: template_process._Worker, program: str, values: str) -> str:
        if len(started) == 1:
            started[0].kill()
        return ask(worker, program, values)

    monkeypatch.setattr(template_process._Worker, "ask", ended)
    assert name_of(tmp_path, "javascript", "'b'") == "b"
    assert len(started) == 2


def test_a_process_without_work_ends_by_itself(
    tmp_path: Path, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "from solidbody.formats.webots.protos import template_engine as e; e.IDLE_TIME = 0.1; e.main()"
    monkeypatch.setattr(template_process, "_PROGRAM", program)
    assert name_of(tmp_path, "javascript", "'a'") == "a"
    wait_until(lambda: started[0].poll() == 0, "the end of the process")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork there")
def test_a_forked_program_starts_a_process_of_its_own(tmp_path: Path) -> None:
    """Two that talk to one process would take each other's answers."""
    program = f"""
import os, solidbody as sb
from solidbody.formats.webots.protos import template_process
sb.load({str(tmp_path / "world.wbt")!r})
assert list(template_process._idle) == ["javascript"]
child = os.fork()
if not child:
    os._exit(len(template_process._idle))
assert os.waitpid(child, 0)[1] == 0
"""
    proto = f'{JAVASCRIPT}PROTO P [ ] {{ Solid {{ name "%<= 1 >%" }} }}'
    (tmp_path / "P.proto").write_text(proto, "utf-8")
    (tmp_path / "world.wbt").write_text(
        '#VRML_SIM R2025a utf8\nEXTERNPROTO "P.proto"\nWorldInfo { }\nP { }\n', "utf-8"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
