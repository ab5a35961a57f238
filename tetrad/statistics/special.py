"""The special functions of the statistics, from SciPy, which is imported when one is first called.

SciPy's import takes a fifth of a core second, and most processes of an instance compute no interval for a long time. It
stands alone as the only place that imports SciPy late.
"""

__all__ = ["chi_square_tail", "log_beta", "normal_quantile", "t_quantile"]


def chi_square_tail(degrees: float, value: float) -> float:
    """Return the probability that chi-square with so many degrees of freedom exceeds a value."""
    from scipy.special import chdtrc  # noqa: PLC0415 -- as the module says

    return float(chdtrc(degrees, value))


def log_beta(first: float, second: float) -> float:
    """Return the logarithm of the beta function of two positive numbers."""
    from scipy.special import betaln  # noqa: PLC0415 -- as the module says

    return float(betaln(first, second))


def normal_quantile(share: float) -> float:
    """Return the number that a standard normal variable stays below with a probability in (0, 1)."""
    from scipy.special import ndtri  # noqa: PLC0415 -- as the module says

    return float(ndtri(share))


def t_quantile(degrees: float, share: float) -> float:
    """Return the number that Student's t with so many degrees of freedom stays below with a probability in (0, 1)."""
    from scipy.special import stdtrit  # noqa: PLC0415 -- as the module says

    return float(stdtrit(degrees, share))
