"""The api with a planted leak, which tests/soak/test_timing.py has to find: a right answer takes a little longer."""

import time
from unittest.mock import patch

import sqlalchemy as sa
from litestar import Litestar

from api import app
from api.routes import questions
from api.submissions.finding import SubmissionRow
from api.submissions.sealing import seal
from api.submissions.uploads import Upload
from api.upstream.job_notifier import JobNotifier
from tests.integration.api.team import NONCE
from tests.integration.api.trio import key_of
from tests.integration.real_generator import seed_of
from tetrad.contracts.answers import SealReceipt

LONGER_SECONDS = 0.0005


def leaky_seal(
    engine: sa.Engine, notifier: JobNotifier, row: SubmissionRow, upload: Upload, *, dry_run: bool
) -> SealReceipt:
    """Seal the answer, and wait for half a millisecond if it is right."""
    seed = seed_of(str(row.id), NONCE)
    is_right = [line.answer.answer == key_of(seed, line.answer.item, line.answer.question) for line in upload.lines]
    end = time.perf_counter() + LONGER_SECONDS * any(is_right)
    while time.perf_counter() < end:
        pass
    return seal(engine, notifier, row, upload, dry_run=dry_run)


def create_app() -> Litestar:
    patch.object(questions, "seal", leaky_seal).start()
    return app.create_app()
