"""A commitment binds seed, identity and size; the log of them shows every change."""

import pytest
from msgspec.structs import replace

from tetrad.commitments import GENESIS, commitment_of, entry_of, first_broken
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.log import LogEntry

SEED = "5" * 64
IDENTITY = DrawIdentity(
    benchmark="toy", version=1, bank="b" * 64, track="toy", setting="full", parameters={"tint": 5, "loud": True}
)


def log(length: int) -> list[LogEntry]:
    entries: list[LogEntry] = []
    for number in range(1, length + 1):
        previous = entries[-1].entry if entries else GENESIS
        entries.append(entry_of(number, f"sub_{number}", f"{number:064d}", "2026-11-21T03:17:00.000Z", previous))
    return entries


def test_every_part_changes_the_commitment() -> None:
    changed = [
        commitment_of(IDENTITY, SEED, 10),
        commitment_of(IDENTITY, "6" * 64, 10),
        commitment_of(IDENTITY, SEED, 11),
        *(
            commitment_of(replace(IDENTITY, **{part: value}), SEED, 10)
            for part, value in {
                "benchmark": "kiva",
                "version": 2,
                "bank": "c" * 64,
                "track": "other",
                "setting": "half",
                "parameters": {"tint": 5, "loud": 1},
            }.items()
        ),
    ]
    assert len(set(changed)) == len(changed) == 9


def test_a_commitment_never_changes() -> None:
    assert commitment_of(IDENTITY, SEED, 10) == "48ef7e44a61f21f3916eda1d010e0d7f4f905c6c167c958fcf41f7316ef803cb"


@pytest.mark.parametrize("length", [0, 1, 5])
def test_a_whole_log_has_no_broken_entry(length: int) -> None:
    assert first_broken(log(length)) is None


@pytest.mark.parametrize("removed", range(4))
def test_a_removed_entry_shows_at_the_one_after_it(removed: int) -> None:
    entries = log(5)
    broken = first_broken([*entries[:removed], *entries[removed + 1 :]])
    assert broken == entries[removed + 1]


def test_a_log_cut_at_its_end_is_whole_so_its_head_has_to_be_compared() -> None:
    assert first_broken(log(5)[:-1]) is None


@pytest.mark.parametrize("field", ["number", "submission", "commitment", "at", "previous", "entry"])
def test_an_edited_entry_is_the_broken_one(field: str) -> None:
    entries = log(5)
    entries[2] = replace(entries[2], **{field: 7 if field == "number" else "f" * 64})
    assert first_broken(entries) == entries[2]


def test_entries_in_another_order_are_broken() -> None:
    entries = log(3)
    assert first_broken([entries[1], entries[0], entries[2]]) == entries[1]


def test_a_later_page_is_checked_from_the_entry_before_it() -> None:
    entries = log(5)
    assert first_broken(entries[3:], entries[2].entry, 4) is None
    assert first_broken(entries[3:], entries[1].entry, 4) == entries[3]
    assert first_broken(entries[3:], entries[2].entry, 5) == entries[3]
