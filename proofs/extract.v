(** The executable definitions of [neighbours.v] as OCaml, for [compare.ml]. *)

From Coq Require Import List Extraction ExtrOcamlBasic ExtrOcamlNatInt.
Require Import neighbours.

Extraction Language OCaml.
Extraction "neighbours.ml" distance stored finds extension extensions_share.
