"""What the package tests take from the module's own: dialogues with a terminal, mounts, a /dev with
terminals."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/tools"))

from dialogue import ANY_PROMPT, Dialogue  # noqa: E402
from scenario import make_dev, mount  # noqa: E402

__all__ = ["ANY_PROMPT", "Dialogue", "make_dev", "mount"]
