"""Ground: the wrench of the ground on every limb that carries.

``estimate`` tells the story: ``carriers`` settles, by the forces, who carries; ``placing`` and
``support`` say where, ``sharing`` divides the load between feet (``admissible``: what feet can do;
``effort``: one of the rules), ``plates`` puts measured forces in their place, ``weighing`` tells
how heavy the person is by them and ``segment_masses`` what the parts weigh.
"""
