"""OpenSim as a peer: what its own solver says of a model in a state, and models that it writes."""

import numpy as np
import pytest

opensim = pytest.importorskip("opensim")
opensim.Logger.setLevelString("off")


class Peer:
    """A model in OpenSim, its forces off; coordinates by name."""

    def __init__(self, path, loads=None, bodies=()) -> None:
        """Take a model, and a table of wrenches at the origins of bodies, ``<body>_f_x`` …"""
        self.model = opensim.Model(str(path))
        self.model.finalizeConnections()
        for k in range(self.model.getForceSet().getSize()):
            self.model.getForceSet().get(k).set_appliesForce(False)
        if bodies:
            file = loads.with_suffix(".xml")
            file.write_text(external_loads(loads.name, bodies))
            self.model.addModelComponent(opensim.ExternalLoads(str(file), True))
        self.state = self.model.initSystem()
        chosen = self.model.getCoordinateSet()
        self.coordinates = [chosen.get(k) for k in range(chosen.getSize())]
        self.names = [coordinate.getName() for coordinate in self.coordinates]
        self.solver = opensim.InverseDynamicsSolver(self.model)
        for coordinate in self.coordinates:
            coordinate.setLocked(self.state, False)
        self.rows = {}
        for name, coordinate in zip(self.names, self.coordinates, strict=True):
            before = self.state.getU().to_numpy()
            coordinate.setSpeedValue(self.state, 7.25)
            self.rows[name] = int(np.argmax(np.abs(self.state.getU().to_numpy() - before)))

    def place(self, names, value, speed) -> None:
        chosen = self.model.getCoordinateSet()
        for name, x, v in zip(names, value, speed, strict=True):
            chosen.get(name).setValue(self.state, x, False)
            chosen.get(name).setSpeedValue(self.state, v)
        self.model.realizeDynamics(self.state)

    def forces(self, names, value, speed, acceleration, time: float = 0.0) -> np.ndarray:
        """Return the generalised forces that the solver finds, in the order of the names."""
        self.state.setTime(time)
        self.place(names, value, speed)
        rates = np.zeros(self.state.getNU())
        rates[[self.rows[name] for name in names]] = acceleration
        found = self.solver.solve(self.state, opensim.Vector.createFromMat(rates)).to_numpy()
        return found[[self.rows[name] for name in names]]

    def point(self, body: str, place) -> np.ndarray:
        found = self.model.getBodySet().get(body)
        return found.findStationLocationInGround(self.state, opensim.Vec3(*place)).to_numpy()


def external_loads(table: str, bodies) -> str:
    forces = "".join(
        f"""<ExternalForce name="on_{body}"><applied_to_body>{body}</applied_to_body>
        <force_expressed_in_body>ground</force_expressed_in_body>
        <point_expressed_in_body>ground</point_expressed_in_body>
        <force_identifier>{body}_f_</force_identifier>
        <point_identifier>{body}_p_</point_identifier>
        <torque_identifier>{body}_t_</torque_identifier></ExternalForce>"""
        for body in bodies
    )
    return f"""<?xml version="1.0"?><OpenSimDocument Version="40000"><ExternalLoads name="loads">
      <objects>{forces}</objects><datafile>{table}</datafile></ExternalLoads></OpenSimDocument>"""


def chain_of_all_joints(path) -> None:
    """Write a model with a joint of every kind, frames turned and shifted on both sides."""
    rng = np.random.default_rng(3)
    model = opensim.Model()
    model.setName("all_joints")
    kinds = ("Free", "Ball", "Universal", "Planar", "Slider", "Gimbal", "Pin", "Weld", "Ball")
    above = model.getGround()
    for k, kind in enumerate(kinds):
        xx, yy, zz = rng.uniform(0.2, 0.3, 3)
        inertia = opensim.Inertia(xx, yy, zz, 0.01, -0.02, 0.03)
        body = opensim.Body(f"b{k}", rng.uniform(1, 5), opensim.Vec3(*rng.normal(size=3)), inertia)
        model.addBody(body)
        ends = [opensim.Vec3(*rng.normal(size=3)) for _ in range(4)]
        joint = getattr(opensim, f"{kind}Joint")(
            f"j{k}", above, ends[0], ends[1], body, ends[2], ends[3]
        )
        for c in range(joint.numCoordinates()):
            joint.upd_coordinates(c).setName(f"q{k}{c}")
        model.addJoint(joint)
        model.addMarker(opensim.Marker(f"m{k}", body, opensim.Vec3(*rng.normal(size=3))))
        above = body if k != 4 else above
    model.finalizeConnections()
    model.printToXML(str(path))
