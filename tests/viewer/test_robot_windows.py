"""Files of robot windows: what is found, what is served, and what is not."""

from __future__ import annotations

import gzip
import json
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import solidbody as sb
from solidbody.viewer.page_files import PageFile
from solidbody.viewer.protocol import OUTLINE_PATH
from solidbody.viewer.protocol_work import WireWindow
from solidbody.viewer.robot_windows import FILE_LIMIT, OURS, WINDOWS_PATH, RobotWindows
from tests.viewer.serving import running_view

WORLD = """#VRML_SIM R2025a utf8
WorldInfo {{ }}
Robot {{ name "a b" window "{window}" }}
"""

PAGE = {
    path: PageFile(text, gzip.compress(text), "text/javascript", is_hashed=False)
    for path, text in [
        ("/robot-window/frame.js", b"'frame'"),
        ("/robot-window/RobotWindow.js", b"'module'"),
        ("/index.html", b"page"),
    ]
}


def project(folder: Path, window: str, files: dict[str, str | bytes]) -> sb.Scene:
    """Return the scene of a project with a robot window."""
    (folder / "worlds").mkdir()
    world = folder / "worlds" / "w.wbt"
    world.write_text(WORLD.format(window=window), encoding="utf-8")
    for name, content in files.items():
        path = folder / "plugins" / "robot_windows" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return sb.load(str(world))


def opened(folder: Path, files: dict[str, str | bytes]) -> tuple[RobotWindows, str, WireWindow]:
    """Return the windows of a project with a window "show", its secret and what the page is told."""
    windows = RobotWindows(PAGE)
    found = windows.list(project(folder, "show", files))[0]
    return windows, found.address.split("/")[2], found


def text_of(windows: RobotWindows, secret: str, path: str) -> str:
    """Return a file that must be served."""
    found = windows.read(secret, path)
    assert found is not None
    return found[0].decode()


def test_a_window_is_found_in_the_project_and_named_for_its_robot(tmp_path: Path) -> None:
    """The address names the robot; another look at the scene gives the same address."""
    scene = project(tmp_path, "show", {"show/show.html": "<p>hello"})
    windows = RobotWindows(PAGE)
    found = windows.list(scene)
    assert [(item.robot, item.remark) for item in found] == [("a b", "")]
    assert found[0].address.startswith(WINDOWS_PATH + "/")
    assert found[0].address.endswith("/show/show.html?name=a%20b")
    assert windows.list(scene) == found


@pytest.mark.parametrize("name", ["gone", "../show", ".."])
def test_a_window_that_is_not_there_is_said(tmp_path: Path, name: str) -> None:
    """The robot gets the generic window; a name that leads elsewhere is none."""
    scene = project(tmp_path, name, {"show/show.html": "<p>"})
    (found,) = RobotWindows(PAGE).list(scene)
    assert found.address == ""
    assert f'"{name}" was not found' in found.remark


def test_generic_and_no_window(tmp_path: Path) -> None:
    """`<generic>` has no files; `<none>` is no window."""
    assert [w.address for w in RobotWindows(PAGE).list(project(tmp_path, "<generic>", {}))] == [""]
    world = tmp_path / "worlds" / "n.wbt"
    world.write_text(WORLD.format(window="<none>"), encoding="utf-8")
    assert RobotWindows(PAGE).list(sb.load(str(world))) == []


@pytest.mark.parametrize(
    "given",
    [
        "https://cyberbotics.com/wwi/R2023b/RobotWindow.js",
        "http://www.cyberbotics.com/wwi/R2025a/RobotWindow.js",
        "../../../../resources/web/wwi/RobotWindow.js",
        "./RobotWindow.js",
    ],
)
def test_imports_of_webots_module_lead_to_ours(tmp_path: Path, given: str) -> None:
    """Wherever a window expects the module."""
    files: dict[str, str | bytes] = {
        "show/show.html": "<html><head></head></html>",
        "show/show.js": f"import RobotWindow from '{given}';\nlet a = 'other.js';",
    }
    windows, secret, _ = opened(tmp_path, files)
    ours = f"{WINDOWS_PATH}/{secret}/{OURS}/RobotWindow.js"
    assert (
        text_of(windows, secret, "show/show.js")
        == f"import RobotWindow from '{ours}';\nlet a = 'other.js';"
    )
    assert text_of(windows, secret, f"{OURS}/RobotWindow.js") == "'module'"


def test_a_window_may_bring_its_own_module(tmp_path: Path) -> None:
    """A file of that name in the folder is left alone."""
    source = "import RobotWindow from './RobotWindow.js'"
    files: dict[str, str | bytes] = {
        "show/show.html": "",
        "show/show.js": source,
        "show/RobotWindow.js": "export default 1",
    }
    windows, secret, _ = opened(tmp_path, files)
    assert text_of(windows, secret, "show/show.js") == source
    assert text_of(windows, secret, "show/RobotWindow.js") == "export default 1"


def test_our_script_comes_first_in_documents(tmp_path: Path) -> None:
    """After the doctype, before all other scripts."""
    html = "<!DOCTYPE html>\n<html lang='en'><head><title>x</title><script>1</script></head></html>"
    windows, secret, _ = opened(tmp_path, {"show/show.html": html})
    text = text_of(windows, secret, "show/show.html")
    ours = f'<script crossorigin src="{WINDOWS_PATH}/{secret}/{OURS}/frame.js"></script>'
    assert text == html.replace("<head>", "<head>" + ours)


def test_fragments_of_old_releases_become_pages(tmp_path: Path) -> None:
    """With the style sheet and the script of their name."""
    files: dict[str, str | bytes] = {
        "show/show.html": "<div id='a'></div>",
        "show/show.js": "1",
        "show/show.css": "p {}",
    }
    windows, secret, _ = opened(tmp_path, files)
    text = text_of(windows, secret, "show/show.html")
    order = [
        "<!doctype html>",
        "frame.js",
        "jquery.js",
        "widgets.js",
        'href="show.css"',
        "<div id='a'></div>",
        'crossorigin src="show.js"',
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("https://code.jquery.com/jquery-3.3.1.min.js", "jquery"),
        ("//ajax.googleapis.com/ajax/libs/jquery/1.11.3/jquery.min.js?v=2", "jquery"),
        ("https://www.cyberbotics.com/jquery-ui/1.11.4/jquery-ui.min.js", "widgets"),
        ("../../../resources/web/wwi/jquery.slim.js", "jquery"),
        ("https://www.cyberbotics.com/jquery-dialogextend/2.0.4/jquery.dialogextend.min.js", ""),
        ("jquery.plugin.js", ""),
        ("https://cdn.example/chart.js", ""),
    ],
)
def test_jquery_from_elsewhere_is_that_of_the_page(tmp_path: Path, given: str, name: str) -> None:
    """Whatever release, with what belongs to its tag; a window's own file and plugins are left alone."""
    tag = f'<script type="text/javascript" src="{given}" integrity="sha384-x" crossorigin></script>'
    html = f"<html><head>{tag}</head><body>jquery.js</body></html>"
    windows, secret, _ = opened(tmp_path, {"show/show.html": html})
    text = text_of(windows, secret, "show/show.html")
    ours = f'<script crossorigin src="{WINDOWS_PATH}/{secret}/{OURS}/{name}.js"></script>'
    assert (ours in text, tag in text) == (bool(name), not name)


def test_a_window_may_bring_its_own_jquery(tmp_path: Path) -> None:
    """A file that is there is left alone."""
    html = '<html><head><script src="jquery-2.1.js"></script></head></html>'
    windows, secret, _ = opened(tmp_path, {"show/show.html": html, "show/jquery-2.1.js": "1"})
    assert ' src="jquery-2.1.js"' in text_of(windows, secret, "show/show.html")


def test_browsers_tell_what_goes_wrong_in_scripts_of_a_window(tmp_path: Path) -> None:
    """They do for another origin if the tag asks for it; other tags are as they were."""
    own, other = '<script src="show.js"></script>', '<script src="http://elsewhere/x.js"></script>'
    files: dict[str, str | bytes] = {"show/show.html": own + other, "show/show.js": "1"}
    windows, secret, _ = opened(tmp_path, files)
    text = text_of(windows, secret, "show/show.html")
    assert text.endswith(own.replace(" src", " crossorigin src") + other)


def test_pages_of_many_scripts_are_read_at_once(tmp_path: Path) -> None:
    """A hostile window does not keep the server busy."""
    html = (
        "<html>" + "<script src=" * 200_000 + "<script " + " " * 1_000_000 + "</script>" * 100_000
    )
    windows, secret, _ = opened(tmp_path, {"show/show.html": html})
    before = time.process_time()
    assert text_of(windows, secret, "show/show.html").endswith("</script>")
    assert time.process_time() - before < 5.0, "seconds where a bad pattern takes hours"


def test_nothing_outside_the_folder_is_served(tmp_path: Path) -> None:
    """No parents, no links that lead out, no other kinds of files, nothing too large, no other secret."""
    (tmp_path / "secret.txt").write_text("secret")
    files: dict[str, str | bytes] = {
        "show/show.html": "<p>",
        "show/show.c": "int main;",
        "show/big.png": b"\0" * (FILE_LIMIT + 1),
        "show/ok.txt": "fine",
    }
    windows, secret, _ = opened(tmp_path, files)
    (tmp_path / "plugins/robot_windows/show/link.txt").symlink_to(tmp_path / "secret.txt")
    assert text_of(windows, secret, "show/ok.txt") == "fine"
    for path in (
        "../../secret.txt",
        "show/../../../secret.txt",
        "/etc/hostname.txt",
        "show/link.txt",
        "show/show.c",
        "show/big.png",
        "show",
        "",
        "show/a\0.txt",
        "show\\ok.txt",
        f"{OURS}/../index.html",
    ):
        assert windows.read(secret, path) is None, path
    assert windows.read(secret[:-1], "show/ok.txt") is None


def test_served_files_carry_a_policy_and_need_no_cookie(tmp_path: Path) -> None:
    """A frame without origin may ask; other paths of the server stay closed to it."""
    scene = project(tmp_path, "show", {"show/show.html": "<p>hi"})
    with running_view(sb.Sim(scene), page={**PAGE, "/": PAGE["/index.html"]}, token="t") as view:

        def ask(path: str, **headers: str) -> tuple[int, dict[str, str], str]:
            request = urllib.request.Request(view.url + path, headers=headers)
            try:
                with urllib.request.urlopen(request) as answer:
                    return answer.status, dict(answer.headers), answer.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, dict(error.headers), ""

        outline = json.loads(ask(OUTLINE_PATH + "?token=t")[2])
        address = outline["windows"][0]["address"]
        status, headers, text = ask(address, Origin="null")
        assert status == 200
        assert text.endswith("<p>hi</body></html>")
        policy = headers["content-security-policy"]
        assert policy.startswith("sandbox allow-scripts; default-src 'none';")
        assert "allow-same-origin" not in policy
        folder = view.url + address.rsplit("/", 2)[0] + "/"
        assert f"connect-src {folder} data: blob:" in policy
        assert ask(OUTLINE_PATH, Origin="null")[0] == 403
        assert ask(address, Host="evil.example")[0] == 403
        assert ask(f"{WINDOWS_PATH}/guess/show/show.html")[0] == 404
        assert "frame-src 'self'" in ask("/?token=t")[1]["content-security-policy"]
