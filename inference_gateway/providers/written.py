"""Collects a streamed reply, choice by choice; shared by the providers that stream."""

from collections.abc import Sequence

from inference_gateway.providers import Piece, ProviderError


class Written:
    """The choices of a streamed reply while it is written."""

    def __init__(self) -> None:
        self._texts: dict[int, list[str]] = {0: []}
        self._refusals: dict[int, list[str]] = {}
        self._thoughts: dict[int, list[str]] = {}
        self._reasons: dict[int, str] = {}

    def add(self, piece: Piece) -> Piece:
        """Keep a piece, and return it."""
        target = self._refusals if piece.is_refusal else self._texts
        self._texts.setdefault(piece.index, [])
        target.setdefault(piece.index, []).append(piece.text)
        return piece

    def think(self, index: int, thought: str) -> None:
        """Keep a part of what the model thinks before it writes. It is no piece: clients get it with the end."""
        self._texts.setdefault(index, [])
        self._thoughts.setdefault(index, []).append(thought)

    def end(self, index: int, reason: str) -> None:
        """Keep the provider's reason for the end of a choice."""
        self._texts.setdefault(index, [])
        self._reasons[index] = reason

    def text(self, index: int) -> str:
        return "".join(self._texts.get(index, []))

    def refusal(self, index: int) -> str | None:
        return "".join(self._refusals[index]) if index in self._refusals else None

    def thoughts(self, index: int) -> str | None:
        return "".join(self._thoughts[index]) if index in self._thoughts else None

    def reason(self, index: int) -> str:
        """Return why a choice ended.

        Raises:
            ProviderError: `cut`, the stream ended and the choice had not.
        """
        if index not in self._reasons:
            raise ProviderError("cut", code="no-end", once_more=True)
        return self._reasons[index]

    def indices(self, wanted: int = 1) -> Sequence[int]:
        """Return the choices' numbers, including those that were asked for and never began."""
        return sorted({*self._texts, *range(wanted)})
