"""Wire types for trainers: replies to practice questions by the thousand, and the routes of NeMo Gym's protocol."""

from typing import Annotated, Any

from msgspec import Meta

from tetrad.contracts.answers import PracticeAnswerList, Reply
from tetrad.contracts.inference import StopKind
from tetrad.contracts.wire import Facets, Request, Wire


class PracticeReply(Request, frozen=True, kw_only=True):
    """A line of a batch: a reply to a question of a practice item."""

    item: Annotated[str, Meta(description="the practice item's id, as its row has it")]
    question: Annotated[str, Meta(description="the question's id, as its row has it", min_length=1, max_length=64)]
    response: Annotated[Reply | None, Meta(description="the model's whole reply; or `answer`, not both")] = None
    answer: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | None,
        Meta(description="the label of the chosen option, the number or the text, instead of a reply"),
    ] = None
    stop: Annotated[StopKind | None, Meta(description="the reason why the reply ended, if the model told it")] = None
    earlier: Annotated[
        PracticeAnswerList,
        Meta(description="the replies before it in its conversation, which decide whether its question is open"),
    ] = []


class PracticeVerdict(Wire, frozen=True, kw_only=True):
    """The verdict on a line of a batch, in the order of the lines."""

    item: Annotated[str, Meta(description="the practice item's id, as it was sent")]
    question: Annotated[str, Meta(description="the question's id, as it was sent")]
    verdict: Annotated[
        str, Meta(description="correct, incorrect, or unread: a reply that holds no answer that can be extracted")
    ]
    answer: Annotated[str | None, Meta(description="the extracted answer; null where there is none")]
    reason: Annotated[str, Meta(description="why this answer was extracted, or none")]
    key: Annotated[str, Meta(description="the right answer")]
    mistake: Annotated[str | None, Meta(description="the mistake that the chosen option stands for, if it has a name")]
    reward: Annotated[float, Meta(description="1 for a correct answer, else 0")]
    unread: Annotated[float, Meta(description="1 where no answer was extracted, else 0: such a reply is not wrong")]
    stage_reward: Annotated[
        float, Meta(description="the share of the item's questions that are answered right, this reply and `earlier`")
    ]
    outcome: Annotated[Facets, Meta(description="further facts about the answer, by name")] = {}
    begins_inside_thinking: Annotated[
        bool, Meta(description="whether the reply closes thinking that it never opened")
    ] = False
    opened: Annotated[list[str], Meta(description="the questions that this reply opened")] = []


class NextRows(Request, frozen=True, kw_only=True):
    """A line of a request for rows: an item whose conversation goes on."""

    item: Annotated[str, Meta(description="the practice item's id")]
    answers: Annotated[PracticeAnswerList, Meta(description="all answers to its questions so far, in order")] = []


class EnvironmentRollout(Wire, frozen=True, kw_only=True):
    """A row of NeMo Gym's data set, and with verify the response to it. Other fields are ignored."""

    item: Annotated[str | None, Meta(description="the practice item's id")] = None
    question: Annotated[str | None, Meta(description="the id of the question that the response answers")] = None
    answers: Annotated[
        PracticeAnswerList, Meta(description="all answers to the item's questions before this one, in order")
    ] = []
    responses_create_params: Annotated[
        dict[str, Any], Meta(description="the request to OpenAI's Responses that was made")
    ] = {}
    response: Annotated[
        dict[str, Any], Meta(description="the response of OpenAI's Responses, or a chat completion")
    ] = {}


class EnvironmentSession(Wire, frozen=True, kw_only=True):
    """The next question of an item, for NeMo Gym's seed_session. Nothing is kept on the server."""

    item: Annotated[str | None, Meta(description="the practice item's id; null where none was sent")] = None
    question: Annotated[str | None, Meta(description="the id of the question to be asked now; null: none is open")] = (
        None
    )
    responses_create_params: Annotated[
        dict[str, Any], Meta(description="the request to OpenAI's Responses that asks it; empty where none is open")
    ] = {}


class EnvironmentVerdict(Wire, frozen=True, kw_only=True):
    """NeMo Gym's verify: all that was sent comes back, with the verdict beside it."""

    responses_create_params: Annotated[dict[str, Any], Meta(description="the same as was sent")]
    response: Annotated[dict[str, Any], Meta(description="the same as was sent")]
    reward: Annotated[float, Meta(description="1 for a correct answer, else 0")]
    unread: Annotated[float, Meta(description="1 where no answer was extracted, else 0")]
    stage_reward: Annotated[float, Meta(description="the share of the item's questions that are answered right")]
    verdict: Annotated[str, Meta(description="correct, incorrect or unread")]
    answer: Annotated[str | None, Meta(description="the extracted answer; null where there is none")]
    reason: Annotated[str, Meta(description="why this answer was extracted, or none")]
    mistake: Annotated[str | None, Meta(description="the mistake that the chosen option stands for, if it has a name")]
