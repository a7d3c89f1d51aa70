(** The evaluator that is extracted. Memory in Statements.v is made of functions, which
    would compute a statement again for every element that is read; here a statement is
    computed once, into a row-major list. *)

From Coq Require Import List Arith Lia PeanoNat.
From Ricci Require Import Lists Syntax Statements Typing Semantics Lifting Loops.
Import ListNotations.

(** The indices of a shape, in row-major order. *)
Fixpoint indices (s : shape) : list index :=
  match s with
  | [] => [[]]
  | n :: s => flat_map (fun j => map (cons j) (indices s)) (seq 1 n)
  end.

Lemma nth_error_flat_map : forall A B (g : A -> list B) c l q r x, (forall a, length (g a) = c) -> r < c ->
  nth_error l q = Some x -> nth_error (flat_map g l) (q * c + r) = nth_error (g x) r.
Proof.
  intros A B g c l. induction l as [|a l IH]; intros [|q] r x L R E; try discriminate; simpl in *.
  - injection E as ->. rewrite nth_error_app1; [reflexivity|rewrite L; exact R].
  - rewrite nth_error_app2 by (rewrite L; lia). rewrite L.
    replace (c + q * c + r - c) with (q * c + r) by lia. apply IH; assumption.
Qed.

Lemma length_indices : forall s, length (indices s) = size s.
Proof.
  induction s as [|n s IH]; [reflexivity|]. change (size (n :: s)) with (n * size s). cbn [indices].
  generalize 1 as a. induction n as [|n IHn]; intro a; [reflexivity|].
  cbn [seq flat_map Nat.mul]. rewrite app_length, map_length. unfold index in *. rewrite IH, IHn. reflexivity.
Qed.

Lemma place_from_acc : forall k s acc, length k = length s -> place_from acc k s = acc * size s + place k s.
Proof.
  induction k as [|j k IH]; intros [|n s] acc L; try discriminate; [unfold place; simpl; lia|].
  simpl in L. unfold place. simpl. rewrite (IH s (acc * n + (j - 1))), (IH s (j - 1)) by lia.
  unfold size. simpl. fold (size s). lia.
Qed.

Lemma nth_indices : forall k s, inb k s -> nth_error (indices s) (place k s) = Some k.
Proof.
  induction 1 as [|j n k s J H IH]; [reflexivity|]. unfold place. simpl.
  rewrite place_from_acc by exact (inb_length _ _ H).
  rewrite nth_error_flat_map with (x := j).
  - unfold index in *. rewrite nth_error_map, IH. reflexivity.
  - intro. rewrite map_length. apply length_indices.
  - apply place_in_buffer. exact H.
  - rewrite nth_error_nth' with (d := 0) by (rewrite seq_length; lia). rewrite seq_nth by lia. f_equal. lia.
Qed.

Section Evaluator.
  Context (D : domain).
  Notation T := (number D).

  (** A tensor from its elements. *)
  Definition tensor_of (s : shape) (l : list (option T)) : tensor T :=
    fun k => if inb_dec k s then match nth_error l (place k s) with Some x => x | None => None end else None.

  Definition replace (m : memory T) (x : name) (t : tensor T) : memory T :=
    fun y => if x =? y then Some t else m y.

  Fixpoint evaluate (G : context) (m : memory T) (l : list (stmt expr)) : option (memory T) :=
    match l with
    | [] => Some m
    | Assign x e :: l =>
        match G x with
        | Some s => evaluate G (replace m x (tensor_of s (map (value D G m e) (indices s)))) l
        | None => None
        end
    end.

  Lemma tensor_of_values : forall s f k, tensor_of s (map f (indices s)) k = if inb_dec k s then f k else None.
  Proof.
    intros s f k. unfold tensor_of. destruct (inb_dec k s) as [I|]; [|reflexivity].
    rewrite nth_error_map, nth_indices by exact I. reflexivity.
  Qed.

  (** It is the evaluator of Statements.v. *)
  Theorem evaluate_run : forall G l m m', (forall x, same (m x) (m' x)) ->
    match evaluate G m l, run (value D) G m' l with
    | Some r, Some r' => forall x, same (r x) (r' x)
    | None, None => True
    | _, _ => False
    end.
  Proof.
    intros G l. induction l as [|[x e] l IH]; intros m m' M; [exact M|]. cbn [evaluate run].
    destruct (G x) as [s|]; [|exact I]. apply IH. intro y. unfold replace, assign.
    destruct (x =? y); [|apply M]. intro k. rewrite tensor_of_values.
    destruct (inb_dec k s); [apply value_memory; exact M|reflexivity].
  Qed.

  (** On a well-formed program it gives the memory of Figure 9. *)
  Theorem evaluate_correct : forall p fill, check p = true ->
    exists m m', evaluate (context_of (allocs p)) (memory_of (allocs p) fill) (stmts p) = Some m /\
      evaluates (value D) p fill m' /\ forall x, same (m x) (m' x).
  Proof.
    intros p fill C. apply check_correct in C. destruct C as [A S].
    destruct (run_correct has_type (value D) (value_defined D) _ (stmts p) (memory_of (allocs p) fill)
      (memory_of_agrees _ fill) (positive_context_of _ A) S) as (m' & R & E & _).
    pose proof (evaluate_run (context_of (allocs p)) (stmts p) (memory_of (allocs p) fill) (memory_of (allocs p) fill)) as Q.
    rewrite R in Q. destruct (evaluate _ _ _) as [m|].
    - exists m, m'. split; [reflexivity|]. split; [exact E|]. apply Q.
      intro x. destruct (memory_of (allocs p) fill x); simpl; auto.
    - exfalso. apply Q. intro x. destruct (memory_of (allocs p) fill x); simpl; auto.
  Qed.
End Evaluator.
