//! The effect of LaTeX commands and environments on the text around them.

/// The treatment of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// The command goes, its options too; its arguments are text.
    Text,
    /// The command goes, and ends a word; its options are text: `\item[Apples]`.
    Item,
    /// The command and its options go and end a word.
    Gap,
    /// The command goes and joins what is around it: `\-`.
    Nothing,
    /// The command goes with all its arguments.
    Arguments,
    /// The command goes with its first argument; the others are text: `\href`.
    FirstArgument,
    /// `\verb` and its like.
    Verbatim,
    /// A formula up to this.
    Formula(&'static str),
    /// `\begin`.
    Begin,
    /// This combining mark belongs to the letter that follows.
    Accent(char),
    /// The command stands for these letters.
    Letters(&'static str),
}

/// The treatment of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Environment {
    /// Its content is text, its options are not.
    Text,
    /// Its content is text, its arguments are not: the columns of a table.
    TextWithArguments,
    /// Formulas, listings, drawings.
    Skipped,
}

/// Commands that name things: none of their arguments is text.
const NAMING: &[&str] = &[
    "addbibresource",
    "addtocounter",
    "addtolength",
    "arraystretch",
    "author",
    "bibitem",
    "bibliography",
    "bibliographystyle",
    "cellcolor",
    "cline",
    "cmidrule",
    "color",
    "cref",
    "Cref",
    "date",
    "DeclareMathOperator",
    "def",
    "definecolor",
    "documentclass",
    "email",
    "end",
    "ensuremath",
    "eqref",
    "fontsize",
    "geometry",
    "gls",
    "glspl",
    "graphicspath",
    "hspace",
    "hyperref",
    "hypersetup",
    "hyphenation",
    "include",
    "includegraphics",
    "includeonly",
    "input",
    "label",
    "let",
    "lstinputlisting",
    "lstset",
    "mathrm",
    "newcommand",
    "newcounter",
    "newenvironment",
    "newglossaryentry",
    "newlength",
    "newtheorem",
    "nocite",
    "pagenumbering",
    "pageref",
    "pagestyle",
    "path",
    "providecommand",
    "ref",
    "renewcommand",
    "renewenvironment",
    "RequirePackage",
    "rowcolor",
    "rule",
    "selectlanguage",
    "setcounter",
    "setlength",
    "si",
    "SI",
    "textcite",
    "texttt",
    "thispagestyle",
    "tikzset",
    "url",
    "usepackage",
    "usetheme",
    "usetikzlibrary",
    "vref",
    "vspace",
];

/// Commands that end a word and have no argument that is text.
const PARTING: &[&str] = &[
    "\\",
    ",",
    ";",
    ":",
    "!",
    " ",
    "\n",
    "\t",
    "linebreak",
    "newline",
    "newpage",
    "par",
    "four_gram",
    "qquad",
    "hfill",
    "tab",
    "LaTeX",
    "TeX",
    "BibTeX",
    "LaTeXe",
    "ldots",
    "dots",
    "textendash",
    "textemdash",
    "hline",
    "toprule",
    "midrule",
    "bottomrule",
];

/// Commands that stand for letters.
const LETTERS: [(&str, &str); 20] = [
    ("aa", "å"),
    ("AA", "Å"),
    ("ae", "æ"),
    ("AE", "Æ"),
    ("oe", "œ"),
    ("OE", "Œ"),
    ("o", "ø"),
    ("O", "Ø"),
    ("l", "ł"),
    ("L", "Ł"),
    ("ss", "ß"),
    ("i", "ı"),
    ("j", "ȷ"),
    ("&", "&"),
    ("%", "%"),
    ("$", "$"),
    ("#", "#"),
    ("_", "_"),
    ("{", "{"),
    ("}", "}"),
];

/// Accents and their combining marks.
const ACCENTS: [(&str, char); 14] = [
    ("'", '\u{301}'),
    ("`", '\u{300}'),
    ("^", '\u{302}'),
    ("\"", '\u{308}'),
    ("~", '\u{303}'),
    ("=", '\u{304}'),
    (".", '\u{307}'),
    ("u", '\u{306}'),
    ("v", '\u{30c}'),
    ("H", '\u{30b}'),
    ("c", '\u{327}'),
    ("d", '\u{323}'),
    ("r", '\u{30a}'),
    ("k", '\u{328}'),
];

/// Environments whose content is no text.
const SKIPPED: &[&str] = &[
    "align",
    "alignat",
    "array",
    "comment",
    "displaymath",
    "eqnarray",
    "equation",
    "flalign",
    "gather",
    "lstlisting",
    "math",
    "minted",
    "multline",
    "pgfpicture",
    "tikzpicture",
    "verbatim",
    "Verbatim",
    "picture",
    "filecontents",
];

/// Environments whose arguments are no text.
const WITH_ARGUMENTS: &[&str] = &[
    "longtable",
    "minipage",
    "multicols",
    "subfigure",
    "subtable",
    "tabu",
    "tabular",
    "tabularx",
    "tabulary",
    "thebibliography",
    "wrapfigure",
    "wraptable",
    "adjustbox",
    "otherlanguage",
];

/// The treatment of the command with this name, without its star.
pub(super) fn treatment(name: &str) -> Treatment {
    if let Some((_, mark)) = ACCENTS.iter().find(|(accent, _)| *accent == name) {
        return Treatment::Accent(*mark);
    }
    if let Some((_, letters)) = LETTERS.iter().find(|(command, _)| *command == name) {
        return Treatment::Letters(letters);
    }
    match name {
        "begin" => Treatment::Begin,
        "(" => Treatment::Formula("\\)"),
        "[" => Treatment::Formula("\\]"),
        "verb" | "lstinline" | "mintinline" => Treatment::Verbatim,
        "href" | "textcolor" | "foreignlanguage" | "colorbox" | "parbox" => Treatment::FirstArgument,
        "item" => Treatment::Item,
        "-" | "/" | "" => Treatment::Nothing,
        _ if NAMING.contains(&name) || is_citation(name) => Treatment::Arguments,
        _ if PARTING.contains(&name) => Treatment::Gap,
        _ => Treatment::Text,
    }
}

/// `\cite` has relatives in every package: `\citep`, `\parencite`, `\footcite`, `\citeauthor` …
fn is_citation(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("cite") || name.ends_with("cite") || name.ends_with("cites") || name.ends_with("citep")
}

/// The treatment of the environment with this name, without its star.
pub(super) fn environment(name: &str) -> Environment {
    if SKIPPED.contains(&name) {
        Environment::Skipped
    } else if WITH_ARGUMENTS.contains(&name) {
        Environment::TextWithArguments
    } else {
        Environment::Text
    }
}
