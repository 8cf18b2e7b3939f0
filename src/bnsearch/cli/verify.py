"""`bnsearch verify`: check of a certificate."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from bnsearch.cli.console import note, print_json
from bnsearch.cli.options import Json
from bnsearch.errors import InputError


def verify(
    sets: Annotated[str, typer.Argument(metavar="SETS", help="Candidate parent sets: .jkl, or with .gz.")],
    certificate: Annotated[str, typer.Argument(metavar="CERT", help="The certificate: .json.")],
    as_json: Json = False,
) -> None:
    """
    Verify the certificate of an upper bound.

    The checker proves that no network over the candidate parent sets has a score above the bound of the certificate.
    It is plain Python of about a hundred lines, computes exactly, and shares no code with the solver.

    Examples
    --------
    bnsearch verify sets.jkl certificate.json
    """
    bound = _verify(sets, certificate)
    if as_json:
        print_json({"bound": bound})
    else:
        note(f"verified: no network over {sets} has a score above {bound:.6f}")


def _verify(sets: str, certificate: str) -> float:
    """Return the bound of a certificate file if it holds for a score file; else raise an InputError."""
    from bnsearch._tools.files import read_bytes
    from bnsearch.exact.checker import check_certificate
    from bnsearch.exact.plain_reader import read_table

    try:
        table = read_table(sets)
    except (ValueError, LookupError, EOFError) as error:
        reason = "it ends too early" if isinstance(error, LookupError) else error
        raise InputError(f"{sets} is not a complete score file: {reason}") from None
    content = read_bytes(certificate)
    try:
        return check_certificate(table, json.loads(content))
    except (LookupError, TypeError, AttributeError, OverflowError, RecursionError, UnicodeError) as error:
        raise InputError(f"{certificate} is not a complete certificate ({type(error).__name__}: {error})") from None
    except ValueError as error:
        raise InputError(f"{certificate}: {error}") from None
