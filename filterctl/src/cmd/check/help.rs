//! The pages of `filterctl check --help` behind its options.

pub(super) const AFTER: &str = "\
Candidates:
  One per line on standard input; on a terminal, filterctl prompts for one without echo.
  Candidates are never shown: verdicts name the line number. A candidate $HEX[...] is
  decoded, as by filterctl build. Input that is compressed, in UTF-16, separated by NUL
  bytes or carriage returns, or mostly hashes is refused with the command that reads it,
  and so are lines of which most have columns, counts, names, quotes, JSON or another
  encoding. With --columns password, each line is a password, unless most are lines of
  /etc/shadow.

Users and their passwords:
  --columns user,password reads lines such as 'anna:password': the password must not be
  near the user name, nor near the real name that the system has for that user. --audit
  counts the passwords by reason and names the users. Counts or digests in the place of
  users or passwords, and one name before all, are refused unless --columns is given.

Stored hashes:
  --audit also reads the accounts of a directory: lines of pwdump, secretsdump, user:HASH
  and pdbedit -L -w, and LDIF with userPassword, sambaNTPassword or unicodePwd.
  NTLM and SHA-1 digests are looked up in the filters of their kind; the report names the
  users whose password is leaked, empty, stored in clear text or as an LM hash, or the same
  as another user's. Salted hashes, as in /etc/shadow, cannot be checked.

Lookups:
  Candidates are looked up as the PAM module does at the line that checks the passwords of
  passwd, or of --service: in the filters of that line or of the settings, then in the
  ladder of chosen passwords. If options of that line replace settings (conf=, filter=,
  enforce=), standard error names the line; --conf and --filter replace its options. A
  lookup in the ladder changes nothing, but takes as long as a login for each candidate
  that nothing else rejects, and each thread needs the memory of one slow hash: pass
  --no-ladder for a long list. Only root can read the ladder; other users get a warning
  that it was not used.

Levels of enforcement:
  The module would accept a weak candidate that only parts with enforce = \"warn\" or \"audit\"
  find: its line then contains 'would warn' or 'would audit', and the verdict in JSON is
  warn or audit. --only weak prints these lines, too.

Exit status:
  0  no candidate is weak
  1  a candidate is weak: rejected, or accepted with a warning or an entry in the log
  2  a filter, the ladder or the configuration cannot be used, standard input is not a list
     of passwords, or there is nothing to audit
  4  no candidate or hash is weak, but some lines were not judged: standard error reports
     how many; or standard input is empty, unless it is /dev/null or --conf is given: a
     check of nothing examines the settings

Examples:
  filterctl check --user anna          # as root: the system's filter is private
  filterctl check --filter words.filter --summary < passwords.txt
  filterctl check --filter words.filter --json --only weak < passwords.txt
  filterctl check --audit --no-ladder < users-and-passwords
  pdbedit -L -w | filterctl check --audit --filter ntlm.filter
  filterctl check --explain --common --list /usr/share/dict/words < passwords.txt";
