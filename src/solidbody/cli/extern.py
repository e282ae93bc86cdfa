"""`solidbody controller`: connects a program of the user's own to a robot of a running simulation."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from solidbody.cli.console import say_error
from solidbody.cli.status import BAD_INPUT


def run_extern(
    program: Path, arguments: Sequence[str], robot: str, port: int, python: str | None
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
