use super::*;
use crate::config::Config;

fn parse(text: &str) -> Result<UpdateRules, ConfigError> {
    UpdateRules::parse(Path::new("/etc/test.conf"), text.as_bytes())
}

#[test]
fn the_documented_section_is_the_default() {
    let text = include_str!("../../../../../packaging/conf/nearmiss.conf");
    let (_, section) = text.split_once("\n[update]").unwrap();
    let lines =
        section.lines().filter_map(|line| line.strip_prefix('#')).filter(|line| !line.starts_with(' '));
    let section = lines.fold("[update]\n".to_owned(), |text, line| text + line + "\n");
    assert!(keys::UPDATE.split(' ').all(|key| section.contains(&format!("\n{key} = "))), "{section}");
    assert_eq!(parse(&section).unwrap(), UpdateRules::default());
    assert_eq!(parse("min_length = 9").unwrap(), UpdateRules::default());
}

#[test]
fn every_value_can_be_set() {
    let rules = parse(
        "[update]\ncommon = false\nlists = [\"/a\", \"/b\"]\nfolders = [\"/c\"]\nkind = \"words\"\n\
         columns = \"count,word\"\ngroup = \"\"\nmatch = \"exact\"\nfalse_rejection = 1e-4\n",
    );
    let rules = rules.unwrap();
    let mut spec = Spec { matching: Match::Exact, ..Spec::default() };
    spec.stated.false_rejection = 1e-4;
    let (lists, folders) = (["/a", "/b"].map(PathBuf::from).into(), vec!["/c".into()]);
    let (columns, group) = (ListColumns::CountWord, String::new());
    assert_eq!(rules, UpdateRules { common: false, lists, columns, folders, group, spec, is_auto: false });
}

#[test]
fn digests_are_built_from_what_is_named_alone() {
    for matching in ["", "match = \"auto\"\n", "match = \"exact\"\n"] {
        let rules = parse(&format!("[update]\n{matching}kind = \"sha1\"\nlists = [\"/a\"]\n")).unwrap();
        assert_eq!((rules.common, rules.folders.len(), rules.lists.len()), (false, 0, 1));
        let Spec { kind, matching, stated, .. } = rules.spec;
        assert_eq!((kind, matching, stated.lookups), (Kind::Sha1, Match::Exact, VARIANT_LOOKUPS));
        assert!(!rules.is_auto);
    }
}

#[test]
fn a_mistake_is_shown_here_and_keeps_no_password_from_being_changed() {
    for (text, line, says) in [
        ("[update]\ncomon = true\n", "line 2", "did you mean `common`?"),
        ("[update]\nfolders = [\"dict\"]\n", "line 2", "absolute"),
        ("[update]\nlists = \"/a\"\n", "line 2", "write a list in brackets"),
        ("[update]\nfalse_rejection = 2.0\n", "line 2", "such as 0.001"),
        ("[update]\nfalse_rejection = 1\n", "line 2", "such as 0.001"),
        ("[update]\nkind = \"ntlm\"\ncommon = true\n", "line 3", "contains words"),
        ("[update]\ncolumns = \"words\"\n", "line 2", "`count,word`"),
        ("[update]\nkind = \"sha1\"\ncolumns = \"user,word\"\n", "line 3", "no columns"),
        ("[update]\ngroup = \"a:b\"\n", "line 2", "the name of a group"),
        (
            "[update]\nmatch = \"near\"\nkind = \"sha1\"\n",
            "line 2",
            "no near matches: write match = \"exact\"",
        ),
        ("update = 1\n", "line 1", "write a section"),
    ] {
        let message = parse(text).unwrap_err().to_string();
        assert!(message.contains(line) && message.contains(says), "{text}: {message}");
        assert!(Config::parse(Path::new("/x"), text.as_bytes()).is_ok(), "{text}");
    }
}
