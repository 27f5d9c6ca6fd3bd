//! A check through `libnearmiss.so.1`, with all that it looks at for a server that runs for months, beside a
//! check by the site itself.

use std::fs;

use nearmiss_filters::{
    dictionary::{Build, Spec},
    format::SchemeId,
};
use nearmiss_policy::{policy::Context, site::Site};

use crate::{
    ffi::Library,
    harness::{Contender, race},
    lists, ours, peers,
    report::{Target, bytes, duration, line, section},
    work::{self, Work},
};

/// Runs the measure.
pub fn run(work: &Work) {
    let words = work.million_words();
    let near = ours::settings(SchemeId::Deletions, 8, 0.001, ours::threads());
    let settings = Build { spec: Spec::default(), ..near };
    let filter = work.filter_file("library.filter", &lists::text(&words), &settings);
    let conf = work.path("library.conf");
    let none = work.path("library.none");
    let text = format!(
        "packaged = false\n[[dictionary]]\nfile = {filter:?}\n\
         [ladder]\nfile = {none:?}\nkey = {none:?}\n"
    );
    fs::write(&conf, text).expect("a file can be written");
    let site = Site::load(&conf).expect("the configuration can be used");
    let shared = work.path("bin/libnearmiss.so.1");
    let library = Library::open(&shared.display().to_string(), &conf.display().to_string());
    for (name, passwords) in [("passwords", work.passwords(work::PASSWORDS)), ("words", words)] {
        let passwords: Vec<&[u8]> = passwords.iter().take(20_000).map(AsRef::as_ref).collect();
        let context = Context::default();
        let mut contenders = [
            Contender::each("Site", &passwords, |password| {
                site.decide(password, &context).rejection().is_ok_and(|finding| finding.is_none())
            }),
            Contender::each("libnearmiss", &passwords, |password| library.accepts(password)),
        ];
        let times = race(&mut contenders);
        section(&format!("a check through libnearmiss.so.1 beside Site directly, {name}"));
        let (direct, through) = (times[0], times[1]);
        let other = format!("Site {}", duration(direct));
        line("libnearmiss ÷ Site", &duration(through), &other, through / direct, Target::AtMost(1.2));
    }
    let size = peers::size(&shared);
    line("libnearmiss.so.1, kB", &bytes(size), "", size / 1e3, Target::AtMost(900.0));
}
