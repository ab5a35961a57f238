"""Views of questions, whole or with a part hidden, and what a benchmark's solver makes of them."""

from collections.abc import Collection
from typing import Any

import msgspec

from generator_service.benchmark import Benchmark, View
from tetrad.contracts.items import Question


def view_of(benchmark: Benchmark, scene: Any, question: Question, hide: Collection[str] = ()) -> View:
    """Return the view of somebody who is asked the question, without the parts to hide.

    Where none of the question's pictures holds any of them, its words are hidden instead.
    """
    held = {picture.name: msgspec.to_builtins(benchmark.holds(scene, picture.name)) for picture in question.pictures}
    if hide and not any(part in parts for parts in held.values() for part in hide):
        question = msgspec.structs.replace(question, text="")
    pictures = {name: {part: of for part, of in parts.items() if part not in hide} for name, parts in held.items()}
    return View(question=question, pictures={name: parts for name, parts in pictures.items() if parts})


def solved(benchmark: Benchmark, scene: Any) -> dict[str, str | None]:
    """Return what the benchmark's solver answers to every question of a scene, by question."""
    asked = [keyed.question for keyed in benchmark.questions(scene)]
    return {question.id: benchmark.solve(view_of(benchmark, scene, question)) for question in asked}
