"""Answer a submission with any model: questions -> prompts -> replies -> answers, one loop for every benchmark.

Get open questions, seal answers, repeat until none is open. What is sealed is not asked again, so a run that
stopped is taken up by running it again.
"""

from tetrad.runner.loop import Plan, RunError, StalledError, answer_submission
from tetrad.runner.over_http import SubmissionOverHttp
from tetrad.runner.patience import Attempts
from tetrad.runner.ports import (
    ModelReply,
    Prompt,
    RefusedError,
    ReplyError,
    Responder,
    RunProgress,
    SubmissionPort,
    TokenUsage,
)
from tetrad.runner.programs import StandingProgram, command_responder
from tetrad.runner.responders import http_responder, solver_responder

__all__ = [
    "Attempts",
    "ModelReply",
    "Plan",
    "Prompt",
    "RefusedError",
    "ReplyError",
    "Responder",
    "RunError",
    "RunProgress",
    "StalledError",
    "StandingProgram",
    "SubmissionOverHttp",
    "SubmissionPort",
    "TokenUsage",
    "answer_submission",
    "command_responder",
    "http_responder",
    "solver_responder",
]
