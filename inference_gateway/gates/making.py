"""The gates that a process of the gateway has by its settings."""

from inference_gateway.gates import GateSettings
from inference_gateway.gates.api_ledger import ApiLedger
from inference_gateway.gates.local import LocalGates
from inference_gateway.gates.shared import SharedGates


def make_gates(
    *, redis_url: str, api_url: str, ledger_token: str, settings: GateSettings | None = None
) -> SharedGates | LocalGates:
    """Return gates over Redis, or without its address local ones.

    Priced calls need Redis, the api's address and the token for its ledger; without one of them they are refused.
    """
    settings = settings or GateSettings()
    if not redis_url:
        return LocalGates(settings)
    store = ApiLedger(api_url, ledger_token) if api_url and ledger_token else None
    return SharedGates(redis_url, store, settings)
