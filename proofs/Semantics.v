(** What expressions of full TeIL mean (Figure 6), and that the well-typed ones have a
    value at every index (Lemma 4.3). *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing.
Import ListNotations.

(** The number domain: any set with these operations; no law is needed here. [place] is the
    place in a dimension, from 1, that a number stands for as a subscript, 0 where it stands
    for none. [outside] is what a subscript reads that is no place of its dimension. A call
    that stops there is a domain like others: its numbers have one besides that is no result,
    which the operations keep. *)
Record domain := Domain {
  number : Type;
  zero : number;
  one : number;
  plus : number -> number -> number;
  times : number -> number -> number;
  binary_op : binary -> number -> number -> number;
  unary_op : unary -> number -> number;
  constant : nat -> number;
  place_of : number -> nat;
  outside : number;
}.

Section Semantics.
  Context (D : domain).
  Notation T := (number D).

  Definition lift1 (f : T -> T) (x : option T) : option T :=
    match x with Some a => Some (f a) | None => None end.
  Definition lift2 (f : T -> T -> T) (x y : option T) : option T :=
    match x, y with Some a, Some b => Some (f a b) | _, _ => None end.

  Definition op (b : binary) : T -> T -> T :=
    match b with Add => plus D | b => binary_op D b end.

  (** A reduction folds from the left: sums from 0, products from 1, the others
      from the first element (A6), and those with an operator from its constant if there is one. *)
  Definition step (r : reduction) : T -> T -> T :=
    match r with
    | Sum => plus D
    | Product => times D
    | Minimum => binary_op D Min
    | Maximum => binary_op D Max
    | Operator f _ => binary_op D (Function2 f)
    end.

  Definition start (r : reduction) : option T :=
    match r with
    | Sum => Some (zero D)
    | Product => Some (one D)
    | Operator _ z => option_map (constant D) z
    | _ => None
    end.

  (** [fold r n f]: the values [f 1 … f n], combined. *)
  Fixpoint fold (r : reduction) (n : nat) (f : nat -> option T) : option T :=
    match n with
    | 0 => start r
    | S n =>
        match n, start r with
        | 0, None => f 1
        | _, _ => lift2 (step r) (fold r n f) (f (S n))
        end
    end.

  Lemma fold_ext : forall r n f g, (forall j, 1 <= j <= n -> f j = g j) -> fold r n f = fold r n g.
  Proof.
    intros r n f g. induction n as [|n IH]; intro H; [reflexivity|].
    destruct n as [|n]; [simpl; rewrite (H 1) by lia; reflexivity|].
    change (lift2 (step r) (fold r (S n) f) (f (S (S n))) = lift2 (step r) (fold r (S n) g) (g (S (S n)))).
    rewrite IH by (intros; apply H; lia). rewrite (H (S (S n))) by lia. reflexivity.
  Qed.

  (** A scalar factor is read at the empty index, whatever the other's index is. *)
  Definition factor_index (t : option shape) (k : index) : index :=
    match t with Some [] => [] | _ => k end.

  (** The size of a dimension, and the index in it. *)
  Definition at_dimension (t : option shape) (k : index) (p : nat) : option (nat * nat) :=
    match t with
    | Some s =>
        match nth_error s p, nth_error k p with
        | Some n, Some j => Some (n, j)
        | _, _ => None
        end
    | None => None
    end.

  Definition size_of (t : option shape) (p : nat) : option nat :=
    match t with Some s => nth_error s p | None => None end.

  (** What a subscript reads of a dimension with the [n] elements [f 1 … f n]: it is tested. *)
  Definition gathered (n : nat) (x : option T) (f : nat -> option T) : option T :=
    match x with
    | Some a => if ((1 <=? place_of D a) && (place_of D a <=? n))%bool then f (place_of D a) else Some (outside D)
    | None => None
    end.

  Lemma gathered_ext : forall n x f g, (forall j, 1 <= j <= n -> f j = g j) -> gathered n x f = gathered n x g.
  Proof. intros n [a|] f g H; [|reflexivity]. cbn [gathered]. destruct (_ && _)%bool eqn:E; [|reflexivity]. bools. apply H. lia. Qed.

  Fixpoint value (G : context) (m : memory T) (e : expr) (k : index) : option T :=
    match e with
    | Var x => match m x with Some t => t k | None => None end
    | Const c => Some (constant D c)
    | Unary f e => lift1 (unary_op D f) (value G m e k)
    | Binary b e0 e1 => lift2 (op b) (value G m e0 k) (value G m e1 k)
    | Mul e0 e1 =>
        lift2 (times D) (value G m e0 (factor_index (type G e0) k)) (value G m e1 k)
    | Prod e0 e1 =>
        match type G e0 with
        | Some s0 => lift2 (times D) (value G m e0 (firstn (length s0) k)) (value G m e1 (skipn (length s0) k))
        | None => None
        end
    | Gather i e0 e1 =>
        match type G e0, size_of (type G e1) (i - 1) with
        | Some s0, Some n =>
            gathered n (value G m e0 (firstn (length s0) k))
              (fun j => value G m e1 (insert (i - 1) j (skipn (length s0) k)))
        | _, _ => None
        end
    | Red r i e =>
        match type G e with
        | Some s =>
            match nth_error s (i - 1) with
            | Some n => fold r n (fun j => value G m e (insert (i - 1) j k))
            | None => None
            end
        | None => None
        end
    | Transp i0 i1 e => value G m e (swap (i0 - 1) (i1 - 1) k)
    | Diag i0 i1 e =>
        match nth_error k (i0 - 1) with
        | Some j => value G m e (insert (i1 - 1) j k)
        | None => None
        end
    | Expa i _ e => value G m e (remove (i - 1) k)
    | Proj i p e => value G m e (insert (i - 1) p k)
    | Shift i o _ e =>
        match nth_error k (i - 1) with
        | Some j => value G m e (set (i - 1) (o + j) k)
        | None => None
        end
    | Window i _ e =>
        match nth_error k (i - 1), nth_error k i with
        | Some j, Some w => value G m e (set (i - 1) (j + w - 1) (remove i k))
        | _, _ => None
        end
    | Stride i d e =>
        match nth_error k (i - 1) with
        | Some j => value G m e (set (i - 1) ((j - 1) * d + 1) k)
        | None => None
        end
    | Flip i e =>
        match at_dimension (type G e) k (i - 1) with
        | Some (n, j) => value G m e (set (i - 1) (n + 1 - j) k)
        | None => None
        end
    | Pad i l _ e =>
        match at_dimension (type G e) k (i - 1) with
        | Some (n, j) =>
            if ((l <? j) && (j <=? l + n))%bool then value G m e (set (i - 1) (j - l) k) else Some (zero D)
        | None => None
        end
    | Remap i f e =>
        match at_dimension (type G e) k (i - 1) with
        | Some (n, j) => value G m e (set (i - 1) (remapped f n j) k)
        | None => None
        end
    | Replace i o d e0 e1 =>
        match at_dimension (type G e1) k (i - 1) with
        | Some (n, j) =>
            if in_part o d n (j - 1) then value G m e1 (set (i - 1) (S (part_place o d (j - 1))) k) else value G m e0 k
        | None => None
        end
    | Iota _ =>
        match k with
        | [j] => Some (constant D (j - 1))
        | _ => None
        end
    end.

  Lemma fold_defined : forall r n f, 1 <= n -> (forall j, 1 <= j <= n -> defined (f j)) -> defined (fold r n f).
  Proof.
    intros r n f. induction n as [|n IH]; intros L H; [lia|].
    destruct (H (S n)) as [b Hb]; [lia|].
    destruct n as [|n].
    - simpl. rewrite Hb. destruct (start r) eqn:E; [|eexists; reflexivity].
      eexists. reflexivity.
    - destruct IH as [a Ha]; [lia|intros; apply H; lia|].
      change (fold r (S (S n)) f) with (lift2 (step r) (fold r (S n) f) (f (S (S n)))).
      rewrite Ha, Hb. eexists. reflexivity.
  Qed.

  Lemma gathered_defined : forall n x f, defined x -> (forall j, 1 <= j <= n -> defined (f j)) -> defined (gathered n x f).
  Proof.
    intros n x f [a ->] H. cbn [gathered]. destruct (_ && _)%bool eqn:E; [|eexists; reflexivity]. bools. apply H. lia.
  Qed.

  (** Where [Flip], [Pad] and [Remap] are in bounds, so is what they read. *)
  Lemma inb_dimension : forall (s : shape) (k : index) p n m', inb k (set p m' s) -> nth_error s p = Some n ->
    exists j, nth_error k p = Some j /\ at_dimension (Some s) k p = Some (n, j) /\ 1 <= j <= m' /\
      forall i, 1 <= i <= n -> inb (set p i k) s.
  Proof.
    intros s k p n m' B E. destruct (inb_set_nth _ _ _ _ _ B E) as (j & Ej & L).
    exists j. cbn [at_dimension]. rewrite E, Ej. repeat (split; [auto|]).
    intros i Li. eapply inb_set; eassumption.
  Qed.

  (** Where [Replace] is in bounds, the part that it reads has the dimension. *)
  Lemma inb_replaced : forall (s : shape) (k : index) p n m', inb k s -> nth_error s p = Some n ->
    exists j, nth_error k p = Some j /\ at_dimension (@Some shape (set p m' s)) k p = Some (m', j).
  Proof.
    intros s k p n m' B E. destruct (inb_nth _ _ _ _ B E) as (j & Ej & _). exists j. cbn [at_dimension].
    rewrite nth_error_set, Nat.eqb_refl, E, Ej. auto.
  Qed.

  Lemma inside : forall l n j, ((l <? j) && (j <=? l + n))%bool = true -> 1 <= j - l <= n.
  Proof. intros l n j H. bools. lia. Qed.

  (** Lemma 4.3: a well-typed expression has a value at every index of its type. *)
  Theorem value_defined : well_defined has_type value.
  Proof.
    intros G m A P e s Ht. induction Ht; intros k B; cbn [value].
    - specialize (A x). rewrite H in A. destruct (m x); [apply A; assumption|contradiction].
    - eexists. reflexivity.
    - destruct (IHHt k B) as [a ->]. eexists. reflexivity.
    - destruct (IHHt1 k B) as [a ->]. destruct (IHHt2 k B) as [b' ->]. eexists. reflexivity.
    - destruct (IHHt2 k B) as [b ->]. rewrite (type_complete _ _ _ Ht1).
      assert (Z : inb (factor_index (Some s) k) s) by (destruct s; [constructor|exact B]).
      destruct (IHHt1 _ Z) as [a ->]. eexists. reflexivity.
    - destruct (IHHt2 k B) as [b ->]. rewrite (type_complete _ _ _ Ht1).
      cbn [factor_index]. destruct (IHHt1 [] inb_nil) as [a ->]. eexists. reflexivity.
    - rewrite (type_complete _ _ _ Ht1). destruct (inb_split _ _ _ B) as [B0 B1].
      destruct (IHHt1 _ B0) as [a ->]. destruct (IHHt2 _ B1) as [b ->]. eexists. reflexivity.
    - rewrite (type_complete _ _ _ Ht1), (type_complete _ _ _ Ht2). cbn [size_of]. destruct (inb_split _ _ _ B) as [B0 B1].
      destruct (nth_error s1 (i - 1)) as [n|] eqn:E; [|apply nth_error_None in E; lia].
      apply gathered_defined; [apply IHHt1, B0|]. intros j L. apply IHHt2. eapply inb_insert; eauto.
    - rewrite (type_complete _ _ _ Ht).
      destruct (nth_error s (i - 1)) as [n|] eqn:E; [|apply nth_error_None in E; lia].
      apply fold_defined.
      + pose proof (positive_type G P _ _ Ht) as Q. exact (Forall_nth_error _ _ _ _ Q E).
      + intros j L. apply IHHt. eapply inb_insert; eauto.
    - apply IHHt. pose proof (inb_length _ _ B) as L. rewrite length_swap in L.
      rewrite <- (swap_swap s (i0 - 1) (i1 - 1)) by lia.
      apply Forall2_swap; [exact B| |]; lia.
    - pose proof (inb_length _ _ B) as L. assert (i1 - 1 < length s) by (apply nth_error_Some; congruence).
      pose proof (length_remove s (i1 - 1)).
      destruct (nth_error k (i0 - 1)) as [j|] eqn:E; [|apply nth_error_None in E; lia].
      apply IHHt. eapply inb_insert; eauto.
      eapply Forall2_nth_error with (1 := B); [exact E|].
      rewrite nth_error_remove. destruct (Nat.ltb_spec (i0 - 1) (i1 - 1)); [assumption|lia].
    - apply IHHt. rewrite <- (remove_insert s (i - 1) n) by lia. apply Forall2_remove. assumption.
    - apply IHHt. eapply inb_insert; eauto.
    - destruct (inb_set_nth _ _ _ _ _ B H0) as (j & -> & L). apply IHHt. eapply inb_set; [exact B|exact H0|lia].
    - destruct i as [|i]; [lia|]. replace (S i - 1) with i in * by lia.
      destruct (inb_window _ _ _ _ _ B H0) as (j & w' & -> & -> & In). apply IHHt. exact In.
    - destruct (inb_set_nth _ _ _ _ _ B H0) as (j & -> & L). apply IHHt. eapply inb_set; [exact B|exact H0|].
      apply strided_bound; assumption.
    - rewrite (type_complete _ _ _ Ht). rewrite <- (set_same _ _ _ H0) in B.
      destruct (inb_dimension _ _ _ _ _ B H0) as (j & _ & -> & L & In). apply IHHt, In. lia.
    - rewrite (type_complete _ _ _ Ht). destruct (inb_dimension _ _ _ _ _ B H0) as (j & _ & -> & L & In).
      destruct (_ && _)%bool eqn:E; [|eexists; reflexivity]. apply IHHt, In, inside, E.
    - rewrite (type_complete _ _ _ Ht). destruct (inb_dimension _ _ _ _ _ B H0) as (j & _ & -> & L & In).
      apply IHHt, In, remapped_bound; [assumption| |exact L]. exact (Forall_nth_error _ _ _ _ (positive_type G P _ _ Ht) H0).
    - rewrite (type_complete _ _ _ Ht2). destruct (inb_replaced _ _ _ _ m0 B H0) as (j & _ & ->).
      destruct (in_part _ _ _ _) eqn:E; [|apply IHHt1, B]. apply IHHt2, inb_part; assumption.
    - inversion B as [|j ? k' ? J N]; subst. inversion N; subst. eexists. reflexivity.
  Qed.

  (** The tuple of several values, and what a function of it is. *)
  Definition tuple (a : T) (l : list T) : T := fold_left (binary_op D Tuple) l a.

  Theorem apply_value : forall G m f e es k a l, value G m e k = Some a ->
    Forall2 (fun e a => value G m e k = Some a) es l ->
    value G m (apply f e es) k = Some (unary_op D (Function f) (tuple a l)).
  Proof.
    intros G m f e es k a l E F. unfold apply, tuple. cbn [value].
    enough (Q : value G m (fold_left (Binary Tuple) es e) k = Some (fold_left (binary_op D Tuple) l a)) by (rewrite Q; reflexivity).
    revert e a E. induction F as [|e' a' es l E' F IH]; intros e a E; [exact E|]. simpl. apply IH.
    cbn [value]. rewrite E, E'. reflexivity.
  Qed.

  (** Equation (6): what a contraction means. *)
  Theorem contr_value : forall G m i0 i1 e s n k, has_type G e s -> 1 <= i0 < i1 ->
    nth_error s (i0 - 1) = Some n -> nth_error s (i1 - 1) = Some n -> inb k (remove (i0 - 1) (remove (i1 - 1) s)) ->
    value G m (contr i0 i1 e) k = fold Sum n (fun j => value G m e (insert (i1 - 1) j (insert (i0 - 1) j k))).
  Proof.
    intros G m i0 i1 e s n k H L E0 E1 B. pose proof (inb_length _ _ B) as Lk.
    assert (i1 - 1 < length s) by (apply nth_error_Some; congruence). pose proof (length_remove s (i1 - 1)).
    pose proof (length_remove (remove (i1 - 1) s) (i0 - 1)).
    unfold contr. cbn [value]. rewrite (type_complete G (Diag i0 i1 e) (remove (i1 - 1) s)) by (econstructor; eauto).
    rewrite nth_error_remove. destruct (Nat.ltb_spec (i0 - 1) (i1 - 1)); [|lia]. rewrite E0.
    apply fold_ext. intros j _. rewrite nth_error_insert by lia. rewrite Nat.ltb_irrefl, Nat.eqb_refl. reflexivity.
  Qed.

End Semantics.
