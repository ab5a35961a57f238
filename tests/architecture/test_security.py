"""Each line of SECURITY.md's table of threats names a test that is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
THREATS = re.findall(r"^\| .* \| `(.+)` \|$", (ROOT / "SECURITY.md").read_text(), re.MULTILINE)


def is_there(test: str) -> bool:
    path, _, name = test.partition("::")
    source = ROOT / path
    return source.is_file() and re.search(rf"^(async )?def {name}\(", source.read_text(), re.MULTILINE) is not None


def test_each_threat_names_a_test_that_is_there() -> None:
    rows = [line for line in (ROOT / "SECURITY.md").read_text().splitlines() if line.startswith("| ")]
    assert len(THREATS) == len(rows) - 2, "but for the head and its rule"
    assert [test for test in THREATS if not is_there(test)] == []
