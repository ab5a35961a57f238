"""A provider's key."""


class Secret:
    """A provider's key. It is never printed in a log, a traceback or a message."""

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        return self._value

    def is_in(self, text: str) -> bool:
        return bool(self._value) and self._value in text

    def __repr__(self) -> str:
        return "Secret(...)"
