"""Settings that hold for all tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator

import pytest
from hypothesis import settings

from solidbody.contact.build import find_compiler, library_path
from solidbody.contact.native import NativeUnavailable
from tests.browser.fixtures import browser, open_viewer

__all__ = ["browser", "open_viewer"]

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

NO_NATIVE_STEP = "needs the native step, and there is no C compiler"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without the native step, leave out what would take the reference step minutes."""
    if HAS_NO_NATIVE_STEP:
        for item in items:
            if item.get_closest_marker("native"):
                item.add_marker(pytest.mark.skip(reason=NO_NATIVE_STEP))


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
