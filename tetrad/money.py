"""Units of money, and an amount as text. Costs are counted in whole nanodollars; requests name micro-dollars."""

NANODOLLARS_A_MICRODOLLAR = 1_000
MICRODOLLARS_A_DOLLAR = 1_000_000
NANODOLLARS_A_DOLLAR = 1_000_000_000


def show_dollars(nanodollars: int) -> str:
    """Return an amount in US dollars, to the micro-dollar: `$0.000025`."""
    return f"${nanodollars / NANODOLLARS_A_DOLLAR:.6f}"
