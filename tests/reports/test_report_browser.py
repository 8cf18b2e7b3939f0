"""Report pages in a real browser: search, views, keyboard, themes and hostile names."""

from __future__ import annotations

import itertools
import re

import pytest
from page_reader import HOSTILE_NAMES, make_hostile_network, make_large_network

from bnsearch.graphs.dag import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.learning.learn import learn
from bnsearch.networks import load_network
from bnsearch.reports import contents as contents_module
from bnsearch.reports.report import write_report
from bnsearch.runs.result import Result
from bnsearch.runs.stop import Progress
from bnsearch.runs.trace import Trace


def test_search_and_details(page, asia):
    """The search finds a variable, and the panel has its states, parents, children, blanket, table and edges."""
    page.open(asia)
    page.one("#search").send_keys("ei")
    assert page.texts("#results li[aria-selected=true]") == ["either"]
    page.one("#search").send_keys("\ue007")
    text = page.one("#variable-panel").text
    assert page.one("#variable-panel h2").text == "either"
    assert page.texts("#variable-panel .facts .links") == ["tub\nlung", "xray\ndysp", "tub\nlung\nbronc\nxray\ndysp"]
    assert page.texts("#variable-panel .state .name") == ["yes", "no"]
    assert page.texts("#variable-panel .grid thead th")[:4] == ["tub", "lung", "yes", "no"]
    assert "100.0%" in text
    assert page.texts(".box.selected .label") == ["either"]
    assert sorted(page.texts(".box.parent .label")) == ["lung", "tub"]
    assert page.texts(".box.spouse .label") == ["bronc"]


def test_knowledge_and_limits_are_named(page, tmp_path):
    """An edge that the knowledge compels is not called reversible, and the optimum is one of the allowed networks."""
    data = load_network("asia").sample(500, 1)
    tiers = Knowledge(tiers=[["asia", "smoke"], ["tub", "lung", "bronc"], ["either"], ["xray", "dysp"]])
    result = learn(data, knowledge=tiers, seconds=20, seed=1)
    by_knowledge = [edge for edge in result.dag.edges if result.explain(edge, data).by_knowledge]
    assert by_knowledge
    result.report(tmp_path / "r.html", data)
    page.open(tmp_path / "r.html")
    assert len(page.all(".edge.reversible")) == len(result.mpdag.undirected_edges)
    page.one("#edges-panel-tab").click()
    directions = page.texts("#edges-panel tbody tr td:nth-child(2)")
    assert directions.count("compelled by the knowledge") == len(by_knowledge)
    page.one("#run-panel-tab").click()
    assert "proven optimal among all networks that the knowledge allows" in page.one("#run-panel").text


def test_edges_explain_themselves(page, asia):
    """A click on an edge says what the score loses without it, and whether it is compelled."""
    page.open(asia)
    page.run("document.querySelector('.edge.reversible .hit').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    text = page.one("#edges-panel").text
    assert "Without this edge, the BIC score of the network is" in text
    assert "Reversible:" in text
    page.one("#edges-panel-tab").click()
    assert len(page.all("#edges-panel tbody tr")) == 8


def test_weak_edges_can_be_hidden(page, asia):
    """The slider hides the edges with the smallest losses, one after the other."""
    page.open(asia)
    page.run("const e = document.querySelector('#threshold'); e.value = 3; e.dispatchEvent(new Event('input'));")
    assert len(page.all(".edge.weak")) == 3
    assert page.one("#shown").text.startswith("5 of 8")


def test_zoom_and_pan(page, asia):
    """Buttons, keys and the wheel change the scale; Fit restores it."""
    page.open(asia)
    first = page.scale
    page.one("#zoom-in").click()
    assert page.scale == pytest.approx(1.25 * first)
    page.run("document.querySelector('.box').focus()")
    page.driver.switch_to.active_element.send_keys("-")
    assert page.scale == pytest.approx(first)
    page.run("document.querySelector('#graph').dispatchEvent(new WheelEvent('wheel', {deltaY: -300}))")
    assert page.scale > first
    page.one("#fit").click()
    assert page.scale == pytest.approx(first)
    before = page.one(".box").location["x"]
    chains = pytest.importorskip("selenium.webdriver").ActionChains
    chains(page.driver).drag_and_drop_by_offset(page.one("#graph"), 60, 0).perform()
    assert page.one(".box").location["x"] == pytest.approx(before + 60, abs=2)


def test_keyboard(page, asia):
    """The slash goes to the search field, arrows move in the graph and between tabs, Escape clears the selection."""
    page.open(asia)
    page.one("body").send_keys("/")
    assert page.driver.switch_to.active_element.get_attribute("id") == "search"
    page.driver.switch_to.active_element.send_keys("smoke", "\ue007")
    page.run("document.querySelector('.box[tabindex=\"0\"]').focus()")
    page.driver.switch_to.active_element.send_keys("\ue015")
    assert page.one(".box.selected .label").text in ("lung", "bronc")
    assert page.driver.switch_to.active_element.get_attribute("aria-label").startswith(("lung, ", "bronc, "))
    page.driver.switch_to.active_element.send_keys("\ue00c")
    assert not page.all(".box.selected")
    page.one("#variable-panel-tab").send_keys("\ue014")
    assert page.driver.switch_to.active_element.get_attribute("aria-selected") == "true"
    assert page.one("#bars-panel").is_displayed()


def test_labels_for_screen_readers(page, asia):
    """All buttons, fields and tabs have a name, and tabs control their panels."""
    page.open(asia)
    for element in page.all("button, input, select, [role=tab], [role=tabpanel], .box"):
        assert element.accessible_name or not element.is_displayed(), element.get_attribute("outerHTML")
    for tab in page.all("[role=tab]"):
        assert page.all(f"#{tab.get_attribute('aria-controls')}[role=tabpanel]")


def test_neighbourhood(page, tmp_path):
    """The view of neighbours has the parents and children of the selected variable, and follows the selection."""
    network = make_large_network(400, 2)
    write_report(network, tmp_path / "n.html")
    page.open(tmp_path / "n.html")
    page.select("variable 200")
    page.choose("#view", "neighbours")
    near = {*network.dag.parents[200], *network.dag.children[200], 200}
    assert sorted(page.texts(".box .label")) == sorted(network.names[v] for v in near)
    check_boxes(page)
    page.choose("#view", "3 steps")
    page.one("#bars").click()
    check_boxes(page)
    page.choose("#view", "neighbours")
    page.run("document.querySelector('.box.parent').dispatchEvent(new Event('click'))")
    assert page.one("#variable-panel h2").text != "variable 200"
    assert page.texts(".box.selected .label") == page.texts("#variable-panel h2")


def check_boxes(page):
    """Assert that no two boxes overlap, and that children are below their parents."""
    boxes = page.run(
        "return [...document.querySelectorAll('.box')].map(box => {"
        "const [x, y] = box.getAttribute('transform').match(/-?[\\d.]+/g).map(Number);"
        "const r = box.querySelector('rect'); return [x, y, +r.getAttribute('width'), +r.getAttribute('height')]})"
    )
    for (x, y, width, height), (u, v, wide, high) in itertools.combinations(boxes, 2):
        assert x + width <= u + 1e-6 or u + wide <= x + 1e-6 or y + height <= v + 1e-6 or v + high <= y + 1e-6
    lines = page.run("return [...document.querySelectorAll('.edge .line')].map(line => line.getAttribute('d'))")
    for line in lines:
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", line)]
        assert numbers[1] < numbers[-1]


def test_graphs_that_are_not_drawn_as_a_whole(page, asia, tmp_path, monkeypatch):
    """The page of a graph that is too large shows the neighbours of the first variable, then of the selected one."""
    monkeypatch.setattr(contents_module, "MAX_DRAWN_VARIABLES", 7)
    write_report(load_network("asia"), tmp_path / "n.html")
    page.open(tmp_path / "n.html")
    assert sorted(page.texts(".box .label")) == ["asia", "tub"]
    page.select("smoke")
    assert sorted(page.texts(".box .label")) == ["bronc", "lung", "smoke"]


@pytest.mark.parametrize("names", [[], ["alone"], ["a", "b"]])
def test_structures_without_edges_and_tables(page, tmp_path, names):
    """Pages of the smallest graphs have all panels; the page says why evidence cannot be set."""
    write_report(DAG.empty(names), tmp_path / "n.html")
    page.open(tmp_path / "n.html")
    for tab in page.all("[role=tab]"):
        tab.click()
    assert len(page.all(".box")) == len(names)
    assert "Evidence cannot be set: the network has no probability tables" in describe_distributions(page)


def describe_distributions(page):
    """Return the text about the source of the distributions."""
    page.one("#bars-panel-tab").click()
    return page.one("#bars-panel .muted").text


def make_result(points, seconds, **facts):
    """Return the result of a run of some seconds with a trace of seconds and scores."""
    return Result(
        dag=DAG.from_edges(["a", "b"], [("a", "b")]),
        score=points[-1][1],
        optimal=False,
        stop="seconds",
        trace=Trace([Progress(seconds=time, score=score) for time, score in points]),
        iterations=3,
        evaluations=40,
        computed=20,
        seconds=seconds,
        method="hillclimb",
        parameters={"restarts": 2},
        seed=5,
        **{"bound": None} | facts,
    )


def test_run(page, tmp_path):
    """The panel of the run has score, bound, curve, notes, command and versions."""
    result = make_result([(0.5, -10.0), (1.5, -9.25)], 2.0, bound=-9.0, notes=("a note with <b>markup</b>",))
    result.report(tmp_path / "r.html", command="bnsearch learn t.csv")
    page.open(tmp_path / "r.html")
    page.one("#run-panel-tab").click()
    text = page.one("#run-panel").text
    for expected in ("-9.25", "gap 2.78%", "restarts = 2", "a note with <b>markup</b>", "numpy"):
        assert expected in text
    assert page.one("#run-panel pre").text == "bnsearch learn t.csv"
    label = page.one(".curve").get_attribute("aria-label")
    assert label == "Best score over time: -10 after 0.5 s, -9.25 after 1.5 s"
    assert len(page.all(".curve .bound")) == 1


@pytest.mark.parametrize(
    ("points", "n_drawn"),
    [
        ([(0.1, -1000.0), (0.2, -110.0), (0.3, -105.0), (9.0, -100.0)], 3),  # -110 has 99 % of the gain
        ([(0.1, -1000.0), (2.5, -500.0), (9.0, -100.0)], 2),  # a late improvement
        ([(2.1, -1000.0), (2.5, -500.0), (9.0, -100.0)], 3),
        ([(0.1, -200.0), (0.2, -100.0)], 1),
    ],
)
def test_start_of_the_curve(page, tmp_path, points, n_drawn):
    """The curve begins with 95 % of the gain, or after the first fifth of the time, and a text says so."""
    make_result(points, 10.0).report(tmp_path / "r.html")
    page.open(tmp_path / "r.html")
    page.one("#run-panel-tab").click()
    path = page.one(".curve .score").get_attribute("d")
    assert path.count("V") == n_drawn - 1
    assert path.endswith("H408")  # the right end of the drawing is the end of the run
    skipped = len(points) - n_drawn
    assert (f"Not drawn: {skipped} improvement" in page.one("#run-panel figcaption").text) == (skipped > 0)


def test_dark_mode(page, asia):
    """The button changes the colours, and the page remembers the choice; the system's theme is the default."""

    def brightness():
        colour = page.run("return getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour.strip("rgb()").split(",")) / 3

    page.driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    )
    page.open(asia)
    assert brightness() < 60
    page.one("#theme").click()
    assert brightness() > 200
    page.open(asia)
    assert brightness() > 200
    page.run("localStorage.clear()")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_print_layout(page, asia):
    """On paper there are all panels and no controls."""
    page.open(asia)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert all(panel.is_displayed() for panel in page.all("[role=tabpanel]"))
    assert not page.one(".toolbar").is_displayed()
    page.run("dispatchEvent(new Event('afterprint'))")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_hostile_names(page, tmp_path):
    """Names are shown as text in all panels, and nothing of them is executed."""
    write_report(make_hostile_network(), tmp_path / "h.html", title=HOSTILE_NAMES[0])
    page.open(tmp_path / "h.html")
    page.one("#bars").click()
    for tab in page.all("[role=tab]"):
        tab.click()
    special = {9: "(blank)", 10: "x" * 79 + "…", 11: HOSTILE_NAMES[11].replace("\ud83d", "\ufffd")}
    for box in range(len(HOSTILE_NAMES)):
        page.run("document.querySelectorAll('.box')[arguments[0]].dispatchEvent(new Event('click'))", box)
        shown = page.run("return document.querySelector('#variable-panel h2').textContent.toWellFormed()")
        assert shown == special.get(box, HOSTILE_NAMES[box])
        page.all("#variable-panel .state")[0].click()
    page.one("#search").send_keys("<img")
    assert page.one("#title").text == HOSTILE_NAMES[0]
    assert page.run("return window.hacked") is None
    assert page.run("return document.querySelectorAll('img, body script:not(#contents)').length") == 1
