//! Filter files and the files beside them: how commands change, examine and size them.

pub(crate) mod change;
pub(crate) mod file_kind;
pub(crate) mod header;
pub(crate) mod inspect;
pub(crate) mod known;
pub(crate) mod measure;
pub(crate) mod orphans;
pub(crate) mod provenance;
pub(crate) mod replaceable;
pub(crate) mod room;
pub(crate) mod sizing;
pub(crate) mod update_state;
pub(crate) mod verify_state;
pub(crate) mod watched;
