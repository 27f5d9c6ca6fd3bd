"""The functions and structures of nearmiss.h, by ctypes: only this file calls the library."""

from __future__ import annotations

import ctypes
from typing import Optional, Union

LIBRARY = "libnearmiss.so.1"
ACCEPTED, REJECTED = 0, 1


class Question(ctypes.Structure):
    """``struct nearmiss_question``."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("password", ctypes.c_void_p),
        ("password_bytes", ctypes.c_size_t),
        ("old_password", ctypes.c_void_p),
        ("old_password_bytes", ctypes.c_size_t),
        ("user", ctypes.c_char_p),
        ("gecos", ctypes.c_char_p),
        ("host", ctypes.c_char_p),
        ("language", ctypes.c_char_p),
    ]


class Answer(ctypes.Structure):
    """``struct nearmiss_answer``."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("verdict", ctypes.c_int32),
        ("reason", ctypes.c_int32),
        ("sentence", ctypes.c_char * 256),
        ("detail", ctypes.c_char * 512),
    ]


def answer() -> Answer:
    """An answer that the library may fill."""
    return Answer(size=ctypes.sizeof(Answer))


def load() -> ctypes.CDLL:
    """The library with the types of its functions; :class:`OSError` if it is not installed."""
    library = ctypes.CDLL(LIBRARY)
    handle, told = ctypes.c_void_p, ctypes.POINTER(Answer)
    library.nearmiss_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(handle), told]
    library.nearmiss_check.argtypes = [handle, ctypes.POINTER(Question), told]
    library.nearmiss_free.argtypes = [handle]
    library.nearmiss_free.restype = None
    library.nearmiss_reason_code.argtypes = [ctypes.c_int]
    library.nearmiss_reason_code.restype = ctypes.c_char_p
    library.nearmiss_version.restype = ctypes.c_char_p
    return library


class Secret:
    """A password's bytes in memory that is wiped: Python's own copies are beyond reach."""

    def __init__(self, text: Optional[Union[str, bytes]]) -> None:
        data = b"" if text is None else encoded(text)
        self.bytes = len(data)
        self._memory = ctypes.create_string_buffer(data, len(data) + 1)
        self.place = None if text is None else ctypes.addressof(self._memory)

    def wipe(self) -> None:
        """Wipes this memory."""
        ctypes.memset(self._memory, 0, self.bytes)


def encoded(text: Union[str, bytes]) -> bytes:
    """The bytes of a text."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def name(text: Optional[Union[str, bytes]]) -> Optional[bytes]:
    """A name for C, truncated at a null byte."""
    return None if text is None else encoded(text).split(b"\0", 1)[0]
