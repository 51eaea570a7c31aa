"""report.html as a user meets it: it loads, plays, scrubs, links, and tells the tables' numbers."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from mocap_reroot.report.page import write_report
from tests.report import folders

PICTURE = "() => { const c = document.getElementById('stage'); return c.toDataURL(); }"
SETTLED = "() => new Promise((done) => setTimeout(() => requestAnimationFrame(done), 300))"
HEAD = "() => parseFloat(document.querySelector('.timeline .head').style.left)"


FRESH = """() => {
  report.clock.pause(); report.clock.set(0); report.charts.zoom(null, null);
  report.player.camera.view("corner"); report.joints.picked = new Set(report.data.first);
  const usual = { component: "sagittal", against: "time", "moment-unit": "kg" };
  for (const [id, value] of Object.entries(usual)) {
    const select = document.getElementById(id);
    select.value = value;
    select.dispatchEvent(new Event("change"));
  }
}"""


@pytest.fixture(scope="module")
def opened(visit):
    return visit(folders.walk() / "report.html")


@pytest.fixture
def page(opened):
    """The walk's report, as fresh as newly opened."""
    opened.ask(FRESH)
    opened.until("() => !report.charts.busy")
    return opened


def test_loads_quietly_and_from_itself_only(page):
    page.ask("() => document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.picture("report_walk", whole=True)
    page.check_quiet()


def test_player_advances_and_pauses(page):
    before = page.ask(PICTURE)
    page.tab.click("#play")
    page.until("() => report.clock.time > 0.15")
    assert page.tab.get_attribute("#play", "aria-label") == "Pause"
    page.tab.keyboard.press("Escape")
    page.tab.click("#play")
    stopped = page.ask("() => report.clock.time")
    page.tab.wait_for_timeout(150)
    assert page.ask("() => report.clock.time") == stopped
    assert page.ask(PICTURE) != before
    page.check_quiet()


def test_scrubbing_moves_the_skeleton_to_the_tables_pose(page):
    before = page.ask(PICTURE)
    page.ask(
        "() => { const s = document.getElementById('scrub'); s.value = 180;"
        " s.dispatchEvent(new Event('input')); }"
    )
    assert page.ask(PICTURE) != before
    assert page.tab.inner_text("#hud-frame") == "frame 180"
    table = pd.read_parquet(folders.walk() / "kinematics.parquet")
    bodies = page.ask("() => report.data.figure.bodies.map((b) => b.name)")
    shown = page.ask("() => report.data.figure.bodies.map((_, i) => report.player.point(i, 180))")
    want = [[table[f"{b}_p{a}"][180] for a in "xyz"] for b in bodies]
    np.testing.assert_allclose(shown, want, atol=1e-6)


def test_forces_on_the_page_are_the_tables(page):
    page.ask("() => report.clock.set(1.8)")
    grf = pd.read_parquet(folders.walk() / "grf.parquet")
    lines = page.tab.inner_text("#hud-forces").split("\n")
    for line, foot in zip([t for t in lines if t.strip()], ("LeftFoot", "RightFoot"), strict=True):
        newton = grf[f"{foot}_fy"][180]
        assert line.startswith(f"{foot} {newton:.0f} N ({newton / (70 * 9.80665):.2f} BW)")
    cell = page.tab.inner_text("#ground-peaks tbody tr:first-child td:nth-child(3)")
    assert float(cell) == pytest.approx(grf["LeftFoot_fy"].max(), abs=0.05)


def test_plots_hold_the_tables_numbers(page):
    grf = pd.read_parquet(folders.walk() / "grf.parquet")
    drawn = page.ask("() => Array.from(document.getElementById('ground-plot').data[0].y)")
    np.testing.assert_allclose(drawn, grf["LeftFoot_fy"] / (70 * 9.80665), atol=1e-6)
    anatomy = pd.read_parquet(folders.walk() / "anatomy.parquet")
    knee = page.ask(
        "() => Array.from(document.querySelector('[data-joint=Knee] [data-what=angle]').data[0].y)"
    )
    np.testing.assert_allclose(knee, anatomy["left_knee_flexion_deg"], rtol=1e-6, atol=1e-5)


def test_picking_a_joint_changes_the_plots(page):
    rows = "() => [...document.querySelectorAll('.joint')].map((e) => e.dataset.joint)"
    assert page.ask(rows) == ["Hip", "Knee", "Ankle"]
    page.tab.click("#chips button:text-is('Elbow')")
    page.tab.click("#chips button:text-is('Hip')")
    page.until("() => document.querySelector('[data-joint=Elbow] .plot .main-svg')")
    assert page.ask(rows) == ["Knee", "Ankle", "Elbow"]
    page.tab.select_option("#component", "x")
    torques = pd.read_parquet(folders.walk() / "torques.parquet")
    elbow = "document.querySelector('[data-joint=Elbow] [data-what=moment]')"
    moment = f"() => Array.from({elbow}.data[0].y)"
    np.testing.assert_allclose(page.ask(moment), torques["LeftForeArm_mx"] / 70, atol=1e-6)
    page.tab.select_option("#moment-unit", "nm")
    np.testing.assert_allclose(page.ask(moment), torques["LeftForeArm_mx"], atol=1e-4)
    page.check_quiet()


def test_gait_cycles_have_a_mean_over_strides(page):
    page.tab.select_option("#against", "cycle")
    knee = "document.querySelector('[data-joint=Knee] [data-what=angle]')"
    page.until(f"() => {knee}.layout.xaxis.range[1] === 100")
    names = page.ask(f"() => {knee}.data.map((t) => t.name).filter(Boolean)")
    assert names == ["LeftLeg, 2 strides", "RightLeg, 2 strides"]
    page.tab.locator("#joints").scroll_into_view_if_needed()
    page.picture("report_walk_cycles")
    page.check_quiet()


def test_pointing_at_a_plot_moves_the_player_and_every_cursor(page):
    plot = page.tab.locator("#ground-plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.tab.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.3 * box["height"])
    page.until("() => report.clock.time > 1")
    time = page.ask("() => report.clock.time")
    cursors = page.ask(
        "() => [...report.charts.timed].map((e) => { const axis = e._fullLayout.xaxis;"
        " return axis.p2d(parseFloat(e.querySelector('.cursor').style.left) - axis._offset); })"
    )
    assert len(cursors) == 12  # ground, three joints of three, correction, feet
    assert cursors == pytest.approx([time] * 12, abs=1e-3)
    assert page.ask(HEAD) == pytest.approx(100 * time / 3.6, abs=0.01)


def test_zooming_one_time_axis_zooms_all(page):
    page.ask("() => Plotly.relayout('ground-plot', {'xaxis.range[0]': 1, 'xaxis.range[1]': 2})")
    page.until(
        "() => [...report.charts.timed].every((e) => Math.abs(e.layout.xaxis.range[0] - 1) < 1e-9)"
    )
    page.check_quiet()


def test_keyboard_plays_steps_and_turns(page):
    page.tab.focus("#stage")
    page.tab.keyboard.press("ArrowRight")
    page.tab.keyboard.press("Shift+ArrowRight")
    assert page.ask("() => report.clock.time") == pytest.approx(0.11)
    page.tab.keyboard.press("Home")
    view = page.ask(PICTURE)
    page.tab.keyboard.press("3")
    assert page.ask(PICTURE) != view
    page.tab.keyboard.press("Space")
    page.until("() => report.clock.time > 0.05")
    page.tab.keyboard.press("Space")
    assert page.ask("() => report.clock.playing") is False


def test_hostile_names_are_text(visit):
    page = visit(folders.hostile() / "report.html")
    assert page.tab.inner_text("h1") == folders.HOSTILE_FILE
    page.tab.select_option("#component", "main")
    labels = page.ask(
        "() => [...document.querySelectorAll('.joint h3 span')].map((e) => e.textContent)"
    )
    assert f"{folders.HOSTILE['LeftLeg']} · RightLeg" in labels
    page.tab.select_option("#against", "cycle")
    titles = page.ask(
        "() => report.joints.data.joints.flatMap((j) => j.members.map((m) => m.body))"
    )
    assert set(folders.HOSTILE.values()) <= set(titles)
    assert page.ask("() => document.querySelectorAll('img, main script, main b').length") == 1
    page.picture("report_hostile")
    page.check_quiet()


def test_plates_lie_over_the_prediction(visit):
    page = visit(folders.plates() / "report.html")
    plates = pd.read_parquet(folders.plates() / "plates.parquet")
    drawn = page.ask(
        "() => document.getElementById('ground-plot').data.slice(0, 4).map((t) => t.name)"
    )
    assert drawn == ["left_foot", "left_foot, plates", "right_foot", "right_foot, plates"]
    weight = json.loads((folders.plates() / "summary.json").read_text())["mass"] * 9.80665
    curve = page.ask("() => Array.from(document.getElementById('ground-plot').data[1].y)")
    curve = np.array([np.nan if v is None else v for v in curve], float)
    loaded = np.isfinite(curve)
    want = plates["left_foot_fz"].to_numpy()
    np.testing.assert_allclose(curve[loaded], want[loaded] / weight, atol=1e-6)
    assert np.abs(want[~loaded]).max() == 0
    page.picture("report_plates", whole=True)
    page.check_quiet()


def test_core_tables_say_that_there_is_no_player(visit, tmp_path):
    page = visit(write_report(folders.core_only(folders.walk(), tmp_path / "core")))
    assert page.tab.is_hidden("#player")
    assert "no kinematics.parquet" in page.tab.inner_text("#no-player")
    said = page.ask("() => document.querySelector('[data-what=angle]').layout.annotations[0].text")
    assert "no kinematics.parquet" in said
    page.check_quiet()


def test_narrow_screens_do_not_scroll_sideways(visit):
    page = visit(folders.walk() / "report.html", width=420, height=800)
    wide = page.ask("() => document.documentElement.scrollWidth - window.innerWidth")
    page.picture("report_phone")
    assert wide <= 0
    row = page.tab.locator("#quality-table tbody tr").first.bounding_box()
    words = page.tab.locator("#quality-table tbody tr td").nth(2).bounding_box()
    assert words["x"] + words["width"] <= row["x"] + row["width"] + 1 <= 421


def test_prints(page):
    page.tab.emulate_media(media="print")
    assert page.tab.is_hidden("#play")
    pdf = page.tab.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 3


@pytest.mark.parametrize("clip", ["cmu/16_01", "cmu/05_02"])
def test_real_clips_load_quietly(visit, shared_data, tmp_path, clip):
    import mocap_reroot as mr

    mr.analyze(shared_data / "bvh" / f"{clip}.bvh").save(tmp_path / "clip")
    path = tmp_path / "clip" / "report.html"
    assert path.stat().st_size < 8e6
    page = visit(path)
    page.ask("() => report.clock.set(0.45 * report.clock.duration)")
    page.picture(f"report_{clip.replace('/', '_')}", whole=True)
    page.check_quiet()


LUMINANCE = """(colour) => {
  const c = document.createElement("canvas").getContext("2d");
  c.fillStyle = colour; c.fillRect(0, 0, 1, 1);
  const [r, g, b] = c.getImageData(0, 0, 1, 1).data;
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}"""


def test_dark_where_the_reader_wants_it_dark_and_light_on_paper(visit):
    page = visit(folders.walk() / "report.html")

    def seen():
        page.until("() => document.querySelector('#ground-plot .bg')")
        return [
            page.ask(f"() => ({LUMINANCE})({colour})")
            for colour in (
                "getComputedStyle(document.body).backgroundColor",
                "getComputedStyle(document.body).color",
                "document.querySelector('#ground-plot .bg').style.fill",
                "COLOURS.sky",
            )
        ]

    page.tab.emulate_media(color_scheme="dark")
    page.until("() => COLOURS.sky === '#222c36'")
    ground, ink, plot, sky = seen()
    assert max(ground, plot, sky) < 0.25 and ink > 0.8
    page.picture("report_dark")
    page.tab.emulate_media(color_scheme="dark", media="print")
    ground, ink, _, sky = seen()
    assert min(ground, sky) > 0.9 and ink < 0.3
    page.check_quiet()


def test_no_label_is_cut_at_any_width(visit):
    for width in (390, 1400):
        page = visit(folders.walk() / "report.html", width=width)
        page.until("() => document.querySelectorAll('.joint .plot .ytitle, .ytick').length > 20")
        cut = page.ask(
            """() => [...document.querySelectorAll('.plot')].flatMap((plot) => {
              const box = plot.getBoundingClientRect();
              const words = '.gtitle, .xtitle, .ytitle, .ytick text, .xtick text';
              return [...plot.querySelectorAll(words)]
                .filter((t) => t.textContent.trim())
                .filter((t) => { const r = t.getBoundingClientRect(); return (
                  r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1); })
                .map((t) => t.textContent);
            })"""
        )
        assert cut == []
        assert page.ask("() => document.documentElement.scrollWidth") <= width
        page.check_quiet()


def test_the_captured_pose_and_the_correction_are_shown(page):
    table = pd.read_parquet(folders.walk() / "correction.parquet")
    page.tab.emulate_media(media="screen")
    page.ask(SETTLED)
    before = page.ask(PICTURE)
    page.tab.check("#ghost")
    assert page.ask(PICTURE) != before
    page.tab.uncheck("#ghost")
    assert page.ask(PICTURE) == before
    drawn = page.ask("() => Array.from(document.getElementById('correction-plot').data[1].y)")
    assert np.allclose(drawn, 1000 * table["dy"], atol=1e-3, equal_nan=True)
    drawn = page.ask(
        "() => document.getElementById('feet-plot').data.slice(0, 3).map((t) => Array.from(t.y))"
    )
    moved = np.array(drawn[2]) - np.array(drawn[0])  # its height, corrected less captured
    turned = np.linalg.norm(table[["rx", "ry", "rz"]], axis=1)  # at most a metre from the root
    up = "d" + "xyz"[int(np.argmax(page.ask("() => report.data.up")))]
    assert (np.abs(moved - 1000 * table[up]) <= 1000 * 1.2 * turned + 1e-2).all()


def test_the_whole_body_is_in_the_picture(page):
    inside = page.ask(
        """() => { const p = report.player, box = p.canvas.getBoundingClientRect(); let out = 0;
          for (let f = 0; f < report.data.shown; f += 10) {
            report.clock.show(f);
            for (let i = 0; i < p.figure.points.shape[0]; i++) {
              const q = p.camera.project(p.point(i, f));
              if (q.x < 0 || q.y < 0 || q.x > box.width || q.y > box.height) out++;
            }
          }
          return out; }"""
    )
    assert inside == 0


def test_expected_accuracy_stands_beside_the_curves(page):
    expected = json.loads((folders.walk() / "summary.json").read_text())["quality"]["expected"]
    told = page.ask(
        "() => [...document.querySelectorAll('strong.expected')].map((e) => e.textContent)"
    )
    assert len(told) == 2
    assert f"vertical {expected['force_percent_bw']['vertical']:.1f}" in told[0]
    assert f"knee {expected['moment_nm_kg']['knee']:.2f}" in told[1]
