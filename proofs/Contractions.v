(** Sums and contractions exchange: what makes a flat contraction of a product a nested
    one. A shape that is summed over is written as an insertion into what is left, so
    that one lemma about insertions serves types and values. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics Lifting Equations Algebra.
Import ListNotations.

(** Where position q goes when p is inserted, and comes from when q is removed. *)
Definition up (p q : nat) : nat := if p <=? q then S q else q.
Definition down (q p : nat) : nat := if q <? p then p - 1 else p.

Lemma insert_exchange : forall A (l : list A) p q x y, p <= S (length l) -> q <= length l ->
  insert p x (insert q y l) = insert (up p q) y (insert (down q p) x l).
Proof.
  intros A l p q x y P Q. unfold up, down.
  destruct (Nat.leb_spec p q), (Nat.ltb_spec q p); try lia; lists.
Qed.

(** Compares what the positions depend on, the innermost first. *)
Ltac plain t := lazymatch t with context [if _ then _ else _] => fail | _ => idtac end.
Ltac arrows :=
  unfold up, down in *; repeat split;
  repeat match goal with
         | |- context [?a <=? ?b] => plain a; plain b; destruct (Nat.leb_spec a b); try (exfalso; lia)
         | |- context [?a <? ?b] => plain a; plain b; destruct (Nat.ltb_spec a b); try (exfalso; lia)
         end; try lia.

Section Contractions.
  Context (D : domain) (R : semiring D) (G : context) (P : positive_context G).
  Notation V := (value D).
  Notation sum := (fold D Sum).

  (** A sum over the dimension at p, from 0. *)
  Lemma red_typed : forall p n r e, p <= length r -> has_type G e (insert p n r) -> has_type G (Red Sum (S p) e) r.
  Proof.
    intros p n r e L H. pose proof (T_Red G Sum (S p) e _ H) as Q.
    rewrite length_insert in Q by lia. zero_based. rewrite remove_insert in Q by lia. apply Q. lia.
  Qed.

  Lemma red_typed_inv : forall i r e, has_type G (Red Sum i e) r ->
    exists p n, i = S p /\ p <= length r /\ has_type G e (insert p n r).
  Proof.
    intros i r e H. types. typed e s He. destruct (position _ s i) as [n E]; [assumption|].
    exists (i - 1), n. rewrite (insert_remove _ _ _ E), length_remove_minus by lia. repeat split; try lia. exact He.
  Qed.

  Lemma red_at : forall m p n r e k, p <= length r -> has_type G e (insert p n r) ->
    V G m (Red Sum (S p) e) k = sum n (fun y => V G m e (insert p y k)).
  Proof.
    intros m p n r e k L H. rewrite (red_value D _ _ _ _ _ (insert p n r) n); zero_based; [reflexivity|exact H|].
    rewrite nth_error_insert, Nat.ltb_irrefl, Nat.eqb_refl by lia. reflexivity.
  Qed.

  (** A contraction of the dimensions at p < q. *)
  Definition contracted (p q n : nat) (r : shape) : shape := insert q n (insert p n r).

  Lemma contr_typed : forall p q n r e, p < q <= S (length r) -> has_type G e (contracted p q n r) ->
    has_type G (contr (S p) (S q) e) r.
  Proof.
    intros p q n r e L H. apply contr_type. exists (contracted p q n r), n. zero_based.
    unfold contracted. rewrite remove_insert, remove_insert by len. repeat split; try lia; [exact H| |].
    - rewrite nth_error_insert by len. destruct (Nat.ltb_spec p q); [|lia].
      rewrite nth_error_insert, Nat.ltb_irrefl, Nat.eqb_refl by lia. reflexivity.
    - rewrite nth_error_insert, Nat.ltb_irrefl, Nat.eqb_refl by len. reflexivity.
  Qed.

  Lemma contr_typed_inv : forall i j r e, has_type G (contr i j e) r ->
    exists p q n, i = S p /\ j = S q /\ p < q <= S (length r) /\ has_type G e (contracted p q n r).
  Proof.
    intros i j r e H. apply contr_type in H. destruct H as (s & n & H & L & E0 & E1 & ->). lengths.
    exists (i - 1), (j - 1), n. unfold contracted. rewrite insert_remove.
    - rewrite (insert_remove _ _ _ E1). repeat split; try lia; [len|exact H].
    - rewrite nth_error_remove. destruct (Nat.ltb_spec (i - 1) (j - 1)); [exact E0|lia].
  Qed.

  Lemma contr_at : forall m p q n r e k, p < q <= S (length r) -> has_type G e (contracted p q n r) -> inb k r ->
    V G m (contr (S p) (S q) e) k = sum n (fun y => V G m e (insert q y (insert p y k))).
  Proof.
    intros m p q n r e k L H B. rewrite (contr_value D G m _ _ e (contracted p q n r) n); zero_based.
    - reflexivity.
    - exact H.
    - lia.
    - unfold contracted. rewrite nth_error_insert by len. destruct (Nat.ltb_spec p q); [|lia].
      rewrite nth_error_insert, Nat.ltb_irrefl, Nat.eqb_refl by lia. reflexivity.
    - unfold contracted. rewrite nth_error_insert, Nat.ltb_irrefl, Nat.eqb_refl by len. reflexivity.
    - unfold contracted. rewrite remove_insert, remove_insert by len. exact B.
  Qed.

  Lemma inb_inserted : forall k r p j n, inb k r -> 1 <= j <= n -> inb (insert p j k) (insert p n r).
  Proof. intros. apply Forall2_insert; assumption. Qed.

  (** Positions from 1: where dimension i of the result of a contraction of j0 < j1 is in its
      operand, and where dimension j is after others are removed. *)
  Definition inside (j0 j1 i : nat) : nat := up j1 (up j0 i).
  Definition above1 (l j : nat) : nat := down l j.
  Definition above2 (l0 l1 j : nat) : nat := j - (if l0 <? j then 1 else 0) - (if l1 <? j then 1 else 0).

  Lemma contr_contr_insert : forall A (r : list A) i0 i1 j0 j1 x y, i0 < i1 <= S (length r) -> j0 < j1 <= S (S (S (length r))) ->
    let l0 := inside (S j0) (S j1) (S i0) in let l1 := inside (S j0) (S j1) (S i1) in
    insert j1 y (insert j0 y (insert i1 x (insert i0 x r))) =
    insert (l1 - 1) x (insert (l0 - 1) x (insert (above2 l0 l1 (S j1) - 1) y (insert (above2 l0 l1 (S j0) - 1) y r))).
  Proof.
    intros A r i0 i1 j0 j1 x y Li Lj l0 l1.
    rewrite (insert_exchange _ _ j0 i1) by len.
    rewrite (insert_exchange _ r (down i1 j0) i0) by (unfold down; destruct (Nat.ltb_spec i1 j0); len).
    rewrite (insert_exchange _ _ j1 (up j0 i1)) by (arrows; len).
    rewrite (insert_exchange _ _ (down (up j0 i1) j1) (up (down i1 j0) i0)) by (arrows; len).
    assert (E : up j1 (up j0 i1) = l1 - 1 /\ up (down (up j0 i1) j1) (up (down i1 j0) i0) = l0 - 1 /\
      down (up (down i1 j0) i0) (down (up j0 i1) j1) = above2 l0 l1 (S j1) - 1 /\ down i0 (down i1 j0) = above2 l0 l1 (S j0) - 1).
    { unfold l0, l1, inside, above2. arrows. }
    destruct E as (-> & -> & -> & ->). reflexivity.
  Qed.

  Lemma sum_contr_insert : forall A (r : list A) i j0 j1 x y, i <= length r -> j0 < j1 <= S (S (length r)) ->
    let l := inside (S j0) (S j1) (S i) in
    insert j1 y (insert j0 y (insert i x r)) =
    insert (l - 1) x (insert (above1 l (S j1) - 1) y (insert (above1 l (S j0) - 1) y r)).
  Proof.
    intros A r i j0 j1 x y Li Lj l.
    rewrite (insert_exchange _ r j0 i) by len.
    rewrite (insert_exchange _ _ j1 (up j0 i)) by (arrows; len).
    assert (E : up j1 (up j0 i) = l - 1 /\ down (up j0 i) j1 = above1 l (S j1) - 1 /\ down i j0 = above1 l (S j0) - 1).
    { unfold l, inside, above1. arrows. }
    destruct E as (-> & -> & ->). reflexivity.
  Qed.

  Theorem contr_contr : forall i0 i1 j0 j1 e,
    let l0 := inside j0 j1 i0 in let l1 := inside j0 j1 i1 in
    law D G (contr i0 i1 (contr j0 j1 e)) (contr (above2 l0 l1 j0) (above2 l0 l1 j1) (contr l0 l1 e)).
  Proof.
    intros i0 i1 j0 j1 e l0 l1 r H.
    destruct (contr_typed_inv _ _ _ _ H) as (p0 & p1 & n & -> & -> & Lp & Hc).
    destruct (contr_typed_inv _ _ _ _ Hc) as (q0 & q1 & o & -> & -> & Lq & He).
    assert (Lq' : q0 < q1 <= S (S (S (length r)))) by (revert Lq; unfold contracted; repeat length_step; intro; lia).
    assert (B : exists a0 a1 b0 b1, l0 = S a0 /\ l1 = S a1 /\ above2 l0 l1 (S q0) = S b0 /\ above2 l0 l1 (S q1) = S b1 /\
      a0 < a1 <= S (S (S (length r))) /\ b0 < b1 <= S (length r)).
    { exists (l0 - 1), (l1 - 1), (above2 l0 l1 (S q0) - 1), (above2 l0 l1 (S q1) - 1).
      unfold l0, l1, inside, above2. arrows. }
    destruct B as (a0 & a1 & b0 & b1 & E0 & E1 & F0 & F1 & La & Lb).
    assert (X : forall A (t : list A) x y, length t = length r ->
      insert q1 y (insert q0 y (insert p1 x (insert p0 x t))) = insert a1 x (insert a0 x (insert b1 y (insert b0 y t)))).
    { intros A t x y Lt. rewrite (contr_contr_insert A t p0 p1 q0 q1 x y) by lia.
      fold l0 l1. rewrite F0, F1, E0, E1. zero_based. reflexivity. }
    rewrite E0, E1, F0, F1 in *.
    assert (He' : has_type G e (contracted a0 a1 n (contracted b0 b1 o r))).
    { unfold contracted in *. rewrite <- X by reflexivity. exact He. }
    assert (La' : a0 < a1 <= S (length (contracted b0 b1 o r))) by (unfold contracted; repeat length_step; lia).
    pose proof (contr_typed _ _ _ _ _ La' He') as Hc'.
    split; [exact (contr_typed _ _ _ _ _ Lb Hc')|]. intros m Ag k Bk. pose proof (inb_length _ _ Bk) as Lk.
    rewrite (contr_at m p0 p1 n r _ k Lp Hc Bk), (contr_at m b0 b1 o r _ k Lb Hc' Bk).
    rewrite (fold_ext D Sum n _ (fun x => sum o (fun y => V G m e (insert q1 y (insert q0 y (insert p1 x (insert p0 x k))))))).
    2: { intros x Lx. apply (contr_at m q0 q1 o _ e _ Lq He). unfold contracted. auto using inb_inserted. }
    rewrite (sum_exchange D R).
    - apply fold_ext. intros y Ly. rewrite (contr_at m a0 a1 n _ e _ La' He') by (unfold contracted; auto using inb_inserted).
      apply fold_ext. intros x Lx. apply reindex. apply X. exact Lk.
    - intros x y Lx Ly. apply (value_defined D G m Ag P e _ He). unfold contracted. auto using inb_inserted.
  Qed.

  Theorem sum_contr : forall i j0 j1 e, let l := inside j0 j1 i in
    law D G (Red Sum i (contr j0 j1 e)) (contr (above1 l j0) (above1 l j1) (Red Sum l e)).
  Proof.
    intros i j0 j1 e l r H.
    destruct (red_typed_inv _ _ _ H) as (p & n & -> & Lp & Hc).
    destruct (contr_typed_inv _ _ _ _ Hc) as (q0 & q1 & o & -> & -> & Lq & He).
    assert (Lq' : q0 < q1 <= S (S (length r))) by (revert Lq; repeat length_step; intro; lia).
    assert (B : exists a b0 b1, l = S a /\ above1 l (S q0) = S b0 /\ above1 l (S q1) = S b1 /\
      a <= S (S (length r)) /\ b0 < b1 <= S (length r)).
    { exists (l - 1), (above1 l (S q0) - 1), (above1 l (S q1) - 1). unfold l, inside, above1. arrows. }
    destruct B as (a & b0 & b1 & E & F0 & F1 & La & Lb).
    assert (X : forall A (t : list A) x y, length t = length r ->
      insert q1 y (insert q0 y (insert p x t)) = insert a x (insert b1 y (insert b0 y t))).
    { intros A t x y Lt. rewrite (sum_contr_insert A t p q0 q1 x y) by lia.
      fold l. rewrite F0, F1, E. zero_based. reflexivity. }
    rewrite E, F0, F1 in *.
    assert (He' : has_type G e (insert a n (contracted b0 b1 o r))).
    { unfold contracted in *. rewrite <- X by reflexivity. exact He. }
    assert (La' : a <= length (contracted b0 b1 o r)) by (unfold contracted; repeat length_step; lia).
    pose proof (red_typed _ _ _ _ La' He') as Hc'.
    split; [exact (contr_typed _ _ _ _ _ Lb Hc')|]. intros m Ag k Bk. pose proof (inb_length _ _ Bk) as Lk.
    rewrite (red_at m p n r _ k Lp Hc), (contr_at m b0 b1 o r _ k Lb Hc' Bk).
    rewrite (fold_ext D Sum n _ (fun x => sum o (fun y => V G m e (insert q1 y (insert q0 y (insert p x k)))))).
    2: { intros x Lx. apply (contr_at m q0 q1 o _ e _ Lq He). auto using inb_inserted. }
    rewrite (sum_exchange D R).
    - apply fold_ext. intros y Ly. rewrite (red_at m a n _ e _ La' He').
      apply fold_ext. intros x Lx. apply reindex. apply X. exact Lk.
    - intros x y Lx Ly. apply (value_defined D G m Ag P e _ He). unfold contracted. auto using inb_inserted.
  Qed.

  (** Equation (6), from right to left. *)
  Theorem contr_red_diag : forall i0 i1 e, law D G (Red Sum i0 (Diag i0 i1 e)) (contr i0 i1 e).
  Proof. intros. apply law_refl. Qed.
End Contractions.
