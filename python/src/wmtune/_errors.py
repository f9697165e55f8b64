"""What goes wrong, as exceptions. Their texts are the sentences of the command, with arguments for its flags."""


class Error(RuntimeError):
    """wmtune could not do what it was asked for."""


class UsageError(Error, ValueError):
    """An argument has a value that wmtune rejects (exit code 2 of the command)."""


class OptionError(UsageError, TypeError):
    """An option has a name that wmtune does not know."""


class MissingFileError(Error, FileNotFoundError):
    """A file or a folder is missing."""


class NothingFoundError(Error):
    """Nothing correct was found, or a tuned result is missing (exit code 3 of the command)."""


class ClosedError(Error):
    """A model was called after `close`."""


class CopyWarning(UserWarning):
    """An array had to be copied before the model could read it."""
