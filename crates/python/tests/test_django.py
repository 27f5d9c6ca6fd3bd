"""The validator in a Django project of one file."""

import os
import unittest
from unittest import mock

import django
from django.conf import settings

CONF = os.environ["NEARMISS_TEST_CONF"]
settings.configure(
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes"],
    AUTH_PASSWORD_VALIDATORS=[
        {"NAME": "nearmiss.django.NearmissValidator", "OPTIONS": {"configuration": CONF}}
    ],
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.auth.password_validation import (
    password_validators_help_texts,
    validate_password,
)  # noqa: E402
from django.core.exceptions import ValidationError  # noqa: E402

from django.utils import translation  # noqa: E402

from nearmiss import _library  # noqa: E402
from nearmiss.django import NearmissValidator  # noqa: E402

ANNA = User(username="annabella", first_name="Zebulon", last_name="Quist", email="quetzalcoatl@example.org")


class ValidatorTest(unittest.TestCase):
    def rejected(self, password, user=None):
        with self.assertRaises(ValidationError) as caught:
            validate_password(password, user)
        return caught.exception.error_list[0]

    def test_django_rejects_and_takes(self):
        validate_password("correct-horse-battery")
        validate_password("correct-horse-battery", ANNA)
        self.assertEqual(self.rejected("elephqnt1").code, "near-dictionary")
        self.assertEqual(self.rejected("Passw0rd2026!").code, "dictionary")
        self.assertIn("one or two characters away", self.rejected("elephqnt1").messages[0])

    def test_what_django_knows_of_the_user_counts(self):
        self.assertEqual(self.rejected("annabella7", ANNA).code, "near-user-name")
        self.assertEqual(self.rejected("zebulon88", ANNA).code, "near-real-name")
        self.assertEqual(self.rejected("Quetzalcoatl", ANNA).code, "near-real-name")

    def test_each_attribute_counts_whole_and_in_words(self):
        anna = User(
            username="anna",
            first_name="Anna",
            last_name="Zwiebelkorn",
            email="annabella.z@kornfelder.example",
        )
        for password in [anna.email, "annabella.z", "annazwiebelkorn", "Zwiebelkorn7", "kornfelder"]:
            self.assertEqual(self.rejected(password, anna).code, "near-real-name", password)
        validate_password("correct-horse-battery", anna)

    def test_the_sentence_is_in_the_language_of_the_site(self):
        with translation.override("de"):
            self.assertIn("Es hat weniger als 8 Zeichen", self.rejected("short").messages[0])
        with translation.override("pt-br"):
            self.assertNotIn("shorter", self.rejected("short").messages[0])

    def test_a_missing_library_refuses_the_form(self):
        validator = NearmissValidator(CONF)
        with mock.patch.object(_library, "LIBRARY", "libnearmiss-is-not-here.so.1"):
            with self.assertLogs("nearmiss", "CRITICAL") as logged, self.assertRaises(ValidationError):
                validator.validate("correct-horse-battery")
        self.assertIn("install the package libnearmiss1", logged.output[0])
        validator.validate("correct-horse-battery")

    def test_the_help_text_says_what_to_do(self):
        self.assertIn("several unrelated words", password_validators_help_texts()[0])

    def test_nothing_is_taken_without_a_configuration(self):
        validator = NearmissValidator(configuration="/nonexistent/nearmiss.conf")
        with self.assertLogs("nearmiss", "CRITICAL") as logged, self.assertRaises(ValidationError) as caught:
            validator.validate("correct-horse-battery")
        self.assertEqual(caught.exception.code, "unusable")
        self.assertIn("/nonexistent", logged.output[0])
        self.assertNotIn("/nonexistent", caught.exception.messages[0])


if __name__ == "__main__":
    unittest.main()
