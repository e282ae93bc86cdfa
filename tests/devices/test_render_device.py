"""Starting the ray engine is quiet."""

from __future__ import annotations

import os

import pytest

from solidbody.render import device


def test_only_the_warning_about_the_driver_is_kept_back(capfd: pytest.CaptureFixture[str]) -> None:
    """Other lines come out after the block."""
    with device._without_driver_warning():
        os.write(2, b"Warp CUDA warning: " + device.NO_DRIVER + b". GPU ...\n")
        os.write(2, b"something else\n")
        assert capfd.readouterr().err == ""
    assert capfd.readouterr().err == "something else\n"


def test_a_recorded_launch_is_repeated_by_calling_its_kernel() -> None:
    """With what Warp has packed for it; as Warp does it where that is not known."""

    class Hooks:
        def __init__(self) -> None:
            self.calls: list[tuple[int, ...]] = []

        def forward(self, *packed: int) -> None:
            self.calls.append(packed)

    class Launch:
        def __init__(self) -> None:
            self.hooks, self.launched = Hooks(), 0

        def launch(self) -> None:
            self.launched += 1
            self.hooks.forward(1, 2)

    known = Launch()
    hooks = known.hooks
    again = device.recorded(known, "cpu")
    assert hooks.calls == []
    again()
    again()
    assert (hooks.calls, known.launched, known.hooks) == ([(1, 2), (1, 2)], 1, hooks)

    class Other(Launch):
        def launch(self) -> None:
            self.hooks.other()  # type: ignore[attr-defined]

    class Twice(Launch):
        def launch(self) -> None:
            self.hooks.forward(1)
            self.hooks.forward(2)

    for made, place in ((Other(), "cpu"), (Twice(), "cpu"), (Launch(), "cuda:0")):
        assert device.recorded(made, place) == made.launch
