"""KiVA's trials as conversations, with real items: what a later prompt holds, and what it is without one."""

from collections import Counter

import pytest
from msgspec.structs import replace

from generator_service.benchmarks.kiva.eligible import KivaBank
from tests.unit.tetrad.runner.draw import KivaDraw
from tetrad.contracts.inference import ImagePart, Message, TextPart
from tetrad.prompting import STRATEGIES
from tetrad.runner import Plan, Prompt, RefusedError, RunError, answer_submission, solver_responder

ITEMS = 6


class Recorder:
    """The pixel solver, with every prompt that it was shown, by item picture and question."""

    def __init__(self) -> None:
        self._solve = solver_responder("pixel-solver")
        self.prompts: list[Prompt] = []

    def __call__(self, prompt: Prompt) -> str:
        self.prompts.append(prompt)
        return f"I looked well: {self._solve(prompt)}"

    def last_asked(self, kind: str) -> list[Prompt]:
        return [prompt for prompt in self.prompts if prompt.question.kind == kind]


def run(draw: KivaDraw, strategy: str = "direct") -> Recorder:
    heard = Recorder()
    answer_submission(draw, heard, Plan(strategy=strategy, concurrency=1))
    return heard


def pictures(messages: list[Message]) -> list[str]:
    return [part.image_url.url for message in messages for part in parts(message) if isinstance(part, ImagePart)]


def parts(message: Message) -> list[TextPart | ImagePart]:
    return [TextPart(text=message.content)] if isinstance(message.content, str) else list(message.content)


def words(message: Message) -> str:
    return "\n".join(part.text for part in parts(message) if isinstance(part, TextPart))


def test_a_conversation_s_extrapolation_holds_the_trial_s_earlier_turns_and_each_picture_once(
    kiva_bank: KivaBank,
) -> None:
    heard = run(KivaDraw(kiva_bank, ITEMS, joined=True))
    first = {prompt.pictures["1"]: list(prompt.messages) for prompt in heard.last_asked("what")}
    second = {prompt.pictures["1"]: list(prompt.messages) for prompt in heard.last_asked("how")}
    assert len(second) == ITEMS, "the solver is right, so every trial asks all three"
    for prompt in heard.last_asked("which"):
        given = prompt.pictures["1"]
        asked = list(prompt.messages)
        assert [message.role for message in asked] == ["system", *["user", "assistant"] * 2, "user"]
        assert asked[:2] == first[given], "a turn is carried as it was asked"
        assert asked[:4] == second[given]
        assert [message.content for message in asked[2::2]] == [turn.response for turn in prompt.earlier]
        assert words(asked[-1]).startswith("Picture 1, shown above.")
        assert set(Counter(pictures(asked)).values()) == {1}
        assert len(pictures(asked)) == len(prompt.pictures) == 4


def test_in_fresh_contexts_the_same_question_is_asked_as_in_extrapolation_only(kiva_bank: KivaBank) -> None:
    """Both are asked alone, so that a trial of `full` and one of `extrapolation-only` give the same prompt."""
    trials = KivaDraw(kiva_bank, ITEMS)
    trials.scenes = [replace(scene, setting="extrapolation-only") for scene in trials.scenes]
    alone = run(trials).last_asked("which")
    fresh = run(KivaDraw(kiva_bank, ITEMS)).last_asked("which")
    joined = run(KivaDraw(kiva_bank, ITEMS, joined=True)).last_asked("which")
    by_pictures = [{tuple(prompt.pictures.values()): prompt.messages for prompt in one} for one in (alone, fresh)]
    assert by_pictures[0] == by_pictures[1]
    assert len(by_pictures[0]) == ITEMS
    assert all(prompt.messages != by_pictures[0][tuple(prompt.pictures.values())] for prompt in joined)


@pytest.mark.parametrize("strategy", sorted(set(STRATEGIES) - {"in-context"}))
def test_the_pixel_solver_finds_the_question_that_is_asked_last_in_every_strategy(
    kiva_bank: KivaBank, strategy: str
) -> None:
    draw = KivaDraw(kiva_bank, ITEMS, joined=True)
    run(draw, strategy)
    assert (len(draw.sealed), draw.right()) == (3 * ITEMS, 1.0)


def test_solved_examples_come_before_the_conversation(kiva_bank: KivaBank) -> None:
    draw = KivaDraw(kiva_bank, 2, joined=True, in_context=2)
    heard = run(draw, "in-context")
    assert draw.right() == 1.0
    for prompt in heard.last_asked("which"):
        asked = list(prompt.messages)
        assert [message.role for message in asked] == ["system", *["user", "assistant"] * (6 + 2), "user"]
        own = [url for message in asked[13:] for url in pictures([message])]
        assert set(Counter(own).values()) == {1}
        assert len(own) == 4


@pytest.mark.parametrize("strategy", ["reflect", "instructions-first"])
def test_of_an_earlier_turn_with_several_rounds_the_question_and_the_final_reply_are_carried(
    kiva_bank: KivaBank, strategy: str
) -> None:
    draw, said = KivaDraw(kiva_bank, 2, joined=True), list[str]()
    solve = solver_responder("pixel-solver")

    def numbered(prompt: Prompt) -> str:
        said.append(f"{solve(prompt)} is what I say, {len(said)} replies after the first")
        return said[-1]

    asked: list[Prompt] = []

    def respond(prompt: Prompt) -> str:
        asked.append(prompt)
        return numbered(prompt)

    answer_submission(draw, respond, Plan(strategy=strategy, concurrency=1))
    for prompt in (one for one in asked if one.question.kind == "which"):
        turns = list(prompt.messages)[1:5]
        assert [message.content for message in turns[1::2]] == [turn.response for turn in prompt.earlier]
        for message, turn in zip(turns[::2], prompt.earlier, strict=True):
            assert turn.question.text in words(message)
            assert all(f"({option.label})" in words(message) for option in turn.question.options)
            assert "instructions" not in words(message)


def test_repeats_don_t_hear_of_each_other(kiva_bank: KivaBank) -> None:
    heard = run(KivaDraw(kiva_bank, 2, joined=True, repeats=3))
    for prompt in heard.prompts:
        assert {turn.question.repeat for turn in prompt.earlier} <= {prompt.question.repeat}
    assert all(len(prompt.earlier) == 2 for prompt in heard.last_asked("which"))


def test_a_run_that_stops_half_way_goes_on_with_the_same_turns(kiva_bank: KivaBank) -> None:
    whole, halves = KivaDraw(kiva_bank, ITEMS, joined=True), KivaDraw(kiva_bank, ITEMS, joined=True)
    expected = {key_of(prompt): prompt.messages for prompt in run(whole).prompts}
    heard: list[Prompt] = []
    solve = solver_responder("pixel-solver")

    def dies(prompt: Prompt) -> str:
        if len(heard) == ITEMS + 3:
            raise RefusedError("the power went")
        heard.append(prompt)
        return f"I looked well: {solve(prompt)}"

    with pytest.raises(RunError):
        answer_submission(halves, dies, Plan(concurrency=1, batch=2))
    assert 0 < len(halves.sealed) < 3 * ITEMS
    heard += run(halves).prompts
    assert {key_of(prompt): prompt.messages for prompt in heard} == expected
    assert halves.sealed == whole.sealed


def key_of(prompt: Prompt) -> tuple[str, bytes]:
    return prompt.question.id, prompt.pictures["1"]
