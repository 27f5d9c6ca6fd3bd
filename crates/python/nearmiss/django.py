"""A validator for Django's ``AUTH_PASSWORD_VALIDATORS``."""

from __future__ import annotations

import logging
import os
from typing import Any, Iterable, List, Optional, Union

from django.core.exceptions import ValidationError
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from nearmiss import Checker, Rejected, Unusable

_LOGGER = logging.getLogger("nearmiss")


class NearmissValidator:
    """Rejects passwords in a dictionary, near a word of it, or near the user's names."""

    USER_ATTRIBUTES = ("username", "first_name", "last_name", "email")

    def __init__(
        self,
        configuration: Union[str, os.PathLike[str], None] = None,
        user_attributes: Iterable[str] = USER_ATTRIBUTES,
    ) -> None:
        """configuration: another file than ``/etc/security/nearmiss.conf``.
        user_attributes: attributes of the user that a password must not be near, each whole and in words.
        """
        self.configuration = configuration
        self.user_attributes = tuple(user_attributes)
        self._checker: Optional[Checker] = None

    def validate(self, password: str, user: Any = None) -> None:
        """Raises Django's ``ValidationError`` with a code if the password must not be set."""
        try:
            # The host of a web application is not the machine it happens to run on.
            self._opened().check(
                password,
                user=self._user(user),
                host="",
                names=self._names(user),
                language=get_language(),
            )
        except Rejected as rejected:
            raise ValidationError(
                _("The password cannot be used: %(reason)s."),
                code=rejected.code,
                params={"reason": rejected.args[0]},
            ) from None
        except Unusable as unusable:
            _LOGGER.critical("no password can be checked: %s", unusable.detail)
            raise ValidationError(
                _("No password can be set now: %(reason)s."),
                code="unusable",
                params={"reason": unusable.args[0]},
            ) from None

    def get_help_text(self) -> str:
        """The text that Django shows next to the field."""
        return str(
            _(
                "Your password must not be a common password or a word, or near to one: "
                "several unrelated words are a good choice."
            )
        )

    def _opened(self) -> Checker:
        if self._checker is None:
            self._checker = Checker(self.configuration)
        return self._checker

    def _user(self, user: Any) -> Optional[str]:
        get_username = getattr(user, "get_username", None)
        return str(get_username()) if get_username else None

    def _names(self, user: Any) -> List[str]:
        """The user's attributes, each whole; for an address also the part before the @; the full name."""
        get_full_name = getattr(user, "get_full_name", None)
        values = [str(get_full_name())] if get_full_name else []
        values += [str(getattr(user, name, None) or "") for name in self.user_attributes]
        return [name for value in values for name in dict.fromkeys((value, value.split("@")[0])) if name]
