# Parsed by nix-instantiate, not built: no store and no channel were at hand.
{ lib, rustPlatform, linux-pam, installShellFiles, python3 }:
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
  cargoBuildFlags = [ "-p" "pam-nearmiss" "-p" "filterctl" ];
  # The other tests read Debian's word lists.
  cargoTestFlags = [ "--lib" "-p" "nearmiss-filters" "-p" "pam-nearmiss" "-p" "filterctl" ];
  buildInputs = [ linux-pam ];
  nativeBuildInputs = [ installShellFiles python3 ];
  postInstall = ''
    mkdir -p $out/lib/security
    mv $out/lib/libpam_nearmiss.so $out/lib/security/pam_nearmiss.so
    $out/bin/filterctl man man
    installManPage man/*.8 packaging/man/pam_nearmiss.8 packaging/man/nearmiss.conf.5
    for shell in bash zsh fish; do
      $out/bin/filterctl completions $shell > filterctl.$shell
      installShellCompletion --cmd filterctl --$shell filterctl.$shell
    done
  '';
  meta = {
    description = "PAM module that rejects passwords near a dictionary or too common here";
    license = with lib.licenses; [ mit asl20 ];
    platforms = lib.platforms.linux;
    mainProgram = "filterctl";
  };
}
