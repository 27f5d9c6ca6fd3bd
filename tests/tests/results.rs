//! The page of results and the table of speed: a run writes them, nobody else does, and a run that does not
//! end well writes neither.

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Command, Output},
};

use nearmiss_tests::artifacts::{tool, workspace};
use tempfile::TempDir;

const PAGE: &str = "tests/benches/RESULTS.md";
const SPEED: &str = "docs/measured.md";
const PLOT: &str = "tests/benches/scaling.svg";

/// A run of some measures, and what it writes.
const RUN: &str = include_str!("results/run.md");
const WRITTEN_PAGE: &str = include_str!("results/page.md");
const WRITTEN_SPEED: &str = include_str!("results/speed.md");

/// Pages with figures of an earlier commit between the markers.
const OLD_PAGE: &str = "\
# Results

<!-- targets: written by make bench -->
OLD
<!-- end of targets -->

Prose between.

<!-- measures: written by make bench -->
## instructions

machine: 2 Example, 1000 kB, Linux 6.1;
commit 0000000; load 9.00

### instructions

| measure | ours | against | value | target | met |
| --- | ---: | ---: | ---: | ---: | --- |
| hit | 7 |  | 7 | ≤ 9 | yes |
<!-- end of measures -->
";
const OLD_SPEED: &str = "\
# Speed

<!-- speed: written by make bench -->
OLD
<!-- end of speed -->

The end.
";

/// A tree with the old pages and a plot, and beside it the folder of a run.
struct Tree {
    folder: TempDir,
}

impl Tree {
    fn new() -> Tree {
        let tree = Tree { folder: tempfile::tempdir().unwrap() };
        for name in ["tree/docs", "tree/tests/benches", "work"] {
            fs::create_dir_all(tree.folder.path().join(name)).unwrap();
        }
        for (name, text) in [(PAGE, OLD_PAGE), (SPEED, OLD_SPEED), (PLOT, "old plot")] {
            fs::write(tree.root().join(name), text).unwrap();
        }
        tree
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn work(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    /// The writer with this run.
    fn write(&self, option: &str, run: &str) -> Output {
        fs::write(self.work("run.md"), run).unwrap();
        let mut writer = self.of_results();
        writer.args(Some(option).filter(|option| !option.is_empty()));
        writer.arg(self.work("run.md")).output().unwrap()
    }

    fn check(&self) -> Output {
        self.of_results().arg("--check").output().unwrap()
    }

    fn of_results(&self) -> Command {
        let mut command = Command::new(tool("results.py"));
        command.arg("--root").arg(self.root());
        command
    }

    /// The runner with a program that prints the tables of RUN's measures; `act` comes before one of them.
    fn measure(&self, options: &[&str], act: (&str, &str)) -> Output {
        let names: Vec<&str> = measures(RUN).iter().map(|(name, _)| *name).collect();
        for (name, text) in measures(RUN) {
            let (_, tables) = text.split_once("\n### ").unwrap();
            fs::write(self.work(name), format!("\n### {tables}")).unwrap();
        }
        let program = self.work("program");
        // PAM finds no module in a folder that is relative.
        let text = format!(
            "#!/bin/sh\n[ \"${{1#/}}\" != \"$1\" ] || exit 4\n[ $2 != {} ] || {{ {}; }}\ncat \"$1/$2\"\n",
            act.0, act.1
        );
        fs::write(&program, text).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = Command::new(tool("measures.py"));
        command.env("BENCH_COMMIT", "2222222 with changes").env("BEFORE_COMMIT", "3333333");
        command.args(options).arg("--root").arg(self.root()).arg("./program").arg(".").args(names);
        command.current_dir(self.work(""));
        command.output().unwrap()
    }

    /// Nothing of the pages has changed, and no part is left beside them.
    fn is_untouched(&self) -> bool {
        let count = |name: &str| fs::read_dir(self.root().join(name)).unwrap().count();
        let texts = [PAGE, SPEED, PLOT].map(|name| self.read(name));
        texts == [OLD_PAGE, OLD_SPEED, "old plot"] && (count("docs"), count("tests/benches")) == (1, 2)
    }
}

/// The measures of a run by name, with their text.
fn measures(run: &str) -> Vec<(&str, &str)> {
    let parts = run.split("\n## ").map(|part| part.trim_start_matches("## "));
    parts.map(|part| part.split_once('\n').unwrap()).collect()
}

fn said(output: &Output) -> (String, Option<i32>) {
    (String::from_utf8(output.stderr.clone()).unwrap(), output.status.code())
}

#[test]
fn a_run_of_all_writes_both_pages_and_leaves_no_old_figure() {
    let tree = Tree::new();
    assert_eq!(said(&tree.write("--whole", RUN)), (String::new(), Some(0)));
    assert_eq!(tree.read(PAGE), WRITTEN_PAGE);
    assert_eq!(tree.read(SPEED), WRITTEN_SPEED);
    assert_eq!(tree.read(PLOT), "old plot", "a run without it");
    assert_eq!(said(&tree.check()), (String::new(), Some(0)));
    assert_eq!(said(&tree.write("--whole", RUN)).1, Some(0));
    assert_eq!((tree.read(PAGE).as_str(), tree.read(SPEED).as_str()), (WRITTEN_PAGE, WRITTEN_SPEED));
}

#[test]
fn measures_that_are_written_by_name_replace_their_parts_alone() {
    let tree = Tree::new();
    assert_eq!(said(&tree.write("", RUN)).1, Some(0));
    assert!(tree.read(PAGE).contains("commit 0000000; load 9.00"), "a measure that the run has not");
    assert_eq!(said(&tree.write("--whole", RUN)).1, Some(0));
    let exact = measures(RUN)[1];
    assert_eq!(exact.0, "exact");
    let later = exact.1.replace("26.1 ns", "22.2 ns").replace("1111111", "2222222 with changes");
    assert_eq!(said(&tree.write("", &format!("## exact\n{later}\n"))).1, Some(0));
    let (page, speed) = (tree.read(PAGE), tree.read(SPEED));
    assert!(!page.contains("26.1 ns") && !speed.contains("26.1 ns"), "{speed}");
    assert!(speed.contains("| 22.2 ns |") && speed.contains("| 128 ns |"), "{speed}");
    let commits = "commit 1111111 (near, size, build, transaction), commit 2222222 with changes (exact).";
    assert!(speed.replace('\n', " ").contains(commits), "{speed}");
    assert_eq!(page.matches("commit 1111111; load").count(), 5);
    assert!(page.contains("\n## exact\n\nmachine: 2 Example, 1000 kB, Linux 6.1;\ncommit 2222222 with "));
    assert_eq!(said(&tree.check()).1, Some(0));
}

#[test]
fn the_plot_of_the_run_is_that_of_the_page() {
    let tree = Tree::new();
    let run = format!("{RUN}\n## scaling\n{}", measures(RUN)[1].1);
    assert_eq!(said(&tree.write("--whole", &run)).1, Some(1), "a run without its plot");
    assert!(tree.is_untouched());
    fs::write(tree.work("scaling.svg"), "new plot").unwrap();
    assert_eq!(said(&tree.write("--whole", &run)), (String::new(), Some(0)));
    assert_eq!(tree.read(PLOT), "new plot");
}

#[test]
fn a_run_that_lacks_something_writes_nothing() {
    for (part, instead, reason) in [
        ("commit 1111111; load 0.20", "", "exact: no line with the machine, the commit and the load"),
        ("| 26.1 ns | xorf", "| 26.1 ns | and | xorf", "7 cells instead of 6"),
        ("| 0.879 |", "| NaN |", "random miss, ours ÷ theirs: no figure: NaN"),
        ("| 0.879 |", "| inf |", "no figure: inf"),
        ("| ≤ 1.5 | yes |", "| ≤ 1.5 |  |", "a target and its verdict belong together"),
        ("SKIPPED: ", "", "a table without a line"),
        ("pam_pwquality with cracklib 445", "another 445", "1000000 passwords, ladder off, Tr0mbqne-vilk7"),
        ("### build, long lists", "### lists", "build has no row `build, long lists"),
    ] {
        let run = RUN.replacen(part, instead, 1);
        assert_ne!(run, RUN, "{part}");
        let tree = Tree::new();
        let (said, status) = said(&tree.write("--whole", &run));
        assert!(said.contains(reason) && status == Some(1), "{part}: {said}");
        assert!(tree.is_untouched(), "{part}");
    }
    let tree = Tree::new();
    let run = &RUN[..RUN.find("### build, long").unwrap()];
    assert_eq!(said(&tree.write("--whole", run)).1, Some(1), "a run that was cut off");
    assert!(tree.is_untouched());
}

#[test]
fn a_page_without_its_markers_is_refused() {
    let tree = Tree::new();
    let without = OLD_SPEED.replace("<!-- end of speed -->\n", "");
    fs::write(tree.root().join(SPEED), &without).unwrap();
    let (said, status) = said(&tree.write("--whole", RUN));
    assert!(said.contains("the markers `speed`") && status == Some(1), "{said}");
    assert_eq!((tree.read(PAGE).as_str(), tree.read(SPEED)), (OLD_PAGE, without));
}

#[test]
fn a_figure_that_is_edited_by_hand_is_found() {
    for (name, part) in
        [(PAGE, "| 0.879 | ≤ 1.5 | yes |\n| 0.01"), (PAGE, "targets are met"), (SPEED, "77.3")]
    {
        let tree = Tree::new();
        assert_eq!(said(&tree.write("--whole", RUN)).1, Some(0));
        let edited = tree.read(name).replacen(part, &part.replace('7', "6").replace("met", "not"), 1);
        assert_ne!(edited, tree.read(name), "{part}");
        fs::write(tree.root().join(name), edited).unwrap();
        let (said, status) = said(&tree.check());
        assert!(said.starts_with(&format!("{name}: changed by hand")) && status == Some(1), "{said}");
    }
}

#[test]
fn a_run_that_fails_or_is_ended_leaves_the_pages() {
    for act in ["exit 3", "cat \"$1/$2\"; exit 3", "kill -TERM $PPID", "kill -KILL $PPID"] {
        let tree = Tree::new();
        let output = tree.measure(&["--whole"], ("transaction", act));
        assert!(!output.status.success() && tree.is_untouched(), "{act}: {output:?}");
        let text = fs::read_to_string(tree.work("run.md")).unwrap();
        assert!(text.contains("\n## build\n") && text.contains("3.152 M words/s"), "{act}: {text}");
    }
}

#[test]
fn each_measure_is_run_under_its_own_commit_and_load() {
    let tree = Tree::new();
    let printed = tree.measure(&[], ("none", "true"));
    assert!(printed.status.success() && tree.is_untouched(), "{printed:?}");
    let text = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(text.matches("\ncommit 2222222 with changes; ").count(), 6, "{text}");
    let written = tree.measure(&["--whole"], ("none", "true"));
    assert!(written.status.success(), "{written:?}");
    let page = tree.read(PAGE);
    assert_eq!(page.matches("\ncommit 2222222 with changes; load ").count(), 5, "{page}");
    assert_eq!(page.matches("\ncommit 2222222 with changes; before 3333333; load ").count(), 1, "{page}");
    assert!(tree.read(SPEED).contains("\nMeasured on commit 2222222 with changes.\n"));
    assert!(page.contains("\nLeft out: pwscore.\n"), "{page}");
}

/// What `bench.sh` says of arguments that it does not run, before it fetches or builds anything.
#[test]
fn measures_are_named_right_before_anything_is_built() {
    let bench = |arguments: &[&str], before: &str| {
        let mut command = Command::new(workspace().join("tests/benches/bench.sh"));
        said(&command.args(arguments).env("BEFORE", before).env("PATH", "/usr/bin:/bin").output().unwrap())
    };
    for (arguments, before, reason) in [
        (&["--write"][..], "", "--write needs the measures to write"),
        (&["--write", "near", "fleet"], "", "no measure `fleet`"),
        (&["near", "--write"], "", "no measure `--write`"),
        (&["nearest"], "", "no measure `nearest`"),
    ] {
        let (said, status) = bench(arguments, before);
        assert!(said.starts_with("bench.sh: ") && said.contains(reason), "{arguments:?}: {said}");
        assert_eq!(status, Some(2));
    }
    let program = of_tree("tests/benches/src/main.rs");
    let table = program.split("const MEASURES").nth(1).unwrap().split("\n];").next().unwrap();
    let names = table.split("(\"").skip(1).map(|part| part.split('"').next().unwrap());
    // The library of another commit is asked for counts by bench.sh itself.
    let names: Vec<&str> = names.filter(|name| *name != "counts").collect();
    assert!(names.len() > 15, "{names:?}");
    for name in &names {
        let (said, _) = bench(&[name, "--last"], "");
        assert!(said.contains("no measure `--last`"), "{name}: {said}");
    }
    let script = of_tree("tests/benches/bench.sh");
    let whole = script.lines().find_map(|line| line.trim().strip_prefix("set -- ")).unwrap();
    let whole: Vec<&str> = whole.split(' ').collect();
    assert!(whole.iter().all(|name| names.contains(name)) && USED.iter().all(|name| whole.contains(name)));
}

/// The measures that the table of speed has figures of.
const USED: [&str; 5] = ["near", "exact", "size", "build", "transaction"];

/// The lines of a page between two markers.
fn block(page: &str, name: &str) -> String {
    let (begin, end) = (format!("<!-- {name}: written by make bench -->"), format!("<!-- end of {name} -->"));
    page.split(&begin).nth(1).unwrap().split(&end).next().unwrap().to_owned()
}

fn of_tree(name: &str) -> String {
    fs::read_to_string(workspace().join(name)).unwrap()
}

#[test]
fn the_pages_of_this_tree_are_as_a_run_wrote_them() {
    let output = Command::new(tool("results.py")).arg("--check").output().unwrap();
    assert_eq!(said(&output), (String::new(), Some(0)));
}

/// The commit of each measure, as its part of the page says.
fn commits(page: &str) -> HashMap<String, String> {
    let block = block(page, "measures");
    let of = |part: &str| {
        let line = part.lines().find_map(|line| line.strip_prefix("commit ")).unwrap();
        line.split(';').next().unwrap().to_owned()
    };
    measures(&block)
        .into_iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(n, p)| (n.to_owned(), of(p)))
        .collect()
}

/// Without the writer: another reader of both pages.
#[test]
fn the_table_of_speed_has_commits_and_figures_of_the_page_of_results() {
    let (page, speed) = (of_tree(PAGE), block(&of_tree(SPEED), "speed"));
    let commits = commits(&page);
    let (table, told) = speed.split_once("\n\nMeasured on ").unwrap();
    for commit in USED.map(|name| &commits[name]) {
        assert!(told.replace('\n', " ").contains(&format!("commit {commit}")), "{told}");
    }
    for commit in told.split("commit ").skip(1) {
        assert!(commits.values().any(|one| commit.replace('\n', " ").starts_with(one)), "{told}");
    }
    let measured = block(&page, "measures");
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("| ")).skip(2).collect();
    assert!(rows.len() >= 10, "{table}");
    for figure in rows.iter().flat_map(|row| row.split('|').skip(2)).flat_map(figures) {
        assert!(measured.contains(&figure), "{figure} is no figure of {PAGE}");
    }
}

/// The figures of a cell with the names before them, and its ratios.
fn figures(cell: &str) -> Vec<String> {
    let parts = cell.trim().split([',', '(', ')']).map(str::trim).filter(|part| !part.is_empty());
    parts.map(str::to_owned).collect()
}

/// A figure of speed outside of the tables that are written would get old.
#[test]
fn no_page_has_a_figure_of_speed_that_no_run_writes() {
    let pages = fs::read_dir(workspace().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    // What the network of a fleet costs is measured by itself.
    let pages =
        pages.filter(|path| path.extension().is_some_and(|end| end == "md") && !path.ends_with("fleet.md"));
    let manuals = fs::read_dir(workspace().join("packaging/man")).unwrap().map(|entry| entry.unwrap().path());
    let others = ["README.md", "CONTRIBUTING.md"].map(|name| workspace().join(name));
    let mut count = 0;
    for path in pages.chain(manuals).chain(others).chain([workspace().join(PAGE)]) {
        let page = fs::read_to_string(&path).unwrap();
        count += 1;
        assert_eq!(speeds(&outside(&page)), [""; 0], "{}", path.display());
    }
    assert!(count > 20, "{count} pages");
    let old =
        "149 µs; 0.13 µs (a change), 3.1 M words/s, 7,600\ninstructions, 128\u{a0}ns: a million instructions";
    let found = ["149 µs", "0.13 µs", "M words/s", "7,600 instructions", "128 ns", "million instructions"];
    assert_eq!(speeds(old), found);
    assert_eq!(speeds("below a millisecond; 50 ms at most; 20 columns; nsswitch has 2 lines"), [""; 0]);
}

/// The text outside of what is written.
fn outside(page: &str) -> String {
    let mut parts = page.split(": written by make bench -->");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("<!-- end of ").map_or("", |(_, rest)| rest))
}

/// Microseconds, nanoseconds, words a second and instructions with the number before.
fn speeds(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || "|;()".contains(c));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let end = |word: &str| word.trim_end_matches([',', '.', ':']).to_owned();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) || word == "million";
    let is_speed = |pair: &&[&str]| match end(pair[1]).as_str() {
        "µs" | "ns" | "instructions" => is_number(pair[0]),
        "words/s" => true,
        _ => false,
    };
    let pairs = words.windows(2).filter(is_speed);
    pairs.map(|pair| format!("{} {}", pair[0], end(pair[1]))).collect()
}
