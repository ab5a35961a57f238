"""Answers as CSV: the same answers, and the same kinds of faults, as in JSON."""

import csv
import gzip
import io

import msgspec
import pytest

from api.errors import DomainError
from api.http.problems import problem_of
from api.submissions.uploads import LONGEST_RECORD, MOST_BLANK_LINES, MOST_LINES, Upload, read_upload
from tetrad.server.problems import ProblemError

HEADER = "item,question,answer\n"


def read(text: str | bytes, content_type: str = "text/csv; charset=utf-8", encoding: str = "") -> Upload:
    return read_upload(text if isinstance(text, bytes) else text.encode(), content_type, encoding)


def refusal(text: str | bytes) -> ProblemError:
    with pytest.raises(DomainError) as caught:
        read(text)
    return problem_of(caught.value)


def test_answers_and_replies_are_read_with_the_line_they_begin_on() -> None:
    text = 'question,item,answer,response\r\nwhat-0,0,A,\r\n\r\nwhich-0,1,,"so, ""B""\nis it"\r\nwhich-0,2,C,\r\n'
    found = [
        (line.number, line.answer.item, line.answer.question, line.answer.answer, line.answer.response)
        for line in read(text).lines
    ]
    assert found == [
        (2, 0, "what-0", "A", None),
        (4, 1, "which-0", None, 'so, "B"\nis it'),
        (6, 2, "which-0", "C", None),
    ]


def test_what_a_spreadsheet_writes_is_read() -> None:
    assert len(read(b"\xef\xbb\xbf" + HEADER.encode() + b"0,what,A\r\n").lines) == 1
    assert len(read(gzip.compress((HEADER + "0,what,A").encode()), encoding="gzip").lines) == 1
    assert read(" Item , QUESTION,answer\n 3 ,what,A").lines[0].answer.item == 3


def test_cells_are_taken_as_they_are_but_for_spaces_around_them() -> None:
    assert [line.answer.response for line in read("item,question,response\n0,w,=1+1\n1,w,'-x").lines] == ["=1+1", "'-x"]
    text = (
        ' item , "question", answer, response, stop\n 3 , "what" , A ,,\n4, which,, " so, B\n", length \n ,, ,,\n  \n'
    )
    upload = read(text.replace('" ,', '",'))
    assert upload.faults == []
    assert [msgspec.structs.astuple(line.answer) for line in upload.lines] == [
        (3, "what", "A", None, None),
        (4, "which", None, " so, B\n", "length"),
    ]


def test_csv_lines_and_json_make_the_same_answers() -> None:
    text = io.StringIO()
    reply = 'a "quoted", long\r\nreply é \U0001f600'
    csv.writer(text).writerows([("item", "question", "response"), (7, "which", reply)])
    assert read(text.getvalue()).lines[0].answer.response == reply


@pytest.mark.parametrize(
    ("record", "field", "value"),
    [
        ("x,what,A", "item", "x"),
        ("-1,what,A", "item", "-1"),
        ("1.0,what,A", "item", "1.0"),
        (",what,A", "item", ""),
        ("0,,A", "question", ""),
        ("0,what,", "answer", None),
        ("0,what," + "A" * 65, "answer", "A" * 65),
        ("0,what", "line", "0,what"),
        ("0,what,A,B", "line", "0,what,A,B"),
        ("0,wh\0at,A", "question", "wh\\u0000at"),
        ('0,what,"A', "line", None),
        ('0,what,"A"B', "line", None),
        ('0,what,"A" ', "line", None),
        ("0,what, ", "answer", None),
    ],
    ids=str,
)
def test_a_wrong_record_is_named_by_line_field_value_and_remedy(record: str, field: str, value: str | None) -> None:
    upload = read(f"{HEADER}5,what,A\n{record}")
    assert [line.answer.item for line in upload.lines] == [5]
    assert [(fault.line, fault.field, fault.value) for fault in upload.faults] == [(3, field, value)]
    assert upload.faults[0].problem
    assert upload.faults[0].remedy


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "body"),
        ("item,answer\n", "question"),
        ("question,answer\n", "item"),
        ("item,question\n", "answer"),
        ("item,question,answer,colour\n", "colour"),
        ("item,question,answer,answer\n", "answer"),
        ("0,what,A\n", "0"),
    ],
)
def test_a_header_that_is_none_is_refused_with_what_to_write(text: str, field: str) -> None:
    error = refusal(text)
    assert (error.status, error.faults[0].field) == (422, field)
    assert error.faults[0].remedy


@pytest.mark.parametrize(
    ("header", "field", "problem", "remedy"),
    [
        ("item;question;answer", "header", "semicolons", "commas"),
        ("item\tquestion\tanswer", "header", "tabs", "commas"),
        ("\titem\tquestion\tanswer", "header", "tabs", "commas"),
        (",item,question,answer", "column 1", "no name", "index=False"),
        ("Unnamed: 0,item,question,answer", "Unnamed: 0", "no column", "index=False"),
        ("item,question,answer,", "column 4", "no name", "comma at the end"),
        ("item,question, ,answer", "column 3", "no name", "delete"),
    ],
)
def test_what_other_programs_write_is_told_with_its_remedy(header: str, field: str, problem: str, remedy: str) -> None:
    (fault,) = refusal(header + "\n").faults
    assert (fault.line, fault.field) == (1, field)
    assert problem in fault.problem
    assert remedy in fault.remedy


@pytest.mark.parametrize(
    ("table", "field", "remedy"),
    [
        ("item,question,answer\n0,what,", "answer", "leave the line out"),
        ("item,question,response\n0,what,", "response", '"response": ""'),
        ("item,question,answer,response\n0,what, ,", "answer", "leave the line out"),
        ("item,question,answer\n0,,A", "question", "id"),
        ("item,question,response,stop\n0,what,A,ended", "stop", "complete"),
    ],
)
def test_a_cell_that_is_empty_or_wrong_is_told_by_a_message_of_its_own(table: str, field: str, remedy: str) -> None:
    (fault,) = read(table).faults
    assert (fault.line, fault.field) == (2, field)
    assert "not both" not in fault.problem
    assert remedy in fault.remedy


def test_a_table_that_is_no_utf_8_is_refused() -> None:
    assert "UTF-8" in refusal(HEADER.encode() + b"0,what,\xe9").faults[0].remedy


def test_more_than_100_000_records_are_refused() -> None:
    assert len(read(HEADER + "0,w,A\n" * MOST_LINES).lines) == MOST_LINES
    assert refusal(HEADER + "0,w,A\n" * (MOST_LINES + 1)).status == 413


def test_empty_records_are_bounded_and_those_inside_of_replies_are_none() -> None:
    assert len(read(HEADER + "0,w,A" + "\n" * (MOST_BLANK_LINES + 1)).lines) == 1
    assert "empty lines" in refusal(HEADER + "0,w,A" + "\n" * (MOST_BLANK_LINES + 2)).detail
    replies = "".join(f'{number},w,"{chr(10) * 30_000}"\n' for number in range(8))
    assert len(read("item,question,response\n" + replies).lines) == 8


def test_a_record_is_named_when_it_is_longer_than_any_can_be() -> None:
    text = f"{HEADER}0,w,A\n" + "1," * LONGEST_RECORD
    assert [(fault.line, str(LONGEST_RECORD) in fault.problem) for fault in read(text).faults] == [(3, True)]


def test_a_reply_longer_than_32_kib_is_named() -> None:
    (fault,) = read(f"item,question,response\n0,w,{'e' * 40_000}").faults
    assert (fault.field, fault.line) == ("response", 2)
    (fault,) = read(f"item,question,response\n0,w,{'e' * 200_000}").faults
    assert (fault.field, fault.line) == ("line", 2)


def test_another_media_type_is_refused_with_those_there_are() -> None:
    with pytest.raises(DomainError) as caught:
        read("x", "application/xml")
    assert problem_of(caught.value).status == 415
    assert "text/csv" in caught.value.faults[0].remedy
