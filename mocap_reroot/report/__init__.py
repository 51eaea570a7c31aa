"""Reports: pages, plots and grades, made from the tables on disk.

``verdict`` grades a clip, ``notes`` says in the terminal what to do. ``page`` makes
``report.html``: ``clip_tables`` reads the clip's folder, ``facts`` gives text and tables (with the
ISB ``checklist``), ``payload`` the series for the scripts (``joint_choice``, ``mannequin``);
``packing`` and ``markup`` put pages together from ``assets/``. Other pages: ``index_page`` (a
batch), ``comparison_page`` (two runs), ``inspection`` (a file before it is analysed). In Python:
``figures``, ``cycle_figure`` with ``means`` over strides or subjects, ``notebook``.
"""
