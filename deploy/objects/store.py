r"""The object store of compose: SeaweedFS with two buckets, and a user for each file of rights beside this program.

    API_OBJECTS_SECRET=... BULK_OBJECTS_SECRET=... SCORING_OBJECTS_SECRET=... ADMIN_OBJECTS_SECRET=... \
        python store.py DATA_FOLDER

Only S3 can be reached from outside, through a port that this program forwards. SeaweedFS's other ports know no users
(over gRPC anybody could become an administrator): they are on loopback.
"""

import argparse
import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterable, Mapping
from pathlib import Path

BUCKET, DATASETS = "tetrad", "datasets"
"""What the api and scoring keep; and the shards of data sets, which bulk workers write."""
RIGHTS = Path(__file__).parent
START_SECONDS = 120
SHARE_OF_MEMORY = 0.75
"""Go collects more eagerly from this share of the container's memory on. Uploads under way have bounds of their own."""
CHUNK = 64 * 1024
OPTIONS = """
-ip=127.0.0.1 -ip.bind=127.0.0.1 -filer -s3 -s3.port.iceberg=0 -s3.port.lance=0 -s3.iam=false
-master.telemetry=false -master.electionTimeout=1s -master.volumeSizeLimitMB=1024
-volume.max=0 -volume.index=leveldb -volume.preStopSeconds=0
-s3.concurrentUploadLimitMB=256 -filer.concurrentUploadLimitMB=256
"""
SERVERS = ("master", "volume", "filer", "s3")


def identities(environ: Mapping[str, str]) -> dict[str, object]:
    """Return SeaweedFS's list of users: one for each file of rights, and `admin`, who may do everything.

    Raises:
        SystemExit: a user has no secret.
    """
    policies = [{"name": path.stem, "content": path.read_text()} for path in sorted(RIGHTS.glob("*.json"))]
    users: list[dict[str, object]] = [{"name": policy["name"], "policyNames": [policy["name"]]} for policy in policies]
    users.append({"name": "admin", "actions": ["Admin"]})
    for user in users:
        variable = f"{user['name']}_OBJECTS_SECRET".upper()
        if not environ.get(variable):
            sys.exit(f"{variable} is not set: give it a secret (openssl rand -hex 32)")
        user["credentials"] = [{"accessKey": user["name"], "secretKey": environ[variable]}]
    return {"identities": users, "policies": policies}


def name_ports(ports: Iterable[int]) -> dict[str, int]:
    """Return SeaweedFS's options of ports: of each server one for HTTP and one for gRPC."""
    options = [f"{server}.port{kind}" for server in SERVERS for kind in ("", ".grpc")]
    return dict(zip(options, ports, strict=True))


def make_command(data: Path, users: Path, ports: Mapping[str, int]) -> list[str]:
    chosen = [f"-{name}={port}" for name, port in ports.items()]
    return ["weed", "server", f"-dir={data}", f"-s3.config={users}", *chosen, *OPTIONS.split()]


def bound_memory(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the environment, with a soft limit for Go where the container has a hard one."""
    limit = Path("/sys/fs/cgroup/memory.max")
    found = limit.read_text().strip() if limit.exists() else "max"
    return {**environ, **({} if found == "max" else {"GOMEMLIMIT": str(int(int(found) * SHARE_OF_MEMORY))})}


def wait_for(weed: "subprocess.Popen[bytes]", ports: Mapping[str, int]) -> None:
    """Wait until S3 answers, and until the master knows the server of volumes: before that every read fails.

    Raises:
        SystemExit: SeaweedFS ended, or is not ready in time.
    """
    health = f"http://127.0.0.1:{ports['s3.port']}/healthz"
    topology = f"http://127.0.0.1:{ports['master.port']}/dir/status"
    end = time.monotonic() + START_SECONDS
    while weed.poll() is None and time.monotonic() < end:
        try:
            urllib.request.urlopen(health, timeout=2).close()
            with urllib.request.urlopen(topology, timeout=2) as answer:
                if json.load(answer)["Topology"].get("DataCenters"):
                    return
        except OSError:
            pass
        time.sleep(0.2)
    weed.kill()
    sys.exit(f"SeaweedFS is not ready at {health} and {topology} (exit status {weed.wait()}); its log is above")


def prepare_buckets(ports: Mapping[str, int]) -> None:
    """Make the buckets that are not there. From then on each write reaches the disk before it is confirmed.

    Raises:
        SystemExit: one is not there after that.
    """
    places = [f"-{name}=127.0.0.1:{ports[f'{name}.port']}.{ports[f'{name}.port.grpc']}" for name in ("master", "filer")]
    lines = [
        "fs.configure -locationPrefix=/buckets/ -fsync -apply",
        *(f"s3.bucket.create -name {bucket}" for bucket in (BUCKET, DATASETS)),
        "s3.bucket.list",
    ]
    shell = subprocess.run(
        ["weed", "shell", *places], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False
    )
    missing = [bucket for bucket in (BUCKET, DATASETS) if f"  {bucket}\t" not in shell.stdout]
    if missing or '"fsync":  true' not in shell.stdout:
        sys.exit(f"SeaweedFS did not make its buckets, {missing}: {shell.stdout}{shell.stderr}")


async def forward(address: str, port: int, s3_port: int) -> None:
    """Pass connections to `port` on to S3, both ways, for as long as this program runs."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError), contextlib.closing(writer):
            s3_reader, s3_writer = await asyncio.open_connection("127.0.0.1", s3_port)
            with contextlib.closing(s3_writer):
                ways = [asyncio.create_task(carry(reader, s3_writer)), asyncio.create_task(carry(s3_reader, writer))]
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
                await asyncio.gather(*ways, return_exceptions=True)

    await (await asyncio.start_server(connect, address, port, backlog=1024)).serve_forever()


async def serve(weed: "subprocess.Popen[bytes]", address: str, port: int, s3_port: int) -> None:
    """Forward connections until SeaweedFS ends."""
    forwarding = asyncio.create_task(forward(address, port, s3_port))
    ended = asyncio.create_task(asyncio.to_thread(weed.wait))
    await asyncio.wait([forwarding, ended], return_when=asyncio.FIRST_COMPLETED)
    forwarding.cancel()
    weed.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder that holds all objects")
    parser.add_argument("--address", default="0.0.0.0", help="where S3 is reached")  # noqa: S104 -- in a container
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--inner-ports", type=int, nargs=8, default=range(9001, 9009), help="ports on loopback")
    chosen = parser.parse_args()
    ports = name_ports(chosen.inner_ports)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as users:  # mode 600
        json.dump(identities(os.environ), users)
        users.flush()
        weed = subprocess.Popen(make_command(chosen.data, Path(users.name), ports), env=bound_memory(os.environ))
        told: list[int] = []

        def end(number: int, _: object) -> None:
            told.append(number)
            weed.terminate()

        signal.signal(signal.SIGTERM, end)
        wait_for(weed, ports)
        prepare_buckets(ports)
        asyncio.run(serve(weed, chosen.address, chosen.port, ports["s3.port"]))
        status = weed.wait()
        if not told:
            sys.exit(f"SeaweedFS ended with exit status {status}")


if __name__ == "__main__":
    main()
