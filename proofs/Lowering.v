(** TeIL into loops over flat row-major buffers (A13): the generated program never
    loads or stores outside of a buffer, and computes what the expression means.

    The generator rewrites indices; only reductions become loops. A statement
    computes into a buffer of its own and copies, so that it may read its target. *)

From Coq Require Import List Arith Lia PeanoNat.
From Ricci Require Import Lists Syntax Statements Typing Semantics Loops.
Import ListNotations.

Section Lowering.
  Context (D : domain).
  Notation T := (number D).
  Notation buffers := (buffers D).
  Notation accumulators := (accumulators D).
  Notation seval := (seval D).
  Notation exec := (exec D).

  Definition dimension (G : context) (e : expr) (i : nat) : nat :=
    match type G e with Some s => nth (i - 1) s 0 | None => 0 end.

  (** The generator. [c] is the first number that is free for a loop variable and
      its accumulator; it gives statements to run before, a value, and the next number. *)
  Fixpoint gen (G : context) (e : expr) (k : list iexp) (c : nat) : command * sexp * nat :=
    match e with
    | Var x =>
        match G x with
        | Some s => (Skip, SLoad x (offset_from (INum 0) k s), c)
        | None => (Skip, SConst 0, c)
        end
    | Const n => (Skip, SConst n, c)
    | Unary f e => let '(p, v, c) := gen G e k c in (p, SUnary f v, c)
    | Binary b e0 e1 =>
        let '(p0, v0, c) := gen G e0 k c in
        let '(p1, v1, c) := gen G e1 k c in (Seq p0 p1, SBinary b v0 v1, c)
    | Mul e0 e1 =>
        let '(p0, v0, c) := gen G e0 (match type G e0 with Some [] => [] | _ => k end) c in
        let '(p1, v1, c) := gen G e1 k c in (Seq p0 p1, STimes v0 v1, c)
    | Prod e0 e1 =>
        let r := match type G e0 with Some s => length s | None => 0 end in
        let '(p0, v0, c) := gen G e0 (firstn r k) c in
        let '(p1, v1, c) := gen G e1 (skipn r k) c in (Seq p0 p1, STimes v0 v1, c)
    | Gather i e0 e1 =>
        let r := match type G e0 with Some s => length s | None => 0 end in
        let '(p0, v0, c) := gen G e0 (firstn r k) c in
        let '(p1, v1, c') := gen G e1 (insert (i - 1) (IVar c) (skipn r k)) (S c) in
        (Seq p0 (At c (dimension G e1 i) v0 p1), SAt c (dimension G e1 i) v0 v1, c')
    | Red r i e =>
        let '(p, v, c') := gen G e (insert (i - 1) (IVar c) k) (S c) in
        (Seq (Start r c) (For c (dimension G e i) (Seq p (Fold r c v))), SAcc c, c')
    | Transp i0 i1 e => gen G e (swap (i0 - 1) (i1 - 1) k) c
    | Diag i0 i1 e => gen G e (insert (i1 - 1) (nth (i0 - 1) k (INum 0)) k) c
    | Expa i _ e => gen G e (remove (i - 1) k) c
    | Proj i m e => gen G e (insert (i - 1) (INum (m - 1)) k) c
    | Shift i o _ e => gen G e (set (i - 1) (IHorner (nth (i - 1) k (INum 0)) 1 (INum o)) k) c
    | Window i _ e =>
        gen G e (set (i - 1) (IHorner (nth (i - 1) k (INum 0)) 1 (nth i k (INum 0))) (remove i k)) c
    | Stride i d e => gen G e (set (i - 1) (IHorner (nth (i - 1) k (INum 0)) d (INum 0)) k) c
    | Flip i e => gen G e (set (i - 1) (IMinus (INum (dimension G e i - 1)) (nth (i - 1) k (INum 0))) k) c
    | Pad i l _ e =>
        let j := nth (i - 1) k (INum 0) in
        let t := Within j l (dimension G e i) in
        let '(p, v, c') := gen G e (set (i - 1) (IMinus j (INum l)) k) c in (When t p, SWhen t v, c')
    | Remap i f e => gen G e (set (i - 1) (subscript f (dimension G e i) (nth (i - 1) k (INum 0))) k) c
    | Replace i o d e0 e1 =>
        let j := nth (i - 1) k (INum 0) in
        let t := Every j o d (dimension G e1 i) in
        let '(p1, v1, c) := gen G e1 (set (i - 1) (IOver (IMinus j (INum o)) d) k) c in
        let '(p0, v0, c) := gen G e0 k c in (Seq (When t p1) p0, SChoose t v1 v0, c)
    | Iota _ => (Skip, SNumber (nth 0 k (INum 0)), c)
    end.

  (** Flat buffers hold a memory: row-major, of exactly the shape's size. *)
  Definition holds (G : context) (m : memory (number D)) (B : buffers) : Prop :=
    forall x s, G x = Some s -> exists f l, m x = Some f /\ B x = Some l /\ length l = size s /\
      forall k, inb k s -> f k = nth_error l (place k s).

  (** What running [p] and then reading [v] does, with numbers c … c'-1 for itself. *)
  Definition computes (env : nat -> nat) (B : buffers) (p : command) (v : sexp) (c c' : nat) (r : option T) : Prop :=
    c <= c' /\ forall acc, exists acc', exec p env acc B = Some (acc', B) /\
      (forall a, a < c \/ c' <= a -> acc' a = acc a) /\
      (forall acc'', (forall a, c <= a < c' -> acc'' a = acc' a) -> seval env acc'' B v = r).

  Lemma computes_skip : forall env B v c r, (forall acc, seval env acc B v = r) -> computes env B Skip v c c r.
  Proof. intros. split; [lia|]. intro acc. exists acc. repeat split; auto. Qed.

  Lemma computes_seq : forall env B p0 v0 c0 c1 r0 p1 v1 c2 r1 v r,
    computes env B p0 v0 c0 c1 r0 -> computes env B p1 v1 c1 c2 r1 ->
    (forall acc, seval env acc B v0 = r0 -> seval env acc B v1 = r1 -> seval env acc B v = r) ->
    computes env B (Seq p0 p1) v c0 c2 r.
  Proof.
    intros env B p0 v0 c0 c1 r0 p1 v1 c2 r1 v r [L0 H0] [L1 H1] V. split; [lia|].
    intro acc. destruct (H0 acc) as (a0 & E0 & F0 & S0). destruct (H1 a0) as (a1 & E1 & F1 & S1).
    exists a1. simpl. rewrite E0, E1. split; [reflexivity|]. split.
    - intros a H. rewrite F1, F0 by lia. reflexivity.
    - intros acc'' H. apply V.
      + apply S0. intros a Ha. rewrite H by lia. apply F1. lia.
      + apply S1. intros a Ha. apply H. lia.
  Qed.

  Lemma computes_when : forall env B t p v c c' r, c <= c' ->
    (holds_at env t = true -> computes env B p v c c' r) ->
    computes env B (When t p) (SWhen t v) c c' (if holds_at env t then r else Some (zero D)).
  Proof.
    intros env B t p v c c' r L H. split; [exact L|]. intro acc. cbn [exec seval].
    destruct (holds_at env t); [exact (proj2 (H eq_refl) acc)|]. exists acc. repeat split; auto.
  Qed.

  (** The subscript is computed again behind the part that it chooses, and is the same. *)
  Lemma computes_gathered : forall env B n p0 v0 c c0 r p1 v1 c1 f, computes env B p0 v0 c c0 r -> defined r -> S c0 <= c1 ->
    (forall j, 1 <= j <= n -> computes (update env c0 (j - 1)) B p1 v1 (S c0) c1 (f j)) ->
    computes env B (Seq p0 (At c0 n v0 p1)) (SAt c0 n v0 v1) c c1 (gathered D n r f).
  Proof.
    intros env B n p0 v0 c c0 r p1 v1 c1 f [L0 H0] [a Ra] L1 H1. split; [lia|]. intro acc.
    destruct (H0 acc) as (a0 & E0 & F0 & S0). cbn [exec seval]. rewrite E0, (S0 a0) by auto. rewrite Ra. cbn [gathered].
    destruct (_ && _)%bool eqn:T.
    - bools. destruct (H1 (place_of D a)) as [_ Hj]; [lia|]. destruct (Hj a0) as (a1 & E1 & F1 & S1).
      exists a1. split; [exact E1|]. split.
      + intros b Hb. rewrite F1, F0 by lia. reflexivity.
      + intros acc'' Q. rewrite S0 by (intros b Hb; rewrite Q by lia; apply F1; lia). rewrite Ra. cbn [gathered].
        replace (_ && _)%bool with true by (symmetry; rewrite Bool.andb_true_iff, !Nat.leb_le; lia).
        apply S1. intros b Hb. apply Q. lia.
    - exists a0. split; [reflexivity|]. split.
      + intros b H. apply F0. lia.
      + intros acc'' H. rewrite S0 by (intros b Hb; apply H; lia). rewrite Ra. cbn [gathered]. rewrite T. reflexivity.
  Qed.

  Lemma fold_step : forall r n f, defined (f (S n)) -> (forall j, 1 <= j <= n -> defined (f j)) ->
    fold D r (S n) f = match fold D r n f with
                       | Some x => lift1 D (step D r x) (f (S n))
                       | None => f (S n)
                       end.
  Proof.
    intros r n f [y Hy] H. destruct n as [|n].
    - simpl. destruct (start D r); simpl; rewrite Hy; reflexivity.
    - change (fold D r (S (S n)) f) with (lift2 D (step D r) (fold D r (S n) f) (f (S (S n)))).
      destruct (fold_defined D r (S n) f) as [x ->]; [lia|exact H|]. rewrite Hy. reflexivity.
  Qed.

  (** The loop of a reduction. *)
  Lemma computes_fold : forall env B r c c' n p v f,
    S c <= c' -> 1 <= n ->
    (forall j, 1 <= j <= n -> defined (f j)) ->
    (forall i, i < n -> computes (update env c i) B p v (S c) c' (f (S i))) ->
    computes env B (Seq (Start r c) (For c n (Seq p (Fold r c v)))) (SAcc c) c c' (fold D r n f).
  Proof.
    intros env B r c c' n p v f Lc Ln F H. split; [lia|]. intro acc.
    assert (I : forall j, j <= n -> exists acc',
      fold_left (fun st i => match st with
                             | Some (acc, B) => exec (Seq p (Fold r c v)) (update env c i) acc B
                             | None => None
                             end) (seq 0 j) (Some (update acc c (start D r), B)) = Some (acc', B) /\
      acc' c = fold D r j f /\ forall a, a < c \/ c' <= a -> acc' a = acc a).
    { induction j as [|j IH]; intro L.
      - exists (update acc c (start D r)). split; [reflexivity|]. split; [apply update_same|].
        intros a Ha. apply update_other. lia.
      - destruct IH as (a0 & E & V & Fr); [lia|].
        rewrite seq_S, fold_left_app, E. cbn [fold_left exec Nat.add].
        destruct (H j) as [_ Hj]; [lia|]. destruct (Hj a0) as (a1 & E1 & F1 & S1). rewrite E1.
        rewrite (S1 a1) by auto. destruct (F (S j)) as [y Hy]; [lia|]. rewrite Hy.
        eexists. split; [reflexivity|]. split.
        + rewrite update_same, F1, V by lia. rewrite fold_step; [|exists y; exact Hy|intros; apply F; lia].
          rewrite Hy. destruct (fold D r j f); reflexivity.
        + intros a Ha. rewrite update_other by lia. rewrite F1 by lia. apply Fr. exact Ha. }
    destruct (I n) as (acc' & E & V & Fr); [lia|]. exists acc'. split; [exact E|]. split; [exact Fr|].
    intros acc'' S. simpl. rewrite S by lia. exact V.
  Qed.

  Lemma dimension_typed : forall G e s i n, has_type G e s -> nth_error s (i - 1) = Some n -> dimension G e i = n.
  Proof. intros G e s i n H E. unfold dimension. rewrite (type_complete _ _ _ H). apply nth_error_nth. exact E. Qed.

  Lemma gen_counter : forall G e k c, c <= snd (gen G e k c).
  Proof.
    intros G. induction e; intros k n'; cbn [gen];
      repeat match goal with
             | IH : forall k c, c <= snd (gen G ?e k c) |- context [gen G ?e ?k ?c] =>
                 pose proof (IH k c); destruct (gen G e k c) as [[? ?] ?]
             end; cbn [snd] in *; try lia.
    destruct (G x); apply le_n.
  Qed.

  (** The generated code computes the value, and every load is inside its buffer. *)
  Theorem gen_correct : forall G m, agrees m G -> positive_context G ->
    forall e s, has_type G e s -> forall B, holds G m B ->
    forall env k c, Forall (below c) k -> inb (index_of env k) s ->
    let '(p, v, c') := gen G e k c in computes env B p v c c' (value D G m e (index_of env k)).
  Proof.
    intros G m A P e s Ht B Hb. induction Ht; intros env k c0 Bk In; cbn [gen value].
    - rewrite H. destruct (Hb x s H) as (f & l & Em & El & Ll & V).
      apply computes_skip. intro acc. cbn [seval]. rewrite El, Em.
      pose proof (inb_length _ _ In) as L. unfold index_of in L. rewrite map_length in L.
      rewrite offset_from_value by exact L. symmetry. apply V. exact In.
    - apply computes_skip. reflexivity.
    - specialize (IHHt env k c0 Bk In). destruct (gen G e k c0) as [[p v] c'].
      destruct IHHt as [Lc H]. split; [exact Lc|]. intro acc. destruct (H acc) as (acc' & E & F & S).
      exists acc'. split; [exact E|]. split; [exact F|]. intros acc'' Q. cbn [seval]. rewrite S by exact Q. reflexivity.
    - specialize (IHHt1 env k c0 Bk In). destruct (gen G e0 k c0) as [[p0 v0] c1].
      pose proof (Forall_impl _ (fun i => below_mono c0 c1 i (proj1 IHHt1)) Bk) as Bk1.
      specialize (IHHt2 env k c1 Bk1 In). destruct (gen G e1 k c1) as [[p1 v1] c2].
      eapply computes_seq; [exact IHHt1|exact IHHt2|]. intros acc E0 E1. cbn [seval]. rewrite E0, E1. reflexivity.
    - rewrite (type_complete _ _ _ Ht1).
      assert (Fi : factor_index (Some s) (index_of env k) = index_of env (match s with [] => [] | _ => k end))
        by (destruct s; reflexivity).
      assert (In0 : inb (index_of env (match s with [] => [] | _ => k end)) s) by (destruct s; [constructor|exact In]).
      assert (Bk0 : Forall (below c0) (match s with [] => [] | _ => k end)) by (destruct s; [constructor|exact Bk]).
      rewrite Fi. specialize (IHHt1 env _ c0 Bk0 In0).
      destruct (gen G e0 _ c0) as [[p0 v0] c1].
      pose proof (Forall_impl _ (fun i => below_mono c0 c1 i (proj1 IHHt1)) Bk) as Bk1.
      specialize (IHHt2 env k c1 Bk1 In). destruct (gen G e1 k c1) as [[p1 v1] c2].
      eapply computes_seq; [exact IHHt1|exact IHHt2|]. intros acc E0 E1. cbn [seval]. rewrite E0, E1. reflexivity.
    - rewrite (type_complete _ _ _ Ht1). cbn [factor_index].
      specialize (IHHt1 env [] c0 (Forall_nil _) inb_nil). destruct (gen G e0 [] c0) as [[p0 v0] c1].
      pose proof (Forall_impl _ (fun i => below_mono c0 c1 i (proj1 IHHt1)) Bk) as Bk1.
      specialize (IHHt2 env k c1 Bk1 In). destruct (gen G e1 k c1) as [[p1 v1] c2].
      eapply computes_seq; [exact IHHt1|exact IHHt2|]. intros acc E0 E1. cbn [seval]. rewrite E0, E1. reflexivity.
    - rewrite (type_complete _ _ _ Ht1). destruct (inb_split _ _ _ In) as [In0 In1].
      assert (M0 : firstn (length s0) (index_of env k) = index_of env (firstn (length s0) k)) by apply firstn_map.
      assert (M1 : skipn (length s0) (index_of env k) = index_of env (skipn (length s0) k)) by apply skipn_map.
      rewrite M0 in *. rewrite M1 in *.
      specialize (IHHt1 env _ c0 (Forall_sub _ _ _ _ Bk (fun i => In_firstn _ i _ _)) In0).
      destruct (gen G e0 _ c0) as [[p0 v0] c1].
      pose proof (Forall_impl _ (fun i => below_mono c0 c1 i (proj1 IHHt1)) Bk) as Bk1.
      specialize (IHHt2 env _ c1 (Forall_sub _ _ _ _ Bk1 (fun i => In_skipn _ i _ _)) In1).
      destruct (gen G e1 _ c1) as [[p1 v1] c2].
      eapply computes_seq; [exact IHHt1|exact IHHt2|]. intros acc E0 E1. cbn [seval]. rewrite E0, E1. reflexivity.
    - rewrite (type_complete _ _ _ Ht1), (type_complete _ _ _ Ht2). cbn [size_of]. destruct (inb_split _ _ _ In) as [In0 In1].
      destruct (nth_error s1 (i - 1)) as [n|] eqn:E; [|apply nth_error_None in E; lia].
      rewrite (dimension_typed _ _ _ _ _ Ht2 E).
      assert (M0 : firstn (length s0) (index_of env k) = index_of env (firstn (length s0) k)) by apply firstn_map.
      assert (M1 : skipn (length s0) (index_of env k) = index_of env (skipn (length s0) k)) by apply skipn_map.
      rewrite M0 in *. rewrite M1 in *.
      specialize (IHHt1 env _ c0 (Forall_sub _ _ _ _ Bk (fun i => In_firstn _ i _ _)) In0).
      destruct (gen G e0 _ c0) as [[p0 v0] c1].
      pose proof (Forall_sub _ _ _ _ Bk (fun i => In_skipn _ i (length s0) _)) as Bs.
      pose proof (inb_length _ _ In1) as L. unfold index_of in L at 1. rewrite map_length in L.
      pose proof (length_remove s1 (i - 1)) as R. pose proof (proj1 IHHt1) as Lc0.
      assert (Bk' : Forall (below (S c1)) (insert (i - 1) (IVar c1) (skipn (length s0) k))).
      { apply Forall_insert; [lia|simpl; lia|]. eapply Forall_impl; [|exact Bs]. intro. apply below_mono. lia. }
      assert (Bc1 : Forall (below c1) (skipn (length s0) k)) by (eapply Forall_impl; [|exact Bs]; intro; apply below_mono; lia).
      assert (Ix : forall j, 1 <= j -> index_of (update env c1 (j - 1)) (insert (i - 1) (IVar c1) (skipn (length s0) k)) =
        insert (i - 1) j (index_of env (skipn (length s0) k))).
      { intros j Lj. unfold index_of. rewrite map_insert. cbn [ieval]. rewrite update_same.
        replace (S (j - 1)) with j by lia. f_equal. apply index_of_update. exact Bc1. }
      pose proof (gen_counter G e1 (insert (i - 1) (IVar c1) (skipn (length s0) k)) (S c1)) as Lc.
      assert (Hc : forall j, 1 <= j <= n -> let '(p, v, c') := gen G e1 (insert (i - 1) (IVar c1) (skipn (length s0) k)) (S c1) in
        computes (update env c1 (j - 1)) B p v (S c1) c' (value D G m e1 (insert (i - 1) j (index_of env (skipn (length s0) k))))).
      { intros j Lj. specialize (IHHt2 (update env c1 (j - 1)) _ (S c1) Bk'). rewrite Ix in IHHt2 by lia. apply IHHt2.
        eapply inb_insert; eauto. }
      destruct (gen G e1 _ (S c1)) as [[p v] c']. simpl in Lc.
      apply computes_gathered; [exact IHHt1| |exact Lc|exact Hc]. apply (value_defined D G m A P e0 s0 Ht1). exact In0.
    - rewrite (type_complete _ _ _ Ht).
      destruct (nth_error s (i - 1)) as [n|] eqn:E; [|apply nth_error_None in E; lia].
      rewrite (dimension_typed _ _ _ _ _ Ht E).
      pose proof (inb_length _ _ In) as L. unfold index_of in L at 1. rewrite map_length in L.
      pose proof (length_remove s (i - 1)) as R.
      assert (Bk' : Forall (below (S c0)) (insert (i - 1) (IVar c0) k)).
      { apply Forall_insert; [lia|simpl; lia|]. eapply Forall_impl; [|exact Bk]. intro. apply below_mono. lia. }
      assert (Ix : forall j, index_of (update env c0 j) (insert (i - 1) (IVar c0) k) = insert (i - 1) (S j) (index_of env k)).
      { intro j. unfold index_of. rewrite map_insert. cbn [ieval]. rewrite update_same. f_equal.
        apply index_of_update. exact Bk. }
      assert (Q : forall j, j < n -> inb (index_of (update env c0 j) (insert (i - 1) (IVar c0) k)) s).
      { intros j Lj. rewrite Ix. eapply inb_insert; [exact In|exact E|lia]. }
      pose proof (gen_counter G e (insert (i - 1) (IVar c0) k) (S c0)) as Lc.
      assert (Hc : forall j, j < n -> let '(p, v, c') := gen G e (insert (i - 1) (IVar c0) k) (S c0) in
        computes (update env c0 j) B p v (S c0) c' (value D G m e (insert (i - 1) (S j) (index_of env k)))).
      { intros j Lj. specialize (IHHt (update env c0 j) _ (S c0) Bk' (Q j Lj)). rewrite Ix in IHHt. exact IHHt. }
      destruct (gen G e _ (S c0)) as [[p v] c']. simpl in Lc.
      apply computes_fold; [exact Lc| | |exact Hc].
      + exact (Forall_nth_error _ _ _ _ (positive_type G P _ _ Ht) E).
      + intros j Lj. apply (value_defined D G m A P e s Ht). eapply inb_insert; [exact In|exact E|exact Lj].
    - pose proof (inb_length _ _ In) as L. rewrite length_swap in L. unfold index_of in L. rewrite map_length in L.
      assert (M0 : swap (i0 - 1) (i1 - 1) (index_of env k) = index_of env (swap (i0 - 1) (i1 - 1) k))
        by (symmetry; apply map_swap; lia).
      rewrite M0. apply IHHt.
      + apply Forall_swap; [lia|lia|exact Bk].
      + rewrite <- M0. rewrite <- (swap_swap s (i0 - 1) (i1 - 1)) by lia.
        apply Forall2_swap; [exact In| |]; unfold index_of; rewrite map_length; lia.
    - pose proof (inb_length _ _ In) as L. unfold index_of in L. rewrite map_length in L.
      assert (i1 - 1 < length s) by (apply nth_error_Some; congruence).
      pose proof (length_remove s (i1 - 1)).
      destruct (nth_error k (i0 - 1)) as [j|] eqn:E; [|apply nth_error_None in E; lia].
      assert (Ej : nth_error (index_of env k) (i0 - 1) = Some (S (ieval env j)))
        by (unfold index_of; rewrite nth_error_map, E; reflexivity).
      rewrite Ej, (nth_error_nth _ _ (INum 0) E).
      assert (M0 : insert (i1 - 1) (S (ieval env j)) (index_of env k) = index_of env (insert (i1 - 1) j k))
        by (symmetry; apply map_insert).
      rewrite M0. apply IHHt.
      + apply Forall_insert; [lia| |exact Bk]. exact (Forall_nth_error _ _ _ _ Bk E).
      + rewrite <- M0. eapply inb_insert; [exact In|eassumption|].
        eapply Forall2_nth_error with (1 := In); [exact Ej|].
        rewrite nth_error_remove. destruct (Nat.ltb_spec (i0 - 1) (i1 - 1)); [assumption|lia].
    - assert (M0 : remove (i - 1) (index_of env k) = index_of env (remove (i - 1) k)) by (symmetry; apply map_remove).
      rewrite M0. apply IHHt.
      + apply Forall_remove. exact Bk.
      + rewrite <- M0, <- (remove_insert s (i - 1) n) by lia. apply Forall2_remove. exact In.
    - assert (M0 : insert (i - 1) m0 (index_of env k) = index_of env (insert (i - 1) (INum (m0 - 1)) k)).
      { unfold index_of. rewrite map_insert. simpl. replace (S (m0 - 1)) with m0 by lia. reflexivity. }
      pose proof (inb_length _ _ In) as L. unfold index_of in L. rewrite map_length in L.
      assert (i - 1 < length s) by (apply nth_error_Some; congruence).
      pose proof (length_remove s (i - 1)).
      rewrite M0. apply IHHt.
      + apply Forall_insert; [lia|exact I|exact Bk].
      + rewrite <- M0. eapply inb_insert; eassumption.
    - destruct (inb_set_nth _ _ _ _ _ In H0) as (j & Ej & Lj). rewrite Ej.
      destruct (index_of_nth _ _ _ _ Ej) as [Ek ->].
      assert (M0 : set (i - 1) (o + S (ieval env (nth (i - 1) k (INum 0)))) (index_of env k) =
                   index_of env (set (i - 1) (IHorner (nth (i - 1) k (INum 0)) 1 (INum o)) k)).
      { unfold index_of. rewrite map_set. f_equal. cbn [ieval]. lia. }
      rewrite M0. apply IHHt.
      + apply Forall_set; [|exact Bk]. split; [exact (Forall_nth_error _ _ _ _ Bk Ek)|exact I].
      + rewrite <- M0. eapply inb_set; [exact In|exact H0|lia].
    - destruct i as [|i]; [lia|]. replace (S i - 1) with i in * by lia.
      destruct (inb_window _ _ _ _ _ In H0) as (j & x & Ej & Ex & In'). rewrite Ej, Ex.
      destruct (index_of_nth _ _ _ _ Ej) as [Ek ->]. destruct (index_of_nth _ _ _ _ Ex) as [Ek' ->].
      assert (M0 : set i (S (ieval env (nth i k (INum 0))) + S (ieval env (nth (S i) k (INum 0))) - 1) (remove (S i) (index_of env k)) =
                   index_of env (set i (IHorner (nth i k (INum 0)) 1 (nth (S i) k (INum 0))) (remove (S i) k))).
      { unfold index_of. rewrite map_set, map_remove. f_equal. cbn [ieval]. lia. }
      rewrite M0 in *. apply IHHt; [|exact In'].
      apply Forall_set; [|apply Forall_remove; exact Bk].
      split; [exact (Forall_nth_error _ _ _ _ Bk Ek)|exact (Forall_nth_error _ _ _ _ Bk Ek')].
    - destruct (inb_set_nth _ _ _ _ _ In H0) as (j & Ej & Lj). rewrite Ej.
      destruct (index_of_nth _ _ _ _ Ej) as [Ek ->].
      assert (M0 : set (i - 1) ((S (ieval env (nth (i - 1) k (INum 0))) - 1) * d + 1) (index_of env k) =
                   index_of env (set (i - 1) (IHorner (nth (i - 1) k (INum 0)) d (INum 0)) k)).
      { unfold index_of. rewrite map_set. f_equal. cbn [ieval]. lia. }
      rewrite M0. apply IHHt.
      + apply Forall_set; [|exact Bk]. split; [exact (Forall_nth_error _ _ _ _ Bk Ek)|exact I].
      + rewrite <- M0. eapply inb_set; [exact In|exact H0|]. apply strided_bound; assumption.
    - rewrite (type_complete _ _ _ Ht), (dimension_typed _ _ _ _ _ Ht H0). rewrite <- (set_same _ _ _ H0) in In.
      destruct (inb_dimension _ _ _ _ _ In H0) as (j & Ej & -> & Lj & In').
      destruct (index_of_nth _ _ _ _ Ej) as [Ek ->]. set (j := nth (i - 1) k (INum 0)) in *.
      assert (M0 : set (i - 1) (n + 1 - S (ieval env j)) (index_of env k) = index_of env (set (i - 1) (IMinus (INum (n - 1)) j) k))
        by (apply index_of_set; cbn [ieval]; lia).
      rewrite M0. apply IHHt.
      + apply Forall_set; [|exact Bk]. split; [exact I|exact (Forall_nth_error _ _ _ _ Bk Ek)].
      + rewrite <- M0. apply In'. lia.
    - rewrite (type_complete _ _ _ Ht), (dimension_typed _ _ _ _ _ Ht H0).
      destruct (inb_dimension _ _ _ _ _ In H0) as (j & Ej & -> & Lj & In').
      destruct (index_of_nth _ _ _ _ Ej) as [Ek ->].
      set (j := nth (i - 1) k (INum 0)) in *.
      pose proof (gen_counter G e (set (i - 1) (IMinus j (INum l)) k) c0) as Lc.
      assert (Bk' : Forall (below c0) (set (i - 1) (IMinus j (INum l)) k)).
      { apply Forall_set; [|exact Bk]. split; [exact (Forall_nth_error _ _ _ _ Bk Ek)|exact I]. }
      specialize (IHHt env (set (i - 1) (IMinus j (INum l)) k) c0 Bk').
      destruct (gen G e (set (i - 1) (IMinus j (INum l)) k) c0) as [[p v] c'].
      replace ((l <? S (ieval env j)) && (S (ieval env j) <=? l + n))%bool with (holds_at env (Within j l n)) by reflexivity.
      apply computes_when; [exact Lc|]. intro T. pose proof (inside _ _ _ T) as Bj.
      assert (M0 : set (i - 1) (S (ieval env j) - l) (index_of env k) = index_of env (set (i - 1) (IMinus j (INum l)) k))
        by (apply index_of_set; cbn [ieval]; lia).
      rewrite M0. apply IHHt. rewrite <- M0. apply In'. exact Bj.
    - rewrite (type_complete _ _ _ Ht), (dimension_typed _ _ _ _ _ Ht H0).
      destruct (inb_dimension _ _ _ _ _ In H0) as (j & Ej & -> & Lj & In').
      destruct (index_of_nth _ _ _ _ Ej) as [Ek ->].
      pose proof (Forall_nth_error _ _ _ _ (positive_type G P _ _ Ht) H0) as Pn. simpl in Pn.
      set (j := nth (i - 1) k (INum 0)) in *.
      assert (M0 : set (i - 1) (remapped f n (S (ieval env j))) (index_of env k) = index_of env (set (i - 1) (subscript f n j) k))
        by (apply index_of_set; unfold remapped; rewrite subscript_value, Nat.sub_succ, Nat.sub_0_r; reflexivity).
      rewrite M0. apply IHHt.
      + apply Forall_set; [|exact Bk]. apply subscript_below. exact (Forall_nth_error _ _ _ _ Bk Ek).
      + rewrite <- M0. apply In', remapped_bound; [assumption|exact Pn|exact Lj].
    - destruct (inb_replaced _ _ _ _ m0 In H0) as (j & Ej & At). rewrite (type_complete _ _ _ Ht2), At.
      assert (E : nth_error (set (i - 1) m0 s) (i - 1) = Some m0) by (rewrite nth_error_set, Nat.eqb_refl, H0; reflexivity).
      rewrite (dimension_typed _ _ _ _ _ Ht2 E). destruct (index_of_nth _ _ _ _ Ej) as [Ek ->].
      set (j := nth (i - 1) k (INum 0)) in *. set (a := IOver (IMinus j (INum o)) d).
      rewrite Nat.sub_succ, Nat.sub_0_r.
      assert (M0 : set (i - 1) (S (part_place o d (ieval env j))) (index_of env k) = index_of env (set (i - 1) a k))
        by (apply index_of_set; reflexivity).
      rewrite M0. pose proof (gen_counter G e1 (set (i - 1) a k) c0) as Lc.
      assert (Bk' : Forall (below c0) (set (i - 1) a k)).
      { apply Forall_set; [|exact Bk]. split; [exact (Forall_nth_error _ _ _ _ Bk Ek)|exact I]. }
      specialize (IHHt2 env (set (i - 1) a k) c0 Bk').
      destruct (gen G e1 (set (i - 1) a k) c0) as [[p1 v1] c1]. cbn [snd] in Lc.
      specialize (IHHt1 env k c1 (Forall_impl _ (fun i => below_mono c0 c1 i Lc) Bk) In).
      destruct (gen G e0 k c1) as [[p0 v0] c2].
      assert (W : holds_at env (Every j o d m0) = true -> computes env B p1 v1 c0 c1 (value D G m e1 (index_of env (set (i - 1) a k)))).
      { intro T. apply IHHt2. rewrite <- M0. replace (ieval env j) with (S (ieval env j) - 1) at 1 by lia.
        apply inb_part; [exact In|]. rewrite Nat.sub_succ, Nat.sub_0_r. exact T. }
      eapply computes_seq; [exact (computes_when env B _ p1 v1 c0 c1 _ Lc W)|exact IHHt1|].
      intros acc V1 V0. cbn [seval] in *. change (in_part o d m0 (ieval env j)) with (holds_at env (Every j o d m0)).
      destruct (holds_at env (Every j o d m0)); assumption.
    - inversion In as [|x y k' s' J N Ex]; subst. inversion N; subst.
      destruct k as [|a [|b k]]; try discriminate. injection Ex as ->. apply computes_skip. intro acc.
      cbn [index_of map seval nth]. rewrite Nat.sub_succ, Nat.sub_0_r. reflexivity.
  Qed.

  (** A loop over each dimension of a shape, variables numbered from [v]. *)
  Fixpoint nest (v : nat) (s : shape) (body : command) : command :=
    match s with
    | [] => body
    | n :: s => For v n (nest (S v) s body)
    end.

  Definition variables (s : shape) : list iexp := map IVar (seq 0 (length s)).

  (** [covers s g K l l']: from [l] to [l'] exactly the places of the indices in [K]
      are written, with the values of [g]. *)
  Definition covers (s : shape) (g : index -> T) (K : index -> Prop) (l l' : list T) : Prop :=
    length l' = length l /\
    (forall k, inb k s -> K k -> nth_error l' (place k s) = Some (g k)) /\
    (forall o, (forall k, inb k s -> K k -> place k s <> o) -> nth_error l' o = nth_error l o).

  Lemma covers_then : forall s g K K' l l' l'', (forall k, {K' k} + {~ K' k}) ->
    covers s g K l l' -> covers s g K' l' l'' -> covers s g (fun k => K k \/ K' k) l l''.
  Proof.
    intros s g K K' l l' l'' dec (L & W & U) (L' & W' & U'). split; [congruence|]. split.
    - intros k Ik Hk. destruct (dec k) as [H|N]; [auto|].
      destruct Hk as [H|H]; [|contradiction]. rewrite U'; [auto|].
      intros k' Ik' H' E. apply place_injective in E; [|assumption|assumption]. subst. contradiction.
    - intros o H. rewrite U', U; auto.
  Qed.

  Section Nest.
    Context (B0 : buffers) (t : name) (full_shape : shape) (g : index -> T) (body : command).

    Definition index_at (env : nat -> nat) : index := map (fun v => S (env v)) (seq 0 (length full_shape)).

    (** What one run of the body does: it writes its own place. *)
    Context (body_correct : forall env acc B l,
      (forall x, x <> t -> B x = B0 x) -> B t = Some l -> length l = size full_shape ->
      inb (index_at env) full_shape ->
      exists acc' B' l', exec body env acc B = Some (acc', B') /\
        (forall x, x <> t -> B' x = B0 x) /\ B' t = Some l' /\
        covers full_shape g (fun k => k = index_at env) l l').

    Definition prefix (env : nat -> nat) (v : nat) : index := map (fun v => S (env v)) (seq 0 v).

    Lemma prefix_update : forall env v i, prefix (update env v i) (S v) = prefix env v ++ [S i].
    Proof.
      intros. unfold prefix. rewrite seq_S, map_app. simpl. rewrite update_same. f_equal.
      apply map_ext_in. intros w I. apply in_seq in I. rewrite update_other by lia. reflexivity.
    Qed.

    Lemma nest_correct : forall s env acc B l,
      length s <= length full_shape ->
      inb (prefix env (length full_shape - length s)) (firstn (length full_shape - length s) full_shape) ->
      s = skipn (length full_shape - length s) full_shape ->
      (forall x, x <> t -> B x = B0 x) -> B t = Some l -> length l = size full_shape ->
      exists acc' B' l', exec (nest (length full_shape - length s) s body) env acc B = Some (acc', B') /\
        (forall x, x <> t -> B' x = B0 x) /\ B' t = Some l' /\
        covers full_shape g (fun k => firstn (length full_shape - length s) k = prefix env (length full_shape - length s)) l l'.
    Proof.
      induction s as [|n s IH]; intros env acc B l Ls Pre Es F Ht Ll.
      - simpl in *. rewrite Nat.sub_0_r in *. rewrite firstn_all in Pre.
        destruct (body_correct env acc B l F Ht Ll Pre) as (acc' & B' & l' & E & F' & Ht' & (L & W & U)).
        exists acc', B', l'. repeat split; auto.
        + intros k Ik Hk. apply W; [exact Ik|]. rewrite <- (firstn_all k), (inb_length _ _ Ik). exact Hk.
        + intros o H. apply U. intros k Ik -> . apply H; [exact Ik|].
          rewrite <- (inb_length _ _ Ik) at 1. apply firstn_all.
      - set (v := length full_shape - length (n :: s)) in *.
        assert (Sv : length full_shape - length s = S v) by (simpl in *; lia).
        assert (Nv : nth_error full_shape v = Some n).
        { rewrite <- (firstn_skipn v full_shape), <- Es. rewrite nth_error_app2; rewrite firstn_length_le by lia; [|lia].
          rewrite Nat.sub_diag. reflexivity. }
        assert (Fs : firstn (S v) full_shape = firstn v full_shape ++ [n]).
        { rewrite <- (firstn_skipn v full_shape) at 1. rewrite <- Es. rewrite firstn_app, firstn_firstn.
          rewrite firstn_length_le by lia. replace (Nat.min (S v) v) with v by lia.
          replace (S v - v) with 1 by lia. reflexivity. }
        rewrite Sv in IH.
        assert (Step : forall i acc B l, i < n -> (forall x, x <> t -> B x = B0 x) -> B t = Some l -> length l = size full_shape ->
          exists acc' B' l', exec (nest (S v) s body) (update env v i) acc B = Some (acc', B') /\
            (forall x, x <> t -> B' x = B0 x) /\ B' t = Some l' /\
            covers full_shape g (fun k => firstn (S v) k = prefix env v ++ [S i]) l l').
        { intros i acc1 B1 l1 Li F1 Ht1 Ll1. rewrite <- prefix_update. apply IH; auto.
          - simpl in Ls. lia.
          - rewrite prefix_update, Fs. apply Forall2_app; [exact Pre|]. constructor; [lia|constructor].
          - rewrite <- (firstn_skipn v full_shape) at 1. rewrite <- Es, skipn_app.
            rewrite firstn_length_le by lia. replace (S v - v) with 1 by lia.
            rewrite skipn_all2 by (rewrite firstn_length_le; lia). reflexivity. }
        assert (Loop : forall j, j <= n -> exists acc' B' l',
          fold_left (fun st i => match st with
                                 | Some (acc, B) => exec (nest (S v) s body) (update env v i) acc B
                                 | None => None
                                 end) (seq 0 j) (Some (acc, B)) = Some (acc', B') /\
          (forall x, x <> t -> B' x = B0 x) /\ B' t = Some l' /\
          covers full_shape g (fun k => exists i, i < j /\ firstn (S v) k = prefix env v ++ [S i]) l l').
        { induction j as [|j IHj]; intro Lj.
          - exists acc, B, l. repeat split; auto. intros k _ (i & Li & _). lia.
          - destruct IHj as (acc1 & B1 & l1 & E1 & F1 & Ht1 & C1); [lia|].
            destruct (Step j acc1 B1 l1) as (acc2 & B2 & l2 & E2 & F2 & Ht2 & C2); auto; [destruct C1; congruence|].
            exists acc2, B2, l2. rewrite seq_S, fold_left_app, E1. cbn [fold_left Nat.add].
            split; [exact E2|]. split; [exact F2|]. split; [exact Ht2|].
            destruct (covers_then _ _ _ _ _ _ _ (fun k => list_eq_dec Nat.eq_dec _ _) C1 C2) as (L & W & U).
            split; [exact L|]. split.
            + intros k Ik (i & Li & Hk). apply W; [exact Ik|].
              destruct (Nat.eq_dec i j); [subst; auto|]. left. exists i. split; [lia|exact Hk].
            + intros o H. apply U. intros k Ik [(i & Li & Hk)|Hk]; apply H; auto; [exists i|exists j]; split; auto; lia. }
        destruct (Loop n) as (acc' & B' & l' & E & F' & Ht' & (L & W & U)); [lia|].
        exists acc', B', l'. split; [exact E|]. split; [exact F'|]. split; [exact Ht'|].
        assert (Same : forall k, inb k full_shape ->
          (firstn v k = prefix env v <-> exists i, i < n /\ firstn (S v) k = prefix env v ++ [S i])).
        { intros k Ik. pose proof (inb_length _ _ Ik) as Lk.
          assert (Lv : v < length full_shape) by (apply nth_error_Some; congruence).
          destruct (nth_error k v) as [j|] eqn:Ej; [|apply nth_error_None in Ej; lia].
          pose proof (Forall2_nth_error _ _ _ Ik _ _ _ Ej Nv) as Bj. simpl in Bj.
          assert (Fk : firstn (S v) k = firstn v k ++ [j]).
          { clear - Ej. revert k Ej. induction v as [|w IHw]; intros [|a k] Ej; try discriminate; simpl in *.
            - injection Ej as ->. reflexivity.
            - f_equal. apply IHw. exact Ej. }
          rewrite Fk. split.
          - intros ->. exists (j - 1). split; [lia|]. do 2 f_equal. lia.
          - intros (i & _ & H). apply app_inj_tail in H. tauto. }
        split; [exact L|]. split.
        + intros k Ik Hk. apply W; [exact Ik|]. apply Same; assumption.
        + intros o H. apply U. intros k Ik Hk. apply H; [exact Ik|]. apply Same; assumption.
    Qed.
  End Nest.

  (** x = e: into the buffer [t] first, then over x. *)
  Definition lower (G : context) (t x : name) (s : shape) (e : expr) : command :=
    let k := variables s in
    let '(p, v, _) := gen G e k (length s) in
    let o := offset_from (INum 0) k s in
    Seq (nest 0 s (Seq p (Store t o v))) (nest 0 s (Store x o (SLoad t o))).

  Lemma set_covers : forall s g l o k y, length l = size s -> inb k s -> o = place k s -> y = g k ->
    covers s g (fun k' => k' = k) l (set o y l).
  Proof.
    intros s g l o k y Ll Ik -> ->. pose proof (place_in_buffer _ _ Ik).
    split; [apply length_set|]. split.
    - intros k' _ ->. rewrite nth_error_set, Nat.eqb_refl.
      destruct (nth_error l (place k s)) eqn:E; [reflexivity|apply nth_error_None in E; lia].
    - intros o H'. rewrite nth_error_set. destruct (Nat.eqb_spec o (place k s)); [|reflexivity].
      subst. exfalso. exact (H' k Ik eq_refl eq_refl).
  Qed.

  Lemma index_of_variables : forall s env, index_of env (variables s) = index_at s env.
  Proof. intros. unfold index_of, variables, index_at. rewrite map_map. reflexivity. Qed.

  Lemma below_variables : forall s, Forall (below (length s)) (variables s).
  Proof. intros. apply Forall_map, Forall_forall. intros v I. apply in_seq in I. simpl. lia. Qed.

  (** Lowering is correct: the loops run to their end, so every load and store is
      inside of its buffer, and the buffers then hold the memory after the statement. *)
  Theorem lower_correct : forall G m B t x e s lt acc, agrees m G -> positive_context G -> holds G m B ->
    G x = Some s -> has_type G e s -> G t = None -> B t = Some lt -> length lt = size s ->
    exists acc' B', exec (lower G t x s e) (fun _ => 0) acc B = Some (acc', B') /\
      holds G (assign m x s (value D G m e)) B' /\
      forall z, z <> t -> z <> x -> B' z = B z.
  Proof.
    intros G m B t x e s lt acc A P Hb Hx He Nt Ht Llt.
    assert (X : t <> x) by congruence.
    set (g := fun k => match value D G m e k with Some y => y | None => zero D end).
    assert (Gv : forall k, inb k s -> value D G m e k = Some (g k)).
    { intros k Ik. unfold g. destruct (value_defined D G m A P e s He k Ik) as [y ->]. reflexivity. }
    assert (Lo : forall env, ieval env (offset_from (INum 0) (variables s) s) = place (index_at s env) s).
    { intro env. rewrite offset_from_value by (unfold variables; rewrite map_length, seq_length; reflexivity).
      rewrite index_of_variables. reflexivity. }
    assert (H0 : holds G m B -> forall B1, (forall z, z <> t -> B1 z = B z) -> holds G m B1).
    { intros _ B1 F z w Hz. destruct (Hb z w Hz) as (f & l & Em & El & R). exists f, l.
      rewrite F by congruence. tauto. }
    unfold lower. pose proof (fun B1 (F : forall z, z <> t -> B1 z = B z) env =>
      gen_correct G m A P e s He B1 (H0 Hb B1 F) env (variables s) (length s) (below_variables s)) as Gen.
    destruct (gen G e (variables s) (length s)) as [[p v] c'].
    (* The first nest. *)
    assert (Body1 : forall env acc B1 l, (forall z, z <> t -> B1 z = B z) -> B1 t = Some l -> length l = size s ->
      inb (index_at s env) s ->
      exists acc' B' l', exec (Seq p (Store t (offset_from (INum 0) (variables s) s) v)) env acc B1 = Some (acc', B') /\
        (forall z, z <> t -> B' z = B z) /\ B' t = Some l' /\ covers s g (fun k => k = index_at s env) l l').
    { intros env acc1 B1 l F Hl Ll Ik.
      destruct (Gen B1 F env ltac:(rewrite index_of_variables; exact Ik)) as [_ Run].
      destruct (Run acc1) as (acc2 & E & _ & V). cbn [exec]. rewrite E.
      rewrite (V acc2) by auto. rewrite index_of_variables, Gv by exact Ik. rewrite Hl, Lo.
      pose proof (place_in_buffer _ _ Ik). destruct (Nat.ltb_spec (place (index_at s env) s) (length l)); [|lia].
      do 3 eexists. split; [reflexivity|]. split; [intros z Z; rewrite update_other by congruence; auto|].
      split; [apply update_same|]. apply set_covers; auto. }
    destruct (nest_correct B t s g _ Body1 s (fun _ => 0) acc B lt) as (acc1 & B1 & l1 & E1 & F1 & Ht1 & (L1 & W1 & _));
      auto; rewrite ?Nat.sub_diag; try (simpl; constructor); auto.
    rewrite Nat.sub_diag in E1.
    (* The second nest. *)
    destruct (Hb x s Hx) as (fx & lx & Emx & Elx & Llx & _).
    assert (Body2 : forall env acc B2 l, (forall z, z <> x -> B2 z = B1 z) -> B2 x = Some l -> length l = size s ->
      inb (index_at s env) s ->
      exists acc' B' l', exec (Store x (offset_from (INum 0) (variables s) s) (SLoad t (offset_from (INum 0) (variables s) s))) env acc B2 = Some (acc', B') /\
        (forall z, z <> x -> B' z = B1 z) /\ B' x = Some l' /\ covers s g (fun k => k = index_at s env) l l').
    { intros env acc2 B2 l F Hl Ll Ik. cbn [exec seval]. rewrite F by congruence. rewrite Ht1, Hl, Lo.
      rewrite (W1 _ Ik) by (rewrite Nat.sub_diag; reflexivity).
      pose proof (place_in_buffer _ _ Ik). destruct (Nat.ltb_spec (place (index_at s env) s) (length l)); [|lia].
      do 3 eexists. split; [reflexivity|]. split; [intros z Z; rewrite update_other by congruence; auto|].
      split; [apply update_same|]. apply set_covers; auto. }
    destruct (nest_correct B1 x s g _ Body2 s (fun _ => 0) acc1 B1 lx) as (acc2 & B2 & l2 & E2 & F2 & Hx2 & (L2 & W2 & _));
      auto; rewrite ?Nat.sub_diag; try (simpl; constructor); auto.
    { rewrite F1 by congruence. exact Elx. }
    rewrite Nat.sub_diag in E2.
    exists acc2, B2. cbn [exec]. rewrite E1. split; [exact E2|].
    split; [|intros z Z Z'; rewrite F2, F1 by congruence; reflexivity].
    intros z w Hz. unfold assign. destruct (Nat.eqb_spec x z).
    - subst z. rewrite Hx in Hz. injection Hz as <-. do 2 eexists. split; [reflexivity|]. split; [exact Hx2|].
      split; [congruence|]. intros k Ik. destruct (inb_dec k s); [|contradiction].
      rewrite (W2 k Ik) by (rewrite Nat.sub_diag; reflexivity). apply Gv. exact Ik.
    - destruct (Hb z w Hz) as (f & l & Em & El & R). exists f, l.
      rewrite F2, F1 by congruence. tauto.
  Qed.

  (** A whole program: every statement with a buffer of its own to compute in. *)
  Fixpoint lower_all (G : context) (l : list (name * stmt expr)) : command :=
    match l with
    | [] => Skip
    | (t, Assign x e) :: l =>
        Seq (lower G t x (match G x with Some s => s | None => [] end) e) (lower_all G l)
    end.

  Definition has_room (G : context) (B : buffers) (c : name * stmt expr) : Prop :=
    match c with
    | (t, Assign x _) =>
        G t = None /\ exists s l, G x = Some s /\ B t = Some l /\ length l = size s
    end.

  (** The loops of a well-formed program run to their end, and the buffers then hold the
      memory with which the program ends. *)
  Theorem lower_all_correct : forall G l m B acc, agrees m G -> positive_context G -> holds G m B ->
    ok_stmts has_type G (map snd l) -> NoDup (map fst l) -> Forall (has_room G B) l ->
    exists acc' B' m', exec (lower_all G l) (fun _ => 0) acc B = Some (acc', B') /\
      runs (value D) G m (map snd l) m' /\ holds G m' B'.
  Proof.
    intros G l. induction l as [|[t [x e]] l IH]; intros m B acc A P Hb Ok Nd Room.
    - exists acc, B, m. repeat split; auto. constructor.
    - simpl in Ok, Nd. inversion Ok as [|? ? Oc Ol]; subst. inversion Nd as [|? ? Nt Nl]; subst.
      inversion Room as [|? ? Ro Rl]; subst.
      destruct Ro as (Gt & s' & lt & Hx' & Ht & Ll).
      inversion Oc as [? ? s Hx He]; subst. rewrite Hx in Hx'. injection Hx' as <-.
      destruct (lower_correct G m B t x e s lt acc A P Hb Hx He Gt Ht Ll) as (acc1 & B1 & E1 & H1 & F1).
      pose proof (value_defined D G m A P e s He) as V.
      destruct (IH (assign m x s (value D G m e)) B1 acc1) as (acc2 & B2 & m2 & E2 & R2 & H2); auto.
      + apply assign_agrees; assumption.
      + rewrite Forall_forall in *. intros [t' [x' e']] I. specialize (Rl _ I). simpl in Rl |- *.
        destruct Rl as (Gt' & s1 & l1 & Hx1 & Ht1 & Ll1). split; [exact Gt'|]. exists s1, l1.
        rewrite F1; [tauto| |congruence]. intros ->. apply Nt. exact (in_map fst _ _ I).
      + exists acc2, B2, m2. simpl. rewrite Hx, E1. split; [exact E2|]. split; [|exact H2].
        pose proof (A x) as Ax. rewrite Hx in Ax. destruct (m x) as [f|] eqn:Em; [|contradiction].
        econstructor; [econstructor; eauto|exact R2]. intros k Ik. apply Ax. exact Ik.
  Qed.
End Lowering.
