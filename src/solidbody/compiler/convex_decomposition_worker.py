"""Program that runs one convex decomposition in a process of its own, with a time limit.

    python convex_decomposition_worker.py IN.npz OUT.npz SECONDS

IN holds `points`, `faces` and `settings` (JSON); OUT gets the corners of the parts, one part
after the other, as `points`, and `counts`, how many each has. It ends with status 3 when it
would take more than SECONDS of the processor's time.
It imports nothing of ours.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Sequence

import numpy as np

TOO_LONG = 3
"""Exit status when time is up."""


def limit_time(seconds: float) -> None:
    """End this process when it has worked for so long; coacd lets other threads run meanwhile."""
    parent = os.getppid()

    def watch() -> None:
        # nobody waits for the result when whoever asked is gone
        while time.process_time() < seconds and os.getppid() == parent:
            time.sleep(0.1)
        os._exit(TOO_LONG)

    threading.Thread(target=watch, daemon=True).start()


def main(arguments: Sequence[str]) -> int:
    """Run; 0 = OUT was written."""
    import coacd

    limit_time(float(arguments[2]))

    coacd.set_log_level("error")
    with np.load(arguments[0]) as given:
        mesh = coacd.Mesh(given["points"], given["faces"])
        settings = json.loads(str(given["settings"]))
    parts = coacd.run_coacd(mesh, **settings)
    corners = [np.asarray(part[0], dtype=float) for part in parts]
    counts = np.array([len(part) for part in corners])
    np.savez(arguments[1], points=np.concatenate(corners), counts=counts)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
