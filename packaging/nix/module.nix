# Parsed and evaluated by nix-instantiate (packaging/tests/nix-stack.nix), not run.
# security.pam.services.<name>.rules is marked experimental in NixOS.
#
# Passwords are counted once `filterctl ladder init` has made a ladder.
{ config, lib, pkgs, ... }:
let
  cfg = config.security.pam.nearmiss;
  module = "${cfg.package}/lib/security/pam_nearmiss.so";
  libpam = "${pkgs.linux-pam}/lib/security";
  taking = { use_authtok = true; };
  # NixOS's rules that set passwords, where they are in use, with what keeps each from prompting. A module
  # without such an option may prompt: the line behind it judges what it has set.
  setters = { unix = taking; }
    // lib.optionalAttrs (config.services.homed.enable or false) { systemd_home = { }; }
    // lib.optionalAttrs (config.users.ldap.enable or false) { ldap = taking; }
    // lib.optionalAttrs (config.users.mysql.enable or false) { mysql = { }; }
    // lib.optionalAttrs (config.services.kanidm.enablePam or false) { kanidm = { }; }
    // lib.optionalAttrs (config.services.sssd.enable or false) { sss = taking; }
    // lib.optionalAttrs (config.security.pam.krb5.enable or false) { krb5 = taking; };
in
{
  options.security.pam.nearmiss = {
    enable = lib.mkEnableOption "rejecting passwords near a dictionary";
    package = lib.mkOption {
      type = lib.types.package;
      default = pkgs.callPackage ./package.nix { };
      description = "The package with the module and filterctl.";
    };
    services = lib.mkOption {
      type = lib.types.listOf lib.types.str;
      default = [ "passwd" "chpasswd" "login" "sshd" ];
      description = "The PAM services whose password changes are checked.";
    };
    textfiles = lib.mkOption {
      type = lib.types.nullOr lib.types.path;
      default = null;
      description = "The folder of node_exporter's textfile collector, to write metrics to.";
    };
  };

  config = lib.mkIf cfg.enable {
    environment.systemPackages = [ cfg.package ];
    # Its members may read the filter: none, until a server is added.
    users.groups.nearmiss = { };
    systemd.tmpfiles.rules = [ "d /var/cache/nearmiss 0711 root root -" ];
    systemd.services.nearmiss-filter = {
      description = "Build the nearmiss dictionary filter";
      wantedBy = [ "multi-user.target" ];
      serviceConfig.Type = "oneshot";
      serviceConfig.SuccessExitStatus = 1;
      script = "${cfg.package}/bin/filterctl update --quiet";
    };
    systemd.services.nearmiss-verify = {
      description = "Verify the filters of pam_nearmiss";
      startAt = "weekly";
      serviceConfig = {
        Type = "oneshot";
        CapabilityBoundingSet = "";
        NoNewPrivileges = true;
        PrivateNetwork = true;
        ProtectHome = "read-only";
        ProtectSystem = "strict";
        ReadWritePaths = "-/var/cache/nearmiss";
        SystemCallFilter = "@system-service";
      };
      script = "${cfg.package}/bin/filterctl verify --all --record /var/cache/nearmiss/verified";
    };
    # Where a textfile collector reads them.
    systemd.services.nearmiss-metrics = lib.mkIf (cfg.textfiles != null) {
      description = "Write metrics of pam_nearmiss for node_exporter";
      startAt = "*:0/5";
      serviceConfig = {
        Type = "oneshot";
        CapabilityBoundingSet = "CAP_DAC_OVERRIDE";
        NoNewPrivileges = true;
        PrivateNetwork = true;
        ProtectHome = "read-only";
        ProtectSystem = "strict";
        ReadWritePaths = cfg.textfiles;
        SystemCallFilter = "@system-service";
      };
      script = "${cfg.package}/bin/filterctl metrics --output ${cfg.textfiles}/nearmiss.prom";
    };
    # Whose findings they count. It changes passwords in a copy of this machine, by the modules in use.
    systemd.services.nearmiss-doctor = lib.mkIf (cfg.textfiles != null) {
      description = "Examine pam_nearmiss for the metrics";
      startAt = "hourly";
      serviceConfig = {
        Type = "oneshot";
        SuccessExitStatus = "3 4";
        LockPersonality = true;
        UMask = "0077";
      };
      script = "${cfg.package}/bin/filterctl doctor --only-problems --record /var/cache/nearmiss/examined";
    };
    security.pam.services = lib.genAttrs cfg.services (name:
      let
        rules = config.security.pam.services.${name}.rules.password;
        # NixOS's first rule that sets passwords: pam_systemd_home stands before pam_unix.
        first = if setters ? systemd_home then rules.systemd_home else rules.unix;
        # NixOS makes these rules "sufficient": nothing behind one would run once it has set a password.
        # Here it goes on to the line that records the password, and to one that ends the stack; or over
        # both if it has set none.
        recorded = setter: settings: {
          ${setter} = {
            inherit settings;
            control = lib.mkForce "[success=ok new_authtok_reqd=ok default=2]";
          };
          "nearmiss-record-${setter}" = {
            inherit (rules.${setter}) enable;
            control = "optional";
            modulePath = module;
            args = [ "record" ];
            order = rules.${setter}.order + 1;
          };
          "nearmiss-done-${setter}" = {
            inherit (rules.${setter}) enable;
            control = "sufficient";
            modulePath = "${libpam}/pam_permit.so";
            order = rules.${setter}.order + 2;
          };
        };
        ends = {
          nearmiss = {
            control = "requisite";
            modulePath = module;
            args = [ "retry=3" ];
            order = first.order - 10;
          };
          # NixOS ends the stack with lines that are "sufficient" or optional: without this line a change
          # that none of them made would be reported as a success. NixOS counts its own lines in hundreds
          # from 10000.
          nearmiss-deny = {
            control = "required";
            modulePath = "${libpam}/pam_deny.so";
            order = rules.unix.order + 10000;
          };
        };
      in {
        rules.password = lib.mkMerge ([ ends ] ++ lib.mapAttrsToList recorded setters);
      });
  };
}
