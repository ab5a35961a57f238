"""The command that asks registries for our images, on a registry on loopback."""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread

import pytest
import yaml

from deploy.images import main, read_images
from tests.ports import free_port
from tests.serving import ThreadedServer

DEPLOY = Path(__file__).parents[3] / "deploy"
MOVED = f"sha256:{'1' * 64}"


class Registry(BaseHTTPRequestHandler):
    """Has the manifests of `digests` for those with a token, which it gives to anybody who asks for the right scope."""

    digests: dict[str, str] = {}

    def do_HEAD(self) -> None:
        repository = self.path.removeprefix("/v2/").partition("/manifests/")[0]
        if self.headers["Authorization"] != f"Bearer token of {repository}":
            self.send_response(401)
            realm = f'realm="http://{self.headers["Host"]}/token",service="here"'
            self.send_header("WWW-Authenticate", f'Bearer {realm},scope="repository:{repository}:pull"')
        elif self.path in self.digests and "image.index" in self.headers["Accept"]:
            self.send_response(200)
            self.send_header("Docker-Content-Digest", self.digests[self.path])
        else:
            self.send_response(404)
        self.end_headers()

    def do_GET(self) -> None:
        (scope,) = re.findall(r"scope=repository%3A(.+)%3Apull", self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f'{{"token": "token of {scope.replace("%2F", "/")}"}}'.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def registry() -> Iterator[str]:
    """A registry that has every image of the list, by tag and by digest."""
    Registry.digests = {}
    for image in read_images():
        digest = image.digest or MOVED
        for reference in (image.tag, digest):
            Registry.digests[f"/v2/{image.repository}/manifests/{reference}"] = digest
    with ThreadedServer(("127.0.0.1", 0), Registry) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_images_that_are_there_are_listed(registry: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--registry", registry]) == 0
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["there", image.name] for image in read_images()
    ]


@pytest.mark.parametrize("pinned", [True, False])
def test_an_image_that_is_gone_is_named_and_the_command_fails(
    registry: str, capsys: pytest.CaptureFixture[str], *, pinned: bool
) -> None:
    image = next(image for image in read_images() if bool(image.digest) is pinned)
    del Registry.digests[f"/v2/{image.repository}/manifests/{image.digest or image.tag}"]
    assert main(["--registry", registry]) == 1
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("GONE"))
    assert f"{image.name} {image.digest}" in line
    assert "answers 404" in line


def test_a_tag_that_moved_is_no_failure_while_the_digest_is_there(
    registry: str, capsys: pytest.CaptureFixture[str]
) -> None:
    image = next(image for image in read_images() if image.digest)
    Registry.digests[f"/v2/{image.repository}/manifests/{image.tag}"] = MOVED
    assert main(["--registry", registry]) == 0
    assert f"moved   {image.name}" in capsys.readouterr().out


def test_a_registry_that_can_t_be_asked_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--registry", f"http://127.0.0.1:{free_port()}"]) == 1
    assert capsys.readouterr().out.count("can't be asked") == len(read_images())


def test_the_list_names_every_image_that_we_take_from_others_and_no_other() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    pulled = {
        re.sub(r"^\$\{\w+:-(.*)\}$", r"\1", service["image"]) for service in compose.values() if "image" in service
    }
    recipes = [path.read_text() for path in DEPLOY.rglob("Dockerfile")]
    stages = {name for recipe in recipes for name in re.findall(r"^FROM \S+ AS (\w+)", recipe, re.MULTILINE)}
    bases = {base for recipe in recipes for base in re.findall(r"^FROM (\S+)", recipe, re.MULTILINE)} - stages
    listed = {f"{image.name}{'@' if image.digest else ''}{image.digest}" for image in read_images()}
    assert listed == {full_name(name) for name in pulled | bases}


def full_name(name: str) -> str:
    """Return the name with the registry and the folder that Docker leaves out."""
    first, _, rest = name.partition("/")
    if rest and "." in first:
        return name
    return f"docker.io/{name}" if rest else f"docker.io/library/{name}"
