# The password stack of packaging/nix/module.nix as text, which is kept in nix-stack. NixOS's own rules, and
# the parts of its library that the module uses, are here in short. All of NixOS's modules that set
# passwords are in use, but the one for MySQL is not used by this service.
#     nix-instantiate --eval --strict --json packaging/tests/nix-stack.nix
let
  inherit (builtins) attrNames attrValues concatMap concatStringsSep elemAt filter foldl' genList head length
    listToAttrs mapAttrs sort;
  named = names: function: listToAttrs (map (name: { inherit name; value = function name; }) names);
  lib = {
    mkIf = condition: content: if condition then content else { };
    mkForce = content: { forced = content; };
    mkMerge = list: { merged = list; };
    mkOption = option: option;
    mkEnableOption = text: text;
    types = named [ "package" "str" "path" "listOf" "nullOr" ] (_: _: { });
    optionalAttrs = condition: set: if condition then set else { };
    mapAttrsToList = function: set: map (name: function name set.${name}) (attrNames set);
    genAttrs = named;
  };

  own = [
    { name = "systemd_home"; control = "sufficient"; }
    { name = "unix"; control = "sufficient"; settings = { nullok = true; yescrypt = true; }; }
    { name = "ecryptfs"; control = "optional"; }
    { name = "ldap"; control = "sufficient"; }
    { name = "mysql"; control = "sufficient"; enable = false; }
    { name = "kanidm"; control = "sufficient"; }
    { name = "sss"; control = "sufficient"; }
    { name = "krb5"; control = "sufficient"; settings = { use_first_pass = true; }; }
    { name = "gnome_keyring"; control = "optional"; settings = { use_authtok = true; }; }
  ];
  rule_of_own = at:
    let rule = elemAt own at;
    in {
      inherit (rule) name;
      value = { enable = true; modulePath = "pam_${rule.name}.so"; order = 10000 + 100 * at; } // rule;
    };

  module = import ../nix/module.nix {
    inherit lib;
    config = machine;
    pkgs.linux-pam = "/libpam";
  };
  machine = {
    security.pam = {
      nearmiss = { enable = true; package = "/package"; services = [ "passwd" ]; textfiles = null; };
      krb5.enable = true;
      services.passwd.rules.password = rules;
    };
    services = { homed.enable = true; kanidm.enablePam = true; sssd.enable = true; };
    users = { ldap.enable = true; mysql.enable = true; };
  };

  merge = one: other: one // other // {
    settings = (one.settings or { }) // (other.settings or { });
    control = other.control.forced or
      (if one ? control && other ? control then throw "two controls" else one.control or other.control);
  };
  add = sum: part: sum // mapAttrs (name: rule: merge (sum.${name} or { }) rule) part;
  rules = foldl' add (listToAttrs (genList rule_of_own (length own)))
    module.config.security.pam.services.passwd.rules.password.merged;

  word = name: value: if value == true then name else "${name}=${toString value}";
  words = rule: (rule.args or [ ]) ++ attrValues (mapAttrs word (rule.settings or { }));
  line = rule: concatStringsSep " " ([ "password" rule.control rule.modulePath ] ++ words rule);
in
concatStringsSep "" (map (rule: line rule + "\n")
  (sort (one: other: one.order < other.order) (filter (rule: rule.enable or true) (attrValues rules))))
