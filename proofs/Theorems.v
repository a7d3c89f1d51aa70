(** Every theorem that proofs/README.md names, with what it rests on. The script
    proofs/check fails unless each is closed under the global context. *)

From Ricci Require Import Lists Syntax Statements Typing Semantics Core Paper Elaboration Lifting Equations Algebra Lowering MDH.

Print Assumptions lemma_4_1.
Print Assumptions lemma_4_1_core.
Print Assumptions lemma_4_3.
Print Assumptions lemma_4_3_core.
Print Assumptions theorem_4_4.
Print Assumptions theorem_4_4_core.
Print Assumptions lemma_4_5.
Print Assumptions lemma_4_5_core.
Print Assumptions theorem_4_6.
Print Assumptions theorem_4_6_core.

Print Assumptions typing_is_computable.
Print Assumptions typing_is_unique.
Print Assumptions core_typing_is_computable.
Print Assumptions core_typing_is_unique.
Print Assumptions check_correct.
Print Assumptions contr_type.
Print Assumptions value_defined.
Print Assumptions core_value_defined.
Print Assumptions contr_value.

Print Assumptions statement_safe.
Print Assumptions expression_safe.
Print Assumptions type_safety.
Print Assumptions deterministic.
Print Assumptions run_correct.
Print Assumptions full_type.
Print Assumptions core_type.
Print Assumptions full_value.
Print Assumptions elaboration_keeps_types.
Print Assumptions elaboration_keeps_values.

Print Assumptions law_inside.
Print Assumptions rewrite_statements.
Print Assumptions proj_expa.
Print Assumptions diag_transp.
Print Assumptions diag_expa.
Print Assumptions transp_transp.
Print Assumptions transp_commute.
Print Assumptions transp_unary.
Print Assumptions transp_binary.
Print Assumptions diag_unary.
Print Assumptions diag_binary.
Print Assumptions expa_unary.
Print Assumptions expa_binary.
Print Assumptions proj_unary.
Print Assumptions proj_binary.

Print Assumptions proj_prod_left.
Print Assumptions proj_prod_right.
Print Assumptions transp_prod_left.
Print Assumptions transp_prod_right.
Print Assumptions diag_prod_left.
Print Assumptions diag_prod_right.
Print Assumptions expa_prod_left.
Print Assumptions expa_prod_right.

Print Assumptions integers_semiring.
Print Assumptions sum_expa.
Print Assumptions min_expa.
Print Assumptions max_expa.
Print Assumptions product_expa.
Print Assumptions sum_add.
Print Assumptions sum_scale.
Print Assumptions sum_prod_left.
Print Assumptions sum_prod_right.
Print Assumptions contr_prod_left.
Print Assumptions contr_prod_right.
Print Assumptions prod_assoc.
Print Assumptions prod_scalar.
Print Assumptions sum_sum.

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
