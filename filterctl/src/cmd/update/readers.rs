//! The read access of the filter that is built.

use std::path::Path;

use nearmiss_cli::{
    access::{self, NewAccess},
    failure::{self, Failure},
    keys,
};
use nearmiss_policy::config::{FILTER_GROUP, PACKAGED, UpdateRules};

use super::{Args, part::Part};

impl Args {
    /// The read access of the filter: the command line's, else the configuration's for the packaged filter.
    /// So a filter that was removed is rebuilt with access for the servers of the group.
    ///
    /// # Errors
    /// The group of the configuration does not exist, and an earlier filter does.
    pub(super) fn access(&self, rules: &UpdateRules) -> Result<NewAccess, Failure> {
        let is_packaged = PACKAGED.iter().any(|file| self.output == Path::new(file));
        let is_absent = rules.group == FILTER_GROUP && !access::is_system_group(FILTER_GROUP);
        if !is_packaged || is_absent {
            return Ok(self.access.clone());
        }
        match self.access.or_group(&rules.group) {
            Ok(access) => Ok(access),
            Err(reason) if self.works() => {
                Err(Failure::plain(keys::UPDATE_GROUP, format!("[update] group: {reason}")))
            }
            Err(reason) => {
                // Reported once, for the first of the two filters.
                if self.part == Part::Main {
                    failure::warn(
                        keys::UPDATE_GROUP,
                        &format!(
                            "[update] group: {reason}; since without a filter no user could \
                        change a password, it is built for root alone"
                        ),
                    );
                }
                Ok(self.access.clone())
            }
        }
    }
}
