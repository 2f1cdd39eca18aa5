"""What methods are declared with: parameters, rows, the caller, and the table's form. No I/O."""
