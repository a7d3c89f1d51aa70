(** Calls that stop at a subscript that is no place. What such a subscript reads is a number
    of the domain (Semantics.v), so that well-typed expressions have values for all data. Here
    is the domain in which it is no result, and every operation keeps that: where the call has
    a result, it is the value, whatever the number was chosen to be. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics.
Import ListNotations.

Section Stops.
  Context (D : domain).

  (** None is a call that has stopped. *)
  Definition stopping : domain := {|
    number := option (number D); zero := Some (zero D); one := Some (one D);
    plus := lift2 D (plus D); times := lift2 D (times D);
    binary_op b := lift2 D (binary_op D b); unary_op f := lift1 D (unary_op D f);
    constant n := Some (constant D n);
    place_of x := match x with Some a => place_of D a | None => 0 end;
    outside := None |}.

  (** The same value, unless the call has stopped. *)
  Definition agree (r : option (option (number D))) (v : option (number D)) : Prop :=
    match r with
    | Some (Some a) => v = Some a
    | Some None => True
    | None => v = None
    end.

  Lemma agree_2 : forall g g' r0 v0 r1 v1, (forall x y, g' x y = lift2 D g x y) -> agree r0 v0 -> agree r1 v1 ->
    agree (lift2 stopping g' r0 r1) (lift2 D g v0 v1).
  Proof.
    intros g g' [[a0|]|] v0 [[a1|]|] v1 Q A0 A1; cbn [agree lift2] in *; subst; rewrite ?Q; try exact I; try reflexivity.
    destruct v0; reflexivity.
  Qed.

  Lemma op_lifted : forall b x y, op stopping b x y = lift2 D (op D b) x y.
  Proof. intros []; reflexivity. Qed.

  Lemma step_lifted : forall r x y, step stopping r x y = lift2 D (step D r) x y.
  Proof. intros []; reflexivity. Qed.

  Lemma agree_start : forall r, agree (start stopping r) (start D r).
  Proof. intros [| | | |f [z|]]; reflexivity. Qed.

  Lemma agree_fold : forall r f g n, (forall j, agree (f j) (g j)) -> agree (fold stopping r n f) (fold D r n g).
  Proof.
    intros r f g n H. induction n as [|n IH]; [apply agree_start|]. cbn [fold].
    assert (S : agree (lift2 stopping (step stopping r) (fold stopping r n f) (f (S n))) (lift2 D (step D r) (fold D r n g) (g (S n))))
      by (apply agree_2; [apply step_lifted|exact IH|apply H]).
    destruct n; [|exact S]. destruct r as [| | | |o [z|]]; try exact S; apply H.
  Qed.

  Lemma agree_gathered : forall n r v f g, agree r v -> (forall j, agree (f j) (g j)) ->
    agree (gathered stopping n r f) (gathered D n v g).
  Proof.
    intros n [[a|]|] v f g A F; cbn [agree] in A; subst; cbn [gathered place_of stopping]; try exact I; try reflexivity.
    destruct (_ && _)%bool; [apply F|exact I].
  Qed.

  (** Memories that hold the same, unless the call has stopped before. *)
  Definition agreeing (m' : memory (option (number D))) (m : memory (number D)) : Prop :=
    forall x, match m' x, m x with
              | Some t', Some t => forall k, agree (t' k) (t k)
              | None, None => True
              | _, _ => False
              end.

  (** A value that a call reaches is the one of the domain without stops. *)
  Theorem stops_or_computes : forall G m' m, agreeing m' m -> forall e k, agree (value stopping G m' e k) (value D G m e k).
  Proof.
    intros G m' m M. induction e; intro k; cbn [value];
      repeat match goal with
             | |- context [size_of ?t ?p] => destruct (size_of t p)
             | |- context [at_dimension ?t ?k ?p] => destruct (at_dimension t k p) as [[? ?]|]
             | |- context [nth_error ?l ?p] => destruct (nth_error l p)
             | |- context [type G ?e] => destruct (type G e)
             end; try reflexivity; auto.
    all: try (apply agree_2; [intros; first [apply op_lifted|reflexivity]|auto..]; fail).
    - specialize (M x). destruct (m' x), (m x); try contradiction; [apply M|reflexivity].
    - specialize (IHe k). destruct (value stopping G m' e k) as [[a|]|]; cbn [agree lift1] in *; rewrite ?IHe; try exact I; reflexivity.
    - apply agree_gathered; auto.
    - apply agree_fold. intro. apply IHe.
    - destruct (_ && _)%bool; [apply IHe|reflexivity].
    - destruct (in_part _ _ _ _); [apply IHe2|apply IHe1].
    - destruct k as [|j [|]]; reflexivity.
  Qed.

  (** What a gather is: each of its subscripts is tested. *)
  Theorem gather_value : forall G m i e0 e1 s0 s1 n a k0 k1, has_type G e0 s0 -> has_type G e1 s1 -> length k0 = length s0 ->
    nth_error s1 (i - 1) = Some n -> value D G m e0 k0 = Some a ->
    (1 <= place_of D a <= n -> value D G m (Gather i e0 e1) (k0 ++ k1) = value D G m e1 (insert (i - 1) (place_of D a) k1)) /\
    (~ 1 <= place_of D a <= n -> value D G m (Gather i e0 e1) (k0 ++ k1) = Some (outside D)).
  Proof.
    intros G m i e0 e1 s0 s1 n a k0 k1 T0 T1 L E V. cbn [value].
    rewrite (type_complete _ _ _ T0), (type_complete _ _ _ T1). cbn [size_of]. rewrite E, <- L.
    rewrite firstn_app, skipn_app, Nat.sub_diag, firstn_all, skipn_all, app_nil_r. cbn [app skipn]. rewrite V. cbn [gathered].
    destruct (_ && _)%bool eqn:Q; split; intro H; try reflexivity.
    - bools. lia.
    - rewrite Bool.andb_false_iff, !Nat.leb_gt in Q. lia.
  Qed.
End Stops.
