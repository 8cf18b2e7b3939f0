"""Report pages in a real browser: Chromium, driven by Selenium."""

from __future__ import annotations

import itertools
import re
import shutil
import time
from importlib.resources import files

import numpy as np
import pytest
from page_reader import HOSTILE_NAMES, make_hostile_network, make_large_network

from bnsearch.graphs.dag import DAG
from bnsearch.networks import load_network, random_network
from bnsearch.networks.network import BayesianNetwork
from bnsearch.reports import contents as contents_module
from bnsearch.reports.report import write_report
from bnsearch.runs.result import Result
from bnsearch.runs.stop import Progress
from bnsearch.runs.trace import Trace

webdriver = pytest.importorskip("selenium.webdriver", reason="Selenium is not installed")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
if BROWSER is None or DRIVER is None:
    pytest.skip("Chromium or its driver is not installed", allow_module_level=True)

MAX_WAIT = 60.0  # seconds until a page must be ready, on a slow machine


class Page:
    """A page in the browser, with short names for what the tests do with it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path):
        """Open a file and wait until distributions are computed."""
        self.driver.get(path.as_uri())
        start = time.monotonic()
        while not self.run("return document.documentElement.dataset.ready"):
            assert time.monotonic() - start < MAX_WAIT, "the page is not ready"
            time.sleep(0.02)
        return self

    def run(self, script, *arguments):
        """Run JavaScript in the page and return its value."""
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        """Return all elements that match a selector."""
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        """Return the first element that matches a selector."""
        return self.driver.find_element("css selector", selector)

    def texts(self, selector):
        """Return the texts of the elements that match a selector."""
        return [element.text for element in self.all(selector)]

    def choose(self, selector, value):
        """Choose an option of a select element."""
        self.run(
            "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
            "e.dispatchEvent(new Event('change'));",
            selector,
            value,
        )

    def select(self, name):
        """Select a variable by the search field."""
        self.one("#search").send_keys(name, "\ue007")

    def read_bars(self):
        """Return the distributions of the list of all variables, by name."""
        self.one("#bars-panel-tab").click()
        return self.run(
            "return [...document.querySelectorAll('#bars-panel article')].map(a => [a.querySelector('h3').textContent,"
            "[...a.querySelectorAll('.state')].map(b => Number(b.dataset.probability))])"
        )

    @property
    def scale(self):
        """The scale of the graph."""
        return float(
            self.run("return /scale\\((.*)\\)/.exec(document.querySelector('#graph > g').getAttribute('transform'))[1]")
        )

    @property
    def errors(self):
        """Messages of the browser about errors."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.fixture(scope="module")
def driver():
    """Return a browser without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(driver):
    """Return a page; at the end of the test, no error must have occurred in it."""
    page = Page(driver)
    yield page
    assert page.errors == []


@pytest.fixture(scope="module")
def asia(tmp_path_factory):
    """Return the report of asia with data."""
    network = load_network("asia")
    path = tmp_path_factory.mktemp("asia") / "asia.html"
    write_report(network, path, network.sample(2000, 1))
    return path


def enumerate_marginals(network, evidence):
    """Return the marginals and the probability of the evidence by enumeration of all rows."""
    marginals = [np.zeros(r) for r in network.arities]
    for row in itertools.product(*map(range, network.arities)):
        if all(row[v] == s for v, s in evidence.items()):
            families = zip(network.dag.parents, range(len(row)), strict=True)
            p = np.prod([network.tables[x][(*(row[u] for u in parents), row[x])] for parents, x in families])
            for x, s in enumerate(row):
                marginals[x][s] += p
    total = marginals[0].sum()
    return [marginal / total if total else marginal for marginal in marginals], total


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
    webdriver.ActionChains(page.driver).drag_and_drop_by_offset(page.one("#graph"), 60, 0).perform()
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


@pytest.mark.parametrize("seed", range(4))
def test_marginals_equal_enumeration(page, tmp_path, seed):
    """All marginals without and with evidence, and the probability of the evidence, are exact."""
    network = random_network(7, 1.5, 3, seed)
    write_report(network, tmp_path / "n.html")
    page.open(tmp_path / "n.html")
    rng = np.random.default_rng(seed)
    evidence = {}
    for _ in range(3):
        expected, total = enumerate_marginals(network, evidence)
        for x, (name, found) in enumerate(page.read_bars()):
            assert name == network.names[x]
            np.testing.assert_allclose(found, expected[x], rtol=1e-9, atol=1e-12)
        if evidence:
            assert f"{float(f'{total:.2g}'):g}"[:3] in page.one("#evidence").text
        x = int(rng.choice([v for v in range(7) if v not in evidence]))
        evidence[x] = int(rng.choice(np.flatnonzero(expected[x] > 0)))
        page.all("#bars-panel article")[x].find_elements("css selector", ".state")[evidence[x]].click()
    page.one("#clear").click()
    assert page.all(".chip") == []


@pytest.mark.parametrize("seed", range(40))
def test_junction_trees_equal_enumeration(page, seed):
    """Marginals and the probability of the evidence of random networks, with zeros and variables of one state."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    cards = rng.integers(1, 4, n).tolist()
    order = rng.permutation(n).tolist()
    parents = [sorted(u for u in order[: order.index(v)] if rng.random() < 0.5) for v in range(n)]
    tables = [draw_table(rng, [cards[u] for u in its], cards[v]) for v, its in enumerate(parents)]
    names = [f"v{i}" for i in range(n)]
    network = BayesianNetwork(DAG(names, parents), [list(map(str, range(r))) for r in cards], tables)
    evidence = {v: int(rng.integers(cards[v])) for v in range(n) if rng.random() < 0.3}
    script = files("bnsearch.reports").joinpath("assets", "inference.js").read_text(encoding="utf-8")
    call = "return computeMarginals(buildJunctionTree(...arguments[0]), new Map(arguments[1]))"
    page.driver.get("about:blank")
    found = page.run(script + call, [cards, parents, [t.ravel().tolist() for t in tables]], list(evidence.items()))
    expected, total = enumerate_marginals(network, evidence)
    if total == 0:
        assert found is None
        return
    assert np.exp(found["logProbability"]) == pytest.approx(total, rel=1e-12)
    for mine, right in zip(found["marginals"], expected, strict=True):
        np.testing.assert_allclose(mine, right, rtol=1e-12, atol=1e-14)


def draw_table(rng, shape, states):
    """Return a random table in which a fifth of the entries are zero."""
    table = rng.random([*shape, states]) * (rng.random([*shape, states]) > 0.2)
    sums = table.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, table / np.where(sums > 0, sums, 1), 1 / states)


def test_junction_trees_have_a_limit(page):
    """A network whose cliques have more cells than the limit has no junction tree."""
    script = files("bnsearch.reports").joinpath("assets", "inference.js").read_text(encoding="utf-8")
    network = [[2, 2, 2], [[], [0], [0, 1]], [[0.5, 0.5], [0.5] * 4, [0.5] * 8]]  # cliques of 8, 4 and 2 cells
    page.driver.get("about:blank")
    assert page.run(script + "return buildJunctionTree(...arguments[0], 14) === null", network) is False
    assert page.run(script + "return buildJunctionTree(...arguments[0], 13) === null", network) is True


def test_impossible_evidence_is_refused(page, asia):
    """Tuberculosis with neither disease has probability zero: a message says so, and the evidence stays."""
    page.open(asia)
    page.select("tub")
    page.all("#variable-panel .state")[0].click()
    page.select("either")
    page.all("#variable-panel .state")[1].click()
    assert "either = no has probability zero" in page.one("#evidence [role=alert]").text
    assert page.texts(".chip") == ["tub = yes \u00d7"]


def test_states_in_the_graph(page, asia):
    """With distributions in the boxes, a click on a state observes it."""
    page.open(asia)
    page.one("#bars").click()
    assert len(page.all(".box .row")) == 16
    page.all(".box .row")[0].click()
    assert len(page.all(".box .row.observed")) == 1
    assert page.texts(".chip") == ["asia = yes \u00d7"]


def test_networks_that_are_too_large_for_exact_computation(page, tmp_path):
    """The page says so, and shows frequencies."""
    write_report(make_large_network(120, 5), tmp_path / "n.html")
    page.open(tmp_path / "n.html")
    page.select("variable 3")
    text = page.one("#variable-panel").text
    assert "Frequencies in 10,000 rows sampled from the network. Evidence cannot be set: exact computation" in text
    assert not any(button.is_enabled() for button in page.all("#variable-panel .state"))


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


def test_run(page, tmp_path):
    """The panel of the run has score, bound, curve, notes, command and versions."""
    dag = DAG.from_edges(["a", "b"], [("a", "b")])
    trace = Trace([Progress(seconds=0.5, score=-10.0), Progress(seconds=1.5, score=-9.25)])
    result = Result(
        dag=dag,
        score=-9.25,
        bound=-9.0,
        optimal=False,
        stop="seconds",
        trace=trace,
        iterations=3,
        evaluations=40,
        computed=20,
        seconds=2.0,
        method="hillclimb",
        parameters={"restarts": 2},
        seed=5,
        notes=("a note with <b>markup</b>",),
    )
    result.report(tmp_path / "r.html", command="bnsearch learn t.csv")
    page.open(tmp_path / "r.html")
    page.one("#run-panel-tab").click()
    text = page.one("#run-panel").text
    for expected in ("-9.25", "2.78% below the upper bound", "restarts = 2", "a note with <b>markup</b>", "numpy"):
        assert expected in text
    assert page.one("#run-panel pre").text == "bnsearch learn t.csv"
    label = page.one(".curve").get_attribute("aria-label")
    assert label == "Best score over time: -10 after 0.5 s, -9.25 after 1.5 s"
    assert len(page.all(".curve .bound")) == 1


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


def test_a_thousand_variables(page, tmp_path, record_property):
    """A large page works, and its time is reported: `--junit-xml` contains it."""
    write_report(make_large_network(1000, 2), tmp_path / "large.html")
    page.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    page.open(tmp_path / "large.html")
    assert len(page.all(".box")) == 1000
    milliseconds = int(page.run("return document.documentElement.dataset.drawn"))
    record_property("milliseconds until drawn", milliseconds)
    metrics = page.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    seconds = next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
    record_property("seconds of CPU time", seconds)
    print(f"1,000 variables: drawn after {milliseconds} ms, {seconds:.2f} s of CPU time with all distributions")
    page.select("variable 777")
    assert page.one("#variable-panel h2").text == "variable 777"
    assert page.scale >= 0.8
