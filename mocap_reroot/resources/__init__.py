"""Resources: what a clip takes of the machine.

``memory`` refuses what does not fit, ``cores`` counts processors, ``processes`` bounds and counts
what is started for a clip, ``search_path`` keeps it from importing what lies beside the data,
``drafts`` makes hidden and temporary folders that we can tell from everybody else's,
``clips`` says which files are meant by paths and patterns, and where their results go, ``csv_text``
keeps texts in CSV from being taken for formulas, ``package_data`` reads tables beside our modules.
"""
