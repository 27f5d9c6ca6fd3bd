//! Whether systemd runs a system.

use std::path::Path;

/// True if systemd runs the system below this root: `sd_booted(3)`.
pub(crate) fn runs(root: &Path) -> bool {
    root.join("run/systemd/system").exists()
}
