"""Readers of transcripts that other tools wrote: one module per format, pure reading, nothing recorded.

`read(path)` detects the format and gives messages ready to record; what was left out is counted by reason.
"""

from bobctx.importers.detect import FORMATS, detect, read, read_all
from bobctx.importers.transcript import Transcript

__all__ = ["FORMATS", "Transcript", "detect", "read", "read_all"]
