"""Rejects passwords near a dictionary or too common here: libnearmiss for Python."""

from __future__ import annotations

import ctypes
import os
from typing import Iterable, Optional, Union

from . import _library

__all__ = ["Answer", "Checker", "Error", "LibraryMissing", "Rejected", "Text", "Unusable", "version"]

Text = Union[str, bytes]


class Error(Exception):
    """A password must not be set. The text is for the user, ``detail`` a line for the administrator's log."""

    def __init__(self, sentence: str, detail: str = "") -> None:
        super().__init__(sentence)
        self.detail = detail


class Rejected(Error, ValueError):
    """The password is weak: the text says why, and ``code`` is the stable name of the reason."""

    def __init__(self, sentence: str, code: str, detail: str = "") -> None:
        super().__init__(sentence, detail)
        self.code = code


class Unusable(Error):
    """The password was not checked: a filter, the ladder or the configuration cannot be used."""


class LibraryMissing(Unusable):
    """``libnearmiss.so.1`` is not installed, or not in the loader's path."""

    def __init__(self, why: str) -> None:
        super().__init__(
            "the password check on this system is not installed, so passwords cannot be changed now; "
            "your password is not at fault",
            f"{why}: install the package libnearmiss1 (Debian, Ubuntu), or put what "
            f"packaging/servers.sh of nearmiss builds into the loader's path",
        )

    def __str__(self) -> str:
        return f"{self.args[0]} ({self.detail})"


class Answer:
    """The result of a check. It is true if the password may be set.

    ``is_accepted`` and ``is_rejected``: both false if the password was not checked. ``code``: the stable name
    of the reason, ``"none"`` without a reason. ``sentence``: a clause for the user. ``detail``: a line for
    the administrator's log. None of them contains any part of the password.
    """

    def __init__(self, library: ctypes.CDLL, answer: _library.Answer) -> None:
        self.is_accepted: bool = answer.verdict == _library.ACCEPTED
        self.is_rejected: bool = answer.verdict == _library.REJECTED
        self.code: str = library.nearmiss_reason_code(answer.reason).decode("ascii")
        self.sentence: str = answer.sentence.decode("utf-8", "replace")
        self.detail: str = answer.detail.decode("utf-8", "replace")

    def __bool__(self) -> bool:
        return self.is_accepted

    def __repr__(self) -> str:
        verdict = "accepted" if self.is_accepted else "rejected" if self.is_rejected else "unusable"
        return f"<nearmiss.Answer {verdict} code={self.code!r} detail={self.detail!r}>"


def version() -> str:
    """The version of libnearmiss, ``"1.0.0"`` for instance.

    Raises :class:`LibraryMissing` if it is not installed.
    """
    text: bytes = _load().nearmiss_version()
    return text.decode("ascii")


def _load() -> ctypes.CDLL:
    try:
        return _library.load()
    except OSError as error:
        raise LibraryMissing(str(error)) from None


def _texts(**given: Optional[object]) -> None:
    """Checks that each is text, bytes or not given: anything else is an error of the program."""
    for name, value in given.items():
        if value is not None and not isinstance(value, (str, bytes)):
            raise TypeError(f"{name} must be str or bytes, not {type(value).__name__}")


def _lines(gecos: Optional[Text], names: Iterable[Text]) -> Optional[bytes]:
    """The real name, and each further name on a separate line."""
    if isinstance(names, (str, bytes)):
        raise TypeError("names must be several names, not one")
    values = [] if gecos is None else [gecos]
    for value in names:
        _texts(names=value)
        values.append(value)
    joined = b"\n".join(_library.encoded(value).replace(b"\n", b" ") for value in values if value)
    return joined or None


class Checker:
    """An opened configuration, with its filters and ladders. Many threads may use it, also after ``fork``."""

    def __init__(self, configuration: Union[str, os.PathLike[str], None] = None) -> None:
        """Opens a configuration.

        configuration: an absolute path; None for ``/etc/security/nearmiss.conf``.

        Each check reports parts that cannot be used, until they are repaired. Raises
        :class:`LibraryMissing` if libnearmiss is not installed, and :class:`Unusable` if the path
        cannot be that of a configuration.
        """
        self._library, self._handle = _load(), ctypes.c_void_p()
        self.configuration = configuration
        answer = _library.answer()
        path = None if configuration is None else os.fsencode(configuration)
        self._library.nearmiss_open(path, ctypes.byref(self._handle), ctypes.byref(answer))
        if not self._handle:
            raise Unusable(answer.sentence.decode(), answer.detail.decode("utf-8", "replace"))

    def __del__(self) -> None:
        handle = self.__dict__.pop("_handle", None)
        if handle:
            self._library.nearmiss_free(handle)

    def __repr__(self) -> str:
        return f"<nearmiss.Checker {str(self.configuration or '/etc/security/nearmiss.conf')!r}>"

    def ask(
        self,
        password: Text,
        user: Optional[Text] = None,
        gecos: Optional[Text] = None,
        host: Optional[Text] = None,
        old_password: Optional[Text] = None,
        *,
        names: Iterable[Text] = (),
        language: Optional[str] = None,
    ) -> Answer:
        """The :class:`Answer` about a password, whatever it is.

        password: the new password; text is encoded as UTF-8.
        user: the account's name, which the password must not be near.
        gecos: the person's name, or a GECOS field.
        host: a host name; None for this machine's, ``""`` for none.
        old_password: the password that it replaces, where it was typed.
        names: further names of the person, such as an address: each counts whole and in words.
        language: of the sentence, as in RFC 5646 (``"de"``, ``"pt-br"``); English where it has none.

        Raises :class:`TypeError` for anything that is not text, None as password included.
        """
        if password is None:
            raise TypeError("password must be str or bytes, not NoneType")
        _texts(password=password, user=user, gecos=gecos, host=host, old_password=old_password)
        _texts(language=language)
        secret, old = _library.Secret(password), _library.Secret(old_password)
        question = _library.Question(
            ctypes.sizeof(_library.Question),
            secret.place,
            secret.bytes,
            old.place,
            old.bytes,
            _library.name(user),
            _library.name(_lines(gecos, names)),
            _library.name(host),
            _library.name(language),
        )
        answer = _library.answer()
        try:
            self._library.nearmiss_check(self._handle, ctypes.byref(question), ctypes.byref(answer))
        finally:
            secret.wipe()
            old.wipe()
        return Answer(self._library, answer)

    def check(
        self,
        password: Text,
        user: Optional[Text] = None,
        gecos: Optional[Text] = None,
        host: Optional[Text] = None,
        old_password: Optional[Text] = None,
        *,
        names: Iterable[Text] = (),
        language: Optional[str] = None,
    ) -> None:
        """Returns if a password may be set. The arguments are the same as for :meth:`ask`.

        Raises :class:`Rejected` if the password is weak, :class:`Unusable` if it was not checked.
        """
        answer = self.ask(password, user, gecos, host, old_password, names=names, language=language)
        if answer.is_rejected:
            raise Rejected(answer.sentence, answer.code, answer.detail)
        if not answer.is_accepted:
            raise Unusable(answer.sentence, answer.detail)
