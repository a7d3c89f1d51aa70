(** Lifting: a part of an expression is computed once, into a temporary of its own
    (A13.5). Memory is the same on all names of the program. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics.
Import ListNotations.

(** [subst t p e]: [e] with the expression [p] in the place of the name [t]. *)
Fixpoint subst (t : name) (p e : expr) : expr :=
  match e with
  | Var x => if t =? x then p else Var x
  | Const c => Const c
  | Unary f e => Unary f (subst t p e)
  | Binary b e0 e1 => Binary b (subst t p e0) (subst t p e1)
  | Mul e0 e1 => Mul (subst t p e0) (subst t p e1)
  | Prod e0 e1 => Prod (subst t p e0) (subst t p e1)
  | Red r i e => Red r i (subst t p e)
  | Transp i0 i1 e => Transp i0 i1 (subst t p e)
  | Diag i0 i1 e => Diag i0 i1 (subst t p e)
  | Expa i n e => Expa i n (subst t p e)
  | Proj i m e => Proj i m (subst t p e)
  | Shift i o m e => Shift i o m (subst t p e)
  | Window i w e => Window i w (subst t p e)
  | Stride i d e => Stride i d (subst t p e)
  end.

Fixpoint occurs (t : name) (e : expr) : Prop :=
  match e with
  | Var x => x = t
  | Const _ => False
  | Unary _ e | Red _ _ e | Transp _ _ e | Diag _ _ e | Expa _ _ e | Proj _ _ e
  | Shift _ _ _ e | Window _ _ e | Stride _ _ e => occurs t e
  | Binary _ e0 e1 | Mul e0 e1 | Prod e0 e1 => occurs t e0 \/ occurs t e1
  end.

Lemma bind_same : forall G t s, bind G t s t = Some s.
Proof. intros. unfold bind. rewrite Nat.eqb_refl. reflexivity. Qed.

Lemma bind_other : forall G t s x, t <> x -> bind G t s x = G x.
Proof. intros. unfold bind. destruct (Nat.eqb_spec t x); congruence. Qed.

(** A name that does not occur does not matter. *)
Lemma type_frame : forall G t s e, ~ occurs t e -> type (bind G t s) e = type G e.
Proof.
  intros G t s. induction e; cbn [occurs type]; intro N;
    repeat match goal with IH : ~ occurs t ?e -> _ |- _ => rewrite IH by tauto; clear IH end; try reflexivity.
  apply bind_other. congruence.
Qed.

Lemma subst_type : forall G t p sp, type G p = Some sp -> ~ occurs t p ->
  forall e, type (bind G t sp) e = type G (subst t p e).
Proof.
  intros G t p sp Hp N. induction e; cbn [subst type];
    repeat match goal with IH : type _ ?e = _ |- _ => rewrite IH; clear IH end; try reflexivity.
  destruct (Nat.eqb_spec t x); subst.
  - rewrite bind_same. congruence.
  - apply bind_other. assumption.
Qed.

Section Lifting.
  Context (D : domain).

  (** Values depend on the context only through the types of parts that occur. *)
  Lemma value_context : forall G m t s e, ~ occurs t e -> forall k, value D (bind G t s) m e k = value D G m e k.
  Proof.
    intros G m t s. induction e; intros N k; cbn [occurs value] in *; rewrite ?type_frame by tauto; try reflexivity.
    - rewrite IHe by assumption. reflexivity.
    - rewrite IHe1, IHe2 by tauto. reflexivity.
    - rewrite IHe1, IHe2 by tauto. reflexivity.
    - destruct (type G e1); [|reflexivity]. rewrite IHe1, IHe2 by tauto. reflexivity.
    - destruct (type G e); [|reflexivity]. destruct (nth_error _ _); [|reflexivity].
      apply fold_ext. intros. apply IHe. exact N.
    - apply IHe. exact N.
    - destruct (nth_error _ _); [apply IHe; exact N|reflexivity].
    - apply IHe. exact N.
    - apply IHe. exact N.
    - destruct (nth_error _ _); [apply IHe; exact N|reflexivity].
    - destruct (nth_error _ _); [|reflexivity]. destruct (nth_error _ _); [apply IHe; exact N|reflexivity].
    - destruct (nth_error _ _); [apply IHe; exact N|reflexivity].
  Qed.

  (** Memories that hold the same give the same values. *)
  Lemma value_memory : forall G m m' e k,
    (forall x, same (m x) (m' x)) -> value D G m e k = value D G m' e k.
  Proof.
    intros G m m' e. induction e; intros k M; cbn [value]; auto.
    - specialize (M x). unfold same in M. destruct (m x), (m' x); auto; contradiction.
    - rewrite IHe by exact M. reflexivity.
    - rewrite IHe1, IHe2 by exact M. reflexivity.
    - rewrite IHe1, IHe2 by exact M. reflexivity.
    - destruct (type G e1); [rewrite IHe1, IHe2 by exact M|]; reflexivity.
    - destruct (type G e); [|reflexivity]. destruct (nth_error _ _); [|reflexivity].
      apply fold_ext. auto.
    - destruct (nth_error _ _); auto.
    - destruct (nth_error _ _); auto.
    - destruct (nth_error _ _); [|reflexivity]. destruct (nth_error _ _); auto.
    - destruct (nth_error _ _); auto.
  Qed.

  (** A value in bounds reads the temporary only in its bounds, where it holds the
      part's values. *)
  Theorem subst_value : forall G m t p sp, agrees m G -> positive_context G ->
    has_type G p sp -> ~ occurs t p ->
    forall e s, has_type (bind G t sp) e s -> forall k, inb k s ->
    value D (bind G t sp) (assign m t sp (value D G m p)) e k = value D G m (subst t p e) k.
  Proof.
    intros G m t p sp A P Hp N.
    assert (Q : forall e, type (bind G t sp) e = type G (subst t p e))
      by (apply subst_type; [apply type_complete|]; assumption).
    induction 1; intros k B; cbn [subst value]; rewrite <- ?Q.
    - unfold assign. destruct (Nat.eqb_spec t x); subst.
      + rewrite bind_same in H. injection H as <-.
        destruct (inb_dec k sp); [reflexivity|contradiction].
      + reflexivity.
    - reflexivity.
    - rewrite IHhas_type by assumption. reflexivity.
    - rewrite IHhas_type1, IHhas_type2 by assumption. reflexivity.
    - rewrite (type_complete _ _ _ H), IHhas_type2 by assumption.
      rewrite IHhas_type1; [reflexivity|]. destruct s; [constructor|exact B].
    - rewrite (type_complete _ _ _ H), IHhas_type2 by assumption.
      rewrite IHhas_type1; [reflexivity|constructor].
    - rewrite (type_complete _ _ _ H). destruct (inb_split _ _ _ B).
      rewrite IHhas_type1, IHhas_type2 by assumption. reflexivity.
    - rewrite (type_complete _ _ _ H).
      destruct (nth_error s (i - 1)) as [n|] eqn:E; [|reflexivity].
      apply fold_ext. intros j L. apply IHhas_type. eapply inb_insert; eauto.
    - apply IHhas_type. pose proof (inb_length _ _ B) as L. rewrite length_swap in L.
      rewrite <- (swap_swap s (i0 - 1) (i1 - 1)) by lia. apply Forall2_swap; [exact B| |]; lia.
    - destruct (nth_error k (i0 - 1)) as [j|] eqn:E; [|reflexivity].
      apply IHhas_type. eapply inb_insert; eauto.
      eapply Forall2_nth_error with (1 := B); [exact E|].
      rewrite nth_error_remove. destruct (Nat.ltb_spec (i0 - 1) (i1 - 1)); [assumption|lia].
    - apply IHhas_type. rewrite <- (remove_insert s (i - 1) n) by lia. apply Forall2_remove. exact B.
    - apply IHhas_type. eapply inb_insert; eauto.
    - destruct (inb_set_nth _ _ _ _ _ B H1) as (j & -> & L). apply IHhas_type. eapply inb_set; [exact B|exact H1|lia].
    - destruct i as [|i]; [lia|]. replace (S i - 1) with i in * by lia.
      destruct (inb_window _ _ _ _ _ B H1) as (j & x & -> & -> & In). apply IHhas_type. exact In.
    - destruct (inb_set_nth _ _ _ _ _ B H1) as (j & -> & L). apply IHhas_type. eapply inb_set; [exact B|exact H1|].
      apply strided_bound; assumption.
  Qed.

  (** The two statements [t = p; x = e] do to every name but [t], at every place,
      what [x = subst t p e] does. *)
  Theorem lifting : forall G m t p sp x e s, agrees m G -> positive_context G ->
    has_type G p sp -> ~ occurs t p -> t <> x ->
    G x = Some s -> has_type (bind G t sp) e s ->
    exists m1 m2, run (value D) (bind G t sp) m [Assign t p; Assign x e] = Some m1 /\ run (value D) G m [Assign x (subst t p e)] = Some m2 /\ forall y, y <> t -> same (m1 y) (m2 y).
  Proof.
    intros G m t p sp x e s A P Hp N X Hx He.
    set (m' := assign m t sp (value D (bind G t sp) m p)).
    exists (assign m' x s (value D (bind G t sp) m' e)), (assign m x s (value D G m (subst t p e))).
    cbn [run]. rewrite bind_same, bind_other, Hx by congruence. repeat split.
    intros y Y. unfold assign. destruct (Nat.eqb_spec x y); subst; cbn [same].
    - intro k. destruct (inb_dec k s) as [I|]; [|reflexivity].
      rewrite <- subst_value with (s := s) (sp := sp) by assumption.
      (* The temporary was computed in the larger context, in which the part is the same. *)
      assert (Vp : forall k, value D (bind G t sp) m p k = value D G m p k) by (apply value_context; assumption).
      apply value_memory. intro z. unfold same, m', assign. destruct (t =? z); [|destruct (m z); auto].
      intro q. destruct (inb_dec q sp); [apply Vp|reflexivity].
    - unfold m', assign. destruct (Nat.eqb_spec t y); [congruence|]. destruct (m y); cbn [same]; auto.
  Qed.
End Lifting.
