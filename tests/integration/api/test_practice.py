"""Practice items: fresh, open, and the same for everyone."""

import io
import tarfile
import zipfile
from collections import Counter
from typing import Any

import httpx
import pytest
from msgspec import json
from msgspec.structs import replace

from api.settings import ApiSettings
from api.submissions.bundle import pack_named
from tests.integration.api.assembled import client_of
from tests.integration.api.conftest import Client
from tests.integration.api.trio import BANK, draw_of, key_of, picture_of
from tests.misbehaving import misbehaving
from tests.png_contents import contents_of
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.wire import ParameterValue
from tetrad.internal.item_ids import item_id
from tetrad.rows.png_content import png_content

PARAMETERS: dict[str, ParameterValue] = {"repeats": 1, "tint": "red", "shiny": False, "wording": "standard"}


def first_item(client: Client, query: str = "seed=7") -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"/v1/benchmarks/trio/items?{query}").json()["items"][0]
    return found


def test_benchmarks_are_listed_and_one_is_told_in_its_newest_version(client: Client) -> None:
    listed = client.get("/v1/benchmarks").json()["benchmarks"]
    assert [entry["card"]["version"] for entry in listed if entry["card"]["name"] == "trio"] == [1, 2]
    assert client.get("/v1/benchmarks/trio").json() == listed[1]
    missing = client.get("/v1/benchmarks/none")
    assert missing.status_code == 404
    assert missing.headers["Content-Type"] == "application/problem+json"
    assert missing.json()["faults"][0]["field"] == "benchmark"


def test_items_come_with_addresses_and_a_link_to_the_next_page(client: Client) -> None:
    query = "track=plain&setting=full&seed=7&offset=2&limit=2&repeats=2&parity=even"
    reply = client.get(f"/v1/benchmarks/trio/items?{query}")
    page = reply.json()
    draw = draw_of(page["seed"], DrawIdentity(**page["items"][0]["identity"]))
    even = [index for index in range(2, 22) if draw.cell(index) == {"parity": "even"}]
    assert [item["index"] for item in page["items"]] == even[:2]
    assert page["items"][0]["identity"]["parameters"]["repeats"] == 2
    address = page["items"][0]["url"]
    assert page["items"][0]["questions"][0]["pictures"][0]["url"] == f"{address}/images/what-0-1.png"
    assert reply.headers["Link"].split(", ")[0] == f'<{page["next"]}>; rel="next"'
    following = client.get(page["next"]).json()
    assert following["seed"] == "7"
    assert [item["index"] for item in following["items"]] == even[2:4]


def test_a_page_says_how_many_items_of_each_block_have_a_value_of_a_filter(client: Client) -> None:
    page = client.get("/v1/benchmarks/trio/items?seed=7&limit=1").json()
    draw, block = draw_of("7", DrawIdentity(**page["items"][0]["identity"])), page["counted"]
    for first in (0, block, 7 * block):
        found = Counter(draw.cell(index)["parity"] for index in range(first, first + block))
        assert page["counts"] == {"parity": found}


def test_the_last_page_has_no_next(settings: ApiSettings) -> None:
    def end(_path: str, body: bytes) -> bytes:
        page = json.decode(body)
        return json.encode({**page, "next_offset": None}) if "next_offset" in page else body

    with misbehaving(settings.generator_url) as proxy, client_of(replace(settings, generator_url=proxy.url)) as client:
        proxy.behave(change=end)
        reply = client.get("/v1/benchmarks/trio/items?offset=2000&limit=1")
    assert reply.json()["next"] is None
    seed = reply.json()["seed"]
    before = f"/v1/benchmarks/trio/items?limit=1&seed={seed}"
    assert reply.headers["Link"] == f'<{before}>; rel="first", <{before}&offset=1999>; rel="prev"'


def test_a_seed_is_chosen_and_told_and_gives_the_same_items_again(client: Client) -> None:
    page = client.get("/v1/benchmarks/trio/items").json()
    again = client.get(f"/v1/benchmarks/trio/items?seed={page['seed']}").json()
    assert [item["id"] for item in again["items"]] == [item["id"] for item in page["items"]]


def test_an_older_version_is_served_by_its_number(client: Client) -> None:
    assert first_item(client, "version=1")["identity"]["version"] == 1


@pytest.mark.parametrize(
    ("query", "field"),
    [("colour=red", "colour"), ("seed=x", "seed"), ("limit=0", "limit"), ("track=none", "track")],
)
def test_wrong_queries_are_refused_by_name(client: Client, query: str, field: str) -> None:
    reply = client.get(f"/v1/benchmarks/trio/items?{query}")
    assert reply.status_code == 422
    assert [fault["field"] for fault in reply.json()["faults"]] == [field]


def test_an_item_is_found_again_by_its_id_with_its_solution(client: Client) -> None:
    item = first_item(client)
    assert client.get(item["url"]).json() == item
    solution = client.get(item["solution_url"]).json()
    assert solution["id"] == item["id"]
    assert solution["keys"]["what-0"] == {"shape": "choice", "label": key_of("7", 0, "what-0"), "outcomes": {}}
    assert solution["facets"]["how-0"] == {"stage": "how"}


def test_answers_are_judged_and_tell_what_opens_next(client: Client) -> None:
    item = first_item(client)
    opening = client.post(f"{item['url']}/answers", json={"answers": []}).json()
    assert [question["id"] for question in opening["open"]] == ["what-0"]
    right = {"question": "what-0", "response": f"The answer is ({key_of('7', 0, 'what-0')})."}
    reply = client.post(f"{item['url']}/answers", json={"answers": [right]})
    assert reply.status_code == 200
    assert [verdict["verdict"] for verdict in reply.json()["verdicts"]] == ["correct"]
    assert reply.json()["open"][0]["id"] == "how-0"
    assert reply.json()["open"][0]["pictures"][0]["url"].startswith(item["url"])
    early = client.post(f"{item['url']}/answers", json={"answers": [{"question": "how-0", "answer": "1"}]})
    assert early.status_code == 409
    many = client.post(f"{item['url']}/answers", json={"answers": [right] * 100}).json()
    assert [verdict["verdict"] for verdict in many["verdicts"]] == ["correct"] * 100
    refused = client.post(f"{item['url']}/answers", json={"answers": [right] * 101})
    fault = refused.json()["faults"][0]
    assert (refused.status_code, fault["field"]) == (422, "answers")
    assert (fault["problem"], fault["remedy"]) == ("has more than 100 entries", "send at most 100")
    assert fault["value"].startswith('[{"question":"what-0"')


def test_several_pictures_come_in_one_archive(client: Client) -> None:
    item = first_item(client)
    names = [picture["name"] for question in item["questions"] for picture in question["pictures"]]
    for asked in (names[:1], names, [*names, names[0]]):  # not kept, partly kept, all kept
        reply = client.get(f"{item['url']}/images?pictures={','.join(asked)}")
        assert reply.headers["Content-Type"] == "application/x-tar"
        assert reply.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        with tarfile.open(fileobj=io.BytesIO(reply.content)) as archive:
            found = {entry.name: archive.extractfile(entry).read() for entry in archive}  # type: ignore[union-attr]
        assert contents_of(found) == {name: picture_of("7", 0, name) for name in asked}
    for zipped in (
        client.get(f"{item['url']}/images?pictures={','.join(names)}&format=zip"),
        client.get(f"{item['url']}/images?pictures={','.join(names)}", headers={"Accept": "application/zip"}),
    ):
        assert (zipped.headers["Content-Type"], zipped.headers["Vary"]) == ("application/zip", "Accept")
        with zipfile.ZipFile(io.BytesIO(zipped.content)) as archive:
            found = {name: archive.read(name) for name in archive.namelist()}
        assert contents_of(found) == {name: picture_of("7", 0, name) for name in names}
    assert client.get(f"{item['url']}/images?pictures={names[0]}&format=rar").status_code == 406
    assert client.get(f"{item['url']}/images?pictures={names[0]},none").status_code == 404
    assert client.get(f"/v1/items/itm_x/images?pictures={names[0]}").status_code == 404
    many = client.get(f"{item['url']}/images?pictures={','.join(map(str, range(33)))}")
    assert many.json()["faults"][0]["remedy"] == "name up to 32 in a request"


def test_a_file_in_a_zip_says_by_its_name_that_it_is_a_picture() -> None:
    with zipfile.ZipFile(io.BytesIO(pack_named({"1": b"one", "2.png": b"two"}, "zip"))) as archive:
        assert archive.namelist() == ["1.png", "2.png"]


def test_pictures_never_change_and_say_so(client: Client) -> None:
    address = first_item(client)["questions"][0]["pictures"][0]["url"]
    first = client.get(address)
    assert first.status_code == 200
    assert png_content(first.content) == picture_of("7", 0, "what-0-1.png")
    assert first.headers["Content-Type"] == "image/png"
    assert first.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    etag = first.headers["ETag"]
    assert etag.startswith('W/"')  # bytes differ between processors, pixels don't
    again = client.get(address)
    assert (again.content, again.headers["ETag"]) == (first.content, etag)
    unchanged = client.get(address, headers={"If-None-Match": etag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    assert unchanged.headers["ETag"] == etag
    other = client.get(address.replace("what-0-1", "what-0-2"))
    assert other.headers["ETag"] != etag


def without_id(reply: httpx.Response) -> dict[str, str]:
    """Return a reply's headers but the request's id, which no two share."""
    return {name: value for name, value in reply.headers.items() if name != "x-request-id"}


def test_a_kept_picture_is_answered_as_one_that_is_made_and_nothing_else_is_let_by(client: Client) -> None:
    address = first_item(client)["questions"][0]["pictures"][0]["url"]
    made, kept, head = client.get(address), client.get(address), client.head(address)
    assert without_id(kept) == without_id(made) == without_id(head)
    assert (kept.content, head.content) == (made.content, b"")
    assert client.get(address, headers={"Transfer-Encoding": "gzip"}).status_code == 400
    assert client.get(f"{address}?size=9").status_code == 422
    assert client.post(address).status_code == 405
    unchanged = client.get(address, headers={"If-None-Match": made.headers["ETag"]})
    assert unchanged.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("below", ["", "/solution", "/images/what-0-1.png"])
@pytest.mark.parametrize("name", ["itm_guessed", "sub_0123456789abcdef0123456789abcdef", "x", "itm_AAAA"])
def test_guessed_ids_are_not_found(client: Client, name: str, below: str) -> None:
    reply = client.get(f"/v1/items/{name}{below}")
    assert reply.status_code == 404
    assert reply.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("below", ["", "/solution", "/images/what-0-1.png"])
def test_an_item_of_another_bank_is_not_found_and_says_why(client: Client, below: str) -> None:
    identity = DrawIdentity(
        benchmark="trio", version=2, bank="cd" * 32, track="plain", setting="full", parameters=PARAMETERS
    )
    reply = client.get(f"/v1/items/{item_id(identity, '7', 0)}{below}")
    assert reply.status_code == 404
    assert "bank" in reply.json()["detail"]


def test_guessed_picture_names_are_not_found(client: Client) -> None:
    identity = DrawIdentity(
        benchmark="trio", version=2, bank=BANK, track="plain", setting="full", parameters=PARAMETERS
    )
    for name in ("key.png", "..%2Fsecret", "%00"):
        assert client.get(f"/v1/items/{item_id(identity, '7', 0)}/images/{name}").status_code == 404
