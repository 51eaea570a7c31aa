"""Contacts: the ground, which part of the body stands on it, when, and the phases that follow.

``detection`` tells the story. What there is to see comes first (``observation``): ``limbs`` that
may carry, a ``survey`` of the whole body, smooth ``paths`` of the parts, how feet stand before the
ground is known (``standing``), their ``soles``, the ``ground``, and the ``weight`` that it must
bear; then the ``pads`` that may carry beside the feet: hands, knees, seat. Then it is decided:
``stances`` from height and speed, ``chairs`` where somebody sits, ``carrying`` where a body that
does not fall needs somebody, ``balance`` where the push of the ground tells one foot from the
other; or ``from_plates`` and ``given``, where it was measured or told; ``plate_rules`` is what a
plate must obey before it is believed. At last ``parts`` (heel or toes), ``phases``,
``gait`` and ``activity``. ``signals`` holds the filters that all of them use.
``pinning`` holds stance feet (``footing``) where they stand. Once contacts are known, ``placing``
and ``support`` say where soles are and what they stand on, and ``plate_feet`` which plate bears
which foot.
"""
