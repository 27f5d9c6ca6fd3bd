# awk -v what=NAME -f held.awk LOG: the line of torture for the output of `cargo test`: tests tried, tests held.
# Exits 1 when none was tried.
/^test result:/ { held += $4; tried += $4 + $6 }
END {
    printf "torture: %s: %d tried, %d held\n", what, tried, held
    exit !tried
}
