"""Settings that hold for all tests."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import settings

from solidbody.contact.build import find_compiler, library_path
from solidbody.contact.native import NativeUnavailable
from tests.browser.fixtures import browser, open_viewer, pictures

__all__ = ["browser", "open_viewer", "pictures"]

# No deadline: machines that run tests are shared, and a slow moment is not a bug. In CI the examples
# are the same each time, so that a red run can be repeated; at home they are new each time.
settings.register_profile("home", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "home")

# A shell without job control starts what runs in the background deaf to interrupts, and so would be the
# programs that tests start to interrupt them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

HAS_NO_NATIVE_STEP = find_compiler() is None and not library_path().exists()
"""A machine on which the native step cannot be built. Where it can, its absence is a failure."""

LONG = 3.0
"""[s] A test without the mark `slow` takes less, also while others run beside it."""

NO_NATIVE_STEP = "needs the native step, and there is no C compiler"


@pytest.fixture(scope="session", autouse=True)
def own_meeting_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Extern controllers find the simulators of this process only, whatever else runs on the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("meeting")))
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: one process per core, two at least; each takes about 1 GB of memory."""
    return min(max(os.cpu_count() or 2, 2), 8)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each file of tests as a whole to one process: what its tests share is made once.

    All files of `tests/browser` are one such unit: there is one browser in a run.
    """
    from xdist.scheduler import LoadScopeScheduling

    config.option.loadscopereorder = False  # `pytest_collection_modifyitems` has done that

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return "tests/browser" if nodeid.startswith("tests/browser/") else nodeid.split("::")[0]

    return ByFile(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let long files come first, so that no process waits long for the other ones at the end.

    Without the native step, leave out what would take the reference step minutes.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: (item.path.parent.name != "browser", item.path not in slow))
    if HAS_NO_NATIVE_STEP:
        for item in items:
            if item.get_closest_marker("native"):
                item.add_marker(pytest.mark.skip(reason=NO_NATIVE_STEP))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """In the quick run, tell which tests are not quick."""
    if "not slow" not in (config.getoption("markexpr") or ""):
        return
    seconds: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []):
        seconds[report.nodeid.split("[")[0]] += report.duration
    for name, taken in seconds.most_common(10):
        if taken < LONG:
            break
        terminalreporter.write_line(f"{taken:.1f} s: {name} wants the mark slow")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Skip a test that asks for the native step by name where there cannot be one."""
    try:
        return (yield)
    except NativeUnavailable:
        if not HAS_NO_NATIVE_STEP:
            raise
        pytest.skip(NO_NATIVE_STEP)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """The same for fixtures."""
    try:
        return (yield)
    except NativeUnavailable:
        if not HAS_NO_NATIVE_STEP:
            raise
        pytest.skip(NO_NATIVE_STEP)
