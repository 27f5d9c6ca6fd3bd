# awk -f log-report.awk [FILE...]: what the log says about password changes: the share of first tries that is rejected, by
# reason; the changes that were refused and those that were not wholly checked, by cause; all decisions, by level; the
# logins with a leaked password.
# Reads lines of syslog, or entries of `journalctl -o json`, whichever comes. Any awk runs it.

# The value of a string in an entry of the journal; "" where the entry has none, or one with a quote or a backslash
# in it, which no decision has. A quote inside of another string is written \", so that this never looks into one.
function field(entry, name, found) {
    if (!match(entry, "[{,] *\"" name "\" *: *\"[^\"\\\\]*\"")) return ""
    found = substr(entry, RSTART, RLENGTH - 1)
    sub("^[{,] *\"" name "\" *: *\"", "", found)
    return found
}

# Who wrote an entry: "power" for root and setuid programs; "ended" where the journal came too late to look;
# "none" for anybody else, who can only pretend.
function writer(entry, power) {
    if (field(entry, "_UID") == "0") return "power"
    power = field(entry, "_CAP_EFFECTIVE")
    if (power == "") return "ended"
    return power ~ /^0+$/ ? "none" : "power"
}

# The message of a line of syslog: what follows time, host and program. What comes later in the line may be chosen
# by others, such as the name in a failed login.
function written(line, end) {
    if (line ~ /^pam_nearmiss\(/) return line
    end = index(line, ": ")
    if (!end || substr(line, 1, end - 1) !~ HEAD) return ""
    return substr(line, end + 2)
}

function percent(part, whole) {
    return whole ? sprintf("%.1f", 100 * part / whole) : "0.0"
}

# One line for each key of a table, in order.
function show(table, title, whole, count, key, keys, n, i, j) {
    n = 0
    for (key in table) {
        for (i = n++; i > 0 && keys[i] > key; i--) keys[i + 1] = keys[i]
        keys[i + 1] = key
    }
    for (j = 1; j <= n; j++) {
        printf "%s %s %d", title, keys[j], table[keys[j]]
        if (whole) printf " %s%%", percent(table[keys[j]], whole)
        print ""
    }
}

BEGIN {
    DAY = "[A-Z][a-z][a-z] [ 0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]"
    ISO = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[^ ]+"
    HEAD = "^(<[0-9]+>)?(" DAY "|" ISO ")( [^ ]+)+$"
    PAIRS = "^decision=(accept|reject|refuse) reason=[^ ]+ enforced=[a-z]+ try=[0-9]+ user=[^ ]* service=[^ ]* rhost=[^ ]*"
    tries = accepted = rejected = refused = unchecked = 0
}

{
    by = "power"
    if ($0 !~ /^\{/) message = written($0)
    else {
        if (field($0, "SYSLOG_FACILITY") != "10") next
        by = writer($0)
        message = field($0, "MESSAGE")
    }
    if (sub(/^pam_nearmiss\([^ ]*:auth\): /, "", message)) {
        if (by != "none" && message ~ /^decision=listed reason=breached enforced=[a-z]+ try=1 user=[^ ]* /) leaked++
        next
    }
    if (!sub(/^pam_nearmiss\([^ ]*:chauthtok\): /, "", message)) next
    if (!match(message, PAIRS) || substr(message, RLENGTH + 1) !~ /^( [a-z_]+=[^ ]*)*$/) next
    others[by]++
    if (by == "none") next
    n = split(message, pair, " ")
    cause = "-"
    for (i = 1; i <= n; i++) {
        value = substr(pair[i], index(pair[i], "=") + 1)
        if (i == 1) decision = value
        else if (i == 2) reason = value
        else if (i == 3) enforced = value
        else if (i == 4) number = value + 0
        else if (pair[i] ~ /^cause=/) cause = value
    }
    decided[enforced " " decision]++
    if (decision == "refuse") {
        refused++
        refusals[reason " " cause]++
    } else if (reason == "unchecked") {
        unchecked++
        gone[cause]++
    }
    if (number != 1 || decision == "refuse") next
    tries++
    if (decision == "accept") accepted++
    else {
        rejected++
        reasons[reason]++
    }
}

END {
    printf "first tries %d\n", tries
    printf "first tries accepted %d %s%%\n", accepted, percent(accepted, tries)
    printf "first tries rejected %d %s%%\n", rejected, percent(rejected, tries)
    show(reasons, "first tries rejected for", tries)
    printf "changes refused %d\n", refused
    show(refusals, "changes refused for", 0)
    printf "changes not wholly checked %d\n", unchecked
    show(gone, "changes not wholly checked for", 0)
    show(decided, "decisions", 0)
    if (leaked) printf "logins with a leaked password %d\n", leaked
    if ("none" in others) printf "left out, written by other users %d\n", others["none"]
    if ("ended" in others) printf "counted, but the writer ended before the journal looked %d\n", others["ended"]
}
