(** Whole programs, from their allocations to the end: every program has a 3-address
    form, the elaborated program of Core-TeIL computes the same, and so do the loops over
    buffers that hold what memory holds at the beginning. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics Core Elaboration Lifting Loops Lowering Evaluator.
Import ListNotations.

(** 3-address form (A3): the operands of operations are names. *)
Definition is_name (e : expr) : Prop := match e with Var _ => True | _ => False end.

Definition three_address (e : expr) : Prop :=
  match e with
  | Var _ | Const _ | Iota _ => True
  | Unary _ e | Red _ _ e | Transp _ _ e | Diag _ _ e | Expa _ _ e | Proj _ _ e
  | Shift _ _ _ e | Window _ _ e | Stride _ _ e | Flip _ e | Pad _ _ _ e | Remap _ _ e => is_name e
  | Binary _ e0 e1 | Mul e0 e1 | Prod e0 e1 | Replace _ _ _ e0 e1 | Gather _ e0 e1 => is_name e0 /\ is_name e1
  end.

(** How many operands are not names, at any depth. *)
Definition one_unless_name (e : expr) : nat := match e with Var _ => 0 | _ => 1 end.

Fixpoint nested (e : expr) : nat :=
  match e with
  | Var _ | Const _ | Iota _ => 0
  | Unary _ e | Red _ _ e | Transp _ _ e | Diag _ _ e | Expa _ _ e | Proj _ _ e
  | Shift _ _ _ e | Window _ _ e | Stride _ _ e | Flip _ e | Pad _ _ _ e | Remap _ _ e => one_unless_name e + nested e
  | Binary _ e0 e1 | Mul e0 e1 | Prod e0 e1 | Replace _ _ _ e0 e1 | Gather _ e0 e1 =>
      one_unless_name e0 + nested e0 + (one_unless_name e1 + nested e1)
  end.

Lemma one_unless_name_0 : forall e, one_unless_name e = 0 -> is_name e.
Proof. intros []; simpl; auto; discriminate. Qed.

Lemma nested_0 : forall e, nested e = 0 -> three_address e.
Proof. intros []; simpl; intro H; auto; try split; apply one_unless_name_0; lia. Qed.

(** Some operand that is not a name can be taken out. *)
Lemma outermost : forall G e s t, has_type G e s -> G t = None -> nested e <> 0 ->
  exists p sp e', e = subst t p e' /\ has_type G p sp /\ nested p + nested e' < nested e.
Proof.
  intros G e s t H N Q.
  assert (S : forall p u, subst t p (Var u) = if t =? u then p else Var u) by reflexivity.
  assert (A : forall p a r, has_type G a r -> subst t p a = a) by (intros; apply subst_absent; eauto using typed_names).
  assert (One : forall (c : expr -> expr) a r, has_type G a r -> (forall p, subst t p (c (Var t)) = c p) ->
    nested (c (Var t)) = 0 -> nested (c a) = one_unless_name a + nested a -> nested (c a) <> 0 ->
    exists p sp e', c a = subst t p e' /\ has_type G p sp /\ nested p + nested e' < nested (c a)).
  { intros c a r Ha Sc N0 Na Nz. exists a, r, (c (Var t)). rewrite Sc. repeat split; auto.
    rewrite Na in *. destruct a; simpl in *; lia. }
  assert (Two : forall (c : expr -> expr -> expr) a b r r', has_type G a r -> has_type G b r' ->
    (forall p x y, subst t p (c x y) = c (subst t p x) (subst t p y)) ->
    (forall x y, nested (c x y) = one_unless_name x + nested x + (one_unless_name y + nested y)) -> nested (c a b) <> 0 ->
    exists p sp e', c a b = subst t p e' /\ has_type G p sp /\ nested p + nested e' < nested (c a b)).
  { intros c a b r r' Ha Hb Sc Nc Nz. destruct (Nat.eq_dec (one_unless_name a) 0) as [Za|Za].
    - exists b, r', (c a (Var t)). rewrite Sc, (A b a r Ha), S, Nat.eqb_refl. repeat split; auto.
      rewrite !Nc in *. destruct a; try discriminate Za. destruct b; simpl in *; lia.
    - exists a, r, (c (Var t) b). rewrite Sc, (A a b r' Hb), S, Nat.eqb_refl. repeat split; auto.
      rewrite !Nc in *. simpl. lia. }
  assert (R : forall p, (if t =? t then p else Var t) = p) by (intro p; rewrite Nat.eqb_refl; reflexivity).
  destruct e; inversion H; subst; try (simpl in Q; lia).
  - eapply (One (Unary f)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (Two (Binary b)); eauto.
  - eapply (Two Mul); eauto.
  - eapply (Two Mul); eauto.
  - eapply (Two Prod); eauto.
  - eapply (Two (Gather i)); eauto.
  - eapply (One (Red r i)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Transp i0 i1)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Diag i0 i1)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Expa i n)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Proj i m)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Shift i o m)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Window i n)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Stride i d)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Flip i)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Pad i l h)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (One (Remap i f)); eauto; intros; simpl; rewrite ?R; reflexivity.
  - eapply (Two (Replace i o d)); eauto.
Qed.

Lemma fresh_name : forall al, exists t, context_of al t = None.
Proof.
  intro al. enough (H : forall t, Forall (fun a => allocated a < t) al -> context_of al t = None).
  { exists (S (list_max (map allocated al))). apply H. apply Forall_forall. intros a I.
    pose proof (proj1 (list_max_le (map allocated al) _) (le_n _)) as L.
    rewrite Forall_forall in L. specialize (L _ (in_map allocated _ _ I)). lia. }
  intros t. induction 1 as [|a l L F IH]; [reflexivity|]. simpl. rewrite bind_other by lia. exact IH.
Qed.

Definition statement_nested (c : stmt expr) : nat := match c with Assign _ e => nested e end.

(** By lifting parts, every program gets to 3-address form; lifts_correct says that it
    computes the same. *)
Theorem three_address_form : forall p, ok_program has_type p -> exists p', lifts p p' /\
  Forall (fun c => match c with Assign _ e => three_address e end) (stmts p').
Proof.
  intros p. remember (list_sum (map statement_nested (stmts p))) as n eqn:En. revert p En.
  induction n as [n IH] using lt_wf_ind. intros [al l] -> Ok.
  assert (Ex : Forall (fun c => statement_nested c = 0) l \/ exists c, In c l /\ statement_nested c <> 0).
  { clear. induction l as [|c l [F|(d & I & Z)]]; auto.
    - destruct (Nat.eq_dec (statement_nested c) 0); [left; auto|right; exists c; simpl; auto].
    - right. exists d. simpl. auto. }
  destruct Ex as [F|([x e] & I & Z)].
  - exists (Program al l). split; [apply L_None|]. eapply Forall_impl; [|exact F]. intros [x e]. apply nested_0.
  - apply in_split in I. destruct I as (l1 & l2 & ->).
    destruct (fresh_name al) as [t Ft]. pose proof Ok as [Oa Os]. simpl in Os.
    apply Forall_app in Os. destruct Os as [_ Os]. inversion Os as [|? ? Oc _]; subst. inversion Oc as [? ? s Hx He]; subst.
    destruct (outermost _ _ _ t He Ft Z) as (p & sp & e' & -> & Hp & L).
    pose proof (L_Part al l1 l2 x e' t p sp Ft Hp (positive_type _ (positive_context_of _ Oa) _ _ Hp)) as Step.
    destruct (lifts_correct (Domain unit tt tt (fun _ _ => tt) (fun _ _ => tt) (fun _ _ _ => tt) (fun _ _ => tt) (fun _ => tt) (fun _ => 0) tt) _ _ Step Ok) as [Ok' _].
    destruct (IH (list_sum (map statement_nested (l1 ++ Assign t p :: Assign x e' :: l2)))) with (p := Program (Alloc t sp :: al) (l1 ++ Assign t p :: Assign x e' :: l2))
      as (p' & Ls & Th); auto.
    + simpl. rewrite !map_app, !list_sum_app. simpl. lia.
    + exists p'. split; [eapply L_Then; eassumption|exact Th].
Qed.

Section Programs.
  Context (D : domain).
  Notation T := (number D).

  (** The program of Core-TeIL. *)
  Definition elaborate_program (p : program expr) : program cexpr :=
    Program (allocs p) (map (map_stmt elaborate) (stmts p)).

  Lemma elaborated_runs : forall G l m r, runs (value D) G m l r -> positive_context G -> agrees m G -> ok_stmts has_type G l ->
    forall m', (forall x, same (m' x) (m x)) ->
    exists r', runs (cvalue D) G m' (map (map_stmt elaborate) l) r' /\ forall x, same (r' x) (r x).
  Proof.
    intros G l m r R P. induction R as [m|m c m1 l r C R IH]; intros A Ok m' M.
    - exists m'. split; [constructor|exact M].
    - inversion Ok as [|? ? Oc Ol]; subst. inversion C as [? x e s t Hx Et Dt De]; subst.
      inversion Oc as [? ? s' Hx' He]; subst. rewrite Hx in Hx'. injection Hx' as <-.
      assert (V : forall k, inb k s -> cvalue D G m' (elaborate e) k = value D G m e k).
      { intros k I. rewrite (elaboration_keeps_values D G m' P e s He k I). apply value_memory. exact M. }
      destruct (IH) with (m' := assign m' x s (cvalue D G m' (elaborate e))) as (r' & R' & M'); auto.
      + apply assign_agrees; assumption.
      + intro y. unfold assign. destruct (x =? y); [|apply M]. intro k. destruct (inb_dec k s); auto.
      + exists r'. split; [|exact M']. simpl. econstructor; [|exact R'].
        pose proof (M x) as Mx. rewrite Et in Mx. destruct (m' x) as [t'|] eqn:Et'; [|contradiction].
        econstructor; eauto; intros k I; [rewrite (Mx k); auto|rewrite (V k I); auto].
  Qed.

  Theorem elaboration_keeps_programs : forall p fill m, ok_program has_type p -> evaluates (value D) p fill m ->
    ok_program ctype (elaborate_program p) /\
    exists m', evaluates (cvalue D) (elaborate_program p) fill m' /\ forall x, same (m' x) (m x).
  Proof.
    intros p fill m [Oa Os] R. split.
    - split; [exact Oa|]. simpl. unfold ok_stmts in *. apply Forall_map. eapply Forall_impl; [|exact Os].
      intros c Oc. inversion Oc; subst. econstructor; eauto using elaboration_keeps_types.
    - eapply elaborated_runs; eauto using positive_context_of, memory_of_agrees, same_refl.
  Qed.

  (** The buffers of a program: those of the allocations hold [fill], and each statement
      has a buffer of zeros for its target's shape. *)
  Fixpoint room (G : context) (l : list (name * stmt expr)) : buffers D :=
    match l with
    | [] => fun _ => None
    | (t, Assign x _) :: l =>
        fun y => if t =? y then option_map (fun s => repeat (zero D) (size s)) (G x) else room G l y
    end.

  Definition buffers_of (al : list alloc) (fill : name -> index -> T) (l : list (name * stmt expr)) : buffers D :=
    fun x => match context_of al x with
             | Some s => Some (map (fill x) (indices s))
             | None => room (context_of al) l x
             end.

  Lemma room_of : forall G l t x e, NoDup (map fst l) -> In (t, Assign x e) l ->
    room G l t = option_map (fun s => repeat (zero D) (size s)) (G x).
  Proof.
    intros G l t x e. induction l as [|[u [y f]] l IH]; intros Nd I; [contradiction|]. simpl in *.
    inversion Nd as [|? ? N Nl]; subst. destruct I as [Q|I].
    - injection Q as -> -> ->. rewrite Nat.eqb_refl. reflexivity.
    - destruct (Nat.eqb_spec u t) as [->|]; [|auto]. destruct N. exact (in_map fst _ _ I).
  Qed.

  (** A well-formed program as loops over its own buffers: they run to their end, no load
      or store out of bounds, and at the end hold the memory of Figure 9. *)
  Theorem lower_program_correct : forall p fill l, ok_program has_type p -> map snd l = stmts p ->
    NoDup (map fst l) -> Forall (fun t => context_of (allocs p) t = None) (map fst l) ->
    exists acc B m, exec D (lower_all (context_of (allocs p)) l) (fun _ => 0) (fun _ => None) (buffers_of (allocs p) fill l) = Some (acc, B) /\
      evaluates (value D) p fill m /\ holds D (context_of (allocs p)) m B.
  Proof.
    intros [al cs] fill l [Oa Os] E Nd Fr. simpl in *. subst cs. unfold evaluates. simpl.
    apply lower_all_correct; auto using memory_of_agrees, positive_context_of.
    - intros x s Hx. unfold memory_of, buffers_of. rewrite Hx. do 2 eexists. split; [reflexivity|]. split; [reflexivity|].
      split; [rewrite map_length; apply length_indices|].
      intros k I. rewrite nth_error_map, nth_indices by exact I. destruct (inb_dec k s); [reflexivity|contradiction].
    - apply Forall_forall. intros [t [x e]] I. simpl.
      unfold ok_stmts in Os. rewrite Forall_forall in Os, Fr.
      specialize (Os _ (in_map snd _ _ I)). specialize (Fr _ (in_map fst _ _ I)). simpl in *.
      inversion Os as [? ? s Hx He]; subst. split; [exact Fr|].
      unfold buffers_of. rewrite Fr, (room_of _ _ _ _ _ Nd I), Hx. simpl.
      do 2 eexists. split; [reflexivity|]. split; [reflexivity|]. apply repeat_length.
  Qed.
End Programs.
