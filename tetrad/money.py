"""Units of money, and an amount as text. Costs are counted in whole nanodollars; requests name micro-dollars."""

NANODOLLARS_A_MICRODOLLAR = 1_000
MICRODOLLARS_A_CENT = 10_000
MICRODOLLARS_A_DOLLAR = 1_000_000
NANODOLLARS_A_DOLLAR = 1_000_000_000


def show_dollars(nanodollars: int) -> str:
    """Return an amount in US dollars, to the micro-dollar: `$0.000025`."""
    return f"${nanodollars / NANODOLLARS_A_DOLLAR:.6f}"


def show_microdollars(micro: int, decimals: int | None = None) -> str:
    """Return an amount in US dollars: `$1.15`, and `$0.000025` below a cent, or with so many decimals."""
    if decimals is None:
        decimals = 2 if micro >= MICRODOLLARS_A_CENT else 6
    return f"${micro / MICRODOLLARS_A_DOLLAR:.{decimals}f}"
