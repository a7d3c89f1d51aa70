(** TeIL: shapes, indices and expressions (the paper's Figure 5, with what it calls
    analogous or future: other reductions, element-wise operations, constants, and
    primitives for stencils), and contexts. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists.
From Ricci Require Export Maps.
Import ListNotations.

Definition name := nat.
Definition shape := list nat.
Definition index := list nat.

(** [inb k s]: the index [k] is within the shape [s]; indices count from 1 (A5: the
    comparison of lists element by element). *)
Definition inb (k : index) (s : shape) : Prop := Forall2 (fun j n => 1 <= j <= n) k s.

Definition positive (s : shape) : Prop := Forall (fun n => 1 <= n) s.

(** A reduction may have any function of two numbers, from a constant on if there is one, otherwise
    from the first element on. *)
Inductive reduction := Sum | Product | Minimum | Maximum | Operator (f : nat) (z : option nat).
Inductive binary := Add | Sub | Div | Min | Max | Tuple | Function2 (f : nat).
Inductive unary := Negate | Function (f : nat).

(** Positions count from 1, as in the paper. [Mul] is element by element, or a scalar
    times a tensor. [Shift i o m] keeps the m elements after the first o of dimension i;
    [Window i n] makes dimension i two, the place of a window and the place in the
    window of size n; [Stride i d] keeps every d-th element, beginning with the first.
    [Flip i] runs through dimension i from its end; [Pad i l h] puts l zeros before it and h
    behind it; [Remap i f] reads it by one of the maps of Maps.v; [Replace i o d e0 e1]
    is [e0] with [e1] in every d-th place of dimension i behind the first o; [Iota n] is the
    numbers from 0 to n - 1. [Gather i] reads dimension i of its second operand at the places
    that the elements of its first say: the dimensions of the first come to stand in front. *)
Inductive expr :=
| Var (x : name)
| Const (c : nat)
| Unary (f : unary) (e : expr)
| Binary (b : binary) (e0 e1 : expr)
| Mul (e0 e1 : expr)
| Prod (e0 e1 : expr)
| Gather (i : nat) (e0 e1 : expr)
| Red (r : reduction) (i : nat) (e : expr)
| Transp (i0 i1 : nat) (e : expr)
| Diag (i0 i1 : nat) (e : expr)
| Expa (i n : nat) (e : expr)
| Proj (i m : nat) (e : expr)
| Shift (i o m : nat) (e : expr)
| Window (i n : nat) (e : expr)
| Stride (i d : nat) (e : expr)
| Flip (i : nat) (e : expr)
| Pad (i l h : nat) (e : expr)
| Remap (i : nat) (f : remap) (e : expr)
| Replace (i o d : nat) (e0 e1 : expr)
| Iota (n : nat).

(** Equation (6). *)
Definition contr (i0 i1 : nat) (e : expr) : expr := Red Sum i0 (Diag i0 i1 e).

(** A function of any number of arguments is one of a tuple: numbers may be tuples, as they
    are any set. [select] is a function of three; a comparison is one of two, whose values
    are truth values; a conversion is one of one. *)
Definition apply (f : nat) (e : expr) (es : list expr) : expr :=
  Unary (Function f) (fold_left (Binary Tuple) es e).

(** A reduction of tuples: of the operands' elements, by a function of two tuples; the result
    is one component. Operators.v says how the function is given by expressions. *)
Definition reduce (f c : nat) (z : option nat) (i : nat) (e : expr) (es : list expr) : expr :=
  Unary (Function c) (Red (Operator f z) i (fold_left (Binary Tuple) es e)).

(** How many of [n] elements a stride [d] keeps. *)
Definition strided (n d : nat) : nat := (n + d - 1) / d.

Record alloc := Alloc { allocated : name; extent : shape }.

Definition context := name -> option shape.

Definition empty_context : context := fun _ => None.
Definition bind (G : context) (x : name) (s : shape) : context := fun y => if x =? y then Some s else G y.

(** The context of the allocations. *)
Definition context_of (l : list alloc) : context :=
  fold_right (fun a G => bind G (allocated a) (extent a)) empty_context l.

(** What the paper says in prose: names are distinct and dimensions are not empty. *)
Definition ok_allocs (l : list alloc) : Prop :=
  NoDup (map allocated l) /\ Forall (fun a => positive (extent a)) l.

Definition positive_context (G : context) : Prop := forall x s, G x = Some s -> positive s.

Lemma positive_context_of : forall l, ok_allocs l -> positive_context (context_of l).
Proof.
  intros l [_ P]. induction l as [|a l IH]; simpl; intros y t E; [discriminate|].
  inversion P; subst. unfold bind in E. destruct (allocated a =? y); [injection E as <-; assumption|].
  eapply IH; eauto.
Qed.

Lemma inb_length : forall k s, inb k s -> length k = length s.
Proof. intros k s H. exact (Forall2_length _ _ _ H). Qed.

Lemma inb_nil : inb [] [].
Proof. constructor. Qed.

Lemma inb_split : forall k s0 s1, inb k (s0 ++ s1) ->
  inb (firstn (length s0) k) s0 /\ inb (skipn (length s0) k) s1.
Proof.
  intros k s0 s1 H. split.
  - pose proof (Forall2_firstn _ _ _ H (length s0)) as F.
    rewrite firstn_app, Nat.sub_diag, firstn_all, app_nil_r in F. exact F.
  - pose proof (Forall2_skipn _ _ _ H (length s0)) as F.
    rewrite skipn_app, Nat.sub_diag, skipn_all in F. exact F.
Qed.

Lemma inb_insert : forall k s p n j, inb k (remove p s) -> nth_error s p = Some n -> 1 <= j <= n ->
  inb (insert p j k) s.
Proof.
  intros k s p n j H E B. rewrite <- (insert_remove _ _ _ E). apply Forall2_insert; assumption.
Qed.

Lemma inb_set : forall k s p m n j, inb k (set p m s) -> nth_error s p = Some n -> 1 <= j <= n ->
  inb (set p j k) s.
Proof.
  intros k s p m n j H E B. rewrite <- (set_same s p n E), <- (set_set s p n m).
  apply Forall2_set; assumption.
Qed.

Lemma inb_nth : forall k s p n, inb k s -> nth_error s p = Some n -> exists j, nth_error k p = Some j /\ 1 <= j <= n.
Proof.
  intros k s p n H E. assert (p < length s) by (apply nth_error_Some; congruence).
  pose proof (inb_length _ _ H). destruct (nth_error k p) as [j|] eqn:Ej; [|apply nth_error_None in Ej; lia].
  exists j. split; [reflexivity|]. exact (Forall2_nth_error _ _ _ H _ _ _ Ej E).
Qed.

Lemma inb_set_nth : forall k s p m n, inb k (set p m s) -> nth_error s p = Some n -> exists j, nth_error k p = Some j /\ 1 <= j <= m.
Proof. intros k s p m n H E. eapply inb_nth; [exact H|]. rewrite nth_error_set, Nat.eqb_refl, E. reflexivity. Qed.

(** The two indices that a window makes of one, and the one that they stand for. *)
Lemma inb_window : forall k s p w n, inb k (insert (S p) w (set p (n + 1 - w) s)) -> nth_error s p = Some n ->
  exists i j, nth_error k p = Some i /\ nth_error k (S p) = Some j /\ inb (set p (i + j - 1) (remove (S p) k)) s.
Proof.
  intros k s p w n H E. assert (L : p < length s) by (apply nth_error_Some; congruence).
  destruct (inb_nth k _ p (n + 1 - w) H) as (i & Ei & Bi).
  { rewrite nth_error_insert by (rewrite length_set; lia). destruct (Nat.ltb_spec p (S p)); [|lia].
    rewrite nth_error_set, Nat.eqb_refl, E. reflexivity. }
  destruct (inb_nth k _ (S p) w H) as (j & Ej & Bj).
  { rewrite nth_error_insert by (rewrite length_set; lia). rewrite Nat.ltb_irrefl, Nat.eqb_refl. reflexivity. }
  exists i, j. repeat split; auto.
  pose proof (Forall2_remove _ _ _ H (S p)) as H'. rewrite remove_insert in H' by (rewrite length_set; lia).
  eapply inb_set; [exact H'|exact E|lia].
Qed.

(** A strided index is in bounds. *)
Lemma strided_bound : forall n d j, 1 <= d -> 1 <= j <= strided n d -> 1 <= (j - 1) * d + 1 <= n.
Proof.
  intros n d j D [J1 J2]. unfold strided in J2.
  pose proof (Nat.mul_div_le (n + d - 1) d). nia.
Qed.

Lemma strided_positive : forall n d, 1 <= d -> 1 <= n -> 1 <= strided n d.
Proof. intros n d D N. unfold strided. apply Nat.div_str_pos. lia. Qed.

(** An index whose place is in a part is that of the part. *)
Lemma inb_part : forall k s p o d n j, inb k s -> in_part o d n (j - 1) = true ->
  inb (set p (S (part_place o d (j - 1))) k) (set p n s).
Proof.
  intros k s p o d n j B H. apply Forall2_set; [exact B|]. unfold in_part in H.
  rewrite !Bool.andb_true_iff, Nat.ltb_lt in H. unfold part_place. lia.
Qed.

Definition inb_dec (k : index) (s : shape) : {inb k s} + {~ inb k s}.
Proof.
  revert s. induction k as [|j k IH]; destruct s as [|n s].
  - left. constructor.
  - right. intro H. inversion H.
  - right. intro H. inversion H.
  - destruct (le_dec 1 j); [|right; intro H; inversion H; lia].
    destruct (le_dec j n); [|right; intro H; inversion H; lia].
    destruct (IH s); [left; constructor; auto|right; intro H; inversion H; auto].
Defined.
