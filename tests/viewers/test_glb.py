"""GLB files in other people's programs: the Khronos validator, and three.js in Chromium."""

import functools
import http.server
import json
import shutil
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import mocap_reroot as mr
from mocap_reroot.export.gltf import write_glb
from tests.browser.conftest import ARTEFACTS

HERE = Path(__file__).parent
FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="module")
def walk():
    return mr.analyze("sample_data/walk.bvh", mass=70.0, height=1.75)


@pytest.fixture(scope="module")
def clips(walk, tmp_path_factory) -> dict[str, Path]:
    """Every kind of scene that is written."""
    folder = tmp_path_factory.mktemp("viewers")
    rooted = mr.reroot(walk.motion, root="LeftFoot")
    one = walk.motion.cut(10, 11)
    return {
        "analysis": write_glb(walk.motion, folder / "analysis.glb", result=walk),
        "motion": write_glb(walk.motion, folder / "motion.glb", body=walk.body),
        "rooted": write_glb(rooted, folder / "rooted.glb"),
        "one frame": write_glb(one, folder / "one.glb"),
    }


def test_the_validator_has_nothing_to_say(clips, package) -> None:
    validator = package("gltf-validator")
    for kind, path in clips.items():
        command = ["node", HERE / "validate.mjs", validator, path]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        issues = json.loads(done.stdout)["issues"]
        assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), f"{kind}: {issues}"


@pytest.fixture(scope="module")
def server(clips, package, tmp_path_factory):
    """A page with three.js and the clip, served to this machine only."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "three").symlink_to(package("three"), target_is_directory=True)
    shutil.copy(HERE / "page.html", folder / "index.html")
    shutil.copy(clips["analysis"], folder / "clip.glb")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}/index.html"
        serving.shutdown()
        thread.join()


def test_three_shows_the_walk_where_it_is(walk, server) -> None:
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium found: `make browser` installs Debian's where it may")
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    trouble = []
    with driver.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = opened.new_page(viewport={"width": 900, "height": 600})
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.goto(server)
        page.wait_for_selector("body[data-ready]", timeout=60_000)
        assert page.evaluate("document.body.dataset.ready") == "yes"
        info = page.evaluate("window.info")
        seen = {frame: page.evaluate(f"show({frame / 100})") for frame in (30, 90, 200)}
        ARTEFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTEFACTS / "walk-in-three.png")
        pixels = page.evaluate(
            "() => {const c = document.createElement('canvas'); c.width = 900; c.height = 600;"
            "const x = c.getContext('2d'); x.drawImage(document.getElementById('canvas'), 0, 0);"
            "return Array.from(x.getImageData(0, 0, 900, 600).data)}"
        )
        opened.close()
    assert trouble == []
    assert info["bones"] == list(walk.motion.skeleton.names)
    assert info["skinned"]
    assert info["duration"] == pytest.approx((walk.motion.n_frames - 1) / walk.motion.fps)
    place = mr.forward(walk.motion).position
    for frame, at in seen.items():
        for body, name in enumerate(walk.motion.skeleton.names):
            assert at[name] == pytest.approx(place[body, :, frame], abs=1e-4)
        pressure = walk.grf.loc[frame, [f"LeftFoot_p{a}" for a in "xyz"]].to_numpy(float)
        if np.isfinite(pressure).all():
            assert at["LeftFoot force"] == pytest.approx(pressure, abs=1e-4)
    red, _, blue = np.array(pixels).reshape(-1, 4)[:, :3].T.astype(int)
    blueish, reddish = (blue > red + 40).sum(), (red > blue + 40).sum()
    assert min(blueish, reddish) > 500  # a left and a right leg are to be seen
