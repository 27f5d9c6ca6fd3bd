//! The switch by which an end-to-end test shows that a spy of the page cache sees what is looked up page by
//! page. A build without debug assertions, as every shipped one, has no such switch.

#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[cfg(debug_assertions)]
static IS_ON: AtomicBool = AtomicBool::new(false);

/// Has each filter that is opened from now on mapped, whoever may read it, and read page by page.
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
