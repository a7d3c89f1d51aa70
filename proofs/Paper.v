(** The theorems of the paper in its own words: over sequences of allocations, with
    memories equivalent to theirs (Definition 4.2), for full TeIL and for Core-TeIL.
    The paper proves the core only. *)

From Coq Require Import List.
From Ricci Require Import Lists Syntax Statements Typing Semantics Core.

(** Lemma 4.1. *)
Theorem lemma_4_1 : exists f : context -> expr -> option shape,
  (forall G e s, has_type G e s <-> f G e = Some s) /\
  (forall g, (forall G e s, has_type G e s <-> g G e = Some s) -> forall G e, g G e = f G e).
Proof.
  exists type. split; [exact typing_is_computable|]. intros g H G e.
  destruct (g G e) as [s|] eqn:E.
  - apply H, typing_is_computable in E. congruence.
  - destruct (type G e) as [s|] eqn:F; [|reflexivity]. apply typing_is_computable, H in F. congruence.
Qed.

Theorem lemma_4_1_core : exists f : context -> cexpr -> option shape,
  (forall G e s, ctype G e s <-> f G e = Some s) /\
  (forall g, (forall G e s, ctype G e s <-> g G e = Some s) -> forall G e, g G e = f G e).
Proof.
  exists (fun G e => type G (full e)). split; [exact core_typing_is_computable|]. intros g H G e.
  destruct (g G e) as [s|] eqn:E.
  - apply H, core_typing_is_computable in E. congruence.
  - destruct (type G (full e)) as [s|] eqn:F; [|reflexivity]. apply core_typing_is_computable, H in F. congruence.
Qed.

Section Safety.
  Context {E : Type} {D : domain} (typed : context -> E -> shape -> Prop)
          (value : context -> memory (number D) -> E -> tensor (number D)).

  Definition Lemma_4_3 : Prop := forall allocs fill m e s, ok_allocs allocs ->
    typed (context_of allocs) e s -> equivalent m (memory_of allocs fill) ->
    forall k, inb k s -> defined (value (context_of allocs) m e k).

  Definition Theorem_4_4 : Prop := forall (p : program E) fill m x e, ok_program typed p ->
    In (Assign x e) (stmts p) -> equivalent m (memory_of (allocs p) fill) ->
    exists! s, context_of (allocs p) x = Some s /\ typed (context_of (allocs p)) e s /\
      forall k, inb k s -> defined (value (context_of (allocs p)) m e k).

  Definition Lemma_4_5 : Prop := forall allocs fill m c, ok_allocs allocs ->
    equivalent m (memory_of allocs fill) -> ok_stmt typed (context_of allocs) c ->
    exists m', steps value (context_of allocs) m c m' /\ equivalent m' (memory_of allocs fill).

  Definition Theorem_4_6 : Prop := forall (p : program E) fill, ok_program typed p ->
    exists m', evaluates value p fill m' /\ equivalent m' (memory_of (allocs p) fill).

  Context (V : well_defined typed value).

  Lemma from_4_3 : Lemma_4_3 /\ Theorem_4_4 /\ Lemma_4_5 /\ Theorem_4_6.
  Proof.
    repeat split.
    - intros al fill m e s O H Q. apply agrees_equivalent in Q. apply V; auto using positive_context_of.
    - intros p fill m x e O I Q. apply agrees_equivalent in Q. eapply expression_safe; eauto.
    - intros al fill m c O Q H. apply agrees_equivalent in Q.
      destruct (statement_safe typed value V (context_of al) m c) as (m' & S & A); auto using positive_context_of.
      exists m'. split; [exact S|]. apply agrees_equivalent. exact A.
    - intros p fill O. destruct (type_safety typed value V p fill O) as (m & R & A).
      exists m. split; [exact R|]. apply agrees_equivalent. exact A.
  Qed.
End Safety.

(** For every domain of numbers. *)
Theorem lemma_4_3 : forall D, Lemma_4_3 (D := D) has_type (value D).
Proof. intro D. apply (from_4_3 _ _ (value_defined D)). Qed.

Theorem theorem_4_4 : forall D, Theorem_4_4 (D := D) has_type (value D).
Proof. intro D. apply (from_4_3 _ _ (value_defined D)). Qed.

Theorem lemma_4_5 : forall D, Lemma_4_5 (D := D) has_type (value D).
Proof. intro D. apply (from_4_3 _ _ (value_defined D)). Qed.

Theorem theorem_4_6 : forall D, Theorem_4_6 (D := D) has_type (value D).
Proof. intro D. apply (from_4_3 _ _ (value_defined D)). Qed.

Theorem lemma_4_3_core : forall D, Lemma_4_3 (D := D) ctype (cvalue D).
Proof. intro D. apply (from_4_3 _ _ (core_value_defined D)). Qed.

Theorem theorem_4_4_core : forall D, Theorem_4_4 (D := D) ctype (cvalue D).
Proof. intro D. apply (from_4_3 _ _ (core_value_defined D)). Qed.

Theorem lemma_4_5_core : forall D, Lemma_4_5 (D := D) ctype (cvalue D).
Proof. intro D. apply (from_4_3 _ _ (core_value_defined D)). Qed.

Theorem theorem_4_6_core : forall D, Theorem_4_6 (D := D) ctype (cvalue D).
Proof. intro D. apply (from_4_3 _ _ (core_value_defined D)). Qed.
