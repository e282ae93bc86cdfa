"""The page that lists the controller API is what the generator writes, and has no gaps."""

from __future__ import annotations

import importlib
import re

from tests.architecture.sources import ROOT
from tools import controller_api


def test_every_method_is_there_and_called_by_a_test() -> None:
    """Or the table of reasons says why not."""
    called = controller_api.called_methods()
    gaps = {
        f"{name}.{method}": what
        for name, text in controller_api.NAMES.items()
        for method in text.split()
        if (what := controller_api.state(name, method, called)) in ("not there", "not tested")
    }
    assert not gaps


def test_reasons_are_given_only_for_gaps() -> None:
    """A method that has got its test leaves the table of reasons."""
    called = controller_api.called_methods()
    assert [key for key in controller_api.REASONS if not controller_api.state(*key, called)] == []


def test_every_exported_class_of_the_manual_is_exported() -> None:
    """The names that programs import from `controller`."""
    exported = set(importlib.import_module("controller").__all__)
    wanted = {name for name in controller_api.NAMES if "." not in name}
    assert wanted <= exported | {"Device"}


def test_python_examples_of_the_guide_compile() -> None:
    """They are what a reader copies."""
    text = (ROOT / "docs" / "controllers.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python[^\n]*\n(.*?)```", text, flags=re.DOTALL)
    assert len(examples) == 2
    for example in examples:
        compile(example, "docs/controllers.md", "exec")
