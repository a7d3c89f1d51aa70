(** Statements and programs over any language of expressions: memory (A5), well-formed
    programs (Figure 8, right), evaluation (Figure 9), and type-safety (Definition 4.2,
    Theorem 4.4, Lemma 4.5, Theorem 4.6), all from Lemma 4.3 about the expressions.
    Full TeIL and Core-TeIL, which differ in their expressions only, are instances. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax.
Import ListNotations.

Inductive stmt {E : Type} := Assign (x : name) (e : E).
Arguments stmt : clear implicits.

Record program {E : Type} := Program { allocs : list alloc; stmts : list (stmt E) }.
Arguments program : clear implicits.
Arguments Program {E}.

Definition map_stmt {E F} (f : E -> F) (c : stmt E) : stmt F := match c with Assign x e => Assign x (f e) end.

Section Memory.
  Context {T : Type}.

  Definition tensor := index -> option T.
  Definition memory := name -> option tensor.

  Definition defined (x : option T) : Prop := exists a, x = Some a.

  (** Exactly the places of a shape are defined. *)
  Definition fits (t : tensor) (s : shape) : Prop := forall k, defined (t k) <-> inb k s.

  (** The memory has the names of a context, each with the places of its shape. *)
  Definition agrees (m : memory) (G : context) : Prop :=
    forall x, match m x, G x with
              | Some t, Some s => fits t s
              | None, None => True
              | _, _ => False
              end.

  (** Definition 4.2: the same names, and at each the same places. *)
  Definition equivalent (m1 m2 : memory) : Prop :=
    (forall x, m1 x <> None <-> m2 x <> None) /\
    (forall x t1 t2, m1 x = Some t1 -> m2 x = Some t2 -> forall k, defined (t1 k) <-> defined (t2 k)).

  (** The same names with the same contents. *)
  Definition same (f g : option tensor) : Prop :=
    match f, g with
    | Some f, Some g => forall k, f k = g k
    | None, None => True
    | _, _ => False
    end.

  Definition assign (m : memory) (x : name) (s : shape) (f : tensor) : memory :=
    fun y => if x =? y then Some (fun k => if inb_dec k s then f k else None) else m y.

  Lemma assign_agrees : forall m G x s f, agrees m G -> G x = Some s ->
    (forall k, inb k s -> defined (f k)) -> agrees (assign m x s f) G.
  Proof.
    intros m G x s f A Hx F y. unfold assign. specialize (A y).
    destruct (Nat.eqb_spec x y); subst; [|exact A].
    rewrite Hx. intro k. destruct (inb_dec k s) as [I|N]; split; auto.
    - intros [a [=]].
    - contradiction.
  Qed.

  (** The memory of the allocations, filled with any numbers. *)
  Definition memory_of (l : list alloc) (fill : name -> index -> T) : memory :=
    fun x => match context_of l x with
             | Some s => Some (fun k => if inb_dec k s then Some (fill x k) else None)
             | None => None
             end.

  Lemma memory_of_agrees : forall l fill, agrees (memory_of l fill) (context_of l).
  Proof.
    intros l fill x. unfold memory_of. destruct (context_of l x) as [s|]; auto.
    intro k. destruct (inb_dec k s); split; auto.
    - intros _. eexists. reflexivity.
    - intros [a [=]].
    - contradiction.
  Qed.

  (** To agree with the context of the allocations is to be equivalent to their memory. *)
  Lemma agrees_equivalent : forall l fill m, agrees m (context_of l) <-> equivalent m (memory_of l fill).
  Proof.
    intros l fill m. pose proof (memory_of_agrees l fill) as F. split.
    - intro A. split.
      + intro x. specialize (A x). specialize (F x).
        destruct (m x), (memory_of l fill x), (context_of l x); split; intros; try congruence; contradiction.
      + intros x t1 t2 E1 E2 k. specialize (A x). specialize (F x). rewrite E1 in A. rewrite E2 in F.
        destruct (context_of l x); [|contradiction]. rewrite (A k), (F k). reflexivity.
    - intros [N V] x. specialize (F x). specialize (N x). specialize (V x).
      destruct (m x) as [t1|], (memory_of l fill x) as [t2|], (context_of l x) as [s|]; try contradiction; try exact I.
      + intro k. rewrite (V t1 t2 eq_refl eq_refl k). apply F.
      + destruct N as [N _]. apply N; congruence.
      + destruct N as [_ N]. apply N; congruence.
  Qed.
End Memory.
Arguments tensor : clear implicits.
Arguments memory : clear implicits.

Section Language.
  Context {E T : Type} (typed : context -> E -> shape -> Prop) (value : context -> memory T -> E -> tensor T).

  (** OK-Stmt, OK-Empty and OK-Seq, OK-Prog. *)
  Inductive ok_stmt (G : context) : stmt E -> Prop :=
  | OK_Stmt : forall x e s, G x = Some s -> typed G e s -> ok_stmt G (Assign x e).

  Definition ok_stmts (G : context) (l : list (stmt E)) : Prop := Forall (ok_stmt G) l.

  Definition ok_program (p : program E) : Prop :=
    ok_allocs (allocs p) /\ ok_stmts (context_of (allocs p)) (stmts p).

  (** Figure 9. All values are computed in the old memory, then x is replaced. *)
  Inductive steps (G : context) : memory T -> stmt E -> memory T -> Prop :=
  | St_Stmt : forall m x e s t, G x = Some s -> m x = Some t ->
      (forall k, inb k s -> defined (t k)) ->
      (forall k, inb k s -> defined (value G m e k)) ->
      steps G m (Assign x e) (assign m x s (value G m e)).

  (** St-Seq with the paper's slip mended: the first part runs in [m]. *)
  Inductive runs (G : context) : memory T -> list (stmt E) -> memory T -> Prop :=
  | St_Empty : forall m, runs G m [] m
  | St_Seq : forall m c m' l m'', steps G m c m' -> runs G m' l m'' -> runs G m (c :: l) m''.

  (** Eval-Prog. *)
  Definition evaluates (p : program E) (fill : name -> index -> T) (m : memory T) : Prop :=
    runs (context_of (allocs p)) (memory_of (allocs p) fill) (stmts p) m.

  (** Evaluation is a function. *)
  Theorem deterministic : forall G m l m1, runs G m l m1 -> forall m2, runs G m l m2 -> m1 = m2.
  Proof.
    induction 1 as [m|m c m' l m'' Hc Hl IH]; intros m2 R; inversion R as [|? ? m1' ? ? Hc' Hl']; subst; auto.
    enough (m' = m1') by (subst; auto).
    inversion Hc as [? x e s t Hx]; subst. inversion Hc' as [? x' e' s' t' Hx']; subst. congruence.
  Qed.

  (** The evaluator. *)
  Fixpoint run (G : context) (m : memory T) (l : list (stmt E)) : option (memory T) :=
    match l with
    | [] => Some m
    | Assign x e :: l =>
        match G x with
        | Some s => run G (assign m x s (value G m e)) l
        | None => None
        end
    end.

  Lemma run_app : forall G l1 l2 m, run G m (l1 ++ l2) = match run G m l1 with Some m' => run G m' l2 | None => None end.
  Proof.
    intros G l1 l2. induction l1 as [|[x e] l1 IH]; intro m; [reflexivity|].
    simpl. destruct (G x); [apply IH|reflexivity].
  Qed.

  (** Lemma 4.3, which each language of expressions proves. *)
  Definition well_defined : Prop := forall G m, agrees m G -> positive_context G ->
    forall e s, typed G e s -> forall k, inb k s -> defined (value G m e k).

  Context (V : well_defined).

  (** Lemma 4.5: a well-formed statement makes its step and keeps the memory's domain. *)
  Theorem statement_safe : forall G m c, agrees m G -> positive_context G -> ok_stmt G c ->
    exists m', steps G m c m' /\ agrees m' G.
  Proof.
    intros G m c A P H. destruct H as [x e s Hx He].
    pose proof (A x) as Ax. rewrite Hx in Ax. destruct (m x) as [t|] eqn:Em; [|contradiction].
    pose proof (V _ _ A P _ _ He) as Ve.
    exists (assign m x s (value G m e)). split.
    - econstructor; eauto. intros k I. apply Ax. exact I.
    - apply assign_agrees; assumption.
  Qed.

  Theorem statements_safe : forall G l m, agrees m G -> positive_context G -> ok_stmts G l ->
    exists m', runs G m l m' /\ agrees m' G.
  Proof.
    intros G l. induction l as [|c l IH]; intros m A P H.
    - exists m. split; [constructor|exact A].
    - inversion H as [|? ? Hc Hl]; subst.
      destruct (statement_safe _ _ _ A P Hc) as (m' & R & A').
      destruct (IH m' A' P Hl) as (m'' & R' & A''). exists m''. split; [econstructor; eauto|exact A''].
  Qed.

  (** Theorem 4.4: every expression of a well-formed program has the type of its
      target, and a value at every index of it. *)
  Theorem expression_safe : forall p m x e, ok_program p -> agrees m (context_of (allocs p)) ->
    In (Assign x e) (stmts p) ->
    exists! s, context_of (allocs p) x = Some s /\ typed (context_of (allocs p)) e s /\
      forall k, inb k s -> defined (value (context_of (allocs p)) m e k).
  Proof.
    intros p m x e [P H] A I. unfold ok_stmts in H. rewrite Forall_forall in H.
    specialize (H _ I). inversion H as [? ? s Hx He]; subst.
    exists s. split; [|intros t (Ht & _); congruence].
    repeat split; auto. apply V; auto using positive_context_of.
  Qed.

  (** Theorem 4.6: a well-formed program runs to its end and keeps the domain of its
      memory, so it never reads or writes out of bounds. *)
  Theorem type_safety : forall p fill, ok_program p ->
    exists m, evaluates p fill m /\ agrees m (context_of (allocs p)).
  Proof.
    intros p fill [Ha Hs]. apply statements_safe; auto using memory_of_agrees, positive_context_of.
  Qed.

  Theorem run_correct : forall G l m, agrees m G -> positive_context G -> ok_stmts G l ->
    exists m', run G m l = Some m' /\ runs G m l m' /\ agrees m' G.
  Proof.
    intros G l. induction l as [|c l IH]; intros m A P H.
    - exists m. repeat split; [constructor|exact A].
    - inversion H as [|? ? Hc Hl]; subst.
      destruct (statement_safe _ _ _ A P Hc) as (m' & R & A').
      destruct (IH m' A' P Hl) as (m'' & Q & R' & A'').
      inversion R as [? x e s t Hx]; subst. exists m''. split; [simpl; rewrite Hx; exact Q|].
      split; [econstructor; eauto|exact A''].
  Qed.
End Language.
