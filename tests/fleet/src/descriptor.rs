//! A fleet's ladder, as its hosts have it.

use std::path::{Path, PathBuf};

use nearmiss_agent::shards::Ladder;
use nearmiss_filters::ladder::{
    Agent as Client, Cost, Fleet, FleetLadder, Header, LadderFiles, NewLadder, Params, create_descriptor,
};
use tempfile::TempDir;

/// The descriptor and the key of a fleet's ladder, as each host has them.
pub struct Descriptor {
    folder: TempDir,
    /// Its text.
    pub header: Header,
}

impl Descriptor {
    /// The ladder of guessed passwords, 48/44, with 2 to this power of bits.
    pub fn guessed(log_bits: u8) -> Descriptor {
        Descriptor::made(Params::new(1 << log_bits, 48, 44, 1).expect("legal"), None)
    }

    /// A ladder of chosen passwords: 16 rungs, three steps a password, the cheapest slow hash.
    pub fn chosen(log_bits: u8) -> Descriptor {
        Descriptor::made(Params::new(1 << log_bits, 16, 16, 3).expect("legal"), Cost::new(64, 1))
    }

    fn made(params: Params, cost: Option<Cost>) -> Descriptor {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let file = folder.path().join("fleet.ladder");
        let files = LadderFiles { key: FleetLadder::key_of(&file), file };
        let header = create_descriptor(&files, &NewLadder { params, cost, stamps: 0 });
        Descriptor { header: header.expect("a descriptor"), folder }
    }

    /// Its place.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("fleet.ladder")
    }

    /// Its name in the store.
    pub fn ladder(&self) -> Ladder {
        let [a, b, c, d, ..] = self.header.id;
        let log_bits = u8::try_from(self.header.params.bits().trailing_zeros()).expect("at most 36");
        Ladder { tag: [a, b, c, d], log_bits }
    }

    /// The ladder itself, with its key.
    pub fn open(&self) -> FleetLadder {
        FleetLadder::open(&self.file()).expect("it can be opened").expect("it is there")
    }

    /// A host that has joined, with an agent at this socket.
    pub fn host(&self, socket: &Path) -> Fleet {
        let mut fleet = Fleet::new(Client::new(socket.to_owned()));
        fleet.add(self.open());
        fleet
    }
}
