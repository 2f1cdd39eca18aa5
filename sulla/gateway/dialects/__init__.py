"""What is spoken beside `sulla.v1`: the protocols of clients that connect unmodified, each a projection of one turn."""

from sulla.gateway.dialects.table import DIALECTS, MANNERS, dialect_routes

__all__ = ["DIALECTS", "MANNERS", "dialect_routes"]
