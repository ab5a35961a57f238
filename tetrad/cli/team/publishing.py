"""`tetrad export`: write a scored submission in the forms that other platforms take."""

import re
from pathlib import Path
from typing import Literal

from tetrad.cli.credentials import UrlOption, address, connect
from tetrad.cli.output import say
from tetrad.cli.team.parameters import SubmissionId
from tetrad.client import Client, TetradError
from tetrad.client.pages import every_page
from tetrad.contracts.submissions import RevealedItem
from tetrad.files import whole_file
from tetrad.reporting.every_eval_ever import ModelFacts, every_eval_ever
from tetrad.reporting.hub_results import hub_results

REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
PAGE = 50  # items


class ExportError(TetradError):
    """The report can't be exported in this form."""


def export(
    submission: SubmissionId,
    *,
    format: Literal["every-eval-ever", "hub"],  # noqa: A002 -- the option's name
    out: Path = Path(),
    model_id: str | None = None,
    deployment: Literal["self_deployed", "externally_managed", "unknown"] = "unknown",
    availability: Literal["open_weights", "closed_weights", "unknown"] = "unknown",
    relationship: Literal["first_party", "third_party", "collaborative", "other"] = "other",
    dataset: str | None = None,
    task: str | None = None,
    url: UrlOption = None,
) -> None:
    """Write the report of a scored submission for other platforms.

    Args:
        format: every-eval-ever (JSON and a line for each question), or hub (Hugging Face's .eval_results).
        out: the folder to write to.
        model_id: ORGANISATION/NAME of the model, as on Hugging Face; needed for every-eval-ever.
        deployment: who runs the model, for every-eval-ever.
        availability: whether its weights are open, for every-eval-ever.
        relationship: what you are to the model's makers, for every-eval-ever.
        dataset: ORGANISATION/NAME of the dataset that stands for the benchmark; needed for hub.
        task: the task's name there; the benchmark's name by default.
    """
    with connect(url) as client:
        report = client.report(submission)
        if report.headline.value is None:
            raise ExportError(f"{submission} has no score: no question of its headline was asked")
        where = f"{address(url)}/v1/submissions/{submission}/report"
        if format == "hub":
            name = _repository("--dataset", dataset)
            text = hub_results(report, dataset=name, task=task or report.identity.benchmark, url=where)
            _write(out / ".eval_results" / f"{report.identity.benchmark}.yaml", text.encode())
            return
        facts = ModelFacts(
            id=_repository("--model-id", model_id),
            deployment=deployment,
            availability=availability,
            relationship=relationship,
        )
        items = [] if report.aggregates_only else _fetch_revealed(client, submission)
        found = every_eval_ever(report, facts, items, service=where)
    _write(out / found.results_path, found.results)
    if found.samples:
        _write(out / found.samples_path, found.samples)


def _repository(option: str, text: str | None) -> str:
    if text is None or not REPOSITORY.fullmatch(text):
        given = "is missing" if text is None else f"{text!r} is not ORGANISATION/NAME"
        raise ExportError(f"{option} {given}; give one like Qwen/Qwen2.5-VL-7B-Instruct")
    return text


def _fetch_revealed(client: Client, submission: str) -> list[RevealedItem]:
    pages = every_page(lambda cursor: client.revealed_items(submission, cursor=cursor, limit=PAGE))
    return [item for page in pages for item in page.items]


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, durable=False) as file:
        file.write(body)
    say(str(path))
