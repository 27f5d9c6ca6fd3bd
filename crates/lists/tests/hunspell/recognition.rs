//! Which files look like hunspell's.

use nearmiss_lists::hunspell::{looks_like_affixes, looks_like_dictionary};

#[test]
fn plain_lists_are_no_dictionaries() {
    for list in [
        "",
        "\n",
        "12\n",
        "and/or\nhis/her\nkm/h\n",
        "4\nand/or\nhis/her\nkm/h\nein/aus\n",
        "3\n/usr/bin\n/usr/share/dict\nusr/share/WORDS\n",
        "3\nhttps://example.org/A\nhttp://example.org\nftp://example.org/B\n",
        "4\n12/05\n24/12/2020\n1/2\n31/01/1999\n",
        "123456\npassword\n12345678\nqwerty\nabc123\n",
        "1\nalpha/A\nbeta/B\ngamma/A\ndelta/C\nalpha/A\nbeta/B\ngamma/A\ndelta/C\nalpha/A\nbeta/B\ngamma/A\n\
         delta/C\nalpha/A\nbeta/B\ngamma/A\ndelta/C\nalpha/A\nbeta/B\ngamma/A\ndelta/C\n",
        "alpha/A\nbeta/B\n",
        "3\nalpha\nbeta\ngamma\n",
        "0\nalpha/A\n",
    ] {
        assert!(!looks_like_dictionary(list.as_bytes()), "{list:?}");
        assert!(!looks_like_affixes(list.as_bytes()), "{list:?}");
    }
}

#[test]
fn dictionaries_are_recognized() {
    for dic in [
        "2\nalpha/A\nbeta\n",
        "\u{feff}2\r\nalpha/AB\r\nbeta\r\n",
        "5\nA-egg/CG\nA-ene/\nA-er/\nB-er/\nC-er/\n",
        "52037\nalpha/12,5\nbeta/5\ngamma/S po:noun\nkm\\/h\nand\\/or/S\n",
        "9\na/b\nc/bc\nd/b\ne/b\nf/b\ng/b\nh/bc\ni/b\nj/b\nk/b\nl/b\nm/b\nn/b\no/b\np/bc\nq/b\n",
        "3 # remark\nжук/ЁА\nжаба/aA\tpo:noun\nand/or/S\nжа/B\nжук/12\n",
    ] {
        assert!(looks_like_dictionary(dic.as_bytes()), "{dic:?}");
        assert!(!looks_like_affixes(dic.as_bytes()), "{dic:?}");
    }
}

#[test]
fn affix_files_are_recognized() {
    for aff in [
        "SET UTF-8\n",
        "# remark\n\nSET ISO8859-1\r\nTRY esianrtolc\r\nNOSUGGEST !\r\n",
        "TRY esianrtolcdugmphbyfvkwz\n",
        "PFX A Y 1\nPFX A 0 re .\n",
        "FLAG num\nSFX 1 N 2\nSFX 1 0 s .\nSFX 1 0 t",
    ] {
        assert!(looks_like_affixes(aff.as_bytes()), "{aff:?}");
        assert!(!looks_like_dictionary(aff.as_bytes()), "{aff:?}");
    }
    for other in
        ["SET\nTRY\nPFX\nKEY\n", "SET me free\nTRY again\n", "KEY\nREP\nMAP\n", "SET UTF-8\na\nb\nc\nd\n"]
    {
        assert!(!looks_like_affixes(other.as_bytes()), "{other:?}");
    }
}
