(** Multi-dimensional homomorphisms (Rasch, Definitions 2 to 4) for concatenation,
    point-wise combination and prefix sums, by any operators for which there is a
    homomorphism: the homomorphic property, Lemma 1, and that dimensions may be split into
    parts and permuted: the base of every schedule.

    An array is a function of its indices; an index set is a list, whose order matters to
    operators that do not commute and to prefix sums only. Without neutral elements, sets
    are not empty. A result is a partial function: it is there at the indices that the sets
    leave. *)

From Coq Require Import List Arith Lia Permutation.
From Ricci Require Import Lists.
Import ListNotations.

Definition associative {T} (f : T -> T -> T) : Prop := forall a b c, f a (f b c) = f (f a b) c.
Definition commutative {T} (f : T -> T -> T) : Prop := forall a b, f a b = f b a.

(** Two rows of two, each combined by g, then the results by f: or the columns first. *)
Definition exchanges {T} (f g : T -> T -> T) : Prop := forall a b c d, f (g a b) (g c d) = g (f a c) (f b d).

(** Combining the elements of a set. *)
Section Combination.
  Context {T : Type} (combine : T -> T -> T).
  Infix "+" := combine.

  (** A set with at least one element. *)
  Definition set1 : Type := nat * list nat.
  Definition elements (s : set1) : list nat := fst s :: snd s.
  Definition union (p q : set1) : set1 := (fst p, snd p ++ elements q).

  (** The elements up to the first i, and the last one. *)
  Fixpoint upto (i : nat) (l : list nat) : list nat :=
    match l with
    | [] => []
    | x :: l => if x =? i then [x] else x :: upto i l
    end.

  Definition prefix (i : nat) (s : set1) : set1 := if fst s =? i then (fst s, []) else (fst s, upto i (snd s)).

  Definition last_of (s : set1) : nat := fold_left (fun _ x => x) (snd s) (fst s).

  Lemma elements_prefix : forall i s, elements (prefix i s) = upto i (elements s).
  Proof. intros i [x l]. unfold elements, prefix. simpl. destruct (x =? i); reflexivity. Qed.

  Lemma last_of_in : forall s, In (last_of s) (elements s).
  Proof.
    intros [x l]. unfold last_of, elements. simpl fst. simpl snd. revert x. induction l as [|y l IH]; intro x; [simpl; auto|].
    right. apply (IH y).
  Qed.

  Lemma upto_app : forall i l k, ~ In i l -> upto i (l ++ k) = l ++ upto i k.
  Proof.
    induction l as [|x l IH]; intros k N; simpl in *; [reflexivity|].
    destruct (Nat.eqb_spec x i); [tauto|]. rewrite IH by tauto. reflexivity.
  Qed.

  Lemma upto_in : forall i l k, In i l -> upto i (l ++ k) = upto i l.
  Proof.
    induction l as [|x l IH]; intros k H; simpl in *; [contradiction|].
    destruct (Nat.eqb_spec x i); [reflexivity|]. rewrite IH by tauto. reflexivity.
  Qed.

  Lemma set1_eq : forall s t, elements s = elements t -> s = t.
  Proof. intros [x l] [y k] [= -> ->]. reflexivity. Qed.

  Lemma prefix_left : forall i p q, In i (elements p) -> prefix i (union p q) = prefix i p.
  Proof.
    intros i p q H. apply set1_eq. rewrite !elements_prefix.
    change (elements (union p q)) with (elements p ++ elements q). apply upto_in. exact H.
  Qed.

  Lemma prefix_right : forall i p q, ~ In i (elements p) -> prefix i (union p q) = union p (prefix i q).
  Proof.
    intros i p q H. apply set1_eq. change (elements (union p (prefix i q))) with (elements p ++ elements (prefix i q)).
    rewrite !elements_prefix. change (elements (union p q)) with (elements p ++ elements q). apply upto_app. exact H.
  Qed.

  (** The prefix up to the last element of a set is the set. *)
  Lemma prefix_last : forall s, NoDup (elements s) -> prefix (last_of s) s = s.
  Proof.
    intros [x l] H. apply set1_eq. rewrite elements_prefix. unfold last_of, elements in *. simpl fst in *. simpl snd in *.
    revert x H. induction l as [|y l IH]; intros x H; [simpl; rewrite Nat.eqb_refl; reflexivity|].
    inversion H as [|? ? N H']; subst. cbn [fold_left]. cbn [upto]. destruct (Nat.eqb_spec x (fold_left (fun _ x => x) l y)) as [E|_].
    - destruct N. rewrite E. exact (last_of_in (y, l)).
    - f_equal. apply IH. exact H'.
  Qed.

  Implicit Types g h : nat -> T.

  Definition combine_all (g : nat -> T) (s : set1) : T :=
    fold_left (fun acc i => acc + g i) (snd s) (g (fst s)).

  Lemma fold_left_shift : associative combine -> forall g l a b, fold_left (fun acc i => acc + g i) l (a + b) = a + fold_left (fun acc i => acc + g i) l b.
  Proof.
    intros assoc g l. induction l as [|i l IH]; intros a b; simpl; [reflexivity|].
    rewrite <- IH, assoc. reflexivity.
  Qed.

  Lemma combine_all_union : associative combine -> forall g p q, combine_all g (union p q) = combine_all g p + combine_all g q.
  Proof.
    intros assoc g [p ps] [q qs]. unfold combine_all, union, elements. simpl.
    rewrite fold_left_app. simpl. apply fold_left_shift. exact assoc.
  Qed.

  Lemma combine_all_ext : forall g h s, (forall i, In i (elements s) -> g i = h i) -> combine_all g s = combine_all h s.
  Proof.
    intros g h [x l] H. unfold combine_all, elements in *. simpl in *.
    rewrite (H x) by auto. generalize (h x) as a. induction l as [|i l IH]; intro a; simpl; [reflexivity|].
    rewrite (H i) by (simpl; auto). apply IH. intros j J. apply H. simpl in *. tauto.
  Qed.

  (** The order of a set does not matter. *)
  Lemma combine_all_permutation : associative combine -> commutative combine -> forall g s t, Permutation (elements s) (elements t) -> combine_all g s = combine_all g t.
  Proof.
    intros assoc comm g.
    assert (F : forall l l', Permutation l l' -> forall a, fold_left (fun acc i => acc + g i) l a = fold_left (fun acc i => acc + g i) l' a).
    { induction 1; intro a; simpl; auto.
      - f_equal. rewrite <- !assoc. f_equal. apply comm.
      - rewrite IHPermutation1. apply IHPermutation2. }
    assert (U : forall x l a, fold_left (fun acc i => acc + g i) (x :: l) a = a + combine_all g (x, l)).
    { intros x l a. unfold combine_all. simpl. apply fold_left_shift. exact assoc. }
    intros [x l] [y k] H. unfold elements in H. simpl in H.
    (* Without a neutral element: the head of one list is somewhere in the other. *)
    destruct (in_split x (y :: k)) as (k1 & k2 & E); [apply (Permutation_in _ H); simpl; auto|].
    rewrite E in H. apply Permutation_cons_app_inv in H.
    destruct k1 as [|z k1]; simpl in E; injection E as E1 E2; subst.
    - unfold combine_all. simpl. apply F. exact H.
    - unfold combine_all at 1. simpl. rewrite (F _ _ H). unfold combine_all. simpl.
      rewrite !fold_left_app. simpl.
      transitivity (fold_left (fun acc i => acc + g i) k2 (fold_left (fun acc i => acc + g i) k1 (g x + g z))); [reflexivity|].
      f_equal. rewrite fold_left_shift by exact assoc. apply comm.
  Qed.
End Combination.

Lemma exchanges_symmetric : forall T (f g : T -> T -> T), exchanges f g -> exchanges g f.
Proof. intros T f g E a b c d. symmetry. apply E. Qed.

(** An associative and commutative operator exchanges with itself. *)
Lemma exchanges_itself : forall T (f : T -> T -> T), associative f -> commutative f -> exchanges f f.
Proof. intros T f A C a b c d. rewrite <- !A. f_equal. rewrite !A. f_equal. apply C. Qed.

Lemma combine_all_exchange : forall T (f g : T -> T -> T), exchanges f g -> forall x y s,
  combine_all f (fun i => g (x i) (y i)) s = g (combine_all f x s) (combine_all f y s).
Proof.
  intros T f g E x y [i l]. unfold combine_all. simpl. generalize (x i) as a, (y i) as b.
  induction l as [|k l IH]; intros a b; simpl; [reflexivity|]. rewrite <- IH. f_equal. apply E.
Qed.

(** Two point-wise dimensions may be enumerated in either order. *)
Theorem interchange : forall T (f g : T -> T -> T), exchanges f g -> forall (h : nat -> nat -> T) s t,
  combine_all f (fun i => combine_all g (fun k => h i k) t) s = combine_all g (fun k => combine_all f (fun i => h i k) s) t.
Proof.
  intros T f g E h [x l] t. unfold combine_all at 1. simpl.
  induction l as [|i l IH] using rev_ind.
  - simpl. apply combine_all_ext. reflexivity.
  - rewrite fold_left_app. simpl. rewrite IH. rewrite <- (combine_all_exchange _ g f) by (apply exchanges_symmetric; exact E).
    apply combine_all_ext. intros k _. unfold combine_all. simpl. rewrite fold_left_app. reflexivity.
Qed.

Section Homomorphism.
  Context {T : Type}.

  (** How a dimension is combined. *)
  Inductive operator := Concatenate | PointWise (f : T -> T -> T) | Prefix (f : T -> T -> T).

  Definition function_of (o : operator) : option (T -> T -> T) :=
    match o with Concatenate => None | PointWise f | Prefix f => Some f end.

  (** A point-wise operator on results that may not be there. *)
  Definition lift (f : T -> T -> T) (x y : option T) : option T :=
    match x, y with Some a, Some b => Some (f a b) | _, _ => None end.

  Lemma lift_associative : forall f, associative f -> associative (lift f).
  Proof. intros f A [a|] [b|] [c|]; simpl; try reflexivity. rewrite A. reflexivity. Qed.

  Lemma lift_commutative : forall f, commutative f -> commutative (lift f).
  Proof. intros f C [a|] [b|]; simpl; try reflexivity. rewrite C. reflexivity. Qed.

  Lemma lift_exchanges : forall f g, exchanges f g -> exchanges (lift f) (lift g).
  Proof. intros f g E [a|] [b|] [c|] [d|]; simpl; try reflexivity. rewrite E. reflexivity. Qed.

  (** The operators for which md_hom is a homomorphism: each is associative, and any two
      exchange. *)
  Fixpoint lawful (ops : list operator) : Prop :=
    match ops with
    | [] => True
    | o :: ops =>
        match function_of o with
        | None => True
        | Some f => associative f /\ forall o' g, In o' ops -> function_of o' = Some g -> exchanges f g
        end /\ lawful ops
    end.

  (** Whether the order in which the dimension is enumerated does not matter. *)
  Definition commutes (o : operator) : Prop :=
    match o with Concatenate => True | PointWise f => commutative f | Prefix _ => False end.

  (** The premise of Lemma 1: ++ and one associative and commutative operator, point-wise
      and in prefix sums. *)
  Theorem lemma_1_lawful : forall f ops, associative f -> commutative f ->
    (forall o, In o ops -> o = Concatenate \/ o = PointWise f \/ o = Prefix f) -> lawful ops.
  Proof.
    intros f ops A C. induction ops as [|o ops IH]; intro H; [exact I|].
    assert (F : forall o' g, In o' (o :: ops) -> function_of o' = Some g -> g = f).
    { intros o' g I E. destruct (H o' I) as [->|[->| ->]]; simpl in E; congruence. }
    split; [|apply IH; intros; apply H; simpl; auto].
    destruct (function_of o) as [g|] eqn:E; [|exact I]. rewrite (F o g (in_eq _ _) E). split; [exact A|].
    intros o' g' I E'. rewrite (F o' g' (in_cons _ _ _ I) E'). apply exchanges_itself; assumption.
  Qed.

  (** Definition 4. The scalar function is part of the array. A concatenated dimension
      keeps the indices of its set, and so does one of prefix sums; a point-wise one has the
      index 0 only. *)
  Fixpoint md_hom (ops : list operator) (sets : list set1) (a : list nat -> T) (j : list nat) : option T :=
    match ops, sets, j with
    | [], [], [] => Some (a [])
    | Concatenate :: ops, s :: sets, i :: j =>
        if in_dec Nat.eq_dec i (elements s) then md_hom ops sets (fun k => a (i :: k)) j else None
    | PointWise f :: ops, s :: sets, 0 :: j =>
        combine_all (lift f) (fun i => md_hom ops sets (fun k => a (i :: k)) j) s
    | Prefix f :: ops, s :: sets, i :: j =>
        if in_dec Nat.eq_dec i (elements s)
        then combine_all (lift f) (fun i => md_hom ops sets (fun k => a (i :: k)) j) (prefix i s) else None
    | _, _, _ => None
    end.

  (** The combine operator of a dimension on two results, which are given as functions of
      the index in this dimension (Definition 2, Examples 1, 2 and 15): concatenation selects
      the part that has the index; in a prefix sum what the first part has at its last index
      comes before what the second part has. *)
  Definition combine_in (o : operator) (p q : set1) (i : nat) (x y : nat -> option T) : option T :=
    match o with
    | PointWise f => lift f (x i) (y i)
    | Concatenate => if in_dec Nat.eq_dec i (elements p) then x i else y i
    | Prefix f => if in_dec Nat.eq_dec i (elements p) then x i else lift f (x (last_of p)) (y i)
    end.

  (** The elements of the first part of a prefix sum are distinct: it is a set. *)
  Definition proper (o : operator) (p : set1) : Prop := match o with Prefix _ => NoDup (elements p) | _ => True end.

  Lemma in_union : forall i p q, In i (elements (union p q)) <-> In i (elements p) \/ In i (elements q).
  Proof.
    intros i [p ps] [q qs]. unfold union, elements. simpl. rewrite in_app_iff. simpl. tauto.
  Qed.

  Lemma combine_in_none : forall o p q i x y, (forall i, x i = None) -> (forall i, y i = None) -> combine_in o p q i x y = None.
  Proof. intros [] p q i x y X Y; cbn [combine_in]; rewrite ?X, ?Y; destruct (in_dec Nat.eq_dec i (elements p)); reflexivity. Qed.

  Lemma combine_in_ext : forall o p q i x y x' y', (forall i, x i = x' i) -> (forall i, y i = y' i) ->
    combine_in o p q i x y = combine_in o p q i x' y'.
  Proof. intros [] p q i x y x' y' X Y; cbn [combine_in]; rewrite ?X, ?Y; reflexivity. Qed.

  (** What the dimensions around do exchanges with it. *)
  Lemma combine_all_in : forall f o, (forall g, function_of o = Some g -> exchanges f g) ->
    forall p q i x y s, combine_all (lift f) (fun k => combine_in o p q i (x k) (y k)) s =
      combine_in o p q i (fun i => combine_all (lift f) (fun k => x k i) s) (fun i => combine_all (lift f) (fun k => y k i) s).
  Proof.
    intros f o E p q i x y s. destruct o as [|g|g]; cbn [combine_in].
    - destruct (in_dec Nat.eq_dec i (elements p)); reflexivity.
    - apply combine_all_exchange, lift_exchanges, E. reflexivity.
    - destruct (in_dec Nat.eq_dec i (elements p)); [reflexivity|]. apply combine_all_exchange, lift_exchanges, E. reflexivity.
  Qed.

  (** Definition 3: md_hom is a homomorphism in every dimension; by lemma_1_lawful, this
      is Lemma 1. *)
  Theorem homomorphic : forall ops d o sets a j p q i, lawful ops ->
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some o -> nth_error j d = Some i -> proper o p ->
    md_hom ops (set d (union p q) sets) a j =
    combine_in o p q i (fun i => md_hom ops (set d p sets) a (set d i j)) (fun i => md_hom ops (set d q sets) a (set d i j)).
  Proof.
    induction ops as [|o' ops IH]; intros d o sets a j p q i Law Ls Lj Ho Hj Hp.
    - destruct d; discriminate.
    - destruct sets as [|s sets]; [discriminate|]. destruct j as [|i' j]; [discriminate|].
      injection Ls as Ls. injection Lj as Lj. destruct Law as [Lo Law]. destruct d as [|d].
      + simpl in Ho, Hj. injection Ho as ->. injection Hj as ->. pose proof (in_union i p q) as U.
        destruct o; cbn [md_hom set combine_in].
        * destruct (in_dec Nat.eq_dec i (elements (union p q))), (in_dec Nat.eq_dec i (elements p)),
            (in_dec Nat.eq_dec i (elements q)); try reflexivity; exfalso; tauto.
        * destruct i; [|reflexivity]. apply combine_all_union, lift_associative, Lo.
        * destruct (in_dec Nat.eq_dec i (elements (union p q))), (in_dec Nat.eq_dec i (elements p));
            try (exfalso; tauto); [rewrite prefix_left by assumption; reflexivity| |].
          -- destruct (in_dec Nat.eq_dec i (elements q)); [|exfalso; tauto].
             destruct (in_dec Nat.eq_dec (last_of p) (elements p)) as [_|N]; [|destruct (N (last_of_in p))].
             rewrite prefix_right, prefix_last by assumption. apply combine_all_union, lift_associative, Lo.
          -- destruct (in_dec Nat.eq_dec i (elements q)); [exfalso; tauto|].
             destruct (in_dec Nat.eq_dec (last_of p) (elements p)); [|reflexivity].
             destruct (combine_all _ _ _); reflexivity.
      + simpl in Ho, Hj.
        assert (S : forall f, function_of o' = Some f -> forall t,
          combine_all (lift f) (fun x => md_hom ops (set d (union p q) sets) (fun k => a (x :: k)) j) t =
          combine_in o p q i
            (fun i => combine_all (lift f) (fun x => md_hom ops (set d p sets) (fun k => a (x :: k)) (set d i j)) t)
            (fun i => combine_all (lift f) (fun x => md_hom ops (set d q sets) (fun k => a (x :: k)) (set d i j)) t)).
        { intros f E t. rewrite E in Lo. rewrite <- combine_all_in.
          - apply combine_all_ext. intros x _. apply IH; assumption.
          - intros g Eg. exact (proj2 Lo o g (nth_error_In _ _ Ho) Eg). }
        destruct o' as [|f|f]; cbn [md_hom set].
        * destruct (in_dec Nat.eq_dec i' (elements s)); [apply IH; assumption|]. symmetry. apply combine_in_none; reflexivity.
        * destruct i'; [apply S; reflexivity|]. symmetry. apply combine_in_none; reflexivity.
        * destruct (in_dec Nat.eq_dec i' (elements s)); [apply S; reflexivity|]. symmetry. apply combine_in_none; reflexivity.
  Qed.

  (** Only such operators: where the columns and the rows of every two by two elements
      may be combined first, the operators exchange. *)
  Theorem exchange_needed : forall f g,
    (forall a, md_hom [PointWise f; PointWise g] [(0, [1]); (0, [1])] a [0; 0] =
      combine_in (PointWise g) (0, []) (1, []) 0
        (fun i => md_hom [PointWise f; PointWise g] [(0, [1]); (0, [])] a [0; i])
        (fun i => md_hom [PointWise f; PointWise g] [(0, [1]); (1, [])] a [0; i])) ->
    exchanges f g.
  Proof.
    intros f g H a b c d. specialize (H (fun k => match k with [0; 0] => a | [0; 1] => b | [1; 0] => c | _ => d end)).
    cbn in H. injection H as H. exact H.
  Qed.

  Lemma md_hom_ext : forall ops sets a b j, (forall k, a k = b k) -> md_hom ops sets a j = md_hom ops sets b j.
  Proof.
    induction ops as [|[] ops IH]; intros [|s sets] a b [|i j] H; try reflexivity; cbn [md_hom].
    - rewrite H. reflexivity.
    - destruct (in_dec _ _ _); [apply IH; auto|reflexivity].
    - destruct i; [|reflexivity]. apply combine_all_ext. intros. apply IH. auto.
    - destruct (in_dec _ _ _); [|reflexivity]. apply combine_all_ext. intros. apply IH. auto.
  Qed.

  (** The order in which a dimension is enumerated does not matter: parts may be
      blocks, strided or anything else. *)
  Theorem any_order : forall ops d sets a j s t, lawful ops -> commutes (nth d ops Concatenate) -> Permutation (elements s) (elements t) ->
    md_hom ops (set d s sets) a j = md_hom ops (set d t sets) a j.
  Proof.
    induction ops as [|o ops IH]; intros d sets a j s t Law C H.
    - destruct d, sets; reflexivity.
    - destruct sets as [|u sets]; [destruct d; reflexivity|].
      destruct d as [|d]; cbn [set md_hom]; destruct o, j as [|i j]; try reflexivity.
      + destruct (in_dec Nat.eq_dec i (elements s)) as [I|N], (in_dec Nat.eq_dec i (elements t)) as [I'|N']; try reflexivity.
        * destruct N'. exact (Permutation_in _ H I).
        * destruct N. exact (Permutation_in _ (Permutation_sym H) I').
      + destruct i; [|reflexivity]. apply combine_all_permutation; [apply lift_associative, Law|apply lift_commutative, C|exact H].
      + destruct C.
      + destruct (in_dec Nat.eq_dec i (elements u)); [apply IH; [apply Law|exact C|exact H]|reflexivity].
      + destruct i; [|reflexivity]. apply combine_all_ext. intros. apply IH; [apply Law|exact C|exact H].
      + destruct (in_dec Nat.eq_dec i (elements u)); [|reflexivity]. apply combine_all_ext. intros. apply IH; [apply Law|exact C|exact H].
  Qed.

  (** A dimension that is split into any number of parts: every part by itself, then the
      results combined from the first to the last. *)
  Definition union_all (p : set1) (parts : list set1) : set1 := fold_left union parts p.

  Theorem split_pointwise : forall ops d f sets a j i parts p, lawful ops ->
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some (PointWise f) -> nth_error j d = Some i ->
    md_hom ops (set d (union_all p parts) sets) a j =
    fold_left (fun acc q => lift f acc (md_hom ops (set d q sets) a j)) parts (md_hom ops (set d p sets) a j).
  Proof.
    intros ops d f sets a j i parts. induction parts as [|q parts IH]; intros p Law Ls Lj Ho Hj; [reflexivity|].
    simpl. change (union_all p (q :: parts)) with (union_all (union p q) parts).
    rewrite IH by assumption. f_equal. rewrite (homomorphic ops d (PointWise f) sets a j p q i) by (assumption || exact I).
    cbn [combine_in]. rewrite (set_same _ _ _ Hj). reflexivity.
  Qed.

  (** In a dimension that is concatenated, each part has the whole result at its indices. *)
  Theorem split_concatenated : forall ops d sets a j i p q, lawful ops ->
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some Concatenate -> nth_error j d = Some i -> In i (elements p) ->
    md_hom ops (set d (union p q) sets) a j = md_hom ops (set d p sets) a j.
  Proof.
    intros ops d sets a j i p q Law Ls Lj Ho Hj M. rewrite (homomorphic ops d Concatenate sets a j p q i) by (assumption || exact I).
    cbn [combine_in]. rewrite (set_same _ _ _ Hj). destruct (in_dec Nat.eq_dec i (elements p)); [reflexivity|contradiction].
  Qed.

  Lemma last_of_union : forall p q, last_of (union p q) = last_of q.
  Proof. intros [x l] [y k]. unfold last_of, union, elements. simpl. rewrite fold_left_app. reflexivity. Qed.

  Lemma nodup_union : forall p q, NoDup (elements (union p q)) ->
    NoDup (elements p) /\ NoDup (elements q) /\ forall i, In i (elements q) -> ~ In i (elements p).
  Proof.
    intros p q. change (elements (union p q)) with (elements p ++ elements q).
    induction (elements p) as [|x l IH]; simpl; intro H.
    - repeat split; auto using NoDup_nil.
    - inversion H as [|? ? N H']; subst. destruct (IH H') as (A & B & C). rewrite in_app_iff in N.
      split; [constructor; [intro I; apply N; auto|exact A]|]. split; [exact B|].
      intros i J [E|K]; [subst; apply N; auto|exact (C i J K)].
  Qed.

  Lemma union_all_app : forall p parts q, union_all p (parts ++ [q]) = union (union_all p parts) q.
  Proof. intros. unfold union_all. apply fold_left_app. Qed.

  (** At an index of the second part, a prefix sum goes on from what the first comes to. *)
  Lemma split_prefix_two : forall ops d f sets a j i p q, lawful ops ->
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some (Prefix f) -> nth_error j d = Some i ->
    NoDup (elements (union p q)) -> In i (elements q) ->
    md_hom ops (set d (union p q) sets) a j =
    lift f (md_hom ops (set d p sets) a (set d (last_of p) j)) (md_hom ops (set d q sets) a j).
  Proof.
    intros ops d f sets a j i p q Law Ls Lj Ho Hj Nd M. destruct (nodup_union _ _ Nd) as (Np & _ & Di).
    rewrite (homomorphic ops d (Prefix f) sets a j p q i Law Ls Lj Ho Hj Np). cbn [combine_in].
    destruct (in_dec Nat.eq_dec i (elements p)) as [B|_]; [destruct (Di i M B)|]. rewrite (set_same _ _ _ Hj). reflexivity.
  Qed.

  (** Prefix sums of parts: at the indices of a part, what the parts before it come to is
      combined with the part's own prefix sum. *)
  Theorem split_prefix : forall ops d f sets a j i parts p q, lawful ops ->
    length sets = length ops -> length j = length ops ->
    nth_error ops d = Some (Prefix f) -> nth_error j d = Some i ->
    NoDup (elements (union_all p (parts ++ [q]))) -> In i (elements q) ->
    md_hom ops (set d (union_all p (parts ++ [q])) sets) a j =
    lift f (fold_left (fun acc r => lift f acc (md_hom ops (set d r sets) a (set d (last_of r) j))) parts
             (md_hom ops (set d p sets) a (set d (last_of p) j)))
      (md_hom ops (set d q sets) a j).
  Proof.
    intros ops d f sets a j i parts p q Law Ls Lj Ho Hj Nd M. rewrite union_all_app in *.
    rewrite (split_prefix_two ops d f sets a j i _ q) by assumption. f_equal.
    destruct (nodup_union _ _ Nd) as (Np & _). clear q Nd M. revert Np.
    induction parts as [|r parts IH] using rev_ind; [reflexivity|]. rewrite fold_left_app, union_all_app, last_of_union. intro Np.
    cbn [fold_left]. rewrite <- IH by exact (proj1 (nodup_union _ _ Np)).
    rewrite (split_prefix_two ops d f sets a (set d (last_of r) j) (last_of r) (union_all p parts) r);
      rewrite ?length_set, ?set_set; auto using last_of_in.
    rewrite nth_error_set, Nat.eqb_refl, Hj. reflexivity.
  Qed.

  (** A plan splits dimensions into two parts, and each part by a plan of its own: several
      dimensions, nested, into any parts; a dimension whose operator does not commute into
      its beginning and its end. *)
  Inductive plan := Whole | Parts (d : nat) (p q : set1) (first second : plan).

  Fixpoint valid (ops : list operator) (t : plan) (sets : list set1) : Prop :=
    match t with
    | Whole => True
    | Parts d p q first second =>
        (exists s, nth_error sets d = Some s /\
          (s = union p q \/ commutes (nth d ops Concatenate) /\ Permutation (elements s) (elements (union p q)))) /\
        proper (nth d ops Concatenate) p /\
        valid ops first (set d p sets) /\ valid ops second (set d q sets)
    end.

  Fixpoint compute (t : plan) (ops : list operator) (sets : list set1) (a : list nat -> T) (j : list nat) : option T :=
    match t with
    | Whole => md_hom ops sets a j
    | Parts d p q first second =>
        combine_in (nth d ops Concatenate) p q (nth d j 0)
          (fun i => compute first ops (set d p sets) a (set d i j)) (fun i => compute second ops (set d q sets) a (set d i j))
    end.

  Theorem plan_correct : forall t ops sets a j, lawful ops -> length sets = length ops -> length j = length ops ->
    valid ops t sets -> compute t ops sets a j = md_hom ops sets a j.
  Proof.
    induction t as [|d p q l IHl r IHr]; intros ops sets a j Law Ls Lj V; [reflexivity|].
    destruct V as [(s & E & S) (Pr & Vl & Vr)]. cbn [compute].
    rewrite (combine_in_ext _ p q _ _ _ (fun i => md_hom ops (set d p sets) a (set d i j)) (fun i => md_hom ops (set d q sets) a (set d i j)))
      by (intro; apply IHl || apply IHr; rewrite ?length_set; assumption).
    assert (Ld : d < length sets) by (apply nth_error_Some; congruence).
    rewrite <- (homomorphic ops d (nth d ops Concatenate) sets a j p q (nth d j 0)); try assumption;
      try (apply nth_error_nth'; lia).
    destruct S as [<-|[C S]]; [|rewrite <- (any_order ops d sets a j s _ Law C S)]; rewrite (set_same _ _ _ E); reflexivity.
  Qed.

  Lemma combine_all_none : forall f s, combine_all (lift f) (fun _ => None) s = None.
  Proof. intros f [x l]. unfold combine_all. simpl. induction l as [|y l IH]; [reflexivity|exact IH]. Qed.

  Lemma swap_cons : forall A p q (x : A) l, swap (S p) (S q) (x :: l) = x :: swap p q l.
  Proof. intros. unfold swap. simpl. destruct (nth_error l p), (nth_error l q); reflexivity. Qed.

  (** Neighbouring dimensions may be exchanged: the result at exchanged indices is the
      same. *)
  Lemma exchange_neighbours : forall d ops sets a j, lawful ops -> length sets = length ops -> length j = length ops -> S d < length ops ->
    md_hom (swap d (S d) ops) (swap d (S d) sets) (fun k => a (swap d (S d) k)) (swap d (S d) j) = md_hom ops sets a j.
  Proof.
    induction d as [|d IH]; intros ops sets a j Law Ls Lj L.
    - destruct ops as [|o0 [|o1 ops]], sets as [|s0 [|s1 sets]], j as [|i0 [|i1 j]]; simpl in Ls, Lj, L; try lia.
      change (swap 0 1 (o0 :: o1 :: ops)) with (o1 :: o0 :: ops).
      change (swap 0 1 (s0 :: s1 :: sets)) with (s1 :: s0 :: sets).
      change (swap 0 1 (i0 :: i1 :: j)) with (i1 :: i0 :: j).
      assert (E : forall x y, md_hom ops sets (fun k => a (swap 0 1 (y :: x :: k))) j = md_hom ops sets (fun k => a (x :: y :: k)) j)
        by (intros; apply md_hom_ext; reflexivity).
      destruct Law as [Lo _].
      assert (X : forall f g, function_of o0 = Some f -> function_of o1 = Some g -> exchanges (lift g) (lift f)).
      { intros f g F H. rewrite F in Lo. apply lift_exchanges, exchanges_symmetric. exact (proj2 Lo o1 g (in_eq _ _) H). }
      destruct o0, o1; cbn [md_hom];
        repeat match goal with
               | |- context [in_dec Nat.eq_dec ?i ?l] => destruct (in_dec Nat.eq_dec i l)
               | |- context [match ?i with 0 => _ | S _ => _ end] => destruct i
               end;
        rewrite ?combine_all_none; try reflexivity; apply interchange, X; reflexivity.
    - destruct ops as [|o ops], sets as [|s sets], j as [|i j]; simpl in Ls, Lj, L; try lia.
      rewrite !swap_cons.
      assert (E : forall x, md_hom (swap d (S d) ops) (swap d (S d) sets) (fun k => a (swap (S d) (S (S d)) (x :: k))) (swap d (S d) j) =
                            md_hom ops sets (fun k => a (x :: k)) j).
      { intro x. rewrite <- (IH ops sets (fun k => a (x :: k)) j) by (lia || apply Law).
        apply md_hom_ext. intro k. rewrite swap_cons. reflexivity. }
      destruct o; cbn [md_hom].
      + destruct (in_dec Nat.eq_dec i (elements s)); [apply E|reflexivity].
      + destruct i; [|reflexivity]. apply combine_all_ext. intros. apply E.
      + destruct (in_dec Nat.eq_dec i (elements s)); [|reflexivity]. apply combine_all_ext. intros. apply E.
  Qed.

  Lemma lawful_permutation : forall ops ops', Permutation ops ops' -> lawful ops -> lawful ops'.
  Proof.
    induction 1 as [|o ops ops' P IH|o o' ops|]; auto.
    - intros [L Law]. split; [|exact (IH Law)]. destruct (function_of o) as [f|]; [|exact I].
      split; [apply L|]. intros o' g M. apply L. exact (Permutation_in _ (Permutation_sym P) M).
    - intros (L' & L & Law).
      assert (Q : forall f g, function_of o' = Some f -> function_of o = Some g -> exchanges g f).
      { intros f g F H. rewrite F in L'. apply exchanges_symmetric. exact (proj2 L' o g (in_eq _ _) H). }
      repeat split; [|destruct (function_of o'); [|exact I]; split; [apply L'|]; intros; eapply L'; [right|]; eassumption|exact Law].
      destruct (function_of o) as [g|]; [|exact I]. split; [apply L|].
      intros o2 h [<-|M] H; [apply Q; auto|eapply L; eassumption].
  Qed.

  (** [permuted w l]: the elements of [l] at the positions [w]. *)
  Definition permuted {A} (w : list nat) (l : list A) : list A :=
    flat_map (fun p => match nth_error l p with Some x => [x] | None => [] end) w.

  Lemma permuted_rest : forall A (l h : list A), permuted (seq (length h) (length l)) (h ++ l) = l.
  Proof.
    unfold permuted. induction l as [|x l IH]; intro h; [reflexivity|]. cbn [length seq flat_map].
    rewrite nth_error_app2, Nat.sub_diag by lia. simpl. f_equal.
    specialize (IH (h ++ [x])). rewrite app_length, <- app_assoc, Nat.add_comm in IH. exact IH.
  Qed.

  Lemma permuted_all : forall A (l : list A), permuted (seq 0 (length l)) l = l.
  Proof. intros A l. exact (permuted_rest A l []). Qed.

  Lemma permuted_permutation : forall A w (l : list A), Permutation w (seq 0 (length l)) -> Permutation (permuted w l) l.
  Proof. intros A w l P. rewrite <- (permuted_all A l) at 2. apply Permutation_flat_map. exact P. Qed.

  Lemma swap_app : forall A (h : list A) x y l, swap (length h) (S (length h)) (h ++ x :: y :: l) = h ++ y :: x :: l.
  Proof. induction h as [|z h IH]; intros; [reflexivity|]. simpl length. rewrite <- app_comm_cons, swap_cons, IH. reflexivity. Qed.

  Lemma permuted_swap : forall A w0 x y w1 (l : list A), Permutation (w0 ++ x :: y :: w1) (seq 0 (length l)) ->
    permuted (w0 ++ y :: x :: w1) l = swap (length w0) (S (length w0)) (permuted (w0 ++ x :: y :: w1) l).
  Proof.
    intros A w0 x y w1 l P.
    assert (R : forall p, In p (w0 ++ x :: y :: w1) -> exists z, nth_error l p = Some z).
    { intros p In. apply (Permutation_in _ P) in In. apply in_seq in In.
      destruct (nth_error l p) eqn:E; [eauto|]. apply nth_error_None in E. lia. }
    unfold permuted. rewrite !flat_map_app. cbn [flat_map].
    destruct (R x) as [u ->]; [apply in_or_app; simpl; auto|]. destruct (R y) as [v ->]; [apply in_or_app; simpl; auto|].
    assert (L : length w0 = length (flat_map (fun p => match nth_error l p with Some x => [x] | None => [] end) w0)).
    { clear P. assert (R0 : forall p, In p w0 -> exists z, nth_error l p = Some z) by (intros; apply R, in_or_app; auto).
      clear R. induction w0 as [|p w0 IH]; [reflexivity|]. simpl.
      destruct (R0 p) as [z ->]; simpl; auto. f_equal. apply IH. intros. apply R0. simpl. auto. }
    rewrite L. simpl. symmetry. apply swap_app.
  Qed.

  (** The dimensions may be permuted in any way: [back] brings an index into the old
      order. *)
  Theorem reorder : forall w n, Permutation w (seq 0 n) -> exists back : list nat -> list nat,
    (forall k, length k = n -> back (permuted w k) = k) /\
    forall ops sets a j, lawful ops -> length ops = n -> length sets = n -> length j = n ->
      md_hom (permuted w ops) (permuted w sets) (fun k => a (back k)) (permuted w j) = md_hom ops sets a j.
  Proof.
    intros w n P.
    enough (H : forall v w, Permutation_transp v w -> Permutation v (seq 0 n) -> exists back : list nat -> list nat,
      (forall k, length k = n -> back (permuted w k) = permuted v k) /\
      forall ops sets a j, lawful ops -> length ops = n -> length sets = n -> length j = n ->
        md_hom (permuted w ops) (permuted w sets) (fun k => a (back k)) (permuted w j) =
        md_hom (permuted v ops) (permuted v sets) a (permuted v j)).
    { destruct (H (seq 0 n) w) as (back & B & M).
      - apply Permutation_Permutation_transp, Permutation_sym, P.
      - apply Permutation_refl.
      - exists back. split.
        + intros k Lk. rewrite B by exact Lk. rewrite <- Lk. apply permuted_all.
        + intros ops sets a j Law Lo Ls Lj. rewrite M by assumption. rewrite <- Lo at 1. rewrite permuted_all.
          rewrite <- Ls at 1. rewrite permuted_all. rewrite <- Lj. rewrite permuted_all. reflexivity. }
    clear w P. induction 1 as [v|x y w0 w1|v w u T1 IH1 T2 IH2]; intro P.
    - exists (fun k => k). auto.
    - exists (swap (length w0) (S (length w0))).
      assert (Len : forall A (l : list A), length l = n -> length (permuted (w0 ++ y :: x :: w1) l) = n).
      { intros A l L. rewrite <- L in P. rewrite (Permutation_length (permuted_permutation _ _ _ P)). exact L. }
      assert (Lw : S (length w0) < n).
      { apply Permutation_length in P. rewrite seq_length, app_length in P. simpl in P. lia. }
      split.
      + intros k Lk. rewrite permuted_swap by (rewrite Lk; exact P). apply swap_swap; rewrite Len by exact Lk; lia.
      + intros ops sets a j Law Lo Ls Lj.
        rewrite (permuted_swap _ w0 y x w1 ops), (permuted_swap _ w0 y x w1 sets), (permuted_swap _ w0 y x w1 j)
          by (rewrite ?Lo, ?Ls, ?Lj; exact P).
        apply exchange_neighbours; rewrite ?Len by assumption; auto.
        apply (lawful_permutation ops); [|exact Law]. apply Permutation_sym, permuted_permutation. rewrite Lo. exact P.
    - destruct (IH1 P) as (b1 & B1 & M1). destruct IH2 as (b2 & B2 & M2).
      { apply Permutation_Permutation_transp in T1. exact (Permutation_trans (Permutation_sym T1) P). }
      exists (fun k => b1 (b2 k)). split.
      + intros k Lk. rewrite B2, B1 by exact Lk. reflexivity.
      + intros ops sets a j Law Lo Ls Lj. rewrite (M2 ops sets (fun k => a (b1 k)) j) by assumption. apply M1; assumption.
  Qed.

  (** Every multi-dimensional homomorphism with these combine operators is the md_hom of
      what it does to single elements. *)
  Theorem md_hom_unique : forall ops a (h : list set1 -> list nat -> option T), lawful ops ->
    (forall d o sets j p q i, length sets = length ops -> length j = length ops ->
      nth_error ops d = Some o -> nth_error j d = Some i -> proper o p ->
      h (set d (union p q) sets) j =
      combine_in o p q i (fun i => h (set d p sets) (set d i j)) (fun i => h (set d q sets) (set d i j))) ->
    (forall sets j, length sets = length ops -> Forall (fun s => snd s = []) sets -> length j = length ops ->
      h sets j = md_hom ops sets a j) ->
    forall sets j, length sets = length ops -> length j = length ops -> h sets j = md_hom ops sets a j.
  Proof.
    intros ops a h Law H S sets j Ls Lj.
    remember (fold_right (fun s n => length (snd s) + n) 0 sets) as n eqn:En.
    revert sets j Ls Lj En. induction n as [n IH] using lt_wf_ind. intros sets j Ls Lj En.
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
    assert (Pr : proper (nth d ops Concatenate) (x, [])).
    { destruct (nth d ops Concatenate); simpl; auto. repeat constructor. simpl. auto. }
    rewrite (H d _ sets j (x, []) (y, l) _ Ls Lj Eo Ej Pr), (homomorphic ops d _ sets a j (x, []) (y, l) _ Law Ls Lj Eo Ej Pr).
    apply combine_in_ext; intro i; (eapply IH; try reflexivity; rewrite ?length_set; try assumption; subst n; apply Less; simpl; lia).
  Qed.
End Homomorphism.
