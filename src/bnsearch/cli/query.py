"""`bnsearch query`: distributions of variables of a network given evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bnsearch._tools.wording import shown
from bnsearch.cli.completion import complete_network
from bnsearch.cli.console import note, print_json, show, table
from bnsearch.cli.failures import one_line
from bnsearch.cli.graphs import load_fitted_network, parse_states
from bnsearch.cli.options import Do, Json
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from bnsearch.networks.inference.distributions import Distribution, Marginals, MostProbable


def query(
    net: Annotated[
        str,
        typer.Argument(metavar="NET", help="A network with tables: a file or a name.", autocompletion=complete_network),
    ],
    given: Annotated[
        list[str] | None, typer.Option("--given", metavar="X=STATE", help="An observed state; may be repeated.")
    ] = None,
    targets: Annotated[
        list[str] | None,
        typer.Option("--target", metavar="X", help="A variable to ask for; may be repeated; by default all others."),
    ] = None,
    joint: Annotated[bool, typer.Option("--joint", help="The joint distribution of the targets.")] = False,
    best: Annotated[
        bool, typer.Option("--most-probable", help="The states of the targets that are most probable together.")
    ] = False,
    do: Do = None,
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="M", help="exact, sampling, or auto: sampling only if memory does not suffice."
        ),
    ] = "auto",
    samples: Annotated[int, typer.Option("--samples", metavar="N", help="Number of samples.")] = 100_000,
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="Seed of the samples.")] = 0,
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help="For tables: 2GB; a quarter of the machine by default."),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Compute probabilities of the variables of a network, given the states of others.

    Without --joint and --most-probable, the distribution of each target is computed. Probabilities are exact if the
    tables fit into memory. Otherwise they are estimated by weighted samples, with standard errors, and a note says so.

    Examples
    --------
    bnsearch query asia --given smoke=yes
    bnsearch query asia --given xray=yes --given dysp=no --target lung --target tub --json
    bnsearch query asia --given dysp=yes --target lung --target bronc --joint
    bnsearch query asia --given xray=yes --most-probable
    bnsearch query asia --do smoke=no --target lung
    """
    if joint and best:
        raise InputError("--joint and --most-probable cannot be combined: choose one of them")
    if joint and not targets:
        raise InputError("--joint needs the variables: give each of them with --target")
    network = load_fitted_network(net, "queried")
    evidence = parse_states(network, given, "--given")
    if actions := parse_states(network, do, "--do"):
        if shared := [name for name in actions if name in evidence]:
            raise InputError(f"--do and --given both have the variable {shown(shared[0])}: remove one of them")
        network = network.intervene(actions)
    if best:
        _report_states(network.most_probable(evidence, targets, memory=memory), as_json)
        return
    settings: dict[str, Any] = {"method": method, "samples": samples, "seed": seed, "memory": memory}
    if joint:
        _report_joint(network.query(targets or [], evidence, **settings), as_json)
    else:
        _report_marginals(network.marginals(evidence, targets, **settings), as_json)


def _report_marginals(marginals: Marginals, as_json: bool) -> None:
    arrays = {
        "marginals": {name: d.probabilities for name, d in marginals.items()},
        "errors": {name: d.errors for name, d in marginals.items() if d.errors is not None},
    }
    if as_json:
        labelled = {
            key: {v: dict(zip(marginals[v].states[0], numbers.tolist(), strict=True)) for v, numbers in values.items()}
            for key, values in arrays.items()
            if values
        }
        print_json(_describe(marginals, marginals.notes) | labelled)
        return
    rows = table("variable", "state", *_get_columns(bool(arrays["errors"])))
    for name, distribution in marginals.items():
        for i, state in enumerate(distribution.states[0]):
            numbers = [values[name][i] for values in arrays.values() if values]
            rows.add_row("" if i else one_line(name), one_line(state), *map(_format_number, numbers))
    _show_answer(rows, marginals, marginals.notes)


def _report_joint(joint: Distribution, as_json: bool) -> None:
    columns = _get_columns(joint.errors is not None)
    n = len(joint.names)
    cells = joint.to_polars().rows()
    if as_json:
        labelled = [
            {"states": dict(zip(joint.names, cell[:n], strict=True)), **dict(zip(columns, cell[n:], strict=True))}
            for cell in cells
        ]
        print_json(_describe(joint, joint.notes) | {"joint": labelled})
        return
    rows = table(*map(one_line, joint.names), *columns)
    for cell in cells:
        rows.add_row(*map(one_line, cell[:n]), *map(_format_number, cell[n:]))
    _show_answer(rows, joint, joint.notes)


def _report_states(found: MostProbable, as_json: bool) -> None:
    if as_json:
        probability = {"probability": found.probability, "log_probability": found.log_probability}
        print_json(_describe(found) | {"states": found.states} | probability)
        return
    rows = table("variable", "state")
    for name, state in found.states.items():
        rows.add_row(one_line(name), one_line(state))
    _show_answer(rows, found)
    note(f"probability of these states {found.probability:.6g}, log-probability {found.log_probability:.6f}")


def _describe(found: Distribution | Marginals | MostProbable, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the fields of the JSON object that all answers have."""
    return {"evidence": dict(found.evidence), "log_evidence": found.log_evidence, "notes": list(notes)}


def _show_answer(rows: Table, found: Distribution | Marginals | MostProbable, notes: Sequence[str] = ()) -> None:
    """Print the evidence, the table and the notes."""
    if found.evidence:
        given = ", ".join(f"{name}={state}" for name, state in found.evidence.items())
        note(f"given {given}, whose log-probability is {found.log_evidence:.6f}")
    show(rows)
    for text in notes:
        note(f"note: {text}")


def _get_columns(sampled: bool) -> list[str]:
    return ["probability", "error"] if sampled else ["probability"]


def _format_number(number: float) -> str:
    """Return a probability with six decimals, or with three digits if it is small."""
    return f"{number:.2e}" if 0 < number < 1e-4 else f"{number:.6f}"
