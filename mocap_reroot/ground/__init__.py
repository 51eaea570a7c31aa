"""Ground: the wrench of the ground on every limb that carries.

``estimate`` tells the story. ``consistent`` is one problem for all of it, whose numbers are in
``mocap_reroot.parameters``: ``piece`` is what a run of frames tells (``whole`` body, ``limbs`` over
their stances, on ``knots``), ``terms`` what is known (``rows`` collects it), ``problem`` puts a
window together and solves it, ``windows`` join; ``correction`` moves the root's path (``turning``),
``closing`` brings wrenches to full rate, ``elsewhere`` names a push that no limb explains,
``settled`` says who stood when. ``plates`` says whether force plates are used, ``weighing`` how
heavy the person is by them, ``trunk_centre`` where the trunk's mass is, ``segment_masses`` what the
parts weigh, and ``known`` which wrenches need no estimate. ``filtered`` is the textbook's way,
without a problem.
``clip_fit`` gives a clip the momentum that was estimated, with feet that stand.
"""
