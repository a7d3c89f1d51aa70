(** Reductions whose operator is given by expressions, on tuples of any number of components:
    the numbers of a domain that has tuples, the operators as functions of it, and what a
    reduction of tuples means, component by component. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics.
Import ListNotations.

(** An operator on tuples of [arity] components: an expression for each component of the
    result, over the scalars 0, 1, … which are the left tuple and then the right one. *)
Record tuple_operator := { arity : nat; bodies : list expr }.

Definition parameters (k : nat) : context := fun x => if x <? 2 * k then Some [] else None.

Definition ok_operator (o : tuple_operator) : Prop :=
  1 <= arity o /\ length (bodies o) = arity o /\ Forall (fun b => has_type (parameters (arity o)) b []) (bodies o).

Theorem reduce_type : forall G f c z i e es t, has_type G (reduce f c z i e es) t <->
  exists s, has_type G e s /\ Forall (fun a => has_type G a s) es /\ 1 <= i <= length s /\ t = remove (i - 1) s.
Proof.
  intros G f c z i e es t. unfold reduce.
  pose proof (fun s => apply_type G 0 e es s) as A. unfold apply in A. split.
  - intro H. inversion H; subst. match goal with H : has_type _ (Red _ _ _) _ |- _ => inversion H; subst end.
    match goal with H : has_type _ (fold_left _ _ _) ?s |- _ => exists s; destruct (proj1 (A s)) as [T F]; [constructor; exact H|] end.
    repeat split; tauto.
  - intros (s & He & F & L & ->). constructor. constructor; [|exact L].
    pose proof (proj2 (A s) (conj He F)) as H. inversion H; subst. assumption.
Qed.

Section Operators.
  Context (D : domain).

  (** The memory of the parameters. *)
  Definition given (l : list (number D)) : memory (number D) :=
    fun x => option_map (fun a k => match k with [] => Some a | _ => None end) (nth_error l x).

  Definition component (o : tuple_operator) (l r : list (number D)) (b : expr) : option (number D) :=
    value D (parameters (arity o)) (given (l ++ r)) b [].

  (** The expressions of an operator have values for all tuples: they read nothing else. *)
  Theorem operator_defined : forall o l r, ok_operator o -> length l = arity o -> length r = arity o ->
    Forall (fun b => defined (component o l r b)) (bodies o).
  Proof.
    intros o l r (_ & _ & T) L R. eapply Forall_impl; [|exact T]. intros b Hb.
    apply (value_defined D (parameters (arity o)) _) with (e := b) (s := []); [|..|exact Hb|constructor].
    - intro x. unfold given, parameters. destruct (Nat.ltb_spec x (2 * arity o)).
      + destruct (nth_error (l ++ r) x) eqn:E; [|apply nth_error_None in E; rewrite app_length in E; lia].
        intros [|j k]; simpl; split.
        * constructor.
        * intros _. eexists. reflexivity.
        * intros [a [=]].
        * intro B. inversion B.
      + rewrite (proj2 (nth_error_None _ _)) by (rewrite app_length; lia). exact I.
    - intros x s. unfold parameters. destruct (x <? 2 * arity o); [|discriminate]. intros [= <-]. constructor.
  Qed.

  Definition combine_with (o : tuple_operator) (l r : list (number D)) : list (number D) :=
    map (fun b => match component o l r b with Some a => a | None => zero D end) (bodies o).

  (** Tuples. *)
  Inductive tree := Leaf (a : number D) | Pair (x y : tree).

  Fixpoint components (t : tree) : list (number D) :=
    match t with Leaf a => [a] | Pair x y => components x ++ components y end.

  Definition first (t : tree) : number D := hd (zero D) (components t).

  (** As the domain's own functions of several numbers get them. *)
  Definition packed (t : tree) : number D :=
    match components t with [] => zero D | a :: l => fold_left (binary_op D Tuple) l a end.

  Definition tree_of (l : list (number D)) : tree :=
    match l with [] => Leaf (zero D) | a :: l => fold_left Pair (map Leaf l) (Leaf a) end.

  Lemma components_of : forall l, l <> [] -> components (tree_of l) = l.
  Proof.
    intros [|a l] N; [contradiction|]. cbn [tree_of]. clear N.
    enough (H : forall t, components (fold_left Pair (map Leaf l) t) = components t ++ l) by apply H.
    induction l as [|b l IH]; intro t; simpl; [rewrite app_nil_r; reflexivity|].
    rewrite IH. simpl. rewrite <- app_assoc. reflexivity.
  Qed.

  (** The domain with tuples. From the number [n0] on functions of two are the operators,
      functions of one are components, and constants are the tuples with which reductions start. *)
  Context (n0 : nat) (os : list tuple_operator) (starts : list (list (number D))).

  Definition with_operators : domain := {|
    number := tree; zero := Leaf (zero D); one := Leaf (one D);
    plus x y := Leaf (plus D (first x) (first y));
    times x y := Leaf (times D (first x) (first y));
    binary_op b x y :=
      match b with
      | Tuple => Pair x y
      | Function2 f =>
          if f <? n0 then Leaf (binary_op D b (first x) (first y)) else
          match nth_error os (f - n0) with
          | Some o => tree_of (combine_with o (components x) (components y))
          | None => x
          end
      | _ => Leaf (binary_op D b (first x) (first y))
      end;
    unary_op u x :=
      match u with
      | Function c => if c <? n0 then Leaf (unary_op D u (packed x)) else Leaf (nth (c - n0) (components x) (zero D))
      | Negate => Leaf (unary_op D u (first x))
      end;
    constant n := if n <? n0 then Leaf (constant D n) else tree_of (nth (n - n0) starts []);
    place_of x := place_of D (first x);
    outside := Leaf (outside D) |}.

  (** The tuples [f 1 … f n], combined from the first on. *)
  Fixpoint combined (o : tuple_operator) (z : option (list (number D))) (n : nat) (f : nat -> list (number D)) : list (number D) :=
    match n, z with
    | 0, None => []
    | 0, Some s => s
    | 1, None => f 1
    | S n, _ => combine_with o (combined o z n f) (f (S n))
    end.

  Lemma combined_long : forall o z n f, ok_operator o -> (forall j, 1 <= j <= n -> length (f j) = arity o) -> 1 <= n ->
    (forall s, z = Some s -> length s = arity o) -> length (combined o z n f) = arity o.
  Proof.
    intros o z n f (A & B & _) F N Z. destruct n as [|[|n]]; [lia| |]; destruct z; simpl; try (apply F; lia);
      unfold combine_with; rewrite map_length; exact B.
  Qed.

  Lemma fold_combined : forall f o z n g, nth_error os f = Some o -> ok_operator o -> 1 <= n ->
    (forall j, 1 <= j <= n -> length (g j) = arity o) ->
    (forall s, z = Some s -> length (nth s starts []) = arity o) ->
    fold with_operators (Operator (n0 + f) (option_map (fun s => n0 + s) z)) n (fun j => Some (tree_of (g j))) =
    Some (tree_of (combined o (option_map (fun s => nth s starts []) z) n g)).
  Proof.
    intros f o z n g E Ok N G Z. pose proof Ok as (A & _).
    assert (NE : forall l : list (number D), length l = arity o -> l <> []) by (intros [|] L; simpl in L; [lia|discriminate]).
    assert (Op : forall l r, length l = arity o -> length r = arity o ->
      step with_operators (Operator (n0 + f) (option_map (fun s => n0 + s) z)) (tree_of l) (tree_of r) = tree_of (combine_with o l r)).
    { intros l r L R. cbn [step binary_op with_operators]. destruct (Nat.ltb_spec (n0 + f) n0); [lia|].
      replace (n0 + f - n0) with f by lia. rewrite E, !components_of by auto. reflexivity. }
    induction n as [|n IH]; [lia|]. destruct n as [|n].
    - destruct z as [s|]; [|reflexivity]. cbn [fold start option_map constant with_operators lift2 combined].
      destruct (Nat.ltb_spec (n0 + s) n0); [lia|]. replace (n0 + s - n0) with s by lia.
      rewrite <- (Op (nth s starts [])) by auto. reflexivity.
    - change (lift2 with_operators (step with_operators (Operator (n0 + f) (option_map (fun s => n0 + s) z)))
        (fold with_operators (Operator (n0 + f) (option_map (fun s => n0 + s) z)) (S n) (fun j => Some (tree_of (g j)))) (Some (tree_of (g (S (S n))))) =
        Some (tree_of (combined o (option_map (fun s => nth s starts []) z) (S (S n)) g))).
      rewrite IH by (auto; lia || (intros; apply G; lia)). cbn [lift2]. rewrite Op.
      + destruct z; reflexivity.
      + apply combined_long; auto; [intros; apply G; lia|lia|]. intros s Q. destruct z; [injection Q as <-; auto|discriminate].
      + apply G. lia.
  Qed.

  (** What a reduction of tuples is: component [c] of the operands' elements, combined as tuples. *)
  Theorem reduce_value : forall G m f o c z i e es s n k g, nth_error os f = Some o -> ok_operator o -> c < arity o ->
    has_type G e s -> Forall (fun a => has_type G a s) es -> 1 <= i -> nth_error s (i - 1) = Some n -> 1 <= n ->
    (forall j, 1 <= j <= n -> length (g j) = arity o /\ Forall2 (fun a x => value with_operators G m a (insert (i - 1) j k) = Some (Leaf x)) (e :: es) (g j)) ->
    (forall s, z = Some s -> length (nth s starts []) = arity o) ->
    value with_operators G m (reduce (n0 + f) (n0 + c) (option_map (fun s => n0 + s) z) i e es) k =
    Some (Leaf (nth c (combined o (option_map (fun s => nth s starts []) z) n g) (zero D))).
  Proof.
    intros G m f o c z i e es s n k g E Ok C He Hes Li En N V Z. unfold reduce. cbn [value].
    assert (T : type G (fold_left (Binary Tuple) es e) = Some s).
    { apply type_complete. pose proof (proj2 (apply_type G 0 e es s) (conj He Hes)) as H. unfold apply in H. inversion H; subst. assumption. }
    rewrite T, En. pose proof Ok as (A & _).
    assert (L : length (combined o (option_map (fun s => nth s starts []) z) n g) = arity o).
    { apply combined_long; auto; [intros j Lj; apply V, Lj|]. intros t Ht. destruct z; [injection Ht as <-; auto|discriminate]. }
    assert (Q : forall r, r = Some (tree_of (combined o (option_map (fun s => nth s starts []) z) n g)) ->
      lift1 with_operators (unary_op with_operators (Function (n0 + c))) r =
      Some (Leaf (nth c (combined o (option_map (fun s => nth s starts []) z) n g) (zero D)))).
    { intros r ->. cbn [lift1 unary_op with_operators]. destruct (Nat.ltb_spec (n0 + c) n0); [lia|]. replace (n0 + c - n0) with c by lia.
      rewrite components_of; [reflexivity|]. intro Q. rewrite Q in L. simpl in L. lia. }
    apply Q. rewrite (fold_ext with_operators _ _ _ (fun j => Some (tree_of (g j) : number with_operators))).
    - apply (fold_combined f o z n g E Ok N); [intros j Lj; apply V, Lj|exact Z].
    - intros j Lj. destruct (V j Lj) as [_ F]. inversion F as [|? a ? l Va Fl Ex Ey]; subst. cbn [tree_of].
      clear - Va Fl. revert Va. generalize (Leaf a) as t. revert e. induction Fl as [|e' b es l Vb F IH]; intros e t Va; [exact Va|].
      cbn [fold_left map]. apply IH. cbn [value]. rewrite Va, Vb. reflexivity.
  Qed.
End Operators.
