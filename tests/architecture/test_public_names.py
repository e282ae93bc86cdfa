"""The public interface: a change here is a change for users and belongs in the changelog."""

from __future__ import annotations

import pytest

import solidbody
from tests.architecture.sources import PACKAGE

PUBLIC = [
    "BodyController",
    "CompileError",
    "Diagnostic",
    "EditError",
    "LoadError",
    "LoadOptions",
    "NameLookupError",
    "SaveError",
    "Scene",
    "Severity",
    "Sim",
    "SimulationError",
    "SolidbodyError",
    "World",
    "__version__",
    "compile_scene",
    "load",
    "load_world",
    "read_recording",
    "read_scene",
    "run_controller",
    "save",
    "sweep",
    "view",
]


def test_public_names_are_these() -> None:
    """Nothing is added or removed by accident."""
    assert solidbody.__all__ == PUBLIC
    assert dir(solidbody) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_can_be_imported(name: str) -> None:
    """Each lazy name resolves to a real thing."""
    assert getattr(solidbody, name) is not None


def test_no_public_name_hides_a_subpackage() -> None:
    """One import path per name."""
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert not packages & set(solidbody.__all__)


def test_unknown_name_is_an_attribute_error() -> None:
    """Lazy lookup fails the way modules do."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = solidbody.no_such_name
