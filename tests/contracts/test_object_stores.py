"""One contract for named byte strings: a folder, and a bucket of compose's own object store, with its users' rights."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event

import boto3
import httpx
import pytest
from botocore.exceptions import BotoCoreError, ClientError

from api.settings import PREFIX, ApiSettings
from deploy.objects.store import BUCKET, DATASETS
from generator_service.benchmarks.vasr import BENCHMARK
from generator_service.benchmarks.vasr.spec import FULL, PHOTOGRAPHS
from generator_service.benchmarks.visanalog import BENCHMARK as VISANALOG
from generator_service.benchmarks.visanalog import spec as visanalog
from generator_service.benchmarks.visanalog.photographs.families import is_of_things
from generator_service.datasets.settings import BulkSettings
from generator_service.draws import Draw
from generator_service.items import make_item
from generator_service.mining.catalogue import jobs
from generator_service.mining.jobs import mine
from generator_service.registry import mount
from generator_service.sources.adding import Wanted, add_source
from generator_service.sources.catalogue import kinds
from generator_service.sources.photographs import open_photographs
from generator_service.sources.store import SourceDamagedError, open_sources
from tests.benchmarks.vasr.annotated import entries, lexicon, write_as_swig
from tests.benchmarks.visanalog.photographs import NAMES, write_photographs
from tests.integration.datasets.conftest import (  # noqa: F401 -- fixtures
    PATIENCE,
    Numbers,
    Start,
    bulk,
    database_url,
    migrated,
    redis,
    start_worker,
)
from tests.integration.real_generator import PRACTICE_TOKEN, SEALED_TOKEN, generator_served
from tests.object_store import SECRETS, ObjectStoreServer
from tests.photographs import jpeg
from tests.ports import free_port
from tests.serving import served, variables
from tests.waiting import REPLY_SECONDS, wait_until
from tetrad.client import Client
from tetrad.contracts.datasets import DatasetManifest, DatasetRequest
from tetrad.server.copy_objects import copy_objects
from tetrad.server.dataset_tables import object_of
from tetrad.server.objects import FolderStore, ObjectNameError, ObjectStore, S3Store, StoreError, open_store

LARGE = 24 * 1024 * 1024
FOLDERS = ("reports", "verifications", "answers")
MAY_PUT = {"api": {"verifications", "answers"}, "scoring": {"reports", "answers"}}
MAY_DELETE = {"api": set(FOLDERS), "scoring": {"verifications", "answers"}}
# Writes 1 MB of half an object, then waits to be killed; the size of files is limited so that a put fails.
DYING = """
import resource, signal, sys
from pathlib import Path
from tetrad.server.objects import FolderStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN if sys.argv[2] == "fails" else signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
FolderStore(Path(sys.argv[1])).put("a/report.json", b"new" * 1_000_000)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObjectStoreServer]:
    server = ObjectStoreServer(tmp_path_factory.mktemp("s3"))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def s3(server: ObjectStoreServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """The server's address, its variables set as an operator sets them."""
    for name, value in server.variables("admin").items():
        monkeypatch.setenv(name, value)
    return server.url


@pytest.fixture(params=["folder", "s3", "s3 prefix"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param == "folder":
        return open_store(f"file://{tmp_path}/objects")
    request.getfixturevalue("s3")
    return open_store(f"s3://{BUCKET}" + ("/some/prefix/" if "prefix" in request.param else ""))


def test_what_was_put_is_got_byte_for_byte(store: ObjectStore) -> None:
    body = bytes(range(256))
    store.put("sub_1/report.json", body)
    assert store.get("sub_1/report.json") == body


def test_names_below_a_prefix_are_listed_in_order(store: ObjectStore) -> None:
    for name in ("listed/b", "listed/a/z", "listed/a/y", "listedtoo/c"):
        store.put(name, b"1")
    assert list(store.names("listed")) == ["listed/a/y", "listed/a/z", "listed/b"]
    assert list(store.names("listed/a")) == ["listed/a/y", "listed/a/z"]
    assert list(store.names("nothing")) == []
    with pytest.raises(ObjectNameError):
        list(store.names("../out"))


def test_a_folder_s_objects_are_files_and_a_bucket_s_are_not(store: ObjectStore) -> None:
    store.put("on/disk", b"body")
    file = store.file("on/disk")
    assert file is None or file.read_bytes() == b"body"
    assert (file is not None) == isinstance(store, FolderStore)


def test_a_source_is_added_to_a_bucket_from_a_bucket_and_read_by_another_process(s3: str, tmp_path: Path) -> None:
    client = boto3.client("s3")
    for number in range(5):
        client.put_object(Bucket=BUCKET, Key=f"imsitu/of/{number}.jpg", Body=jpeg(number))
    client.put_object(Bucket=BUCKET, Key="imsitu/.hidden", Body=b"passed over")
    store = open_sources(f"s3://{BUCKET}/sources", tmp_path / "cache")
    wanted = Wanted(name="p", access="public")
    told: list[int] = []
    added = add_source(
        store, kinds()["photographs"], f"s3://{BUCKET}/imsitu", wanted, lambda files, _: told.append(files)
    )
    assert (added.head.files, told[-1]) == (5, 5)
    again = open_sources(f"s3://{BUCKET}/sources", tmp_path / "other")
    opened = open_photographs(again, again.head("photographs", "p"))
    assert opened.pictures == tuple(f"of/{number}.jpg" for number in range(5))
    assert opened.picture("of/3.jpg").shape == (64, 64, 4)
    (pack,) = (path for path in (tmp_path / "other").rglob("*") if path.is_file())
    pack.write_bytes(pack.read_bytes()[:-200] + bytes(200))
    third = open_sources(f"s3://{BUCKET}/sources", tmp_path / "other")
    with pytest.raises(SourceDamagedError, match=r"of/4\.jpg"):
        list(third.open(third.head("photographs", "p")).check())
    store.remove([added.head])
    assert [name for place in ("heads", "packs", "manifests") for name in store.objects.names(place)] == []


def test_annotated_photographs_are_mined_and_served_from_a_prefix_that_lies_as_swig_does(
    s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, given = boto3.client("s3"), write_as_swig(tmp_path)
    for path in sorted(given.rglob("*.*")):
        client.put_object(Bucket=BUCKET, Key=f"swig/{path.relative_to(given)}", Body=path.read_bytes())
    store = open_sources(f"s3://{BUCKET}/situations", tmp_path / "cache")
    wanted = Wanted(name="swig", access="public")
    head = add_source(store, kinds()["situations"], f"s3://{BUCKET}/swig", wanted, lambda *_counts: None).head
    monkeypatch.setattr("generator_service.mining.jobs.open_wordnet", lambda _store: lexicon())
    stages = {one.stage: one for one in mine(store, head, jobs()["situations"], lambda *_counts: None)}
    assert stages["frames"].rows_out == len(entries())
    assert stages["asked"].rows_out > 0
    again = open_sources(f"s3://{BUCKET}/situations", tmp_path / "other")
    mounted = mount([BENCHMARK], again).newest("vasr")
    assert mounted is not None
    scene = make_item(mounted, Draw(BENCHMARK, mounted.identity(PHOTOGRAPHS, FULL, {}), "1"), 0).scene
    assert {mounted.benchmark.render(mounted.bank, scene, name).shape for name in scene.pictures} == {(64, 64, 4)}


def test_photographs_with_boxes_in_coco_s_form_are_asked_about_from_a_prefix(
    s3: str, tmp_path: Path, bank_folder: Path
) -> None:
    client, given = boto3.client("s3"), write_photographs(tmp_path / "given")
    for path in sorted(given.iterdir()):
        client.put_object(Bucket=BUCKET, Key=f"coco/{path.name}", Body=path.read_bytes())
    store = open_sources(f"s3://{BUCKET}/boxes", tmp_path / "cache")
    wanted = Wanted(name="coco", access="public")
    head = add_source(store, kinds()["photographs"], f"s3://{BUCKET}/coco", wanted, lambda *_counts: None).head
    mine(store, head, jobs()["visanalog"], lambda *_counts: None)
    again = open_sources(f"s3://{BUCKET}/boxes,file://{bank_folder}", tmp_path / "other")
    mounted = mount([VISANALOG], again).newest("visanalog")
    assert mounted is not None
    place = mounted.identity(visanalog.PHOTOGRAPHS, visanalog.ORACLE, {"steps": 1})
    scenes = [make_item(mounted, Draw(VISANALOG, place, "7"), index).scene for index in range(40)]
    pictures = [picture for scene in scenes for picture in (scene.source, scene.query)]
    assert {picture.name for picture in pictures} <= {path.name for path in given.iterdir()}
    assert {thing.name for picture in pictures for thing in picture.things} <= set(NAMES)
    assert any(is_of_things(scene.facts[0]) for scene in scenes), "what lies in a box is asked about"


def test_an_empty_object_is_an_object(store: ObjectStore) -> None:
    store.put("empty", b"")
    assert store.get("empty") == b""


def test_a_put_replaces_the_whole_object(store: ObjectStore) -> None:
    store.put("replaced", b"a longer first body")
    store.put("replaced", b"second")
    assert store.get("replaced") == b"second"


def test_what_is_missing_is_none_and_can_be_deleted(store: ObjectStore) -> None:
    assert store.get("never/put") is None
    store.delete("never/put")
    assert store.get("never/put") is None


def test_what_is_deleted_is_gone_and_its_neighbour_stays(store: ObjectStore) -> None:
    store.put("pair/one", b"1")
    store.put("pair/two", b"2")
    store.delete("pair/one")
    assert (store.get("pair/one"), store.get("pair/two")) == (None, b"2")


def test_part_of_a_name_is_no_name(store: ObjectStore) -> None:
    store.put("outer/inner", b"1")
    assert store.get("outer") is None
    assert store.get("outer/inner/more") is None
    store.delete("outer")
    store.delete("outer/inner/more")
    assert store.get("outer/inner") == b"1"


@pytest.mark.parametrize(
    "name", ["", "/a", "a/", "a//b", "..", "a/../b", ".part-x", "a/.b", "a b", "a\\b", "ä", "a\n", "a\0b", "-a", "a?b"]
)
def test_a_name_that_could_leave_the_store_is_refused_with_the_rule(store: ObjectStore, name: str) -> None:
    rule = r"segments of \[A-Za-z0-9\._-\]"
    with pytest.raises(ObjectNameError, match=rule):
        store.put(name, b"")
    with pytest.raises(ObjectNameError, match=rule):
        store.get(name)
    with pytest.raises(ObjectNameError, match=rule):
        store.delete(name)


def test_a_large_object_comes_back_whole(store: ObjectStore) -> None:
    body = os.urandom(1024) * (LARGE // 1024)
    store.put("large.bin", body)
    assert store.get("large.bin") == body


def patient_get(store: ObjectStore, name: str) -> bytes | None:
    """Get an object, again where it broke off: SeaweedFS deletes what was overwritten under who still reads it."""
    for _ in range(5):
        with suppress(StoreError):
            return store.get(name)
    return store.get(name)


def test_a_reader_never_sees_half_of_what_many_write(store: ObjectStore) -> None:
    bodies = {bytes([letter]) * 300_000 for letter in b"abcd"}
    store.put("contended", b"a" * 300_000)
    with ThreadPoolExecutor(8) as pool:
        writes = [pool.submit(store.put, "contended", body) for body in [*bodies] * 4]
        seen = {pool.submit(patient_get, store, "contended").result() for _ in range(20)}
        for write in writes:
            write.result()
    assert seen <= bodies


@pytest.mark.parametrize("how", ["fails", "is killed"])
def test_a_put_that_dies_in_the_middle_leaves_the_old_object(tmp_path: Path, how: str) -> None:
    store = FolderStore(tmp_path)
    store.put("a/report.json", b"old")
    ended = subprocess.run(
        [sys.executable, "-c", DYING, str(tmp_path), how], capture_output=True, check=False, text=True
    )
    assert ended.returncode != 0
    assert store.get("a/report.json") == b"old"
    left = {path.name for path in (tmp_path / "a").iterdir()} - {"report.json"}
    if how == "fails":
        assert "File too large" in ended.stderr
        assert left == set(), "nothing lies about"
    assert all(name.startswith(".") for name in left), "what a killed process leaves has no object's name"


def test_prefixes_keep_stores_of_one_bucket_apart(s3: str) -> None:
    one, other = open_store(f"s3://{BUCKET}/one"), open_store(f"s3://{BUCKET}/other")
    one.put("same", b"1")
    assert other.get("same") is None
    assert open_store(f"s3://{BUCKET}").get("one/same") == b"1"


def test_a_bucket_that_is_not_there_is_an_error_and_not_a_missing_object(s3: str) -> None:
    with pytest.raises(StoreError, match="NoSuchBucket"):
        open_store("s3://no-such-bucket").get("anything")


@pytest.mark.parametrize("kind", ["folder", "s3"])
def test_a_store_that_fails_says_so_in_one_way_whatever_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "test")
    store = open_store(f"file://{tmp_path}/file/objects" if kind == "folder" else "s3://away")
    with pytest.raises(StoreError, match="the object store failed"):
        store.put("a", b"1")


def test_a_folder_keeps_objects_between_processes(tmp_path: Path) -> None:
    open_store(f"file://{tmp_path}/deep/er").put("x/y/z", b"kept")
    assert open_store(f"file://{tmp_path}/deep/er").get("x/y/z") == b"kept"


def test_an_address_says_which_kind_of_store(s3: str, tmp_path: Path) -> None:
    assert isinstance(open_store(f"file://{tmp_path}"), FolderStore)
    assert isinstance(open_store(f"s3://{BUCKET}/prefix"), S3Store)


@pytest.mark.parametrize("url", ["", "objects", "file://objects", "file://", "s3://", "s3:///prefix", "http://x/y"])
def test_an_address_of_neither_kind_is_refused_with_both_forms(url: str) -> None:
    with pytest.raises(ValueError, match=r"file:///FOLDER or s3://BUCKET/PREFIX"):
        open_store(url)


def test_only_s3_is_reached_from_outside_the_store_s_container(server: ObjectStoreServer) -> None:
    """Over SeaweedFS's other ports anybody could write everything, or become an administrator."""
    listening = server.listening()
    assert {port for address, port in listening if address == "127.0.0.1"} == set(server.inner_ports)
    assert {place for place in listening if place[0] != "127.0.0.1"} == {("127.0.0.2", server.port)}


def refusal(call: Callable[[], object]) -> str | None:
    """Return the code of the store's error, or None where it did as it was told."""
    try:
        call()
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return None


@pytest.mark.parametrize("user", MAY_PUT)
def test_a_user_writes_and_deletes_what_its_file_says_and_nothing_else(server: ObjectStoreServer, user: str) -> None:
    client, admin = server.client(user), server.client("admin")
    keys = {folder: f"reports/{folder}/{user}" for folder in FOLDERS} | {"outside": f"outside/{user}"}
    for key in keys.values():
        admin.put_object(Bucket=BUCKET, Key=key, Body=b"before")
    puts = {name: refusal(partial(client.put_object, Bucket=BUCKET, Key=key, Body=b"")) for name, key in keys.items()}
    assert {name for name, code in puts.items() if code is None} == MAY_PUT[user]
    gets = {name: refusal(partial(client.get_object, Bucket=BUCKET, Key=key)) for name, key in keys.items()}
    assert {name for name, code in gets.items() if code is None} == set(FOLDERS)
    source = f"{BUCKET}/{keys['reports']}"
    copies = {
        name: refusal(partial(client.copy_object, Bucket=BUCKET, Key=f"{key}-copy", CopySource=source))
        for name, key in keys.items()
    }
    assert {name for name, code in copies.items() if code is None} == MAY_PUT[user]
    deletes = {name: refusal(partial(client.delete_object, Bucket=BUCKET, Key=key)) for name, key in keys.items()}
    assert {name for name, code in deletes.items() if code is None} == MAY_DELETE[user]
    refused = {*puts.values(), *gets.values(), *copies.values(), *deletes.values()}
    assert refused == {None, "AccessDenied"}
    left = {name for name, key in keys.items() if refusal(partial(admin.get_object, Bucket=BUCKET, Key=key)) is None}
    assert left == {*FOLDERS, "outside"} - MAY_DELETE[user]
    assert refusal(partial(client.create_bucket, Bucket="another")) == "AccessDenied"
    assert refusal(partial(client.delete_bucket, Bucket=BUCKET)) == "AccessDenied"


SHARD, REPORT = "dst_1/00000.jsonl", "reports/reports/sub_1"
RIGHTS_TO_SHARDS = {"bulk": {"get", "put", "delete", "list"}, "api": {"get"}, "scoring": set()}


@pytest.mark.parametrize("user", RIGHTS_TO_SHARDS)
def test_bulk_workers_alone_write_shards_and_they_reach_nothing_else(server: ObjectStoreServer, user: str) -> None:
    client, admin = server.client(user), server.client("admin")

    def tried(bucket: str, key: str) -> dict[str, str | None]:
        admin.put_object(Bucket=bucket, Key=key, Body=b"before")
        calls: dict[str, Callable[[], object]] = {
            "get": partial(client.get_object, Bucket=bucket, Key=key),
            "put": partial(client.put_object, Bucket=bucket, Key=key, Body=b"changed"),
            "delete": partial(client.delete_object, Bucket=bucket, Key=key),
            "list": partial(client.list_objects_v2, Bucket=bucket),
        }
        return {name: refusal(call) for name, call in calls.items()}

    shards = tried(DATASETS, SHARD)
    assert {name for name, code in shards.items() if code is None} == RIGHTS_TO_SHARDS[user]
    assert set(shards.values()) <= {None, "AccessDenied"}
    if user == "bulk":
        assert set(tried(BUCKET, REPORT).values()) == {"AccessDenied"}
        copy = partial(client.copy_object, Bucket=DATASETS, Key=SHARD, CopySource=f"{BUCKET}/{REPORT}")
        assert refusal(copy) == "AccessDenied", "a report is no shard"


@pytest.fixture
def shop(
    server: ObjectStoreServer,
    bulk: BulkSettings,  # noqa: F811 -- fixtures
    redis: Numbers,  # noqa: F811
    start_worker: Start,  # noqa: F811
    tmp_path: Path,
) -> Iterator[str]:
    """Run an api, a generator and a bulk worker, each a process with keys of its own; return the api's address."""
    store, folder = f"s3://{DATASETS}", tmp_path / "generator"
    folder.mkdir()
    with generator_served(folder, sources_url=bulk.sources_url, benchmark_folders=bulk.benchmark_folders) as generator:
        settings = ApiSettings(
            database_url=bulk.database_url,
            store_url=f"file://{tmp_path}/objects",
            generator_url=generator.url,
            generator_practice_token=PRACTICE_TOKEN,
            generator_sealed_token=SEALED_TOKEN,
            datasets_store_url=store,
            datasets_endpoint=server.url,
            bulk_redis_url=redis.api,
            log_level="WARNING",
        )
        with served("api.app:create_app", variables(PREFIX, settings) | server.variables("api")) as api:
            start_worker(server.variables("bulk"), store_url=store)
            yield api.url


def ordered_and_made(url: str) -> tuple[str, DatasetManifest]:
    """Register a team, order a small data set, and wait for its shards; return the API key and the manifest."""
    with Client(url) as anybody:
        api_key = anybody.register_team("team-two").key
    with Client(url, api_key) as client:
        made = client.order_dataset(DatasetRequest(benchmark="toy", seed="5", count=4, form="rows", shard_items=2))
        wait_until(lambda: client.dataset(made.id).state == "done", PATIENCE)
        return api_key, client.dataset_manifest(made.id)


def test_a_shard_is_read_at_a_signed_address_which_opens_nothing_else(
    server: ObjectStoreServer, shop: str, tmp_path: Path
) -> None:
    api_key, manifest = ordered_and_made(shop)
    headers = {"Authorization": f"Bearer {api_key}"}
    sent = [
        httpx.get(f"{shop}/v1/datasets/{manifest.id}/shards/{number}", headers=headers, timeout=REPLY_SECONDS)
        for number in range(2)
    ]
    assert [(reply.status_code, reply.content) for reply in sent] == [(303, b"")] * 2
    addresses = [reply.headers["Location"] for reply in sent]
    assert all(address.startswith(f"{server.url}/{DATASETS}/{manifest.id}/") for address in addresses)
    got = [hashlib.sha256(httpx.get(address, timeout=REPLY_SECONDS).content).hexdigest() for address in addresses]
    assert got == [shard.sha256 for shard in manifest.shards]
    assert "no-store" in sent[0].headers["Cache-Control"], "nobody else is handed the address"
    with (tmp_path / "fetched").open("w+b") as file, Client(shop, api_key) as client:
        client.dataset_shard(manifest.id, 1, file)
        file.seek(0)
        assert hashlib.file_digest(file, "sha256").hexdigest() == manifest.shards[1].sha256
    first, second = (object_of(manifest.id, shard.file) for shard in manifest.shards)
    tampered = {
        "another shard": addresses[0].replace(first, second),
        "a longer time": addresses[0].replace("X-Amz-Expires=3600", "X-Amz-Expires=86400"),
        "another signature": addresses[0][:-1] + ("0" if addresses[0][-1] != "0" else "1"),
        "no signature": addresses[0].partition("?")[0],
    }
    assert addresses[0] not in tampered.values()
    statuses = {what: httpx.get(address, timeout=REPLY_SECONDS).status_code for what, address in tampered.items()}
    assert statuses == dict.fromkeys(tampered, 403)
    assert httpx.put(addresses[0], content=b"changed", timeout=REPLY_SECONDS).status_code == 403
    assert httpx.delete(addresses[0], timeout=REPLY_SECONDS).status_code == 403
    assert httpx.get(f"{shop}/v1/datasets/{manifest.id}/shards/0", timeout=REPLY_SECONDS).status_code == 401


def test_a_wrong_secret_and_no_secret_are_refused(server: ObjectStoreServer) -> None:
    stranger = server.client("api", "a wrong secret")
    assert refusal(partial(stranger.list_objects_v2, Bucket=BUCKET)) == "SignatureDoesNotMatch"
    unknown = server.client("somebody", "a secret")
    assert refusal(partial(unknown.list_objects_v2, Bucket=BUCKET)) == "InvalidAccessKeyId"
    server.client("admin").put_object(Bucket=BUCKET, Key="reports/reports/signed", Body=b"1")
    address = server.client("api").generate_presigned_url(
        "get_object", Params={"Bucket": BUCKET, "Key": "reports/reports/signed"}
    )
    assert httpx.get(address, timeout=REPLY_SECONDS).content == b"1"
    assert httpx.get(address.replace("reports/signed", "reports/other"), timeout=REPLY_SECONDS).status_code == 403
    assert httpx.get(address.partition("?")[0], timeout=REPLY_SECONDS).status_code == 403


def test_what_was_confirmed_is_there_after_the_store_was_killed_while_it_was_written_to(
    server: ObjectStoreServer,
) -> None:
    client, confirmed, killed = server.client("scoring"), dict[str, bytes](), Event()

    def write() -> None:
        for number in count():
            body = os.urandom(1000 * (number % 300) + 1)
            try:
                client.put_object(Bucket=BUCKET, Key=f"reports/reports/{number}", Body=body)
            except (BotoCoreError, ClientError):
                assert killed.is_set()
                return
            confirmed[f"reports/reports/{number}"] = body

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        while len(confirmed) < 40:
            assert not writing.done()
            time.sleep(0.01)
        killed.set()
        server.kill()
        writing.result()
    server.start()
    kept = {key: client.get_object(Bucket=BUCKET, Key=key)["Body"].read() for key in confirmed}
    assert kept == confirmed


def test_a_store_is_copied_into_an_empty_one_and_back(s3: str, tmp_path: Path) -> None:
    bodies = {f"{folder}/sub_1/{name}": os.urandom(100) for folder in FOLDERS for name in ("a", "b")}
    source, copy = open_store(f"s3://{BUCKET}/copied"), open_store(f"file://{tmp_path}/copy")
    for name, body in bodies.items():
        source.put(name, body)
    assert copy_objects(source, copy) == len(bodies)
    line = [sys.executable, "-m", "tetrad.server.copy_objects", f"file://{tmp_path}/copy", f"s3://{BUCKET}/again"]
    copied = subprocess.run(line, capture_output=True, text=True, check=True)
    assert copied.stdout == f"{len(bodies)} objects copied\n"
    again = open_store(f"s3://{BUCKET}/again")
    assert {name: again.get(name) for name in bodies} == bodies


def test_a_damaged_object_is_not_copied_over_a_good_one(tmp_path: Path) -> None:
    source, target = open_store(f"file://{tmp_path}/from"), open_store(f"file://{tmp_path}/to")
    good = b"good"
    digest = hashlib.sha256(good).hexdigest()
    names = [f"reports/sub_1/{number}-{digest}.json" for number in (1, 2)] + [f"answers/sub_1/{digest}.bin"]
    for name in names:
        source.put(name, good)
    assert copy_objects(source, target) == len(names)
    source.put(names[0], b"bad")
    target.delete(names[1])
    line = [sys.executable, "-m", "tetrad.server.copy_objects", f"file://{tmp_path}/from", f"file://{tmp_path}/to"]
    failed = subprocess.run(line, capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert failed.stderr == f"1 objects are damaged and were not copied, 2 were: {names[0]}\n"
    assert [target.get(name) for name in names] == [good] * 3


def test_a_store_without_a_user_s_secret_does_not_start_and_names_the_variable(tmp_path: Path) -> None:
    store = [sys.executable, "deploy/objects/store.py", str(tmp_path)]
    ended = subprocess.run(
        store, env=os.environ | SECRETS | {"API_OBJECTS_SECRET": ""}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert ended.stderr == "API_OBJECTS_SECRET is not set: give it a secret (openssl rand -hex 32)\n"
