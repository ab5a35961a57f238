"""The household bank, from a furniture library made in the test."""

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from generator_service.drawing.bank import silent
from generator_service.drawing.portrait import View, develop, expose
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.household import building, catalogue, kinds, models, package
from generator_service.sources.household.building import palettes_of
from generator_service.sources.household.kinds import HouseholdKind
from generator_service.sources.objects import open_bank
from generator_service.sources.store import of_folder
from tests.debs import write_deb
from tests.unit.generator_service.sources.models import library

FRONT = View()
OURS = (
    HouseholdKind("box", ("mug", "crate")),
    HouseholdKind("pole", ("pole",), natural=True),
    HouseholdKind("unicorn", ("unicorn",)),
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return library(tmp_path_factory.mktemp("library") / "BlendSwap-CC-0.sh3f")


def _model(file: Path, name: str) -> models.Model:
    with zipfile.ZipFile(file) as archive:
        return models.read_model(archive, f"shop/{name}/{name}.obj")


def _deb(file: Path, path: Path) -> Path:
    """Pack a library into a Debian package."""
    return write_deb(path, {f"usr/share/sweethome3d/furniture/{file.name}": file.read_bytes()})


def test_the_catalogue_names_models_and_how_to_stand_them_up(file: Path) -> None:
    found = catalogue.read_library(file)
    assert {name: (entry.title, entry.creator) for name, entry in found.entries.items()} == {
        "mug": ("Mug", "Ann"),
        "crate": ("Crate", "Bob"),
        "pole": ("Pole", "Cy"),
    }
    assert found.entries["mug"].rotation().tolist() == np.eye(3).tolist()
    assert found.entries["pole"].rotation().tolist() == [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    assert len(found.checksum) == 64


def test_materials_colour_faces_and_textures_lie_on_them(file: Path) -> None:
    mug = _model(file, "mug")
    assert len(mug.mesh.faces) == 24
    assert {tuple(colour) for colour in mug.mesh.colours.tolist()} == {(204, 51, 26), (26, 51, 230)}
    crate = _model(file, "crate")
    assert len(crate.mesh.vertices) == 8, "corners at one place are one, whatever the texture does there"
    exposure = expose(crate.mesh, FRONT)
    red = models.surface(crate, exposure)[0]
    column = exposure.seen.sample % 768
    left, right = (float(red[np.abs(column - middle) < 60].mean()) for middle in (230, 530))
    assert (left, right) == (40, 230), "the texture's left half is dark and lies on the left"


def test_a_model_that_is_not_there_is_named(file: Path) -> None:
    with zipfile.ZipFile(file) as archive, pytest.raises(models.UnreadableModel, match="shop/none/none"):
        models.read_model(archive, "shop/none/none.obj")


def test_palettes_differ_and_start_with_the_thing_s_own_colours(file: Path) -> None:
    mug = _model(file, "mug")
    exposure = expose(mug.mesh, FRONT)
    own = models.surface(mug, exposure)
    for natural in (True, False):
        pictures = [develop(exposure, palette.apply(own)) for palette in palettes_of(natural=natural)]
        assert len({picture.tobytes() for picture in pictures}) == 3
        solid = pictures[0][pictures[0][..., 3] == 255]
        assert (solid[:, 0] > solid[:, 2]).mean() > 0.5, "most of the mug is red"


def test_kinds_are_drawn_from_every_model_viewpoint_and_palette(file: Path) -> None:
    tasks = building.tasks_of(catalogue.read_library(file), OURS)
    assert [task.kind.name for task in tasks] == ["box", "pole"], "a kind without a model is left out"
    drawn = building.draw_all(tasks, silent)
    assert [drawing.id for drawing in drawn] == [f"box-{k:02}" for k in range(12)] + [f"pole-{k:02}" for k in range(12)]
    assert len({drawing.pixels for drawing in drawn}) == 24
    pole = drawn[12].appearance
    assert pole.turns[2] > 500, "it stands upright: a quarter turn shows"


def test_the_same_library_makes_the_same_digest(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "PUBLIC_DOMAIN", OURS[1:2])
    first = building.build(of_folder(tmp_path / "one"), "household", file, silent)
    packed = _deb(file, tmp_path / "sweethome3d-furniture_1_all.deb")
    again = building.build(of_folder(tmp_path / "two"), "household", packed, silent)
    assert first.digest == again.digest
    assert first.credits == ()
    bank = open_bank(of_folder(tmp_path / "one"), "household")
    assert (bank.name, bank.digest, len(bank.objects)) == ("household", first.digest, 12)


def test_models_that_ask_for_credit_are_drawn_on_request_only_and_keep_it(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "PUBLIC_DOMAIN", ())
    monkeypatch.setattr(building, "ATTRIBUTION", {"Other": OURS[1:2]})
    folder = tmp_path / "libraries"
    folder.mkdir()
    for name in ("BlendSwap-CC-0", "Other"):
        (folder / f"{name}.sh3f").write_bytes(file.read_bytes())
    with pytest.raises(PackageUnavailable, match="none of the models of household"):
        building.build(of_folder(tmp_path / "sources"), "household", folder, silent)
    with_credits = building.build(of_folder(tmp_path / "sources"), "household-by", folder, silent)
    assert with_credits.credits == ("Pole by Cy (CC BY 3.0, Other)",)
    assert open_bank(of_folder(tmp_path / "sources"), "household-by").credits == with_credits.credits


def test_what_holds_no_library_is_refused_with_its_name(tmp_path: Path, file: Path) -> None:
    (tmp_path / "no.deb").write_bytes(b"no archive")
    (tmp_path / "bare.deb").write_bytes(b"!<arch>\n")
    (tmp_path / "no.sh3f").write_bytes(b"no zip")
    (tmp_path / "empty").mkdir()
    for name, said in {
        "no.deb": "not a Debian package",
        "bare.deb": "no data.tar",
        "empty": "holds no .sh3f library",
        "missing": "is neither a .deb, a .sh3f nor a folder",
        "no.sh3f": "hold none of the models",
    }.items():
        with pytest.raises(PackageUnavailable, match=said):
            building.build(of_folder(tmp_path / "banks"), "household", tmp_path / name, silent)
    renamed = tmp_path / "BlendSwap-CC-0.sh3f"
    renamed.write_bytes(b"no zip")
    with pytest.raises(PackageUnavailable, match=r"is not a \.sh3f library"):
        building.build(of_folder(tmp_path / "banks"), "household", renamed, silent)
    assert not of_folder(tmp_path / "banks").heads()


def _apt(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put an `apt-get` of ours first on the path."""
    program = folder / "apt-get"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_apt_fetches_the_package_into_a_folder_of_ours(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = _deb(file, tmp_path / "kept.deb")
    _apt(tmp_path, f'cp "{packed}" sweethome3d-furniture_1.8_all.deb', monkeypatch)
    with package.libraries(None) as found:
        assert catalogue.read_library(found["BlendSwap-CC-0"]).checksum == catalogue.read_library(file).checksum
        kept = found["BlendSwap-CC-0"]
    assert not kept.exists(), "nothing stays behind"


def test_an_apt_that_is_offline_or_absent_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _apt(tmp_path, 'echo "E: Failed to fetch: no route" >&2; exit 100', monkeypatch)
    with pytest.raises(PackageUnavailable, match="failed: Failed to fetch: no route"), package.libraries(None):
        pass
    _apt(tmp_path, "sleep 5", monkeypatch)
    monkeypatch.setattr(package, "_LONGEST_FETCH", 0.2)
    with pytest.raises(PackageUnavailable, match="took more than"), package.libraries(None):
        pass
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    with pytest.raises(PackageUnavailable, match="apt-get is not installed"), package.libraries(None):
        pass


def test_the_table_of_kinds_is_long_enough_and_names_nothing_twice() -> None:
    every = [*kinds.PUBLIC_DOMAIN, *(kind for more in kinds.ATTRIBUTION.values() for kind in more)]
    assert len(kinds.PUBLIC_DOMAIN) >= 80
    assert len({kind.name for kind in every}) == len(every)
    for kinds_of_one in (kinds.PUBLIC_DOMAIN, *kinds.ATTRIBUTION.values()):
        used = [model for kind in kinds_of_one for model in kind.models]
        assert len(set(used)) == len(used)


def test_debian_s_own_package_has_every_model_of_the_table() -> None:
    given = os.environ.get("TETRAD_HOUSEHOLD_FROM")
    if not given:
        pytest.skip("set TETRAD_HOUSEHOLD_FROM to Debian's sweethome3d-furniture package to check the table against it")
    with package.libraries(Path(given)) as found:
        for source, table in {"BlendSwap-CC-0": kinds.PUBLIC_DOMAIN, **kinds.ATTRIBUTION}.items():
            entries = catalogue.read_library(found[source]).entries
            assert [model for kind in table for model in kind.models if model not in entries] == []
