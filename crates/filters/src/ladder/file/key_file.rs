//! The file of a master key: 56 bytes, readable by root only, in a different folder than its arrays.
//! `FORMAT-LADDER.md` is the normative text.

use std::io::Read;
use std::path::Path;

use zeroize::Zeroizing;

use super::error::{KeyProblem, LadderError};
use crate::codec::{Reader, Writer, has_checksum};
use crate::ladder::structure::keys::{MASTER_BYTES, MasterKey};
use crate::random::SystemRandom;
use crate::storage::{Access, Act, Replacement, StorageError, TrustedFile, Walk};

/// Bytes of a key file.
pub(crate) const KEY_FILE_BYTES: usize = 56;
const MAGIC: &[u8; 8] = b"NMLADKEY";
const VERSION: u32 = 1;
const CHECKSUM_AT: usize = 16 + MASTER_BYTES;

/// Reads a key that only its owner can read.
///
/// # Errors
/// [`LadderError::Storage`] if the file is missing, unreadable or not trusted; [`LadderError::Key`] if it is
/// not a key file or damaged.
pub fn read_key(path: &Path) -> Result<MasterKey, LadderError> {
    read_key_on(&Walk::default(), path)
}

/// [`read_key`] on a walk that is shared with other files.
pub(in crate::ladder) fn read_key_on(walk: &Walk, path: &Path) -> Result<MasterKey, LadderError> {
    let trusted = walk.open(path)?;
    trusted.refuse_others(path)?;
    let TrustedFile { mut file, length, .. } = trusted;
    let wrong = |problem| LadderError::Key { path: path.to_owned(), problem };
    if length != KEY_FILE_BYTES as u64 {
        return Err(wrong(KeyProblem::Length));
    }
    let mut bytes = Zeroizing::new([0; KEY_FILE_BYTES]);
    file.read_exact(bytes.as_mut_slice()).map_err(|e| StorageError::io(path, Act::Read, e))?;
    decode(bytes.as_slice()).map_err(wrong)
}

/// Creates a random key and writes it to a new file of mode 0600.
///
/// # Errors
/// [`LadderError::Random`], or [`LadderError::Storage`] if the file cannot be written.
pub fn create_key(path: &Path) -> Result<MasterKey, LadderError> {
    let key = MasterKey::random(&mut SystemRandom).map_err(LadderError::Random)?;
    let mut file = Replacement::create(path, Access::Private)?;
    file.write(encode(&key).as_slice())?;
    file.commit()?;
    Ok(key)
}

pub(in crate::ladder) fn encode(key: &MasterKey) -> Zeroizing<Vec<u8>> {
    // With full capacity, so that only one copy of the key is in memory.
    let mut to = Writer::with_capacity(KEY_FILE_BYTES);
    to.put(MAGIC);
    to.u32(VERSION);
    to.u32(0);
    to.put(key.bytes());
    to.checksum();
    to.zeros_to(KEY_FILE_BYTES);
    Zeroizing::new(to.finish())
}

pub(in crate::ladder) fn decode(bytes: &[u8]) -> Result<MasterKey, KeyProblem> {
    let mut from = Reader::new(bytes);
    if from.take() != *MAGIC {
        return Err(KeyProblem::Magic);
    }
    if from.u32() != VERSION {
        return Err(KeyProblem::Version);
    }
    let reserved = from.u32();
    let key = Zeroizing::new(from.take::<MASTER_BYTES>());
    from.u32(); // the checksum
    let is_reserved_zero = reserved == 0 && from.reserved_to_end() == 0;
    if !is_reserved_zero || !has_checksum(bytes, CHECKSUM_AT) || key.iter().all(|byte| *byte == 0) {
        return Err(KeyProblem::Damaged);
    }
    Ok(MasterKey::new(*key))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn problem(path: &Path) -> KeyProblem {
        match read_key(path) {
            Err(LadderError::Key { problem, .. }) => problem,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("a wrong key was taken"),
        }
    }

    #[test]
    fn a_new_key_is_read_back_and_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ladder.key");
        let key = create_key(&path).unwrap();
        assert_eq!(read_key(&path).unwrap().bytes(), key.bytes());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_ne!(create_key(&dir.path().join("other")).unwrap().bytes(), key.bytes());
    }

    /// The example of FORMAT-LADDER.md.
    #[test]
    fn the_key_file_of_the_format_text() {
        let bytes = encode(&MasterKey::new(std::array::from_fn(|i| u8::try_from(i).unwrap())));
        assert_eq!(bytes[..16], *b"NMLADKEY\x01\0\0\0\0\0\0\0");
        assert_eq!((bytes[16], bytes[47]), (0, 31));
        assert_eq!(bytes[48..], [0xd9, 0x37, 0xa0, 0x3c, 0, 0, 0, 0]);
    }

    /// An empty or lost block of a disk reads as zeros, a key that anyone can guess.
    #[test]
    fn a_key_of_zeros_is_refused_and_any_other_is_taken() {
        assert_eq!(decode(&encode(&MasterKey::new([0; MASTER_BYTES]))).err(), Some(KeyProblem::Damaged));
        for byte in 0..MASTER_BYTES {
            let mut bytes = [0; MASTER_BYTES];
            bytes[byte] = 1;
            assert_eq!(decode(&encode(&MasterKey::new(bytes))).ok().unwrap().bytes(), &bytes);
        }
    }

    #[test]
    fn a_key_others_can_read_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ladder.key");
        create_key(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let Err(LadderError::Storage(error)) = read_key(&path) else { panic!("a readable key was taken") };
        assert_eq!(error.act, Act::OthersMayRead);
        let Err(LadderError::Storage(missing)) = read_key(&dir.path().join("none")) else { panic!() };
        assert!(missing.is_missing());
    }

    #[test]
    fn every_flipped_bit_and_every_length_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ladder.key");
        create_key(&path).unwrap();
        let good = fs::read(&path).unwrap();
        for bit in 0..KEY_FILE_BYTES * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bad).unwrap();
            let expected = match bit / 8 {
                0..8 => KeyProblem::Magic,
                8..12 => KeyProblem::Version,
                _ => KeyProblem::Damaged,
            };
            assert_eq!(problem(&path), expected, "bit {bit}");
        }
        for length in (0..KEY_FILE_BYTES).chain([KEY_FILE_BYTES + 1]) {
            let bytes: Vec<u8> = good.iter().copied().chain([0]).take(length).collect();
            fs::write(&path, bytes).unwrap();
            assert_eq!(problem(&path), KeyProblem::Length);
        }
    }
}
