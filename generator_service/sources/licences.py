"""The licence of each source: an SPDX expression, whom to credit, and what may be done with pictures drawn from it.

Of the sources that this service makes it is known here. Of a source that an operator adds, the operator says it; what
is not said is not allowed.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from generator_service.sources.objects import BUILTIN, HOUSEHOLD, OBJECTS, WITH_CREDITS
from generator_service.sources.packaged import NAME as PACKAGED
from generator_service.sources.packaged import PHOTOGRAPHS
from generator_service.sources.people.bank import NAME as DRAWN
from generator_service.sources.people.bank import PEOPLE
from generator_service.sources.stage import NAME as STAGED
from generator_service.sources.stage import STAGE
from generator_service.sources.store import Head

OURS = "The Tetrad authors"
NOT_STATED = "LicenseRef-not-stated"
SPDX = re.compile(r"\(?[A-Za-z0-9][A-Za-z0-9.+-]*\)?( (AND|OR|WITH) \(?[A-Za-z0-9][A-Za-z0-9.+-]*\)?)*")
"""An SPDX expression (SPDX 2.3, annex D), as far as licences of pictures need it."""


class Terms(NamedTuple):
    """The terms of a licence: who must be credited, and whether pictures may be trained on and passed on."""

    spdx: str
    credits: tuple[str, ...]
    may_train: bool
    may_redistribute: bool


_KNOWN: Mapping[tuple[str, str], Terms] = {
    (OBJECTS, BUILTIN): Terms("Apache-2.0", (OURS,), True, True),
    (OBJECTS, HOUSEHOLD): Terms(
        "CC0-1.0", ("Blend Swap's CC0 models, of Debian's package sweethome3d-furniture",), True, True
    ),
    (OBJECTS, WITH_CREDITS): Terms("CC0-1.0 AND CC-BY-3.0", (), True, True),
    (STAGE, STAGED): Terms("Apache-2.0", (OURS,), True, True),
    (PEOPLE, DRAWN): Terms("CC0-1.0 AND MIT", (), True, True),
    (PHOTOGRAPHS, PACKAGED): Terms(
        "LicenseRef-public-domain AND CC0-1.0 AND CC-BY-2.0 AND CC-BY-4.0 AND CC-BY-SA-4.0", (), True, True
    ),
}
"""The terms of the sources that this service makes. The credits of a source's own head come after these."""


def terms_of(head: Head) -> Terms:
    """Return the terms of a source."""
    known = _KNOWN.get((head.kind, head.name))
    if known is not None:
        return known._replace(credits=known.credits + head.credits)
    spdx = head.licence if SPDX.fullmatch(head.licence) else NOT_STATED
    return Terms(spdx, head.credits, head.may_train, head.may_redistribute)
