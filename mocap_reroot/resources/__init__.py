"""Resources: what a clip takes of the machine.

``memory`` refuses what does not fit, ``cores`` counts processors, ``scratch`` makes temporary
folders that can be found again, ``clips`` says which files are meant by paths and patterns, and
where their results go, ``csv_text`` keeps texts in CSV from being taken for formulas.
"""
