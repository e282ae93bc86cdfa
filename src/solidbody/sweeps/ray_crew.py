"""Workers on Ray: actors of a cluster, or of one that is started here for the study.

The study goes into Ray's object store once, from where each worker takes it. A worker that is killed, or
whose machine is, is replaced by another one.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from solidbody.contact.engine import processors
from solidbody.sweeps.bench import BenchData
from solidbody.sweeps.crews import MOST_AT_ONCE, Report, payload_of
from solidbody.sweeps.jobs import Job, Lost, RunOutcome
from solidbody.sweeps.preparing import versions
from solidbody.sweeps.study import StudyError

LOOPBACK: Final = "127.0.0.1"

STORE: Final = 200_000_000
"""Bytes of the object store of a cluster of our own: a study is a few megabytes."""

START_TIME: Final = 120.0
"""[s] Until the first worker must have begun: clusters in the cloud may have to start a machine."""

START_TRIES: Final = 3

SLOW_START: Final = "timed out during startup"
"""What Ray says when its processes have not come up in the time that it gives them."""

KNOCK_TIMEOUT: Final = 20.0
"""[s] For a connection to a cluster."""

_ADDRESS = re.compile(r"(?:ray://)?([^/]+):([0-9]{1,5})")


class RayCrew:
    """Workers of a Ray cluster.

    Args:
        data: What they need.
        size: How many; None = one per processor that the cluster has.
        address: Of the cluster; None = one of our own on this machine, unless this program has joined one.

    Raises:
        StudyError: Ray is not installed, or the cluster cannot be joined or has other versions.
    """

    def __init__(self, data: BenchData, size: int | None, address: str | None) -> None:
        self._ray = ray = _import_ray()
        payload = payload_of(data)
        self._is_ours = not ray.is_initialized()
        if self._is_ours:
            _join(ray, size, address)
        cores = int(ray.cluster_resources().get("CPU", 1))
        self.size = max(1, cores if size is None else size)
        self.at_once = MOST_AT_ONCE
        self._actor = _actor_class(ray)
        self._payload = ray.put(payload)
        self._actors: dict[int, Any] = {}
        self._greetings: dict[Any, int] = {}
        self._work: dict[Any, int] = {}
        self._has_begun: set[int] = set()
        self._failed_starts = 0
        self._idle_since = time.monotonic()
        for worker in range(self.size):
            self._hire(worker)

    def _hire(self, worker: int) -> None:
        """Ask the cluster for a worker, which begins when there is a processor for it."""
        actor = self._actors[worker] = self._actor.remote(self._payload, versions())
        self._greetings[actor.greet.remote()] = worker

    def ready(self) -> Iterable[int]:
        """Return the workers that have begun."""
        return sorted(self._has_begun)

    def start(self, worker: int, jobs: Sequence[Job]) -> None:
        """Send jobs to a worker."""
        self._work[self._actors[worker].do.remote(list(jobs))] = worker

    def has_begun(self, worker: int) -> bool:
        """Tell that it has: others get no jobs."""
        return True

    @property
    def pids(self) -> dict[int, int]:
        """The numbers of the processes of those that have begun; for a cluster on this machine."""
        return {k: self._ray.get(self._actors[k].pid.remote()) for k in self.ready()}

    def wait(self, timeout: float) -> list[Report]:
        """Return what workers have done, and who is gone. Raises StudyError if they cannot start."""
        ray = self._ray
        awaited = [*self._work, *self._greetings]
        # all that is ready, without waiting for more
        ready, _ = ray.wait(awaited, num_returns=1, timeout=timeout)
        if ready:
            ready, _ = ray.wait(awaited, num_returns=len(awaited), timeout=0)
        reports: list[Report] = []
        for ref in ready:
            if ref in self._greetings:
                self._welcome(ref, self._greetings.pop(ref))
            else:
                worker = self._work.pop(ref)
                reports.append((worker, self._result(ref, worker)))
        if self._has_begun:
            self._idle_since = time.monotonic()
        elif time.monotonic() - self._idle_since > START_TIME:
            free = ray.available_resources().get("CPU", 0.0)
            raise StudyError(
                f"no worker has begun in {START_TIME:g} s; the cluster has {free:g} processors to spare"
            )
        return reports

    def _welcome(self, ref: Any, worker: int) -> None:
        """A worker has begun, or could not. Raises StudyError if none can."""
        errors = self._ray.exceptions
        try:
            problem = self._ray.get(ref)
        except (errors.RayTaskError, errors.RayError) as error:
            self._failed_starts += 1
            if self._failed_starts >= START_TRIES:
                cause = getattr(error, "cause", None) or error
                raise StudyError(f"workers do not start: {' '.join(str(cause).split())}") from None
            self._hire(worker)
            return
        if problem:
            raise StudyError(problem)
        self._failed_starts = 0
        self._has_begun.add(worker)

    def _result(self, ref: Any, worker: int) -> list[RunOutcome] | Lost:
        try:
            return self._ray.get(ref)
        except self._ray.exceptions.RayError:
            self._has_begun.discard(worker)
            with contextlib.suppress(Exception):  # it may still hold its place
                self._ray.kill(self._actors[worker])
            self._hire(worker)
            return Lost("its worker was ended")

    def kill(self, worker: int) -> None:
        """End a worker."""
        if worker in self._actors:
            self._ray.kill(self._actors[worker])

    def close(self) -> None:
        """End all workers, and the cluster if it is ours."""
        for actor in self._actors.values():
            with contextlib.suppress(Exception):
                self._ray.kill(actor)
        self._actors.clear()
        self._work.clear()
        self._greetings.clear()
        if self._is_ours:
            self._ray.shutdown()


def _import_ray() -> Any:
    # nothing is told to anybody; what Ray has to say of itself is not of the study
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        raise StudyError('the executor ray needs Ray: pip install "solidbody[ray]"') from None
    return ray


def _join(ray: Any, size: int | None, address: str | None) -> None:
    """Join the cluster at an address, or start one on this machine that only it can reach."""
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is not None:
        settings["address"] = address
    else:
        settings |= {
            "address": "local",
            "include_dashboard": False,
            "num_cpus": size or processors(),
            "object_store_memory": STORE,
            "_node_ip_address": LOOPBACK,
        }
    where = f'the cluster at "{address}" cannot be joined' if address else "Ray does not start"
    try:
        with contextlib.ExitStack() as around:
            if address is not None and _knock(address) and not _answers_at_our_own(ray, address):
                around.enter_context(_taking_loopback_as_it_is(ray))
            start_ray(ray, settings)
    except Exception as error:
        text = " ".join(str(error).split())[:500]
        raise StudyError(f"{where}: {text}") from None


def start_ray(ray: Any, settings: dict[str, Any]) -> None:
    """Start Ray; again where it gave up: on a busy machine it does so after half a minute."""
    for tries in range(1, START_TRIES + 1):
        try:
            ray.init(**settings)
            return
        except Exception as error:  # of no class of its own
            if tries == START_TRIES or SLOW_START not in str(error):
                raise
            ray.shutdown()


def _knock(address: str) -> bool:
    """Tell whether an address is one of the loopback. Raises OSError if nobody answers there.

    Ray itself would ask for minutes.
    """
    found = _ADDRESS.fullmatch(address)
    if not found:
        return False
    host = found[1].strip("[]")
    socket.create_connection((host, int(found[2])), KNOCK_TIMEOUT).close()
    return host in ("localhost", LOOPBACK, "::1")


def _answers_at_our_own(ray: Any, address: str) -> bool:
    """Whether a cluster also answers at the address of this machine, which Ray puts for the loopback."""
    own = ray.util.get_node_ip_address()
    try:
        _knock(f"{own}:{address.rpartition(':')[2]}")
    except OSError:
        return False
    return True


@contextlib.contextmanager
def _taking_loopback_as_it_is(ray: Any) -> Iterator[None]:
    """Let Ray join a cluster that listens on the loopback alone, as those do that `_join` starts.

    Ray takes loopback addresses as they are where a constant of its own says so: on Windows and macOS.
    """
    constants = ray._private.ray_constants
    before, constants.ENABLE_RAY_CLUSTER = constants.ENABLE_RAY_CLUSTER, False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


def _actor_class(ray: Any) -> Any:
    class SweepWorker:
        """One worker: a process of Ray that does one list of jobs after the other."""

        def __init__(self, payload: bytes, wanted: dict[str, str]) -> None:
            import pickle

            from solidbody.sweeps.preparing import versions
            from solidbody.sweeps.worker import IN_WORKER

            os.environ[IN_WORKER] = "1"
            found = versions()
            self.problem = ""
            if found != wanted:
                differing = [
                    f"{k} {found[k]} (here {wanted[k]})"
                    for k in wanted
                    if found.get(k) != wanted[k]
                ]
                self.problem = "the cluster has other versions: " + ", ".join(differing)
                return
            from solidbody.sweeps.run import Workplace

            self.place = Workplace(pickle.loads(payload), threads=1)

        def greet(self) -> str:
            """Return why it cannot begin; empty = it has."""
            return self.problem

        def do(self, jobs: list[Job]) -> list[RunOutcome]:
            return [self.place.do(job) for job in jobs]

        def pid(self) -> int:
            return os.getpid()

    return ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(SweepWorker)
