"""Connecting as an operator, with the token in $TETRAD_OPERATOR_TOKEN or in the data directory on this machine.

Tokens for the gateway are signed here, with $TETRAD_GATEWAY_TOKEN_SECRETS or the data directory's secret.
"""

import os
from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

import msgspec
from cyclopts import Parameter

from tetrad.cli.credentials import address, note_origin
from tetrad.client import TetradError
from tetrad.client.operator import OperatorClient
from tetrad.server.embedded.data_directory import EmbeddedError, find_data_directory

LOOPBACK = ("127.0.0.1", "::1", "localhost")
NOT_CONFIRMED = 3
SIGNING = "TETRAD_GATEWAY_TOKEN_SECRETS"
TeamArgument: TypeAlias = Annotated[str, Parameter(help="its id or name.")]
ReasonOption: TypeAlias = Annotated[str, Parameter(help="for the audit log.")]


class NoTokenError(TetradError):
    """An operator's token is needed and there is none for this address."""


def operate(url: str | None) -> OperatorClient:
    """Return a client with an operator's token.

    Raises:
        NoTokenError: there is none; the message says where it comes from.
    """
    where = address(url)
    given = os.environ.get("TETRAD_OPERATOR_TOKEN")
    token = given or _of_data_directory(where, "operator_token")
    if token is None:
        raise NoTokenError(
            f"no operator's token for {where}; set TETRAD_OPERATOR_TOKEN, or TETRAD_HOME to the instance's folder"
        )
    note_origin("TETRAD_OPERATOR_TOKEN" if given else f"the data directory {find_data_directory(os.environ).folder}")
    return OperatorClient(where, token)


def signing_secrets(url: str | None) -> str:
    """Return the secrets that sign tokens for the gateway of the instance at this address.

    Raises:
        NoTokenError: there are none; the message says where they come from.
    """
    where = address(url)
    found = os.environ.get(SIGNING) or _of_data_directory(where, "gateway_token_secret")
    if found is None:
        raise NoTokenError(
            f"no secret signs tokens for the gateway of {where}; set {SIGNING} to the gateway's, or TETRAD_HOME to the "
            "instance's folder"
        )
    return found


def _of_data_directory(where: str, name: str) -> str | None:
    """Return a secret that the data directory keeps, for an address on this machine only."""
    if urlsplit(where).hostname not in LOOPBACK:
        return None
    secrets = find_data_directory(os.environ).secrets
    try:
        kept = msgspec.json.decode(secrets.read_bytes(), type=dict[str, str])
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise EmbeddedError(f"{secrets} can't be read ({error})") from error
    return kept.get(name)
