(** Sizes that are names, as in the front end: an expression is typed once, for all values
    of the names that meet the conditions which the rules leave behind. The paper has sizes
    that are numbers, and proposes variables in Section 6.

    Typing gives a shape of symbolic sizes and a list of conditions, each that a size is at
    least 0. For values of the names that meet them, the expression with these values has the
    type with these values, so that every theorem about literal sizes speaks of it. *)

From Coq Require Import List Arith ZArith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics Calls.
Import ListNotations.

(** Sizes are integers while they are computed; quotients are rounded down. *)
Inductive dim :=
| DNumber (n : Z)
| DName (v : nat)
| DPlus (a b : dim)
| DMinus (a b : dim)
| DTimes (a b : dim)
| DOver (a b : dim)
| DMin (a b : dim)
| DMax (a b : dim).

Definition valuation := nat -> Z.

Fixpoint size_at (v : valuation) (d : dim) : Z :=
  match d with
  | DNumber n => n
  | DName x => v x
  | DPlus a b => size_at v a + size_at v b
  | DMinus a b => size_at v a - size_at v b
  | DTimes a b => size_at v a * size_at v b
  | DOver a b => size_at v a / size_at v b
  | DMin a b => Z.min (size_at v a) (size_at v b)
  | DMax a b => Z.max (size_at v a) (size_at v b)
  end.

Definition dims := list dim.

(** The maps of Maps.v with symbolic arguments. *)
Inductive sremap :=
| YClamped (l h : dim)
| YMirrored (l h : dim)
| YWrapped (l h : dim)
| YRepeated (d : dim)
| YStepped (d m : dim).

(** The expressions of Syntax.v with symbolic sizes, slices, offsets and steps. *)
Inductive sexpr :=
| YVar (x : name)
| YConst (c : nat)
| YSize (d : dim)
| YUnary (f : unary) (e : sexpr)
| YBinary (b : binary) (e0 e1 : sexpr)
| YMul (e0 e1 : sexpr)
| YProd (e0 e1 : sexpr)
| YGather (i : nat) (e0 e1 : sexpr)
| YRed (r : reduction) (i : nat) (e : sexpr)
| YTransp (i0 i1 : nat) (e : sexpr)
| YDiag (i0 i1 : nat) (e : sexpr)
| YExpa (i : nat) (n : dim) (e : sexpr)
| YProj (i : nat) (m : dim) (e : sexpr)
| YShift (i : nat) (o m : dim) (e : sexpr)
| YWindow (i : nat) (n : dim) (e : sexpr)
| YStride (i : nat) (d : dim) (e : sexpr)
| YFlip (i : nat) (e : sexpr)
| YPad (i : nat) (l h : dim) (e : sexpr)
| YRemap (i : nat) (f : sremap) (e : sexpr)
| YReplace (i : nat) (o d : dim) (e0 e1 : sexpr)
| YIota (n : dim).

Section Valuation.
  Context (v : valuation).

  Definition at_value (d : dim) : nat := Z.to_nat (size_at v d).

  Definition shape_at (s : dims) : shape := map at_value s.

  Definition map_at (f : sremap) : remap :=
    match f with
    | YClamped l h => Clamped (at_value l) (at_value h)
    | YMirrored l h => Mirrored (at_value l) (at_value h)
    | YWrapped l h => Wrapped (at_value l) (at_value h)
    | YRepeated d => Repeated (at_value d)
    | YStepped d m => Stepped (at_value d) (at_value m)
    end.

  Fixpoint expr_at (e : sexpr) : expr :=
    match e with
    | YVar x => Var x
    | YConst c => Const c
    | YSize d => Const (at_value d)
    | YUnary f e => Unary f (expr_at e)
    | YBinary b e0 e1 => Binary b (expr_at e0) (expr_at e1)
    | YMul e0 e1 => Mul (expr_at e0) (expr_at e1)
    | YProd e0 e1 => Prod (expr_at e0) (expr_at e1)
    | YGather i e0 e1 => Gather i (expr_at e0) (expr_at e1)
    | YRed r i e => Red r i (expr_at e)
    | YTransp i0 i1 e => Transp i0 i1 (expr_at e)
    | YDiag i0 i1 e => Diag i0 i1 (expr_at e)
    | YExpa i n e => Expa i (at_value n) (expr_at e)
    | YProj i m e => Proj i (at_value m) (expr_at e)
    | YShift i o m e => Shift i (at_value o) (at_value m) (expr_at e)
    | YWindow i n e => Window i (at_value n) (expr_at e)
    | YStride i d e => Stride i (at_value d) (expr_at e)
    | YFlip i e => Flip i (expr_at e)
    | YPad i l h e => Pad i (at_value l) (at_value h) (expr_at e)
    | YRemap i f e => Remap i (map_at f) (expr_at e)
    | YReplace i o d e0 e1 => Replace i (at_value o) (at_value d) (expr_at e0) (expr_at e1)
    | YIota n => Iota (at_value n)
    end.

  (** A condition is met where it is at least 0. *)
  Definition met (c : list dim) : Prop := Forall (fun d => (0 <= size_at v d)%Z) c.

  Definition not_empty (s : dims) : Prop := Forall (fun d => (1 <= size_at v d)%Z) s.
End Valuation.

Definition scontext := name -> option dims.

Definition context_at (v : valuation) (G : scontext) : context := fun x => option_map (shape_at v) (G x).

Definition positive_at (v : valuation) (G : scontext) : Prop := forall x s, G x = Some s -> not_empty v s.

(** That one size is at least another, that sizes are equal, that a size is at least 1. *)
Definition at_least (a b : dim) : dim := DMinus a b.
Definition equal (a b : dim) : list dim := [at_least a b; at_least b a].
Definition equals (s t : dims) : list dim := flat_map (fun p => equal (fst p) (snd p)) (combine s t).
Definition at_least_one (d : dim) : dim := at_least d (DNumber 1).

(** What a map makes of the size of a dimension, and what it demands. *)
Definition sresized (f : sremap) (n : dim) : dim :=
  match f with
  | YClamped l h | YMirrored l h | YWrapped l h => DPlus (DPlus l n) h
  | YRepeated d => DTimes n d
  | YStepped _ m => m
  end.

Definition sdemands (f : sremap) (n : dim) : list dim :=
  match f with
  | YClamped l h | YMirrored l h | YWrapped l h => [l; h]
  | YRepeated d => [at_least_one d]
  | YStepped d m => [d; at_least_one m; at_least n (DPlus (DTimes (at_least_one m) d) (DNumber 1))]
  end.

(** A typing: a shape and conditions. *)
Definition typing := option (dims * list dim).

(** The rule of an operation on dimension i: what it demands of its size, and the shape. *)
Definition on_dimension (t : typing) (i : nat) (rule : dims -> dim -> dims * list dim) : typing :=
  match t with
  | Some (s, c) =>
      match nth_error s (i - 1) with
      | Some n => guard (1 <=? i) (fst (rule s n), snd (rule s n) ++ c)
      | None => None
      end
  | None => None
  end.

Definition same_shapes (t0 t1 : typing) : typing :=
  match t0, t1 with
  | Some (s0, c0), Some (s1, c1) => guard (length s0 =? length s1) (s1, equals s0 s1 ++ c0 ++ c1)
  | _, _ => None
  end.

Fixpoint stype (G : scontext) (e : sexpr) : typing :=
  match e with
  | YVar x => match G x with Some s => Some (s, []) | None => None end
  | YConst _ => Some ([], [])
  | YSize d => Some ([], [d])
  | YUnary _ e => stype G e
  | YBinary _ e0 e1 => same_shapes (stype G e0) (stype G e1)
  | YMul e0 e1 =>
      match stype G e0, stype G e1 with
      | Some ([], c0), Some (s1, c1) => Some (s1, c0 ++ c1)
      | t0, t1 => same_shapes t0 t1
      end
  | YProd e0 e1 =>
      match stype G e0, stype G e1 with
      | Some (s0, c0), Some (s1, c1) => Some (s0 ++ s1, c0 ++ c1)
      | _, _ => None
      end
  | YGather i e0 e1 =>
      match stype G e0, stype G e1 with
      | Some (s0, c0), Some (s1, c1) => guard ((1 <=? i) && (i <=? length s1)) (s0 ++ remove (i - 1) s1, c0 ++ c1)
      | _, _ => None
      end
  | YRed _ i e => on_dimension (stype G e) i (fun s _ => (remove (i - 1) s, []))
  | YTransp i0 i1 e =>
      match stype G e with
      | Some (s, c) => guard ((1 <=? i0) && (i0 <? i1) && (i1 <=? length s)) (swap (i0 - 1) (i1 - 1) s, c)
      | None => None
      end
  | YDiag i0 i1 e =>
      match stype G e with
      | Some (s, c) =>
          match nth_error s (i0 - 1), nth_error s (i1 - 1) with
          | Some n0, Some n1 => guard ((1 <=? i0) && (i0 <? i1)) (remove (i1 - 1) s, equal n0 n1 ++ c)
          | _, _ => None
          end
      | None => None
      end
  | YExpa i n e =>
      match stype G e with
      | Some (s, c) => guard ((1 <=? i) && (i <=? S (length s))) (insert (i - 1) n s, at_least_one n :: c)
      | None => None
      end
  | YProj i m e => on_dimension (stype G e) i (fun s n => (remove (i - 1) s, [at_least_one m; at_least n m]))
  | YShift i o m e => on_dimension (stype G e) i (fun s n => (set (i - 1) m s, [o; at_least_one m; at_least n (DPlus o m)]))
  | YWindow i w e =>
      on_dimension (stype G e) i (fun s n =>
        (insert i w (set (i - 1) (DMinus (DPlus n (DNumber 1)) w) s), [at_least_one w; at_least n w]))
  | YStride i d e =>
      on_dimension (stype G e) i (fun s n => (set (i - 1) (DPlus (DOver (at_least_one n) d) (DNumber 1)) s, [at_least_one d]))
  | YFlip i e => on_dimension (stype G e) i (fun s _ => (s, []))
  | YPad i l h e =>
      on_dimension (stype G e) i (fun s n => (set (i - 1) (DPlus (DPlus l n) h) s, [l; h]))
  | YRemap i f e => on_dimension (stype G e) i (fun s n => (set (i - 1) (sresized f n) s, sdemands f n))
  | YReplace i o d e0 e1 =>
      match stype G e0, stype G e1 with
      | Some (s, c0), Some (t, c1) =>
          match nth_error s (i - 1), nth_error t (i - 1) with
          | Some n, Some m =>
              guard ((1 <=? i) && (length t =? length s))
                (s, equals t (set (i - 1) m s) ++ [o; at_least_one d; at_least n (DPlus o (DPlus (DTimes (at_least_one m) d) (DNumber 1)))] ++ c0 ++ c1)
          | _, _ => None
          end
      | _, _ => None
      end
  | YIota n => Some ([n], [at_least_one n])
  end.

Section Soundness.
  Context (v : valuation).

  Lemma met_app : forall c c', met v (c ++ c') <-> met v c /\ met v c'.
  Proof. intros. apply Forall_app. Qed.

  Lemma met_cons : forall d c, met v (d :: c) <-> (0 <= size_at v d)%Z /\ met v c.
  Proof. intros. apply Forall_cons_iff. Qed.

  Lemma equals_met : forall s t, length s = length t -> met v (equals s t) -> shape_at v s = shape_at v t.
  Proof.
    induction s as [|a s IH]; intros [|b t] L M; try discriminate; [reflexivity|].
    change (equals (a :: s) (b :: t)) with (at_least a b :: at_least b a :: equals s t) in M.
    rewrite !met_cons in M. destruct M as (M1 & M2 & M). simpl in L, M1, M2. unfold shape_at. simpl. f_equal.
    - unfold at_value. f_equal. lia.
    - apply IH; [lia|exact M].
  Qed.

  Lemma equals_needed : forall s t, not_empty v s -> not_empty v t -> shape_at v s = shape_at v t -> met v (equals s t).
  Proof.
    induction s as [|a s IH]; intros [|b t] Ns Nt E; try discriminate; [constructor|].
    inversion Ns; inversion Nt; subst. injection E as Ed Es. unfold at_value in Ed.
    change (equals (a :: s) (b :: t)) with (at_least a b :: at_least b a :: equals s t).
    rewrite !met_cons. cbn [size_at at_least]. repeat split; [lia|lia|apply IH; assumption].
  Qed.

  Lemma length_shape_at : forall s, length (shape_at v s) = length s.
  Proof. intro. apply map_length. Qed.

  Lemma nth_below : forall A (l : list A) p x, nth_error l p = Some x -> p < length l.
  Proof. intros. apply nth_error_Some. congruence. Qed.

  Lemma nth_shape_at : forall s p n, nth_error s p = Some n -> nth_error (shape_at v s) p = Some (at_value v n).
  Proof. intros s p n E. unfold shape_at. rewrite nth_error_map, E. reflexivity. Qed.

  Lemma stride_at : forall n d, (1 <= n)%Z -> (1 <= d)%Z ->
    Z.to_nat ((n - 1) / d + 1) = strided (Z.to_nat n) (Z.to_nat d).
  Proof.
    intros n d N D. unfold strided. replace (n - 1)%Z with (Z.of_nat (Z.to_nat n - 1)) by lia.
    rewrite <- (Z2Nat.id d) at 1 by lia. rewrite <- Nat2Z.inj_div.
    replace (Z.to_nat n + Z.to_nat d - 1) with (Z.to_nat n - 1 + 1 * Z.to_nat d) by lia.
    rewrite Nat.div_add by lia. lia.
  Qed.

  Lemma map_at_met : forall f n, met v (sdemands f n) -> (1 <= size_at v n)%Z ->
    admissible (map_at v f) (at_value v n) = true /\ at_value v (sresized f n) = resized (map_at v f) (at_value v n) /\ (1 <= size_at v (sresized f n))%Z.
  Proof.
    intros [l h|l h|l h|d|d m] n M N; cbn [sdemands] in M; rewrite !met_cons in M; destruct M as [M0 M];
      cbn [map_at admissible sresized resized size_at at_least_one at_least] in *.
    1-3: destruct M as [M1 _]; unfold at_value; cbn [size_at]; repeat split; lia.
    - unfold at_value. cbn [size_at]. rewrite Nat.leb_le, Z2Nat.inj_mul by lia. repeat split; nia.
    - destruct M as (M1 & M2 & _). unfold at_value. rewrite Bool.andb_true_iff, !Nat.leb_le. repeat split; nia.
  Qed.

  Lemma on_dimension_some : forall t i rule s c, on_dimension t i rule = Some (s, c) ->
    exists s' c' n, t = Some (s', c') /\ nth_error s' (i - 1) = Some n /\ 1 <= i /\ s = fst (rule s' n) /\ c = snd (rule s' n) ++ c'.
  Proof.
    intros [[s' c']|] i rule s c H; [|discriminate]. cbn [on_dimension] in H. destruct (nth_error s' (i - 1)) as [n|] eqn:E; [|discriminate].
    bools. match goal with H : (_, _) = _ |- _ => injection H as <- <- end. exists s', c', n. repeat split; auto.
  Qed.

  (** A typing holds for all values of the names that meet its conditions, and the shape
      then has no empty dimension. *)
  Theorem symbolic_typing : forall G, positive_at v G -> forall e s c, stype G e = Some (s, c) -> met v c ->
    has_type (context_at v G) (expr_at v e) (shape_at v s) /\ not_empty v s.
  Proof.
    intros G P.
    assert (Same : forall e0 e1 s c,
      (forall s c, stype G e0 = Some (s, c) -> met v c -> has_type (context_at v G) (expr_at v e0) (shape_at v s) /\ not_empty v s) ->
      (forall s c, stype G e1 = Some (s, c) -> met v c -> has_type (context_at v G) (expr_at v e1) (shape_at v s) /\ not_empty v s) ->
      same_shapes (stype G e0) (stype G e1) = Some (s, c) -> met v c ->
      has_type (context_at v G) (expr_at v e0) (shape_at v s) /\ has_type (context_at v G) (expr_at v e1) (shape_at v s) /\ not_empty v s).
    { intros e0 e1 s c H0 H1 E M. destruct (stype G e0) as [[s0 c0]|]; [|discriminate].
      destruct (stype G e1) as [[s1 c1]|]; [|discriminate]. cbn [same_shapes] in E. bools. injection H2 as <- <-.
      rewrite !met_app in M. destruct M as (M & M0 & M1).
      destruct (H0 _ _ eq_refl M0) as [T0 _]. destruct (H1 _ _ eq_refl M1) as [T1 N1].
      rewrite (equals_met s0 s1) in T0 by assumption. auto. }
    induction e; intros s cs E M; cbn [stype expr_at] in *;
      try (apply on_dimension_some in E; destruct E as (s' & c' & n' & E & En & Li & -> & ->); cbn [fst snd app] in *;
           rewrite ?met_app, ?met_cons in M; cbn [size_at at_least at_least_one] in M;
           specialize (IHe _ _ E ltac:(tauto)); destruct IHe as [T N];
           pose proof (nth_shape_at _ _ _ En) as Env; pose proof (Forall_nth_error _ _ _ _ N En) as Pn; cbv beta in Pn).
    - destruct (G x) as [t|] eqn:Gx; [|discriminate]. injection E as <- <-.
      split; [constructor; unfold context_at; rewrite Gx; reflexivity|exact (P x t Gx)].
    - injection E as <- <-. split; constructor.
    - injection E as <- <-. split; constructor.
    - destruct (IHe _ _ E M). split; [constructor|]; assumption.
    - destruct (Same _ _ _ _ IHe1 IHe2 E M) as (T0 & T1 & N). split; [constructor|]; assumption.
    - pose proof (Same e1 e2 s cs IHe1 IHe2) as Q.
      destruct (stype G e1) as [[[|d0 s0] c0]|]; [destruct (stype G e2) as [[s1 c1]|]; [|discriminate]| |discriminate].
      + injection E as <- <-. rewrite met_app in M. destruct (IHe1 _ _ eq_refl (proj1 M)), (IHe2 _ _ eq_refl (proj2 M)).
        split; [apply T_SMul|]; assumption.
      + destruct (Q E M) as (T0 & T1 & N). split; [constructor|]; assumption.
    - destruct (stype G e1) as [[s0 c0]|]; [|discriminate]. destruct (stype G e2) as [[s1 c1]|]; [|discriminate].
      injection E as <- <-. rewrite met_app in M. destruct (IHe1 _ _ eq_refl (proj1 M)), (IHe2 _ _ eq_refl (proj2 M)).
      unfold shape_at. rewrite map_app. split; [constructor; assumption|apply Forall_app; auto].
    - destruct (stype G e1) as [[s0 c0]|]; [|discriminate]. destruct (stype G e2) as [[s1 c1]|]; [|discriminate].
      bools. match goal with H : (_, _) = _ |- _ => injection H as <- <- end.
      rewrite met_app in M. destruct (IHe1 _ _ eq_refl (proj1 M)), (IHe2 _ _ eq_refl (proj2 M)).
      pose proof (length_shape_at s1) as L. unfold shape_at in *. rewrite map_app, map_remove.
      split; [constructor; auto; lia|apply Forall_app; auto using Forall_remove].
    - unfold shape_at. rewrite map_remove. pose proof (nth_below _ _ _ _ Env).
      split; [apply T_Red; [exact T|unfold shape_at in *; lia]|apply Forall_remove, N].
    - destruct (stype G e) as [[s' c']|]; [|discriminate]. bools. match goal with H : (_, _) = _ |- _ => injection H as <- <- end.
      destruct (IHe _ _ eq_refl M) as [T N]. pose proof (length_shape_at s') as L. unfold shape_at in *. rewrite map_swap by lia.
      split; [apply T_Transp; [exact T|lia|lia]|apply Forall_swap; [lia|lia|exact N]].
    - destruct (stype G e) as [[s' c']|]; [|discriminate].
      destruct (nth_error s' (i0 - 1)) as [n0|] eqn:E0; [|discriminate]. destruct (nth_error s' (i1 - 1)) as [n1|] eqn:E1; [|discriminate].
      bools. match goal with H : (_, _) = _ |- _ => injection H as <- <- end.
      rewrite !met_cons in M. destruct M as (Q0 & Q1 & M). cbn [size_at at_least] in Q0, Q1.
      destruct (IHe _ _ eq_refl M) as [T N]. apply nth_shape_at in E0, E1.
      replace (at_value v n1) with (at_value v n0) in E1 by (unfold at_value; f_equal; lia).
      unfold shape_at. rewrite map_remove. split; [eapply T_Diag; eauto; lia|apply Forall_remove, N].
    - destruct (stype G e) as [[s' c']|]; [|discriminate]. bools. match goal with H : (_, _) = _ |- _ => injection H as <- <- end.
      rewrite met_cons in M. destruct M as [Q M]. cbn [size_at at_least at_least_one] in Q.
      destruct (IHe _ _ eq_refl M) as [T N]. pose proof (length_shape_at s') as L. unfold shape_at in *. rewrite map_insert.
      split; [apply T_Expa; [exact T|lia|unfold at_value; lia]|apply Forall_insert; [lia|lia|exact N]].
    - unfold shape_at. rewrite map_remove.
      split; [apply (T_Proj _ i (at_value v m) _ _ _ T Li Env); unfold at_value; lia|apply Forall_remove, N].
    - unfold shape_at. rewrite map_set. split; [|apply Forall_set; [lia|exact N]].
      apply (T_Shift _ i (at_value v o) (at_value v m) _ _ _ T Li Env); unfold at_value; lia.
    - pose proof (nth_below _ _ _ _ En) as L. unfold shape_at. rewrite map_insert, map_set.
      replace (at_value v (DMinus (DPlus n' (DNumber 1)) n)) with (at_value v n' + 1 - at_value v n) by (unfold at_value; cbn [size_at]; lia).
      split; [apply (T_Window _ i (at_value v n) _ _ _ T Li Env); unfold at_value; lia|].
      apply Forall_insert; [rewrite length_set; lia|lia|]. apply Forall_set; [cbn [size_at]; lia|exact N].
    - unfold shape_at. rewrite map_set.
      replace (at_value v (DPlus (DOver (at_least_one n') d) (DNumber 1))) with (strided (at_value v n') (at_value v d))
        by (unfold at_value; symmetry; apply stride_at; lia).
      split; [apply (T_Stride _ i (at_value v d) _ _ _ T Li Env); unfold at_value; lia|].
      apply Forall_set; [|exact N]. cbn [size_at at_least at_least_one].
      pose proof (Z.div_pos (size_at v n' - 1) (size_at v d)). lia.
    - split; [apply (T_Flip _ i _ _ _ T Li Env)|exact N].
    - unfold shape_at. rewrite map_set.
      replace (at_value v (DPlus (DPlus l n') h)) with (at_value v l + at_value v n' + at_value v h) by (unfold at_value; cbn [size_at]; lia).
      split; [apply (T_Pad _ i _ _ _ _ _ T Li Env)|apply Forall_set; [cbn [size_at]; lia|exact N]].
    - destruct (map_at_met f n' (proj1 M) Pn) as (Af & Rf & Pf).
      unfold shape_at. rewrite map_set, Rf.
      split; [apply (T_Remap _ i _ _ _ _ T Li Env Af)|apply Forall_set; [exact Pf|exact N]].
    - destruct (stype G e1) as [[s0 c0]|]; [|discriminate]. destruct (stype G e2) as [[s1 c1]|]; [|discriminate].
      destruct (nth_error s0 (i - 1)) as [n|] eqn:E0; [|discriminate]. destruct (nth_error s1 (i - 1)) as [m|] eqn:E1; [|discriminate].
      bools. match goal with H : (_, _) = _ |- _ => injection H as <- <- end.
      rewrite met_app in M. cbn [app] in M. rewrite !met_cons, met_app in M. destruct M as (M & M0 & M1 & M2 & Mc0 & Mc1). cbn [size_at at_least at_least_one] in *.
      destruct (IHe1 _ _ eq_refl Mc0) as [T0 N0]. destruct (IHe2 _ _ eq_refl Mc1) as [T1 N1].
      pose proof (Forall_nth_error _ _ _ _ N1 E1) as Pm. cbv beta in Pm.
      rewrite (equals_met s1 (set (i - 1) m s0)) in T1 by (rewrite ?length_set; assumption).
      unfold shape_at in T1. rewrite map_set in T1. split; [|exact N0].
      apply (T_Replace _ i _ _ _ _ _ _ _ T0 ltac:(assumption) (nth_shape_at _ _ _ E0) T1); unfold at_value; nia.
    - injection E as <- <-. rewrite met_cons in M. cbn [size_at at_least at_least_one] in M.
      split; [apply T_Iota; unfold at_value; lia|repeat constructor; lia].
  Qed.

  Definition natural_map (f : sremap) : Prop :=
    match f with
    | YClamped l h | YMirrored l h | YWrapped l h => (0 <= size_at v l)%Z /\ (0 <= size_at v h)%Z
    | YRepeated d => (0 <= size_at v d)%Z
    | YStepped d m => (0 <= size_at v d)%Z /\ (0 <= size_at v m)%Z
    end.

  (** That no argument is negative: only then are they the numbers of [expr_at]. *)
  Fixpoint natural (e : sexpr) : Prop :=
    match e with
    | YVar _ | YConst _ => True
    | YSize d | YIota d => (0 <= size_at v d)%Z
    | YUnary _ e | YRed _ _ e | YTransp _ _ e | YDiag _ _ e | YFlip _ e => natural e
    | YBinary _ e0 e1 | YMul e0 e1 | YProd e0 e1 | YGather _ e0 e1 => natural e0 /\ natural e1
    | YExpa _ d e | YProj _ d e | YWindow _ d e | YStride _ d e => (0 <= size_at v d)%Z /\ natural e
    | YShift _ l h e | YPad _ l h e => (0 <= size_at v l)%Z /\ (0 <= size_at v h)%Z /\ natural e
    | YRemap _ f e => natural_map f /\ natural e
    | YReplace _ o d e0 e1 => (0 <= size_at v o)%Z /\ (0 <= size_at v d)%Z /\ natural e0 /\ natural e1
    end.

  Lemma map_at_needed : forall f n, natural_map f -> (1 <= size_at v n)%Z -> admissible (map_at v f) (at_value v n) = true ->
    met v (sdemands f n).
  Proof.
    intros [l h|l h|l h|d|d m] n F N A; cbn [natural_map map_at admissible sdemands] in *; rewrite ?met_cons.
    1-3: repeat split; [tauto|tauto|constructor].
    - apply Nat.leb_le in A. unfold at_value in A. cbn [size_at at_least_one at_least]. split; [lia|constructor].
    - rewrite Bool.andb_true_iff, !Nat.leb_le in A. unfold at_value in A. destruct F as [F0 F1], A as [A0 A1].
      replace (Z.to_nat (size_at v m) - 1) with (Z.to_nat (size_at v m - 1)) in A1 by lia. rewrite <- Z2Nat.inj_mul in A1 by lia.
      cbn [size_at at_least_one at_least]. repeat split; try constructor; lia.
  Qed.

  Lemma nth_of_shape : forall s p x, nth_error (shape_at v s) p = Some x -> exists n, nth_error s p = Some n /\ x = at_value v n.
  Proof.
    intros s p x E. unfold shape_at in E. rewrite nth_error_map in E. destruct (nth_error s p) as [n|]; [|discriminate].
    injection E as <-. eauto.
  Qed.

  Lemma guard_true : forall A b (x : A), b = true -> guard b x = Some x.
  Proof. intros A b x ->. reflexivity. Qed.

  Ltac close_rule :=
    rewrite guard_true by (rewrite ?Bool.andb_true_iff, ?Nat.leb_le, ?Nat.ltb_lt; lia);
    do 2 eexists; split; [reflexivity|]; unfold equal; cbn [fst snd app]; rewrite ?met_cons; cbn [size_at at_least at_least_one];
    repeat match goal with
           | N : not_empty v ?s, E : nth_error ?s _ = Some _ |- _ =>
               let Q := fresh in pose proof (Forall_nth_error _ _ _ _ N E) as Q; cbv beta in Q; revert E
           end; intros; unfold at_value in *;
    (split; [repeat split; (assumption || lia)|]);
    unfold shape_at; rewrite ?map_remove, ?map_insert, ?map_set; try reflexivity.

  (** The conditions are not more than what the rules need: where the expression with these
      values has a type, they are met, and the type is that of the typing. So an expression
      without a typing has no type for any values. *)
  Theorem symbolic_conditions : forall G, positive_at v G -> forall e t, natural e ->
    has_type (context_at v G) (expr_at v e) t -> exists s c, stype G e = Some (s, c) /\ met v c /\ t = shape_at v s.
  Proof.
    intros G P.
    (* What an operand gives. *)
    assert (Op : forall e t, (forall t, natural e -> has_type (context_at v G) (expr_at v e) t -> exists s c, stype G e = Some (s, c) /\ met v c /\ t = shape_at v s) ->
      natural e -> has_type (context_at v G) (expr_at v e) t ->
      exists s c, stype G e = Some (s, c) /\ met v c /\ t = shape_at v s /\ not_empty v s).
    { intros e t IH Ne H. destruct (IH t Ne H) as (s & c & E & M & ->). exists s, c. repeat split; auto.
      apply (symbolic_typing G P e s c E M). }
    assert (Same : forall s0 s c0 c, met v c0 -> met v c -> not_empty v s0 -> not_empty v s -> shape_at v s0 = shape_at v s ->
      exists s1 c1, same_shapes (Some (s0, c0)) (Some (s, c)) = Some (s1, c1) /\ met v c1 /\ shape_at v s0 = shape_at v s1).
    { intros s0 s c0 c M0 M N0 N S. pose proof (f_equal (@length nat) S) as L. rewrite !length_shape_at in L.
      cbn [same_shapes]. rewrite guard_true by (apply Nat.eqb_eq; exact L). do 2 eexists. split; [reflexivity|].
      rewrite !met_app. auto using equals_needed. }
    induction e; intros t Ne H; cbn [expr_at natural stype] in *; inversion H; subst; clear H;
      repeat match goal with H : _ /\ _ |- _ => destruct H end;
      repeat match goal with
             | IH : forall t, natural ?e -> _, H : has_type _ (expr_at v ?e) _ |- _ =>
                 let s := fresh "s" in let c := fresh "c" in let E := fresh "E" in let M := fresh "M" in let N := fresh "N" in
                 let S := fresh "S" in
                 destruct (Op e _ IH ltac:(assumption) H) as (s & c & E & M & S & N); rewrite E; clear IH H; try subst
             end; cbn [on_dimension];
      repeat match goal with
             | H : nth_error (shape_at v _) _ = Some _ |- _ =>
                 let n := fresh "n" in let E := fresh "E" in destruct (nth_of_shape _ _ _ H) as (n & E & ?); clear H; rewrite E
             end; rewrite ?length_shape_at in *.
    - destruct (G x) as [s|] eqn:Gx; unfold context_at in H1; rewrite Gx in H1; [|discriminate]. injection H1 as <-.
      do 2 eexists. repeat split. constructor.
    - do 2 eexists. repeat split. constructor.
    - do 2 eexists. repeat split. repeat constructor. assumption.
    - do 2 eexists. repeat split. assumption.
    - rewrite S. apply Same; auto.
    - destruct s0 as [|d s0].
      + apply map_eq_nil in S. subst. do 2 eexists. repeat split. apply met_app. auto.
      + rewrite S. apply Same; auto.
    - match goal with S : [] = shape_at v _ |- _ => symmetry in S; apply map_eq_nil in S; subst end.
      do 2 eexists. repeat split. apply met_app. auto.
    - do 2 eexists. repeat split; [apply met_app; auto|]. symmetry. apply map_app.
    - rewrite guard_true by (rewrite Bool.andb_true_iff, !Nat.leb_le; lia).
      do 2 eexists. repeat split; [apply met_app; auto|]. unfold shape_at. rewrite map_app, map_remove. reflexivity.
    - destruct (nth_error s0 (i - 1)) as [n|] eqn:E0; [|apply nth_error_None in E0; lia]. close_rule.
    - close_rule. symmetry. apply map_swap; lia.
    - close_rule.
    - close_rule.
    - close_rule.
    - close_rule.
    - close_rule. do 2 f_equal. unfold at_value. cbn [size_at]. lia.
    - close_rule. f_equal. subst. symmetry. apply stride_at; lia.
    - close_rule.
    - close_rule. f_equal. unfold at_value. cbn [size_at]. lia.
    - match goal with N : not_empty v ?s, E : nth_error ?s _ = Some ?n, Nf : natural_map _ |- _ =>
        pose proof (Forall_nth_error _ _ _ _ N E) as Pn; cbv beta in Pn;
        pose proof (map_at_needed f n Nf Pn ltac:(congruence)) as Mf; destruct (map_at_met f n Mf Pn) as (_ & Rf & _) end.
      rewrite guard_true by (apply Nat.leb_le; assumption).
      do 2 eexists. split; [reflexivity|]. cbn [fst snd]. rewrite met_app. split; [auto|].
      unfold shape_at. rewrite map_set, Rf. congruence.
    - pose proof (f_equal (@length nat) S) as L. rewrite length_set, !length_shape_at in L.
      assert (E2 : nth_error (shape_at v s) (i - 1) = Some m) by (rewrite <- S, nth_error_set, Nat.eqb_refl, (nth_shape_at _ _ _ E1); reflexivity).
      destruct (nth_of_shape _ _ _ E2) as (m' & E3 & ->). rewrite E3.
      pose proof (Forall_nth_error _ _ _ _ N E3) as Pm. cbv beta in Pm.
      rewrite guard_true by (rewrite Bool.andb_true_iff, Nat.leb_le, Nat.eqb_eq; auto).
      do 2 eexists. split; [reflexivity|]. split; [|reflexivity].
      rewrite met_app. cbn [app]. rewrite !met_cons, met_app. cbn [size_at at_least at_least_one]. unfold at_value in *.
      repeat split; [|assumption|lia|nia|assumption|assumption].
      apply equals_needed; [exact N|apply Forall_set; assumption|]. rewrite <- S. unfold shape_at. rewrite map_set. reflexivity.
    - do 2 eexists. repeat split. unfold at_value in *. repeat constructor. cbn [size_at at_least at_least_one]. lia.
  Qed.
End Soundness.

(** Programs. Their conditions also demand that no dimension is empty. *)
Record sprogram := SProgram { sallocs : list (name * dims); sstmts : list (stmt sexpr) }.

Definition scontext_of (l : list (name * dims)) : scontext :=
  fold_right (fun a (G : scontext) x => if fst a =? x then Some (snd a) else G x) (fun _ => None) l.

Definition program_at (v : valuation) (p : sprogram) : program expr :=
  Program (map (fun a => Alloc (fst a) (shape_at v (snd a))) (sallocs p)) (map (map_stmt (expr_at v)) (sstmts p)).

Fixpoint stmts_conditions (G : scontext) (l : list (stmt sexpr)) : option (list dim) :=
  match l with
  | [] => Some []
  | Assign x e :: l =>
      match G x, stype G e, stmts_conditions G l with
      | Some s, Some (t, c), Some c' => guard (length s =? length t) (equals s t ++ c ++ c')
      | _, _, _ => None
      end
  end.

(** The checker: None, or the conditions on the names. *)
Definition scheck (p : sprogram) : option (list dim) :=
  match stmts_conditions (scontext_of (sallocs p)) (sstmts p) with
  | Some c => guard (distinct (map fst (sallocs p))) (flat_map (fun a => map at_least_one (snd a)) (sallocs p) ++ c)
  | None => None
  end.

Lemma context_of_at : forall v l x,
  context_of (map (fun a => Alloc (fst a) (shape_at v (snd a))) l) x = context_at v (scontext_of l) x.
Proof.
  intros v l x. unfold context_at. induction l as [|[y s] l IH]; [reflexivity|]. simpl. unfold bind.
  destruct (y =? x); [reflexivity|exact IH].
Qed.

(** For all values that meet the conditions the program is well-formed, … *)
Theorem symbolic_program : forall v p c, scheck p = Some c -> met v c -> ok_program has_type (program_at v p).
Proof.
  intros v [al l] c E M. unfold scheck in E. cbn [sallocs sstmts] in E.
  destruct (stmts_conditions _ l) as [c'|] eqn:El; [|discriminate]. bools.
  match goal with H : _ = c |- _ => subst c end. rewrite met_app in M. destruct M as [Ma Ms].
  assert (Pa : Forall (fun a => not_empty v (snd a)) al).
  { clear - Ma. induction al as [|[x s] al IH]; [constructor|]. simpl in Ma. rewrite met_app in Ma. constructor; [|apply IH, Ma].
    destruct Ma as [Ma _]. unfold met in Ma. rewrite Forall_map in Ma. eapply Forall_impl; [|exact Ma].
    intros d L. cbn [size_at at_least_one at_least] in L. lia. }
  assert (P : positive_at v (scontext_of al)).
  { clear - Pa. induction Pa as [|[x s] al N Pa IH]; intros y t; simpl; [discriminate|].
    destruct (x =? y); [intros [= <-]; exact N|apply IH]. }
  split; [split|]; simpl.
  - rewrite map_map. simpl. apply distinct_NoDup. assumption.
  - apply Forall_map. eapply Forall_impl; [|exact Pa]. intros [x s] N. simpl. apply Forall_map.
    eapply Forall_impl; [|exact N]. intros d L. unfold at_value. cbv beta in L. lia.
  - pose proof (context_of_at v al) as W. revert W. generalize (context_of (map (fun a => Alloc (fst a) (shape_at v (snd a))) al)).
    intros G' W. unfold ok_stmts. apply Forall_map. revert c' El Ms.
    induction l as [|[x e] l IH]; intros c' El Ms; [constructor|]. cbn [stmts_conditions] in El.
    destruct (scontext_of al x) as [s|] eqn:Gx; [|discriminate].
    destruct (stype (scontext_of al) e) as [[t c1]|] eqn:Te; [|discriminate].
    destruct (stmts_conditions (scontext_of al) l) as [c2|] eqn:El'; [|discriminate].
    apply guard_some in El. destruct El as [L <-]. apply Nat.eqb_eq in L. rewrite !met_app in Ms. destruct Ms as (M0 & M1 & M2).
    constructor; [|exact (IH c2 eq_refl M2)].
    destruct (symbolic_typing v _ P e t c1 Te M1) as [T _]. econstructor.
    + rewrite W. unfold context_at. rewrite Gx. simpl. rewrite (equals_met v s t L M0). reflexivity.
    + eapply extend_type; [|exact T]. intros y u. rewrite W. auto.
Qed.

(** … and so runs to its end, without a read or a write out of bounds. *)
Theorem symbolic_safety : forall D v p c, scheck p = Some c -> met v c ->
  forall fill, exists m, evaluates (value D) (program_at v p) fill m /\ agrees m (context_of (allocs (program_at v p))).
Proof. intros D v p c E M fill. exact (type_safety has_type (value D) (value_defined D) _ fill (symbolic_program v p c E M)). Qed.
