"""`solidbody controller`: connects a program of the user's own to a robot of a running simulation."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from solidbody.cli.console import say, say_error
from solidbody.cli.status import BAD_INPUT

PAUSE: Final = 0.05
"""[s] Between looks for a simulation."""

TELL_AFTER: Final = 1.0
"""[s] After which the user is told that nothing is there yet."""


def run_extern(
    program: Path,
    arguments: Sequence[str],
    robot: str,
    port: int,
    python: str | None,
    patience: float,
) -> int:
    """Run a program with the variables that let it find its robot; return its exit status."""
    from solidbody.control.interpreters import InterpreterError, interpreter
    from solidbody.control.programs import CLIENT

    if not program.is_file():
        say_error(f"{program}: no such file")
        return BAD_INPUT
    path = [str(CLIENT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(part for part in path if part),
        "WEBOTS_CONTROLLER_URL": f"ipc://{port}/{quote(robot)}",
    }
    try:
        wait_for_simulation(port, patience)
    except KeyboardInterrupt:
        return 130
    first: tuple[str, ...] = (str(program.resolve()),)
    try:
        if program.suffix == ".py":
            first = (interpreter(python), "-u", str(program))
        return subprocess.run((*first, *arguments), env=environment, check=False).returncode
    except KeyboardInterrupt:
        return 130
    except InterpreterError as error:
        say_error(str(error))
        return BAD_INPUT
    except OSError as error:
        say_error(f"{program}: {error.strerror or error}")
        return BAD_INPUT


def wait_for_simulation(port: int, patience: float) -> None:
    """Wait until a simulation waits for programs, so that both may be started at once.

    Args:
        port: Its number.
        patience: For how long [s]; the program tells what is wrong if none comes.
    """
    from solidbody.control.client import solidbody_wire as wire

    begun, said = time.monotonic(), False
    while wire.find(port) is None and (waited := time.monotonic() - begun) < patience:
        if waited > TELL_AFTER and not said:
            others = ", ".join(map(str, wire.ports()))
            say(
                f"waiting for a simulation on port {port}{others and f'; there are some on {others}'}"
            )
            said = True
        time.sleep(PAUSE)
