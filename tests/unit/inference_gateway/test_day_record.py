"""What calls of a day cost stays on the gateway's disk, whoever dies."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inference_gateway.gates.day_record import KEPT_SECONDS, DayRecord, DayRecordError

JUDGE, OTHER = "day|2026-11-26 judge", "team|lynx"
DYING = """
import os, signal, sys
from inference_gateway.gates.day_record import DayRecord
record = DayRecord("dying", sys.argv[1])
record.start()
for call in ("answered", "in flight"):
    record.hold(call, ["day|2026-11-26 judge", "team|lynx"], 100)
record.end("answered", 30)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_s_calls_count_as_what_they_cost_or_could_have(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", DYING, str(tmp_path)], check=False)
    assert DayRecord("next", str(tmp_path)).of_dead() == [("dying", JUDGE, 30 + 100)]


def test_a_live_process_tells_what_ended_and_nobody_else_does(tmp_path: Path) -> None:
    live = DayRecord("live", str(tmp_path))
    live.hold("a", [JUDGE, OTHER], 100)
    live.hold("b", [JUDGE], 50)
    live.end("a", 30)
    live.end("a", 30)  # the same end, told twice
    live.end("never sent", 70)
    assert live.own() == [("live", JUDGE, 30)]
    assert DayRecord("next", str(tmp_path)).of_dead() == []
    live.close()
    assert DayRecord("next", str(tmp_path)).of_dead() == [("live", JUDGE, 80)]


def test_a_record_that_can_not_be_read_is_told_by_its_file(tmp_path: Path) -> None:
    (tmp_path / "harmed.days").write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    (tmp_path / "begun.days").touch()
    record = DayRecord("next", str(tmp_path))
    record.start()
    with pytest.raises(DayRecordError, match=r"harmed\.days .*calls with a price are refused.*remove it"):
        record.of_dead()


def test_records_of_past_days_go_unless_their_process_lives(tmp_path: Path) -> None:
    live, dead = DayRecord("live", str(tmp_path)), DayRecord("dead", str(tmp_path))
    for record in (live, dead):
        record.hold("a", [JUDGE], 100)
    dead.close()
    DayRecord("next", str(tmp_path)).start()
    assert {path.stem for path in tmp_path.glob("*.days")} == {"live", "dead"}
    for path in tmp_path.iterdir():
        os.utime(path, (0, time.time() - KEPT_SECONDS - 1))
    DayRecord("next", str(tmp_path)).start()
    assert {path.name for path in tmp_path.glob("dead*")} == set()
    assert (tmp_path / "live.days").exists()
