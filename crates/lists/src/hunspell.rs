//! Dictionaries of hunspell: the entries of a `.dic` file, expanded by the rules of its `.aff` file.
use std::borrow::Cow;
#[derive(Debug)]
pub struct Affixes;
impl Affixes {
    pub fn parse(_aff: &[u8]) -> Result<Affixes, String> {
        Err(String::new())
    }
    pub fn charset(&self) -> &'static encoding_rs::Encoding {
        encoding_rs::UTF_8
    }
    pub fn expand(&self, _entry: &str, _take: &mut dyn FnMut(&str)) {}
}
pub fn stem(line: &str) -> Cow<'_, str> {
    Cow::Borrowed(line.split('/').next().unwrap_or(line))
}
pub fn is_count_line(line: &str) -> bool {
    line.trim().parse::<u64>().is_ok()
}
pub fn looks_like_affixes(_b: &[u8]) -> bool {
    false
}
pub fn looks_like_dictionary(_b: &[u8]) -> bool {
    false
}
