(** Extracts the checker and the evaluator to OCaml. Natural numbers become machine
    integers; the number domain is a record that oracle.ml fills. *)

From Coq Require Import List Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Ricci Require Import Maps Syntax Statements Typing Semantics Operators Evaluator.

Extraction Language OCaml.
(* As functions, so that the elements are computed before they are read. *)
Extraction NoInline tensor_of replace.
Extraction "teil.ml" contr apply reduce with_operators components type check context_of memory_of evaluate indices.
