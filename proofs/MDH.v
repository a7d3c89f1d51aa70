(** Multi-dimensional homomorphisms (Rasch, Definitions 2 to 4) for concatenation
    and point-wise combination: the homomorphic property, Lemma 1, and that any
    dimension may be split into parts, in any order: the base of every schedule.

    An array is a function of its indices; an index set is a list without order.
    Point-wise dimensions have no neutral element, so their sets are not empty. *)

From Coq Require Import List Arith Lia Permutation.
From Ricci Require Import Lists.
Import ListNotations.

Section Homomorphism.
  Context {T : Type} (combine : T -> T -> T).
  Infix "+" := combine.
  Context (assoc : forall a b c, a + (b + c) = (a + b) + c)
          (comm : forall a b, a + b = b + a).

  (** A set with at least one element. *)
  Definition set1 : Type := nat * list nat.
  Definition elements (s : set1) : list nat := fst s :: snd s.
  Definition union (p q : set1) : set1 := (fst p, snd p ++ elements q).

  Implicit Types g h : nat -> T.

  Definition combine_all (g : nat -> T) (s : set1) : T :=
    fold_left (fun acc i => acc + g i) (snd s) (g (fst s)).

  Lemma fold_left_shift : forall g l a b, fold_left (fun acc i => acc + g i) l (a + b) = a + fold_left (fun acc i => acc + g i) l b.
  Proof.
    intros g l. induction l as [|i l IH]; intros a b; simpl; [reflexivity|].
    rewrite <- IH, assoc. reflexivity.
  Qed.

  Lemma combine_all_union : forall g p q, combine_all g (union p q) = combine_all g p + combine_all g q.
  Proof.
    intros g [p ps] [q qs]. unfold combine_all, union, elements. simpl.
    rewrite fold_left_app. simpl. apply fold_left_shift.
  Qed.

  Lemma combine_all_ext : forall g h s, (forall i, In i (elements s) -> g i = h i) -> combine_all g s = combine_all h s.
  Proof.
    intros g h [x l] H. unfold combine_all, elements in *. simpl in *.
    rewrite (H x) by auto. generalize (h x) as a. induction l as [|i l IH]; intro a; simpl; [reflexivity|].
    rewrite (H i) by (simpl; auto). apply IH. intros j J. apply H. simpl in *. tauto.
  Qed.

  Lemma combine_all_plus : forall g h s, combine_all (fun i => g i + h i) s = combine_all g s + combine_all h s.
  Proof.
    intros g h [x l]. unfold combine_all. simpl. generalize (g x) as a, (h x) as b.
    induction l as [|i l IH]; intros a b; simpl; [reflexivity|].
    rewrite <- IH. f_equal. rewrite <- !assoc. f_equal. rewrite !assoc. f_equal. apply comm.
  Qed.

  (** The order of a set does not matter. *)
  Lemma combine_all_permutation : forall g s t, Permutation (elements s) (elements t) -> combine_all g s = combine_all g t.
  Proof.
    intros g.
    assert (F : forall l l', Permutation l l' -> forall a, fold_left (fun acc i => acc + g i) l a = fold_left (fun acc i => acc + g i) l' a).
    { induction 1; intro a; simpl; auto.
      - f_equal. rewrite <- !assoc. f_equal. apply comm.
      - rewrite IHPermutation1. apply IHPermutation2. }
    assert (U : forall x l a, fold_left (fun acc i => acc + g i) (x :: l) a = a + combine_all g (x, l)).
    { intros x l a. unfold combine_all. simpl. apply fold_left_shift. }
    intros [x l] [y k] H. unfold elements in H. simpl in H.
    (* Without a neutral element: the head of one list is somewhere in the other. *)
    destruct (in_split x (y :: k)) as (k1 & k2 & E); [apply (Permutation_in _ H); simpl; auto|].
    rewrite E in H. apply Permutation_cons_app_inv in H.
    destruct k1 as [|z k1]; simpl in E; injection E as E1 E2; subst.
    - unfold combine_all. simpl. apply F. exact H.
    - unfold combine_all at 1. simpl. rewrite (F _ _ H). unfold combine_all. simpl.
      rewrite !fold_left_app. simpl.
      transitivity (fold_left (fun acc i => acc + g i) k2 (fold_left (fun acc i => acc + g i) k1 (g x + g z))); [reflexivity|].
      f_equal. rewrite fold_left_shift. apply comm.
  Qed.

  (** How a dimension is combined. *)
  Inductive operator := Concatenate | PointWise.

  (** Definition 4. The scalar function is part of the array. In a point-wise dimension
      the result has the index 0 only. *)
  Fixpoint md_hom (ops : list operator) (sets : list set1) (a : list nat -> T) (j : list nat) : T :=
    match ops, sets, j with
    | Concatenate :: ops, _ :: sets, i :: j => md_hom ops sets (fun k => a (i :: k)) j
    | PointWise :: ops, s :: sets, _ :: j => combine_all (fun i => md_hom ops sets (fun k => a (i :: k)) j) s
    | _, _, _ => a []
    end.

  (** The combine operator of dimension d on two results (Definition 2, Examples 1 and
      2): concatenation selects the part that has the index. *)
  Definition combine_in (o : operator) (p q : set1) (i : nat) (x y : T) : T :=
    match o with
    | PointWise => x + y
    | Concatenate => if in_dec Nat.eq_dec i (elements p) then x else y
    end.

  (** Definition 3 with Lemma 1: for ++ and any number of point-wise dimensions of one
      associative and commutative operator, md_hom is a homomorphism in every dimension. *)
  Theorem homomorphic : forall ops d o sets a j p q i,
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some o -> nth_error j d = Some i ->
    md_hom ops (set d (union p q) sets) a j =
    combine_in o p q i (md_hom ops (set d p sets) a j) (md_hom ops (set d q sets) a j).
  Proof.
    induction ops as [|o' ops IH]; intros d o sets a j p q i Ls Lj Ho Hj.
    - destruct d; discriminate.
    - destruct sets as [|s sets]; [discriminate|]. destruct j as [|i' j]; [discriminate|].
      injection Ls as Ls. injection Lj as Lj. destruct d as [|d].
      + simpl in Ho, Hj. injection Ho as ->. injection Hj as ->.
        destruct o; cbn [md_hom set combine_in].
        * destruct (in_dec Nat.eq_dec i (elements p)); reflexivity.
        * apply combine_all_union.
      + simpl in Ho, Hj. destruct o'; simpl.
        * apply IH; assumption.
        * transitivity (combine_all (fun x => combine_in o p q i
            (md_hom ops (set d p sets) (fun k => a (x :: k)) j)
            (md_hom ops (set d q sets) (fun k => a (x :: k)) j)) s).
          -- apply combine_all_ext. intros x _. apply IH; assumption.
          -- destruct o; cbn [combine_in].
             ++ destruct (in_dec Nat.eq_dec i (elements p)); reflexivity.
             ++ apply combine_all_plus.
  Qed.

  (** The order in which a dimension is enumerated does not matter: parts may be
      blocks, strided or anything else. *)
  Theorem any_order : forall ops d sets a j s t,
    Permutation (elements s) (elements t) -> length sets = length ops ->
    md_hom ops (set d s sets) a j = md_hom ops (set d t sets) a j.
  Proof.
    induction ops as [|o ops IH]; intros d sets a j s t H L.
    - destruct sets; [destruct d; reflexivity|discriminate].
    - destruct sets as [|u sets]; [destruct d; reflexivity|]. injection L as L.
      destruct d as [|d]; simpl; destruct o, j; try reflexivity.
      + apply combine_all_permutation. exact H.
      + apply IH; assumption.
      + apply combine_all_ext. intros. apply IH; assumption.
  Qed.

  (** A dimension that is split into any number of parts: every part by itself, then the
      results combined from the first to the last. *)
  Definition union_all (p : set1) (parts : list set1) : set1 := fold_left union parts p.

  Theorem split_pointwise : forall ops d sets a j i parts p,
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some PointWise -> nth_error j d = Some i ->
    md_hom ops (set d (union_all p parts) sets) a j =
    fold_left (fun acc q => acc + md_hom ops (set d q sets) a j) parts (md_hom ops (set d p sets) a j).
  Proof.
    intros ops d sets a j i parts. induction parts as [|q parts IH]; intros p Ls Lj Ho Hj; [reflexivity|].
    simpl. change (union_all p (q :: parts)) with (union_all (union p q) parts).
    rewrite IH by assumption. f_equal. apply (homomorphic ops d PointWise sets a j p q i); assumption.
  Qed.

  (** In a dimension that is concatenated a part has the whole result at its indices. *)
  Theorem split_concatenated : forall ops d sets a j i p q,
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some Concatenate -> nth_error j d = Some i ->
    md_hom ops (set d p sets) a j = md_hom ops (set d q sets) a j.
  Proof.
    induction ops as [|o ops IH]; intros d sets a j i p q Ls Lj Ho Hj.
    - destruct d; discriminate.
    - destruct sets as [|s sets]; [discriminate|]. destruct j as [|i' j]; [discriminate|].
      injection Ls as Ls. injection Lj as Lj.
      destruct d as [|d]; simpl in *; [injection Ho as ->; reflexivity|].
      destruct o; [|apply combine_all_ext; intros]; eauto.
  Qed.

  (** Two point-wise dimensions may be enumerated in either order. *)
  Theorem interchange : forall (f : nat -> nat -> T) s t,
    combine_all (fun i => combine_all (fun k => f i k) t) s = combine_all (fun k => combine_all (fun i => f i k) s) t.
  Proof.
    intros f [x l] t. unfold combine_all at 1. simpl.
    induction l as [|i l IH] using rev_ind.
    - simpl. apply combine_all_ext. reflexivity.
    - rewrite fold_left_app. simpl. rewrite IH. rewrite <- combine_all_plus.
      apply combine_all_ext. intros k _. unfold combine_all. simpl. rewrite fold_left_app. reflexivity.
  Qed.
End Homomorphism.
