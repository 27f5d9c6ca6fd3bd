//! A library for the tests of the flows: a judge with one word in its dictionary, and a ladder that breaks on demand and
//! remembers what was counted.

use std::{cell::RefCell, rc::Rc};

use nearmiss_filters::{
    ladder::{Choice, Claim},
    policy::{Context, Reason, Verdict},
};

use super::{Cause, Judge, Ladder, Library, Unusable};

/// What became of opening the ladder.
#[derive(Clone, Copy)]
pub(crate) enum Found {
    Ladder,
    /// None was ever made.
    Nothing,
    /// It cannot be used; whether `on_error = "allow"` covers that.
    Damage {
        allowed: bool,
    },
    /// Not for this process.
    OutOfReach,
    /// A fault of the program.
    Panic,
}

/// A password counted for an account: password, account, shadow field, day.
pub(crate) type Counted = (Vec<u8>, Vec<u8>, Option<Vec<u8>>, u64);

/// The library; its dictionary may be unusable, too.
pub(crate) struct Shelf {
    pub(crate) has_dictionary: bool,
    pub(crate) found: Found,
    pub(crate) counted: Rc<RefCell<Vec<Counted>>>,
}

impl Shelf {
    /// With a dictionary, and this ladder.
    pub(crate) fn with(found: Found) -> Shelf {
        Shelf { has_dictionary: true, found, counted: Rc::default() }
    }
}

impl Library for Shelf {
    fn open(&self) -> Result<Box<dyn Judge>, Unusable> {
        if self.has_dictionary {
            return Ok(Box::new(OneWord));
        }
        Err(Unusable { cause: Cause::Filter, allowed: true, detail: "words.filter: damaged".to_owned() })
    }

    fn open_ladder(&self) -> Result<Option<Box<dyn Ladder>>, Unusable> {
        match self.found {
            Found::Ladder => Ok(Some(Box::new(Rungs { counted: Rc::clone(&self.counted) }))),
            Found::Nothing => Ok(None),
            Found::Damage { allowed } => Err(damaged(allowed)),
            Found::OutOfReach => Err(Unusable { cause: Cause::OutOfReach, ..damaged(true) }),
            Found::Panic => panic!("expected by this test"),
        }
    }
}

fn damaged(allowed: bool) -> Unusable {
    Unusable { cause: Cause::Ladder, allowed, detail: "chosen.ladder:\ndamaged".to_owned() }
}

/// Refuses `word`.
struct OneWord;

impl Judge for OneWord {
    fn judge(&self, password: &[u8], _: &Context<'_>) -> Result<Verdict, Unusable> {
        Ok(if password == b"word" { Verdict::Reject(Reason::Dictionary) } else { Verdict::Accept })
    }

    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Finds `common` too common; breaks on `damage`, `allowed damage` and `panic`; has no room for who chose `roomless`.
struct Rungs {
    counted: Rc<RefCell<Vec<Counted>>>,
}

fn breaks_on(password: &[u8]) -> Result<(), Unusable> {
    match password {
        b"damage" => Err(damaged(false)),
        b"allowed damage" => Err(damaged(true)),
        b"panic" => panic!("expected by this test"),
        _ => Ok(()),
    }
}

impl Ladder for Rungs {
    fn is_too_common(&self, password: &[u8]) -> Result<bool, Unusable> {
        assert_ne!(password, b"word", "what the dictionary rejects costs no slow hash");
        breaks_on(password).map(|()| password == b"common")
    }

    fn count(&self, password: &[u8], choice: &Choice<'_>) -> Result<Claim, Unusable> {
        breaks_on(password)?;
        if password == b"roomless" {
            return Ok(Claim::NoRoom);
        }
        let field = choice.shadow_field.map(<[u8]>::to_vec);
        let mut counted = self.counted.borrow_mut();
        let mut of_account = counted.iter().filter(|(_, account, ..)| account == choice.account);
        if of_account.clone().any(|(_, _, of, _)| of.is_some() && *of == field) {
            return Ok(Claim::Counted);
        }
        if of_account.any(|(.., day)| *day == choice.day) {
            return Ok(Claim::Today);
        }
        counted.push((password.to_vec(), choice.account.to_vec(), field, choice.day));
        Ok(Claim::Granted)
    }
}
