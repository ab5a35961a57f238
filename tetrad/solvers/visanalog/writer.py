"""Stand in for a model that writes questions about an edited picture: it asks where the picture is lightest.

It shows that the job which lets models write and check questions runs, without a model. What it writes needs no more
of an edit than where the lightest quarter comes to lie.
"""

import json
from collections.abc import Sequence

from tetrad.contracts.inference import Message
from tetrad.solvers.seen_question import shown_pictures

__all__ = ["NOTHING_SHOWN", "QuestionWriter"]

NOTHING_SHOWN = "I see no picture to write a question about."
_QUARTERS = ("upper left", "upper right", "lower left", "lower right")


class QuestionWriter:
    """Writes one question about the last picture of a request, as a JSON object."""

    def reply(self, messages: Sequence[Message]) -> str:
        shown = shown_pictures(messages)
        if not shown:
            return NOTHING_SHOWN
        light = shown[-1].pixels()[..., :3].mean(axis=2)
        rows, columns = light.shape[0] // 2, light.shape[1] // 2
        means = [
            float(light[rows * down : rows * (down + 1), columns * right : columns * (right + 1)].mean())
            for down in (0, 1)
            for right in (0, 1)
        ]
        best = means.index(max(means))
        return json.dumps(
            {
                "rationale": "Where the light falls depends on every step that moves it.",
                "question": "Which quarter is the lightest?",
                "options": [f"the {quarter} one" for quarter in _QUARTERS],
                "explanation": f"The {_QUARTERS[best]} quarter is the lightest.",
                "answer": "ABCD"[best],
            }
        )
