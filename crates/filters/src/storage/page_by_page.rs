//! A switch for the end-to-end test that shows that a spy on the page cache can observe lookups page by page.
//! A build without debug assertions, like every shipped one, does not contain it.

#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[cfg(debug_assertions)]
static IS_ON: AtomicBool = AtomicBool::new(false);

/// From now on, each opened filter is mapped, no matter who may read it, and read page by page.
#[cfg(debug_assertions)]
pub fn read_page_by_page() {
    IS_ON.store(true, Relaxed);
}

/// True after [`read_page_by_page`].
#[cfg(debug_assertions)]
pub(crate) fn is_page_by_page() -> bool {
    IS_ON.load(Relaxed)
}

/// Never.
#[cfg(not(debug_assertions))]
pub(crate) const fn is_page_by_page() -> bool {
    false
}
