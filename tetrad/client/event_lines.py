"""Decode server-sent events: lines in, events out (WHATWG HTML, 9.2.6)."""

from dataclasses import dataclass, field

import httpx
import msgspec

from tetrad.contracts.submissions import Event

LAST = frozenset({"scored", "void"})
RECONNECTIONS = 20  # connections in a row without an event; a restarting api is back within seconds
PAUSE_SECONDS = 2.0
NO_CONTENT = 204


@dataclass
class EventLines:
    """Collects the lines of one stream after another. `last` is the id to continue from."""

    last: int = 0
    is_over: bool = False
    _data: list[str] = field(default_factory=list)

    def begin(self, reply: httpx.Response) -> None:
        """Begin a new stream: drop the unfinished event of a broken one. Status 204 means that no more events come."""
        self._data.clear()
        self.is_over = reply.status_code == NO_CONTENT

    def take(self, line: str) -> Event | None:
        """Take a line. Return the event that it completes, if it completes one."""
        name, _, value = line.rstrip("\r").partition(":")
        if name == "data":
            self._data.append(value.removeprefix(" "))
        if line.strip() or not self._data:
            return None
        event = msgspec.json.decode("\n".join(self._data), type=Event)
        self._data.clear()
        self.last = event.id
        self.is_over = event.kind in LAST
        return event
