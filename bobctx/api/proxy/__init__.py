"""The reverse proxy: a host's own requests on their way to the provider, recorded and, in `live`, made to fit."""
