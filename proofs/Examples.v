(** The definitions at work, each computed by Coq: kernels of the paper and what becomes of
    them. A theorem about programs that nobody can write, or a semantics in which nothing has
    a value, would show here. *)

From Coq Require Import List Arith Lia ZArith.
From Ricci Require Import Lists Syntax Statements Typing Semantics Stops Operators Symbolic Core Elaboration Lifting Equations Algebra Loops Lowering Evaluator Programs MDH.
Import ListNotations.

(** The elements of a name at the end of a program over the integers, in row-major order. *)
Definition elements_of (m : option (memory Z)) (x : name) (s : shape) : list (option Z) :=
  match m with
  | Some m => match m x with Some t => map t (indices s) | None => [] end
  | None => []
  end.

Definition outcome (p : program expr) (fill : name -> index -> Z) (x : name) : list (option Z) :=
  let G := context_of (allocs p) in
  match G x with
  | Some s => elements_of (evaluate integers G (memory_of (allocs p) fill) (stmts p)) x s
  | None => []
  end.

(** Row-major numbers 1, 2, … under every name. *)
Definition counting (al : list alloc) (x : name) (k : index) : Z :=
  match context_of al x with Some s => Z.of_nat (S (place k s)) | None => 0%Z end.

Definition A := 0. Definition B := 1. Definition C := 2.

(** Figure 7: [1 2 3; 4 5 6] times [1 2; 3 4; 5 6]. *)
Definition matmul : program expr :=
  Program [Alloc A [2; 3]; Alloc B [3; 2]; Alloc C [2; 2]]
    [Assign C (Red Sum 2 (Diag 2 3 (Prod (Var A) (Var B))))].

Example matmul_is_typed : check matmul = true.
Proof. reflexivity. Qed.

Example matmul_value : outcome matmul (counting (allocs matmul)) C = map Some [22; 28; 49; 64]%Z.
Proof. reflexivity. Qed.

(** … in Core-TeIL, … *)
Example matmul_core : elaborate (Red Sum 2 (Diag 2 3 (Prod (Var A) (Var B)))) =
  CRed Sum (CTransp 1 (CTransp 1 (CDiag (CTransp 1 (CTransp 2 (CTransp 1 (CTransp 2 (CProd (CVar A) (CVar B))))))))).
Proof. reflexivity. Qed.

Example matmul_core_value :
  map (cvalue integers (context_of (allocs matmul)) (memory_of (allocs matmul) (counting (allocs matmul)))
        (elaborate (Red Sum 2 (Diag 2 3 (Prod (Var A) (Var B)))))) (indices [2; 2]) = map Some [22; 28; 49; 64]%Z.
Proof. reflexivity. Qed.

(** … and as loops, in a buffer of four numbers. *)
Definition buffer_after (p : program expr) (l : list (name * stmt expr)) (x : name) : option (list Z) :=
  match exec integers (lower_all (context_of (allocs p)) l) (fun _ => 0) (fun _ => None)
    (buffers_of integers (allocs p) (counting (allocs p)) l) with
  | Some (_, b) => b x
  | None => None
  end.

Example matmul_loops : buffer_after matmul (combine [7] (stmts matmul)) C = Some [22; 28; 49; 64]%Z.
Proof. reflexivity. Qed.

(** Loops that leave a buffer are stuck: here the shape of A is said to be larger than the
    buffer is. *)
Example too_far : exec integers (lower (context_of [Alloc A [3]; Alloc B [3]]) 7 B [3] (Var A)) (fun _ => 0) (fun _ => None)
  (fun x => if x =? A then Some [1; 2]%Z else Some [0; 0; 0]%Z) = None.
Proof. reflexivity. Qed.

(** A statement reads the old memory: a transposition in place. *)
Example transposed : let p := Program [Alloc A [2; 2]] [Assign A (Transp 1 2 (Var A))] in
  outcome p (counting (allocs p)) A = map Some [1; 3; 2; 4]%Z /\
  buffer_after p (combine [7] (stmts p)) A = Some [1; 3; 2; 4]%Z.
Proof. split; reflexivity. Qed.

(** Figure 3a, with h = 3, m = 2, n = 4: T-Diag refuses it. Figure 10a, third kernel: the
    transposed result has another shape. *)
Example tvm_3a : type (context_of [Alloc A [2; 3]; Alloc B [4; 3]]) (contr 1 3 (Prod (Var A) (Var B))) = None.
Proof. reflexivity. Qed.

Example taco_2c : let G := context_of [Alloc B [5; 3; 2]; Alloc C [2]] in
  type G (Red Sum 1 (Diag 3 4 (Prod (Var B) (Var C)))) = Some [3; 2] /\
  type G (Transp 1 2 (Red Sum 1 (Diag 3 4 (Prod (Var B) (Var C))))) = Some [2; 3].
Proof. split; reflexivity. Qed.

(** Of a vector [1 2 3 4 5]. *)
Definition of_vector (e : expr) : option shape * list (option Z) :=
  let al := [Alloc A [5]] in
  match type (context_of al) e with
  | Some s => (Some s, map (value integers (context_of al) (memory_of al (counting al)) e) (indices s))
  | None => (None, [])
  end.

Example shifted : of_vector (Shift 1 1 3 (Var A)) = (Some [3], map Some [2; 3; 4]%Z).
Proof. reflexivity. Qed.

Example windows : of_vector (Window 1 3 (Var A)) = (Some [3; 3], map Some [1; 2; 3; 2; 3; 4; 3; 4; 5]%Z).
Proof. reflexivity. Qed.

Example strided_by_2 : of_vector (Stride 1 2 (Var A)) = (Some [3], map Some [1; 3; 5]%Z).
Proof. reflexivity. Qed.

Example flipped : of_vector (Flip 1 (Var A)) = (Some [5], map Some [5; 4; 3; 2; 1]%Z).
Proof. reflexivity. Qed.

Example padded : of_vector (Pad 1 1 2 (Var A)) = (Some [8], map Some [0; 1; 2; 3; 4; 5; 0; 0]%Z).
Proof. reflexivity. Qed.

Example remapped_ends : map (fun f => of_vector (Remap 1 f (Var A))) [Clamped 1 2; Mirrored 2 6; Wrapped 6 1; Repeated 2; Stepped 2 3; Stepped 0 2; Stepped 3 3] = [
  (Some [8], map Some [1; 1; 2; 3; 4; 5; 5; 5]%Z);
  (Some [13], map Some [2; 1; 1; 2; 3; 4; 5; 5; 4; 3; 2; 1; 1]%Z);
  (Some [12], map Some [5; 1; 2; 3; 4; 5; 1; 2; 3; 4; 5; 1]%Z);
  (Some [10], map Some [1; 1; 2; 2; 3; 3; 4; 4; 5; 5]%Z);
  (Some [3], map Some [1; 3; 5]%Z);
  (Some [2], map Some [1; 1]%Z);
  (None, [])].
Proof. reflexivity. Qed.

Example replaced : of_vector (Replace 1 1 2 (Var A) (Shift 1 0 2 (Unary Negate (Var A)))) = (Some [5], map Some [1; -1; 3; -2; 5]%Z).
Proof. reflexivity. Qed.

Example counted : of_vector (Binary Add (Iota 5) (Var A)) = (Some [5], map Some [1; 3; 5; 7; 9]%Z).
Proof. reflexivity. Qed.

Example reductions : map (fun r => of_vector (Red r 1 (Var A))) [Sum; Product; Minimum; Maximum] =
  map (fun n => (Some [], [Some n])) [15; 120; 1; 5]%Z.
Proof. reflexivity. Qed.

(** The loops of a pad load only where the operand is, and a sum inside of it runs only there. *)
Example pad_of_sums : let p := Program [Alloc A [2; 3]; Alloc B [4]] [Assign B (Pad 1 1 1 (Red Sum 2 (Var A)))] in
  outcome p (counting (allocs p)) B = map Some [0; 6; 15; 0]%Z /\
  buffer_after p (combine [7] (stmts p)) B = Some [0; 6; 15; 0]%Z.
Proof. split; reflexivity. Qed.

(** Two subscripts and one that is no place, and a row for each of them; subscripts count from 0. *)
Definition gathering : program expr :=
  Program [Alloc A [3; 2]; Alloc B [3]; Alloc C [3; 2]] [Assign C (Gather 1 (Binary Sub (Var B) (Expa 1 3 (Const 1))) (Var A))].

Example gathered_rows : check gathering = true /\
  outcome gathering (counting (allocs gathering)) C = map Some [1; 2; 3; 4; 5; 6]%Z.
Proof. split; reflexivity. Qed.

Definition outside_at_the_end : program expr :=
  Program [Alloc A [2; 2]; Alloc B [3]; Alloc C [3; 2]] [Assign C (Gather 1 (Binary Sub (Var B) (Expa 1 3 (Const 1))) (Var A))].

Example gathered_outside : let p := outside_at_the_end in
  outcome p (counting (allocs p)) C = map Some [1; 2; 3; 4; 0; 0]%Z /\
  buffer_after p (combine [7] (stmts p)) C = Some [1; 2; 3; 4; 0; 0]%Z /\
  map (value (stopping integers) (context_of (allocs p)) (memory_of (allocs p) (fun x k => Some (counting (allocs p) x k)))
        (Gather 1 (Binary Sub (Var B) (Expa 1 3 (Const 1))) (Var A))) (indices [3; 2]) =
    map Some [Some 1; Some 2; Some 3; Some 4; None; None]%Z.
Proof. repeat split; reflexivity. Qed.

(** A set of values with tuples, in which a function of three numbers is [select]. *)
Inductive values := Number (n : Z) | Pair (x y : values).

Definition with_tuples : domain := {|
  number := values; zero := Number 0; one := Number 1;
  plus x y := match x, y with Number m, Number n => Number (m + n) | _, _ => x end;
  times x y := match x, y with Number m, Number n => Number (m * n) | _, _ => x end;
  binary_op b x y := match b, x, y with
    | Tuple, _, _ => Pair x y
    | Function2 0, Number m, Number n => Number (if (m <? n)%Z then 1 else 0)
    | _, _, _ => x
    end;
  unary_op f x := match f, x with
    | Function 0, Pair (Pair (Number c) y) z => if (c =? 0)%Z then z else y
    | _, _ => x
    end;
  constant n := Number (Z.of_nat n);
  place_of x := match x with Number n => Z.to_nat (n + 1) | Pair _ _ => 0 end;
  outside := Number 0 |}.

Example selected : let al := [Alloc A [4]] in
  map (value with_tuples (context_of al) (memory_of al (fun x k => Number (counting al x k)))
        (apply 0 (Binary (Function2 0) (Expa 1 4 (Const 2)) (Var A)) [Var A; Expa 1 4 (Const 7)])) (indices [4]) =
  map (fun n => Some (Number n)) [7; 7; 3; 4]%Z.
Proof. reflexivity. Qed.

(** The least of each row and its place, as pairs: an operator of two expressions. *)
Definition argmin : tuple_operator := {| arity := 2;
  bodies := let wins := Binary (Function2 0) (Var 2) (Var 0) in [apply 0 wins [Var 2; Var 0]; apply 0 wins [Var 3; Var 1]] |}.

Example argmin_is_ok : ok_operator argmin.
Proof. repeat split; [simpl; lia|]. repeat constructor; apply type_sound; reflexivity. Qed.

Example least_and_place : let al := [Alloc A [2; 3]] in
  let T := with_operators with_tuples 10 [argmin] [] in
  let m := memory_of al (fun _ k => Leaf with_tuples (Number (nth (place k [2; 3]) [5; 3; 4; 2; 7; 2]%Z 0%Z))) in
  let places := Expa 1 2 (Iota 3) in
  map (value T (context_of al) m (reduce 10 10 None 2 (Var A) [places])) (indices [2]) =
    map (fun n => Some (Leaf with_tuples (Number n))) [3; 2]%Z /\
  map (value T (context_of al) m (reduce 10 11 None 2 (Var A) [places])) (indices [2]) =
    map (fun n => Some (Leaf with_tuples (Number n))) [1; 0]%Z.
Proof. split; reflexivity. Qed.

(** The matrix product of symbolic sizes is well-formed for all positive ones; a slice is a
    condition, and swapped dimensions (Figure 3a) are conditions that sizes be equal. *)
Definition l := DName 0. Definition m := DName 1. Definition n := DName 2.

Definition symbolic_matmul : sprogram :=
  SProgram [(A, [l; m]); (B, [m; n]); (C, [l; n])] [Assign C (YRed Sum 2 (YDiag 2 3 (YProd (YVar A) (YVar B))))].

Example symbolic_matmul_is_safe : exists c, scheck symbolic_matmul = Some c /\
  forall v : valuation, (forall x, 1 <= v x)%Z -> met v c.
Proof.
  eexists. split; [reflexivity|]. intros v P. pose proof (P 0). pose proof (P 1). pose proof (P 2).
  repeat constructor; simpl; lia.
Qed.

Example matmul_of_sizes : program_at (fun x => match x with 0%nat => 2 | 1%nat => 3 | _ => 2 end)%Z symbolic_matmul = matmul.
Proof. reflexivity. Qed.

Example slice_2 : option_map snd (stype (scontext_of [(A, [l])]) (YProj 1 (DNumber 2) (YVar A))) =
  Some [at_least_one (DNumber 2); at_least l (DNumber 2)].
Proof. reflexivity. Qed.

Example symbolic_tvm_3a :
  stype (scontext_of [(A, [m; l]); (B, [n; l])]) (YRed Sum 1 (YDiag 1 3 (YProd (YVar A) (YVar B)))) =
  Some ([l; l], [at_least m n; at_least n m]).
Proof. reflexivity. Qed.

(** Lifting has something to lift, and a program has a form with three addresses. *)
Example lifted : lifts
  (Program [Alloc A [2]; Alloc B []] [Assign B (Red Sum 1 (Unary Negate (Var A)))])
  (Program [Alloc C [2]; Alloc A [2]; Alloc B []] [Assign C (Unary Negate (Var A)); Assign B (Red Sum 1 (Var C))]).
Proof.
  apply (L_Part [Alloc A [2]; Alloc B []] [] [] B (Red Sum 1 (Var C)) C (Unary Negate (Var A)) [2]).
  - reflexivity.
  - apply type_sound. reflexivity.
  - repeat constructor.
Qed.

Example row_major : place [2; 3] [4; 5] = 7.
Proof. reflexivity. Qed.

(** Multi-dimensional homomorphisms: the matrix product, and prefix sums, whole and from
    two parts. *)
Definition entry (k : list nat) : Z := match k with [i; j] => Z.of_nat (3 * i + j + 1) | [i] => Z.of_nat (i + 1) | _ => 0%Z end.

Definition product (k : list nat) : Z := match k with [i; j; l] => (entry [i; l] * Z.of_nat (2 * l + j + 1))%Z | _ => 0%Z end.

Example md_hom_matmul :
  map (fun k => md_hom [Concatenate; Concatenate; PointWise Z.add] [(0, [1]); (0, [1]); (0, [1; 2])] product k)
    [[0; 0; 0]; [0; 1; 0]; [1; 0; 0]; [1; 1; 0]] = map Some [22; 28; 49; 64]%Z.
Proof. reflexivity. Qed.

Example md_hom_scan :
  map (fun i => md_hom [Prefix Z.add] [(0, [1; 2; 3])] entry [i]) [0; 1; 2; 3; 4] = [Some 1; Some 3; Some 6; Some 10; None]%Z /\
  map (fun i => compute (Parts 0 (0, [1]) (2, [3]) Whole Whole) [Prefix Z.add] [(0, [1; 2; 3])] entry [i]) [0; 1; 2; 3; 4] =
    [Some 1; Some 3; Some 6; Some 10; None]%Z.
Proof. split; reflexivity. Qed.

(** Operators that Lemma 1 covers, one that does not commute by itself, and two for which
    there is no homomorphism. *)
Example mbbs_is_lawful : lawful [Prefix Z.add; PointWise Z.add; Concatenate].
Proof.
  apply (lemma_1_lawful Z.add).
  - intros a b c. apply Z.add_assoc.
  - intros a b. apply Z.add_comm.
  - simpl. intuition.
Qed.

Example first_is_lawful : lawful [Concatenate; PointWise (fun x _ : Z => x)] /\ ~ commutative (fun x _ : Z => x).
Proof.
  split; [|intro H; discriminate (H 0%Z 1%Z)]. simpl. split; [exact I|]. split; [|exact I].
  split; [intros a b c; reflexivity|intros o g []].
Qed.

Example sum_of_products_is_not : ~ exchanges Z.add Z.mul.
Proof. intro H. discriminate (H 1 1 1 1)%Z. Qed.
