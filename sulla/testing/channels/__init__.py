"""What a channel is tried with: fakes of services' wires, and the conformance kit."""
