"""A generator of the toy benchmark over real HTTP. A JSON file says how it misbehaves: status, delay, other seed."""

import json
import os
import time
from pathlib import Path
from typing import Any

import msgspec
from litestar import Litestar, Request, Response, Router, get, post
from litestar.params import FromPath, JSONBody

from scoring_service.generator import ITEMS_A_RANGE
from tests.integration.scoring import toy
from tetrad.contracts.benchmarks import BenchmarkList
from tetrad.internal.draws import CloseRequest, DrawKeys, KeysRequest, PackedItems, RangeRequest, RegenerateRequest
from tetrad.internal.packed_keys import pack_items

CONTROL = "STAND_IN_CONTROL"


def create_app() -> Litestar:
    internal = Router(
        "/internal",
        route_handlers=[benchmarks, reveal, range_of_keys, regenerate, close, pack],
        before_request=misbehave,
    )
    return Litestar([internal, ready], request_max_body_size=None)


def behaviour() -> dict[str, Any]:
    path = Path(os.environ[CONTROL])
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found


def misbehave(request: Request[Any, Any, Any]) -> Response[None] | None:
    began = time.monotonic()
    while time.monotonic() - began < behaviour().get("delay", 0):  # ends at once when it is told to behave
        time.sleep(0.05)
    if request.headers.get("authorization") != "Bearer " + "t" * 32:
        return Response(None, status_code=403)
    status = behaviour().get("status", 200)
    return Response(None, status_code=status) if status != 200 else None


@get("/health/ready", sync_to_thread=False)
def ready() -> dict[str, str]:
    return {"status": "ready"}


@get("/benchmarks", sync_to_thread=True)
def benchmarks() -> BenchmarkList:
    return BenchmarkList(benchmarks=[toy.INFO])


@post("/keys/draws/{submission:str}", status_code=200, sync_to_thread=True)
def reveal(submission: str, data: JSONBody[KeysRequest]) -> DrawKeys:
    seed = toy.seed_of(behaviour().get("other", submission))
    return msgspec.structs.replace(toy.keys_of(toy.IDENTITY, seed, behaviour()["size"], data.answers), items=[])


@post("/keys/draws/{submission:str}/ranges/{number:int}", status_code=200, sync_to_thread=True)
def range_of_keys(submission: FromPath[str], number: FromPath[int], data: JSONBody[RangeRequest]) -> PackedItems:
    keys = toy.keys_of(toy.IDENTITY, toy.seed_of(submission), behaviour()["size"], data.answers)
    return pack_items(keys.items[number * ITEMS_A_RANGE :][: ITEMS_A_RANGE - behaviour().get("short", 0)])


@post("/keys/regenerate", status_code=200, sync_to_thread=True)
def regenerate(data: JSONBody[RegenerateRequest]) -> PackedItems:
    keys = toy.keys_of(data.identity, data.seed, data.size, data.answers)
    return pack_items(keys.items[data.first :][: data.count])


@post("/keys/close", status_code=200, sync_to_thread=True)
def close(data: JSONBody[CloseRequest]) -> dict[str, int]:
    with closed_file(os.environ[CONTROL]).open("a") as closed:
        closed.writelines(f"{one}\n" for one in data.submissions)
    return {"closed": len(data.submissions)}


@post("/keys/pack", status_code=200, sync_to_thread=True)
def pack(data: JSONBody[CloseRequest]) -> dict[str, int]:
    return {"packed": len(data.submissions)}


def closed_file(control: str) -> Path:
    return Path(control).with_suffix(".closed")
