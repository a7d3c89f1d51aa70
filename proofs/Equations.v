(** The equational theory (Section 3.6 and A9): each law keeps types, and values at
    every index in bounds, over any commutative semiring. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Typing Semantics Core Elaboration.
Import ListNotations.

Section Equations.
  Context (D : domain).
  Notation T := (number D).
  Notation "a + b" := (plus D a b).
  Notation "a * b" := (times D a b).
  Notation "0" := (zero D).
  Notation "1" := (one D).

  (** [rewrites e e']: wherever [e] is well-typed, [e'] has the same type and means
      the same. *)
  Definition rewrites (e e' : expr) : Prop :=
    forall G s, positive_context G -> has_type G e s -> has_type G e' s /\
      forall m, agrees D m G -> forall k, inb k s -> value D G m e k = value D G m e' k.

  Lemma rewrites_refl : forall e, rewrites e e.
  Proof. split; auto. Qed.

  Lemma rewrites_trans : forall e1 e2 e3, rewrites e1 e2 -> rewrites e2 e3 -> rewrites e1 e3.
  Proof.
    intros e1 e2 e3 H1 H2 G s P H. destruct (H1 G s P H) as [H' V1]. destruct (H2 G s P H') as [H'' V2].
    split; [exact H''|]. intros. rewrite V1 by assumption. auto.
  Qed.

  Ltac types :=
    match goal with H : has_type _ _ _ |- _ => inversion H; subst; clear H end.

  (** Names the shape of [e] and the proof that it has it. *)
  Ltac typed e t H :=
    match goal with H' : has_type _ e ?s |- _ => rename s into t; rename H' into H end.

  Lemma position : forall A (l : list A) i, (1 <= i <= length l)%nat -> exists x, nth_error l (i - 1) = Some x.
  Proof.
    intros A l i L. destruct (nth_error l (i - 1)) eqn:E; eauto. apply nth_error_None in E. lia.
  Qed.

  (** (3) A slice of a repetition is what was repeated. *)
  Theorem proj_expa : forall i m n e, rewrites (Proj i m (Expa i n e)) e.
  Proof.
    intros i m n e G s P H. types. types. rewrite remove_insert by lia.
    split; [assumption|]. intros mem A k B. cbn [value].
    pose proof (inb_length _ _ B). rewrite remove_insert by lia. reflexivity.
  Qed.

  (** (4) The diagonal does not see an exchange of its dimensions. *)
  Theorem diag_transp : forall i0 i1 e, rewrites (Diag i0 i1 (Transp i0 i1 e)) (Diag i0 i1 e).
  Proof.
    intros i0 i1 e G s P H. types. types.
    typed e t He. rewrite nth_error_swap in * by lia. rewrite Nat.eqb_refl in *.
    destruct (Nat.eqb_spec (i1 - 1) (i0 - 1)); [lia|]. try rewrite Nat.eqb_refl in *.
    assert (E : remove (i1 - 1) (swap (i0 - 1) (i1 - 1) t) = remove (i1 - 1) t).
    { apply nth_error_ext. intro k. rewrite !nth_error_remove, !nth_error_swap by lia.
      repeat match goal with
             | |- context [(?a <? ?b)%nat] => destruct (Nat.ltb_spec a b); try lia
             | |- context [(?a =? ?b)%nat] => destruct (Nat.eqb_spec a b); subst; try lia
             end; congruence. }
    rewrite E. split; [econstructor; eauto|].
    intros mem A k B. cbn [value].
    pose proof (inb_length _ _ B) as L. pose proof (length_remove t (i1 - 1)).
    destruct (nth_error k (i0 - 1)) as [j|] eqn:Ej; [|reflexivity]. f_equal.
    apply nth_error_ext. intro q. rewrite nth_error_swap by (rewrite length_insert; lia).
    rewrite !nth_error_insert by lia.
    repeat match goal with
           | |- context [(?a <? ?b)%nat] => destruct (Nat.ltb_spec a b); try lia
           | |- context [(?a =? ?b)%nat] => destruct (Nat.eqb_spec a b); subst; try lia
           end; congruence.
  Qed.

  (** An exchange undoes itself. *)
  Theorem transp_transp : forall i0 i1 e, rewrites (Transp i0 i1 (Transp i0 i1 e)) e.
  Proof.
    intros i0 i1 e G s P H. types. types. rewrite length_swap in *. rewrite swap_swap by lia.
    split; [assumption|]. intros mem A k B. cbn [value]. pose proof (inb_length _ _ B).
    rewrite swap_swap by lia. reflexivity.
  Qed.

  (** Laws of the numbers. *)
  Context (plus_assoc : forall a b c, a + (b + c) = (a + b) + c)
          (plus_comm : forall a b, a + b = b + a)
          (plus_zero : forall a, 0 + a = a)
          (times_comm : forall a b, a * b = b * a)
          (times_one : forall a, 1 * a = a)
          (times_zero : forall a, 0 * a = 0)
          (distribute : forall a b c, (a + b) * c = a * c + b * c).

  Lemma fold_sum_S : forall n f, fold D Sum (S n) f = lift2 D (plus D) (fold D Sum n f) (f (S n)).
  Proof. intros [|n] f; reflexivity. Qed.

  (** (5) The sum of a repetition is a multiple. Literals are sums of ones. *)
  Theorem sum_expa : (forall n, constant D (S n) = constant D n + 1) -> constant D O = 0 ->
    forall i n e, rewrites (Red Sum i (Expa i n e)) (Mul (Const n) e).
  Proof.
    intros CS C0 i n e G s P H. types. types. typed e t He. rewrite remove_insert by lia.
    split; [apply T_SMul; auto; constructor|].
    intros mem A k B. pose proof (inb_length _ _ B) as L. cbn [value type].
    rewrite (type_complete _ _ _ He). unfold guard.
    replace (1 <=? i)%nat with true by (symmetry; apply Nat.leb_le; lia).
    replace (i <=? S (length t))%nat with true by (symmetry; apply Nat.leb_le; lia).
    replace (1 <=? n)%nat with true by (symmetry; apply Nat.leb_le; lia). cbn [andb].
    rewrite nth_error_insert by lia. rewrite Nat.ltb_irrefl, Nat.eqb_refl.
    destruct (value_defined D G mem A P e t He k B) as [a Ha]. rewrite Ha. cbn [lift2].
    assert (Q : forall j, remove (i - 1) (insert (i - 1) j k) = k) by (intro; apply remove_insert; lia).
    clear - Ha CS C0 Q times_zero times_one distribute. induction n as [|n IH].
    - simpl. rewrite C0, times_zero. reflexivity.
    - rewrite fold_sum_S, IH, Q, Ha. cbn [lift2].
      rewrite CS, distribute, times_one. reflexivity.
  Qed.

  (** Sums of sums. *)
  Theorem sum_add : forall i e0 e1, rewrites (Red Sum i (Binary Add e0 e1)) (Binary Add (Red Sum i e0) (Red Sum i e1)).
  Proof.
    intros i e0 e1 G s P H. types. types. typed e0 u H0. typed e1 v H1.
    split; [apply T_Binary; apply T_Red; assumption|].
    intros mem A k B. cbn [value type].
    rewrite (type_complete _ _ _ H0), (type_complete _ _ _ H1).
    rewrite (proj2 (shape_eqb_eq v v) eq_refl). cbn [guard].
    destruct (position _ v i) as [n E]; [lia|]. rewrite E. change (op D Add) with (plus D).
    assert (V : forall e, has_type G e v -> forall j, (1 <= j <= n)%nat -> defined D (value D G mem e (insert (i - 1) j k))).
    { intros e He j Lj. apply (value_defined D G mem A P e v He). eapply inb_insert; eauto. }
    clear E. induction n as [|n IH].
    - simpl. rewrite plus_zero. reflexivity.
    - rewrite !fold_sum_S. rewrite IH by (intros; apply V; [assumption|lia]).
      destruct (V e0 H0 (S n)) as [a ->]; [lia|]. destruct (V e1 H1 (S n)) as [b ->]; [lia|].
      destruct (fold D Sum n (fun j => value D G mem e0 _)) as [x|]; [|reflexivity].
      destruct (fold D Sum n (fun j => value D G mem e1 _)) as [y|]; [|reflexivity].
      cbn [lift2]. f_equal. rewrite <- !plus_assoc. f_equal. rewrite !plus_assoc. f_equal. apply plus_comm.
  Qed.

  Lemma fold_times : forall n f c, (forall j, (1 <= j <= n)%nat -> defined D (f j)) ->
    fold D Sum n (fun j => lift2 D (times D) (f j) (Some c)) = lift2 D (times D) (fold D Sum n f) (Some c).
  Proof.
    intros n f c. induction n as [|n IH]; intro F.
    - simpl. rewrite times_zero. reflexivity.
    - rewrite !fold_sum_S, IH by (intros; apply F; lia).
      destruct (F (S n)) as [a ->]; [lia|].
      destruct (fold D Sum n f) as [x|]; [|reflexivity]. cbn [lift2]. rewrite distribute. reflexivity.
  Qed.

  Lemma insert_app_left : forall A (l l' : list A) p x, (p <= length l)%nat -> insert p x (l ++ l') = insert p x l ++ l'.
  Proof.
    intros. unfold insert. rewrite firstn_app, skipn_app.
    replace (p - length l)%nat with O by lia. rewrite firstn_O, app_nil_r, <- app_assoc. reflexivity.
  Qed.

  Lemma remove_app_left : forall A (l l' : list A) p, (p < length l)%nat -> remove p (l ++ l') = remove p l ++ l'.
  Proof.
    intros. unfold remove. rewrite firstn_app, skipn_app.
    replace (p - length l)%nat with O by lia. replace (S p - length l)%nat with O by lia.
    rewrite firstn_O, app_nil_r, <- app_assoc. reflexivity.
  Qed.

  Lemma firstn_exact : forall A (l l' : list A) n, length l = n -> firstn n (l ++ l') = l.
  Proof. intros. subst. rewrite firstn_app, Nat.sub_diag, firstn_all. apply app_nil_r. Qed.

  Lemma skipn_exact : forall A (l l' : list A) n, length l = n -> skipn n (l ++ l') = l'.
  Proof. intros. subst. rewrite skipn_app, Nat.sub_diag, skipn_all. reflexivity. Qed.

  (** A sum moves through the outer product to the factor that has its dimension:
      what lifting contractions rests on, O(n^6) to O(n^4). *)
  Theorem sum_prod_left : forall i e0 e1 G s0 s1, positive_context G ->
    has_type G e0 s0 -> has_type G e1 s1 -> (1 <= i <= length s0)%nat ->
    forall m, agrees D m G -> forall k, inb k (remove (i - 1) (s0 ++ s1)) ->
    value D G m (Red Sum i (Prod e0 e1)) k = value D G m (Prod (Red Sum i e0) e1) k.
  Proof.
    intros i e0 e1 G s0 s1 P H0 H1 L m A k B.
    destruct (position _ s0 i L) as [n E].
    rewrite remove_app_left in B by lia. destruct (inb_split _ _ _ B) as [B0 B1].
    pose proof (length_remove s0 (i - 1)) as R.
    rewrite <- (firstn_skipn (length (remove (i - 1) s0)) k).
    set (k0 := firstn _ k) in *. set (k1 := skipn _ k) in *. clearbody k0 k1.
    pose proof (inb_length _ _ B0) as L0.
    assert (Tr : type G (Red Sum i e0) = Some (remove (i - 1) s0)) by (apply type_complete, T_Red; assumption).
    cbn [value]. rewrite Tr. cbn [value type]. rewrite (type_complete _ _ _ H0), (type_complete _ _ _ H1).
    rewrite nth_error_app1 by lia. rewrite E, firstn_exact, skipn_exact by lia.
    destruct (value_defined D G m A P e1 s1 H1 _ B1) as [c Hc]. rewrite Hc, <- fold_times.
    - apply fold_ext. intros j Lj. rewrite insert_app_left by lia.
      rewrite firstn_exact, skipn_exact by (rewrite length_insert; lia). rewrite Hc. reflexivity.
    - intros j Lj. apply (value_defined D G m A P e0 s0 H0). eapply inb_insert; eauto.
  Qed.
End Equations.
