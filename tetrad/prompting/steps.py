"""Define a prompt strategy as data: requests before the question, words added to it, requests after the answer."""

import msgspec


class Steps(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The requests that lead to one answer. The reply to the last one is the answer.

    before: asked one by one, with the pictures, before the options are shown.
    closing: the last words of the question itself.
    after: asked one by one once there is an answer; each reply gives it anew.
    examples: the question must bring solved examples; they are shown as earlier turns under every strategy.
    """

    before: tuple[str, ...] = ()
    closing: str = ""
    after: tuple[str, ...] = ()
    examples: bool = False

    @property
    def requests(self) -> int:
        return len(self.before) + 1 + len(self.after)
