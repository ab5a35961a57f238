"""Rows of pages: a board of 2,000 rows made anew and unchanged, its bytes as they travel, and pages of items."""

import gc
import gzip
import time
from collections.abc import Iterator
from random import Random
from statistics import median

import httpx
from msgspec import json
from msgspec.structs import replace

from api.boards.finished_boards import FinishedBoard
from api.boards.leaderboards import empty_board
from api.boards.queries import board_query
from api.pages.boards import Asked, board_view
from api.pages.frame import GZIP_LEVEL, Frame, Page, PageCache, tag_page, template_config
from api.settings import ApiSettings
from bench.measuring import Bench, Line, interleave
from bench.processes import core_seconds_by_program
from tests.integration.api.trio import BANK, card
from tetrad.contracts.benchmarks import BenchmarkInfo
from tetrad.contracts.leaderboards import BoardRow
from tetrad.contracts.reports import IntervalValue

ROWS, ROUNDS = 2_000, 7
MOST_ITEM_MS = 15.0
SEED = 41
MOST_ANEW_MS, MOST_UNCHANGED_MS, MOST_BYTES = 100.0, 3.0, 300_000
TOKEN = "t" * 32
SETTINGS = ApiSettings(
    database_url="sqlite://",
    store_url="file:///nowhere",
    generator_url="http://127.0.0.1:9",
    generator_practice_token=TOKEN,
    generator_sealed_token=TOKEN,
)


def pages(_: Bench) -> Iterator[Line]:
    """Make the page of a long board: anew, and as it is kept. What was loaded before is not walked, as in a server."""
    gc.collect()
    gc.freeze()
    asked = long_board()
    template = template_config().engine_instance.get_template("board.html")
    cache = PageCache[Page](1)

    def make_anew() -> Page:
        view = board_view(asked, "", SETTINGS)
        frame = Frame(root="", title="", tab="boards")
        return tag_page(template.render(frame=frame, view=view, root="", host="").encode())

    def look(_: int) -> Page:
        return cache.get((asked.board.digest, json.encode(asked.info), asked.query), make_anew)

    body = look(0).body
    anew, unchanged = interleave(ROUNDS, lambda _: make_anew(), look, clock=time.process_time)
    shown, kept, packed = median(anew) * 1000, median(unchanged) * 1000, len(gzip.compress(body, GZIP_LEVEL))
    yield Line(
        name=f"the page of a board of {ROWS:,} rows, made anew",
        value=f"{shown:.0f} core ms",
        ratio=f"unchanged: {kept:.1f} core ms; {packed / 1000:.0f} kB packed",
        aim=f"{MOST_ANEW_MS:.0f}, {MOST_UNCHANGED_MS:.0f} core ms, {MOST_BYTES / 1000:.0f} kB",
        met=shown <= MOST_ANEW_MS and kept <= MOST_UNCHANGED_MS and packed <= MOST_BYTES,
    )


def item_pages(bench: Bench) -> Iterator[Line]:
    """Ask for the pages of some items of each benchmark, none of them twice, without their pictures."""
    url, root = bench.instance.url, bench.instance.process.pid
    with httpx.Client(base_url=url, headers={"Accept": "text/html"}, timeout=60) as client:
        for name in ("kiva", "marvel", "carv"):
            query = f"/v1/benchmarks/{name}/items?seed={SEED}&limit={min(100, max(1, bench.scale.trials))}"
            items = [item["id"] for item in client.get(query).raise_for_status().json()["items"]]
            client.get(f"/puzzles/{name}/{items[0]}").raise_for_status()  # the template is read once
            before = sum(core_seconds_by_program(root).values())
            for item in items:
                client.get(f"/puzzles/{name}/{item}").raise_for_status()
            taken = 1000 * (sum(core_seconds_by_program(root).values()) - before) / len(items)
            yield Line(
                name=f"a page of an item of {name}",
                value=f"{taken:.1f} core ms",
                ratio=f"all processes of the instance, {len(items)} pages, no pictures",
                aim=f"{MOST_ITEM_MS:.0f} core ms",
                met=taken <= MOST_ITEM_MS,
            )


def long_board() -> Asked:
    """Return a board of many ranked rows, as `find_board` finds one."""
    served, rng = card(2), Random(1)
    where = board_query(served, [])
    rows = [ranked_row(place, rng) for place in range(ROWS)]
    board = replace(empty_board(served, where, BANK), rows=rows, chance=0.25)
    info = BenchmarkInfo(card=served, bank=BANK)
    return Asked(info=info, where=where, sources=(), board=FinishedBoard.of(board), query=(), shows_all=False)


def ranked_row(place: int, rng: Random) -> BoardRow:
    score = 1 - 0.8 * place / ROWS
    low, high = max(0.0, score - 0.1 * rng.random()), min(1.0, score + 0.1 * rng.random())
    return BoardRow(
        model=f"model-{rng.randrange(10**9):x}",
        team=f"team-{rng.randrange(10**6):x}",
        score=score,
        interval=IntervalValue(lower=low, upper=high, level=0.95, method="confidence sequence"),
        rank_best=max(1, place - 150),
        rank_worst=min(ROWS, place + 150),
        group=1,
        items=200 + rng.randrange(900),
        attempts=1 + rng.randrange(5),
        team_models=1,
        unread_share=rng.random() / 20,
        cost=None,
        origin="reported by the team",
        first_scored_at="2026-01-01T00:00:00.000Z",
    )
