//! The servers that can use nearmiss.

/// When a server loads the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loads {
    /// As it starts.
    AtStart,
    /// For each check.
    AtCheck,
    /// Never: it starts a program instead.
    Never,
}

/// A server, and the pattern of the line of its configuration that names nearmiss.
pub(super) struct Server {
    pub(super) name: &'static str,
    /// Its configurations: a file, or a folder with the suffix of its files.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The word that a line of them has.
    pub(super) word: &'static str,
    /// The folders of the file that the line names.
    plugin: &'static [&'static str],
    /// The effect of its absence.
    pub(super) without: &'static str,
    pub(super) package: &'static str,
    pub(super) page: &'static str,
    pub(super) unit: &'static str,
    /// The option that the line must also have, so that the server does not skip the check.
    pub(super) needs: Option<&'static str>,
    /// The account that it runs as; none for root.
    pub(super) users: &'static [&'static str],
    /// The names of its processes.
    pub(super) programs: &'static [&'static str],
    /// When it loads the plugin.
    pub(super) loads: Loads,
    /// The beginning of the name of the plugin's file.
    pub(super) library: &'static str,
    /// The files, as patterns, in which it keeps the names of plugins that a statement installed.
    pub(super) table: &'static [&'static str],
}

impl Server {
    /// The possible paths of the file that this line names, as patterns. A module of Kerberos is named by its
    /// path.
    pub(super) fn wanted(&self, line: &str) -> Vec<String> {
        let named = line.split(self.word).nth(1).filter(|_| self.word.ends_with(':'));
        let Some(path) = named.map(str::trim).filter(|path| !path.is_empty()) else {
            return self.plugin.iter().map(|&place| place.to_owned()).collect();
        };
        match path.strip_prefix('/') {
            Some(path) => vec![path.to_owned()],
            None => self.plugin.iter().map(|folder| format!("{folder}/{path}")).collect(),
        }
    }
}

pub(super) const SERVERS: &[Server] = &[
    Server {
        name: "MIT Kerberos",
        files: &[("etc/krb5.conf", ""), ("etc/krb5.conf.d", ""), ("etc/krb5kdc", ".conf")],
        word: "nearmiss:",
        plugin: &["usr/lib/*/krb5/plugins", "usr/lib64/krb5/plugins"],
        without: "kadmind accepts every password without a message",
        package: "krb5-nearmiss",
        page: "nearmiss_pwqual",
        unit: "krb5-admin-server",
        needs: None,
        users: &[],
        programs: &["kadmind"],
        loads: Loads::AtStart,
        library: "nearmiss_pwqual",
        table: &[],
    },
    Server {
        name: "OpenLDAP",
        files: &[("etc/ldap/slapd.conf", ""), ("etc/ldap/slapd.d", ".ldif"), ("etc/openldap", "")],
        word: "nearmiss_ppolicy",
        plugin: &["usr/lib/ldap/nearmiss_ppolicy*.so", "usr/lib*/openldap/nearmiss_ppolicy*.so"],
        without: "slapd does not start, or rejects every password",
        package: "slapd-nearmiss",
        page: "nearmiss_ppolicy",
        unit: "slapd",
        needs: None,
        users: &["openldap", "ldap"],
        programs: &["slapd"],
        loads: Loads::AtCheck,
        library: "nearmiss_ppolicy",
        table: &[],
    },
    Server {
        name: "MariaDB",
        files: &[("etc/mysql", ".cnf"), ("etc/my.cnf", ""), ("etc/my.cnf.d", ".cnf")],
        word: "nearmiss_password_check",
        plugin: &[
            "usr/lib/mysql/plugin/nearmiss_password_check.so",
            "usr/lib*/*/plugin/nearmiss_password_check.so",
        ],
        without: "the server accepts every password, or does not start",
        package: "mariadb-plugin-nearmiss",
        page: "nearmiss_password_check",
        unit: "mariadb",
        needs: Some("FORCE_PLUS_PERMANENT"),
        users: &["mysql"],
        programs: &["mariadbd", "mysqld"],
        loads: Loads::AtStart,
        library: "nearmiss_password_check",
        table: &["var/lib/mysql/mysql/plugin.MAD", "var/lib/mysql/mysql/plugin.MYD"],
    },
    Server {
        name: "PostgreSQL",
        files: &[("etc/postgresql", ".conf"), ("var/lib/postgresql", "postgresql.auto.conf")],
        word: "nearmiss_pg",
        plugin: &["usr/lib/postgresql/*/lib/nearmiss_pg.so", "usr/lib64/pgsql/nearmiss_pg.so"],
        without: "the server does not start",
        package: "postgresql-nearmiss",
        page: "nearmiss_pg",
        unit: "postgresql",
        needs: None,
        users: &["postgres"],
        programs: &["postgres"],
        loads: Loads::AtStart,
        library: "nearmiss_pg",
        table: &[],
    },
    Server {
        name: "Samba",
        files: &[("etc/samba/smb.conf", "")],
        word: "filterctl hook samba",
        plugin: &["usr/sbin/filterctl"],
        without: "Samba rejects every password",
        package: "nearmiss-tools",
        page: "filterctl-hook-samba",
        unit: "samba-ad-dc",
        needs: None,
        users: &[],
        programs: &["samba", "smbd"],
        loads: Loads::Never,
        library: "",
        table: &[],
    },
    Server {
        name: "Heimdal",
        files: &[("etc/krb5.conf", ""), ("etc/krb5.conf.d", ""), ("etc/heimdal-kdc", ".conf")],
        word: "nearmiss-heimdal",
        plugin: &["usr/lib/nearmiss/nearmiss-heimdal"],
        without: "Heimdal rejects every password",
        package: "nearmiss-tools",
        page: "filterctl-hook-heimdal",
        unit: "heimdal-kdc",
        needs: None,
        users: &[],
        programs: &["kadmind", "kpasswdd"],
        loads: Loads::Never,
        library: "",
        table: &[],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_of_kerberos_lies_where_its_line_says() {
        let kerberos = &SERVERS[0];
        let relative = kerberos.wanted("module = nearmiss:pwqual/nearmiss_pwqual.so");
        assert_eq!(relative[0], "usr/lib/*/krb5/plugins/pwqual/nearmiss_pwqual.so");
        assert_eq!(kerberos.wanted("module = nearmiss: /opt/n.so"), ["opt/n.so"]);
        assert_eq!(SERVERS[5].wanted("external_program = /usr/lib/nearmiss/nearmiss-heimdal").len(), 1);
    }
}
