"""Watchdog process: ends everything that controllers have started, when the simulator is gone.

However the simulator ends (also killed, when it can do nothing any more), the system closes the pipe between
them. Then the watchdog ends every program that still belongs to the run:

- the controllers and all in their process groups;
- all programs with the secret of the run in their environment, which each program gets from the one that
  started it, also one that has a session of its own or whose parent has ended.

First they have a moment to end by themselves, then they are asked to (SIGTERM), then they are killed.
Runs with any Python 3 and nothing of ours, so that it is there in a moment. Lines on its standard input:
`secret TEXT`, `folder PATH` and `file PATH` (to be removed), `+ NUMBER` and `- NUMBER` (a controller has
begun, has ended), `hurry` (they had their moment).
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time

MOMENT = 1.0
"""[s] In which programs may end by themselves: their connection is closed, and steps return -1."""

ASKED = 0.5
"""[s] In which they may end when they are asked to."""

KILLED = 2.0
"""[s] After which those that cannot be killed are left."""

LOOK = 0.03
"""[s] How often it is looked who is left."""

PARENT = 2.0
"""[s] How often it is looked whether the simulator is there: one that has forked leaves the pipe open."""

PROC = "/proc"


def main() -> None:
    """Wait for the end of the simulator, then end what is left."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    orders = listen()
    secret = b""
    groups: set[int] = set()
    places: list[str] = []
    hurries = False
    for line in orders:
        word, _, rest = line.partition(b" ")
        if word == b"secret":
            secret = rest
        elif word in (b"folder", b"file"):
            places.append(os.fsdecode(rest))
        elif word == b"+":
            groups.add(int(rest))
        elif word == b"-":
            groups.discard(int(rest))
        elif word == b"hurry":
            hurries = True
    end_programs(groups, secret, 0.0 if hurries else MOMENT)
    for place in places:
        if os.path.isdir(place):
            shutil.rmtree(place, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                os.unlink(place)


def listen() -> list[bytes]:
    """Return the lines that have come, once the simulator has gone."""
    parent, heard = os.getppid(), b""
    while True:
        if not select.select([0], [], [], PARENT)[0]:
            if os.getppid() != parent:
                break
            continue
        data = os.read(0, 1 << 16)
        if not data:
            break
        heard += data
    return heard.splitlines()


def end_programs(groups: set[int], secret: bytes, moment: float) -> None:
    """End all programs of these groups and with this secret."""
    for number, patience in (
        (0, moment),
        (int(signal.SIGTERM), ASKED),
        (int(signal.SIGKILL), KILLED),
    ):
        deadline = time.monotonic() + patience
        told: set[int] = set()
        while True:
            left = programs(groups, secret)
            if not left:
                return
            for pid in left - told if number else ():
                with contextlib.suppress(OSError):
                    os.kill(pid, number)
            told |= left
            if time.monotonic() >= deadline:
                break
            time.sleep(LOOK)


def programs(groups: set[int], secret: bytes) -> set[int]:
    """Return the programs that run in these groups or have this secret in their environment."""
    own = os.getpid()
    found = _of_proc(groups, secret) if os.path.isdir(PROC + "/self") else _of_ps(groups, secret)
    return found - {own}


def _of_proc(groups: set[int], secret: bytes) -> set[int]:
    out: set[int] = set()
    for name in os.listdir(PROC):
        if not name.isdigit():
            continue
        try:
            with open(f"{PROC}/{name}/stat", "rb") as file:
                # after the program's name, which may hold anything: state, parent, group
                state, _, group = file.read().rpartition(b")")[2].split()[:3]
            if state in (b"Z", b"X"):
                continue
            if int(group) in groups:
                out.add(int(name))
                continue
            with open(f"{PROC}/{name}/environ", "rb") as file:
                if secret and secret in file.read():
                    out.add(int(name))
        except (OSError, ValueError):
            continue  # it has just ended, or belongs to another user
    return out


def _of_ps(groups: set[int], secret: bytes) -> set[int]:
    """The same where there is no /proc, as on macOS."""
    flags = "-AEww" if sys.platform == "darwin" else "axeww"
    columns = ["-o", "pid=", "-o", "pgid=", "-o", "stat=", "-o", "command="]
    out: set[int] = set()
    try:
        lines = subprocess.run(["ps", flags, *columns], stdout=subprocess.PIPE, check=False).stdout
    except OSError:
        return out
    for line in lines.splitlines():
        parts = line.split(None, 3)
        if len(parts) < 3 or not parts[0].isdigit() or parts[2].startswith(b"Z"):
            continue
        if int(parts[1]) in groups or (secret and len(parts) > 3 and secret in parts[3]):
            out.add(int(parts[0]))
    return out


if __name__ == "__main__":
    main()
