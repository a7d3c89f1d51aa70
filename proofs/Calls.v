(** A call of a program is its statements under other names: parameters under those of
    the arguments, locals under new ones. It does to the caller's memory what the callee
    does by itself to a memory with the arguments' contents. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics Lifting.
Import ListNotations.

Fixpoint rename (f : name -> name) (e : expr) : expr :=
  match e with
  | Var x => Var (f x)
  | Const c => Const c
  | Unary u e => Unary u (rename f e)
  | Binary b e0 e1 => Binary b (rename f e0) (rename f e1)
  | Mul e0 e1 => Mul (rename f e0) (rename f e1)
  | Prod e0 e1 => Prod (rename f e0) (rename f e1)
  | Gather i e0 e1 => Gather i (rename f e0) (rename f e1)
  | Red r i e => Red r i (rename f e)
  | Transp i0 i1 e => Transp i0 i1 (rename f e)
  | Diag i0 i1 e => Diag i0 i1 (rename f e)
  | Expa i n e => Expa i n (rename f e)
  | Proj i m e => Proj i m (rename f e)
  | Shift i o m e => Shift i o m (rename f e)
  | Window i w e => Window i w (rename f e)
  | Stride i d e => Stride i d (rename f e)
  | Flip i e => Flip i (rename f e)
  | Pad i l h e => Pad i l h (rename f e)
  | Remap i r e => Remap i r (rename f e)
  | Replace i o d e0 e1 => Replace i o d (rename f e0) (rename f e1)
  | Iota n => Iota n
  end.

Definition rename_stmt (f : name -> name) (c : stmt expr) : stmt expr :=
  match c with Assign x e => Assign (f x) (rename f e) end.

(** The callee's names are in the caller's context, with the same shapes. *)
Definition maps_into (f : name -> name) (Gc G : context) : Prop := forall x s, Gc x = Some s -> G (f x) = Some s.

(** No other name of the callee stands for what one of its statements assigns. *)
Definition no_alias (f : name -> name) (Gc : context) (l : list (stmt expr)) : Prop :=
  Forall (fun c => match c with Assign x _ => forall y, Gc y <> None -> f y = f x -> y = x end) l.

Lemma rename_type : forall f G e, type G (rename f e) = type (fun x => G (f x)) e.
Proof.
  intros f G. induction e; cbn [rename type];
    repeat match goal with IH : type _ _ = _ |- _ => rewrite IH; clear IH end; reflexivity.
Qed.

Lemma extend_type : forall G1 G2, (forall x s, G1 x = Some s -> G2 x = Some s) ->
  forall e s, has_type G1 e s -> has_type G2 e s.
Proof. intros G1 G2 X. induction 1; eauto using has_type. Qed.

Lemma rename_typed : forall f Gc G e s, maps_into f Gc G -> has_type Gc e s -> has_type G (rename f e) s.
Proof.
  intros f Gc G e s M H. apply type_sound. rewrite rename_type. apply type_complete.
  exact (extend_type Gc _ M e s H).
Qed.

Section Calls.
  Context (D : domain).
  Notation V := (value D).

  Lemma rename_value : forall f G m e k, V G m (rename f e) k = V (fun x => G (f x)) (fun x => m (f x)) e k.
  Proof.
    intros f G m. induction e; intro k; cbn [rename value]; rewrite ?rename_type; auto.
    - rewrite IHe. reflexivity.
    - rewrite IHe1, IHe2. reflexivity.
    - rewrite IHe1, IHe2. reflexivity.
    - destruct (type _ e1); [rewrite IHe1, IHe2|]; reflexivity.
    - destruct (type _ e1); [|reflexivity]. destruct (size_of _ _); [|reflexivity]. rewrite IHe1. apply gathered_ext. auto.
    - destruct (type _ e); [|reflexivity]. destruct (nth_error _ _); [|reflexivity]. apply fold_ext. auto.
    - destruct (nth_error _ _); auto.
    - destruct (nth_error _ _); auto.
    - destruct (nth_error _ _); [|reflexivity]. destruct (nth_error _ _); auto.
    - destruct (nth_error _ _); auto.
    - destruct (at_dimension _ _ _) as [[n j]|]; auto.
    - destruct (at_dimension _ _ _) as [[n j]|]; auto. destruct (_ && _)%bool; auto.
    - destruct (at_dimension _ _ _) as [[n j]|]; auto.
    - destruct (at_dimension _ _ _) as [[n j]|]; auto. destruct (in_part _ _ _ _); auto.
  Qed.

  (** More names do not change a value. *)
  Lemma extend_value : forall G1 G2 m, (forall x s, G1 x = Some s -> G2 x = Some s) ->
    forall e s, has_type G1 e s -> forall k, V G1 m e k = V G2 m e k.
  Proof.
    intros G1 G2 m X. induction 1; intro k; cbn [value];
      repeat match goal with
             | H : has_type G1 ?e ?s |- context [type G1 ?e] =>
                 rewrite (type_complete G1 e s H), (type_complete G2 e s (extend_type G1 G2 X e s H))
             end; auto.
    - rewrite IHhas_type. reflexivity.
    - rewrite IHhas_type1, IHhas_type2. reflexivity.
    - rewrite IHhas_type1, IHhas_type2. reflexivity.
    - rewrite IHhas_type1, IHhas_type2. reflexivity.
    - rewrite IHhas_type1, IHhas_type2. reflexivity.
    - destruct (size_of _ _); [|reflexivity]. rewrite IHhas_type1. apply gathered_ext. auto.
    - destruct (nth_error _ _); [|reflexivity]. apply fold_ext. auto.
    - destruct (nth_error k _); auto.
    - destruct (nth_error k _); auto.
    - destruct (nth_error k _); [|reflexivity]. destruct (nth_error k _); auto.
    - destruct (nth_error k _); auto.
    - destruct (at_dimension _ _ _) as [[n' j]|]; auto.
    - destruct (at_dimension _ _ _) as [[n' j]|]; auto. destruct (_ && _)%bool; auto.
    - destruct (at_dimension _ _ _) as [[n' j]|]; auto.
    - destruct (at_dimension _ _ _) as [[n' j]|]; auto. destruct (in_part _ _ _ _); auto.
  Qed.

  Lemma occurring : forall G e s, has_type G e s -> forall x, occurs x e -> G x <> None.
  Proof. intros G e s H x O N. exact (typed_names G e s H x N O). Qed.

  Theorem call_is_inlined : forall f Gc G l, maps_into f Gc G -> ok_stmts has_type Gc l -> no_alias f Gc l ->
    ok_stmts has_type G (map (rename_stmt f) l) /\
    forall m mc, (forall x, Gc x <> None -> same (m (f x)) (mc x)) ->
    exists r rc, run V G m (map (rename_stmt f) l) = Some r /\ run V Gc mc l = Some rc /\
      (forall x, Gc x <> None -> same (r (f x)) (rc x)) /\
      (forall y, (forall x e, In (Assign x e) l -> f x <> y) -> r y = m y).
  Proof.
    intros f Gc G l M. induction l as [|[x e] l IH]; intros H N.
    - split; [constructor|]. intros m mc S. exists m, mc. auto.
    - inversion H as [|? ? Hc Hl]; subst. inversion Hc as [? ? s Hx He]; subst. inversion N as [|? ? Nx Nl]; subst.
      destruct (IH Hl Nl) as [Ok Run]. pose proof (M x s Hx) as Hfx.
      split; [constructor; [econstructor; [exact Hfx|exact (rename_typed f Gc G e s M He)]|exact Ok]|].
      intros m mc S. cbn [map rename_stmt run]. rewrite Hfx, Hx.
      assert (W : forall k, V G m (rename f e) k = V Gc mc e k).
      { intro k. rewrite rename_value, (extend_value Gc (fun z => G (f z)) mc M e s He k).
        apply value_occurring. intros z Z. apply S. exact (occurring Gc e s He z Z). }
      destruct (Run (assign m (f x) s (V G m (rename f e))) (assign mc x s (V Gc mc e))) as (r & rc & R & Rc & Sr & Fr).
      { intros y Y. unfold assign. destruct (Nat.eqb_spec x y) as [->|Ne].
        - rewrite Nat.eqb_refl. intro k. destruct (inb_dec k s); [apply W|reflexivity].
        - destruct (Nat.eqb_spec (f x) (f y)) as [E|]; [|apply S; exact Y].
          destruct Ne. symmetry. apply Nx; [exact Y|congruence]. }
      exists r, rc. repeat split; auto. intros y Y. rewrite Fr.
      + unfold assign. destruct (Nat.eqb_spec (f x) y) as [E|]; [|reflexivity].
        destruct (Y x e (or_introl eq_refl) E).
      + intros z d I. apply (Y z d). right. exact I.
  Qed.
End Calls.
