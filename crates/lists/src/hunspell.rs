//! Dictionaries of hunspell: the entries of a `.dic` file, expanded by the rules of its `.aff` file.
