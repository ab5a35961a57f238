"""Ask registries whether the images of deploy/images.toml are there (python -m deploy.images, with a network)."""

import argparse
import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import httpx
import msgspec

LIST = Path(__file__).parent / "images.toml"
KINDS = ("oci.image.index.v1", "oci.image.manifest.v1", "docker.distribution.manifest.list.v2")
TYPES = ", ".join(f"application/vnd.{kind}+json" for kind in (*KINDS, "docker.distribution.manifest.v2"))
REGISTRIES = {"docker.io": "registry-1.docker.io"}
"""The hosts of registries that images name otherwise."""
SECONDS = 30


class Image(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An image: REGISTRY/REPOSITORY:TAG, and the digest that it is pinned to, if it is."""

    name: str
    digest: str = ""
    owner: str
    licence: str

    @property
    def registry(self) -> str:
        return self.name.partition("/")[0]

    @property
    def repository(self) -> str:
        return self.name.partition("/")[2].rpartition(":")[0]

    @property
    def tag(self) -> str:
        return self.name.rpartition(":")[2]


class ImageGoneError(Exception):
    """The registry does not have the image, or can't be asked; the message says which."""


def read_images(path: Path = LIST) -> list[Image]:
    return msgspec.convert(tomllib.loads(path.read_text()), type=dict[str, list[Image]])["images"]


def resolve(client: httpx.Client, image: Image, reference: str, registry: str = "") -> str:
    """Return the digest that a tag or digest of the image has at its registry, or at the one given by URL.

    Raises:
        ImageGoneError: it is not there, or the registry can't be asked.
    """
    host = registry or f"https://{REGISTRIES.get(image.registry, image.registry)}"
    url = f"{host}/v2/{image.repository}/manifests/{reference}"
    try:
        reply = client.head(url, headers={"Accept": TYPES})
        if reply.status_code == httpx.codes.UNAUTHORIZED:
            token = _fetch_token(client, reply.headers.get("WWW-Authenticate", ""))
            reply = client.head(url, headers={"Accept": TYPES, "Authorization": f"Bearer {token}"})
    except httpx.TransportError as error:
        raise ImageGoneError(f"{host} can't be asked: {error}") from error
    if not reply.is_success:
        raise ImageGoneError(f"{host} answers {reply.status_code} for {image.repository} at {reference}")
    return str(reply.headers.get("Docker-Content-Digest", ""))


def _fetch_token(client: httpx.Client, challenge: str) -> str:
    """Fetch the token for anybody that a registry's challenge names: Bearer realm="...",service="...",scope="..."."""
    fields = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
    reply = client.get(fields.pop("realm", ""), params=fields)
    found = reply.json() if reply.is_success else {}
    return str(found.get("token") or found.get("access_token") or "")


def check_image(client: httpx.Client, image: Image, registry: str = "") -> str:
    """Return a line on an image that is there.

    Raises:
        ImageGoneError: it is not.
    """
    if image.digest:
        resolve(client, image, image.digest, registry)
    try:
        named = resolve(client, image, image.tag, registry)
    except ImageGoneError:
        if not image.digest:
            raise
        named = "nothing"
    if image.digest in {"", named}:
        return f"there   {image.name} {named}"
    return f"moved   {image.name} {image.digest} is there; the tag names {named} now"


def main(arguments: Sequence[str]) -> int:
    """Print a line for each image; return 1 if one is gone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--registry", default="", help="ask the registry at this URL for all of them, a mirror")
    registry = parser.parse_args(arguments).registry
    gone = 0
    with httpx.Client(timeout=SECONDS, follow_redirects=True) as client:
        for image in read_images():
            try:
                print(check_image(client, image, registry))
            except ImageGoneError as error:
                gone += 1
                print(f"GONE    {image.name} {image.digest}: {error}")
    return 1 if gone else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
