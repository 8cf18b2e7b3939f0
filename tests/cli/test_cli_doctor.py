"""`bnsearch doctor`, also if parts of the installation are broken."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import bnsearch
from bnsearch._tools import memory
from bnsearch.cli import doctor
from bnsearch.learning import compilation, compiled


def test_text_and_json_have_the_same_facts(run):
    """The text has a line for each fact, under the title of its section."""
    facts = json.loads(run("doctor", "--json").out)
    outcome = run("doctor")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert facts["versions"]["bnsearch"] == bnsearch.__version__
    assert platform.python_version() in facts["versions"]["python"]
    assert facts["versions"]["numpy"] == metadata.version("numpy")
    assert facts["machine"]["default_limit_bytes"] == memory.default_memory()
    assert [line for line in lines if not line.startswith("  ")] == ["versions", "machine", "kernels", "extras"]
    assert len(lines) == sum(len(section) + 1 for key, section in facts.items() if key != "schema_version")


def test_extras(monkeypatch, run):
    """Installed packages have a version; missing ones are named; extras for developers are left out."""
    requires = ["numpy>=2", "polars ; extra == 'fast'", 'no-such-package>=1 ; extra == "fast"', "x ; extra == 'dev'"]
    monkeypatch.setattr(metadata, "requires", lambda _: requires)
    found = {"polars": metadata.version("polars"), "no-such-package": None}
    assert json.loads(run("doctor", "--json").out)["extras"] == {"fast": found}
    assert f"fast  polars {found['polars']}, no-such-package missing" in run("doctor").out


def test_the_cache_of_kernels(monkeypatch, tmp_path, run):
    """Compiled kernels are counted in all folders; a group is compiled if it has a marker of the current sources."""
    place = tmp_path / "cache"
    place.mkdir()
    (place / "a.nbc").write_bytes(b"12345")
    (place / "b.nbi").write_bytes(b"12345")
    (place / f"chain-1-sets-{'d' * 24}.compiled").touch()
    (place / f"climb-1-sets-{'e' * 24}.compiled").touch()
    monkeypatch.setattr("bnsearch.kernels.cache.describe_cache", lambda: (place, "d" * 64))
    monkeypatch.setattr(compiled, "list_cache_folders", lambda: [place, tmp_path / "missing"])
    facts = json.loads(run("doctor", "--json").out)["kernels"]
    assert (facts["folder"], facts["writable"], facts["files"], facts["bytes"]) == (str(place), True, 1, 5)
    assert facts["compiled_groups"] == ["chain"]
    assert facts["missing_groups"] == [group for group in compilation.GROUPS if group != "chain"]


def test_cache_folders():
    """There is one folder for each folder with kernels, and the folder of the cache is one of them."""
    from bnsearch.kernels.cache import describe_cache
    from bnsearch.kernels.compile import list_kernel_files

    folders = compiled.list_cache_folders()
    assert len(folders) == len({path.parent for path in list_kernel_files()})
    assert describe_cache()[0] in folders


@pytest.mark.parametrize("section", ["describe_versions", "describe_machine", "describe_kernels", "describe_extras"])
def test_a_broken_section_does_not_hide_the_others(run, monkeypatch, section):
    """A section that fails has the error in place of its facts."""

    def fail():
        raise ImportError("libllvm is missing")

    monkeypatch.setattr(doctor, section, fail)
    facts = json.loads(run("doctor", "--json").out)
    title = section.removeprefix("describe_")
    assert facts[title] == {"error": "ImportError: libllvm is missing"}
    assert all("error" not in values for key, values in facts.items() if key not in (title, "schema_version"))
    assert "  error  ImportError: libllvm is missing\n" in run("doctor").out


def test_another_cache_folder_and_no_compilation(tmp_path):
    """With an empty cache in another folder, nothing is compiled, and the folder is named."""
    environment = {
        "NUMBA_CACHE_DIR": str(tmp_path / "numba"),
        "PYTHONPATH": str(Path(bnsearch.__file__).parents[1]),
        "PATH": "",
    }
    command = [sys.executable, "-m", "bnsearch", "doctor", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    kernels = json.loads(done.stdout)["kernels"]
    assert kernels["folder"].startswith(str(tmp_path / "numba"))
    assert (kernels["files"], kernels["compiled_groups"]) == (0, [])
    assert not list(tmp_path.rglob("*.nbc"))
