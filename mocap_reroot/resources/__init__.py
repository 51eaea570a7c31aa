"""Resources: files, memory and processes.

``clips`` lists the files meant by paths and patterns, and where their results go; ``memory``
refuses what does not fit, ``cores`` counts processors, ``processes`` limits child processes,
``search_path`` keeps them from importing what lies beside the data, ``package_data`` reads data
files of the package, ``drafts`` makes hidden temporary folders, ``csv_text`` keeps text in CSV from
being taken for formulas.
"""
