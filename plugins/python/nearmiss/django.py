"""A validator for Django's ``AUTH_PASSWORD_VALIDATORS``."""

import logging

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from nearmiss import Checker, Rejected, Unusable

_LOGGER = logging.getLogger("nearmiss")


class NearmissValidator:
    """Rejects passwords in a dictionary, near to a word of it, or near what is known of the user."""

    USER_ATTRIBUTES = ("username", "first_name", "last_name", "email")

    def __init__(self, configuration=None, user_attributes=USER_ATTRIBUTES):
        self.checker = Checker(configuration)
        self.user_attributes = tuple(user_attributes)

    def validate(self, password, user=None):
        try:
            # The host of a web application is not the machine it happens to run on.
            self.checker.check(password, user=self._user(user), gecos=self._names(user), host="")
        except Rejected as rejected:
            raise ValidationError(
                _("The password cannot be used: %(reason)s."),
                code=rejected.code,
                params={"reason": str(rejected)},
            ) from None
        except Unusable as unusable:
            _LOGGER.critical("no password can be checked: %s", unusable.detail)
            raise ValidationError(
                _("No password can be set now: %(reason)s."),
                code="unusable",
                params={"reason": str(unusable)},
            ) from None

    def get_help_text(self):
        return _(
            "Your password must not be a common password or a word, or near to one: "
            "several unrelated words are a good choice."
        )

    def _user(self, user):
        get_username = getattr(user, "get_username", None)
        return get_username() if get_username else None

    def _names(self, user):
        """The user's attributes in one line, as in a GECOS field; of an address the part before the @."""
        values = (str(getattr(user, name, None) or "") for name in self.user_attributes)
        return ",".join(value.split("@")[0] for value in values)
