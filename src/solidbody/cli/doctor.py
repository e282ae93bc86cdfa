"""`solidbody doctor`: what is installed, what is missing, what to do."""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from solidbody.base.extras import EXTRAS, command, missing_modules
from solidbody.cli.status import OK, SIMULATION_FAILED

FINE: Final = "ok"
MISSING: Final = "missing"
"""Something optional is not there: one thing or another cannot be done."""
WRONG: Final = "wrong"
"""Something is not as it should be: simulations are slow, or do not run."""

BROWSERS: Final = (
    *(
        "google-chrome",
        "chromium",
        "chromium-browser",
        "firefox",
        "microsoft-edge",
        "brave-browser",
    ),
)

USUAL_WEBOTS: Final = ("/usr/local/webots", "/Applications/Webots.app", "C:\\Program Files\\Webots")
"""Where installers put Webots."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: What it is.
        state: `ok`, `missing` or `wrong`.
        detail: What was found.
        advice: What to do; may be empty.
    """

    name: str
    state: str
    detail: str
    advice: str = ""


def examine() -> Iterator[Finding]:
    """Yield what is found on this machine, part by part."""
    yield _python()
    yield from _packages()
    yield _native_step()
    yield _controller_library()
    yield _page()
    yield _compiler()
    yield _browser()
    yield _graphics_card()
    yield _webots()
    yield _share()
    yield _cache()
    yield from (_extra(name) for name in EXTRAS)


def show_health(*, as_json: bool) -> int:
    """Print what is found; return the exit status: 1 if something is wrong."""
    findings = list(examine())
    status = SIMULATION_FAILED if any(item.state == WRONG for item in findings) else OK
    if as_json:
        print(json.dumps([asdict(item) for item in findings], indent=2))
        return status
    width = max(len(item.name) for item in findings)
    for item in findings:
        print(f"{item.state:7}  {item.name:{width}}  {item.detail}")
        if item.advice:
            print(f"{'':9}{'':{width}}  -> {item.advice}")
    print("\nTry it out: python -m solidbody.selftest")
    return status


def _python() -> Finding:
    from solidbody._version import __version__

    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    detail = (
        f"solidbody {__version__}, Python {platform.python_version()} ({sys.executable}), {system}"
    )
    if (3, 11) <= sys.version_info < (3, 15):
        return Finding("python", FINE, detail)
    return Finding("python", WRONG, detail, "Use Python 3.11 to 3.14.")


def _packages() -> Iterator[Finding]:
    for module, names in {"mujoco": ("mujoco-core", "mujoco"), "numpy": ("numpy",)}.items():
        for name in names:
            try:
                yield Finding(module, FINE, f"{name} {metadata.version(name)}")
                break
            except metadata.PackageNotFoundError:
                continue
        else:
            yield Finding(module, WRONG, "not installed", "pip install --force-reinstall solidbody")


def _native_step() -> Finding:
    from solidbody.contact.build import library_path

    try:
        from solidbody.contact.native import load_library

        load_library()
    except Exception as error:
        advice = "Install a C compiler, then: python -m solidbody.contact.build"
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        return Finding("native step", WRONG, said, advice)
    return Finding("native step", FINE, library_path().name)


def _controller_library() -> Finding:
    from solidbody.contact.build import controller_path

    path = controller_path()
    if path.exists():
        return Finding("libController", FINE, path.name)
    advice = "Controllers in C and C++ need it: python -m solidbody.contact.build"
    return Finding("libController", MISSING, "not built", advice)


def _page() -> Finding:
    from solidbody.viewer.page_files import PAGE_FOLDER

    if (PAGE_FOLDER / "index.html").is_file():
        return Finding("page", FINE, "built")
    advice = (
        "In a checkout: make page. An installed solidbody without it should be installed again."
    )
    return Finding("page", WRONG, "the browser page is missing", advice)


def _compiler() -> Finding:
    from solidbody.contact.build import find_compiler
    from solidbody.control.building import cpp_compiler

    found = [
        f"{language}: {' '.join(command)}"
        for language, command in (("C", find_compiler()), ("C++", cpp_compiler()))
        if command
    ]
    if len(found) == 2:
        return Finding("compiler", FINE, ", ".join(found))
    advice = (
        "For controllers in C and C++. Debian: apt-get install g++; macOS: xcode-select --install."
    )
    return Finding("compiler", MISSING, ", ".join(found) or "none", advice)


def _browser() -> Finding:
    named = os.environ.get("BROWSER", "")
    found = named or next(filter(None, map(shutil.which, BROWSERS)), "")
    if found:
        return Finding("browser", FINE, found)
    if sys.platform in ("darwin", "win32"):
        return Finding("browser", FINE, "the system's own")
    advice = "Without one: solidbody run WORLD --headless, or open the printed address elsewhere."
    return Finding("browser", MISSING, "none on the PATH", advice)


def _graphics_card() -> Finding:
    if missing_modules("cameras"):
        detail = "not used: cameras see plain pictures, sensors of distance are as precise"
        return Finding("graphics card", MISSING, detail, command("cameras"))
    try:
        from solidbody.render.device import quiet_warp

        wp = quiet_warp()
        names = [device.name for device in wp.get_cuda_devices()]
    except Exception as error:
        return Finding("graphics card", WRONG, f"Warp does not start: {error}", command("cameras"))
    if names:
        return Finding("graphics card", FINE, ", ".join(names))
    return Finding("graphics card", FINE, "none: pictures are made on the processor")


def _webots() -> Finding:
    home = os.environ.get("WEBOTS_HOME", "")
    if home:
        if (Path(home) / "projects").is_dir():
            return Finding("Webots", FINE, f"WEBOTS_HOME={home}")
        advice = "Name the folder of Webots, or unset WEBOTS_HOME: stand-ins are used then."
        return Finding("Webots", WRONG, f"WEBOTS_HOME={home} has no folder projects", advice)
    for place in USUAL_WEBOTS:
        if Path(place).is_dir():
            return Finding(
                "Webots", FINE, "stand-ins are used", f"For Webots' own: WEBOTS_HOME={place}"
            )
    return Finding("Webots", FINE, "not needed: solidbody's own stand-ins are used")


def _share() -> Finding:
    share = os.environ.get("CNOID_SHARE", "")
    if share and not Path(share).is_dir():
        advice = "Name Choreonoid's share folder, or unset CNOID_SHARE."
        return Finding("Choreonoid", WRONG, f"CNOID_SHARE={share} is no folder", advice)
    detail = f"CNOID_SHARE={share}" if share else "not needed: bodies of our own stand in"
    return Finding("Choreonoid", FINE, detail)


def _cache() -> Finding:
    from solidbody.base.cache import cache_folder

    place = cache_folder(os.environ, "downloads")
    above = next((part for part in (place, *place.parents) if part.exists()), place)
    if os.access(above, os.W_OK):
        return Finding("cache", FINE, str(place.parent))
    advice = "Set SOLIDBODY_CACHE to a folder that can be written."
    return Finding("cache", MISSING, f"{above} cannot be written", advice)


def _extra(name: str) -> Finding:
    absent = missing_modules(name)
    brings = EXTRAS[name].brings
    if absent:
        return Finding(f"[{name}]", MISSING, f"{brings} (no {', '.join(absent)})", command(name))
    return Finding(f"[{name}]", FINE, brings)
