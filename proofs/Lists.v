(** Lists by position: what the index lists and shapes of TeIL need.

    Positions here count from 0; the language counts from 1. *)

From Coq Require Import List Arith Lia.
Import ListNotations.

Section Positions.
  Context {A : Type}.
  Implicit Types l : list A.

  Definition remove (p : nat) l := firstn p l ++ skipn (S p) l.
  Definition insert (p : nat) (x : A) l := firstn p l ++ x :: skipn p l.

  Fixpoint set (p : nat) (x : A) l :=
    match l, p with
    | [], _ => []
    | _ :: t, 0 => x :: t
    | y :: t, S p => y :: set p x t
    end.

  (** Exchanges two positions; a list that is too short stays. *)
  Definition swap (p q : nat) l :=
    match nth_error l p, nth_error l q with
    | Some a, Some b => set p b (set q a l)
    | _, _ => l
    end.

  Lemma nth_error_ext : forall l l', (forall k, nth_error l k = nth_error l' k) -> l = l'.
  Proof.
    induction l as [|a l IH]; destruct l' as [|b l']; intro H; try reflexivity;
      try (specialize (H 0); discriminate H).
    pose proof (H 0) as H0. simpl in H0. injection H0 as ->. f_equal.
    apply IH. intro k. exact (H (S k)).
  Qed.

  Lemma length_set : forall l p x, length (set p x l) = length l.
  Proof. induction l; destruct p; simpl; auto. Qed.

  Lemma nth_error_set : forall l p x k,
    nth_error (set p x l) k = if k =? p then match nth_error l p with Some _ => Some x | None => None end else nth_error l k.
  Proof.
    induction l as [|a l IH]; intros p x k.
    - destruct p; simpl; destruct k; simpl; try reflexivity; destruct (k =? p); reflexivity.
    - destruct p; simpl; destruct k; simpl; auto. 
  Qed.

  Lemma set_set : forall l p x y, set p x (set p y l) = set p x l.
  Proof. induction l as [|a l IH]; intros [|p] x y; simpl; [..|rewrite IH]; reflexivity. Qed.

  Lemma set_same : forall l p x, nth_error l p = Some x -> set p x l = l.
  Proof.
    induction l as [|a l IH]; intros [|p] x E; simpl in *; try discriminate.
    - injection E as ->. reflexivity.
    - rewrite IH by exact E. reflexivity.
  Qed.

  Lemma length_swap : forall l p q, length (swap p q l) = length l.
  Proof.
    intros. unfold swap. destruct (nth_error l p), (nth_error l q); rewrite ?length_set; auto.
  Qed.

  Lemma nth_error_swap : forall l p q k, p < length l -> q < length l ->
    nth_error (swap p q l) k = if k =? p then nth_error l q else if k =? q then nth_error l p else nth_error l k.
  Proof.
    intros l p q k Hp Hq. unfold swap.
    destruct (nth_error l p) as [a|] eqn:Ea; [|apply nth_error_None in Ea; lia].
    destruct (nth_error l q) as [b|] eqn:Eb; [|apply nth_error_None in Eb; lia].
    rewrite !nth_error_set.
    destruct (Nat.eqb_spec k p); subst.
    - destruct (Nat.eqb_spec p q); subst; rewrite ?Eb, ?Ea; reflexivity.
    - destruct (Nat.eqb_spec k q); subst; rewrite ?Eb; reflexivity.
  Qed.

  (** Where an exchange takes its elements from; exchanges of different positions commute. *)
  Definition exchanged (p q k : nat) : nat := if k =? p then q else if k =? q then p else k.

  Lemma nth_error_exchanged : forall l p q k, p < length l -> q < length l ->
    nth_error (swap p q l) k = nth_error l (exchanged p q k).
  Proof. intros. rewrite nth_error_swap by assumption. unfold exchanged. destruct (k =? p), (k =? q); reflexivity. Qed.

  Lemma swap_commute : forall l p q r s, p <> r -> p <> s -> q <> r -> q <> s ->
    p < length l -> q < length l -> r < length l -> s < length l ->
    swap p q (swap r s l) = swap r s (swap p q l).
  Proof.
    intros. apply nth_error_ext. intro k.
    rewrite !nth_error_exchanged by (rewrite ?length_swap; assumption). f_equal. unfold exchanged.
    destruct (Nat.eqb_spec k p), (Nat.eqb_spec k q), (Nat.eqb_spec k r), (Nat.eqb_spec k s); subst; try congruence;
      repeat match goal with
             | |- context [?a =? ?a] => rewrite (Nat.eqb_refl a)
             | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); [congruence|]
             end; congruence.
  Qed.

  Lemma length_insert : forall l p x, p <= length l -> length (insert p x l) = S (length l).
  Proof.
    intros. unfold insert. rewrite app_length, firstn_length. simpl. rewrite skipn_length. lia.
  Qed.

  Lemma length_remove : forall l p, p < length l -> S (length (remove p l)) = length l.
  Proof.
    intros. unfold remove. rewrite app_length, firstn_length, skipn_length. lia.
  Qed.

  Lemma nth_error_firstn : forall l p k, nth_error (firstn p l) k = if k <? p then nth_error l k else None.
  Proof.
    induction l as [|a l IH]; intros p k.
    - rewrite firstn_nil. destruct k; simpl; destruct (_ <? _); reflexivity.
    - destruct p; simpl.
      + destruct k; reflexivity.
      + destruct k; simpl; [reflexivity|]. rewrite IH. reflexivity.
  Qed.

  Lemma nth_error_skipn : forall l p k, nth_error (skipn p l) k = nth_error l (p + k).
  Proof.
    induction l as [|a l IH]; intros p k.
    - rewrite skipn_nil. destruct k, p; reflexivity.
    - destruct p; simpl; auto.
  Qed.

  Lemma nth_error_insert : forall l p x k, p <= length l ->
    nth_error (insert p x l) k = if k <? p then nth_error l k else if k =? p then Some x else nth_error l (k - 1).
  Proof.
    intros l p x k H. unfold insert.
    assert (L : length (firstn p l) = p) by (rewrite firstn_length; lia).
    destruct (Nat.ltb_spec k p).
    - rewrite nth_error_app1 by lia. rewrite nth_error_firstn.
      destruct (Nat.ltb_spec k p); [reflexivity|lia].
    - rewrite nth_error_app2 by lia. rewrite L.
      destruct (Nat.eqb_spec k p); subst.
      + rewrite Nat.sub_diag. reflexivity.
      + destruct (k - p) as [|m] eqn:E; [lia|]. simpl. rewrite nth_error_skipn. f_equal. lia.
  Qed.

  Lemma nth_error_remove : forall l p k,
    nth_error (remove p l) k = if k <? p then nth_error l k else nth_error l (S k).
  Proof.
    intros l p k. unfold remove. destruct (Nat.ltb_spec k p).
    - destruct (Nat.lt_ge_cases k (length l)).
      + rewrite nth_error_app1 by (rewrite firstn_length; lia).
        rewrite nth_error_firstn. destruct (Nat.ltb_spec k p); [reflexivity|lia].
      + replace (nth_error l k) with (@None A) by (symmetry; apply nth_error_None; lia).
        apply nth_error_None. rewrite app_length, firstn_length, skipn_length. lia.
    - destruct (Nat.lt_ge_cases (length l) p).
      + rewrite firstn_all2, skipn_all2 by lia. rewrite app_nil_r.
        transitivity (@None A); [|symmetry]; apply nth_error_None; lia.
      + rewrite nth_error_app2 by (rewrite firstn_length; lia).
        rewrite firstn_length, nth_error_skipn. f_equal. lia.
  Qed.

  Lemma remove_insert : forall l p x, p <= length l -> remove p (insert p x l) = l.
  Proof.
    intros. apply nth_error_ext. intro k.
    rewrite nth_error_remove, !nth_error_insert by assumption.
    destruct (Nat.ltb_spec k p); [reflexivity|].
    destruct (Nat.ltb_spec (S k) p); [lia|]. destruct (Nat.eqb_spec (S k) p); [lia|].
    f_equal. lia.
  Qed.

  Lemma set_insert : forall l p x y, p <= length l -> set p y (insert p x l) = insert p y l.
  Proof.
    induction l as [|a l IH]; intros [|p] x y L; simpl in *; try lia; try reflexivity.
    change (a :: set p y (insert p x l) = a :: insert p y l). rewrite IH by lia. reflexivity.
  Qed.

  Lemma insert_remove : forall l p x, nth_error l p = Some x -> insert p x (remove p l) = l.
  Proof.
    intros l p x H. assert (p < length l) by (apply nth_error_Some; congruence).
    pose proof (length_remove l p). apply nth_error_ext. intro k.
    rewrite nth_error_insert, !nth_error_remove by lia.
    destruct (Nat.ltb_spec k p); [reflexivity|].
    destruct (Nat.eqb_spec k p); subst; [auto|].
    destruct (Nat.ltb_spec (k - 1) p); [lia|]. f_equal. lia.
  Qed.

  (** Exchanging neighbours moves an inserted element by one. *)
  Lemma swap_insert : forall l p x, p < length l -> swap p (S p) (insert p x l) = insert (S p) x l.
  Proof.
    intros l p x H. apply nth_error_ext. intro k.
    rewrite nth_error_swap by (rewrite length_insert; lia).
    rewrite !nth_error_insert by lia.
    repeat match goal with
           | |- context [?a <? ?b] => destruct (Nat.ltb_spec a b); try lia
           | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); try lia
           end; try reflexivity; f_equal; lia.
  Qed.

  Lemma insert_0 : forall l x, insert 0 x l = x :: l.
  Proof. reflexivity. Qed.

  Lemma swap_swap : forall l p q, p < length l -> q < length l -> swap p q (swap p q l) = l.
  Proof.
    intros l p q Hp Hq. apply nth_error_ext. intro k.
    rewrite !nth_error_swap by (rewrite ?length_swap; lia).
    rewrite !Nat.eqb_refl.
    destruct (Nat.eqb_spec k p); subst.
    - destruct (Nat.eqb_spec q p); subst; reflexivity.
    - destruct (Nat.eqb_spec k q); subst; reflexivity.
  Qed.

  Lemma swap_comm : forall l p q, p < length l -> q < length l -> swap p q l = swap q p l.
  Proof.
    intros l p q Hp Hq. apply nth_error_ext. intro k.
    rewrite !nth_error_swap by lia.
    destruct (Nat.eqb_spec k p), (Nat.eqb_spec k q); subst; try reflexivity; lia.
  Qed.

  (** An exchange of distant positions is one of neighbours around a shorter one. *)
  Lemma swap_conjugate : forall l p q, S p < q -> q < length l ->
    swap p (S p) (swap (S p) q (swap p (S p) l)) = swap p q l.
  Proof.
    intros l p q H Hq. apply nth_error_ext. intro k.
    rewrite !nth_error_swap by (rewrite ?length_swap; lia).
    repeat match goal with
           | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b); subst; try lia
           end; reflexivity.
  Qed.
End Positions.

(** Two lists that agree element by element keep doing so. *)
Section Agreement.
  Context {A B : Type} (R : A -> B -> Prop).

  Lemma Forall2_length : forall l l', Forall2 R l l' -> length l = length l'.
  Proof. induction 1; simpl; congruence. Qed.

  Lemma Forall2_nth_error : forall l l', Forall2 R l l' ->
    forall k a b, nth_error l k = Some a -> nth_error l' k = Some b -> R a b.
  Proof.
    induction 1; intros [|k]; simpl; intros a b Ha Hb; try discriminate.
    - injection Ha as <-. injection Hb as <-. assumption.
    - eauto.
  Qed.

  Lemma Forall2_of_nth_error : forall l l', length l = length l' ->
    (forall k a b, nth_error l k = Some a -> nth_error l' k = Some b -> R a b) -> Forall2 R l l'.
  Proof.
    induction l as [|a l IH]; destruct l' as [|b l']; simpl; intros L H; try discriminate; constructor.
    - exact (H 0 a b eq_refl eq_refl).
    - apply IH; [lia|]. intros k. exact (H (S k)).
  Qed.

  Lemma Forall2_firstn : forall l l', Forall2 R l l' -> forall n, Forall2 R (firstn n l) (firstn n l').
  Proof. induction 1; intros [|n]; simpl; auto. Qed.

  Lemma Forall2_skipn : forall l l', Forall2 R l l' -> forall n, Forall2 R (skipn n l) (skipn n l').
  Proof. induction 1; intros [|n]; simpl; auto. Qed.

  Lemma Forall2_remove : forall l l', Forall2 R l l' -> forall p, Forall2 R (remove p l) (remove p l').
  Proof. intros. apply Forall2_app; auto using Forall2_firstn, Forall2_skipn. Qed.

  Lemma Forall2_insert : forall l l', Forall2 R l l' -> forall p a b, R a b -> Forall2 R (insert p a l) (insert p b l').
  Proof. intros. apply Forall2_app; auto using Forall2_firstn, Forall2_skipn. Qed.

  Lemma Forall2_set : forall l l', Forall2 R l l' -> forall p a b, R a b -> Forall2 R (set p a l) (set p b l').
  Proof. induction 1; intros [|p] a b Q; simpl; auto. Qed.

  Lemma Forall2_swap : forall l l', Forall2 R l l' -> forall p q, p < length l -> q < length l ->
    Forall2 R (swap p q l) (swap p q l').
  Proof.
    intros l l' H p q Hp Hq. pose proof (Forall2_length _ _ H) as L.
    apply Forall2_of_nth_error; [rewrite !length_swap; assumption|].
    intros k a b. rewrite !nth_error_swap by lia.
    destruct (k =? p); [|destruct (k =? q)]; intros; eauto using Forall2_nth_error.
  Qed.
End Agreement.

Section Everywhere.
  Context {A : Type} (P : A -> Prop).

  Lemma Forall_nth_error : forall l k a, Forall P l -> nth_error l k = Some a -> P a.
  Proof. intros l k a H E. rewrite Forall_forall in H. eauto using nth_error_In. Qed.

  Lemma Forall_of_nth_error : forall l, (forall k a, nth_error l k = Some a -> P a) -> Forall P l.
  Proof. intros l H. apply Forall_forall. intros a I. apply In_nth_error in I. destruct I. eauto. Qed.

  Lemma Forall_remove : forall l p, Forall P l -> Forall P (remove p l).
  Proof.
    intros l p H. apply Forall_of_nth_error. intros k a. rewrite nth_error_remove.
    destruct (k <? p); eauto using Forall_nth_error.
  Qed.

  Lemma Forall_insert : forall l p x, p <= length l -> P x -> Forall P l -> Forall P (insert p x l).
  Proof.
    intros l p x L X H. apply Forall_of_nth_error. intros k a. rewrite nth_error_insert by assumption.
    destruct (k <? p); [|destruct (k =? p); [intros [= <-]|]]; eauto using Forall_nth_error.
  Qed.

  Lemma Forall_set : forall l p x, P x -> Forall P l -> Forall P (set p x l).
  Proof. intros l p x X H. revert p. induction H; intros [|p]; simpl; auto. Qed.

  Lemma Forall_swap : forall l p q, p < length l -> q < length l -> Forall P l -> Forall P (swap p q l).
  Proof.
    intros l p q Lp Lq H. apply Forall_of_nth_error. intros k a. rewrite nth_error_swap by assumption.
    destruct (k =? p); [|destruct (k =? q)]; eauto using Forall_nth_error.
  Qed.
End Everywhere.

Lemma map_insert : forall A B (f : A -> B) l p x, map f (insert p x l) = insert p (f x) (map f l).
Proof. intros. unfold insert. rewrite map_app, map_cons, firstn_map, skipn_map. reflexivity. Qed.

Lemma map_remove : forall A B (f : A -> B) l p, map f (remove p l) = remove p (map f l).
Proof. intros. unfold remove. rewrite map_app, firstn_map, skipn_map. reflexivity. Qed.

Lemma map_set : forall A B (f : A -> B) l p x, map f (set p x l) = set p (f x) (map f l).
Proof. induction l as [|a l IH]; intros [|p] x; simpl; [..|rewrite IH]; reflexivity. Qed.

Lemma map_swap : forall A B (f : A -> B) l p q, p < length l -> q < length l -> map f (swap p q l) = swap p q (map f l).
Proof.
  intros. apply nth_error_ext. intro k.
  rewrite nth_error_map, !nth_error_swap, !nth_error_map by (rewrite ?map_length; assumption).
  destruct (k =? p); [|destruct (k =? q)]; reflexivity.
Qed.

(** Equations between lists that are made of the functions above, position by position. *)
Lemma length_remove_minus : forall A (l : list A) p, p < length l -> length (remove p l) = length l - 1.
Proof. intros. pose proof (length_remove l p). lia. Qed.

Lemma nth_error_app : forall A (l l' : list A) p,
  nth_error (l ++ l') p = if p <? length l then nth_error l p else nth_error l' (p - length l).
Proof.
  intros. destruct (Nat.ltb_spec p (length l)); [apply nth_error_app1|apply nth_error_app2]; assumption.
Qed.

Ltac len :=
  lazymatch goal with
  | |- context [length (insert ?p ?x ?l)] => rewrite (length_insert l p x) by len; len
  | |- context [length (remove ?p ?l)] => rewrite (length_remove_minus _ l p) by len; len
  | |- context [length (swap ?p ?q ?l)] => rewrite (length_swap l p q); len
  | |- context [length (set ?p ?x ?l)] => rewrite (length_set l p x); len
  | |- context [length (?l ++ ?l')] => rewrite (app_length l l'); len
  | |- context [length (firstn ?n ?l)] => rewrite (firstn_length n l); len
  | |- context [length (skipn ?n ?l)] => rewrite (skipn_length n l); len
  | |- _ => lia
  end.

Ltac compare_positions :=
  match goal with
  | |- context [?a <? ?b] => destruct (Nat.ltb_spec a b); try (exfalso; len)
  | |- context [?a =? ?b] =>
      (* Three cases: lia is slow with what differs. *)
      let N := fresh "N" in
      destruct (Nat.lt_trichotomy a b) as [N|[N|N]];
      [replace (a =? b) with false by (symmetry; apply Nat.eqb_neq; lia); try (exfalso; len)
      |replace (a =? b) with true by (symmetry; apply Nat.eqb_eq; exact N); try (exfalso; len)
      |replace (a =? b) with false by (symmetry; apply Nat.eqb_neq; lia); try (exfalso; len)]
  end.

(** Counts a position from 0; lia is slow with differences, too. *)
Ltac zero_based := repeat match goal with
                          | |- context [S ?i - 1] => replace (S i - 1) with i by lia
                          | H : context [S ?i - 1] |- _ => replace (S i - 1) with i in H by lia
                          end.
Ltac from_zero i := destruct i as [|i]; [exfalso; lia|]; zero_based.

Ltac length_step :=
  match goal with
  | |- context [length (insert ?p ?x ?l)] => rewrite (length_insert l p x) by len
  | |- context [length (remove ?p ?l)] => rewrite (length_remove_minus _ l p) by len
  | |- context [length (swap ?p ?q ?l)] => rewrite (length_swap l p q)
  | |- context [length (set ?p ?x ?l)] => rewrite (length_set l p x)
  | |- context [length (?l ++ ?l')] => rewrite (app_length l l')
  | |- context [length (firstn ?n ?l)] => rewrite (firstn_length n l)
  | |- context [length (skipn ?n ?l)] => rewrite (skipn_length n l)
  end.

Ltac nths :=
  repeat (
    first
      [ length_step
      | compare_positions
      | match goal with
        | |- context [nth_error (insert ?p ?x ?l) ?q] => rewrite (nth_error_insert l p x q) by len
        | |- context [nth_error (remove ?p ?l) ?q] => rewrite (nth_error_remove l p q)
        | |- context [nth_error (swap ?p ?q ?l) ?r] => rewrite (nth_error_swap l p q r) by len
        | |- context [nth_error (?l ++ ?l') ?q] => rewrite (nth_error_app _ l l' q)
        | |- context [nth_error (firstn ?n ?l) ?q] => rewrite (nth_error_firstn l n q)
        | |- context [nth_error (skipn ?n ?l) ?q] => rewrite (nth_error_skipn l n q)
        end ]).

(** Positions that are equal numbers. *)
Ltac same_position :=
  match goal with
  | |- nth_error ?l ?p = nth_error ?l ?q => replace p with q by len; reflexivity
  | E : nth_error ?l ?p = ?x |- nth_error ?l ?q = ?x => replace q with p by len; exact E
  | E : nth_error ?l ?p = ?x |- ?x = nth_error ?l ?q => replace q with p by len; symmetry; exact E
  end.

Ltac lists :=
  apply nth_error_ext; let q := fresh "q" in intro q; nths;
  try reflexivity; try same_position; try congruence.
