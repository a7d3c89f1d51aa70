(** Every theorem that proofs/README.md names, with what it rests on. The script
    proofs/check fails unless each is closed under the global context. *)

From Ricci Require Import Lists Syntax Typing Semantics Core Elaboration Equations Lifting Lowering MDH.

Print Assumptions typing_is_computable.
Print Assumptions typing_is_unique.
Print Assumptions check_correct.
Print Assumptions value_defined.
Print Assumptions expression_safe.
Print Assumptions statement_safe.
Print Assumptions type_safety.
Print Assumptions deterministic.
Print Assumptions run_correct.
Print Assumptions core_typing_is_computable.
Print Assumptions core_value_defined.
Print Assumptions core_type_safety.
Print Assumptions elaboration_keeps_types.
Print Assumptions elaboration_keeps_values.
Print Assumptions proj_expa.
Print Assumptions diag_transp.
Print Assumptions transp_transp.
Print Assumptions sum_expa.
Print Assumptions sum_add.
Print Assumptions sum_prod_left.
Print Assumptions subst_value.
Print Assumptions lifting.
Print Assumptions place_in_buffer.
Print Assumptions place_injective.
Print Assumptions gen_correct.
Print Assumptions lower_correct.
Print Assumptions lower_all_correct.
Print Assumptions homomorphic.
Print Assumptions any_order.
Print Assumptions split_pointwise.
Print Assumptions split_concatenated.
Print Assumptions interchange.
