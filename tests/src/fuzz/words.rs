//! Passwords, words, configurations and options of any bytes.

use std::{ffi::CStr, path::Path, sync::OnceLock};

use nearmiss_filters::{
    dictionary::Buffers,
    format::{Match, SchemeId},
    word::{MAX_CHARACTERS, Word},
};
use nearmiss_policy::{
    config::{Config, stack_options::Options},
    policy::{
        Context, Examination, Ladders, MAX_PASSWORD_BYTES, MAX_VARIANTS, OpenDictionary, Policy, Reason,
        VariantRules, variants,
    },
};

use super::{common, input::Input};

/// A few words of any bytes make a filter of any scheme; a candidate is near exactly when the textbook's
/// distance to one of them is at most 1.
pub fn neighbourhood(bytes: &[u8]) {
    let mut input = Input(bytes);
    let schemes =
        [(SchemeId::Deletions, 8), (SchemeId::Deletions, 4), (SchemeId::Deletions, 0), (SchemeId::Paper, 0)];
    let (scheme, bits) = schemes[usize::from(input.byte()) % schemes.len()];
    let query = common::word(input.text());
    let is_listed = |line: &&[u8]| Word::clean(line).is_ok_and(|word| (1..=24).contains(&word.len()));
    let printable = |line: &&[u8]| {
        !line.utf8_chunks().any(|chunk| chunk.valid().chars().any(|c| c.is_control() || c.is_whitespace()))
    };
    let words: Vec<&[u8]> =
        input.0.split(|&byte| byte == b'\n').filter(is_listed).filter(printable).take(8).collect();
    if words.is_empty() || query.len() > 32 {
        return;
    }
    let filter = common::filter(&common::settings(scheme, bits), &words.join(&b'\n'));
    let is_near = words.iter().any(|text| common::distance(&common::word(text), &query) <= 1);
    let found = filter.nearest(&query, false, &mut Buffers::default()).expect("in memory");
    assert_eq!(found.is_some(), is_near, "{words:?} and the candidate {:?}", query.as_bytes());
}

/// Cleaning is done once, keeps within its length, and each variant is a word of its own with the candidate
/// first.
pub fn cleaning(bytes: &[u8]) {
    let Ok(word) = Word::clean(bytes) else {
        assert!(bytes.len() > MAX_CHARACTERS / 18, "no shorter text can have so many characters");
        return;
    };
    assert!(word.len() <= MAX_CHARACTERS);
    let again = Word::from_encoded(word.as_bytes()).ok();
    assert!(again.is_some_and(|again| again == word), "the encoding is not injective");
    if std::str::from_utf8(bytes).is_ok() {
        let twice = Word::clean(word.to_text().as_bytes()).ok();
        assert!(twice.is_some_and(|twice| twice == word), "cleaning twice is not cleaning once");
    }
    let all = variants::of(word.clone(), VariantRules::ALL);
    assert!(all.len() <= MAX_VARIANTS && all[0].word == word);
    for (at, variant) in all.iter().enumerate() {
        assert!(all[..at].iter().all(|known| known.word != variant.word), "a variant comes twice");
    }
}

/// A rule over the tests' words; a policy keeps nothing between two questions, so one serves all.
fn rules() -> &'static [OpenDictionary<Vec<u8>>] {
    static RULES: OnceLock<Vec<OpenDictionary<Vec<u8>>>> = OnceLock::new();
    RULES.get_or_init(|| {
        let filter =
            common::filter(&common::settings(SchemeId::Deletions, 8), crate::filters::WORDS.as_bytes());
        vec![OpenDictionary { filter, matching: Match::Near }]
    })
}

/// Any candidate in any context: the verdict is the same twice, lengths are refused, and neither the old
/// password nor a word of the list is ever accepted.
pub fn policy(bytes: &[u8]) {
    let mut input = Input(bytes);
    let (user, gecos, host) = (input.text(), input.text(), input.text());
    let old_password = match input.byte() % 3 {
        1 => Some(input.text()),
        2 => Some(input.0), // the candidate itself
        _ => None,
    };
    let context = Context { user, gecos, host, old_password, in_locale: None };
    let verdict = judge(input.0, &context);
    assert!(verdict == judge(input.0, &context), "two verdicts on one candidate");
    match input.0.len() {
        0 => assert!(verdict == Some(Reason::Empty)),
        length if length > MAX_PASSWORD_BYTES => assert!(verdict == Some(Reason::TooLong)),
        _ => assert!(verdict.is_some() || old_password != Some(input.0), "the old password again"),
    }
    if let Ok(text) = std::str::from_utf8(input.0) {
        let is_listed = crate::filters::WORDS.lines().any(|word| word == text.to_lowercase());
        assert!(verdict.is_some() || !is_listed, "a word of the list");
    }
}

fn judge(password: &[u8], context: &Context<'_>) -> Option<Reason> {
    let examined =
        Policy::default().examine(password, context, Examination::new(rules(), Ladders::default()));
    examined.complete().expect("in memory").map(|finding| finding.reason)
}

/// Any bytes as a configuration: refused in words, or within the limits.
pub fn configuration(bytes: &[u8]) {
    match Config::parse(Path::new("/etc/security/nearmiss.conf"), bytes) {
        Ok(config) => {
            assert!((1..=MAX_PASSWORD_BYTES).contains(&config.policy.min_length));
            let files = config.dictionaries.iter().map(|rule| &rule.file);
            for file in files.chain([&config.ladder.file, &config.ladder.key]) {
                assert!(is_plain(file), "{}", file.display());
            }
        }
        Err(error) => assert!(error.to_string().contains("/etc/security/nearmiss.conf")),
    }
}

fn is_plain(path: &Path) -> bool {
    use std::path::Component::{Normal, RootDir};
    path.is_absolute() && path.components().all(|part| matches!(part, RootDir | Normal(_)))
}

/// Any bytes as arguments of the module's line: tries and paths stay within their limits.
pub fn module_options(bytes: &[u8]) {
    let arguments: Vec<Vec<u8>> =
        bytes.split(|&byte| byte == 0 || byte == b' ').take(64).map(|text| [text, &[0]].concat()).collect();
    let arguments: Vec<&CStr> =
        arguments.iter().filter_map(|text| CStr::from_bytes_with_nul(text).ok()).collect();
    let (options, mistakes) = Options::parse(arguments.iter().map(|argument| argument.to_bytes()));
    assert!((1..=100).contains(&options.tries));
    assert!(mistakes.len() <= arguments.len());
    for path in options.conf.iter().chain(&options.filter) {
        let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
        assert!(path.is_absolute() && !climbs, "{}", path.display());
    }
}
