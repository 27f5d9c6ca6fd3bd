//! The lexer on what people write, and on what they break.

use super::*;

fn words(source: &str) -> Vec<String> {
    prose(source).text().split_whitespace().map(str::to_owned).collect()
}

fn joined(source: &str) -> String {
    words(source).join(" ")
}

#[test]
fn commands_go_their_text_stays() {
    assert_eq!(joined("\\section*{A \\emph{nice} day}\\label{sec:nce}"), "A nice day");
    assert_eq!(joined("{\\bfseries bold} un\\textbf{believ}able"), "bold unbelievable");
    assert_eq!(joined("a\\footnote[2]{Small print.} b"), "aSmall print. b");
    assert_eq!(joined("\\item[Apples] grow"), "[Apples] grow");
    assert_eq!(joined("one~two\\,three\\\\[2pt]four"), "one two three four");
    assert_eq!(joined("hy\\-phen\\/ation"), "hyphenation");
    assert_eq!(joined("\\LaTeX{} is"), "is");
}

#[test]
fn names_and_keys_go_with_their_commands() {
    assert_eq!(
        joined("see \\cite[p.~3]{knth} and \\citep{a}, \\parencite{b} \\autocites{c}{d}."),
        "see and , ."
    );
    assert_eq!(joined("\\ref{fg:x} \\includegraphics[width=3cm]{figs/plt} \\url{http://x.y/zz}"), "");
    assert_eq!(joined("\\href{http://exmple.org}{an example}"), "an example");
    assert_eq!(joined("\\newcommand{\\foo}[1]{wrld #1} done"), "done");
    assert_eq!(joined("\\texttt{prntf} stays"), "stays");
}

#[test]
fn mathematics_goes() {
    assert_eq!(joined("let $x_{abc} = \\$3$ be"), "let be");
    assert_eq!(joined("let $$xyzq$$ and \\(abcq\\) and \\[defq\\] be"), "let and and be");
    assert_eq!(joined("\\begin{align*}\\text{zzq}\\end{align*}after"), "after");
    assert_eq!(joined("it costs $5\n\nnext paragraph $a$"), "it costs 5 next paragraph");
}

#[test]
fn comments_and_verbatim_go() {
    assert_eq!(joined("join%commnt\n  ed 5\\% rate % more\nend"), "joined 5% rate end");
    assert_eq!(joined("\\verb|qq \\zz| \\verb*+ww+ \\lstinline{kk} on"), "on");
    assert_eq!(joined("\\begin{verbatim}qq $ \\begin{x}\\end{verbatim} on"), "on");
    assert_eq!(joined("\\begin{lstlisting}[language=Rust]\nfn mian\n\\end{lstlisting}on"), "on");
    assert_eq!(joined("\\begin{tabular}{lrr} cell & next \\\\ \\end{tabular}"), "cell next");
    assert_eq!(joined("\\begin{figure}[htbp] \\caption{Words} \\end{figure}"), "Words");
}

#[test]
fn accents_and_letters_become_characters() {
    assert_eq!(
        joined("caf\\'e na\\\"{\\i}ve fa\\c{c}ade Erd\\H{o}s \\'{E}cole"),
        "café naïve façade Erdős École"
    );
    assert_eq!(joined("stra\\ss e \\ae{}on {\\o}re \\aa"), "straße æon øre å");
    assert_eq!(joined("na\\\"\\i ve"), "naïve".replace("ïve", "ï ve"));
}

#[test]
fn only_the_title_of_a_preamble_is_text() {
    let source = "\\documentclass{artcle}\\geometry{margn=2cm}\\title{On \\emph{Words}}\\author{Nme}\n\
                  \\begin{document}\\maketitle Text.\\end{document}";
    assert_eq!(joined(source), "On Words Text.");
}

#[test]
fn places_are_those_of_the_file() {
    let source = "\\emph{The} caf\\'es";
    let prose = prose(source);
    let at = prose.text().find("caf").unwrap_or_default();
    assert_eq!(prose.source_of(at), source.find("caf").unwrap_or_default());
    assert_eq!(prose.source_of(at + "café".len()), source.len() - 1);
}

#[test]
fn what_is_never_closed_is_not_skipped() {
    assert_eq!(joined("\\ref{open word"), "open word");
    assert_eq!(joined("\\cite{open\n\nword}"), "open word");
    assert_eq!(joined("\\begin{verbatim} rest"), "rest");
    assert_eq!(joined("\\[ rest"), "rest");
    for source in
        ["\\", "\\verb", "\\verb|", "\\'", "\\'{", "$", "$$", "%", "{", "\\begin", "\\begin{", "\\c", "}}"]
    {
        assert_eq!(joined(source), "", "{source}");
    }
}
