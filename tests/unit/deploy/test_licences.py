"""Every package of every image has a licence that we know and may hand on."""

from pathlib import Path

import pytest

from deploy import licences
from deploy.licences import Package, UnknownLicenceError, find_licence, list_images, read_packages


def test_a_lock_gives_what_linux_and_the_images_python_install(tmp_path: Path) -> None:
    lock = tmp_path / "service.txt"
    lock.write_text(
        "colorama==0.4.6 ; sys_platform == 'win32' \\\n    --hash=sha256:00\n"
        "numpy==2.4.6 ; python_full_version < '3.12' \\\n    --hash=sha256:00\n"
        "numpy==2.5.5 ; python_full_version >= '3.12' \\\n    --hash=sha256:00 \\\n    --hash=sha256:01\n"
        "rich==15.0.0 \\\n    --hash=sha256:00\n"
    )
    assert [(package.name, package.version) for package in read_packages(lock)] == [
        ("numpy", "2.5.5"),
        ("rich", "15.0.0"),
    ]


@pytest.mark.parametrize(
    ("stated", "problem"),
    [("Copyright (c) somebody", "no SPDX name"), ("", "no SPDX name"), ("MIT AND GPL-3.0-only", "GPL-3.0-only")],
)
def test_a_licence_that_is_not_known_or_not_allowed_is_named(
    monkeypatch: pytest.MonkeyPatch, stated: str, problem: str
) -> None:
    monkeypatch.setattr(licences, "_read_licence", lambda _name: stated)
    with pytest.raises(UnknownLicenceError, match=f"newcomer.*{problem}"):
        find_licence("newcomer")


def test_no_entry_of_ours_outlives_its_package_or_what_the_package_says_itself() -> None:
    packages = {package.name for package in list_images()}
    assert set(licences.LICENCES) <= packages
    assert Package("msgspec", "0.22.0", "BSD-3-Clause").licence == find_licence("msgspec")
