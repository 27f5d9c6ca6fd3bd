//! The functions that the store runs. Their names include a hash of the source, so that versions coexist. An
//! administrator loads them; an agent compares the source at a node with its own before it trusts any reply.

use std::sync::LazyLock;

use redis::{Cmd, Value};
use ring::digest::{SHA256, digest};

/// The text without its names' hashes.
const SOURCE: &str = include_str!("nearmiss1.lua");
/// Bytes of the hash in a name.
const HASH_BYTES: usize = 8;

static FUNCTIONS: LazyLock<Functions> = LazyLock::new(Functions::new);

struct Functions {
    library: String,
    text: String,
    names: [String; 5],
}

impl Functions {
    fn new() -> Functions {
        let hash = digest(&SHA256, SOURCE.as_bytes());
        let hash: String = hash.as_ref().iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect();
        let library = format!("nearmiss1_{hash}");
        let names = Function::ALL.map(|function| format!("{}_{hash}", function.stem()));
        let mut text = format!("#!lua name={library}\n{SOURCE}");
        for (function, name) in Function::ALL.iter().zip(&names) {
            text = text.replace(&format!("'{}'", function.stem()), &format!("'{name}'"));
        }
        Functions { library, text, names }
    }
}

/// One of the functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The height of an element.
    Height,
    /// A step of an element.
    Step,
    /// A step, unless the failed login was seen recently.
    Observe,
    /// Sets and clears bits.
    Put,
    /// Creates a shard of random bytes.
    Make,
}

impl Function {
    /// All, in the order of the type.
    pub const ALL: [Function; 5] =
        [Function::Height, Function::Step, Function::Observe, Function::Put, Function::Make];

    fn stem(self) -> &'static str {
        match self {
            Function::Height => "nm1_height",
            Function::Step => "nm1_step",
            Function::Observe => "nm1_observe",
            Function::Put => "nm1_put",
            Function::Make => "nm1_make",
        }
    }

    /// Its name in the store.
    pub fn name(self) -> &'static str {
        FUNCTIONS.names.get(self as usize).map_or("", String::as_str)
    }

    /// The command that calls it.
    pub fn caller(self) -> &'static str {
        if self == Function::Height { "FCALL_RO" } else { "FCALL" }
    }

    /// A call, without its keys and arguments.
    pub fn call(self) -> Cmd {
        let mut command = redis::cmd(self.caller());
        command.arg(self.name());
        command
    }
}

/// The name of the library.
pub fn library() -> &'static str {
    &FUNCTIONS.library
}

/// The source for `FUNCTION LOAD`.
pub fn text() -> &'static str {
    &FUNCTIONS.text
}

/// The functions of a node under the name of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The same functions.
    Same,
    /// None.
    Missing,
    /// Different functions.
    Different,
}

/// The request for the library with its source.
pub fn list() -> Cmd {
    let mut command = redis::cmd("FUNCTION");
    command.arg("LIST").arg("LIBRARYNAME").arg(library()).arg("WITHCODE");
    command
}

/// The result of [`list`]. Only the text of the library's code counts: a description of a function may
/// contain any text.
pub fn held(reply: &Value) -> Held {
    let Value::Array(libraries) = reply else { return Held::Different };
    match libraries.as_slice() {
        [] => Held::Missing,
        [Value::Array(fields)] if code(fields) == Some(text().as_bytes()) => Held::Same,
        _ => Held::Different,
    }
}

fn code(fields: &[Value]) -> Option<&[u8]> {
    let is_code = |field: &Value| match field {
        Value::BulkString(name) => name == b"library_code",
        Value::SimpleString(name) => name == "library_code",
        _ => false,
    };
    fields.chunks(2).find_map(|field| match field {
        [name, Value::BulkString(code)] if is_code(name) => Some(code.as_slice()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<Value> {
        words.iter().map(|word| Value::BulkString(word.as_bytes().to_vec())).collect()
    }

    #[test]
    fn each_name_has_the_hash_and_is_registered_once() {
        let hash = library().strip_prefix("nearmiss1_").unwrap();
        assert_eq!(hash.len(), 2 * HASH_BYTES);
        for function in Function::ALL {
            assert_eq!(function.name(), format!("{}_{hash}", function.stem()));
            assert_eq!(text().matches(function.name()).count(), 1, "{function:?}");
        }
        assert_eq!(text().matches("register_function").count(), Function::ALL.len());
    }

    #[test]
    fn only_the_same_text_as_code_is_the_same() {
        let of = |fields: &[&str]| held(&Value::Array(vec![Value::Array(words(fields))]));
        assert_eq!(held(&Value::Array(Vec::new())), Held::Missing);
        assert_eq!(of(&["library_name", library(), "library_code", text()]), Held::Same);
        let more = format!("{}\n", text());
        for others in [
            &["library_name", library(), "library_code", &more][..],
            &["library_name", library(), "library_code", "", "description", text()],
            &["library_name", text()],
            &["engine", "library_code", text(), "LUA"],
            &[],
        ] {
            assert_eq!(of(others), Held::Different, "{others:?}");
        }
        assert_eq!(held(&Value::Okay), Held::Different);
        // A name may be a simple string.
        let named = |name: &str| {
            let fields = [vec![Value::SimpleString(name.to_owned())], words(&[text()])].concat();
            held(&Value::Array(vec![Value::Array(fields)]))
        };
        assert_eq!((named("library_code"), named("description")), (Held::Same, Held::Different));
    }
}
