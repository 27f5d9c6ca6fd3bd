# awk -f log-report.awk [FILE...]: what the log says about password changes: the share of first tries that is rejected, by
# reason; the changes that were refused and those that were not wholly checked, by cause; the passwords that were set past
# the check, by reason; all decisions, by level; the logins with a leaked password.
# Reads lines of syslog, as rsyslog, syslog-ng, sysklogd, RFC 5424 and journalctl write them, and entries of
# `journalctl -o json`, whichever comes. Lines with a decision that it cannot read are counted: then it ends with
# status 4. Any awk runs it.
#
# awk -v metrics=1 -v now=SECONDS -f log-report.awk [FILE...]: the decisions as gauges, in the text format of Prometheus.
# The lines that cannot be read are one of them: the status is 0. decisions.sh writes them for node_exporter.

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

# Counts a line with a decision that cannot be read, and keeps the place of the first. An alert must not depend on
# an entry that anybody may have pretended: the metrics have it among those of unknown writers.
function unreadable(times, by) {
    if (metrics && by == "ended") {
        others[by] += times
        return
    }
    if (!unread) place = FNR (FILENAME == "" || FILENAME == "-" ? "" : " of " FILENAME)
    unread += times
}

# The message of a line of syslog: what follows time, host and program. What comes later in the line may be chosen
# by others, such as the name in a failed login.
function written(line, end, head, message) {
    if (line ~ /^pam_nearmiss\(/) return line
    if (match(line, RFC5424)) {
        message = substr(line, RLENGTH + 1)
        return index(message, MARK) == 1 ? substr(message, length(MARK) + 1) : message
    }
    end = index(line, ": ")
    head = substr(line, 1, end ? end - 1 : 0)
    message = substr(line, end + 2)
    # The first colon is the module's where the daemon wrote none after the program.
    if (head ~ HEAD && !(head ~ /pam_nearmiss\([^ ]*\)$/ && message ~ /^decision=/)) return message
    if (line ~ DECISION) unreadable(1, "power")
    return ""
}

# The message that a line stands for, `times` of it. rsyslog writes a message that is repeated once more, with the
# number; sysklogd writes the number alone, and syslog-ng the beginning of the message: both mean the line before.
function repeated(line, message) {
    times = 1
    if (match(message, /^message repeated [0-9]+ times: \[ */)) {
        times = substr(message, 18) + 0
        message = substr(message, RLENGTH + 1)
        sub(/\]$/, "", message)
    } else if (match(message, /^Last message '.*' repeated [0-9]+ times, suppressed by syslog-ng/)) {
        match(message, /' repeated [0-9]+ times, suppressed by syslog-ng/)
        times = substr(message, RSTART + 11) + 0
        message = before
    } else if (line ~ AGAIN) {
        match(line, /[0-9]+ times$/)
        times = substr(line, RSTART) + 0
        message = before
    }
    return message
}

# The message of an entry of the journal: `by` is set to its writer. Facility 10 is AUTHPRIV.
function entered(entry, facility) {
    by = writer(entry)
    facility = field(entry, "SYSLOG_FACILITY")
    if (facility == "10" && field(entry, "MESSAGE") != "") return field(entry, "MESSAGE")
    if (by == "none" || entry !~ DECISION) return ""
    # Cut off, without the fields that tell the writer, or not from the journal.
    if (entry !~ /[{,] *"MESSAGE" *:/ || (facility ~ /^(10)?$/ && entry ~ ENTRY)) unreadable(1, by)
    return ""
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
        printf "%s%s %d", (title == "" ? "" : title " "), keys[j], table[keys[j]]
        if (whole) printf " %s%%", percent(table[keys[j]], whole)
        print ""
    }
}

# A value of a label. No value of the module's has other characters: a line of text that anybody wrote may.
function label(value) {
    return value ~ /^[a-z-]+$/ ? value : "other"
}

# A family of gauges: the name, the help, and one sample for each key of the table, whose words are the labels.
function gauges(table, name, help, labels, key, names, values, n, i, set, sums) {
    printf "# HELP %s %s\n# TYPE %s gauge\n", name, help, name
    n = split(labels, names, " ")
    for (key in table) {
        split(key, values, " ")
        set = ""
        for (i = 1; i <= n; i++) set = set (i > 1 ? "," : "") names[i] "=\"" label(values[i]) "\""
        sums[name (n ? "{" set "}" : "")] += table[key]
    }
    show(sums, "", 0)
}

# Counts a message of the module that `by` wrote, `times` of it.
function tally(message, by, times, module, pair, n, i, value, cause, decision, reason, enforced, number) {
    if (!match(message, /^pam_nearmiss\([^ ]*:(auth|chauthtok)\): decision=/)) return
    module = message ~ /^pam_nearmiss\([^ ]*:auth\): / ? "auth" : "chauthtok"
    sub(/^pam_nearmiss\([^ ]*\): /, "", message)
    if (!match(message, module == "auth" ? LISTED : PAIRS) ||
        substr(message, RLENGTH + 1) !~ /^( [a-z_]+=[^ ]*)*$/) {
        if (by != "none") unreadable(times, by)
        return
    }
    if (module == "auth") {
        if (by != "none") leaked += times
        return
    }
    others[by] += times
    # An alert must not depend on an entry that anybody may have pretended.
    if (by == "none" || (metrics && by == "ended")) return
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
    decided[enforced " " decision] += times
    detailed[decision " " reason " " enforced " " cause] += times
    if (decision == "bypassed") {
        bypassed += times
        bypasses[reason] += times
        return
    }
    if (decision == "refuse") {
        refused += times
        refusals[reason " " cause] += times
    } else if (reason == "unchecked") {
        unchecked += times
        gone[cause] += times
    }
    if (number != 1 || decision == "refuse") return
    tries += times
    first[decision " " (decision == "accept" ? "-" : reason)] += times
    if (decision == "accept") accepted += times
    else {
        rejected += times
        reasons[reason] += times
    }
}

BEGIN {
    CLOCK = "[0-9][0-9]:[0-9][0-9]:[0-9][0-9]"
    DATE = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]"
    # The month may be in any language, and a year may follow the day.
    DAY = "[^ ]+ [ 0-9]?[0-9]( [0-9][0-9][0-9][0-9])? " CLOCK "([.][0-9]+)?"
    ISO = DATE "T[^ ]+"
    FULL = "([A-Z][a-z][a-z] )?" DATE " " CLOCK "[^ ]*"
    # Seconds since 1970, and since the start of the host.
    SECONDS = "[0-9]+[.][0-9]+|\\[[ 0-9.<>]+\\]"
    TIME = "^(<[0-9]+>)?(" DAY "|" ISO "|" FULL "|" SECONDS ")"
    HEAD = TIME "( [^ ]+)+$"
    AGAIN = TIME " [^ ]+ last message repeated [0-9]+ times$"
    # After the version: time, host, program, its number, kind of message, data.
    DATA = "-|(\\[[^] =\"]+( [^] =\"]+=\"([^]\"\\\\]|\\\\.)*\")*\\])+"
    RFC5424 = "^(<[0-9]+>)?1 (" ISO "|-) [^ ]+ [^ ]+ [^ ]+ [^ ]+ (" DATA ") +"
    # The mark of UTF-8, which may begin a message there.
    MARK = "\357\273\277"
    DECISION = "pam_nearmiss\\([^ ]*\\): decision="
    ENTRY = "[{,] *\"MESSAGE\" *: *\"" DECISION
    PAIRS = "^decision=(accept|reject|refuse|bypassed) reason=[^ ]+ enforced=[a-z]+ try=[0-9]+ user=[^ ]* service=[^ ]* rhost=[^ ]*"
    LISTED = "^decision=listed reason=breached enforced=[a-z]+ try=1 user=[^ ]*"
    tries = accepted = rejected = refused = unchecked = unread = 0
}

# Most lines are of others.
!index($0, "pam_nearmiss(") && !index($0, " repeated ") {
    before = ""
    next
}

{ sub(/\r$/, "") }

/^\{/ {
    message = entered($0)
    tally(message, by, 1)
    next
}

{
    before = repeated($0, written($0))
    tally(before, "power", times)
}

END {
    if (metrics) {
        gauges(detailed, "nearmiss_decisions", "Decisions in the log that was read.", "decision reason enforced cause")
        gauges(first, "nearmiss_first_tries", "First tries in the log that was read.", "decision reason")
        single[""] = unread
        gauges(single, "nearmiss_decisions_unreadable", "Lines with a decision that could not be read.", "")
        single[""] = others["ended"] + 0
        gauges(single, "nearmiss_decisions_unattributed", "Decisions of which the journal does not know who wrote them.", "")
        single[""] = now
        if (now) gauges(single, "nearmiss_decisions_timestamp_seconds", "Time at which the log was read.", "")
        exit 0
    }
    printf "first tries %d\n", tries
    printf "first tries accepted %d %s%%\n", accepted, percent(accepted, tries)
    printf "first tries rejected %d %s%%\n", rejected, percent(rejected, tries)
    show(reasons, "first tries rejected for", tries)
    printf "changes refused %d\n", refused
    show(refusals, "changes refused for", 0)
    printf "changes not wholly checked %d\n", unchecked
    show(gone, "changes not wholly checked for", 0)
    if (bypassed) {
        printf "passwords set past the check %d\n", bypassed
        show(bypasses, "passwords set past the check for", 0)
    }
    show(decided, "decisions", 0)
    if (leaked) printf "logins with a leaked password %d\n", leaked
    if ("none" in others) printf "left out, written by other users %d\n", others["none"]
    if ("ended" in others) printf "counted, but the writer ended before the journal looked %d\n", others["ended"]
    if (!unread) exit 0
    printf "lines that could not be read %d\nthe first of them is line %s\n", unread, place
    exit 4
}
