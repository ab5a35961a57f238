"""`python -m tests.browser.picture FILE`: a screenshot of a board, of a real instance with real submissions.

The models are the key with some answers made wrong on purpose, so that the board has something to rank.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from playwright.sync_api import sync_playwright

from generator_service.items import Item
from generator_service.proving.findings import mounted_of
from tests.answering import open_questions, register, wait_scored
from tests.browser.conftest import SOURCES, chromium
from tests.instance import Instance, running
from tests.shown.rebuilding import item_of
from tetrad.client import Client
from tetrad.contracts.answers import Answer
from tetrad.contracts.submissions import OpenQuestion, SubmissionRequest

MODELS = (("noise-08", 0.92), ("noise-34", 0.66), ("noise-41", 0.6), ("noise-62", 0.4), ("random", 0.25))
SIZE, FEW = 230, 60
WIDTH, HEIGHT = 1280, 900


def main(file: str) -> int:
    path = chromium()
    if path is None:
        sys.stderr.write("*** NOT MADE: there is no Chromium; apt-get install chromium\n")
        return 1
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "home", SOURCES) as instance:
        fill(instance)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto(f"{instance.url}/boards/kiva")
            page.screenshot(path=file)
            browser.close()
    return 0


def fill(instance: Instance) -> None:
    """Submit each model to KiVA's board, and one with too few items for a rank."""
    rng = Random(5)
    with instance.team("drawing-board") as team:
        for model, accuracy in MODELS:
            submit(instance, team, model, SIZE, accuracy, rng)
        submit(instance, team, "few-items", FEW, MODELS[2][1], rng)


def submit(  # noqa: PLR0917 - a submission's parts
    instance: Instance, team: Client, model: str, size: int, accuracy: float, rng: Random
) -> None:
    register(team, model)
    opened = team.open_submission(SubmissionRequest(benchmark="kiva", model=model, size=size, nonce="a picture"))
    secret = instance.secrets.seed_secret.partition(",")[0]
    make_item = item_of(mounted_of("kiva", SOURCES), secret, opened)
    state = "open"
    while state == "open" and (waiting := list(open_questions(team, opened.id))):
        answers = [answer(make_item, asked, accuracy, rng) for asked in waiting]
        state = team.seal(opened.id, answers).state
    wait_scored(team, opened.id)


def answer(make_item: Callable[[int], Item], asked: OpenQuestion, accuracy: float, rng: Random) -> Answer:
    """Return the right answer, or in some questions a wrong one."""
    key = next(keyed.key for keyed in make_item(asked.item).questions if keyed.question.id == asked.question.id)
    wrong = [option.label for option in asked.question.options if option.label != key.label]
    label = key.label if rng.random() < accuracy or not wrong else rng.choice(wrong)
    return Answer(item=asked.item, question=asked.question.id, answer=label)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
