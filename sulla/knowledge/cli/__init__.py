"""`sulla knowledge`."""
