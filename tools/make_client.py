"""Write the part of the Python client that follows from the table of device kinds (`devices/kinds.py`).

    python tools/make_client.py

`control/client/controller/kinds.py` gets the classes of plain sensors, the class of every kind of device and
the node types. Programs run on Python 3.9 and import nothing else of ours: they cannot read the table itself.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

from solidbody.control.node_types import NUMBERS
from solidbody.devices.core.kind import Client
from solidbody.devices.kinds import KINDS

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "src" / "solidbody" / "control" / "client" / "controller" / "kinds.py"

HEAD = '''\
# GENERATED FILE, DO NOT EDIT: python tools/make_client.py
"""Classes of devices, those of plain sensors among them, and node types."""

'''


def client_file() -> str:
    """Return the whole file."""
    clients = [kind.client for kind in KINDS if kind.client is not None]
    clients.sort(key=lambda client: client.name.lower())
    modules: dict[str, set[str]] = {}
    for client in clients:
        if client.form is None:
            modules.setdefault(client.module or client.word, set()).add(client.name)
        else:
            modules.setdefault("sensors", set()).add(client.form.value[0])
    imports = [_import(module, names) for module, names in sorted(modules.items())]
    classes = [f"\n\n{_class(client)}" for client in clients if client.form is not None]
    types = sorted((name, client.name) for client in clients for name in client.node_types)
    names = sorted(client.name for client in clients)
    return "".join(
        (
            HEAD,
            *imports,
            *classes,
            "\n\nCLASSES = {\n",
            *(f'    "{name}": {kind},\n' for name, kind in types),
            '}\n"""Class of each node type."""\n',
            "\nMODULES = {\n",
            *(f'    "{client.word}": {client.name},\n' for client in clients),
            '}\n"""Class in each of Webots\' modules: `from controller.motor import Motor`."""\n',
            '\n_NODE_TYPES = """\n',
            textwrap.fill(" ".join(sorted(NUMBERS, key=NUMBERS.__getitem__)), 100),
            '\n"""\nNODE_TYPES = tuple(_NODE_TYPES.split())\n',
            '"""Node types by name, in the order of their numbers (that of the R2023b headers)."""\n',
            "\n__all__ = [\n",
            *(f'    "{name}",\n' for name in _sorted(names)),
            "]\n",
        )
    )


def _sorted(names: Iterable[str]) -> list[str]:
    """Sort names as the linter does: constants, then classes."""
    return sorted(names, key=lambda name: (not name.isupper(), name))


def _import(module: str, names: set[str]) -> str:
    line = f"from .{module} import {', '.join(_sorted(names))}\n"
    if len(line) <= 101:
        return line
    return f"from .{module} import (\n" + "".join(f"    {n},\n" for n in _sorted(names)) + ")\n"


def _class(client: Client) -> str:
    assert client.form is not None
    return f'class {client.name}({client.form.value[0]}):\n    """{client.about}"""\n'


def main() -> None:
    """Write the file."""
    TARGET.write_text(client_file(), encoding="utf-8")


if __name__ == "__main__":
    main()
