"""Types are prepared before threads decode them: else msgspec ends the process."""

import signal
import subprocess
import sys

import pytest

DECODED_BY_TWO_THREADS = """
import sys, threading, time
import msgspec
from tetrad.prepared_structs import prepare_structs

entered = threading.Event()

def slow():
    entered.set()
    time.sleep(1)  # the other thread is there by then
    return int

class Inner(msgspec.Struct):
    number: "slow()"

class Outer(msgspec.Struct):
    inner: Inner | None = None
    last: int = 0

class OfSomebodyElse(msgspec.Struct):
    mistaken: "NoSuchName"

if sys.argv[1] == "prepared":
    prepare_structs()
first = threading.Thread(target=msgspec.json.decode, args=(b'{"last": 1}',), kwargs={"type": Outer})
first.start()
entered.wait(10)
assert msgspec.json.decode(b'{"last": 2}', type=Outer).last == 2
first.join()
"""


@pytest.mark.parametrize(
    ("how", "status"),
    [("prepared", 0), ("not prepared", -signal.SIGSEGV)],  # once msgspec mends it, prepared_structs.py can go
)
def test_a_type_that_two_threads_decode_at_first_ends_the_process_unless_it_is_prepared(how: str, status: int) -> None:
    done = subprocess.run([sys.executable, "-c", DECODED_BY_TWO_THREADS, how], check=False)
    assert done.returncode == status
