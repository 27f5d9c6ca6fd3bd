//! The cost of a new ladder's slow hash.

use std::time::Duration;

use nearmiss_cli::failure::Failure;
use nearmiss_filters::ladder::{self, Cost, MAX_MEMORY_KIB};

/// The minimum memory, in the type that clap needs.
const MIN_KIB: i64 = Cost::MIN.memory_kib() as i64;

/// The flags of the commands that make a ladder.
#[derive(clap::Args)]
pub(crate) struct SlowHashCost {
    /// For chosen passwords: let the slow hash take about this much processor time on this host, in
    /// milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=5000))]
    slow_hash_ms: u16,
    /// For chosen passwords: let the slow hash take at most this much memory, at least 19456 KiB, the minimum
    /// that OWASP recommends.
    #[arg(long, value_name = "KIB", default_value_t = MAX_MEMORY_KIB)]
    #[arg(value_parser = clap::value_parser!(u32).range(MIN_KIB..=i64::from(MAX_MEMORY_KIB)))]
    slow_hash_memory_kib: u32,
}

impl SlowHashCost {
    /// The cost that takes this time here.
    ///
    /// # Errors
    /// The memory cannot be had.
    pub(crate) fn tuned(&self) -> Result<Cost, Failure> {
        let target = Duration::from_millis(self.slow_hash_ms.into());
        ladder::tune(target, self.slow_hash_memory_kib)
            .map_err(|e| Failure::new("cannot tune the slow hash", e))
    }
}
