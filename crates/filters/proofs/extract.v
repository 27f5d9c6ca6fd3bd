(** The executable definitions of [distance_one.v] as OCaml, for [compare.ml]. *)

From Coq Require Import List Extraction ExtrOcamlBasic ExtrOcamlNatInt.
Require Import distance_one.

Extraction Language OCaml.
Extraction "distance_one.ml" distance stored finds extension extensions_share.
