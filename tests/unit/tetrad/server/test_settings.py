"""Settings come from named variables; every error says which."""

from typing import Annotated

import msgspec
import pytest

from tetrad.server.settings import Settings, SettingsError, load_settings, variables

SECRET = "hunter2-hunter2"


class ShopSettings(Settings, frozen=True, kw_only=True):
    database_url: str
    token: Annotated[str, msgspec.Meta(min_length=32)]
    workers: Annotated[int, msgspec.Meta(ge=1, le=8)] = 2
    ratio: float = 0.5
    open_to_all: bool = False


GOOD = {"SHOP_DATABASE_URL": "sqlite:///x", "SHOP_TOKEN": "t" * 32}


def test_what_is_not_set_has_its_default() -> None:
    assert load_settings(ShopSettings, "SHOP", GOOD) == ShopSettings(database_url="sqlite:///x", token="t" * 32)


def test_texts_become_what_the_fields_are() -> None:
    more = {"SHOP_WORKERS": "8", "SHOP_RATIO": "0.25", "SHOP_OPEN_TO_ALL": "true", "UNRELATED": "x"}
    loaded = load_settings(ShopSettings, "SHOP", GOOD | more)
    assert (loaded.workers, loaded.ratio, loaded.open_to_all) == (8, 0.25, True)


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(SettingsError, match="SHOP_DATABASE_URL is not set"):
        load_settings(ShopSettings, "SHOP", {"SHOP_TOKEN": "t" * 32})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SHOP_WORKERS", "many"),
        ("SHOP_WORKERS", "0"),
        ("SHOP_WORKERS", "9"),
        ("SHOP_WORKERS", ""),
        ("SHOP_RATIO", "half"),
        ("SHOP_OPEN_TO_ALL", "perhaps"),
        ("SHOP_TOKEN", "short"),
        ("SHOP_TOKEN", ""),
    ],
)
def test_a_value_that_does_not_fit_is_named_by_its_variable(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=rf"^{variable}: .*docs/variables\.md"):
        load_settings(ShopSettings, "SHOP", GOOD | {variable: value})


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(ShopSettings, "SHOP", {"SHOP_WORKERS": "0", "SHOP_RATIO": "x"})
    assert all(f"SHOP_{name}" in str(refused.value) for name in ("DATABASE_URL", "TOKEN", "WORKERS", "RATIO"))


def test_an_error_does_not_show_the_secret_that_is_too_short() -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(ShopSettings, "SHOP", GOOD | {"SHOP_TOKEN": SECRET})
    assert SECRET not in str(refused.value)


def test_every_variable_is_listed_with_whether_it_must_be_set() -> None:
    assert variables(ShopSettings, "SHOP") == {
        "SHOP_DATABASE_URL": True,
        "SHOP_TOKEN": True,
        "SHOP_WORKERS": False,
        "SHOP_RATIO": False,
        "SHOP_OPEN_TO_ALL": False,
    }
