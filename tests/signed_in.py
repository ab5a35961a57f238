"""A person in a browser, for tests: the cookies and the forms of pages."""

import re
from dataclasses import dataclass, field
from typing import Any

import httpx

PUBLIC = "https://tetrad.example"
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
TOKEN = re.compile(r'name="token" value="([0-9a-f]{64})"')


@dataclass
class Person:
    """Somebody who reads pages. `cookie` is what the browser sends back, as `NAME=VALUE`; "" is nothing."""

    client: httpx.Client
    cookie: str = ""
    origin: str = PUBLIC
    seen: list[str] = field(default_factory=list)

    @classmethod
    def signed_in(cls, client: httpx.Client, key: str, origin: str = PUBLIC) -> "Person":
        person = cls(client, origin=origin)
        reply = person.sign_in(key)
        assert reply.status_code == 303, reply.text
        return person

    @property
    def headers(self) -> dict[str, str]:
        return {**BROWSER, "Cookie": self.cookie} if self.cookie else dict(BROWSER)

    def get(self, path: str, **headers: str) -> httpx.Response:
        self.client.cookies.clear()
        return self._keep_cookie(self.client.get(path, headers={**self.headers, **headers}, follow_redirects=False))

    def post(self, path: str, fields: Any = None, *, origin: str | None = "", token: str | None = None) -> Any:
        """Send a form as a page of ours would: with the page's origin, and with the token of its forms."""
        self.client.cookies.clear()
        sent = [("token", self.form_token() if token is None else token), *dict(fields or {}).items()]
        pairs = [(name, one) for name, value in sent for one in ([value] if isinstance(value, str) else value)]
        headers = self.headers | ({} if origin is None else {"Origin": origin or self.origin})
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = str(httpx.QueryParams(pairs))
        return self._keep_cookie(self.client.post(path, content=body, headers=headers, follow_redirects=False))

    def sign_in(self, key: str, **more: Any) -> Any:
        return self.post("/team/sign-in", {"key": key}, **more)

    def form_token(self) -> str:
        """Return the token of the forms of the team's page."""
        found = TOKEN.search(self.get("/team").text)
        assert found is not None
        return found[1]

    def _keep_cookie(self, reply: httpx.Response) -> httpx.Response:
        for line in reply.headers.get_list("set-cookie"):
            self.seen.append(line)
            named = line.partition(";")[0]
            self.cookie = "" if named.endswith(("=", '=""')) else named
        return reply
