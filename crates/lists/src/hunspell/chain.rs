//! Which affixes can be on one word together.

use super::class::Class;
use super::rule::Rule;

/// The affixes of the inner kind on a word, and what each allows.
#[derive(Clone, Copy)]
pub(super) struct Chain<'a> {
    pub(super) first: &'a Rule,
    pub(super) first_class: &'a Class,
    pub(super) second: Option<(&'a Rule, &'a Class)>,
}

/// The flags of an affix without any.
pub(super) static NO_FLAGS: Class = Class::NONE;

/// An affix with these flags makes a word of a stem without any other.
pub(super) fn is_alone(class: &Class) -> bool {
    !class.needs_affix() && !class.is_circumfix() && !class.is_compound_only()
}

/// An affix of the outer kind with the flags `outer` can be put on `chain`: both or none are halves of a
/// pair, and the outermost two do not both need a further affix.
pub(super) fn agree(outer: &Class, chain: Chain<'_>) -> bool {
    let last = chain.second.map_or(chain.first_class, |(_, class)| class);
    if outer.is_compound_only() || last.is_compound_only() {
        return false;
    }
    if last.is_circumfix() && !chain.first_class.is_circumfix() {
        return false;
    }
    let paired = outer.is_circumfix() == chain.first_class.is_circumfix();
    paired && !(outer.needs_affix() && last.needs_affix())
}
