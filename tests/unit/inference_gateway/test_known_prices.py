"""The price of an entry that gives none: its maker's, of a dated file; an entry's own goes first."""

import re
from pathlib import Path

import pytest

from inference_gateway.app import PROVIDERS
from inference_gateway.opened_models import Opened
from inference_gateway.prices import FILE, known_price
from inference_gateway.registry import RegistryError, load_registry

ENTRY = """
[model]
provider = "{provider}"
kind = "chat"
title = "A model"
address = "{address}"
upstream = "{upstream}"
output_cap = 64
modalities = ["text"]
"""


def opened(folder: Path, provider: str, address: str, upstream: str, more: str = "") -> Opened:
    file = folder / "models.toml"
    file.write_text(ENTRY.format(provider=provider, address=address, upstream=upstream) + more)
    return load_registry(file, PROVIDERS).opened["model"]


@pytest.mark.parametrize(
    ("provider", "address", "upstream"),
    [
        ("openai", "https://api.openai.com/v1", "gpt-4o-2024-08-06"),
        ("anthropic", "https://api.anthropic.com/v1", "claude-opus-4-5"),
        ("gemini", "https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-pro"),
    ],
)
def test_a_public_model_that_is_known_has_its_maker_s_price_with_source_and_date(
    tmp_path: Path, provider: str, address: str, upstream: str
) -> None:
    model = opened(tmp_path, provider, address, upstream)
    listed = model.listing().price
    assert model.price is not None
    assert listed is not None
    assert listed.source.startswith("genai-prices ")
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", listed.date)
    assert 0 < listed.input < listed.output
    assert listed.cached_input is not None
    assert listed.cached_input < listed.input


def test_of_prices_that_rise_with_the_length_the_dearest_is_taken() -> None:
    found = known_price("https://generativelanguage.googleapis.com/v1beta", "gemini-2.5-pro")
    assert found is not None
    assert (found.input, found.cached_input, found.output) == (2.5, 0.25, 15.0)


def test_an_entry_s_own_price_goes_first(tmp_path: Path) -> None:
    own = 'price = { input = 1.0, output = 2.0, source = "our contract", date = "2026-01-02" }'
    model = opened(tmp_path, "openai", "https://api.openai.com/v1", "gpt-4o", own)
    listed = model.listing().price
    assert listed is not None
    assert (listed.input, listed.output, listed.source) == (1.0, 2.0, "our contract")


@pytest.mark.parametrize(
    ("address", "upstream"),
    [
        ("https://api.openai.com/v1", "gpt-4o-of-next-year"),
        ("https://api.openai.com.example.org/v1", "gpt-4o"),
        ("https://models.example.org/v1", "gpt-4o"),
    ],
)
def test_what_is_not_known_for_certain_has_no_price(tmp_path: Path, address: str, upstream: str) -> None:
    with pytest.raises(RegistryError, match=r"\[model\] price: is missing"):
        opened(tmp_path, "openai", address, upstream)


def test_a_model_of_one_s_own_costs_nothing(tmp_path: Path) -> None:
    assert opened(tmp_path, "openai", "http://127.0.0.1:9/v1", "gpt-4o").price is None
    assert opened(tmp_path, "openai", "https://api.openai.com/v1", "gpt-4o", "private = true").price is None


def test_a_price_that_is_known_asks_for_a_bound_of_its_calls(tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    text = ENTRY.format(provider="openai", address="https://api.openai.com/v1", upstream="gpt-4o")
    file.write_text(text.replace("output_cap = 64\n", ""))
    with pytest.raises(RegistryError, match="output_cap: is missing"):
        load_registry(file, PROVIDERS)


def test_the_file_holds_prices_alone() -> None:
    text = FILE.read_text()
    assert "https://" not in text
    assert text.count("\n[hosts.") >= 5
