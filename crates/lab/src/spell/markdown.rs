//! Markdown to prose: text is checked; code, raw HTML and the targets of links are not.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::Prose;

/// The prose of a Markdown document.
pub(super) fn prose(source: &str) -> Prose {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
    let mut prose = Prose::default();
    let mut is_code = false;
    for (event, range) in Parser::new_ext(source, options).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => is_code = true,
            Event::End(TagEnd::CodeBlock) => is_code = false,
            Event::Text(text) if !is_code => prose.push(&text, range.start),
            // Emphasis may stand inside a word; everything else ends one.
            Event::Start(tag) if is_inside_words(tag.to_end()) => {}
            Event::End(tag) if is_inside_words(tag) => {}
            _ => prose.gap(),
        }
    }
    prose
}

fn is_inside_words(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_left() {
        let source = "# A *head*ing\n\nSee [the page](https://x.org/pagge) and `cargo buildd`.\n\n\
                      ```sh\nmkae\n```\n\n    indentd\n\n<b clss=x>bold</b> | a\n";
        let prose = prose(source);
        let words: Vec<&str> = prose.text().split_whitespace().collect();
        assert_eq!(words, ["A", "heading", "See", "the", "page", "and", ".", "bold", "|", "a"]);
        let at = prose.text().find("page").unwrap_or_default();
        assert_eq!(source.get(prose.source_of(at)..).map(|rest| rest.starts_with("page](")), Some(true));
    }
}
