(** Multi-dimensional homomorphisms (Rasch, Definitions 2 to 4) for concatenation
    and point-wise combination: the homomorphic property, Lemma 1, and that dimensions
    may be split into parts and exchanged: the base of every schedule.

    An array is a function of its indices; an index set is a list without order.
    Point-wise dimensions have no neutral element, so their sets are not empty. A result
    is a partial function: it is there at the indices that the sets leave. *)

From Coq Require Import List Arith Lia Permutation.
From Ricci Require Import Lists.
Import ListNotations.

(** Combining the elements of a set by an associative and commutative operator. *)
Section Combination.
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
End Combination.

Section Homomorphism.
  Context {T : Type} (combine : T -> T -> T)
          (assoc : forall a b c, combine a (combine b c) = combine (combine a b) c)
          (comm : forall a b, combine a b = combine b a).

  (** The operator on results that may not be there. *)
  Definition plus (x y : option T) : option T :=
    match x, y with Some a, Some b => Some (combine a b) | _, _ => None end.

  Lemma plus_assoc : forall a b c, plus a (plus b c) = plus (plus a b) c.
  Proof. intros [a|] [b|] [c|]; simpl; try reflexivity. rewrite assoc. reflexivity. Qed.

  Lemma plus_comm : forall a b, plus a b = plus b a.
  Proof. intros [a|] [b|]; simpl; try reflexivity. rewrite comm. reflexivity. Qed.

  (** How a dimension is combined. *)
  Inductive operator := Concatenate | PointWise.

  (** Definition 4. The scalar function is part of the array. A concatenated dimension
      keeps the indices of its set; a point-wise one has the index 0 only. *)
  Fixpoint md_hom (ops : list operator) (sets : list set1) (a : list nat -> T) (j : list nat) : option T :=
    match ops, sets, j with
    | [], [], [] => Some (a [])
    | Concatenate :: ops, s :: sets, i :: j =>
        if in_dec Nat.eq_dec i (elements s) then md_hom ops sets (fun k => a (i :: k)) j else None
    | PointWise :: ops, s :: sets, 0 :: j =>
        combine_all plus (fun i => md_hom ops sets (fun k => a (i :: k)) j) s
    | _, _, _ => None
    end.

  (** The combine operator of dimension d on two results (Definition 2, Examples 1 and
      2): concatenation selects the part that has the index. *)
  Definition combine_in (o : operator) (p q : set1) (i : nat) (x y : option T) : option T :=
    match o with
    | PointWise => plus x y
    | Concatenate => if in_dec Nat.eq_dec i (elements p) then x else y
    end.

  Lemma in_union : forall i p q, In i (elements (union p q)) <-> In i (elements p) \/ In i (elements q).
  Proof.
    intros i [p ps] [q qs]. unfold union, elements. simpl. rewrite in_app_iff. simpl. tauto.
  Qed.

  Lemma combine_in_none : forall o p q i, combine_in o p q i None None = None.
  Proof. intros [] p q i; cbn [combine_in]; [destruct (in_dec Nat.eq_dec i (elements p))|]; reflexivity. Qed.

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
        * pose proof (in_union i p q) as U.
          destruct (in_dec Nat.eq_dec i (elements (union p q))), (in_dec Nat.eq_dec i (elements p)),
            (in_dec Nat.eq_dec i (elements q)); try reflexivity; exfalso; tauto.
        * destruct i; [|reflexivity]. apply (combine_all_union plus plus_assoc).
      + simpl in Ho, Hj. destruct o'; cbn [md_hom set].
        * destruct (in_dec Nat.eq_dec i' (elements s)); [apply IH; assumption|]. symmetry. apply combine_in_none.
        * destruct i'; [|symmetry; apply combine_in_none].
          transitivity (combine_all plus (fun x => combine_in o p q i
            (md_hom ops (set d p sets) (fun k => a (x :: k)) j)
            (md_hom ops (set d q sets) (fun k => a (x :: k)) j)) s).
          -- apply combine_all_ext. intros x _. apply IH; assumption.
          -- destruct o; cbn [combine_in].
             ++ destruct (in_dec Nat.eq_dec i (elements p)); reflexivity.
             ++ apply (combine_all_plus plus plus_assoc plus_comm).
  Qed.

  Lemma md_hom_ext : forall ops sets a b j, (forall k, a k = b k) -> md_hom ops sets a j = md_hom ops sets b j.
  Proof.
    induction ops as [|[] ops IH]; intros [|s sets] a b [|i j] H; try reflexivity; cbn [md_hom].
    - rewrite H. reflexivity.
    - destruct (in_dec _ _ _); [apply IH; auto|reflexivity].
    - destruct i; [|reflexivity]. apply combine_all_ext. intros. apply IH. auto.
  Qed.

  (** The order in which a dimension is enumerated does not matter: parts may be
      blocks, strided or anything else. *)
  Theorem any_order : forall ops d sets a j s t, Permutation (elements s) (elements t) ->
    md_hom ops (set d s sets) a j = md_hom ops (set d t sets) a j.
  Proof.
    induction ops as [|o ops IH]; intros d sets a j s t H.
    - destruct d, sets; reflexivity.
    - destruct sets as [|u sets]; [destruct d; reflexivity|].
      destruct d as [|d]; cbn [set md_hom]; destruct o, j as [|i j]; try reflexivity.
      + destruct (in_dec Nat.eq_dec i (elements s)) as [I|N], (in_dec Nat.eq_dec i (elements t)) as [I'|N']; try reflexivity.
        * destruct N'. exact (Permutation_in _ H I).
        * destruct N. exact (Permutation_in _ (Permutation_sym H) I').
      + destruct i; [|reflexivity]. apply (combine_all_permutation plus plus_assoc plus_comm). exact H.
      + destruct (in_dec Nat.eq_dec i (elements u)); [apply IH; exact H|reflexivity].
      + destruct i; [|reflexivity]. apply combine_all_ext. intros. apply IH. exact H.
  Qed.

  (** A dimension that is split into any number of parts: every part by itself, then the
      results combined from the first to the last. *)
  Definition union_all (p : set1) (parts : list set1) : set1 := fold_left union parts p.

  Theorem split_pointwise : forall ops d sets a j i parts p,
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some PointWise -> nth_error j d = Some i ->
    md_hom ops (set d (union_all p parts) sets) a j =
    fold_left (fun acc q => plus acc (md_hom ops (set d q sets) a j)) parts (md_hom ops (set d p sets) a j).
  Proof.
    intros ops d sets a j i parts. induction parts as [|q parts IH]; intros p Ls Lj Ho Hj; [reflexivity|].
    simpl. change (union_all p (q :: parts)) with (union_all (union p q) parts).
    rewrite IH by assumption. f_equal. apply (homomorphic ops d PointWise sets a j p q i); assumption.
  Qed.

  (** In a dimension that is concatenated, each part has the whole result at its indices. *)
  Theorem split_concatenated : forall ops d sets a j i p q,
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some Concatenate -> nth_error j d = Some i -> In i (elements p) ->
    md_hom ops (set d (union p q) sets) a j = md_hom ops (set d p sets) a j.
  Proof.
    intros ops d sets a j i p q Ls Lj Ho Hj I. rewrite (homomorphic ops d Concatenate sets a j p q i) by assumption.
    cbn [combine_in]. destruct (in_dec Nat.eq_dec i (elements p)); [reflexivity|contradiction].
  Qed.

  (** A plan splits dimensions into two parts, and each part by a plan of its own: several
      dimensions, nested, into any parts. *)
  Inductive plan := Whole | Parts (d : nat) (p q : set1) (first second : plan).

  Fixpoint valid (t : plan) (sets : list set1) : Prop :=
    match t with
    | Whole => True
    | Parts d p q first second =>
        (exists s, nth_error sets d = Some s /\ Permutation (elements s) (elements (union p q))) /\
        valid first (set d p sets) /\ valid second (set d q sets)
    end.

  Fixpoint compute (t : plan) (ops : list operator) (sets : list set1) (a : list nat -> T) (j : list nat) : option T :=
    match t with
    | Whole => md_hom ops sets a j
    | Parts d p q first second =>
        combine_in (nth d ops Concatenate) p q (nth d j 0)
          (compute first ops (set d p sets) a j) (compute second ops (set d q sets) a j)
    end.

  Theorem plan_correct : forall t ops sets a j, length sets = length ops -> length j = length ops ->
    valid t sets -> compute t ops sets a j = md_hom ops sets a j.
  Proof.
    induction t as [|d p q l IHl r IHr]; intros ops sets a j Ls Lj V; [reflexivity|].
    destruct V as [(s & E & S) [Vl Vr]]. cbn [compute].
    rewrite IHl, IHr by (rewrite ?length_set; assumption).
    assert (Ld : d < length sets) by (apply nth_error_Some; congruence).
    rewrite <- (homomorphic ops d (nth d ops Concatenate) sets a j p q (nth d j 0)); try assumption;
      try (apply nth_error_nth'; lia).
    rewrite <- (any_order ops d sets a j s _ S). rewrite (set_same _ _ _ E). reflexivity.
  Qed.

  Lemma combine_all_none : forall s, combine_all plus (fun _ => None) s = None.
  Proof. intros [x l]. unfold combine_all. simpl. induction l as [|y l IH]; [reflexivity|exact IH]. Qed.

  Lemma swap_cons : forall A p q (x : A) l, swap (S p) (S q) (x :: l) = x :: swap p q l.
  Proof. intros. unfold swap. simpl. destruct (nth_error l p), (nth_error l q); reflexivity. Qed.

  (** Neighbouring dimensions may be exchanged, and so any dimensions: the result at
      exchanged indices is the same. *)
  Theorem reorder : forall d ops sets a j, length sets = length ops -> length j = length ops -> S d < length ops ->
    md_hom (swap d (S d) ops) (swap d (S d) sets) (fun k => a (swap d (S d) k)) (swap d (S d) j) = md_hom ops sets a j.
  Proof.
    induction d as [|d IH]; intros ops sets a j Ls Lj L.
    - destruct ops as [|o0 [|o1 ops]], sets as [|s0 [|s1 sets]], j as [|i0 [|i1 j]]; simpl in Ls, Lj, L; try lia.
      change (swap 0 1 (o0 :: o1 :: ops)) with (o1 :: o0 :: ops).
      change (swap 0 1 (s0 :: s1 :: sets)) with (s1 :: s0 :: sets).
      change (swap 0 1 (i0 :: i1 :: j)) with (i1 :: i0 :: j).
      assert (E : forall x y, md_hom ops sets (fun k => a (swap 0 1 (y :: x :: k))) j = md_hom ops sets (fun k => a (x :: y :: k)) j)
        by (intros; apply md_hom_ext; reflexivity).
      destruct o0, o1; cbn [md_hom].
      + destruct (in_dec Nat.eq_dec i1 (elements s1)), (in_dec Nat.eq_dec i0 (elements s0)); reflexivity.
      + destruct i1; [|destruct (in_dec Nat.eq_dec i0 (elements s0)); reflexivity].
        destruct (in_dec Nat.eq_dec i0 (elements s0)); [reflexivity|apply combine_all_none].
      + destruct i0; [|destruct (in_dec Nat.eq_dec i1 (elements s1)); reflexivity].
        destruct (in_dec Nat.eq_dec i1 (elements s1)); [reflexivity|symmetry; apply combine_all_none].
      + destruct i0, i1; try reflexivity.
        * apply (interchange plus plus_assoc plus_comm).
        * symmetry. apply combine_all_none.
        * apply combine_all_none.
    - destruct ops as [|o ops], sets as [|s sets], j as [|i j]; simpl in Ls, Lj, L; try lia.
      rewrite !swap_cons.
      assert (E : forall x, md_hom (swap d (S d) ops) (swap d (S d) sets) (fun k => a (swap (S d) (S (S d)) (x :: k))) (swap d (S d) j) =
                            md_hom ops sets (fun k => a (x :: k)) j).
      { intro x. rewrite <- (IH ops sets (fun k => a (x :: k)) j) by lia.
        apply md_hom_ext. intro k. rewrite swap_cons. reflexivity. }
      destruct o; cbn [md_hom].
      + destruct (in_dec Nat.eq_dec i (elements s)); [apply E|reflexivity].
      + destruct i; [|reflexivity]. apply combine_all_ext. intros. apply E.
  Qed.

  (** Every multi-dimensional homomorphism with these combine operators is the md_hom of
      what it does to single elements. *)
  Theorem md_hom_unique : forall ops a (h : list set1 -> list nat -> option T),
    (forall d o sets j p q i, length sets = length ops -> length j = length ops ->
      nth_error ops d = Some o -> nth_error j d = Some i ->
      h (set d (union p q) sets) j = combine_in o p q i (h (set d p sets) j) (h (set d q sets) j)) ->
    (forall sets j, length sets = length ops -> Forall (fun s => snd s = []) sets -> length j = length ops ->
      h sets j = md_hom ops sets a j) ->
    forall sets j, length sets = length ops -> length j = length ops -> h sets j = md_hom ops sets a j.
  Proof.
    intros ops a h H S sets j Ls Lj.
    remember (fold_right (fun s n => length (snd s) + n) 0 sets) as n eqn:En.
    revert sets Ls En. induction n as [n IH] using lt_wf_ind. intros sets Ls En.
    assert (C : Forall (fun s => snd s = []) sets \/
      exists d x y l, nth_error sets d = Some (x, y :: l)).
    { clear. induction sets as [|[x [|y l]] sets [F|(d & x' & y' & l' & E)]]; auto.
      - right. exists (S d), x', y', l'. exact E.
      - right. exists 0, x, y, l. reflexivity.
      - right. exists 0, x, y, l. reflexivity. }
    destruct C as [F|(d & x & y & l & E)]; [apply S; assumption|].
    assert (Ld : d < length sets) by (apply nth_error_Some; congruence).
    assert (Less : forall s, length (snd s) <= length l ->
      fold_right (fun s n => length (snd s) + n) 0 (set d s sets) < fold_right (fun s n => length (snd s) + n) 0 sets).
    { intros s Lsn. clear - E Lsn. revert sets E. induction d as [|d IHd]; intros [|u sets] E; try discriminate; simpl in *.
      - injection E as ->. simpl. lia.
      - specialize (IHd _ E). lia. }
    rewrite <- (set_same _ _ _ E). change (x, y :: l) with (union (x, []) (y, l)).
    pose proof (nth_error_nth' ops Concatenate (n := d) ltac:(lia)) as Eo.
    pose proof (nth_error_nth' j 0 (n := d) ltac:(lia)) as Ej.
    rewrite (H d _ sets j (x, []) (y, l) _ Ls Lj Eo Ej), (homomorphic ops d _ sets a j (x, []) (y, l) _ Ls Lj Eo Ej).
    f_equal; eapply IH; try reflexivity; rewrite ?length_set; try assumption; subst n; apply Less; simpl; lia.
  Qed.
End Homomorphism.
