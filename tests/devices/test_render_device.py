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
