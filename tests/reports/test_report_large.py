"""Report pages of 1,000 variables in a real browser, with their size and times."""

from __future__ import annotations

import pytest
from page_reader import make_large_network

from bnsearch.reports.report import write_report

#: A script that notes the time, from the start of loading, after the first frame with all distributions.
NOTE_FRAME = """
const observer = new MutationObserver(() => {
  if (!document.documentElement?.dataset.ready) return;
  observer.disconnect();
  requestAnimationFrame(() => {
    const channel = new MessageChannel();  // its message comes after the frame is painted
    channel.port1.onmessage = () => (window.painted = performance.now());
    channel.port2.postMessage(null);
  });
});
observer.observe(document, { attributes: true, subtree: true, attributeFilter: ["data-ready"] });
"""


@pytest.mark.parametrize("states", [2, 4])  # with evidence; with large tables and without evidence
def test_a_thousand_variables(page, tmp_path, record_property, states):
    """A page of less than 10 MB works, and its times are reported: `--junit-xml` contains them."""
    network = make_large_network(1000, states)
    write_report(network, tmp_path / "large.html", network.sample(1000, 1))
    size = (tmp_path / "large.html").stat().st_size
    assert size < 10_000_000
    script = page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": NOTE_FRAME})
    page.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    page.open(tmp_path / "large.html")
    assert len(page.all(".box")) == 1000
    seconds = page.wait_for("return window.painted") / 1000
    metrics = page.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    cpu_seconds = next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
    page.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
    record_property("seconds until painted", seconds)
    record_property("seconds of CPU time", cpu_seconds)
    print(f"1,000 variables, {size / 1e6:.1f} MB: painted after {seconds:.2f} s, {cpu_seconds:.2f} s of CPU time")
    page.select("variable 777")
    assert page.one("#variable-panel h2").text == "variable 777"
    assert page.scale >= 0.8
    assert page.one("#variable-panel .state").is_enabled() == (states == 2)
