(** Equational reasoning (Section 3.6 and A9): what a rewrite is, that it may be made
    anywhere in a program, and the laws that only move indices, which hold over any
    numbers. Algebra.v has those that need laws of the numbers. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics Lifting.
Import ListNotations.

Section Equations.
  Context (D : domain).
  Notation V := (value D).

  (** [law G e e']: where [e] is well-typed, [e'] has the same type and means the same. *)
  Definition law (G : context) (e e' : expr) : Prop :=
    forall s, has_type G e s -> has_type G e' s /\
      forall m, agrees m G -> forall k, inb k s -> V G m e k = V G m e' k.

  (** A law in every context. *)
  Definition rewrites (e e' : expr) : Prop := forall G, positive_context G -> law G e e'.

  Lemma law_refl : forall G e, law G e e.
  Proof. split; auto. Qed.

  Lemma law_trans : forall G e1 e2 e3, law G e1 e2 -> law G e2 e3 -> law G e1 e3.
  Proof.
    intros G e1 e2 e3 H1 H2 s H. destruct (H1 s H) as [H' V1]. destruct (H2 s H') as [H'' V2].
    split; [exact H''|]. intros. rewrite V1 by assumption. auto.
  Qed.

  (** A law may be used at any place of an expression: where the new name [t] stands. *)
  Theorem law_inside : forall G t p p' sp e s, positive_context G -> law G p p' ->
    has_type G p sp -> ~ occurs t p -> ~ occurs t p' -> has_type (bind G t sp) e s ->
    law G (subst t p e) (subst t p' e).
  Proof.
    intros G t p p' sp e s P R Hp N N' He u Hu. destruct (R sp Hp) as [Hp' W].
    assert (Q : forall q, has_type G q sp -> ~ occurs t q -> type G (subst t q e) = Some s).
    { intros q Hq Nq. rewrite <- (subst_type G t q sp (type_complete _ _ _ Hq) Nq). apply type_complete, He. }
    assert (u = s) as -> by (apply type_complete in Hu; rewrite (Q p Hp N) in Hu; congruence).
    split; [apply type_sound, Q; assumption|]. intros m A k B.
    rewrite <- (subst_value D G m t p sp A P Hp N e s He k B), <- (subst_value D G m t p' sp A P Hp' N' e s He k B).
    apply value_memory. intro x. unfold assign, same. destruct (t =? x); [|destruct (m x); auto].
    intro i. destruct (inb_dec i sp) as [I|]; [apply W; assumption|reflexivity].
  Qed.

  (** … and in any statements: the memory that they end with is the same. *)
  Inductive rewrites_stmt (G : context) : stmt expr -> stmt expr -> Prop :=
  | R_Stmt : forall x e e', law G e e' -> rewrites_stmt G (Assign x e) (Assign x e').

  Theorem rewrite_statements : forall G l l', Forall2 (rewrites_stmt G) l l' -> positive_context G ->
    ok_stmts has_type G l -> ok_stmts has_type G l' /\
    forall m m', agrees m G -> agrees m' G -> (forall x, same (m x) (m' x)) ->
    exists r r', run V G m l = Some r /\ run V G m' l' = Some r' /\ forall x, same (r x) (r' x).
  Proof.
    intros G l l' F P. induction F as [|c c' l l' [x e e' W] F IH]; intro H.
    - split; [constructor|]. intros m m' _ _ S. exists m, m'. auto.
    - inversion H as [|? ? Hc Hl]; subst. inversion Hc as [? ? s Hx He]; subst.
      destruct (W s He) as [He' Ve]. destruct (IH Hl) as [Hl' Run].
      split; [constructor; [econstructor; eauto|exact Hl']|]. intros m m' A A' S. cbn [run]. rewrite Hx.
      pose proof (value_defined D G m A P e s He) as De. pose proof (value_defined D G m' A' P e' s He') as De'.
      apply Run; [apply assign_agrees; assumption..|].
      intro y. unfold assign. destruct (x =? y); [|apply S]. intro k. destruct (inb_dec k s) as [I|]; [|reflexivity].
      rewrite (Ve m A k I). apply value_memory. exact S.
  Qed.

  Lemma retype : forall G e s s', has_type G e s -> s = s' -> has_type G e s'.
  Proof. intros. subst. assumption. Qed.

  Lemma reindex : forall G m e k k', k = k' -> V G m e k = V G m e k'.
  Proof. intros. subst. reflexivity. Qed.

  Lemma position : forall A (l : list A) i, 1 <= i <= length l -> exists x, nth_error l (i - 1) = Some x.
  Proof.
    intros A l i L. destruct (nth_error l (i - 1)) eqn:E; eauto. apply nth_error_None in E. lia.
  Qed.

  Lemma nth_length : forall A (l : list A) p x, nth_error l p = Some x -> p < length l.
  Proof. intros. apply nth_error_Some. congruence. Qed.
End Equations.

(** Inverts a typing of an operation that is applied to operations. *)
Ltac types :=
  repeat match goal with
         | H : has_type _ (Unary _ _) _ |- _ => inversion H; subst; clear H
         | H : has_type _ (Binary _ _ _) _ |- _ => inversion H; subst; clear H
         | H : has_type _ (Mul _ _) _ |- _ => inversion H; subst; clear H
         | H : has_type _ (Prod _ _) _ |- _ => inversion H; subst; clear H
         | H : has_type _ (Red _ _ _) _ |- _ => inversion H; subst; clear H
         | H : has_type _ (Transp _ _ _) _ |- _ => inversion H; subst; clear H
         | H : has_type _ (Diag _ _ _) _ |- _ => inversion H; subst; clear H
         | H : has_type _ (Expa _ _ _) _ |- _ => inversion H; subst; clear H
         | H : has_type _ (Proj _ _ _) _ |- _ => inversion H; subst; clear H
         | H : has_type _ (Const _) _ |- _ => inversion H; subst; clear H
         end.

(** Two types of one expression are one. *)
Ltac one_type :=
  repeat match goal with
         | H : has_type ?G ?e ?s, H' : has_type ?G ?e ?t |- _ =>
             assert (s = t) by (eapply typing_is_unique; eassumption); subst t; clear H'
         end.

(** What positions say about lengths. *)
Ltac lengths :=
  repeat match goal with
         | E : nth_error ?l ?p = Some ?x |- _ =>
             lazymatch goal with
             | _ : p < length l |- _ => fail
             | _ => pose proof (nth_length _ l p x E)
             end
         end.

(** Names the shape of [e] and the proof that it has it. *)
Ltac typed e t H :=
  match goal with H' : has_type _ e ?s |- _ => rename s into t; rename H' into H end.

(** Simplifies what is known about an element. *)
Ltac read :=
  repeat match goal with
         | E : nth_error (swap _ _ _) _ = Some _ |- _ => revert E; nths; intro E
         | E : nth_error (insert _ _ _) _ = Some _ |- _ => revert E; nths; intro E
         | E : nth_error (remove _ _) _ = Some _ |- _ => revert E; nths; intro E
         | E : nth_error (_ ++ _) _ = Some _ |- _ => revert E; nths; intro E
         end.

Section Indices.
  Context (D : domain).

  (** (3) A slice of a repetition is what was repeated. *)
  Theorem proj_expa : forall i m n e, rewrites D (Proj i m (Expa i n e)) e.
  Proof.
    intros i m n e G P s H. types. rewrite remove_insert by lia. split; [assumption|].
    intros mem A k B. cbn [value]. pose proof (inb_length _ _ B). rewrite remove_insert by lia. reflexivity.
  Qed.

  (** (4) The diagonal does not see an exchange of its dimensions. *)
  Theorem diag_transp : forall i0 i1 e, rewrites D (Diag i0 i1 (Transp i0 i1 e)) (Diag i0 i1 e).
  Proof.
    intros i0 i1 e G P s H. types. typed e t He. from_zero i0. from_zero i1. read. lengths.
    assert (E : remove i1 (swap i0 i1 t) = remove i1 t) by lists.
    rewrite E. split; [pose proof (T_Diag G (S i0) (S i1) e t n) as Q; zero_based; apply Q; auto; lia|].
    intros mem A k B. cbn [value]. zero_based.
    pose proof (inb_length _ _ B) as L. rewrite length_remove_minus in L by lia.
    destruct (nth_error k i0) as [j|] eqn:Ej; [|reflexivity]. apply reindex. lists.
  Qed.

  (** The diagonal of a repetition is what was repeated. *)
  Theorem diag_expa : forall i0 i1 n e, rewrites D (Diag i0 i1 (Expa i1 n e)) e.
  Proof.
    intros i0 i1 n e G P s H. types. rewrite remove_insert by lia. split; [assumption|].
    intros mem A k B. cbn [value]. pose proof (inb_length _ _ B) as L. lengths.
    rewrite length_insert in * by lia.
    destruct (nth_error k (i0 - 1)) as [j|] eqn:Ej; [|apply nth_error_None in Ej; lia].
    rewrite remove_insert by lia. reflexivity.
  Qed.

  (** An exchange undoes itself. *)
  Theorem transp_transp : forall i0 i1 e, rewrites D (Transp i0 i1 (Transp i0 i1 e)) e.
  Proof.
    intros i0 i1 e G P s H. types. rewrite length_swap in *. rewrite swap_swap by lia.
    split; [assumption|]. intros mem A k B. cbn [value]. pose proof (inb_length _ _ B).
    rewrite swap_swap by lia. reflexivity.
  Qed.

  (** Exchanges of different dimensions commute. *)
  Theorem transp_commute : forall i0 i1 j0 j1 e, i0 <> j0 -> i0 <> j1 -> i1 <> j0 -> i1 <> j1 ->
    rewrites D (Transp i0 i1 (Transp j0 j1 e)) (Transp j0 j1 (Transp i0 i1 e)).
  Proof.
    intros i0 i1 j0 j1 e N1 N2 N3 N4 G P s H. types. rewrite length_swap in *. typed e t He. split.
    - rewrite swap_commute by lia. repeat (apply T_Transp; rewrite ?length_swap; try assumption).
    - intros mem A k B. cbn [value]. pose proof (inb_length _ _ B) as L. rewrite !length_swap in L.
      rewrite swap_commute by lia. reflexivity.
  Qed.

  (** Operations on indices move through those on elements. *)
  Theorem transp_unary : forall i0 i1 f e, rewrites D (Transp i0 i1 (Unary f e)) (Unary f (Transp i0 i1 e)).
  Proof. intros i0 i1 f e G P s H. types. split; [eauto using has_type|reflexivity]. Qed.

  Theorem transp_binary : forall i0 i1 b e0 e1,
    rewrites D (Transp i0 i1 (Binary b e0 e1)) (Binary b (Transp i0 i1 e0) (Transp i0 i1 e1)).
  Proof. intros i0 i1 b e0 e1 G P s H. types. split; [eauto using has_type|reflexivity]. Qed.

  Theorem diag_unary : forall i0 i1 f e, rewrites D (Diag i0 i1 (Unary f e)) (Unary f (Diag i0 i1 e)).
  Proof.
    intros i0 i1 f e G P s H. types. split; [econstructor; econstructor; eauto|].
    intros. cbn [value]. destruct (nth_error k (i0 - 1)); reflexivity.
  Qed.

  Theorem diag_binary : forall i0 i1 b e0 e1,
    rewrites D (Diag i0 i1 (Binary b e0 e1)) (Binary b (Diag i0 i1 e0) (Diag i0 i1 e1)).
  Proof.
    intros i0 i1 b e0 e1 G P s H. types. split; [econstructor; econstructor; eauto|].
    intros. cbn [value]. destruct (nth_error k (i0 - 1)); reflexivity.
  Qed.

  Theorem expa_unary : forall i n f e, rewrites D (Expa i n (Unary f e)) (Unary f (Expa i n e)).
  Proof. intros i n f e G P s H. types. split; [eauto using has_type|reflexivity]. Qed.

  Theorem expa_binary : forall i n b e0 e1, rewrites D (Expa i n (Binary b e0 e1)) (Binary b (Expa i n e0) (Expa i n e1)).
  Proof. intros i n b e0 e1 G P s H. types. split; [eauto using has_type|reflexivity]. Qed.

  Theorem proj_unary : forall i m f e, rewrites D (Proj i m (Unary f e)) (Unary f (Proj i m e)).
  Proof. intros i m f e G P s H. types. split; [econstructor; econstructor; eauto|reflexivity]. Qed.

  Theorem proj_binary : forall i m b e0 e1, rewrites D (Proj i m (Binary b e0 e1)) (Binary b (Proj i m e0) (Proj i m e1)).
  Proof. intros i m b e0 e1 G P s H. types. split; [econstructor; econstructor; eauto|reflexivity]. Qed.

  (** Operations on the dimensions of one factor of an outer product are operations on
      this factor. *)
  Lemma factors : forall G m e0 e1 s0 k, has_type G e0 s0 ->
    value D G m (Prod e0 e1) k =
    lift2 D (times D) (value D G m e0 (firstn (length s0) k)) (value D G m e1 (skipn (length s0) k)).
  Proof. intros. cbn [value]. rewrite (type_complete _ _ _ H). reflexivity. Qed.

  Lemma factors_equal : forall G m e0 e1 e0' e1' k0 k1 k0' k1',
    value D G m e0 k0 = value D G m e0' k0' -> value D G m e1 k1 = value D G m e1' k1' ->
    lift2 D (times D) (value D G m e0 k0) (value D G m e1 k1) =
    lift2 D (times D) (value D G m e0' k0') (value D G m e1' k1').
  Proof. intros. congruence. Qed.

  Context (G : context) (e0 e1 : expr) (s0 s1 : shape) (H0 : has_type G e0 s0) (H1 : has_type G e1 s1).

  Theorem proj_prod_left : forall i m, i <= length s0 -> law D G (Proj i m (Prod e0 e1)) (Prod (Proj i m e0) e1).
  Proof.
    intros i m Li s H. types. one_type. read.
    assert (T : has_type G (Proj i m e0) (remove (i - 1) s0)) by (econstructor; eauto). split.
    - eapply retype; [apply T_Prod; eassumption|]. lists.
    - intros mem A k B. pose proof (inb_length _ _ B) as L. revert L. repeat length_step. intro L.
      rewrite (factors _ _ _ _ _ _ T). cbn [value]. rewrite (type_complete _ _ _ H0).
      apply factors_equal; apply reindex; lists.
  Qed.

  Theorem proj_prod_right : forall i m, length s0 < i ->
    law D G (Proj i m (Prod e0 e1)) (Prod e0 (Proj (i - length s0) m e1)).
  Proof.
    intros i m Li s H. types. one_type. read. lengths.
    assert (T : has_type G (Proj (i - length s0) m e1) (remove (i - length s0 - 1) s1)).
    { econstructor; eauto; [lia|]. same_position. } split.
    - eapply retype; [apply T_Prod; eassumption|]. lists.
    - intros mem A k B. pose proof (inb_length _ _ B) as L. revert L. repeat length_step. intro L.
      rewrite (factors _ _ _ _ _ _ H0). cbn [value]. rewrite (type_complete _ _ _ H0).
      apply factors_equal; apply reindex; lists.
  Qed.

  Theorem transp_prod_left : forall i0 i1, i1 <= length s0 ->
    law D G (Transp i0 i1 (Prod e0 e1)) (Prod (Transp i0 i1 e0) e1).
  Proof.
    intros i0 i1 Li s H. types. one_type.
    assert (T : has_type G (Transp i0 i1 e0) (swap (i0 - 1) (i1 - 1) s0)) by (constructor; assumption). split.
    - eapply retype; [apply T_Prod; eassumption|]. lists.
    - intros mem A k B. pose proof (inb_length _ _ B) as L. revert L. repeat length_step. intro L.
      rewrite (factors _ _ _ _ _ _ T). cbn [value]. rewrite (type_complete _ _ _ H0).
      rewrite length_swap. apply factors_equal; apply reindex; lists.
  Qed.

  Theorem transp_prod_right : forall i0 i1, length s0 < i0 ->
    law D G (Transp i0 i1 (Prod e0 e1)) (Prod e0 (Transp (i0 - length s0) (i1 - length s0) e1)).
  Proof.
    intros i0 i1 Li s H. types. one_type. rewrite app_length in *.
    assert (T : has_type G (Transp (i0 - length s0) (i1 - length s0) e1) (swap (i0 - length s0 - 1) (i1 - length s0 - 1) s1))
      by (constructor; [assumption|lia|lia]). split.
    - eapply retype; [apply T_Prod; eassumption|]. lists.
    - intros mem A k B. pose proof (inb_length _ _ B) as L. revert L. repeat length_step. intro L.
      rewrite (factors _ _ _ _ _ _ H0). cbn [value]. rewrite (type_complete _ _ _ H0).
      apply factors_equal; apply reindex; lists.
  Qed.

  Theorem diag_prod_left : forall i0 i1, i1 <= length s0 ->
    law D G (Diag i0 i1 (Prod e0 e1)) (Prod (Diag i0 i1 e0) e1).
  Proof.
    intros i0 i1 Li s H. types. one_type. read. lengths.
    assert (T : has_type G (Diag i0 i1 e0) (remove (i1 - 1) s0)) by (econstructor; eauto). split.
    - eapply retype; [apply T_Prod; eassumption|]. lists.
    - intros mem A k B. pose proof (inb_length _ _ B) as L. revert L. repeat length_step. intro L.
      rewrite (factors _ _ _ _ _ _ T). cbn [value]. rewrite (type_complete _ _ _ H0).
      rewrite nth_error_firstn. rewrite length_remove_minus by lia. destruct (Nat.ltb_spec (i0 - 1) (length s0 - 1)); [|lia].
      destruct (nth_error k (i0 - 1)) as [j|] eqn:E; [|apply nth_error_None in E; lia].
      apply factors_equal; apply reindex; lists.
  Qed.

  Theorem diag_prod_right : forall i0 i1, length s0 < i0 ->
    law D G (Diag i0 i1 (Prod e0 e1)) (Prod e0 (Diag (i0 - length s0) (i1 - length s0) e1)).
  Proof.
    intros i0 i1 Li s H. types. one_type. read. lengths.
    assert (T : has_type G (Diag (i0 - length s0) (i1 - length s0) e1) (remove (i1 - length s0 - 1) s1)).
    { apply T_Diag with (n := n); [assumption|lia|same_position|same_position]. } split.
    - eapply retype; [apply T_Prod; eassumption|]. lists.
    - intros mem A k B. pose proof (inb_length _ _ B) as L. revert L. repeat length_step. intro L.
      rewrite (factors _ _ _ _ _ _ H0). cbn [value]. rewrite (type_complete _ _ _ H0).
      rewrite nth_error_skipn. replace (length s0 + (i0 - length s0 - 1)) with (i0 - 1) by lia.
      destruct (nth_error k (i0 - 1)) as [j|] eqn:E; [|apply nth_error_None in E; lia].
      apply factors_equal; apply reindex; lists.
  Qed.

  (** A repetition in front of or behind the last dimension of a factor belongs to it. *)
  Theorem expa_prod_left : forall i n, i <= S (length s0) -> law D G (Expa i n (Prod e0 e1)) (Prod (Expa i n e0) e1).
  Proof.
    intros i n Li s H. types. one_type.
    assert (T : has_type G (Expa i n e0) (insert (i - 1) n s0)) by (constructor; [assumption|lia|assumption]). split.
    - eapply retype; [apply T_Prod; eassumption|]. lists.
    - intros mem A k B. pose proof (inb_length _ _ B) as L. revert L. repeat length_step. intro L.
      rewrite (factors _ _ _ _ _ _ T). cbn [value]. rewrite (type_complete _ _ _ H0).
      rewrite length_insert by lia. apply factors_equal; apply reindex; lists.
  Qed.

  Theorem expa_prod_right : forall i n, length s0 < i ->
    law D G (Expa i n (Prod e0 e1)) (Prod e0 (Expa (i - length s0) n e1)).
  Proof.
    intros i n Li s H. types. one_type. rewrite app_length in *.
    assert (T : has_type G (Expa (i - length s0) n e1) (insert (i - length s0 - 1) n s1)) by (constructor; [assumption|lia|assumption]). split.
    - eapply retype; [apply T_Prod; eassumption|]. lists.
    - intros mem A k B. pose proof (inb_length _ _ B) as L. revert L. repeat length_step. intro L.
      rewrite (factors _ _ _ _ _ _ H0). cbn [value]. rewrite (type_complete _ _ _ H0).
      apply factors_equal; apply reindex; lists.
  Qed.
End Indices.
