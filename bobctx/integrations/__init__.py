"""One module for each host that bobctx plugs into; each loads its host's libraries when it is used."""
