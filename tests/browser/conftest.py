"""A real Chromium, Debian's, driven by playwright; skipped in words where there is none."""

import shutil
from pathlib import Path

import pytest

ARTEFACTS = Path(__file__).resolve().parents[2] / "artefacts"
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def browser():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium found: `make browser` installs Debian's where it may")
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with driver.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield opened
        opened.close()


class Page:
    """An open page with everything it complained about and asked for."""

    def __init__(self, tab, path: Path):
        self.tab, self.trouble, self.requests = tab, [], []
        tab.on("console", lambda m: self.trouble.append(m.text) if m.type != "log" else None)
        tab.on("pageerror", lambda error: self.trouble.append(str(error)))
        tab.on("dialog", lambda d: (self.trouble.append(f"dialog {d.message}"), d.dismiss()))
        tab.on("request", lambda r: self.requests.append(r.url))
        tab.goto(path.as_uri())
        tab.wait_for_selector("body[data-ready]", timeout=60_000)
        self.address = tab.url

    def ask(self, script: str, argument=None):
        """Evaluate JavaScript in the page."""
        return self.tab.evaluate(script, argument)

    def until(self, script: str):
        """Wait until JavaScript turns true."""
        self.tab.wait_for_function(script, timeout=20_000)

    def picture(self, name: str, whole: bool = False):
        """Keep a screenshot in ``artefacts/``."""
        ARTEFACTS.mkdir(exist_ok=True)
        self.tab.screenshot(path=ARTEFACTS / f"{name}.png", full_page=whole)

    def check_quiet(self):
        """Assert that nothing was complained about and nothing but the page was asked for."""
        assert self.trouble == []
        inside = ("data:", "blob:")
        assert [u for u in self.requests if u != self.address and not u.startswith(inside)] == []


@pytest.fixture(scope="module")
def visit(browser):
    tabs = []

    def open_page(path: Path, width: int = 1320, height: int = 900) -> Page:
        tabs.append(browser.new_page(viewport={"width": width, "height": height}))
        return Page(tabs[-1], path)

    yield open_page
    for tab in tabs:
        tab.close()
