import base64
import hashlib

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tetrad.contracts.items import DrawIdentity
from tetrad.internal.item_ids import ItemIdError, item_id, parse_item_id

NAMES = st.text(st.characters(codec="utf-8"), max_size=20)
VALUES = st.one_of(NAMES, st.integers(-(2**53), 2**53), st.booleans())
IDENTITIES = st.builds(
    DrawIdentity,
    benchmark=NAMES,
    version=st.integers(1, 1000),
    bank=st.one_of(st.just(""), st.just("ab" * 32)),
    track=NAMES,
    setting=NAMES,
    parameters=st.dictionaries(NAMES, VALUES, max_size=5),
)
IDENTITY = DrawIdentity(
    benchmark="kiva", version=1, bank="0f" * 32, track="kiva", setting="full", parameters={"b": 1, "a": True}
)


def id_of(body: bytes) -> str:
    check = hashlib.sha256(b"tetrad/item-id/1" + body).digest()[:6]
    return "itm_" + base64.urlsafe_b64encode(check + body).rstrip(b"=").decode()


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a loaded machine all is slow
@given(IDENTITIES, st.one_of(st.just("0"), st.just("cd" * 32)), st.integers(0, 2**53))
def test_an_id_gives_back_all_it_was_made_of(identity: DrawIdentity, seed: str, index: int) -> None:
    request = parse_item_id(item_id(identity, seed, index))
    assert (request.identity, request.seed, request.index) == (identity, seed, index)


def test_the_order_of_parameters_makes_no_other_id() -> None:
    turned = msgspec.structs.replace(IDENTITY, parameters={"a": True, "b": 1})
    assert item_id(turned, "7", 3) == item_id(IDENTITY, "7", 3)


def test_an_id_is_fit_for_a_path_and_short() -> None:
    name = item_id(IDENTITY, "cd" * 32, 123)
    assert name.replace("_", "").replace("-", "").isalnum()
    assert len(name) < 200


def test_every_changed_character_makes_it_no_id() -> None:
    name = item_id(IDENTITY, "7", 3)
    for place in range(4, len(name)):
        other = "A" if name[place] != "A" else "B"
        with pytest.raises(ItemIdError):
            parse_item_id(name[:place] + other + name[place + 1 :])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "itm_",
        "sub_0",
        "itm_" + "A" * 40,
        "itm_é",
        "itm_" + "A" * 5000,
        "itm_A",
        id_of(b"\x90"),
        id_of(msgspec.msgpack.encode(["kiva", 1, 5, "t", "s", {}, "7", 0])),
        id_of(msgspec.msgpack.encode(["kiva", 1, "", "t", "s", {}, "7", -1])),
        id_of(msgspec.msgpack.encode(["kiva", 1, "", "t", "s", {}, "7", 0, "more"])),
        id_of(msgspec.msgpack.encode(["kiva", 1, "ab" * 32, "t", "s", {}, "7", 0])),
        id_of(msgspec.msgpack.encode(["kiva", 1, "", "t", "s", {"b": 1, "a": 1}, "7", 0])),
        item_id(IDENTITY, "7", 3) + "=",
    ],
)
def test_garbage_and_other_writings_are_no_ids(text: str) -> None:
    with pytest.raises(ItemIdError):
        parse_item_id(text)
