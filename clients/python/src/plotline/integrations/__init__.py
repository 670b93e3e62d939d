"""Loggers and callbacks for training frameworks. Each module imports its framework; import the one
that you use, such as ``from plotline.integrations.keras import PlotlineCallback``."""
