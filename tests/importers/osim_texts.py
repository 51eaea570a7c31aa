"""A model as OpenSim 3.x wrote them: joints within their bodies, functions within ``function``."""

import numpy as np


def coordinate(name: str, more: str = "") -> str:
    return f"""<Coordinate name="{name}"><motion_type>rotational</motion_type>
      <default_value>0.1</default_value><range>-2 2</range>{more}</Coordinate>"""


def axis(name: str, along: str, of: str, function: str) -> str:
    return f"""<TransformAxis name="{name}"><coordinates>{of}</coordinates><axis>{along}</axis>
      <function>{function}</function></TransformAxis>"""


CONSTANT = "<Constant><value>0</value></Constant>"
LINEAR = "<LinearFunction><coefficients> 1 0 </coefficients></LinearFunction>"
SPLINE = """<MultiplierFunction><function><SimmSpline><x> -2 -1 -0.2 0.5 1.1 2 </x>
  <y> 0.01 -0.02 0.03 0.01 0.04 0.02 </y></SimmSpline></function><scale>1.3</scale>
  </MultiplierFunction>"""
LINES = """<PiecewiseLinearFunction><x>-2 0 2</x><y>0 0.1 0.05</y></PiecewiseLinearFunction>"""


def body(name: str, joint: str) -> str:
    return f"""<Body name="{name}"><mass>3</mass><mass_center> 0.01 -0.2 0.02 </mass_center>
      <inertia_xx>0.05</inertia_xx><inertia_yy>0.04</inertia_yy><inertia_zz>0.06</inertia_zz>
      <inertia_xy>0.001</inertia_xy><inertia_xz>0.002</inertia_xz><inertia_yz>-0.001</inertia_yz>
      <Joint>{joint}</Joint></Body>"""


def custom(name: str, parent: str, coordinates: str, axes: str) -> str:
    return f"""<CustomJoint name="{name}"><parent_body>{parent}</parent_body>
      <location_in_parent>0.1 -0.4 0.02</location_in_parent>
      <orientation_in_parent>0.1 0.2 -0.3</orientation_in_parent>
      <location>0.01 0.02 0.03</location><orientation>0.2 0 0.1</orientation>
      <CoordinateSet><objects>{coordinates}</objects></CoordinateSet>
      <SpatialTransform>{axes}</SpatialTransform></CustomJoint>"""


def model_3x() -> str:
    ground_axes = "".join(
        axis(f"{kind}{k}", along, f"root{k + shift}", LINEAR)
        for kind, shift in (("rotation", 0), ("translation", 3))
        for k, along in ((1, "0 0 1"), (2, "1 0 0"), (3, "0 1 0"))
    )
    knee_axes = (
        axis("rotation1", "0 0 1", "knee", LINEAR)
        + axis("rotation2", "0 1 0", "knee", LINES)
        + axis("rotation3", "1 0 0", "", CONSTANT)
        + axis("translation1", "1 0 0", "knee", SPLINE)
        + axis("translation2", "0 1 0", "", "<Constant><value>-0.05</value></Constant>")
        + axis("translation3", "0 0 1", "", CONSTANT)
    )
    pin = f"""<PinJoint name="cap_r"><parent_body>shank</parent_body>
      <location_in_parent>0 0.1 0</location_in_parent>
      <CoordinateSet><objects>{coordinate("cap", "<locked>true</locked>")}</objects>
      </CoordinateSet></PinJoint>"""
    root = "".join(coordinate(f"root{k}") for k in range(1, 7))
    bodies = (
        body("pelvis", custom("base", "ground", root, ground_axes))
        + body("shank", custom("knee", "pelvis", coordinate("knee"), knee_axes))
        + body("cap", pin)
        + """<Body name="box"><mass>1</mass><Joint><WeldJoint name="stand">
          <parent_body>ground</parent_body></WeldJoint></Joint></Body>"""
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<OpenSimDocument Version="30000"><Model name="old"><gravity> 0 -9.80665 0 </gravity>
<BodySet><objects><Body name="ground"><mass>0</mass></Body>{bodies}</objects></BodySet>
<ConstraintSet><objects><CoordinateCouplerConstraint name="follows">
  <isDisabled>false</isDisabled><coupled_coordinates_function>{LINEAR}
  </coupled_coordinates_function>
  <independent_coordinate_names>knee</independent_coordinate_names>
  <dependent_coordinate_name>cap</dependent_coordinate_name><scale_factor>0.5</scale_factor>
  </CoordinateCouplerConstraint>
  <WeldConstraint name="glue"><isDisabled>false</isDisabled></WeldConstraint></objects>
</ConstraintSet>
<MarkerSet><objects><Marker name="M1"><body>shank</body><location>0.1 0.2 0.3</location>
  <fixed>true</fixed></Marker></objects></MarkerSet></Model></OpenSimDocument>"""


def write_coordinates(path, *, degrees: bool = False, paths: bool = False) -> None:
    """Write a table of coordinates of the model above, 2 s at 50 Hz, all of them swinging."""
    time = np.arange(100) / 50
    names = [*(f"root{k}" for k in range(1, 7)), "knee"]
    values = [0.1 * np.sin(2 * np.pi * time + k) for k in range(len(names))]
    if degrees:
        turning = [not name.startswith("root") or name < "root4" for name in names]
        values = [np.rad2deg(v) if t else v for v, t in zip(values, turning, strict=True)]
    if paths:
        names = [f"/jointset/joint/{name}/value" for name in names] + ["/jointset/joint/knee/speed"]
        values = [*values, values[-1] * 7]
    rows = np.column_stack([time + 3.0, *values])
    head = f"Coordinates\nversion=1\nnRows=100\ninDegrees={'yes' if degrees else 'no'}\nendheader\n"
    text = "\n".join("\t".join(f"{x:.12g}" for x in row) for row in rows)
    path.write_text(head + "\t".join(["time", *names]) + "\n" + text + "\n")
