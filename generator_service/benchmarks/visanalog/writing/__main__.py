"""`python -m generator_service.benchmarks.visanalog.writing photographs:NAME ...`: models write and check questions.

The outcomes of all items lie in FOLDER/written.jsonl, and the counts in FOLDER/report.json. The same command goes on
where an earlier one ended. Where people judge the drafts before models do: --for-people writes FOLDER/drafts.jsonl and
FOLDER/pictures, then --verdicts FILE goes on with what two people accepted. The token of the gateway is read from
$TETRAD_GATEWAY_TOKEN.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from generator_service.benchmarks.visanalog.photographs.bank import PhotographBank
from generator_service.benchmarks.visanalog.writing.job import (
    Gateway,
    ModelUnavailableError,
    draft_questions,
    write_questions,
)
from generator_service.sources.serving import ServedSources, split_title
from generator_service.sources.store import SourceError, open_sources

PROGRAM = "generator_service.benchmarks.visanalog.writing"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write questions and print the counts: 1 if a model or the source can't be had."""
    parser = argparse.ArgumentParser(prog=f"python -m {PROGRAM}", description=__doc__)
    parser.add_argument("source", help="photographs:NAME, mined by the job `visanalog`")
    parser.add_argument("--store", default="file://var/sources", help="the address of the store of sources")
    parser.add_argument("--gateway", default="http://127.0.0.1:8003", help="the inference gateway's address")
    parser.add_argument("--writer", required=True, help="the model that writes")
    parser.add_argument(
        "--checker", action="append", default=[], help="a model that answers, shown D; give two different ones"
    )
    people = parser.add_mutually_exclusive_group()
    people.add_argument("--for-people", action="store_true", help="write drafts and their pictures, ask no checker yet")
    people.add_argument("--verdicts", type=Path, help="a JSON Lines file of what people said of those drafts")
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the outcomes")
    given = parser.parse_args(arguments)
    try:
        store = open_sources(given.store)
        bank = PhotographBank(ServedSources(store).open(store.head(*split_title(given.source)), None))
        ask = Gateway(given.gateway, os.environ.get("TETRAD_GATEWAY_TOKEN", ""))
        if given.for_people:
            report = draft_questions(bank, ask, given.writer, given.items, given.seed, given.out)
        else:
            report = write_questions(
                bank, ask, given.writer, given.checker, given.items, given.seed, given.out, given.verdicts
            )
    except (SourceError, ModelUnavailableError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    body = msgspec.json.format(msgspec.json.encode(report), indent=1)
    (given.out / "report.json").write_bytes(body + b"\n")
    sys.stdout.write(body.decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
