"""Idempotency-Key on the POSTs that create: done once, however often sent (draft-ietf-httpapi-idempotency-key-header).

A request first claims its key in a transaction of its own. The reply is kept in the transaction that creates, by
compare-and-set on the claim: nothing is created that a retry would not find again, and nothing twice. A process that
dies in between leaves a claim that runs out. What was refused or failed created nothing, and leaves the key free.
"""

from api.http.idempotency.once import Keep, Once, once_of, unkept

__all__ = ["Keep", "Once", "once_of", "unkept"]
