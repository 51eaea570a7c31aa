"""Make the pictures of the README: the report of the sample clips, seen in Chromium.

Run from the project's root: ``python docs/pictures/make.py``; needs Chromium and the test extra.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, sync_playwright

import mocap_reroot as mr

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parents[1] / "sample_data"
LARGEST = 200_000  # bytes a picture may take


def keep(part: Locator, name: str) -> None:
    """Save an element of a page as a PNG, with fewer colours where it would be large."""
    picture = Image.open(io.BytesIO(part.screenshot())).convert("RGB")
    path = HERE / f"{name}.png"
    picture.save(path, optimize=True)
    for colours in (256, 128, 64):
        if path.stat().st_size < LARGEST:
            return
        picture.quantize(colours, Image.Quantize.FASTOCTREE).save(path, optimize=True)


def main() -> None:
    """Analyse the sample clips and photograph their reports."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        sys.exit("No Chromium found: `make browser` installs Debian's where it may.")
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page(viewport={"width": 1200, "height": 900})
        for clip, parts in (
            ("walk.bvh", {"walk": "#motion", "joints": "#joints", "quality": "#quality"}),
            ("walk.c3d", {"plates": "#ground"}),
        ):
            folder = Path(place) / clip
            mr.analyze(SAMPLES / clip, mass=70.0).save(folder)
            tab.goto((folder / "report.html").as_uri())
            tab.wait_for_selector("body[data-ready]")
            tab.evaluate(
                "() => { const c = report.clock; c.set(c.start + 0.42 * (c.stop - c.start)); }"
            )
            tab.wait_for_timeout(1500)
            tab.add_style_tag(content="header { display: none; }")
            for name, selector in parts.items():
                keep(tab.locator(selector), name)
        browser.close()


if __name__ == "__main__":
    main()
