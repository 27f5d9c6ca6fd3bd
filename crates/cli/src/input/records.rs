//! Lists whose rows go on in the next line: they are read once, into a list with a row a line.

use std::{
    io::{self, BufWriter, Write},
    sync::Arc,
};

use nearmiss_lists::{FormName, Records};

use super::{
    Expected,
    error::{InputError, Problem},
    lines::Lines,
    origin::Origin,
};
use crate::progress::Progress;

/// The list itself, or what it has in a temporary file, with a row a line.
///
/// # Errors
/// An [`InputError`] if it cannot be read or copied.
pub(super) fn joined(origin: Origin, expected: &Expected, progress: &Progress) -> Result<Origin, InputError> {
    let (text, format) = origin.text(&Progress::hidden())?;
    if format.problem().is_some() || expected.wanted.form == Some(FormName::Plain) {
        return Ok(origin);
    }
    let failed = |e: io::Error| origin.error(format.read_problem(e));
    let mut lines = Lines::new(text);
    let Some(mut records) = lines.next_block().map_err(failed)?.and_then(Records::of) else {
        return Ok(origin);
    };
    let (text, _) = origin.text(progress)?;
    let mut lines = Lines::new(text);
    let unwritten = |e: io::Error| origin.error(Problem::Spool(e));
    let mut out = tempfile::tempfile().map(BufWriter::new).map_err(unwritten)?;
    let mut take = |row: &[u8]| out.write_all(row).and_then(|()| out.write_all(b"\n"));
    while let Some(block) = lines.next_block().map_err(failed)? {
        let block = block.strip_suffix(b"\n").unwrap_or(block);
        for line in block.split(|&byte| byte == b'\n') {
            records.read(line, &mut take).map_err(unwritten)?;
        }
    }
    records.end(&mut take).map_err(unwritten)?;
    let file = out.into_inner().map_err(|e| unwritten(e.into_error()))?;
    let bytes = file.metadata().map_err(unwritten)?.len();
    Ok(Origin::of_spooled(origin.name(), Arc::new(file), bytes, origin.most()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nearmiss_filters::format::Kind;

    use crate::{
        input::{self, Expected, ListName},
        progress::Progress,
    };

    #[test]
    fn exports_with_notes_of_several_lines_are_read() {
        let row = |n: usize| format!("n{n},https://a.example,u{n},word{n}x,\"a\nb, \"\"c\"\"\n\"\n");
        let text = "name,url,username,password,note\n".to_owned() + &(0..500).map(row).collect::<String>();
        let wide: Vec<u8> =
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let zstd = zstd::encode_all(text.as_bytes(), 1).unwrap();
        for text in [text.replace('\n', "\r\n").into_bytes(), text.into_bytes(), wide, zstd] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("list.csv");
            fs::write(&path, text).unwrap();
            let (expected, progress) = (Expected::of(Kind::Words), Progress::hidden());
            let lists = input::open(&[ListName::Path(path)], &expected, &progress);
            let list = lists.map_err(|e| e.to_string()).unwrap().remove(0);
            let (mut reading, mut words) = (list.read(&progress).unwrap(), String::new());
            while let Some(block) = reading.next_block().unwrap() {
                words.push_str(std::str::from_utf8(block).unwrap());
            }
            let words: Vec<&str> = words.lines().filter(|word| !word.is_empty()).collect();
            assert_eq!((words.len(), words.first(), words.last()), (500, Some(&"word0x"), Some(&"word499x")));
        }
    }
}
