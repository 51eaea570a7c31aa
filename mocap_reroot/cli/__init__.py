"""Command line: ``mocap-reroot``. Heavy modules load only when a command needs them.

``options`` and ``parallel`` make a configuration of flags, ``warming`` compiles what is missing;
the commands are in ``analysing``, ``batching``, ``converting``, ``reporting`` and ``simulating``.
"""

from __future__ import annotations

import os
import sys
import warnings
from io import TextIOWrapper

import click

from mocap_reroot.cli.analysing import inspect, run
from mocap_reroot.cli.batching import batch, subjects
from mocap_reroot.cli.converting import convert
from mocap_reroot.cli.options import complain
from mocap_reroot.cli.reporting import compare, report
from mocap_reroot.cli.simulating import simulate
from mocap_reroot.cli.warming import warmup
from mocap_reroot.errors import ConfigError, MocapRerootError
from mocap_reroot.resources.search_path import leave_working_directory
from mocap_reroot.version import __version__

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@click.group(context_settings=CONTEXT)
@click.version_option(__version__, prog_name="mocap-reroot")
def app() -> None:
    """From a motion-capture file to joint torques and ground forces, without force plates.

    \b
    mocap-reroot inspect walk.bvh                what is in the file
    mocap-reroot run walk.bvh -o out             torques, ground forces, report
    mocap-reroot batch recordings -o out         a whole folder, in parallel
    mocap-reroot subjects recordings -o who.csv  who is who, for batch --subjects who.csv
    mocap-reroot convert walk.bvh -o out --root LeftFoot
    """


for command in (inspect, run, batch, subjects, convert, report, warmup, compare, simulate):
    app.add_command(command)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; exit 0: all done, 1: some input failed, 2: wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in given
    if arguments is None:  # a command of its own, not a call from somebody's program
        leave_working_directory()
    for stream in (sys.stdout, sys.stderr):  # a name that a terminal cannot show ends nothing
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if not debug:  # an overflow on the way is said by a flag or a sentence, not by NumPy
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        os.environ.setdefault("PYTHONWARNINGS", "ignore::RuntimeWarning")  # workers' too
    try:
        code = app(given, prog_name="mocap-reroot", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        code = leaving.exit_code
    except click.UsageError as error:
        error.show()
        code = 2
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt) as error:
        if isinstance(error.__cause__, EOFError):  # click takes that for a user who goes
            complain(error.__cause__, debug)
            code = 1
        else:
            click.echo("Stopped.", err=True)
            code = 130
    except MocapRerootError as error:
        complain(error, debug)
        code = 2 if isinstance(error, ConfigError) else 1
    except Exception as error:  # a bug of ours is still a sentence
        complain(error, debug)
        code = 1
    sys.exit(code if isinstance(code, int) else 0)
