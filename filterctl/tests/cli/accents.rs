//! Words with accents: stored as they are typed, too, but where `--as-written` is given.

use crate::{Folder, run, run_with};

fn passes(folder: &Folder, filter: &str, password: &str) -> bool {
    let arguments = ["check", "--filter", folder.path(filter).to_str().unwrap()].map(str::to_owned);
    run_with(arguments, password.as_bytes()).code == 0
}

fn done(folder: &Folder, line: &str) -> crate::Run {
    let in_folder = |word: &str| {
        let is_file = word.contains('.');
        if is_file { folder.path(word).display().to_string() } else { word.to_owned() }
    };
    let run = run(line.split(' ').map(in_folder));
    assert_eq!(run.code, 0, "{line}: {run:?}");
    run
}

#[test]
fn accents_may_be_left_out_of_words_that_were_built_added_and_removed() {
    let folder = Folder::new();
    folder.file("all.txt", "détérioré\nschöngefärbt\nelephant\n");
    folder.file("more.txt", "Übermäßig\n");
    let exact = "--match exact --capacity 100";
    done(&folder, &format!("build {exact} --counts a.counts --output a.filter all.txt"));
    done(&folder, &format!("build {exact} --as-written --output b.filter all.txt"));
    for typed in ["deteriore", "SCHONGEFARBT", "schoengefaerbt1"] {
        assert!(!passes(&folder, "a.filter", typed) && passes(&folder, "b.filter", typed), "{typed}");
    }
    assert!(!passes(&folder, "b.filter", "détérioré"));
    done(&folder, "add --counts a.counts a.filter more.txt");
    done(&folder, "add --as-written b.filter more.txt");
    for typed in ["ubermassig", "uebermaessig"] {
        assert!(!passes(&folder, "a.filter", typed) && passes(&folder, "b.filter", typed), "{typed}");
    }
    let told = done(&folder, "remove --counts a.counts a.filter all.txt");
    assert!(told.out.contains(": 3 removed"), "{told:?}");
    assert!(passes(&folder, "a.filter", "deteriore") && passes(&folder, "a.filter", "schoengefaerbt"));
    assert!(!passes(&folder, "a.filter", "uebermaessig"));
}

#[test]
fn removing_a_word_leaves_the_words_that_share_its_form() {
    let folder = Folder::new();
    folder.file("all.txt", "détérioré\ndeteriore\nDétériore\nélevage\n");
    folder.file("one.txt", "détérioré\n");
    folder.file("form.txt", "elevage\n");
    done(&folder, "build --match exact --capacity 100 --counts a.counts --output a.filter all.txt");
    done(&folder, "remove --counts a.counts a.filter one.txt");
    assert!(!passes(&folder, "a.filter", "deteriore") && !passes(&folder, "a.filter", "détériore"));
    let counts = folder.path("a.counts").display().to_string();
    let [filter, form] = ["a.filter", "form.txt"].map(|name| folder.path(name).display().to_string());
    let refused = run(["remove", "--counts", &counts, &filter, &form]);
    assert!(
        refused.error_line().contains("is removed with the last word that it is a form of"),
        "{refused:?}"
    );
    assert!(!passes(&folder, "a.filter", "elevage"));
}

/// The words that lists have together are chosen first; each then has its forms.
#[test]
fn the_most_common_words_have_their_forms_as_well() {
    let folder = Folder::new();
    folder.file("all.txt", "détérioré\ncélébrer\nelephant\n");
    done(&folder, "build --match exact --top 1 --output a.filter all.txt");
    assert!(!passes(&folder, "a.filter", "deteriore") && passes(&folder, "a.filter", "celebrer"));
}
