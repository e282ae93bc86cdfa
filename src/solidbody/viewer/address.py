"""Where the page is served: the socket, the address that is printed, and who can reach it."""

from __future__ import annotations

import errno
import socket
import sys
from typing import Final

from solidbody.base.errors import SolidbodyError
from solidbody.viewer.guard import LOOPBACK_NAMES, TOKEN_PARAMETER

LOOPBACK: Final = "127.0.0.1"

DEFAULT_PORT: Final = 8080
"""Where the page is, if nothing else is asked for and nobody else is there."""

EVERYWHERE: Final = frozenset({"0.0.0.0", "::"})
"""Hosts that stand for all networks of this machine."""

WARNING: Final = (
    "{host}: the page can be reached from other machines. Whoever has the address with its token may"
    " watch, drive and edit the simulation, and can make its programs run; nothing is encrypted."
    " Without --host only this machine can reach it."
)


class AddressError(SolidbodyError):
    """The page cannot be served at the host that was asked for."""

    def __init__(self, host: str, reason: str) -> None:
        self.host = host
        super().__init__(
            f'--host "{host}": {reason}. Name an address of this machine, or 0.0.0.0 for all.'
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    return host in LOOPBACK_NAMES or host.startswith("127.")


def allowed_names(host: str) -> frozenset[str] | None:
    """Return the names under which browsers may ask for the page; None = any, as the token is asked for."""
    return LOOPBACK_NAMES | {host} if is_loopback(host) else None


def open_listener(port: int, host: str = LOOPBACK) -> socket.socket:
    """Return a listening socket at `port`, or at a free port if that is taken or 0.

    Raises:
        AddressError: The host is none of this machine.
    """
    try:
        return _listen(host, port)
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise AddressError(host, error.strerror or str(error)) from error
        return _listen(host, 0)


def page_url(listener: socket.socket, host: str, token: str) -> str:
    """Return the address of the page for people."""
    name = _own_address() if host in EVERYWHERE else host
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{listener.getsockname()[1]}/?{TOKEN_PARAMETER}={token}"


def _listen(host: str, port: int) -> socket.socket:
    family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would let two servers share one port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen()
    except OSError:
        listener.close()
        raise
    return listener


def _own_address() -> str:
    """Return the address by which other machines most likely know this one."""
    # connecting a datagram socket sends nothing; it only chooses the way there (an address for documents)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
