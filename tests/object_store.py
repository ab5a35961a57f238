"""The object store of compose as a process on loopback: deploy/objects/store.py, with the rights that lie beside it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import httpx
from botocore.config import Config

from tests.ports import free_port

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ROOT = Path(__file__).parents[1]
SECRETS = {f"{user.upper()}_OBJECTS_SECRET": f"secret of {user}" for user in ("api", "bulk", "scoring", "admin")}
START_SECONDS = 60
LISTENING = "0A"  # as /proc/net/tcp names the state


def address_of(hexadecimal: str) -> str:
    """Return an address of /proc/net/tcp in its usual form; one of IPv6 stays as it is."""
    return (
        ".".join(str(byte) for byte in reversed(bytes.fromhex(hexadecimal))) if len(hexadecimal) == 8 else hexadecimal
    )


class ObjectStoreServer:
    """A store over one folder. It can be killed and started again; users keep its address.

    What is forwarded stands at 127.0.0.2, as a container's address, so that one sees what else can be reached there.
    """

    def __init__(self, folder: Path) -> None:
        self.port, *self.inner_ports = (free_port() for _ in range(9))
        self.url = f"http://127.0.0.2:{self.port}"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers.

        Raises:
            AssertionError: it ended, or does not answer in time.
        """
        (self._folder / "data").mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(ROOT / "deploy" / "objects" / "store.py"), str(self._folder / "data")]
        ports = ["--address", "127.0.0.2", "--port", str(self.port), "--inner-ports", *map(str, self.inner_ports)]
        scripts = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
        log = self._folder / "log"
        with log.open("ab") as file:
            self._process = subprocess.Popen(
                [*command, *ports],
                env=os.environ | SECRETS | scripts,
                stdout=file,
                stderr=file,
                start_new_session=True,  # to be killed with SeaweedFS
            )
        end = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process.poll() is None, log.read_text()
            assert time.monotonic() < end, "the object store does not answer"
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/healthz", timeout=5).is_success
        except httpx.TransportError:
            return False

    def kill(self) -> None:
        """End it and SeaweedFS as a power switch would (SIGKILL)."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def listening(self) -> set[tuple[str, int]]:
        """Return the address and port of every TCP socket on which it, or SeaweedFS, listens."""
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        files = [file for pid in (self._process.pid, *children) for file in Path(f"/proc/{pid}/fd").iterdir()]
        opened = {str(file.readlink()) for file in files if file.is_symlink()}
        rows = [line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()]
        ours = [row[1].split(":") for row in rows if f"socket:[{row[9]}]" in opened and row[3] == LISTENING]
        return {(address_of(address), int(port, 16)) for address, port in ours}

    def variables(self, user: str) -> dict[str, str]:
        """Return the variables that an operator sets for a process of this user."""
        return {
            "AWS_ENDPOINT_URL_S3": self.url,
            "AWS_ACCESS_KEY_ID": user,
            "AWS_SECRET_ACCESS_KEY": SECRETS[f"{user.upper()}_OBJECTS_SECRET"],
            "AWS_DEFAULT_REGION": "us-east-1",
        }

    def client(self, user: str, secret: str | None = None) -> "S3Client":
        return boto3.client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id=user,
            aws_secret_access_key=secret or SECRETS[f"{user.upper()}_OBJECTS_SECRET"],
            region_name="us-east-1",
            config=Config(retries={"max_attempts": 1}),
        )
