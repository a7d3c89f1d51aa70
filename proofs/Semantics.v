(** What TeIL means (Figures 6 and 9), and that well-typed programs never get
    stuck (Lemmas 4.3 and 4.5, Theorems 4.4 and 4.6), for the full language. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Typing.
Import ListNotations.

(** The number domain: any set with these operations; no law is needed here. *)
Record domain := Domain {
  number : Type;
  zero : number;
  one : number;
  plus : number -> number -> number;
  times : number -> number -> number;
  binary_op : binary -> number -> number -> number;
  unary_op : unary -> number -> number;
  constant : nat -> number;
}.

Section Semantics.
  Context (D : domain).
  Notation T := (number D).

  Definition tensor := index -> option T.
  Definition memory := name -> option tensor.

  Definition lift1 (f : T -> T) (x : option T) : option T :=
    match x with Some a => Some (f a) | None => None end.
  Definition lift2 (f : T -> T -> T) (x y : option T) : option T :=
    match x, y with Some a, Some b => Some (f a b) | _, _ => None end.

  Definition op (b : binary) : T -> T -> T :=
    match b with Add => plus D | b => binary_op D b end.

  (** A reduction folds from the left: sums from 0, products from 1, the others
      from the first element (A6). *)
  Definition step (r : reduction) : T -> T -> T :=
    match r with
    | Sum => plus D
    | Product => times D
    | Minimum => binary_op D Min
    | Maximum => binary_op D Max
    end.

  Definition start (r : reduction) : option T :=
    match r with Sum => Some (zero D) | Product => Some (one D) | _ => None end.

  (** [fold r n f]: the values [f 1 … f n], combined. *)
  Fixpoint fold (r : reduction) (n : nat) (f : nat -> option T) : option T :=
    match n with
    | 0 => start r
    | S n =>
        match n, start r with
        | 0, None => f 1
        | _, _ => lift2 (step r) (fold r n f) (f (S n))
        end
    end.

  (** A scalar factor is read at the empty index, whatever the other's index is. *)
  Definition factor_index (t : option shape) (k : index) : index :=
    match t with Some [] => [] | _ => k end.

  Fixpoint value (G : context) (m : memory) (e : expr) (k : index) : option T :=
    match e with
    | Var x => match m x with Some t => t k | None => None end
    | Const c => Some (constant D c)
    | Unary f e => lift1 (unary_op D f) (value G m e k)
    | Binary b e0 e1 => lift2 (op b) (value G m e0 k) (value G m e1 k)
    | Mul e0 e1 =>
        lift2 (times D) (value G m e0 (factor_index (type G e0) k)) (value G m e1 k)
    | Prod e0 e1 =>
        match type G e0 with
        | Some s0 => lift2 (times D) (value G m e0 (firstn (length s0) k)) (value G m e1 (skipn (length s0) k))
        | None => None
        end
    | Red r i e =>
        match type G e with
        | Some s =>
            match nth_error s (i - 1) with
            | Some n => fold r n (fun j => value G m e (insert (i - 1) j k))
            | None => None
            end
        | None => None
        end
    | Transp i0 i1 e => value G m e (swap (i0 - 1) (i1 - 1) k)
    | Diag i0 i1 e =>
        match nth_error k (i0 - 1) with
        | Some j => value G m e (insert (i1 - 1) j k)
        | None => None
        end
    | Expa i _ e => value G m e (remove (i - 1) k)
    | Proj i p e => value G m e (insert (i - 1) p k)
    end.

  Definition defined (x : option T) : Prop := exists a, x = Some a.

  (** Exactly the places of a shape are defined. *)
  Definition fits (t : tensor) (s : shape) : Prop := forall k, defined (t k) <-> inb k s.

  (** Definition 4.2 against the memory of a context: the same names with the same
      places. *)
  Definition agrees (m : memory) (G : context) : Prop :=
    forall x, match m x, G x with
              | Some t, Some s => fits t s
              | None, None => True
              | _, _ => False
              end.

  Definition positive_context (G : context) : Prop := forall x s, G x = Some s -> positive s.

  Lemma fold_defined : forall r n f, 1 <= n -> (forall j, 1 <= j <= n -> defined (f j)) -> defined (fold r n f).
  Proof.
    intros r n f. induction n as [|n IH]; intros L H; [lia|].
    destruct (H (S n)) as [b Hb]; [lia|].
    destruct n as [|n].
    - simpl. rewrite Hb. destruct (start r) eqn:E; [|eexists; reflexivity].
      eexists. reflexivity.
    - destruct IH as [a Ha]; [lia|intros; apply H; lia|].
      change (fold r (S (S n)) f) with (lift2 (step r) (fold r (S n) f) (f (S (S n)))).
      rewrite Ha, Hb. eexists. reflexivity.
  Qed.

  Lemma inb_insert : forall k s p n j, inb k (remove p s) -> nth_error s p = Some n -> 1 <= j <= n ->
    inb (insert p j k) s.
  Proof.
    intros k s p n j H E B. rewrite <- (insert_remove _ _ _ E). apply Forall2_insert; assumption.
  Qed.

  (** Lemma 4.3: a well-typed expression has a value at every index of its type. *)
  Theorem value_defined : forall G m, agrees m G -> positive_context G ->
    forall e s, has_type G e s -> forall k, inb k s -> defined (value G m e k).
  Proof.
    intros G m A P. induction 1; intros k B; cbn [value].
    - specialize (A x). rewrite H in A. destruct (m x); [apply A; assumption|contradiction].
    - eexists. reflexivity.
    - destruct (IHhas_type k B) as [a ->]. eexists. reflexivity.
    - destruct (IHhas_type1 k B) as [a ->]. destruct (IHhas_type2 k B) as [b' ->]. eexists. reflexivity.
    - destruct (IHhas_type2 k B) as [b ->]. rewrite (type_complete _ _ _ H).
      assert (Z : inb (factor_index (Some s) k) s) by (destruct s; [constructor|exact B]).
      destruct (IHhas_type1 _ Z) as [a ->]. eexists. reflexivity.
    - destruct (IHhas_type2 k B) as [b ->]. rewrite (type_complete _ _ _ H).
      cbn [factor_index]. destruct (IHhas_type1 [] inb_nil) as [a ->]. eexists. reflexivity.
    - rewrite (type_complete _ _ _ H). destruct (inb_split _ _ _ B) as [B0 B1].
      destruct (IHhas_type1 _ B0) as [a ->]. destruct (IHhas_type2 _ B1) as [b ->]. eexists. reflexivity.
    - rewrite (type_complete _ _ _ H).
      destruct (nth_error s (i - 1)) as [n|] eqn:E; [|apply nth_error_None in E; lia].
      apply fold_defined.
      + pose proof (positive_type G P _ _ H) as Q. exact (Forall_nth_error _ _ _ _ Q E).
      + intros j L. apply IHhas_type. eapply inb_insert; eauto.
    - apply IHhas_type. pose proof (inb_length _ _ B) as L. rewrite length_swap in L.
      rewrite <- (swap_swap s (i0 - 1) (i1 - 1)) by lia.
      apply Forall2_swap; [exact B| |]; lia.
    - pose proof (inb_length _ _ B) as L. assert (i1 - 1 < length s) by (apply nth_error_Some; congruence).
      pose proof (length_remove s (i1 - 1)).
      destruct (nth_error k (i0 - 1)) as [j|] eqn:E; [|apply nth_error_None in E; lia].
      apply IHhas_type. eapply inb_insert; eauto.
      eapply Forall2_nth_error with (1 := B); [exact E|].
      rewrite nth_error_remove. destruct (Nat.ltb_spec (i0 - 1) (i1 - 1)); [assumption|lia].
    - apply IHhas_type. rewrite <- (remove_insert s (i - 1) n) by lia. apply Forall2_remove. assumption.
    - apply IHhas_type. eapply inb_insert; eauto.
  Qed.

  (** Figure 9. All values are computed in the old memory, then x is replaced. *)
  Definition assign (m : memory) (x : name) (s : shape) (f : tensor) : memory :=
    fun y => if x =? y then Some (fun k => if inb_dec k s then f k else None) else m y.

  Inductive steps (G : context) : memory -> stmt -> memory -> Prop :=
  | St_Stmt : forall m x e s t, G x = Some s -> m x = Some t ->
      (forall k, inb k s -> defined (t k)) ->
      (forall k, inb k s -> defined (value G m e k)) ->
      steps G m (Assign x e) (assign m x s (value G m e)).

  (** St-Seq with the paper's slip mended: the first part runs in [m]. *)
  Inductive runs (G : context) : memory -> list stmt -> memory -> Prop :=
  | St_Empty : forall m, runs G m [] m
  | St_Seq : forall m c m' l m'', steps G m c m' -> runs G m' l m'' -> runs G m (c :: l) m''.

  Lemma assign_agrees : forall m G x s f, agrees m G -> G x = Some s ->
    (forall k, inb k s -> defined (f k)) -> agrees (assign m x s f) G.
  Proof.
    intros m G x s f A Hx F y. unfold assign. specialize (A y).
    destruct (Nat.eqb_spec x y); subst; [|exact A].
    rewrite Hx. intro k. destruct (inb_dec k s) as [I|N]; split; auto.
    - intros [a [=]].
    - contradiction.
  Qed.

  (** Lemma 4.5: a well-formed statement makes its step and keeps the memory's domain. *)
  Theorem statement_safe : forall G m c, agrees m G -> positive_context G -> ok_stmt G c ->
    exists m', steps G m c m' /\ agrees m' G.
  Proof.
    intros G m c A P H. destruct H as [x e s Hx He].
    pose proof (A x) as Ax. rewrite Hx in Ax. destruct (m x) as [t|] eqn:Em; [|contradiction].
    pose proof (value_defined _ _ A P _ _ He) as V.
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

  Lemma positive_context_of : forall l, ok_allocs l -> positive_context (context_of l).
  Proof.
    intros l [_ P]. induction l as [|a l IH]; simpl; intros y t E; [discriminate|].
    inversion P; subst. unfold bind in E. destruct (allocated a =? y); [injection E as <-; assumption|].
    eapply IH; eauto.
  Qed.

  (** Theorem 4.4: every expression of a well-formed program has the type of its
      target, and a value at every index of it. *)
  Theorem expression_safe : forall p m x e, ok_program p -> agrees m (context_of (allocs p)) ->
    In (Assign x e) (stmts p) ->
    exists! s, context_of (allocs p) x = Some s /\ has_type (context_of (allocs p)) e s /\
      forall k, inb k s -> defined (value (context_of (allocs p)) m e k).
  Proof.
    intros p m x e [P H] A I. unfold ok_stmts in H. rewrite Forall_forall in H.
    specialize (H _ I). inversion H as [? ? s Hx He]; subst.
    exists s. split; [|intros t (Ht & _); congruence].
    repeat split; auto. eapply value_defined; eauto using positive_context_of.
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

  (** Eval-Prog. *)
  Definition evaluates (p : program) (fill : name -> index -> T) (m : memory) : Prop :=
    runs (context_of (allocs p)) (memory_of (allocs p) fill) (stmts p) m.

  (** Theorem 4.6: a well-formed program runs to its end and keeps the domain of its
      memory, so it never reads or writes out of bounds. *)
  Theorem type_safety : forall p fill, ok_program p ->
    exists m, evaluates p fill m /\ agrees m (context_of (allocs p)).
  Proof.
    intros p fill [Ha Hs]. apply statements_safe; auto using memory_of_agrees, positive_context_of.
  Qed.

  (** Evaluation is a function. *)
  Theorem deterministic : forall G m l m1, runs G m l m1 -> forall m2, runs G m l m2 -> m1 = m2.
  Proof.
    induction 1 as [m|m c m' l m'' Hc Hl IH]; intros m2 R; inversion R as [|? ? m1' ? ? Hc' Hl']; subst; auto.
    enough (m' = m1') by (subst; auto).
    inversion Hc as [? x e s t Hx]; subst. inversion Hc' as [? x' e' s' t' Hx']; subst. congruence.
  Qed.

  (** The evaluator that is extracted. *)
  Fixpoint run (G : context) (m : memory) (l : list stmt) : option memory :=
    match l with
    | [] => Some m
    | Assign x e :: l =>
        match G x with
        | Some s => run G (assign m x s (value G m e)) l
        | None => None
        end
    end.

  Theorem run_correct : forall G l m, agrees m G -> positive_context G -> ok_stmts G l ->
    exists m', run G m l = Some m' /\ runs G m l m'.
  Proof.
    intros G l. induction l as [|c l IH]; intros m A P H.
    - exists m. split; [reflexivity|constructor].
    - inversion H as [|? ? Hc Hl]; subst.
      destruct (statement_safe _ _ _ A P Hc) as (m' & R & A').
      destruct (IH m' A' P Hl) as (m'' & E & R').
      inversion R as [? x e s t Hx]; subst. exists m''. split; [simpl; rewrite Hx; exact E|].
      econstructor; eauto.
  Qed.
End Semantics.
