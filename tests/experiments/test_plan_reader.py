"""Reading plans: what they express, and that all errors of a broken plan are listed before anything runs."""

from __future__ import annotations

import pytest

from bnsearch.errors import InputError
from bnsearch.experiments import PlanError, read_plan
from bnsearch.experiments.cells import list_cells
from bnsearch.experiments.plan import Budget
from experiment_plans import SMALL, make_plan, write_asia, write_plan

GOOD_SOURCE = '[[sources]]\nnetwork = "asia"\nrows = 100\n'


def errors_of(folder, text: str) -> tuple[str, ...]:
    """Return the errors of a plan."""
    with pytest.raises(PlanError) as caught:
        make_plan(folder, text)
    return caught.value.errors


def test_small_plan(tmp_path):
    """Four samples, two methods and two seeds make 16 cells; labels have their defaults."""
    plan = make_plan(tmp_path)
    assert [source.dataset for source in plan.sources] == ["asia/100", "asia/100", "asia/200", "asia/200"]
    assert [method.label for method in plan.methods] == ["hillclimb", "Tabu 5"]
    assert (plan.scores[0].name, plan.threads, plan.seeds) == ("bic", 1, (1, 2))
    assert len(list_cells(plan)) == 4 * 2 * 2


def test_all_kinds_of_sources(tmp_path):
    """Files by pattern, tiled networks, random networks and score files; paths are relative to the plan."""
    write_asia(tmp_path, "first.csv")
    write_asia(tmp_path, "second.csv")
    text = """
budgets = [{ seconds = 1.5, iterations = 10 }, { unlimited = true }]
seeds = { first = 3, count = 2 }
scores = ["bic", { name = "bdeu", parameters = { ess = 10 } }]
methods = [{ name = "hillclimb", seeds = [7] }, "tabu"]
sources = [
  { file = "*.csv", held_out = 0.25 },
  { network = "asia", rows = 50, tile = { copies = 2, links = 1 } },
  { random = { variables = 6, parents = 1, states = 2 }, network_seeds = [1, 2], rows = 30, states = "observed" },
]
"""
    plan = make_plan(tmp_path, text)
    labels = [source.dataset for source in plan.sources]
    assert labels == ["first", "second", "asiax2/50", "net(6,1,2)#1", "net(6,1,2)#2"]
    assert plan.seeds == (3, 4)
    assert [budget.label for budget in plan.budgets] == ["1.5 s or 10 iterations", "unlimited"]
    assert plan.budgets[1] == Budget()
    assert [score.label for score in plan.scores] == ["bic", "bdeu(ess=10)"]
    assert len(list_cells(plan)) == 5 * 2 * 2 * (1 + 2)


def test_none_as_a_parameter(tmp_path):
    """TOML has no null: the text "none" is None."""
    text = SMALL.replace("length = 5", 'restarts = "none"')
    assert make_plan(tmp_path, text).methods[1].make_method().restarts is None


def test_score_files(tmp_path):
    """Cells of a score file have no score of their own."""
    (tmp_path / "two.jkl").write_text("2\n0 2\n-5 1 1\n-9 0\n1 1\n-4 0\n")
    text = 'budgets = [{ iterations = 2 }]\nmethods = ["inobs"]\nsources = [{ score_file = "two.jkl" }]\n'
    (cell,) = list_cells(make_plan(tmp_path, text))
    assert (cell.score, cell.describe()["score"], cell.source.dataset) == (None, "score file", "two")


def test_environment_variables_in_paths(tmp_path, monkeypatch):
    """A path may start with an environment variable; one that is not set is an error."""
    write_asia(tmp_path)
    monkeypatch.setenv("TABLES", str(tmp_path))
    text = 'budgets = [{ iterations = 2 }]\nmethods = ["tabu"]\nsources = [{ file = "$TABLES/asia.csv" }]\n'
    assert make_plan(tmp_path, text).sources[0].dataset == "asia"
    monkeypatch.delenv("TABLES")
    assert errors_of(tmp_path, text) == (
        "entry 1 of sources: $TABLES/asia.csv has an environment variable that is not set",
    )


BROKEN = {
    "not TOML": ("methods = [", "it is not a TOML file"),
    "empty": ("", "sources is missing: a plan says what to learn from"),
    "unknown key": (SMALL.replace("seeds", "sedes", 1), "there is no key 'sedes' (did you mean 'seeds'?)"),
    "unknown method": (SMALL.replace('"hillclimb"', '"hilclimb"'), "entry 1 of methods: there is no method 'hilclimb'"),
    "unknown parameter": (
        SMALL.replace("length = 5", "lenght = 5"),
        "the tabu method has no parameter 'lenght' (did you mean 'length'?)",
    ),
    "parameter of a wrong type": (
        SMALL.replace("length = 5", 'length = "long"'),
        "entry 2 of methods: length must be a whole number, not 'long'",
    ),
    "unknown score": ('scores = ["bci"]\n' + SMALL, "there is no score 'bci' (did you mean 'bic'?)"),
    "missing file": (
        SMALL.replace('network = "asia"\nrows = [100, 200]\nsample_seeds = [1, 2]', 'file = "none.csv"'),
        "entry 1 of sources: the file none.csv does not exist",
    ),
    "unknown network": (SMALL.replace('"asia"', '"asai"'), "there is no network or file 'asai'"),
    "wrong type": (SMALL.replace("[1, 2]", '"many"', 1), "seeds must be whole numbers of at least 0, not 'many'"),
    "empty list": (SMALL.replace("seeds = [1, 2]", "seeds = []", 1), "seeds is empty"),
    "equal labels": (SMALL.replace('"Tabu 5"', '"hillclimb"'), "methods has two entries with the label 'hillclimb'"),
    "two kinds": (SMALL.replace("rows", 'file = "a.csv"\nrows'), "a source has file and network: give exactly one"),
    "no limit": (SMALL.replace("iterations = 3", ""), "give seconds, iterations or evaluations, or unlimited = true"),
    "unknown measure": (SMALL.replace('"shd"', '"hsd"'), "there is no measure 'hsd' (did you mean 'shd'?)"),
    "no held-out rows": (SMALL.replace('"shd"', '"held_out"'), "the measure held_out needs held-out rows"),
    "seed twice": (SMALL.replace("seeds = [1, 2]", "seeds = [1, 1]", 1), "seeds lists 1 twice"),
    "data set twice": (SMALL + GOOD_SOURCE, "the label 'asia/100' is used twice"),
    "selection without a table": (
        SMALL.replace('"hillclimb"', '{ name = "hillclimb", selection = "auto" }'),
        "the method hillclimb does not search over a candidate table: remove selection",
    ),
    "claim about nobody": (
        SMALL + '[[claims]]\ntext = "x"\nbetter = "Tabu 6"\nthan = "hillclimb"\n',
        "entry 1 of claims: no method has the label 'Tabu 6' (did you mean 'Tabu 5'?)",
    ),
    "published value of nobody": (
        SMALL + '[[published]]\ndataset = "asia/100"\nvalues = { tabu = -3 }\n',
        "entry 1 of published: no method has the label 'tabu'",
    ),
    "random network that cannot exist": (
        SMALL.replace('network = "asia"', "random = { variables = 3, parents = 9, states = 2 }"),
        "entry 1 of sources: p must be at most",
    ),
    "rows are missing": (SMALL.replace("rows = [100, 200]", ""), "rows is missing: how many rows are drawn?"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_plans(tmp_path, case):
    """A broken plan is refused with a message that says what is wrong and where."""
    text, said = BROKEN[case]
    errors = errors_of(tmp_path, text)
    assert any(said in error for error in errors), errors
    assert all("\n" not in error for error in errors)


def test_all_errors_are_listed(tmp_path):
    """Six mistakes in different places are reported together, and the message counts them."""
    text = """
threads = 0
sede = 1
budgets = [{ second = 1 }]
methods = ["gess", { name = "tabu", parameters = { size = 3 } }]
sources = [{ file = "missing.csv" }]
measures = ["score", "score"]
"""
    errors = errors_of(tmp_path, text)
    said = ["threads", "'sede'", "'second'", "'gess'", "'size'", "missing.csv", "'score' twice"]
    assert all(any(part in error for error in errors) for part in said), errors
    with pytest.raises(InputError, match=rf"plan.toml has {len(errors)} errors: "):
        read_plan(tmp_path / "plan.toml")


def test_file_that_cannot_be_read_as_a_table(tmp_path):
    """A table with a missing value is an error of the plan, not of every cell."""
    (tmp_path / "holes.csv").write_text("a,b\n1,2\n,1\n")
    text = 'budgets = [{ iterations = 2 }]\nmethods = ["tabu"]\nsources = [{ file = "holes.csv" }]\n'
    (error,) = errors_of(tmp_path, text)
    assert error.startswith("entry 1 of sources: ")
    assert "missing" in error


def test_method_for_data_and_a_score_file(tmp_path):
    """A method that needs data cannot search a score file, which is said before the first run."""
    (tmp_path / "two.jkl").write_text("2\n0 1\n-9 0\n1 1\n-4 0\n")
    text = 'budgets = [{ iterations = 2 }]\nmethods = ["ges"]\nsources = [{ score_file = "two.jkl" }]\n'
    assert errors_of(tmp_path, text) == ("the method ges needs data, but two is a score file: use two plans",)


def test_missing_plan(tmp_path):
    """A file that does not exist is an InputError."""
    with pytest.raises(InputError, match="does not exist"):
        read_plan(tmp_path / "none.toml")
    write_plan(tmp_path, "\x00")
    with pytest.raises(PlanError, match="not a TOML file"):
        read_plan(tmp_path / "plan.toml")
