"""Errors that another attempt does not help now: the provider's key or account, a spent day, all attempts made."""

import re
from collections.abc import Collection

_NAMES = frozenset(
    [
        "insufficient_quota",
        "insufficient_balance",
        "insufficient_user_quota",
        "exceeded_current_quota_error",
        "billing_not_active",
        "billing_hard_limit_reached",
        "billing_error",
        "payment_required",
        "arrearage",
        "1113",
        "invalid_api_key",
        "incorrect_api_key",
        "api_key_invalid",
        "invalid_authentication_error",
        "authentication_error",
        "unauthenticated",
        "unauthorized",
        "account_deactivated",
        "upstream_credentials",
    ]
)
"""How providers name such errors, in lowercase; the last one is the name that our gateway gives to all of them."""
_WORDS = re.compile(
    r"credit balance|insufficient (?:account )?(?:balance|funds|credits?|quota)|not enough credits|out of credits"
    r"|(?:incorrect|invalid|expired|missing) api[ _-]?key|api[ _-]?key (?:is )?(?:invalid|not valid|expired|disabled)"
    r"|余额不足|欠费",
    re.IGNORECASE,
)
"""Such errors where no name tells them: Anthropic's empty balance and Gemini's wrong key are a 400 as any other."""
_SPENT = frozenset(["upstream_garbled", "upstream_oversized", "upstream_redirected", "upstream_unknown_model"])
"""Our gateway's names of answers that it has asked for once more where that may help. Each may be paid for."""
_DAY_IS_SPENT = "day_budget"
"""Our gateway's name of the refusal of a call that the bounds of this day leave no room for."""
_QUOTED = re.compile(r'"(?:code|type|status|reason)"\s*:\s*"?(?P<name>[\w.:-]{1,64})')


def is_about_account(names: Collection[str], words: str) -> bool:
    """Return whether an error with these names in lowercase and this message is about the key or the account."""
    return not _NAMES.isdisjoint(names) or _WORDS.search(words) is not None


def tells_of_account(body: str) -> bool:
    """Return whether the text of an error, of whatever shape, tells of the key or of the account."""
    return is_about_account(_names_in(body), body)


def tells_of_spent_attempts(body: str) -> bool:
    """Return whether the text of an error of our gateway says that it has made all attempts that may help."""
    return not _SPENT.isdisjoint(_names_in(body))


def tells_of_spent_day(body: str) -> bool:
    """Return whether the text of an error of our gateway says that the day's budget is spent."""
    return _DAY_IS_SPENT in _names_in(body)


def _names_in(body: str) -> set[str]:
    return {found["name"].lower() for found in _QUOTED.finditer(body)}
