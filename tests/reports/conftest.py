"""Fixtures: report pages in a real browser, Chromium driven by Selenium."""

from __future__ import annotations

import shutil
import time

import pytest

from bnsearch.networks import load_network
from bnsearch.reports.report import write_report

MAX_WAIT = 60.0  # seconds until a page must be ready, on a slow machine


class Page:
    """A page in the browser, with short names for what the tests do with it."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path):
        """Open a file and wait until distributions are computed."""
        self.driver.get(path.as_uri())
        self.wait_for("return document.documentElement.dataset.ready")
        return self

    def wait_for(self, script):
        """Return the value of JavaScript in the page as soon as it is true."""
        start = time.monotonic()
        while not (value := self.run(script)):
            assert time.monotonic() - start < MAX_WAIT, f"the page has no value of {script}"
            time.sleep(0.02)
        return value

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
    """Return a browser without a window, or skip where it is absent."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="Selenium is not installed")
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    program = shutil.which("chromedriver")
    if browser is None or program is None:
        pytest.skip("Chromium or its driver is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1400,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(program))
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
