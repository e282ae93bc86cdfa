"""The address of a file's page is the same after a restart, and nobody else's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from solidbody.viewer.address_cache import AddressMemory, KeptAddress
from solidbody.viewer.session import PageSession

TOKEN = "abcdefghijklmnop"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"SOLIDBODY_CACHE": str(tmp_path / "cache")}


def memory(tmp_path: Path, environment: dict[str, str], name: str = "one.wbt") -> AddressMemory:
    return AddressMemory(tmp_path / name, environment)


def file_of(tmp_path: Path) -> Path:
    (file,) = (tmp_path / "cache" / "addresses").iterdir()
    return file


def url_of(session: PageSession) -> str:
    session.listen().close()
    return session.url


def test_a_restart_has_the_same_address(tmp_path: Path, environment: dict[str, str]) -> None:
    """Whatever port was free before; another file has another token."""
    first = PageSession(memory=memory(tmp_path, environment))
    url = url_of(first)
    first.close()
    again = PageSession(memory=memory(tmp_path, environment))
    assert url_of(again) == url
    other = PageSession(memory=memory(tmp_path, environment, "two.wbt"))
    assert url_of(other).partition("token=")[2] != url.partition("token=")[2]
    again.close()
    other.close()


def test_two_runs_at_a_time_have_two_addresses(tmp_path: Path, environment: dict[str, str]) -> None:
    """The first one keeps its own for the time after."""
    first = PageSession(memory=memory(tmp_path, environment))
    url = url_of(first)
    second = PageSession(memory=memory(tmp_path, environment))
    its = url_of(second)
    assert its.partition("token=")[0] != url.partition("token=")[0]
    assert its.partition("token=")[2] != url.partition("token=")[2]
    first.close()
    second.close()
    third = PageSession(memory=memory(tmp_path, environment))
    assert url_of(third) == url
    third.close()


def test_what_others_could_have_read_or_written_is_not_taken(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    kept = memory(tmp_path, environment)
    kept.keep(KeptAddress(4711, TOKEN))
    file = file_of(tmp_path)
    assert kept.recall() == KeptAddress(4711, TOKEN)
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    assert kept.recall() is None
    file.chmod(0o600)
    os.utime(file, (0, 0))
    assert kept.recall() is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        json.dumps({"port": 0, "token": TOKEN}),
        json.dumps({"port": True, "token": TOKEN}),
        json.dumps({"port": 80, "token": "a/../b and more of it"}),
        json.dumps({"port": 80, "token": 5}),
        "[" * 900,
    ],
)
def test_what_is_no_address_is_none(tmp_path: Path, environment: dict[str, str], text: str) -> None:
    kept = memory(tmp_path, environment)
    kept.keep(KeptAddress(4711, TOKEN))
    file_of(tmp_path).write_text(text, encoding="utf-8")
    assert kept.recall() is None
