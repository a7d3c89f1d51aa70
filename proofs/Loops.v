(** Loops over flat row-major buffers, into which TeIL is lowered (A13): subscripts, the
    places of indices in buffers, commands, and what is an access in bounds. *)

From Coq Require Import List Arith Lia PeanoNat.
From Ricci Require Import Lists Syntax Statements Typing Semantics Core.
Import ListNotations.

(** Subscripts count from 0; loop variables are numbers. A difference is at least 0. *)
Inductive iexp :=
| INum (n : nat)
| IVar (v : nat)
| IHorner (a : iexp) (n : nat) (i : iexp)
| IMinus (a b : iexp)
| IMin (a b : iexp)
| IOver (a : iexp) (n : nat)
| IModulo (a : iexp) (n : nat).

Fixpoint ieval (env : nat -> nat) (e : iexp) : nat :=
  match e with
  | INum n => n
  | IVar v => env v
  | IHorner a n i => ieval env a * n + ieval env i
  | IMinus a b => ieval env a - ieval env b
  | IMin a b => Nat.min (ieval env a) (ieval env b)
  | IOver a n => ieval env a / n
  | IModulo a n => ieval env a mod n
  end.

Fixpoint below (c : nat) (e : iexp) : Prop :=
  match e with
  | INum _ => True
  | IVar v => v < c
  | IHorner a _ b | IMinus a b | IMin a b => below c a /\ below c b
  | IOver a _ | IModulo a _ => below c a
  end.

Definition update {A} (f : nat -> A) (v : nat) (x : A) : nat -> A := fun w => if v =? w then x else f w.

Lemma update_same : forall A (f : nat -> A) v x, update f v x v = x.
Proof. intros. unfold update. rewrite Nat.eqb_refl. reflexivity. Qed.

Lemma update_other : forall A (f : nat -> A) v w x, v <> w -> update f v x w = f w.
Proof. intros. unfold update. destruct (Nat.eqb_spec v w); congruence. Qed.

Lemma ieval_update : forall env v x e, below v e -> ieval (update env v x) e = ieval env e.
Proof.
  intros env v x. induction e; simpl; intro H; auto.
  1: apply update_other; lia.
  all: try destruct H; rewrite ?IHe, ?IHe1, ?IHe2 by assumption; reflexivity.
Qed.

Lemma below_mono : forall c c' e, c <= c' -> below c e -> below c' e.
Proof. intros c c' e L. induction e; simpl; intuition lia. Qed.

(** The row-major place of an index, by Horner's rule. *)
Definition size (s : shape) : nat := fold_right Nat.mul 1 s.

Fixpoint place_from (acc : nat) (k : index) (s : shape) : nat :=
  match k, s with
  | j :: k, n :: s => place_from (acc * n + (j - 1)) k s
  | _, _ => acc
  end.

Definition place (k : index) (s : shape) : nat := place_from 0 k s.

Lemma place_from_range : forall k s, inb k s -> forall acc,
  acc * size s <= place_from acc k s < (acc + 1) * size s.
Proof.
  induction 1 as [|j n k s [L U] H IH]; intro acc; simpl; [lia|].
  specialize (IH (acc * n + (j - 1))). unfold size in *. simpl in *. nia.
Qed.

(** Every place of an index in bounds is inside of the buffer. *)
Theorem place_in_buffer : forall k s, inb k s -> place k s < size s.
Proof. intros k s H. pose proof (place_from_range k s H 0). unfold place. lia. Qed.

Lemma place_from_injective : forall s k k' a a', inb k s -> inb k' s ->
  place_from a k s = place_from a' k' s -> a = a' /\ k = k'.
Proof.
  induction s as [|n s IH]; intros k k' a a' H H' E; inversion H; inversion H'; subst; simpl in E; auto.
  apply IH in E; [|assumption|assumption]. destruct E as [E ->].
  assert (a = a') by nia. split; [assumption|]. f_equal. nia.
Qed.

(** Different indices have different places: the memory model without aliases is
    refined. *)
Theorem place_injective : forall s k k', inb k s -> inb k' s -> place k s = place k' s -> k = k'.
Proof. intros s k k' H H' E. eapply place_from_injective in E; tauto. Qed.

Fixpoint offset_from (acc : iexp) (k : list iexp) (s : shape) : iexp :=
  match k, s with
  | i :: k, n :: s => offset_from (IHorner acc n i) k s
  | _, _ => acc
  end.

(** The index of the semantics that subscripts stand for. *)
Definition index_of (env : nat -> nat) (k : list iexp) : index := map (fun i => S (ieval env i)) k.

Lemma offset_from_value : forall env k s acc, length k = length s ->
  ieval env (offset_from acc k s) = place_from (ieval env acc) (index_of env k) s.
Proof.
  intros env k. induction k as [|i k IH]; intros [|n s] acc L; try discriminate; [reflexivity|].
  simpl in L |- *. rewrite IH by lia. simpl. rewrite Nat.sub_0_r. reflexivity.
Qed.

Lemma index_of_update : forall env v x k, Forall (below v) k -> index_of (update env v x) k = index_of env k.
Proof.
  intros env v x k H. unfold index_of. apply map_ext_in. intros i I.
  rewrite Forall_forall in H. rewrite ieval_update by auto. reflexivity.
Qed.

(** The subscript at a position where the index has one. *)
Lemma index_of_nth : forall env k p j, nth_error (index_of env k) p = Some j ->
  nth_error k p = Some (nth p k (INum 0)) /\ j = S (ieval env (nth p k (INum 0))).
Proof.
  intros env k p j E. unfold index_of in E. rewrite nth_error_map in E.
  destruct (nth_error k p) as [i|] eqn:Ei; [|discriminate]. rewrite (nth_error_nth _ _ (INum 0) Ei).
  injection E as <-. auto.
Qed.

Lemma index_of_set : forall env k p i j, j = S (ieval env i) -> set p j (index_of env k) = index_of env (set p i k).
Proof. intros env k p i j ->. unfold index_of. rewrite map_set. reflexivity. Qed.

(** The subscript that a map reads. *)
Definition around_subscript (l n : nat) (a : iexp) : iexp := IModulo (IHorner a 1 (INum (n - l mod n))) n.

Definition subscript (f : remap) (n : nat) (a : iexp) : iexp :=
  match f with
  | Clamped l _ => IMin (IMinus a (INum l)) (INum (n - 1))
  | Mirrored l _ => let a := around_subscript l (2 * n) a in IMin a (IMinus (INum (2 * n - 1)) a)
  | Wrapped l _ => around_subscript l n a
  | Repeated d => IOver a d
  | Stepped d _ => IHorner a d (INum 0)
  end.

Lemma subscript_value : forall env f n a, ieval env (subscript f n a) = reads f n (ieval env a).
Proof.
  intros env [l h|l h|l h|d|d m] n a; cbn [subscript around_subscript ieval reads]; unfold around; rewrite ?Nat.mul_1_r, ?Nat.add_0_r; reflexivity.
Qed.

Lemma subscript_below : forall c f n a, below c a -> below c (subscript f n a).
Proof. intros c [l h|l h|l h|d|d m] n a H; cbn [subscript around_subscript below]; auto. Qed.

Lemma Forall_sub : forall A (P : A -> Prop) l l', Forall P l -> (forall x, In x l' -> In x l) -> Forall P l'.
Proof. intros A P l l' H S. rewrite Forall_forall in *. auto. Qed.

Lemma In_firstn : forall A (x : A) n l, In x (firstn n l) -> In x l.
Proof. intros A x n l H. rewrite <- (firstn_skipn n l). apply in_or_app. auto. Qed.

Lemma In_skipn : forall A (x : A) n l, In x (skipn n l) -> In x l.
Proof. intros A x n l H. rewrite <- (firstn_skipn n l). apply in_or_app. auto. Qed.

Section Loops.
  Context (D : domain).
  Notation T := (number D).

  (** The n numbers behind the first l; every d-th of the numbers from o on, n of them. *)
  Inductive test :=
  | Within (i : iexp) (l n : nat)
  | Every (i : iexp) (o d n : nat).

  Definition holds_at (env : nat -> nat) (t : test) : bool :=
    match t with
    | Within i l n => ((l <=? ieval env i) && (ieval env i <? l + n))%bool
    | Every i o d n => in_part o d n (ieval env i)
    end.

  (** [SWhen] is 0 where the test does not hold, and then does not compute its operand;
      [SChoose] computes the first operand where it holds, and the second elsewhere.
      [SAt v n i e] is [e] where the variable [v] is the place of [i] in a dimension of size n,
      and where that is no place it does not compute [e]; so does [At] with commands. *)
  Inductive sexp :=
  | SConst (c : nat)
  | SNumber (i : iexp)
  | SAcc (a : nat)
  | SLoad (x : name) (o : iexp)
  | SUnary (f : unary) (e : sexp)
  | SBinary (b : binary) (e0 e1 : sexp)
  | STimes (e0 e1 : sexp)
  | SWhen (c : test) (e : sexp)
  | SChoose (c : test) (e0 e1 : sexp)
  | SAt (v n : nat) (i e : sexp).

  (** Accumulators are empty until they have a first value. *)
  Inductive command :=
  | Skip
  | Seq (c0 c1 : command)
  | When (t : test) (c : command)
  | At (v n : nat) (i : sexp) (c : command)
  | For (v n : nat) (c : command)
  | Start (r : reduction) (a : nat)
  | Fold (r : reduction) (a : nat) (e : sexp)
  | Store (x : name) (o : iexp) (e : sexp).

  Definition buffers := name -> option (list T).
  Definition accumulators := nat -> option T.

  Fixpoint seval (env : nat -> nat) (acc : accumulators) (B : buffers) (e : sexp) : option T :=
    match e with
    | SConst c => Some (constant D c)
    | SNumber i => Some (constant D (ieval env i))
    | SAcc a => acc a
    | SLoad x o => match B x with Some l => nth_error l (ieval env o) | None => None end
    | SUnary f e => lift1 D (unary_op D f) (seval env acc B e)
    | SBinary b e0 e1 => lift2 D (op D b) (seval env acc B e0) (seval env acc B e1)
    | STimes e0 e1 => lift2 D (times D) (seval env acc B e0) (seval env acc B e1)
    | SWhen t e => if holds_at env t then seval env acc B e else Some (zero D)
    | SChoose t e0 e1 => if holds_at env t then seval env acc B e0 else seval env acc B e1
    | SAt v n i e => gathered D n (seval env acc B i) (fun j => seval (update env v (j - 1)) acc B e)
    end.

  (** Stuck (None) on any access outside of a buffer. *)
  Fixpoint exec (c : command) (env : nat -> nat) (acc : accumulators) (B : buffers) : option (accumulators * buffers) :=
    match c with
    | Skip => Some (acc, B)
    | Seq c0 c1 =>
        match exec c0 env acc B with
        | Some (acc, B) => exec c1 env acc B
        | None => None
        end
    | When t c => if holds_at env t then exec c env acc B else Some (acc, B)
    | At v n i c =>
        match seval env acc B i with
        | Some a =>
            if ((1 <=? place_of D a) && (place_of D a <=? n))%bool
            then exec c (update env v (place_of D a - 1)) acc B else Some (acc, B)
        | None => None
        end
    | For v n c =>
        fold_left (fun st i => match st with
                               | Some (acc, B) => exec c (update env v i) acc B
                               | None => None
                               end) (seq 0 n) (Some (acc, B))
    | Start r a => Some (update acc a (start D r), B)
    | Fold r a e =>
        match seval env acc B e with
        | Some y => Some (update acc a (Some (match acc a with Some x => step D r x y | None => y end)), B)
        | None => None
        end
    | Store x o e =>
        match seval env acc B e, B x with
        | Some y, Some l =>
            if ieval env o <? length l then Some (acc, update B x (Some (set (ieval env o) y l))) else None
        | _, _ => None
        end
    end.

  (** What "in bounds" means in these loops: a load has a value exactly where its place is
      inside of a buffer, and only there a store makes its step. *)
  Theorem load_in_bounds : forall env acc B x o,
    seval env acc B (SLoad x o) <> None <-> exists l, B x = Some l /\ ieval env o < length l.
  Proof.
    intros. cbn [seval]. split.
    - destruct (B x) as [l|]; [|congruence]. intro H. exists l. split; [reflexivity|]. apply nth_error_Some. exact H.
    - intros (l & -> & H). apply nth_error_Some. exact H.
  Qed.

  Theorem store_in_bounds : forall env acc B x o e,
    exec (Store x o e) env acc B <> None <->
    seval env acc B e <> None /\ exists l, B x = Some l /\ ieval env o < length l.
  Proof.
    intros. cbn [exec]. destruct (seval env acc B e) as [y|]; [|split; [congruence|intros [? _]; congruence]].
    destruct (B x) as [l|]; [|split; [congruence|intros [_ (l & Q & _)]; discriminate]].
    destruct (Nat.ltb_spec (ieval env o) (length l)); split; try congruence.
    - intros _. split; [discriminate|]. eauto.
    - intros [_ (l' & Q & H')]. injection Q as <-. lia.
  Qed.
End Loops.
