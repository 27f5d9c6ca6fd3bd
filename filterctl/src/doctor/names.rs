//! Lists of names in sentences.

/// The names, shortened where there are many.
pub(super) fn shortened<N: AsRef<str>>(names: &[N]) -> String {
    let all: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match all.as_slice() {
        [first, second, third, rest @ ..] if rest.len() > 1 => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        all => all.join(", "),
    }
}
