"""Rejects passwords near a dictionary or too common here: libnearmiss by ctypes."""

import ctypes
import os

__all__ = ["Answer", "Checker", "Error", "Rejected", "Unusable", "version"]

_ACCEPTED, _REJECTED = 0, 1


class Error(Exception):
    """A password must not be set. ``detail`` is a line for the administrator's log."""

    def __init__(self, sentence, detail=""):
        super().__init__(sentence)
        self.detail = detail


class Rejected(Error, ValueError):
    """The password is weak: the text says why, and ``code`` is the stable name of the reason."""

    def __init__(self, sentence, code, detail=""):
        super().__init__(sentence, detail)
        self.code = code


class Unusable(Error):
    """The password was not checked: a filter, the ladder or the configuration cannot be used."""


class _Question(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("password", ctypes.c_void_p),
        ("password_bytes", ctypes.c_size_t),
        ("old_password", ctypes.c_void_p),
        ("old_password_bytes", ctypes.c_size_t),
        ("user", ctypes.c_char_p),
        ("gecos", ctypes.c_char_p),
        ("host", ctypes.c_char_p),
    ]


class _Answer(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("verdict", ctypes.c_int32),
        ("reason", ctypes.c_int32),
        ("sentence", ctypes.c_char * 256),
        ("detail", ctypes.c_char * 512),
    ]


class Answer:
    """What a check comes to: ``is_accepted``, ``code``, ``sentence`` and ``detail``."""

    def __init__(self, library, answer):
        self.is_accepted = answer.verdict == _ACCEPTED
        self.is_rejected = answer.verdict == _REJECTED
        self.code = library.nearmiss_reason_code(answer.reason).decode("ascii")
        self.sentence = answer.sentence.decode("utf-8", "replace")
        self.detail = answer.detail.decode("utf-8", "replace")

    def __bool__(self):
        return self.is_accepted


class _Secret:
    """A password's bytes in memory that is wiped: Python's own copies are beyond reach."""

    def __init__(self, text):
        data = b"" if text is None else _bytes(text)
        self.bytes = len(data)
        self._memory = ctypes.create_string_buffer(data, len(data) + 1)
        self.place = None if text is None else ctypes.addressof(self._memory)

    def wipe(self):
        ctypes.memset(self._memory, 0, self.bytes)


def _bytes(text):
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogatepass")


def _name(text):
    """A name for C, which ends at a null byte."""
    return None if text is None else _bytes(text).split(b"\0", 1)[0]


def _load():
    library = ctypes.CDLL("libnearmiss.so.1")
    handle, answer = ctypes.c_void_p, ctypes.POINTER(_Answer)
    library.nearmiss_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(handle), answer]
    library.nearmiss_check.argtypes = [handle, ctypes.POINTER(_Question), answer]
    library.nearmiss_free.argtypes = [handle]
    library.nearmiss_free.restype = None
    library.nearmiss_reason_code.argtypes = [ctypes.c_int]
    library.nearmiss_reason_code.restype = ctypes.c_char_p
    library.nearmiss_version.restype = ctypes.c_char_p
    return library


def version():
    """The version of libnearmiss."""
    return _load().nearmiss_version().decode("ascii")


class Checker:
    """A configuration with everything it names, opened. It may be used by many threads and after ``fork``."""

    def __init__(self, configuration=None):
        """Opens ``configuration`` (``/etc/security/nearmiss.conf``). What cannot be used is reported by each
        check, until it is repaired."""
        self._library, self._handle = _load(), ctypes.c_void_p()
        answer = _Answer(size=ctypes.sizeof(_Answer))
        path = None if configuration is None else os.fsencode(configuration)
        self._library.nearmiss_open(path, ctypes.byref(self._handle), ctypes.byref(answer))
        if not self._handle:
            raise Unusable(answer.sentence.decode(), answer.detail.decode("utf-8", "replace"))

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            self._library.nearmiss_free(handle)

    def ask(self, password, user=None, gecos=None, host=None, old_password=None):
        """The answer about a password, whatever it is."""
        secret, old = _Secret(password), _Secret(old_password)
        question = _Question(
            ctypes.sizeof(_Question),
            secret.place,
            secret.bytes,
            old.place,
            old.bytes,
            _name(user),
            _name(gecos),
            _name(host),
        )
        answer = _Answer(size=ctypes.sizeof(_Answer))
        try:
            self._library.nearmiss_check(self._handle, ctypes.byref(question), ctypes.byref(answer))
        finally:
            secret.wipe()
            old.wipe()
        return Answer(self._library, answer)

    def check(self, password, user=None, gecos=None, host=None, old_password=None):
        """Returns where a password may be set; raises :class:`Rejected` or :class:`Unusable`."""
        answer = self.ask(password, user, gecos, host, old_password)
        if answer.is_rejected:
            raise Rejected(answer.sentence, answer.code, answer.detail)
        if not answer.is_accepted:
            raise Unusable(answer.sentence, answer.detail)
