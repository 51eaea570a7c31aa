"""What people look at, all of it made from the tables on disk.

``clip_tables`` reads a clip's folder. ``page`` makes ``report.html``: words and tables from
``facts`` (with the ``verdict`` on the quality figures, ``notes`` on what to do and the ISB
``checklist``), series for the scripts from ``payload`` (``joint_choice``, the
``mannequin`` of the player).
``index_page`` shows a batch, ``comparison_page`` two runs, ``inspection`` a file before it is
analysed, ``figures`` the same curves in a notebook, ``cycle_figure`` gait cycles as in a paper (by
the ``means`` over strides or people), ``notebook`` results by themselves. ``markup`` and
``packing`` put pages together from ``assets/``.
"""
