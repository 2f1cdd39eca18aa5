"""The methods of the wire: the table, who does them, and who looks on."""
