"""The errors that a command reports in one line.

    ProjectError
      ConfigError      exit 2   a key or a value that the command does not accept
      ArtifactError    exit 3   an input is missing, or of the wrong kind
      DataError        exit 4   nothing in the input can be read at all

Each message says what was got, what is accepted and what to do. A damaged record inside readable data is no
error: it is counted by its reason and the run goes on. Whatever else is raised is our bug and keeps its traceback.
"""


class ProjectError(Exception):
    """A mistake that the user can mend; `main` prints it in one line and exits with `exit_code`."""

    exit_code = 1


class ConfigError(ProjectError):
    """A config key or value, or a combination of flags, that is not accepted."""

    exit_code = 2


class ArtifactError(ProjectError):
    """An input that is missing or of the wrong kind."""

    exit_code = 3


class DataError(ProjectError):
    """Input that is there but holds nothing that can be read."""

    exit_code = 4
