"""Needs libnearmiss.so.1 in the loader's path, and NEARMISS_TEST_CONF: a site that knows "elephant"."""

import gc
import os
import threading
import unittest
from unittest import mock

import nearmiss

CONF = os.environ["NEARMISS_TEST_CONF"]
GOOD = "correct-horse-battery"


class CheckerTest(unittest.TestCase):
    def setUp(self):
        self.checker = nearmiss.Checker(CONF)

    def test_a_good_password_returns(self):
        self.assertIsNone(self.checker.check(GOOD))
        self.assertTrue(self.checker.ask(GOOD))
        self.assertRegex(nearmiss.version(), r"^\d+\.\d+\.\d+$")

    def test_a_weak_one_raises_with_code_and_sentence(self):
        with self.assertRaises(nearmiss.Rejected) as caught:
            self.checker.check("elephqnt1")
        self.assertEqual(caught.exception.code, "near-dictionary")
        self.assertIn("one or two characters away", str(caught.exception))
        self.assertNotIn("eleph", str(caught.exception))

    def test_what_is_known_of_the_user_counts(self):
        for code, known in {
            "near-user-name": {"user": "annabella"},
            "near-real-name": {"gecos": "Annabella Quist"},
            "near-host-name": {"host": "annabella"},
            "near-old-password": {"old_password": "Annabella!"},
        }.items():
            self.assertEqual(self.checker.ask("annabella!", **known).code, code)

    def test_odd_arguments_have_an_answer(self):
        self.assertEqual(self.checker.ask("").code, "empty")
        self.assertEqual(self.checker.ask("q" * 100_000).code, "too-long")
        self.assertTrue(self.checker.ask(b"\xff\xfe\x00 any bytes \x80"))
        self.assertTrue(self.checker.ask("lone \udc80 surrogate", user="nul\0byte"))

    def test_what_is_no_text_is_a_mistake_of_the_program(self):
        for wrong in [None, 5, ["elephant"], object()]:
            with self.assertRaises(TypeError):
                self.checker.check(wrong)
        for known in ["user", "gecos", "host", "old_password", "language"]:
            with self.assertRaises(TypeError, msg=known):
                self.checker.ask(GOOD, **{known: 5})
        for names in ["Anna", [5]]:
            with self.assertRaises(TypeError):
                self.checker.ask(GOOD, names=names)

    def test_each_name_counts_whole_and_in_words(self):
        names = ["annabella.z@kornfelder.example", "annabella.z", "Anna Zwiebelkorn"]
        for password in [*names, "annazwiebelkorn", "Kornfelder1"]:
            self.assertEqual(self.checker.ask(password, names=names).code, "near-real-name", password)

    def test_the_sentence_is_in_the_language_asked_for(self):
        german = self.checker.ask("short", language="de-at").sentence
        self.assertTrue(german.startswith("Es hat weniger als 8 Zeichen"), german)
        self.assertIn("shorter than 8", self.checker.ask("short", language="tlh").sentence)

    def test_what_is_shown_of_an_answer_has_nothing_of_the_password(self):
        shown = repr(self.checker.ask("elephqnt1"))
        self.assertEqual(shown, "<nearmiss.Answer rejected code='near-dictionary' detail=''>")
        self.assertEqual(repr(self.checker), f"<nearmiss.Checker {CONF!r}>")

    def test_a_missing_library_says_what_to_install(self):
        with mock.patch.object(nearmiss._library, "LIBRARY", "libnearmiss-is-not-here.so.1"):
            for act in [nearmiss.Checker, nearmiss.version]:
                with self.assertRaises(nearmiss.LibraryMissing) as caught:
                    act()
                self.assertIn("install the package libnearmiss1", str(caught.exception))

    def test_a_missing_configuration_is_never_an_acceptance(self):
        checker = nearmiss.Checker("/nonexistent/nearmiss.conf")
        with self.assertRaises(nearmiss.Unusable) as caught:
            checker.check(GOOD)
        self.assertIn("/nonexistent", caught.exception.detail)
        with self.assertRaises(nearmiss.Unusable):
            nearmiss.Checker("relative.conf")

    def test_many_threads(self):
        wrong = []

        def ask():
            for _ in range(200):
                if self.checker.ask(GOOD).code != "none" or self.checker.ask("elephant").code != "dictionary":
                    wrong.append(1)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_checker_is_freed(self):
        def maps():
            with open("/proc/self/maps", encoding="ascii") as file:
                return sum("words.filter" in line for line in file)

        before = maps()
        checkers = [nearmiss.Checker(CONF) for _ in range(10)]
        self.assertEqual(maps(), before + 10)
        del checkers
        gc.collect()
        self.assertEqual(maps(), before)


if __name__ == "__main__":
    unittest.main()
