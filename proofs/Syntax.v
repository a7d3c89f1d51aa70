(** TeIL: shapes, expressions, statements, programs (the paper's Figure 5, with what
    it calls analogous: other reductions, element-wise operations, constants). *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists.
Import ListNotations.

Definition name := nat.
Definition shape := list nat.
Definition index := list nat.

(** [inb k s]: the index [k] is within the shape [s]; indices count from 1 (A5: the
    comparison of lists element by element). *)
Definition inb (k : index) (s : shape) : Prop := Forall2 (fun j n => 1 <= j <= n) k s.

Definition positive (s : shape) : Prop := Forall (fun n => 1 <= n) s.

Inductive reduction := Sum | Product | Minimum | Maximum.
Inductive binary := Add | Sub | Div | Min | Max.
Inductive unary := Negate | Function (f : nat).

(** Positions count from 1, as in the paper. [Mul] is element by element, or a scalar
    times a tensor. *)
Inductive expr :=
| Var (x : name)
| Const (c : nat)
| Unary (f : unary) (e : expr)
| Binary (b : binary) (e0 e1 : expr)
| Mul (e0 e1 : expr)
| Prod (e0 e1 : expr)
| Red (r : reduction) (i : nat) (e : expr)
| Transp (i0 i1 : nat) (e : expr)
| Diag (i0 i1 : nat) (e : expr)
| Expa (i n : nat) (e : expr)
| Proj (i m : nat) (e : expr).

(** Equation (6). *)
Definition contr (i0 i1 : nat) (e : expr) : expr := Red Sum i0 (Diag i0 i1 e).

Inductive stmt := Assign (x : name) (e : expr).
Record alloc := Alloc { allocated : name; extent : shape }.
Record program := Program { allocs : list alloc; stmts : list stmt }.

Definition context := name -> option shape.

Definition empty_context : context := fun _ => None.
Definition bind (G : context) (x : name) (s : shape) : context := fun y => if x =? y then Some s else G y.

(** The context of the allocations. *)
Definition context_of (l : list alloc) : context :=
  fold_right (fun a G => bind G (allocated a) (extent a)) empty_context l.

Lemma inb_length : forall k s, inb k s -> length k = length s.
Proof. intros k s H. exact (Forall2_length _ _ _ H). Qed.

Lemma inb_nil : inb [] [].
Proof. constructor. Qed.

Lemma inb_split : forall k s0 s1, inb k (s0 ++ s1) ->
  inb (firstn (length s0) k) s0 /\ inb (skipn (length s0) k) s1.
Proof.
  intros k s0 s1 H. split.
  - pose proof (Forall2_firstn _ _ _ H (length s0)) as F.
    rewrite firstn_app, Nat.sub_diag, firstn_all, app_nil_r in F. exact F.
  - pose proof (Forall2_skipn _ _ _ H (length s0)) as F.
    rewrite skipn_app, Nat.sub_diag, skipn_all in F. exact F.
Qed.

Definition inb_dec (k : index) (s : shape) : {inb k s} + {~ inb k s}.
Proof.
  revert s. induction k as [|j k IH]; destruct s as [|n s].
  - left. constructor.
  - right. intro H. inversion H.
  - right. intro H. inversion H.
  - destruct (le_dec 1 j); [|right; intro H; inversion H; lia].
    destruct (le_dec j n); [|right; intro H; inversion H; lia].
    destruct (IH s); [left; constructor; auto|right; intro H; inversion H; auto].
Defined.
