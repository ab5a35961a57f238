"""Prefixed ids that sort by time of making: sub_, team_, key_, mdl_, ver_ and a UUIDv7 in hex."""

import uuid_utils


def new_id(prefix: str) -> str:
    return f"{prefix}_{uuid_utils.uuid7().hex}"
