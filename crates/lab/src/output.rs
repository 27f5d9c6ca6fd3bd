//! What commands write: in one step, and in place of an earlier result only.

use std::path::Path;

use nearmiss_cli::{failure::Failure, keys, replaceable::begins_like};
use nearmiss_filters::storage::{Access, Replacement};

/// Writes a result to a file that the user names, and returns its name. It replaces nothing but an earlier
/// result of the same kind: a picture given the name of a filter would leave no filter.
///
/// # Errors
/// Another file is there; or the result cannot be written, and an older one is unchanged.
pub(crate) fn replace(path: &Path, content: &[u8], access: Access) -> Result<String, Failure> {
    if !begins_like(path, start(content)) {
        let message = "is not an earlier result of this kind; refused to overwrite it; name another file, \
                       or remove it first";
        return Err(Failure::plain(keys::FILE_NOT_REPLACED, format!("{}: {message}", path.display())));
    }
    write(path, content, access)
}

/// Writes a result, whatever is in its place, and returns its name.
///
/// # Errors
/// It cannot be written; an older one is unchanged.
pub(crate) fn write(path: &Path, content: &[u8], access: Access) -> Result<String, Failure> {
    let write = || {
        let mut file = Replacement::create(path, access)?;
        file.write(content)?;
        file.commit()
    };
    write().map_err(|e| Failure::new("cannot write the result", e))?;
    Ok(path.display().to_string())
}

/// What each result of a kind begins with: the first column of a table, `<svg `, the signature of a PNG.
fn start(content: &[u8]) -> &[u8] {
    content.split_inclusive(|byte| b" ,\n".contains(byte)).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_result_replaces_an_earlier_one_and_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        let replace = |content: &[u8]| replace(&path, content, Access::Public);
        for [earlier, later, other] in [
            [&b"x,y\n1,2\n"[..], b"x,z\n", b"y,x\n"],
            [b"<svg width=\"1\">", b"<svg height=\"1\">", b"x,y\n"],
            [b"\x89PNG\r\n\x1a\nabc", b"\x89PNG\r\n\x1a\n", b"\x89NMF\r\n\x1a\n"],
        ] {
            for content in [earlier, later] {
                replace(content).unwrap();
                assert_eq!(fs::read(&path).unwrap(), content);
            }
            let refused = replace(other).unwrap_err().to_string();
            assert!(refused.contains("is not an earlier result"), "{refused}");
            assert_eq!(fs::read(&path).unwrap(), later);
            fs::remove_file(&path).unwrap();
        }
    }
}
