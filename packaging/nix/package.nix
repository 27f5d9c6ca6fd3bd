# Parsed by nix-instantiate, not built: no store and no channel were at hand.
{ lib, rustPlatform, cracklib, gettext, linux-pam, installShellFiles, python3 }:
let
  cargo = lib.importTOML ../../Cargo.toml;
in
rustPlatform.buildRustPackage {
  pname = "nearmiss";
  version = cargo.workspace.package.version;
  src = lib.cleanSourceWith {
    src = lib.cleanSource ../..;
    filter = path: type: !(type == "directory" && baseNameOf path == "target");
  };
  cargoLock.lockFile = ../../Cargo.lock;
  outputs = [ "out" "lab" "agent" "fetch" "servers" ];
  cargoBuildFlags = [ "-p" "pam-nearmiss" "-p" "filterctl" "-p" "filterlab" "-p" "nearmiss-agent" "-p" "nearmiss-fetch" ];
  # The other tests read Debian's word lists.
  cargoTestFlags = [ "--lib" "-p" "nearmiss-filters" "-p" "nearmiss-policy" "-p" "pam-nearmiss" "-p" "nearmiss-cli" "-p" "filterctl" "-p" "filterlab" ];
  buildInputs = [ linux-pam ];
  nativeBuildInputs = [ gettext installShellFiles python3 ];
  # Where the module looks for its catalogues.
  env.NEARMISS_LOCALEDIR = "${placeholder "out"}/share/locale";
  postInstall = ''
    mkdir -p $out/lib/security
    mv $out/lib/libpam_nearmiss.so $out/lib/security/pam_nearmiss.so
    bash packaging/catalogues.sh $out/share/locale
    install -Dm644 packaging/wordlists/suggest.lst $out/share/nearmiss/suggest.lst
    mkdir -p generated
    python3 packaging/notices.py > generated/NOTICES
    install -Dm644 -t $out/share/doc/nearmiss LICENSE-MIT LICENSE-APACHE generated/NOTICES docs/*.md
    install -Dm644 -t $lab/share/doc/nearmiss-lab LICENSE-MIT LICENSE-APACHE generated/NOTICES
    sh packaging/monitor/install.sh $out/share/nearmiss/monitor
    # The library, the drop-in and the servers' plugins, each below its server's folder.
    NEARMISS_LIBCRACK=${cracklib}/lib/libcrack.so.2 CARGO_FLAGS=--frozen bash packaging/servers.sh built/servers
    mv $out/bin/nearmiss-agent $out/bin/nearmiss-fetch built/
    bash packaging/generate.sh built/nearmiss-fetch generated/fetch
    place() { GENERATED=generated/fetch PREFIX= SBINDIR=/bin bash packaging/parts.sh "$@"; }
    place $agent built agent
    place $fetch built fetch
    # The units name the programs where they are in the store.
    sed -i -e "s,=/bin/nearmiss-agent,=$agent/bin/nearmiss-agent," \
      -e "s,=/bin/nearmiss-fetch,=$fetch/bin/nearmiss-fetch," -e "s,=/bin/filterctl,=$out/bin/filterctl," \
      -e "s,/usr/bin/systemctl,/run/current-system/sw/bin/systemctl," \
      $agent/lib/systemd/system/*.service $fetch/lib/systemd/system/*.service
    for part in library development cracklib krb5 openldap mariadb postgresql; do place $servers built $part; done
    for output in $agent $fetch $servers; do
      install -Dm644 -t $output/share/doc/nearmiss LICENSE-MIT LICENSE-APACHE generated/NOTICES
    done
    mkdir -p $lab/bin
    mv $out/bin/filterlab $lab/bin/filterlab
    complete() {
      for shell in bash zsh fish; do
        $1 completions $shell > completions.$shell
        installShellCompletion --cmd "''${1##*/}" --$shell completions.$shell
      done
    }
    $out/bin/filterctl man --output man
    installManPage man/*.8 packaging/man/pam_nearmiss.8 packaging/man/nearmiss.conf.5
    complete $out/bin/filterctl
    $lab/bin/filterlab man --output man
    (outputBin=lab outputMan=lab; installManPage man/*.1; complete $lab/bin/filterlab)
  '';
  meta = {
    description = "PAM module that rejects passwords near a dictionary or too common here";
    license = with lib.licenses; [ mit asl20 ];
    platforms = lib.platforms.linux;
    mainProgram = "filterctl";
  };
}
