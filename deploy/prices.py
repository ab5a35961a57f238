"""`make prices`: write inference_gateway/prices.toml anew from the package genai-prices.

The service reads the file alone. Of prices that rise with a call's length the dearest is taken, so that a reservation
is never too small. Models are left out that are paid in units of which the gateway knows nothing (by the call, by
audio), and all their makers' aliases that are patterns: a price goes to names that are certain.
"""

import sys
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

from genai_prices import data, types

HOSTS = {
    "anthropic": "api.anthropic.com",
    "deepseek": "api.deepseek.com",
    "fireworks": "api.fireworks.ai",
    "google": "generativelanguage.googleapis.com",
    "groq": "api.groq.com",
    "mistral": "api.mistral.ai",
    "openai": "api.openai.com",
    "openrouter": "openrouter.ai",
    "together": "api.together.xyz",
    "x-ai": "api.x.ai",
}
TARGET = Path(__file__).parents[1] / "inference_gateway" / "prices.toml"


def dearest(price: Decimal | types.TieredPrices | None) -> Decimal | None:
    """Return the highest of a price's tiers, None for no price."""
    if price is None or not isinstance(price, types.TieredPrices):
        return price
    return max([price.base, *(tier.price for tier in price.tiers)])


def names_of(model: types.ModelInfo) -> set[str]:
    """Return the names that are this model's for certain."""
    clauses = model.match.or_ if isinstance(model.match, types.ClauseOr) else [model.match]
    found = {clause.equals for clause in clauses if isinstance(clause, types.ClauseEquals)}
    return found | ({model.id} if model.match.is_match(model.id) else set())


def line_of(name: str, prices: types.ModelPrice) -> str | None:
    """Return a model's line, None where its price is not one of tokens alone."""
    given, taken = dearest(prices.input_mtok), dearest(prices.output_mtok)
    if given is None or getattr(prices, "requests_kcount", None) is not None:
        return None
    cached = dearest(prices.cache_read_mtok)
    told = [f"input = {float(given)}", f"output = {float(taken or 0)}"]
    told += [] if cached is None else [f"cached_input = {float(cached)}"]
    return f'"{name}" = {{ {", ".join(told)} }}'


def main() -> None:
    now = datetime.now(UTC)
    lines = [
        "# What makers ask for a million tokens, in US dollars. Written by `make prices`; do not edit it.",
        f'source = "genai-prices {version("genai-prices")}"',
        f'date = "{now.date()}"',
    ]
    count = 0
    for provider in sorted(data.providers, key=lambda provider: provider.id):
        if provider.id not in HOSTS:
            continue
        lines += ["", f'[hosts."{HOSTS[provider.id]}"]']
        seen: set[str] = set()
        for model in provider.models:
            prices = model.get_prices(now)
            for name in sorted(names_of(model) - seen):
                seen.add(name)
                if (line := line_of(name, prices)) is not None:
                    lines.append(line)
                    count += 1
    TARGET.write_text("\n".join(lines) + "\n")
    print(f"{count} names of models in {TARGET.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
