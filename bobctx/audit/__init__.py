"""What a tool's own compactions kept of a transcript: claims checked against the summary that replaced it.

`audit_file` reads one transcript, `files_in` finds them under a folder (design, section 12).
"""

from bobctx.audit.report import CompactionAudit, FileAudit, audit_file
from bobctx.audit.summaries import files_in

__all__ = ["CompactionAudit", "FileAudit", "audit_file", "files_in"]
