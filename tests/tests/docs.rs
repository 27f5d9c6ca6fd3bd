//! The troubleshooting page has every message of the module, as its sources say them, and those of the tool
//! that it promises.
#![forbid(unsafe_code)]

use std::fs;

use nearmiss_tests::artifacts::workspace;

/// The texts between double quotes of a source, but for its tests and comments, in one line each.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let code: String = code
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let (mut texts, mut rest) = (Vec::new(), code.as_str());
    while let Some((_, after)) = rest.split_once('"') {
        let mut end = 0;
        while let Some(at) = after[end..].find(['"', '\\']) {
            end += at;
            if after[end..].starts_with('"') {
                break;
            }
            end += 2;
        }
        let text = after[..end].replace("\\\"", "\"");
        let parts = text.split("\\\n").map(str::trim_start);
        let first = text.split("\\\n").next().unwrap_or_default().to_owned();
        texts.push(parts.skip(1).fold(first, |text, part| text + part));
        rest = after.get(end + 1..).unwrap_or_default();
    }
    texts
}

/// The parts of a text between its holes that say something.
fn fragments(text: &str) -> impl Iterator<Item = &str> {
    text.split('{')
        .map(|part| part.split_once('}').map_or(part, |(_, after)| after))
        .filter(|part| part.len() >= 12)
}

#[test]
fn every_message_of_the_module_is_on_the_page() {
    let page = fs::read_to_string(workspace().join("docs/troubleshoot.md")).expect("the page");
    let mut seen = 0;
    for source in ["messages/log.rs", "messages/sentences.rs", "options.rs"] {
        let code = fs::read_to_string(workspace().join("pam-module/src").join(source)).expect("a source");
        for text in literals(&code).iter().filter(|text| text.contains(' ') && !text.starts_with("each is a"))
        {
            for fragment in fragments(text) {
                seen += 1;
                assert!(page.contains(fragment.trim()), "{source}: docs/troubleshoot.md has not: {text}");
            }
        }
    }
    assert!(seen > 60, "{seen} fragments");
}

#[test]
fn what_the_page_says_of_the_tool_is_said_by_it() {
    let page = fs::read_to_string(workspace().join("docs/troubleshoot.md")).expect("the page");
    let (_, tool) = page.split_once("## The tool").expect("the part about the tool");
    let sources = [
        "change/opened.rs",
        "cmd/update.rs",
        "cmd/ladder/place.rs",
        "cmd/ladder/init.rs",
        "cmd/ladder/mend.rs",
    ];
    let read = |path: &str| fs::read_to_string(workspace().join(path)).expect("a source");
    let mut texts: Vec<String> =
        sources.iter().flat_map(|name| literals(&read(&format!("filterctl/src/{name}")))).collect();
    texts.extend(literals(&read("toolkit/src/input/error.rs")));
    for line in tool.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| message")) {
        let message = line.trim_start_matches("| ").split(" | ").next().unwrap_or_default();
        for fragment in fragments(message) {
            assert!(texts.iter().any(|text| text.contains(fragment.trim())), "nothing says: {message}");
        }
    }
}
