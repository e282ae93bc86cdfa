"""What other machines build and publish: workflows, forms, the package's description."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import hatch_build
from solidbody import __version__
from tests.architecture.sources import ROOT
from tests.architecture.test_public_names import PUBLIC
from tools import build_site, manylinux_wheel

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
if not WORKFLOWS:
    pytest.skip("a source package has no workflows", allow_module_level=True)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def jobs(path: Path) -> dict[str, Any]:
    """Return the jobs of a workflow."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]


def steps(path: Path) -> list[dict[str, Any]]:
    """Return all steps of a workflow."""
    return [step for job in jobs(path).values() for step in job.get("steps", ())]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_are_bounded_and_have_few_rights(path: Path) -> None:
    """Each job ends by itself; the token reads, unless a job says what more it needs."""
    whole = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert whole["permissions"] == {"contents": "read"}
    for name, job in whole["jobs"].items():
        assert "uses" in job or job["timeout-minutes"] <= 60, name
    assert all(re.search(r"@[\w./-]+$", step["uses"]) for step in steps(path) if "uses" in step)


def test_workflows_call_what_is_there() -> None:
    """Scripts, requirements and other workflows that they name."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    named = set(re.findall(r"(?<![\w/])(\.ci/\w+|(?:tools|packaging|examples)/[\w./-]+)", text))
    named |= {name.removeprefix("./") for name in re.findall(r"uses: (\./\S+)", text)}
    assert {".ci/run", "tools/build_site.py"} <= named
    assert not [name for name in named if not (ROOT / name).exists()]
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    assert set(re.findall(r"\bmake ([a-z]+)", text)) <= targets


def test_workflows_test_every_python_that_is_promised() -> None:
    """And so do the classifiers."""
    tested = jobs(ROOT / ".github/workflows/tests.yml")["linux"]["strategy"]["matrix"]["python"]
    prefix = "Programming Language :: Python :: "
    promised = [
        item.removeprefix(prefix) for item in PROJECT["project"]["classifiers"] if prefix in item
    ]
    assert tested == promised


def test_a_release_is_published_without_passwords() -> None:
    """By trusted publishing, from an environment, and only of the version that the tag names."""
    release = ROOT / ".github/workflows/release.yml"
    publish = jobs(release)["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "release"
    assert "secrets." not in release.read_text(encoding="utf-8")
    version = subprocess.run(
        ["grep", "-c", '^__version__ = "', str(ROOT / "src/solidbody/_version.py")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert version.stdout.strip() == "1"  # the line that the workflow looks for


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", ".github/workflows/*.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/[bw]*.yml"),
        ("github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("citation-file-format", "CITATION.cff"),
    ],
)
def test_files_follow_the_published_schemas(schema: str, files: str) -> None:
    """With the schemas that check-jsonschema brings."""
    pytest.importorskip("check_jsonschema")
    paths = [str(path) for path in sorted(ROOT.glob(files))]
    assert paths
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *paths],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_a_release_has_notes() -> None:
    """The workflow's own command finds them for the present version."""
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    (command,) = (
        step["run"] for step in release["jobs"]["notes"]["steps"] if "sed" in step.get("run", "")
    )
    wanted = command.partition(" > ")[0]
    done = subprocess.run(
        ["bash", "-c", wanted],
        cwd=ROOT,
        env={**os.environ, "GITHUB_REF_NAME": f"v{__version__}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert 500 < len(done.stdout) < 5000 and "#" not in done.stdout


def test_the_readme_of_the_package_has_whole_addresses() -> None:
    """Pictures and links of README.md lead nowhere on the package index otherwise."""
    metadata: dict[str, Any] = {"urls": PROJECT["project"]["urls"]}
    hatch_build.SolidbodyMetadataHook(str(ROOT), {}).update(metadata)
    text = metadata["readme"]["text"]
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) > 20
    assert all(target.startswith(("https://", "http://", "#")) for target in targets)
    home = metadata["urls"]["Homepage"]
    for target in targets:
        inside = re.match(rf"{re.escape(home)}/(raw|blob)/main/([^#]+)", target)
        assert inside is None or (ROOT / inside[2]).exists(), target
    assert f"]({home}/raw/main/docs/images/showcase.png)" in text


def test_the_image_is_slim_and_has_no_rights() -> None:
    """No compiler in what is shipped, a user of its own, and a command that needs no screen."""
    text = (ROOT / "packaging/Dockerfile").read_text(encoding="utf-8")
    last = text[text.rindex("\nFROM ") :]
    assert "gcc" not in last and "USER solidbody" in last and "-slim" in last


def test_the_recipe_for_conda_needs_what_the_package_needs() -> None:
    """The same packages, under conda's names."""
    recipe = yaml.safe_load(
        re.sub(r"\$\{\{.*?\}\}", "x", (ROOT / "packaging/conda-recipe.yaml").read_text("utf-8"))
    )
    names = {re.split(r"[ <>=]", item)[0] for item in recipe["requirements"]["run"]}
    wanted = {re.split(r"[<>=]", item)[0] for item in PROJECT["project"]["dependencies"]}
    assert names - {"python"} == {{"mujoco-core": "mujoco-python"}.get(n, n) for n in wanted}


def test_the_site_has_every_page() -> None:
    """A new page of docs/ has its place in packaging/mkdocs.yml."""
    text = (ROOT / "packaging/mkdocs.yml").read_text(encoding="utf-8")
    listed = set(
        re.findall(r"(?:: |- )([\w./-]+\.md)$", text[text.index("\nnav:") :], re.MULTILINE)
    )
    docs = ROOT / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")} - {"README.md"}
    assert listed == pages | {f"{name}.md" for name in (build_site.CHANGES, build_site.API)}


def test_pages_of_the_site_lead_into_the_repository(tmp_path: Path) -> None:
    """Links out of docs/ become whole addresses; units after brackets stay text."""
    build_site.stage(tmp_path)
    text = build_site.page_of(
        '[a](../Makefile#b) [c](cli.md) [d](../CHANGELOG.md) [x, y] [m/s²]\n```sh no-run="x"\n```\n',
        ROOT / "docs/page.md",
        "https://host",
    )
    assert text == (
        "[a](https://host/blob/main/Makefile#b) [c](cli.md) [d](" + build_site.CHANGES + ".md) "
        "[x, y] \\[m/s²\\]\n```sh\n```\n"
    )
    api = (tmp_path / f"{build_site.API}.md").read_text("utf-8")
    assert all(f".{name}\n" in api for name in PUBLIC if not name.startswith("_"))


@pytest.mark.parametrize(
    ("name", "fine"),
    [
        ("a-1-py3-none-manylinux_2_28_x86_64.whl", True),
        ("a-1-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64.whl", True),
        ("a-1-py3-none-manylinux_2_35_x86_64.whl", False),
        ("a-1-py3-none-manylinux_2_28_aarch64.whl", False),
        ("a-1-py3-none-linux_x86_64.whl", False),
        ("a-1-py3-none-any.whl", False),
    ],
)
def test_a_wheel_that_needs_a_newer_system_is_refused(name: str, fine: bool) -> None:
    """Its name says which it needs, once auditwheel has looked."""
    try:
        manylinux_wheel.check(name, "x86_64")
    except SystemExit:
        assert not fine
    else:
        assert fine
