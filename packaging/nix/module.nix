# Parsed by nix-instantiate, not run. security.pam.services.<name>.rules is marked experimental in NixOS.
#
# It checks and does not record: NixOS's pam_unix is "sufficient", and nothing behind it runs once a password is set.
# So there is no ladder either.
{ config, lib, pkgs, ... }:
let
  cfg = config.security.pam.nearmiss;
  module = "${cfg.package}/lib/security/pam_nearmiss.so";
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
    security.pam.services = lib.genAttrs cfg.services (name:
      let unix = config.security.pam.services.${name}.rules.password.unix;
      in {
        rules.password.nearmiss = {
          control = "requisite";
          modulePath = module;
          args = [ "retry=3" ];
          order = unix.order - 10;
        };
        rules.password.unix.settings.use_authtok = true;
        # NixOS ends the stack with lines that are "sufficient" or optional: without this line a change that none of
        # them made would be reported as a success. NixOS counts its own lines in hundreds from 10000.
        rules.password.nearmiss-deny = {
          control = "required";
          modulePath = "${pkgs.linux-pam}/lib/security/pam_deny.so";
          order = unix.order + 10000;
        };
      });
  };
}
