"""The api's database as the store of settlements, over HTTP."""

from collections.abc import Sequence
from typing import TypeVar

import aiohttp
import msgspec

from inference_gateway.gates.ledger import LedgerStoreError
from tetrad.internal.spending import LedgerOpened, Settlement, Settlements, SettlementsRecorded

SECONDS = 10
W = TypeVar("W")


class ApiLedger:
    """Sends settlements to the api, and asks it for the sums of a new epoch."""

    def __init__(self, api_url: str, token: str) -> None:
        self._url = api_url.rstrip("/") + "/internal/v1"
        self._token = token
        self._session: aiohttp.ClientSession | None = None

    async def record(self, settlements: Sequence[Settlement]) -> SettlementsRecorded:
        body = msgspec.json.encode(Settlements(settlements=list(settlements)))
        return await self._post("settlements", body, SettlementsRecorded)

    async def open_ledger(self) -> LedgerOpened:
        return await self._post("ledger", b"{}", LedgerOpened)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _post(self, path: str, body: bytes, kind: type[W]) -> W:
        if self._session is None:  # made inside the loop
            headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
            self._session = aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(total=SECONDS))
        try:
            async with self._session.post(f"{self._url}/{path}", data=body, allow_redirects=False) as reply:
                content = await reply.read()
                if reply.status != 200:  # noqa: PLR2004 - success
                    raise LedgerStoreError(f"the api answered {path} with {reply.status}")
                return msgspec.json.decode(content, type=kind)
        except (aiohttp.ClientError, TimeoutError, msgspec.MsgspecError) as error:
            raise LedgerStoreError(f"the api did not answer {path}: {type(error).__name__}") from error
