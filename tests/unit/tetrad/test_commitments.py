"""A commitment binds seed, identity and size; the log of them shows every change."""

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


def test_a_log_cut_at_its_end_is_whole_so_its_head_has_to_be_compared() -> None:
    assert first_broken(log(5)[:-1]) is None


def test_entries_in_another_order_are_broken() -> None:
    entries = log(3)
    assert first_broken([entries[1], entries[0], entries[2]]) == entries[1]
