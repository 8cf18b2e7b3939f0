"""Shell completion: values, the scripts of three shells, and real shells."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bnsearch
from bnsearch.cli.completion import complete_method, complete_network, complete_score


def test_values(tmp_path, monkeypatch):
    """Methods and scores by their first letters; networks, files and folders."""
    assert complete_method("gi") == ["ginobs"]
    assert complete_score("b") == ["bic", "bdeu"]
    assert complete_score("x") == []
    monkeypatch.chdir(tmp_path)
    (tmp_path / "asia.bif").touch()
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "one.net").touch()
    (tmp_path / ".hidden").touch()
    assert complete_network("as") == ["asia", "asia.bif", "assets/"]
    assert complete_network("assets/") == ["assets/one.net"]
    assert complete_network("missing/x") == []
    assert ".hidden" not in complete_network("")


@pytest.fixture
def environment(tmp_path, monkeypatch) -> dict[str, str]:
    """Return an environment with a command `bnsearch`."""
    script = tmp_path / "bin" / "bnsearch"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m bnsearch "$@"\n')
    script.chmod(0o755)
    source = str(Path(bnsearch.__file__).parents[1])
    path = f"{script.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": source, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}


@pytest.mark.parametrize(
    ("shell", "words"), [("zsh", "#compdef bnsearch"), ("fish", "complete --command bnsearch"), ("bash", "complete -o")]
)
def test_scripts(environment, shell, words):
    """Each shell has a script of its own."""
    command = ["bnsearch", "--show-completion", shell]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert words in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_real_bash(environment, tmp_path):
    """Commands, options and values are completed by the function that bash calls."""
    program = """
eval "$(bnsearch --show-completion bash)"
complete_words() {
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _bnsearch_completion bnsearch
    echo "${COMPREPLY[*]}"
}
complete_words bnsearch do
complete_words bnsearch learn x.csv --log
complete_words bnsearch learn x.csv --method gi
complete_words bnsearch report greenh
"""
    done = subprocess.run(
        ["bash", "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (done.stdout.splitlines(), done.stderr) == (["doctor", "--log-json", "ginobs", "greenhouse"], "")


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_a_real_fish(environment, tmp_path):
    """The shell fish lists the completions of commands and values."""
    program = """
bnsearch --show-completion fish | source
complete -C "bnsearch do"
complete -C "bnsearch learn x.csv --method gi"
"""
    done = subprocess.run(
        ["fish", "--no-config", "-c", program],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["doctor", "ginobs"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_a_real_zsh(environment):
    """On a terminal, the tab key completes commands and values in zsh."""
    master, terminal = pty.openpty()
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=terminal, stdout=terminal, stderr=terminal, env={**environment, "TERM": "dumb"}
    )
    os.close(terminal)

    def type_keys(text: str, expected: str) -> None:
        os.write(master, text.encode())
        written = b""
        while expected.encode() not in written:
            assert select.select([master], [], [], 60)[0], written
            written += os.read(master, 1 << 16)

    try:
        load = 'autoload -Uz compinit; compinit -u -D; eval "$(bnsearch --show-completion zsh)"'
        type_keys(f'PS1=; {load}; echo rea""dy\n', "ready")
        type_keys("bnsearch do\t", "bnsearch doctor ")
        type_keys("\x15bnsearch learn x.csv --method gi\t", "--method ginobs ")
    finally:
        shell.kill()
        shell.wait()
        os.close(master)
