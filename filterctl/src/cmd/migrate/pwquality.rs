//! What becomes of the options of `pam_pwquality` (pwquality.conf(5)) and `pam_cracklib`.

use super::{
    given::Given,
    plan::{COMPOSITION, Fate, min_length, of_words, whole},
};

/// What becomes of an option.
pub(super) fn fate(option: &Given) -> Fate {
    let number = option.number().unwrap_or_default();
    match option.name.as_str() {
        "minlen" => min_length(option),
        "retry" => whole("retry", option, 1..=100),
        "enforcing" if number == 0 => Fate::set("enforce", "\"warn\""),
        "enforce_for_root" | "local_users_only" => Fate::set(&option.name, "true"),
        "usercheck" if number == 0 => Fate::set("context.user", "false"),
        "gecoscheck" if number == 0 => Fate::set("context.gecos", "false"),
        "difok" if number == 0 => Fate::set("context.old_password", "false"),
        "difok" if number > 1 => Fate::Part(
            "the old password and what is one character away from it is rejected; that more characters \
             differ is not asked for",
        ),
        "dcredit" | "ucredit" | "lcredit" | "ocredit" if number > 0 => Fate::Part(
            "minlen counts characters of this kind twice; min_length is minlen as it stands, so that some \
             passwords have to be longer",
        ),
        "dcredit" | "ucredit" | "lcredit" | "ocredit" | "minclass" | "maxclassrepeat" if number != 0 => {
            Fate::None(COMPOSITION)
        }
        "maxrepeat" | "maxsequence" if number != 0 => Fate::Part(
            "[policy] runs and periods reject a password that is runs and repetitions throughout, not one \
             that has some among other characters",
        ),
        "usersubstr" if number != 0 => Fate::Part(
            "[context] user rejects what is made of the user name, not what has some of its letters",
        ),
        "dictcheck" if number == 0 => Fate::None(
            "the dictionaries are what nearmiss checks; packaged = false switches the packaged one off",
        ),
        "dictpath" => {
            let unpacked = format!("what cracklib-unpacker {} prints", option.value);
            Fate::Todo(of_words(&unpacked, "cracklib.txt"))
        }
        "badwords" if !option.value.is_empty() => {
            Fate::Todo(of_words("the words, one a line,", "badwords.txt"))
        }
        // What pam_cracklib has instead of usercheck = 1 and enforcing = 1.
        "reject_username" | "enforcing" | "usercheck" | "gecoscheck" | "dictcheck" | "difok" | "dcredit"
        | "ucredit" | "lcredit" | "ocredit" | "minclass" | "maxclassrepeat" | "maxrepeat" | "maxsequence"
        | "usersubstr" | "badwords" => Fate::Same,
        _ => Fate::None("not an option that this command knows"),
    }
}
