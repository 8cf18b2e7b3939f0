"""
Make the pictures of the report page in docs: alarm with evidence, its dark mode, a network of 441 variables.

Needs Chromium with its driver, Selenium (`pip install .[browser]`), Pillow, and the networks of BNSEARCH_DATA or
../shared/data. The networks are learned from sampled rows within ten seconds, so pictures can differ between calls.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import bnsearch

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BNSEARCH_DATA", ROOT.parent / "shared" / "data"))


def main() -> None:
    """Write docs/report.png, docs/report_dark.png and docs/report_large.png."""
    driver = start_browser()
    with tempfile.TemporaryDirectory() as folder:
        open_report(driver, "alarm", 5000, Path(folder))
        select(driver, "HYPOVOLEMIA")
        driver.find_element("css selector", "#variable-panel .state").click()
        save(driver, "report.png")
        choose(driver, "#view", "2 steps")
        driver.find_element("css selector", "#bars").click()
        select(driver, "STROKEVOLUME")
        driver.find_element("css selector", "#theme").click()
        save(driver, "report_dark.png")
        driver.find_element("css selector", "#theme").click()
        open_report(driver, "pigs", 2000, Path(folder))
        select(driver, "p82265990")
        choose(driver, "#view", "3 steps")
        save(driver, "report_large.png")
    driver.quit()


def start_browser() -> Any:
    """Return a browser without a window."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1300,960"):
        options.add_argument(argument)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))


def open_report(driver: Any, name: str, rows: int, folder: Path) -> None:
    """Learn a network from sampled rows, and open its report."""
    from selenium.webdriver.support.wait import WebDriverWait

    data = bnsearch.read_network(DATA / "networks" / f"{name}.bif.gz").sample(rows, 1)
    result = bnsearch.learn(data, seconds=10, seed=1)
    result.report(folder / f"{name}.html", data, title=f"{name}, learned from {rows:,} rows")
    driver.get((folder / f"{name}.html").as_uri())
    WebDriverWait(driver, 60).until(lambda d: d.execute_script("return document.documentElement.dataset.ready"))


def select(driver: Any, variable: str) -> None:
    """Select a variable by the search field."""
    driver.find_element("css selector", "#search").send_keys(variable, "\ue007")


def choose(driver: Any, selector: str, value: str) -> None:
    """Choose an option of a list."""
    script = (
        "const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change'))"
    )
    driver.execute_script(script, selector, value)


def save(driver: Any, name: str) -> None:
    """Write a picture of the page, without the mark of the focused element; 256 colours make the file small."""
    from PIL import Image

    driver.execute_script("document.activeElement.blur(); return new Promise(requestAnimationFrame)")
    picture = Image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")
    picture.quantize(256, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        ROOT / "docs" / name, optimize=True
    )


if __name__ == "__main__":
    main()
