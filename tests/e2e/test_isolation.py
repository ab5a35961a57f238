"""An adversary with the api's environment, tokens, database and Redis user, given the whole source."""

import socket
import sqlite3

import httpx
import msgspec
import pytest
import redis

from generator_service.draws import Draw, sealed_seed
from generator_service.items import make_item
from generator_service.mounting import NO_BANK, Mounted
from generator_service.sealing.sealed_draws import NOT_OPEN
from generator_service.sources.store import of_folder
from tests.answering import answer_all, open_questions, open_submission, wait_scored
from tests.instance import Instance
from tests.toy_benchmarks.toy import BENCHMARK
from tests.waiting import REPLY_SECONDS, wait_until
from tetrad.client import Client
from tetrad.commitments import commitment_of
from tetrad.contracts.datasets import DatasetRequest
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.submissions import OpenQuestion, Submission


@pytest.fixture(scope="module")
def stolen(instance: Instance) -> dict[str, str]:
    """Return the loot of a break-in into the api's process: its real environment."""
    return {name: value for name, value in instance.environment("api").items() if name.startswith("TETRAD_")}


@pytest.fixture
def unrevealed(team: Client) -> Submission:
    submission = open_submission(team, "victim", size=8)
    list(open_questions(team, submission.id))
    return submission


def generator(stolen: dict[str, str]) -> httpx.Client:
    return httpx.Client(base_url=stolen["TETRAD_API_GENERATOR_URL"], timeout=REPLY_SECONDS)


def practice(stolen: dict[str, str]) -> httpx.Client:
    return httpx.Client(base_url=stolen["TETRAD_API_PRACTICE_URL"], timeout=REPLY_SECONDS)


def tokens(stolen: dict[str, str]) -> list[str]:
    return [value for name, value in stolen.items() if name.endswith("_TOKEN")]


def test_the_api_s_environment_holds_neither_the_secret_nor_the_keys_token(
    instance: Instance, stolen: dict[str, str]
) -> None:
    secrets = instance.secrets
    assert secrets.sealed_token in stolen.values(), "the adversary really has the api's environment"
    for hidden in (secrets.seed_secret, secrets.keys_token, secrets.redis_scoring, secrets.redis_admin):
        assert not any(hidden in value for value in stolen.values())


def test_no_token_of_the_api_opens_a_key(stolen: dict[str, str], unrevealed: Submission) -> None:
    with generator(stolen) as door:
        for token in [*tokens(stolen), "none"]:
            headers = {"Authorization": f"Bearer {token}"}
            for path in (f"/internal/keys/draws/{unrevealed.id}", "/internal/keys/regenerate"):
                assert door.post(path, json={"answers": []}, headers=headers).status_code in {401, 403}


def test_practice_does_not_take_a_sealed_draw_and_its_seed_is_nowhere_to_be_had(
    instance: Instance, stolen: dict[str, str], unrevealed: Submission
) -> None:
    seed = sealed_seed(instance.secrets.seed_secret.encode(), unrevealed.id, unrevealed.nonce)
    assert commitment_of(unrevealed.identity, seed, unrevealed.size) == unrevealed.commitment
    reachable = list(instance.data_directory.folder.glob("tetrad.sqlite*"))
    assert reachable
    assert all(seed.encode() not in path.read_bytes() for path in reachable)
    guesses = [sealed_seed(value.encode(), unrevealed.id, unrevealed.nonce) for value in stolen.values()]
    assert unrevealed.commitment not in [commitment_of(unrevealed.identity, one, unrevealed.size) for one in guesses]
    with practice(stolen) as door:
        body = {"identity": msgspec.to_builtins(unrevealed.identity), "seed": unrevealed.id, "index": 0}
        headers = {"Authorization": f"Bearer {stolen['TETRAD_API_GENERATOR_PRACTICE_TOKEN']}"}
        assert door.post("/internal/practice/solution", json=body, headers=headers).status_code == 422


def test_no_shard_log_or_database_holds_what_the_items_of_an_open_draw_are_made_from(
    instance: Instance, team: Client, unrevealed: Submission
) -> None:
    """The canaries are the draw's seed, and a word of each item that names the cluster of its questions in a row."""

    def words_of(identity: DrawIdentity, seed: str, size: int) -> list[str]:
        draw = Draw(BENCHMARK, identity, seed)
        return [make_item(Mounted(BENCHMARK, None, NO_BANK), draw, index).scene.item for index in range(size)]

    seed = sealed_seed(instance.secrets.seed_secret.encode(), unrevealed.id, unrevealed.nonce)
    assert commitment_of(unrevealed.identity, seed, unrevealed.size) == unrevealed.commitment
    order = DatasetRequest(benchmark="toy", seed="2026", count=unrevealed.size, form="rows", shard_items=4)
    made = team.order_dataset(order)
    wait_until(lambda: team.dataset(made.id).state == "done", 60)
    data = instance.data_directory
    written = [
        path.read_bytes() for path in data.folder.rglob("*") if path.is_file() and data.sources not in path.parents
    ]
    practised = words_of(made.plan.identity, made.plan.seed, made.plan.count)
    assert all(any(word.encode() in body for body in written) for word in practised), (
        "shards are among what is searched"
    )
    canaries = [seed, *words_of(unrevealed.identity, seed, unrevealed.size)]
    assert [canary for canary in canaries if any(canary.encode() in body for body in written)] == []


def test_the_gating_cannot_be_probed_with_invented_answers(
    stolen: dict[str, str], team: Client, unrevealed: Submission
) -> None:
    """One try an item is what the token allows, as it allows the team: it is recorded, and shows."""
    with generator(stolen) as door:
        headers = {"Authorization": f"Bearer {stolen['TETRAD_API_GENERATOR_SEALED_TOKEN']}"}
        place = f"/internal/sealed/draws/{unrevealed.id}/questions"

        def gate(item: int, **labels: str) -> httpx.Response:
            answers = [{"item": item, "question": name, "answer": label} for name, label in labels.items()]
            return door.post(place, json={"items": [{"item": item, "answers": answers}]}, headers=headers)

        assert [gate(0, name=label).status_code for label in "1234"] == [200, 409, 409, 409]
        # Refused, an answer to a question behind the gate must tell nothing that can be tried again.
        closed = [gate(1, half=label) for label in "12"] + [gate(1, shade=label) for label in "ABCD"]
        assert {(reply.status_code, reply.json()["detail"]) for reply in closed} == {(409, NOT_OPEN)}
        tries = [[gate(item, name=label, half="1").status_code for label in "1234"] for item in range(1, 8)]
        assert all(one[1:] == [409] * 3 for one in tries)
        for item in range(1, 8):
            replies = [gate(item, name=label) for label in "1234"]
            assert [reply.status_code for reply in replies] == [200, 409, 409, 409]
        again = {
            "submission": unrevealed.id,
            "nonce": "other",
            "benchmark": "toy",
            "track": "toy",
            "setting": "shade-only",
            "parameters": {},
            "size": 8,
        }
        assert door.post("/internal/sealed/draws", json=again, headers=headers).status_code == 409


def test_the_api_s_token_shows_no_picture_of_a_question_that_is_not_open(
    stolen: dict[str, str], unrevealed: Submission
) -> None:
    with generator(stolen) as door:
        headers = {"Authorization": f"Bearer {stolen['TETRAD_API_GENERATOR_SEALED_TOKEN']}"}
        place = f"/internal/sealed/draws/{unrevealed.id}/items/0/pictures"
        found = [door.get(f"{place}/{name}", headers=headers).status_code for name in "123456"]
        assert found == [200, 404, 404, 404, 404, 404]


def test_a_database_that_says_finished_does_not_make_keys_reusable(
    instance: Instance, stolen: dict[str, str], team: Client
) -> None:
    """The api can end its own submission early, but the reveal closes the draw: answers can't be changed after it."""
    submission = open_submission(team, "early", size=6)
    answer_all(team, submission.id)
    report = wait_scored(team, submission.id)
    with sqlite3.connect(instance.data_directory.folder / "tetrad.sqlite") as database:
        database.execute("UPDATE answers SET answer = 'A' WHERE submission_id = ?", (submission.id,))
        database.execute(
            "UPDATE answers SET answer = '1' WHERE submission_id = ? AND question != 'shade'", (submission.id,)
        )
    with generator(stolen) as door:
        headers = {"Authorization": f"Bearer {stolen['TETRAD_API_GENERATOR_SEALED_TOKEN']}"}
        reply = door.post(f"/internal/sealed/draws/{submission.id}/questions", json={"items": []}, headers=headers)
        assert reply.status_code == 409
    assert team.report(submission.id) == report


def test_the_api_s_redis_user_reaches_the_doorbell_and_nothing_else(stolen: dict[str, str]) -> None:
    connection = redis.Redis.from_url(stolen["TETRAD_API_REDIS_URL"])
    assert connection.ping()
    for forbidden in (
        ["CONFIG", "GET", "*"],
        ["ACL", "LIST"],
        ["FLUSHALL"],
        ["SET", "other", "1"],
        ["EVAL", "return 1", "1", "other"],
        ["FUNCTION", "LOAD", "#!lua name=mine\nserver.register_function('mine', function() return 1 end)"],
        ["FUNCTION", "FLUSH"],
        ["FUNCTION", "LIST"],
        ["FLUSHDB"],
        ["SCRIPT", "FLUSH"],
        ["SCRIPT", "KILL"],
    ):
        with pytest.raises(redis.exceptions.NoPermissionError):
            connection.execute_command(*forbidden)
    for script in (
        "redis.call('FLUSHALL')",
        "redis.call('SET', 'other', '1')",
    ):  # a script may do no more than its user
        with pytest.raises(redis.exceptions.ResponseError, match="ACL failure in script"):
            connection.execute_command("EVAL", script, "0")
    stored = [connection.hgetall(name) for name in connection.scan_iter("rq:job:*")]
    assert not any(b"Traceback" in value for job in stored for value in job.values())


def test_an_outsider_finds_no_sealed_item_under_other_names(
    instance: Instance, team: Client, unrevealed: Submission
) -> None:
    page = list(open_questions(team, unrevealed.id))
    assert page
    paths = _guesses(unrevealed, page)
    with httpx.Client(base_url=instance.url, timeout=REPLY_SECONDS) as anonymous, instance.team("nosy") as nosy:
        assert {anonymous.get(path).status_code for path in paths} <= {401, 404}
        for path in paths:
            reply = anonymous.get(path, headers=nosy._authorization)
            assert reply.status_code == 404, path


def test_a_team_s_own_submission_shows_only_pictures_of_opened_questions(
    team: Client, instance: Instance, unrevealed: Submission
) -> None:
    place = f"/v1/submissions/{unrevealed.id}/items"
    with httpx.Client(base_url=instance.url, headers=team._authorization, timeout=REPLY_SECONDS) as own:
        assert own.get(f"{place}/0/images/1").status_code == 200
        for name in ("2", "3", "5", "6", "0", "1.png", "..%2f1", "%31%30"):
            assert own.get(f"{place}/0/images/{name}").status_code == 404, name
        for item in ("8", "-1", "99999999999999999999", "x"):
            assert own.get(f"{place}/{item}/images/1").status_code in {404, 422}, item
        assert own.get(f"/v1/submissions/{unrevealed.id}x/items/0/images/1").status_code == 404


def test_every_service_listens_on_loopback_only(instance: Instance, stolen: dict[str, str]) -> None:
    own_address = socket.gethostbyname(socket.gethostname())
    if own_address.startswith("127."):
        pytest.skip("this machine has no address but loopback")
    for port in (instance.data_directory.port, int(stolen["TETRAD_API_GENERATOR_URL"].rpartition(":")[2])):
        with socket.socket() as probe:
            probe.settimeout(2)
            assert probe.connect_ex((own_address, port)) != 0


def _guesses(submission: Submission, page: list[OpenQuestion]) -> list[str]:
    names = [picture.name for one in page for picture in one.question.pictures]
    return [
        f"/v1/items/{submission.id}",
        f"/v1/items/{submission.id}/0",
        f"/v1/items/{submission.id}/images/{names[0]}",
        f"/v1/items/{submission.id}/solution",
        f"/v1/items/itm_{submission.id.removeprefix('sub_')}",
        f"/v1/submissions/{submission.id}",
        f"/v1/submissions/{submission.id}/questions",
        f"/v1/submissions/{submission.id}/items/0/images/{names[0]}",
        f"/v1/submissions/{submission.id}/report",
        f"/v1/submissions/{submission.id}/items",
    ]


def test_the_api_s_tokens_get_no_label_of_a_corpus_by_any_door(instance: Instance, stolen: dict[str, str]) -> None:
    """Not by practice, solution, feedback, regeneration or reveal, though its digest and items are all known."""
    identity = {"version": 1, "track": "marvel-published", "setting": "full", "parameters": {}}
    with generator(stolen) as door, practice(stolen) as practice_door:
        headers = [{"Authorization": f"Bearer {token}"} for token in tokens(stolen)]
        cards = door.get("/internal/benchmarks", headers=headers[0]).json()["benchmarks"]
        bank = next(one["bank"] for one in cards if one["card"]["name"] == "marvel-published")
        whole = {**identity, "benchmark": "marvel-published", "bank": bank}
        one = {"identity": whole, "seed": "1", "index": 0}
        answered = {**one, "answers": [{"question": "puzzle", "answer": "1"}]}
        batch = {"benchmark": "marvel-published", "track": "marvel-published", "setting": "full", "seed": "1"}
        draw = {"identity": whole, "seed": "0" * 64, "size": 12, "answers": []}
        doors = {
            "practice/items": batch,
            "practice/solution": one,
            "practice/feedback": answered,
            "practice/pictures/1": one,
            "keys/regenerate": draw,
            "keys/draws/sub_any": {"answers": []},
        }
        for path, body in doors.items():
            for token in headers:
                served, other = (practice_door, door) if path.startswith("practice") else (door, practice_door)
                reply = served.post(f"/internal/{path}", json=body, headers=token)
                assert reply.status_code in {401, 403, 422}, path
                assert "label" not in reply.text
                assert other.post(f"/internal/{path}", json=body, headers=token).status_code == 404, path


def test_no_label_of_a_corpus_is_in_the_api_s_environment_its_files_or_any_log(
    instance: Instance, stolen: dict[str, str]
) -> None:
    """The api is not told where corpora lie; logs and databases name neither published items nor the files' names.

    Reports name items, with their scores, where everybody can have the labels (`published_scores`). None has a label.
    """
    folder = instance.data_directory.folder
    assert not any(
        place in value for value in stolen.values() for place in ("corpora", str(instance.data_directory.sources))
    )
    store = of_folder(instance.data_directory.sources)
    contents = [bytes(store.open(head).read("corpus.json")) for head in store.heads("published")]
    assert len(contents) == 2
    names, labels = [b"ColourRed_0"], [b"test_mc_0", b"detail_right", b"right_picture"]
    assert all(any(label in body for body in contents) for label in (b"ColourRed_0", b"detail_right"))
    readable = [*folder.glob("log/*"), *folder.glob("*.sqlite*"), *folder.glob("run/*.conf")]
    readable += [path for path in (folder / "objects").rglob("*") if path.is_file()]
    assert readable
    for path in readable:
        body = path.read_bytes()
        hidden = labels if "reports" in path.parts else [*names, *labels]
        assert not [one for one in hidden if one in body], path
