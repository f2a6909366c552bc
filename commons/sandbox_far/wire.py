"""Messages between the two sides of the sandbox: a length of 4 bytes, then JSON."""

import json
import select
import socket
import struct
import time
from typing import Any

LARGEST = 64 * 1024 * 1024  # a longer message is not one of ours

Message = dict[str, Any]


def send(channel: socket.socket, message: Message) -> None:
    """Send one message whole."""
    body = json.dumps(message).encode()
    channel.sendall(struct.pack("!I", len(body)) + body)


def receive(channel: socket.socket, seconds: float | None = None) -> Message | None:
    """The next message; None when the other side is gone or, within `seconds`, silent."""
    deadline = None if seconds is None else time.monotonic() + seconds
    head = _exactly(channel, 4, deadline)
    length = struct.unpack("!I", head)[0] if len(head) == 4 else LARGEST + 1
    body = _exactly(channel, length, deadline) if length <= LARGEST else b""
    return json.loads(body) if body and len(body) == length else None


def _exactly(channel: socket.socket, wanted: int, deadline: float | None) -> bytes:
    pieces = bytearray()
    poll = select.poll()  # not select(): with many sessions a descriptor may be above 1023
    poll.register(channel, select.POLLIN)
    while len(pieces) < wanted:
        if deadline is not None and not poll.poll(1000 * max(0.0, deadline - time.monotonic())):
            break
        try:
            piece = channel.recv(min(wanted - len(pieces), 1 << 20))
        except ConnectionResetError:
            break
        if not piece:
            break
        pieces += piece
    return bytes(pieces)
