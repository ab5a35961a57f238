"""Version 2 draws what it drew, so that its open draws can be answered and its reports verified."""

from pathlib import Path

import msgspec

from generator_service.benchmarks.kiva import OLDER
from generator_service.proving.findings import mounted_of
from generator_service.proving.golden import Golden, items_digest, path_of, pixels_digest
from generator_service.proving.samples import places, sample_at
from generator_service.registry import Mounted

EVERY = 20  # of its places


def test_version_2_draws_the_items_that_were_written_down(bank_folder: Path) -> None:
    served = mounted_of("kiva", bank_folder)
    second = OLDER[2]
    assert second.prepare is not None
    mounted = Mounted(second, second.prepare({"objects": served.bank.objects}), served.bank_digest)
    written = msgspec.json.decode(path_of(second).read_bytes(), type=dict[str, Golden])["2"]
    looked_at = 0
    for place in list(places(mounted))[::EVERY]:
        sample = sample_at(mounted, place)
        if str(place) in written.items:
            assert written.items[str(place)] == items_digest(sample), place
            assert written.pixels[str(place)] == pixels_digest(sample), place
            looked_at += 1
    assert looked_at >= 3
