"""What a daemon tells about itself: figures, spans, its log, and whether its loop turns."""
