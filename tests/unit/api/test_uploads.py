import contextlib
import gzip
import json
import threading
import time
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor

import pytest

from api.errors import DomainError
from api.http.problems import problem_of
from api.submissions import uploads
from api.submissions.uploads import (
    LONGEST_SEARCHED,
    MOST_BLANK_LINES,
    MOST_BYTES,
    MOST_JSON_BYTES,
    MOST_LINES,
    Upload,
    decompress,
    read_upload,
)
from tetrad.server.problems import ProblemError

GOOD = {"item": 3, "question": "what", "answer": "A"}


def lines(*entries: object) -> Upload:
    body = b"\n".join(json.dumps(entry).encode() for entry in entries)
    return read_upload(body, "application/x-ndjson; charset=utf-8", "")


def refusal(body: bytes, content_type: str = "application/json", encoding: str = "") -> ProblemError:
    with pytest.raises(DomainError) as caught:
        read_upload(body, content_type, encoding)
    return problem_of(caught.value)


def test_json_and_lines_say_the_same() -> None:
    from_json = read_upload(json.dumps({"answers": [GOOD, GOOD]}).encode(), "application/json", "")
    assert from_json == lines(GOOD, GOOD)
    assert [line.number for line in from_json.lines] == [1, 2]


@pytest.mark.parametrize("form", ["application/x-ndjson", "application/jsonl", "application/jsonl; charset=utf-8"])
def test_lines_of_json_go_by_either_name(form: str) -> None:
    assert read_upload(json.dumps(GOOD).encode(), form, "") == lines(GOOD)


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_a_byte_order_mark_before_utf_8_is_passed_over(encoding: str) -> None:
    for form, text in (
        ("application/json", json.dumps({"answers": [GOOD]})),
        ("application/x-ndjson", json.dumps(GOOD)),
        ("application/jsonl", json.dumps(GOOD)),
        ("text/csv", "item,question,answer\n3,what,A\n"),
    ):
        body = text.encode("utf-8-sig")
        upload = read_upload(gzip.compress(body) if encoding else body, form, encoding)
        assert (upload.faults, [line.answer for line in upload.lines]) == ([], [lines(GOOD).lines[0].answer])


def test_empty_lines_count_but_say_nothing() -> None:
    upload = read_upload(b'\n{"item": 0, "question": "q", "answer": "A"}\r\n\n', "application/x-ndjson", "")
    assert [line.number for line in upload.lines] == [2]


@pytest.mark.parametrize(
    ("entry", "field", "value"),
    [
        ({**GOOD, "item": "x"}, "item", "x"),
        ({**GOOD, "item": -1}, "item", "-1"),
        ({**GOOD, "extra": 7}, "extra", "7"),
        ({"question": "what", "answer": "A"}, "item", None),
        ({**GOOD, "response": "so A"}, "answer", "answer A, response so A"),
        ({"item": 0, "question": "what"}, "answer", None),
        ({**GOOD, "answer": "A\0"}, "answer", "A\\u0000"),
        ({**GOOD, "question": "w\0"}, "question", "w\\u0000"),
        ({"item": 0, "question": "w", "response": "é" * 20_000}, "response", "é" * 80),
        ({"item": 0, "question": "w", "response": "e" * 40_000}, "response", "e" * 200),
        ([1], "line", "[1]"),
        ("text", "line", "text"),
    ],
)
def test_a_wrong_line_is_named_by_number_field_value_and_remedy(entry: object, field: str, value: str | None) -> None:
    upload = lines(GOOD, entry)
    assert len(upload.lines) == 1
    assert [(fault.line, fault.field, fault.value) for fault in upload.faults] == [(2, field, value)]
    assert upload.faults[0].problem
    assert "`" not in upload.faults[0].problem, "words of ours, and none of a library's types"
    assert upload.faults[0].remedy


def test_a_line_that_is_no_json_is_shown_from_its_beginning() -> None:
    upload = read_upload(b'{"item": 0\n\xff\xfe', "application/x-ndjson", "")
    assert [fault.line for fault in upload.faults] == [1, 2]
    assert upload.faults[0].value == '{"item": 0'


def test_a_reply_of_32_kib_is_taken() -> None:
    assert not lines({"item": 0, "question": "w", "response": "e" * 32 * 1024}).faults


def test_a_body_that_is_no_upload_is_refused_by_field() -> None:
    assert refusal(b"[]").faults[0].field == "body"
    assert refusal(b'{"answers": 5}').faults[0].field == "answers"
    assert refusal(b"\xff").status == 422


def test_more_lines_than_100_000_are_refused() -> None:
    line = json.dumps(GOOD).encode()
    assert len(read_upload(b"\n".join([line] * MOST_LINES), "application/x-ndjson", "").lines) == MOST_LINES
    assert refusal(b"\n".join([line] * (MOST_LINES + 1)), "application/x-ndjson").status == 413


def test_empty_lines_are_bounded_too() -> None:
    line = json.dumps(GOOD).encode()
    most = read_upload(line + b"\n" * (MOST_BLANK_LINES + 1), "application/x-ndjson", "")
    assert len(most.lines) == 1
    assert "empty lines" in refusal(line + b"\n" * (MOST_BLANK_LINES + 2), "application/x-ndjson").detail


def test_a_json_document_is_bounded_and_what_is_refused_is_taken_as_lines() -> None:
    reply = {"item": 0, "question": "w", "response": "e" * 32_000}
    number = MOST_JSON_BYTES // len(json.dumps(reply))
    whole = json.dumps({"answers": [reply] * number}).encode()
    assert len(read_upload(whole, "application/json", "").lines) == number
    longer = json.dumps({"answers": [reply] * (number + 1)}).encode()
    for body, encoding in ((longer, ""), (gzip.compress(longer), "gzip")):
        error = refusal(body, encoding=encoding)
        assert (error.status, error.faults[0].field) == (413, "body")
        assert "application/x-ndjson" in error.faults[0].remedy
    assert len(read_upload(b"\n".join([json.dumps(reply).encode()] * (number + 1)), LINES, "").lines) == number + 1


def test_a_json_document_of_too_many_short_answers_is_refused_as_lines_are() -> None:
    answers = b",".join([b'{"item":0,"question":"w"}'] * (MOST_LINES + 1))
    error = refusal(b'{"answers":[' + answers + b"]}")
    assert (error.status, error.faults[0].field) == (413, "answers")


def test_the_longest_document_takes_bounded_memory_whatever_it_holds() -> None:
    body = b'{"answers":[' + b"0," * (MOST_JSON_BYTES // 2 - 10) + b"0]}"
    assert MOST_JSON_BYTES - 20 < len(body) <= MOST_JSON_BYTES
    tracemalloc.start()
    assert refusal(gzip.compress(body), encoding="gzip").status == 413
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 * 2**20


def test_a_list_of_too_many_answers_is_refused_before_any_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes twenty microseconds to read and refuse: two million held a processor for seconds."""
    read: list[object] = []
    monkeypatch.setattr(uploads, "_decode_record", lambda *entry: read.append(entry))
    assert refusal(b'{"answers":[' + b"0," * MOST_LINES + b"0]}").status == 413
    assert read == []


OBJECTS, LINES = "application/json", "application/x-ndjson"


@pytest.mark.parametrize(
    ("body", "form"),
    [
        (b'{"answers":[' + b"0," * 2**21 + b"0]}", OBJECTS),
        (b'{"answers":[' + b"{}," * 2**21 + b"{}]}", OBJECTS),
        (b'{"answers":[[' + b"[]," * 2**21 + b"[]]]}", OBJECTS),
        (b'{"answers":[{"item":[' + b"[]," * 2**21 + b"[]]}]}", OBJECTS),
        (b"[" + b"[]," * 2**21 + b"[]]", LINES),
        (b"\n" * 2**22, LINES),
        (b"item,question,answer" + b"\n" * 2**22, "text/csv"),
        (b"item,question,answer\n" + b"aa," * 2**21, "text/csv"),
        (b"item,question,answer\n" + b'a,a,"\n",' * 2**20, "text/csv"),
    ],
    ids=["numbers", "objects", "nested", "inside", "line", "no lines", "no records", "cells", "cells over lines"],
)
def test_what_is_refused_takes_little_more_memory_than_itself(body: bytes, form: str) -> None:
    tracemalloc.start()
    with contextlib.suppress(DomainError):
        assert not read_upload(body, form, "").lines
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * len(body)


def test_of_a_very_long_wrong_line_the_beginning_is_shown() -> None:
    (fault,) = lines({"item": 0, "question": "w", "response": "e" * LONGEST_SEARCHED}).faults
    assert (fault.field, fault.value) == ("response", '{"item": 0, "question": "w", "response": "' + "e" * 38)


def test_json_that_is_nested_too_deeply_is_refused_as_any_other() -> None:
    deep = b"[" * 50_000 + b"]" * 50_000
    assert refusal(b'{"answers":[' + deep + b"]}").status == 422
    (fault,) = read_upload(deep, LINES, "").faults
    assert (fault.line, fault.value) == (1, "[" * 80)


def test_gzip_of_several_members_is_unpacked() -> None:
    assert decompress(gzip.compress(b"one") + gzip.compress(b"two"), "gzip") == b"onetwo"
    assert decompress(b"as it is", "identity") == b"as it is"


def test_a_gzip_bomb_is_given_up_on_at_the_limit() -> None:
    packer = zlib.compressobj(9, wbits=31)
    chunk = bytes(2**20)
    bomb = b"".join(packer.compress(chunk) for _ in range(MOST_BYTES // 2**20 * 4)) + packer.flush()
    assert len(bomb) < 2**19
    assert refusal(bomb, encoding="gzip").status == 413
    assert len(decompress(gzip.compress(bytes(MOST_BYTES)), "gzip")) == MOST_BYTES
    member = gzip.compress(bytes(MOST_BYTES // 2 + 1))
    assert refusal(member + member, encoding="gzip").status == 413


def test_gzip_of_very_many_empty_members_is_given_up_on_soon() -> None:
    begun = time.process_time()
    assert refusal(gzip.compress(b"") * 500_000, encoding="gzip").status == 413
    assert time.process_time() - begun < 5
    assert decompress(gzip.compress(b"x") * 5_000, "gzip") == b"x" * 5_000


@pytest.mark.parametrize(
    ("body", "encoding", "status"),
    [(b"no gzip", "gzip", 422), (gzip.compress(b"cut short")[:-4], "gzip", 422), (b"", "br", 415)],
    ids=["no gzip", "cut short", "unknown"],
)
def test_broken_and_unknown_encodings_are_refused(body: bytes, encoding: str, status: int) -> None:
    assert refusal(body, encoding=encoding).status == status


def test_no_more_than_two_uploads_are_unpacked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most = 0, 0
    counting = threading.Lock()

    def slow(body: bytes, encoding: str) -> bytes:
        nonlocal inside, most
        with counting:
            inside += 1
            most = max(most, inside)
        time.sleep(0.01)
        with counting:
            inside -= 1
        return decompress(body, encoding)

    monkeypatch.setattr(uploads, "decompress", slow)
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda _: read_upload(b'{"answers": []}', "", ""), range(16)))
    assert (len(read), most) == (16, 2)
