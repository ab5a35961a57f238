"""Pages that commands write: one subject's rows are replaced, the others stay, and digests say what they are of."""

from pathlib import Path

from generator_service.proving.pages import DOCS, Page, Table, digests, put_digests
from generator_service.proving.report import PAGE
from tests.shown.report import PAGE as SHOWN

MOST_LINES = 60
PETS = Page(
    name="pets",
    title="Pets",
    text="Written by a test.",
    tables=(
        Table(heading="Sizes", text="In metres.", columns=("pet", "size")),
        Table(heading="Sounds", text="At night.", columns=("pet", "sound", "how often")),
    ),
)


def test_rows_of_one_subject_are_replaced_and_the_others_stay(tmp_path: Path) -> None:
    PETS.put([[("dog", "1")], [("dog", "woof", "often"), ("dog", "howl", "once")]], {"dog": "d1"}, tmp_path)
    PETS.put([[("cat", "0.5")], []], {"cat": "c1"}, tmp_path)
    PETS.put([[("dog", "2")], [("dog", "woof", "never")]], {"dog": "d2"}, tmp_path)
    assert PETS.rows(tmp_path) == [[("cat", "0.5"), ("dog", "2")], [("dog", "woof", "never")]]
    assert PETS.rows_about("dog", tmp_path) == [[("dog", "2")], [("dog", "woof", "never")]]
    assert digests("pets", tmp_path) == {"cat": "c1", "dog": "d2"}
    assert (tmp_path / "pets.md").read_text().startswith("# Pets\n\nWritten by a test.\n\n## Sizes\n\nIn metres.\n")


def test_digests_of_another_kind_stay(tmp_path: Path) -> None:
    put_digests("proof", {"carv": "1"}, tmp_path)
    put_digests("shown", {"carv": "2"}, tmp_path)
    assert (digests("proof", tmp_path), digests("shown", tmp_path)) == ({"carv": "1"}, {"carv": "2"})
    assert digests("no such kind", tmp_path) == {}


def test_a_page_is_short_enough_to_be_read() -> None:
    for page in (PAGE, SHOWN):
        lines = (DOCS / f"{page.name}.md").read_text().splitlines()
        assert all(page.rows())
        assert len(lines) < MOST_LINES
