(** The laws that need laws of the numbers: sums of repetitions, sums of sums, and sums
    that move into a factor of an outer product, which lifting contractions rests on. *)

From Coq Require Import List Arith Lia ZArith.
From Ricci Require Import Lists Syntax Statements Typing Semantics Lifting Equations.
Import ListNotations.

(** Commutative semirings, whose literals are sums of ones. *)
Record semiring (D : domain) : Prop := {
  plus_assoc : forall a b c, plus D a (plus D b c) = plus D (plus D a b) c;
  plus_comm : forall a b, plus D a b = plus D b a;
  plus_zero : forall a, plus D (zero D) a = a;
  times_assoc : forall a b c, times D a (times D b c) = times D (times D a b) c;
  times_comm : forall a b, times D a b = times D b a;
  times_one : forall a, times D (one D) a = a;
  times_zero : forall a, times D (zero D) a = zero D;
  distribute : forall a b c, times D (plus D a b) c = plus D (times D a c) (times D b c);
  literal_zero : constant D 0 = zero D;
  literal_next : forall n, constant D (S n) = plus D (constant D n) (one D);
}.

(** The laws have a model: the integers. *)
Definition integers : domain := {|
  number := Z; zero := 0%Z; one := 1%Z; plus := Z.add; times := Z.mul;
  binary_op b := match b with Add => Z.add | Sub => Z.sub | Div => Z.div | Min => Z.min | Max => Z.max | Tuple | Function2 _ => Z.add end;
  unary_op f := match f with Negate => Z.opp | Function _ => Z.abs end;
  constant := Z.of_nat; place_of z := Z.to_nat (z + 1); outside := 0%Z |}.

Theorem integers_semiring : semiring integers.
Proof. constructor; simpl; intros; try lia. destruct a; reflexivity. Qed.

Section Algebra.
  Context (D : domain) (R : semiring D).
  Notation T := (number D).
  Notation V := (value D).
  Notation sum := (fold D Sum).
  Notation "a + b" := (plus D a b).
  Notation "a * b" := (times D a b).

  Lemma fold_sum_S : forall n f, sum (S n) f = lift2 D (plus D) (sum n f) (f (S n)).
  Proof. intros [|n] f; reflexivity. Qed.

  Lemma sum_defined : forall n f, (forall j, (1 <= j <= n)%nat -> defined (f j)) -> defined (sum n f).
  Proof.
    intros n f H. destruct n as [|n]; [eexists; reflexivity|]. apply fold_defined; [lia|exact H].
  Qed.

  Lemma sum_plus : forall n f g, (forall j, (1 <= j <= n)%nat -> defined (f j) /\ defined (g j)) ->
    sum n (fun j => lift2 D (plus D) (f j) (g j)) = lift2 D (plus D) (sum n f) (sum n g).
  Proof.
    intros n f g. induction n as [|n IH]; intro H.
    - simpl. rewrite (plus_zero D R). reflexivity.
    - rewrite !fold_sum_S, IH by (intros; apply H; lia).
      destruct (H (S n)) as [[a ->] [b ->]]; [lia|].
      destruct (sum n f) as [x|], (sum n g) as [y|]; try reflexivity. cbn [lift2]. f_equal.
      rewrite <- !(plus_assoc D R). f_equal. rewrite !(plus_assoc D R). f_equal. apply (plus_comm D R).
  Qed.

  Lemma sum_zero : forall n, sum n (fun _ => Some (zero D)) = Some (zero D).
  Proof.
    induction n as [|n IH]; [reflexivity|]. rewrite fold_sum_S, IH. cbn [lift2]. rewrite (plus_zero D R). reflexivity.
  Qed.

  (** Two sums may be computed in either order. *)
  Lemma sum_exchange : forall n m f, (forall i j, (1 <= i <= n)%nat -> (1 <= j <= m)%nat -> defined (f i j)) ->
    sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
  Proof.
    intros n m f. induction n as [|n IH]; intro H.
    - simpl. rewrite sum_zero. reflexivity.
    - rewrite fold_sum_S, IH by (intros; apply H; lia).
      rewrite <- sum_plus; [apply fold_ext; intros; symmetry; apply fold_sum_S|].
      intros j L. split; [apply sum_defined; intros|]; apply H; lia.
  Qed.

  Lemma sum_times : forall n f c, (forall j, (1 <= j <= n)%nat -> defined (f j)) ->
    sum n (fun j => lift2 D (times D) (f j) (Some c)) = lift2 D (times D) (sum n f) (Some c).
  Proof.
    intros n f c. induction n as [|n IH]; intro F.
    - simpl. rewrite (times_zero D R). reflexivity.
    - rewrite !fold_sum_S, IH by (intros; apply F; lia).
      destruct (F (S n)) as [a ->]; [lia|].
      destruct (sum n f) as [x|]; [|reflexivity]. cbn [lift2]. rewrite (distribute D R). reflexivity.
  Qed.

  Lemma lift_comm : forall x y, lift2 D (times D) x y = lift2 D (times D) y x.
  Proof. intros [a|] [b|]; simpl; try reflexivity. rewrite (times_comm D R). reflexivity. Qed.

  (** A reduction of what is equal. *)
  Theorem red_inside : forall G r i e e', law D G e e' -> law D G (Red r i e) (Red r i e').
  Proof.
    intros G r i e e' H s Hs. types. typed e t He. destruct (H _ He) as [H' W].
    split; [constructor; assumption|]. intros m A k B. cbn [value].
    rewrite (type_complete _ _ _ He), (type_complete _ _ _ H').
    destruct (nth_error t (i - 1)) as [n|] eqn:E; [|reflexivity].
    apply fold_ext. intros j L. apply W; [exact A|]. eapply inb_insert; eauto.
  Qed.

  (** A reduction where its dimension is known. *)
  Lemma red_value : forall G m r i e s n k, has_type G e s -> nth_error s (i - 1) = Some n ->
    V G m (Red r i e) k = fold D r n (fun j => V G m e (insert (i - 1) j k)).
  Proof. intros. cbn [value]. rewrite (type_complete _ _ _ H), H0. reflexivity. Qed.

  (** (5) The sum of a repetition is a multiple. *)
  Theorem sum_expa : forall i n e, rewrites D (Red Sum i (Expa i n e)) (Mul (Const n) e).
  Proof.
    intros i n e G P s H. types. typed e t He. rewrite remove_insert by lia.
    split; [apply T_SMul; auto; constructor|].
    intros m A k B. pose proof (inb_length _ _ B) as L.
    rewrite (red_value _ _ _ _ _ (insert (i - 1) n t) n) by (try constructor; auto; nths; reflexivity).
    cbn [value type factor_index].
    destruct (value_defined D G m A P e t He k B) as [a Ha]. rewrite Ha. cbn [lift2].
    assert (Q : forall j, remove (i - 1) (insert (i - 1) j k) = k) by (intro; apply remove_insert; lia).
    clear - Ha Q R. induction n as [|n IH].
    - simpl. rewrite (literal_zero D R), (times_zero D R). reflexivity.
    - rewrite fold_sum_S, IH, Q, Ha. cbn [lift2].
      rewrite (literal_next D R), (distribute D R), (times_one D R). reflexivity.
  Qed.

  (** The least and the greatest element of a repetition. *)
  Lemma fold_same : forall r, start D r = None -> (forall a, step D r a a = a) ->
    forall n x, (1 <= n)%nat -> fold D r n (fun _ => x) = x.
  Proof.
    intros r Sr I n x L. induction n as [|n IH]; [lia|]. cbn [fold]. rewrite Sr. destruct n as [|n]; [reflexivity|].
    change (lift2 D (step D r) (fold D r (S n) (fun _ => x)) x = x). rewrite IH by lia.
    destruct x as [a|]; simpl; [rewrite I|]; reflexivity.
  Qed.

  Lemma extreme_expa : forall r, start D r = None -> (forall a, step D r a a = a) ->
    forall i n e, rewrites D (Red r i (Expa i n e)) e.
  Proof.
    intros r Sr I i n e G P s H. types. typed e t He. rewrite remove_insert by lia. split; [assumption|].
    intros m A k B. pose proof (inb_length _ _ B) as L.
    rewrite (red_value _ _ _ _ _ (insert (i - 1) n t) n) by (try constructor; auto; nths; reflexivity).
    cbn [value]. rewrite <- (fold_same r Sr I n (V G m e k)) by assumption.
    apply fold_ext. intros. rewrite remove_insert by lia. reflexivity.
  Qed.

  Theorem min_expa : (forall a, binary_op D Min a a = a) -> forall i n e, rewrites D (Red Minimum i (Expa i n e)) e.
  Proof. intros I. apply extreme_expa; [reflexivity|exact I]. Qed.

  Theorem max_expa : (forall a, binary_op D Max a a = a) -> forall i n e, rewrites D (Red Maximum i (Expa i n e)) e.
  Proof. intros I. apply extreme_expa; [reflexivity|exact I]. Qed.

  (** The product of a repetition is a power. *)
  Fixpoint power (n : nat) (e : expr) : expr := match n with 0 | 1 => e | S n => Mul (power n e) e end.

  Lemma power_type : forall G e s, has_type G e s -> forall n, has_type G (power n e) s.
  Proof. intros G e s H. induction n as [|[|n] IH]; auto. apply T_Mul; assumption. Qed.

  Theorem product_expa : forall i n e, rewrites D (Red Product i (Expa i n e)) (power n e).
  Proof.
    intros i n e G P s H. types. typed e t He. rewrite remove_insert by lia. split; [apply power_type; assumption|].
    intros m A k B. pose proof (inb_length _ _ B) as L.
    rewrite (red_value _ _ _ _ _ (insert (i - 1) n t) n) by (try constructor; auto; nths; reflexivity).
    assert (Q : forall j, V G m (Expa i n e) (insert (i - 1) j k) = V G m e k)
      by (intro; cbn [value]; rewrite remove_insert by lia; reflexivity).
    rewrite (fold_ext D _ _ _ (fun _ => V G m e k)) by (intros; apply Q).
    destruct (value_defined D G m A P e t He k B) as [a Ha].
    assert (W : forall n, (1 <= n)%nat -> fold D Product n (fun _ => V G m e k) = V G m (power n e) k).
    { clear - Ha He B R. induction n as [|[|n] IH]; intro L; [lia| |].
      - simpl. rewrite Ha. cbn [lift2]. rewrite (times_one D R). reflexivity.
      - change (lift2 D (times D) (fold D Product (S n) (fun _ => V G m e k)) (V G m e k) = V G m (Mul (power (S n) e) e) k).
        rewrite IH by lia. cbn [value]. rewrite (type_complete _ _ _ (power_type _ _ _ He (S n))).
        destruct t; [|reflexivity]. inversion B. reflexivity. }
    apply W. assumption.
  Qed.

  (** Sums of sums. *)
  Theorem sum_add : forall i e0 e1, rewrites D (Red Sum i (Binary Add e0 e1)) (Binary Add (Red Sum i e0) (Red Sum i e1)).
  Proof.
    intros i e0 e1 G P s H. types. typed e0 u H0. typed e1 v H1.
    split; [apply T_Binary; apply T_Red; assumption|].
    intros m A k B. destruct (position _ v i) as [n E]; [lia|]. cbn [value].
    rewrite (type_complete G (Binary Add e0 e1) v), (type_complete _ _ _ H0), (type_complete _ _ _ H1), E by (constructor; assumption).
    apply sum_plus. intros j L. split; apply (value_defined D G m A P _ v); auto; eapply inb_insert; eauto.
  Qed.

  (** A scalar factor stays outside of a sum. *)
  Theorem sum_scale : forall i e0 e1 G, positive_context G -> has_type G e0 [] ->
    law D G (Red Sum i (Mul e0 e1)) (Mul e0 (Red Sum i e1)).
  Proof.
    intros i e0 e1 G P H0 s H. types; one_type; [simpl in *; lia|]. typed e1 t H1.
    split; [apply T_SMul; [assumption|constructor; assumption]|].
    intros m A k B. destruct (position _ t i) as [n E]; [assumption|].
    rewrite (red_value _ _ _ _ _ t n) by (try constructor; assumption).
    cbn [value]. rewrite (type_complete _ _ _ H0), (type_complete _ _ _ H1), E. cbn [factor_index].
    destruct (value_defined D G m A P _ _ H0 [] inb_nil) as [c Hc]. rewrite Hc, lift_comm, <- sum_times.
    - apply fold_ext. intros. apply lift_comm.
    - intros j L. apply (value_defined D G m A P _ t H1). eapply inb_insert; eauto.
  Qed.

  Section Factors.
    Context (G : context) (P : positive_context G) (e0 e1 : expr) (s0 s1 : shape)
            (H0 : has_type G e0 s0) (H1 : has_type G e1 s1).

    (** A sum moves through the outer product to the factor that has its dimension:
        what lifting contractions rests on, O(n^6) to O(n^4). *)
    Theorem sum_prod_left : forall i, (i <= length s0)%nat -> law D G (Red Sum i (Prod e0 e1)) (Prod (Red Sum i e0) e1).
    Proof.
      intros i Li s H. types. one_type.
      destruct (position _ s0 i) as [n E]; [lia|]. lengths.
      assert (Q : has_type G (Red Sum i e0) (remove (i - 1) s0)) by (constructor; [assumption|lia]). split.
      - eapply retype; [apply T_Prod; eassumption|]. lists.
      - intros m A k B. assert (Sh : remove (i - 1) (s0 ++ s1) = remove (i - 1) s0 ++ s1) by lists.
        rewrite Sh in B. destruct (inb_split _ _ _ B) as [B0 B1]. pose proof (inb_length _ _ B) as L.
        revert L. repeat length_step. intro L.
        rewrite (red_value _ _ _ _ _ (s0 ++ s1) n) by (try constructor; try assumption; nths; assumption).
        rewrite (factors D _ _ _ _ _ _ Q), (red_value _ _ _ _ _ s0 n) by assumption.
        destruct (value_defined D G m A P e1 s1 H1 _ B1) as [c Hc]. rewrite Hc, <- sum_times.
        + apply fold_ext. intros j Lj. rewrite (factors D _ _ _ _ _ _ H0), <- Hc.
          apply factors_equal; apply reindex; lists.
        + intros j Lj. apply (value_defined D G m A P e0 s0 H0). eapply inb_insert; eauto.
    Qed.

    Theorem sum_prod_right : forall i, (length s0 < i)%nat ->
      law D G (Red Sum i (Prod e0 e1)) (Prod e0 (Red Sum (i - length s0) e1)).
    Proof.
      intros i Li s H. types. one_type. rewrite app_length in *.
      destruct (position _ s1 (i - length s0)) as [n E]; [lia|]. lengths.
      assert (Q : has_type G (Red Sum (i - length s0) e1) (remove (i - length s0 - 1) s1)) by (constructor; [assumption|lia]). split.
      - eapply retype; [apply T_Prod; eassumption|]. lists.
      - intros m A k B. assert (Sh : remove (i - 1) (s0 ++ s1) = s0 ++ remove (i - length s0 - 1) s1) by lists.
        rewrite Sh in B. destruct (inb_split _ _ _ B) as [B0 B1]. pose proof (inb_length _ _ B) as L.
        revert L. repeat length_step. intro L.
        rewrite (red_value _ _ _ _ _ (s0 ++ s1) n) by (try constructor; try assumption; nths; same_position).
        rewrite (factors D _ _ _ _ _ _ H0), (red_value _ _ _ _ _ s1 n) by assumption.
        destruct (value_defined D G m A P e0 s0 H0 _ B0) as [c Hc]. rewrite Hc, lift_comm, <- sum_times.
        + apply fold_ext. intros j Lj. rewrite (factors D _ _ _ _ _ _ H0), <- Hc, lift_comm.
          apply factors_equal; apply reindex; lists.
        + intros j Lj. apply (value_defined D G m A P e1 s1 H1). eapply inb_insert; eauto.
    Qed.
  End Factors.

  (** A contraction of two dimensions of one factor is one of this factor. *)
  Theorem contr_prod_left : forall G e0 e1 s0 s1, positive_context G -> has_type G e0 s0 -> has_type G e1 s1 ->
    forall i0 i1, (i1 <= length s0)%nat -> law D G (contr i0 i1 (Prod e0 e1)) (Prod (contr i0 i1 e0) e1).
  Proof.
    intros G e0 e1 s0 s1 P H0 H1 i0 i1 Li s H.
    apply contr_type in H. destruct H as (t & n & Ht & L & E0 & E1 & ->).
    types. one_type. lengths. rewrite app_length in *.
    assert (N0 : nth_error s0 (i0 - 1) = Some n) by (rewrite nth_error_app1 in E0 by lia; exact E0).
    assert (N1 : nth_error s0 (i1 - 1) = Some n) by (rewrite nth_error_app1 in E1 by lia; exact E1).
    assert (T0 : has_type G (Diag i0 i1 e0) (remove (i1 - 1) s0)) by (econstructor; eauto).
    refine (law_trans D G _ _ _ (red_inside G Sum i0 _ _ (diag_prod_left D G e0 e1 s0 s1 H0 H1 i0 i1 Li))
      (sum_prod_left G P _ e1 _ s1 T0 H1 i0 _) _ _).
    - rewrite length_remove_minus by lia. lia.
    - apply contr_type. exists (s0 ++ s1), n. repeat split; try lia; [constructor; assumption|assumption|assumption].
  Qed.

  Theorem contr_prod_right : forall G e0 e1 s0 s1, positive_context G -> has_type G e0 s0 -> has_type G e1 s1 ->
    forall i0 i1, (length s0 < i0)%nat ->
    law D G (contr i0 i1 (Prod e0 e1)) (Prod e0 (contr (i0 - length s0) (i1 - length s0) e1)).
  Proof.
    intros G e0 e1 s0 s1 P H0 H1 i0 i1 Li s H.
    apply contr_type in H. destruct H as (t & n & Ht & L & E0 & E1 & ->).
    types. one_type. rewrite nth_error_app2 in E0, E1 by lia. lengths.
    assert (T1 : has_type G (Diag (i0 - length s0) (i1 - length s0) e1) (remove (i1 - length s0 - 1) s1)).
    { apply T_Diag with (n := n); [assumption|lia|same_position|same_position]. }
    refine (law_trans D G _ _ _ (red_inside G Sum i0 _ _ (diag_prod_right D G e0 e1 s0 s1 H0 H1 i0 i1 Li))
      (sum_prod_right G P e0 _ s0 _ H0 T1 i0 Li) _ _).
    apply contr_type. exists (s0 ++ s1), n. repeat split; try lia; [constructor; assumption| |];
      rewrite nth_error_app2 by lia; assumption.
  Qed.

  Theorem prod_assoc : forall e0 e1 e2, rewrites D (Prod (Prod e0 e1) e2) (Prod e0 (Prod e1 e2)).
  Proof.
    intros e0 e1 e2 G P s H. types. typed e0 t0 T0. typed e1 t1 T1. typed e2 t2 T2. rewrite <- app_assoc.
    assert (Q : has_type G (Prod e1 e2) (t1 ++ t2)) by (constructor; assumption).
    split; [constructor; assumption|]. intros m A k B. pose proof (inb_length _ _ B) as L.
    revert L. repeat length_step. intro L.
    rewrite (factors D _ _ (Prod e0 e1) _ (t0 ++ t1)), !(factors D _ _ e0 _ t0), (factors D _ _ e1 _ t1) by (try constructor; assumption).
    rewrite (reindex D G m e0 (firstn (length t0) (firstn (length (t0 ++ t1)) k)) (firstn (length t0) k)) by lists.
    rewrite (reindex D G m e1 (skipn (length t0) (firstn (length (t0 ++ t1)) k)) (firstn (length t1) (skipn (length t0) k))) by lists.
    rewrite (reindex D G m e2 (skipn (length (t0 ++ t1)) k) (skipn (length t1) (skipn (length t0) k))) by lists.
    destruct (V G m e0 _) as [a|], (V G m e1 _) as [b|], (V G m e2 _) as [c|]; try reflexivity.
    cbn [lift2]. rewrite (times_assoc D R). reflexivity.
  Qed.

  (** The outer product with a scalar. *)
  Theorem prod_scalar : forall e0 e1 G, has_type G e0 [] -> law D G (Prod e0 e1) (Mul e0 e1).
  Proof.
    intros e0 e1 G H0 s H. types. one_type. simpl. split; [apply T_SMul; assumption|].
    intros m A k B. cbn [value]. rewrite (type_complete _ _ _ H0). reflexivity.
  Qed.

  (** Sums over two dimensions, i < j in the order of what is summed. *)
  Theorem sum_sum : forall i j e, (i < j)%nat -> rewrites D (Red Sum i (Red Sum j e)) (Red Sum (j - 1) (Red Sum i e)).
  Proof.
    intros i j e Lij G P s H. types. typed e t He. rewrite length_remove_minus in * by lia.
    destruct (position _ t i) as [n Ei]; [lia|]. destruct (position _ t j) as [o Ej]; [lia|].
    assert (Qi : has_type G (Red Sum i e) (remove (i - 1) t)) by (constructor; [assumption|lia]).
    assert (Qj : has_type G (Red Sum j e) (remove (j - 1) t)) by (constructor; [assumption|lia]).
    assert (Sh : remove (i - 1) (remove (j - 1) t) = remove (j - 1 - 1) (remove (i - 1) t)) by lists.
    split; [rewrite Sh; constructor; [assumption|rewrite length_remove_minus by lia; lia]|].
    intros m A k B. pose proof (inb_length _ _ B) as L. revert L. repeat length_step. intro L.
    rewrite (red_value _ _ _ _ _ (remove (j - 1) t) n) by (try assumption; nths; assumption).
    rewrite (red_value _ _ _ _ _ (remove (i - 1) t) o) by (try assumption; nths; same_position).
    rewrite (fold_ext D _ _ _ (fun x => sum o (fun y => V G m e (insert (j - 1) y (insert (i - 1) x k)))))
      by (intros; apply red_value with (s := t); assumption).
    rewrite sum_exchange.
    - apply fold_ext. intros y Ly. rewrite (red_value _ _ _ _ _ t n) by assumption.
      apply fold_ext. intros x Lx. apply reindex. lists.
    - intros x y Lx Ly. apply (value_defined D G m A P e t He).
      eapply inb_insert; [eapply inb_insert; [exact B| |exact Lx]|exact Ej|exact Ly]. nths. assumption.
  Qed.
End Algebra.
