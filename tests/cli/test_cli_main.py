"""The command line as a whole: help, version, wrong usage, exit statuses."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bnsearch
from bnsearch.cli import failures
from bnsearch.cli.failures import one_line
from bnsearch.networks.network import BayesianNetwork

COMMANDS = ["parents", "sample", "score", "compare", "convert", "scores", "show", "doctor", "guide"]
NO_MEMORY = "error: not enough memory: use a smaller table or fewer threads (--threads), set a lower limit (--memory), "
NO_MEMORY += "or use a larger machine"
SAMPLE = ["sample", "asia", "--rows", "5", "-o", "x.csv"]


def test_help_names_every_command(run):
    """The help lists the commands and shows examples line by line."""
    outcome = run("--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert all(f"\n  {command}" in outcome.out for command in COMMANDS)
    assert "\n    bnsearch score asia.csv asia\n" in outcome.out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_of_a_command(run, command, option):
    """Every command has a help of its own, without marks of the docstring's format."""
    outcome = run(command, option)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"Usage: bnsearch {command} ")
    assert "---" not in outcome.out
    assert "\b" not in outcome.out


def test_version(run):
    """The version goes to stdout, nothing else."""
    assert run("--version") == (0, f"bnsearch {bnsearch.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Missing command (see bnsearch --help)"),
        (["sampel"], "Did you mean 'sample'?"),
        (["--frobnicate"], "No such option: --frobnicate"),
        (["sample"], "Missing argument 'NET' (see bnsearch sample --help)"),
        (["sample", "asia"], "Missing option '--rows'"),
        (["sample", "asia", "--rows", "5"], "Missing option '--output'"),
        ([*SAMPLE, "extra"], "extra"),
        (["sample", "asia", "--row", "5"], "--rows"),
        (["sample", "asia", "--rows", "ten", "-o", "x.csv"], "'--rows'"),
        (["sample", "asia", "--rows", "2.5", "-o", "x.csv"], "'--rows'"),
        (["sample", "asia", "--rows"], "'--rows'"),
        ([*SAMPLE, "--seed", "now"], "'--seed'"),
        (["score", "x.csv"], "Missing argument 'NET'"),
        (["score", "x.csv", "asia", "--ess", "much"], "'--ess'"),
        (["compare", "asia"], "Missing argument 'LEARNED'"),
        (["convert", "asia"], "Missing argument 'OUT'"),
        (["scores", "--jsn"], "--json"),
    ],
)
def test_wrong_usage_is_one_line(refused, arguments, said):
    """What typer refuses is one line with a hint, like all bad input."""
    assert said in refused(*arguments)


def raising(error: BaseException):
    """Return a method that fails with an error."""

    def sample(*_):
        raise error

    return sample


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (PermissionError(13, "Permission denied", "/here"), 2, "error: /here: Permission denied"),
        (OSError(28, "No space left on device"), 2, "error: output: No space left on device"),
        (MemoryError(), 2, NO_MEMORY),
        (OSError("libllvmlite.so: failed to map segment from shared object"), 2, NO_MEMORY),
        (RuntimeError("can't start new thread"), 2, NO_MEMORY),
        (RuntimeError("two\nlines"), 1, "bug: RuntimeError: two\\nlines (BNSEARCH_TRACEBACK=1 shows where"),
    ],
)
def test_exceptions_end_in_one_line(run, monkeypatch, error, code, line):
    """Errors of the system give status 2, unexpected exceptions status 1; no traceback is printed."""
    monkeypatch.setattr(BayesianNetwork, "sample", raising(error))
    outcome = run(*SAMPLE)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.startswith(f"bnsearch: {line}")
    assert outcome.err.count("\n") == 1


def test_panics_of_compiled_code_are_bugs(run, monkeypatch):
    """Panics of Rust code, which are not an Exception, are reported as well."""
    monkeypatch.setattr(BayesianNetwork, "sample", raising(BaseException("panic")))
    assert run(*SAMPLE)[:2] == (1, "")


def test_traceback_on_request(run, monkeypatch):
    """With BNSEARCH_TRACEBACK a traceback is printed before the line."""
    monkeypatch.setattr(BayesianNetwork, "sample", raising(RuntimeError("oops")))
    monkeypatch.setenv("BNSEARCH_TRACEBACK", "1")
    outcome = run(*SAMPLE)
    assert outcome.code == 1
    assert outcome.err.startswith("Traceback")
    assert outcome.err.splitlines()[-1].startswith("bnsearch: bug: RuntimeError: oops")


def test_libraries_that_cannot_be_loaded_for_lack_of_memory(run, monkeypatch):
    """If less memory than libraries need can be had, any error is reported as a lack of memory."""
    monkeypatch.setattr(BayesianNetwork, "sample", raising(NameError("name 'PyLazyFrame' is not defined")))
    assert run(*SAMPLE).err.startswith("bnsearch: bug: NameError")
    monkeypatch.setattr(failures, "NEEDED_BYTES", 2**62)
    assert run(*SAMPLE) == (2, "", f"bnsearch: {NO_MEMORY}\n")


def test_interrupt(run, monkeypatch):
    """Ctrl-C gives status 130, no output and no file."""
    monkeypatch.setattr(BayesianNetwork, "sample", raising(KeyboardInterrupt()))
    assert run(*SAMPLE) == (130, "", "")
    assert not Path("x.csv").exists()


def test_an_interrupt_that_the_compiler_loses(run, monkeypatch):
    """Ctrl-C in a callback of the compiler is lost, and the compiler fails later: this is not reported as a bug."""

    def compile_kernel(*_, **__):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise RuntimeError("no compiled object yet for <Library>")

    monkeypatch.setattr(BayesianNetwork, "sample", compile_kernel)
    assert run(*SAMPLE) == (130, "", "")


def test_the_status_is_ours_after_an_interrupt(tmp_path):
    """The status is kept if KeyboardInterrupt is handled in code run by exec under `python -m`."""
    code = """
import sys
import bnsearch.cli.main
from bnsearch.__main__ import main

def run():
    try:
        exec("raise KeyboardInterrupt")
    except KeyboardInterrupt:
        return 7

bnsearch.cli.main.main = run
sys.exit(main())
"""
    (tmp_path / "slip.py").write_text(code)
    paths = os.pathsep.join([str(Path(bnsearch.__file__).parents[1]), str(tmp_path)])
    done = subprocess.run([sys.executable, "-m", "slip"], env={**os.environ, "PYTHONPATH": paths}, check=False)
    assert done.returncode == 7


def test_one_line_spells_out_controls():
    """Newlines, escapes and halves of characters cannot reach the terminal; letters stay."""
    assert one_line("a\nb\x1b[31m\udcff é") == "a\\nb\\x1b[31m\\udcff é"


def test_a_real_process(process, tmp_path):
    """`python -m bnsearch` samples, then scores: one JSON object on stdout and nothing beside it."""
    table = str(tmp_path / "asia.csv")
    sampling = process("sample", "asia", "--rows", "50", "-o", table)
    assert sampling.communicate()[0] == ""
    assert sampling.returncode == 0
    scoring = process("score", table, "asia", "--score", "bic", "--json")
    out, err = scoring.communicate()
    assert (scoring.returncode, err) == (0, "")
    assert list(json.loads(out)["scores"]) == ["bic"]


def test_a_real_process_refuses(process):
    """Bad input ends a real process with status 2 and one line."""
    failing = process("convert", "nowhere.bif", "out.bif")
    assert failing.communicate() == ("", "bnsearch: error: nowhere.bif does not exist\n")
    assert failing.returncode == 2


@pytest.mark.parametrize(
    "arguments", [["scores", "--json"], ["--help"], ["--version"], ["guide"], ["show", "greenhouse"]]
)
def test_reader_gone(process, arguments):
    """If the reader of stdout has exited (`| head`), the command ends without a message."""
    writing = process(*arguments)
    writing.stdout.close()
    writing.stdout = None
    assert writing.communicate()[1] == ""
    assert writing.returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [["scores", "--json"], ["--help"], ["--version"]])
def test_stdout_on_a_full_disk(process, arguments):
    """Output that cannot be written gives one line and status 2."""
    with Path("/dev/full").open("w") as full:
        writing = process(*arguments, stdout=full)
        _, err = writing.communicate()
    assert (writing.returncode, err) == (2, "bnsearch: error: output: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_stderr_on_a_full_disk(process):
    """The status is 2 even if the error cannot be printed."""
    with Path("/dev/full").open("w") as full:
        failing = process("convert", "nowhere.bif", "out.bif", stderr=full, stdout=subprocess.DEVNULL)
        assert failing.wait() == 2
