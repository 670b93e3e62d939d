"""Uploads the event files of a log directory, exactly once, from where the service has them."""

from .uploader import UploadOptions, UploadResult, upload
from .watcher import Watcher

__all__ = ["UploadOptions", "UploadResult", "Watcher", "upload"]
