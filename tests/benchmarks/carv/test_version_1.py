"""Version 1 stays for draws that were sealed under it: on its own stage, with the words and pictures of then."""

from pathlib import Path

import pytest

from generator_service.benchmarks.carv import BENCHMARK, OLDER
from generator_service.benchmarks.carv.spec import PUBLISHED
from generator_service.drawing.stage.first_stage import FIRST
from generator_service.drawing.stage.second_stage import SECOND
from generator_service.registry import Registry, mount
from generator_service.sealing.record import Record
from generator_service.sealing.sealed_draws import Sealing, UnloadableVersionError
from generator_service.sources.store import Head, SourceStore, of_folder
from tetrad.internal.draws import DrawRequest, ItemAnswers


def request(submission: str) -> DrawRequest:
    return DrawRequest(
        submission=submission,
        nonce="n",
        benchmark="carv",
        track="different-source",
        setting="direct",
        parameters={},
        size=4,
    )


def sealing(tmp_path: Path, registry: Registry) -> Sealing:
    return Sealing("s" * 32, Record(f"sqlite:///{tmp_path}/generator.sqlite"), registry)


def first_pictures(of: Sealing, submission: str) -> list[bytes]:
    [asked] = of.ask(submission, [ItemAnswers(item=0)])
    [question] = asked.questions
    mounted, item = of.shown(submission, 0)
    return [mounted.benchmark.render(mounted.bank, item.scene, picture.name).tobytes() for picture in question.pictures]


def test_a_draw_of_before_is_asked_with_its_own_pictures_after_the_upgrade(tmp_path: Path, bank_folder: Path) -> None:
    before = sealing(tmp_path, mount([OLDER[1]], bank_folder))
    sealed = before.seal(request("sub_old"))
    assert (sealed.identity.version, sealed.identity.bank) == (1, FIRST.digest)
    shown = first_pictures(before, "sub_old")

    after = sealing(tmp_path, mount([BENCHMARK, *OLDER.values()], bank_folder))
    after.check_versions()
    assert first_pictures(after, "sub_old") == shown
    fresh = after.seal(request("sub_new"))
    assert (fresh.identity.version, fresh.identity.bank) == (2, SECOND.digest)
    assert not set(first_pictures(after, "sub_new")) & set(shown)


def test_a_start_without_the_stage_of_an_open_draw_is_refused_and_named(
    tmp_path: Path, bank_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealing(tmp_path, mount([OLDER[1]], bank_folder)).seal(request("sub_old"))
    heads = SourceStore.heads

    def newest(store: SourceStore, kind: str | None = None) -> list[Head]:
        return [head for head in heads(store, kind) if head.digest != FIRST.digest]

    monkeypatch.setattr(SourceStore, "heads", newest)
    lost = sealing(tmp_path, mount([BENCHMARK, *OLDER.values()], of_folder(bank_folder)))
    with pytest.raises(UnloadableVersionError, match=f"1 open of carv version 1 with bank {FIRST.digest[:12]}"):
        lost.check_versions()


def test_the_published_prompt_is_of_version_2() -> None:
    assert PUBLISHED in {setting.name for setting in BENCHMARK.card.settings}
    assert PUBLISHED not in {setting.name for setting in OLDER[1].card.settings}
    assert all(PUBLISHED not in track.settings for track in OLDER[1].card.tracks)
