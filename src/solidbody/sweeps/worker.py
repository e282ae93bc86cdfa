"""A worker in a process of its own: `python -m solidbody.sweeps.worker FD`.

It gets a study once and then lists of jobs through a pipe, and answers each list with its outcomes. It ends
when nobody is at the other end.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from multiprocessing.connection import Connection

from solidbody.base.errors import SolidbodyError

IN_WORKER = "SOLIDBODY_SWEEP_WORKER"
"""Environment variable that is set in workers: studies do not start studies."""


def main(number: int) -> None:
    """Serve the other end of a pipe."""
    os.environ[IN_WORKER] = "1"
    pipe = Connection(number)
    # programs of robots end with their worker, as they do with `run`
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        _serve(pipe)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return


def _serve(pipe: Connection) -> None:
    from solidbody.sweeps.run import Workplace

    try:
        place = Workplace(pickle.loads(pipe.recv_bytes()), threads=1)
    except SolidbodyError as error:
        pipe.send(str(error))
        return
    pipe.send([])
    while True:
        jobs = pipe.recv()
        pipe.send([place.do(job) for job in jobs])


if __name__ == "__main__":
    main(int(sys.argv[1]))
