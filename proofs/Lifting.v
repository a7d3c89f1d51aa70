(** Lifting: a part of an expression is computed once, into a temporary of its own
    (A13.5). Memory is the same on all names of the program. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics.
Import ListNotations.

(** [subst t p e]: [e] with the expression [p] in the place of the name [t]. *)
Fixpoint subst (t : name) (p e : expr) : expr :=
  match e with
  | Var x => if t =? x then p else Var x
  | Const c => Const c
  | Unary f e => Unary f (subst t p e)
  | Binary b e0 e1 => Binary b (subst t p e0) (subst t p e1)
  | Mul e0 e1 => Mul (subst t p e0) (subst t p e1)
  | Prod e0 e1 => Prod (subst t p e0) (subst t p e1)
  | Gather i e0 e1 => Gather i (subst t p e0) (subst t p e1)
  | Red r i e => Red r i (subst t p e)
  | Transp i0 i1 e => Transp i0 i1 (subst t p e)
  | Diag i0 i1 e => Diag i0 i1 (subst t p e)
  | Expa i n e => Expa i n (subst t p e)
  | Proj i m e => Proj i m (subst t p e)
  | Shift i o m e => Shift i o m (subst t p e)
  | Window i w e => Window i w (subst t p e)
  | Stride i d e => Stride i d (subst t p e)
  | Flip i e => Flip i (subst t p e)
  | Pad i l h e => Pad i l h (subst t p e)
  | Remap i f e => Remap i f (subst t p e)
  | Replace i o d e0 e1 => Replace i o d (subst t p e0) (subst t p e1)
  | Iota n => Iota n
  end.

Fixpoint occurs (t : name) (e : expr) : Prop :=
  match e with
  | Var x => x = t
  | Const _ | Iota _ => False
  | Unary _ e | Red _ _ e | Transp _ _ e | Diag _ _ e | Expa _ _ e | Proj _ _ e
  | Shift _ _ _ e | Window _ _ e | Stride _ _ e | Flip _ e | Pad _ _ _ e | Remap _ _ e => occurs t e
  | Binary _ e0 e1 | Mul e0 e1 | Prod e0 e1 | Replace _ _ _ e0 e1 | Gather _ e0 e1 => occurs t e0 \/ occurs t e1
  end.

Lemma bind_same : forall G t s, bind G t s t = Some s.
Proof. intros. unfold bind. rewrite Nat.eqb_refl. reflexivity. Qed.

Lemma bind_other : forall G t s x, t <> x -> bind G t s x = G x.
Proof. intros. unfold bind. destruct (Nat.eqb_spec t x); congruence. Qed.

Lemma positive_bind : forall G t s, positive_context G -> positive s -> positive_context (bind G t s).
Proof. intros G t s P Q x u. unfold bind. destruct (t =? x); [intros [= <-]; exact Q|apply P]. Qed.

(** A name that does not occur does not matter. *)
Lemma type_frame : forall G t s e, ~ occurs t e -> type (bind G t s) e = type G e.
Proof.
  intros G t s. induction e; cbn [occurs type]; intro N;
    repeat match goal with IH : ~ occurs t ?e -> _ |- _ => rewrite IH by tauto; clear IH end; try reflexivity.
  apply bind_other. congruence.
Qed.

Lemma subst_type : forall G t p sp, type G p = Some sp -> ~ occurs t p ->
  forall e, type (bind G t sp) e = type G (subst t p e).
Proof.
  intros G t p sp Hp N. induction e; cbn [subst type];
    repeat match goal with IH : type _ ?e = _ |- _ => rewrite IH; clear IH end; try reflexivity.
  destruct (Nat.eqb_spec t x); subst.
  - rewrite bind_same. congruence.
  - apply bind_other. assumption.
Qed.

Section Lifting.
  Context (D : domain).

  (** Values depend on the context only through the types of parts that occur. *)
  Lemma value_context : forall G m t s e, ~ occurs t e -> forall k, value D (bind G t s) m e k = value D G m e k.
  Proof.
    intros G m t s. induction e; intros N k; cbn [occurs value] in *; rewrite ?type_frame by tauto; try reflexivity.
    - rewrite IHe by assumption. reflexivity.
    - rewrite IHe1, IHe2 by tauto. reflexivity.
    - rewrite IHe1, IHe2 by tauto. reflexivity.
    - destruct (type G e1); [|reflexivity]. rewrite IHe1, IHe2 by tauto. reflexivity.
    - destruct (type G e1); [|reflexivity]. destruct (size_of _ _); [|reflexivity].
      rewrite IHe1 by tauto. apply gathered_ext. intros. apply IHe2. tauto.
    - destruct (type G e); [|reflexivity]. destruct (nth_error _ _); [|reflexivity].
      apply fold_ext. intros. apply IHe. exact N.
    - apply IHe. exact N.
    - destruct (nth_error _ _); [apply IHe; exact N|reflexivity].
    - apply IHe. exact N.
    - apply IHe. exact N.
    - destruct (nth_error _ _); [apply IHe; exact N|reflexivity].
    - destruct (nth_error _ _); [|reflexivity]. destruct (nth_error _ _); [apply IHe; exact N|reflexivity].
    - destruct (nth_error _ _); [apply IHe; exact N|reflexivity].
    - destruct (at_dimension _ _ _) as [[n j]|]; [apply IHe; exact N|reflexivity].
    - destruct (at_dimension _ _ _) as [[n j]|]; [|reflexivity]. destruct (_ && _)%bool; [apply IHe; exact N|reflexivity].
    - destruct (at_dimension _ _ _) as [[n j]|]; [apply IHe; exact N|reflexivity].
    - destruct (at_dimension _ _ _) as [[n j]|]; [|reflexivity]. destruct (in_part _ _ _ _); [apply IHe2|apply IHe1]; tauto.
  Qed.

  (** Memories that hold the same under the names that occur give the same values. *)
  Lemma value_occurring : forall G m m' e,
    (forall x, occurs x e -> same (m x) (m' x)) -> forall k, value D G m e k = value D G m' e k.
  Proof.
    intros G m m' e. induction e; intros M k; cbn [value occurs] in *.
    - specialize (M x eq_refl). unfold same in M. destruct (m x), (m' x); auto; contradiction.
    - reflexivity.
    - rewrite IHe by exact M. reflexivity.
    - rewrite IHe1, IHe2 by auto. reflexivity.
    - rewrite IHe1, IHe2 by auto. reflexivity.
    - destruct (type G e1); [rewrite IHe1, IHe2 by auto|]; reflexivity.
    - destruct (type G e1); [|reflexivity]. destruct (size_of _ _); [|reflexivity].
      rewrite IHe1 by auto. apply gathered_ext. auto.
    - destruct (type G e); [|reflexivity]. destruct (nth_error _ _); [|reflexivity].
      apply fold_ext. intros. apply IHe. exact M.
    - apply IHe. exact M.
    - destruct (nth_error _ _); auto.
    - apply IHe. exact M.
    - apply IHe. exact M.
    - destruct (nth_error _ _); auto.
    - destruct (nth_error _ _); [|reflexivity]. destruct (nth_error _ _); auto.
    - destruct (nth_error _ _); auto.
    - destruct (at_dimension _ _ _) as [[n j]|]; auto.
    - destruct (at_dimension _ _ _) as [[n j]|]; [|reflexivity]. destruct (_ && _)%bool; auto.
    - destruct (at_dimension _ _ _) as [[n j]|]; auto.
    - destruct (at_dimension _ _ _) as [[n j]|]; [|reflexivity]. destruct (in_part _ _ _ _); auto.
    - reflexivity.
  Qed.

  Lemma value_memory : forall G m m' e k,
    (forall x, same (m x) (m' x)) -> value D G m e k = value D G m' e k.
  Proof. intros. apply value_occurring. auto. Qed.

  (** A value in bounds reads the temporary only in its bounds, where it holds the
      part's values. *)
  Theorem subst_value : forall G m t p sp, agrees m G -> positive_context G ->
    has_type G p sp -> ~ occurs t p ->
    forall e s, has_type (bind G t sp) e s -> forall k, inb k s ->
    value D (bind G t sp) (assign m t sp (value D G m p)) e k = value D G m (subst t p e) k.
  Proof.
    intros G m t p sp A P Hp N.
    assert (Q : forall e, type (bind G t sp) e = type G (subst t p e))
      by (apply subst_type; [apply type_complete|]; assumption).
    induction 1; intros k B; cbn [subst value]; rewrite <- ?Q.
    - unfold assign. destruct (Nat.eqb_spec t x); subst.
      + rewrite bind_same in H. injection H as <-.
        destruct (inb_dec k sp); [reflexivity|contradiction].
      + reflexivity.
    - reflexivity.
    - rewrite IHhas_type by assumption. reflexivity.
    - rewrite IHhas_type1, IHhas_type2 by assumption. reflexivity.
    - rewrite (type_complete _ _ _ H), IHhas_type2 by assumption.
      rewrite IHhas_type1; [reflexivity|]. destruct s; [constructor|exact B].
    - rewrite (type_complete _ _ _ H), IHhas_type2 by assumption.
      rewrite IHhas_type1; [reflexivity|constructor].
    - rewrite (type_complete _ _ _ H). destruct (inb_split _ _ _ B).
      rewrite IHhas_type1, IHhas_type2 by assumption. reflexivity.
    - rewrite (type_complete _ _ _ H), (type_complete _ _ _ H0). cbn [size_of].
      destruct (nth_error s1 (i - 1)) as [n|] eqn:E; [|reflexivity]. destruct (inb_split _ _ _ B) as [B0 B1].
      rewrite IHhas_type1 by exact B0. apply gathered_ext. intros j L. apply IHhas_type2. eapply inb_insert; eauto.
    - rewrite (type_complete _ _ _ H).
      destruct (nth_error s (i - 1)) as [n|] eqn:E; [|reflexivity].
      apply fold_ext. intros j L. apply IHhas_type. eapply inb_insert; eauto.
    - apply IHhas_type. pose proof (inb_length _ _ B) as L. rewrite length_swap in L.
      rewrite <- (swap_swap s (i0 - 1) (i1 - 1)) by lia. apply Forall2_swap; [exact B| |]; lia.
    - destruct (nth_error k (i0 - 1)) as [j|] eqn:E; [|reflexivity].
      apply IHhas_type. eapply inb_insert; eauto.
      eapply Forall2_nth_error with (1 := B); [exact E|].
      rewrite nth_error_remove. destruct (Nat.ltb_spec (i0 - 1) (i1 - 1)); [assumption|lia].
    - apply IHhas_type. rewrite <- (remove_insert s (i - 1) n) by lia. apply Forall2_remove. exact B.
    - apply IHhas_type. eapply inb_insert; eauto.
    - destruct (inb_set_nth _ _ _ _ _ B H1) as (j & -> & L). apply IHhas_type. eapply inb_set; [exact B|exact H1|lia].
    - destruct i as [|i]; [lia|]. replace (S i - 1) with i in * by lia.
      destruct (inb_window _ _ _ _ _ B H1) as (j & x & -> & -> & In). apply IHhas_type. exact In.
    - destruct (inb_set_nth _ _ _ _ _ B H1) as (j & -> & L). apply IHhas_type. eapply inb_set; [exact B|exact H1|].
      apply strided_bound; assumption.
    - rewrite (type_complete _ _ _ H). rewrite <- (set_same _ _ _ H1) in B.
      destruct (inb_dimension _ _ _ _ _ B H1) as (j & _ & -> & L & In). apply IHhas_type, In. lia.
    - rewrite (type_complete _ _ _ H). destruct (inb_dimension _ _ _ _ _ B H1) as (j & _ & -> & L & In).
      destruct (_ && _)%bool eqn:E; [|reflexivity]. apply IHhas_type, In, inside, E.
    - rewrite (type_complete _ _ _ H). destruct (inb_dimension _ _ _ _ _ B H1) as (j & _ & -> & L & In).
      apply IHhas_type, In, remapped_bound; [assumption| |exact L].
      exact (Forall_nth_error _ _ _ _ (positive_type _ (positive_bind _ _ _ P (positive_type _ P _ _ Hp)) _ _ H) H1).
    - rewrite (type_complete _ _ _ H2). destruct (inb_replaced _ _ _ _ m0 B H1) as (j & _ & ->).
      destruct (in_part _ _ _ _) eqn:E; [apply IHhas_type2, inb_part; assumption|apply IHhas_type1, B].
    - reflexivity.
  Qed.

  (** The two statements [t = p; x = e] do to every name but [t], at every place,
      what [x = subst t p e] does. *)
  Theorem lifting : forall G m t p sp x e s, agrees m G -> positive_context G ->
    has_type G p sp -> ~ occurs t p -> t <> x ->
    G x = Some s -> has_type (bind G t sp) e s ->
    exists m1 m2, run (value D) (bind G t sp) m [Assign t p; Assign x e] = Some m1 /\ run (value D) G m [Assign x (subst t p e)] = Some m2 /\ forall y, y <> t -> same (m1 y) (m2 y).
  Proof.
    intros G m t p sp x e s A P Hp N X Hx He.
    set (m' := assign m t sp (value D (bind G t sp) m p)).
    exists (assign m' x s (value D (bind G t sp) m' e)), (assign m x s (value D G m (subst t p e))).
    cbn [run]. rewrite bind_same, bind_other, Hx by congruence. repeat split.
    intros y Y. unfold assign. destruct (Nat.eqb_spec x y); subst; cbn [same].
    - intro k. destruct (inb_dec k s) as [I|]; [|reflexivity].
      rewrite <- subst_value with (s := s) (sp := sp) by assumption.
      (* The temporary was computed in the larger context, in which the part is the same. *)
      assert (Vp : forall k, value D (bind G t sp) m p k = value D G m p k) by (apply value_context; assumption).
      apply value_memory. intro z. unfold same, m', assign. destruct (t =? z); [|destruct (m z); auto].
      intro q. destruct (inb_dec q sp); [apply Vp|reflexivity].
    - unfold m', assign. destruct (Nat.eqb_spec t y); [congruence|]. destruct (m y); cbn [same]; auto.
  Qed.

  Lemma typed_names : forall G e s, has_type G e s -> forall t, G t = None -> ~ occurs t e.
  Proof. clear D. induction 1; intros t N; cbn [occurs]; try tauto; firstorder congruence. Qed.

  Lemma same_refl : forall f : option (tensor (number D)), same f f.
  Proof. intros [f|]; simpl; auto. Qed.

  (** Statements that do not have a name neither see it nor change what is elsewhere. *)
  Lemma run_frame : forall G t sp l, G t = None -> ok_stmts has_type G l ->
    forall m1 m2, (forall y, y <> t -> same (m1 y) (m2 y)) ->
    exists r1 r2, run (value D) (bind G t sp) m1 l = Some r1 /\ run (value D) G m2 l = Some r2 /\
      forall y, y <> t -> same (r1 y) (r2 y).
  Proof.
    intros G t sp l N. induction l as [|[x e] l IH]; intros H m1 m2 M.
    - exists m1, m2. auto.
    - inversion H as [|? ? Hc Hl]; subst. inversion Hc as [? ? s Hx He]; subst.
      cbn [run]. rewrite bind_other, Hx by congruence. apply IH; [exact Hl|].
      intros y Y. unfold assign. destruct (x =? y); [|apply M; exact Y].
      intro k. destruct (inb_dec k s); [|reflexivity].
      pose proof (typed_names _ _ _ He t N) as F. rewrite value_context by exact F.
      apply value_occurring. intros z Z. apply M. intros ->. contradiction.
  Qed.

  Lemma ok_frame : forall G t sp l, G t = None -> ok_stmts has_type G l -> ok_stmts has_type (bind G t sp) l.
  Proof.
    intros G t sp l N H. eapply Forall_impl; [|exact H]. intros c Hc. inversion Hc as [x e s Hx He]; subst.
    econstructor; [rewrite bind_other by congruence; exact Hx|].
    apply type_sound. rewrite type_frame by eauto using typed_names. apply type_complete. exact He.
  Qed.

  (** One part of one statement of a program, anywhere in it, moves into a statement of its
      own. Contraction lifting and the conversion to 3-address form are such steps. *)
  Inductive lifts : program expr -> program expr -> Prop :=
  | L_Part : forall al l1 l2 x e t p sp, context_of al t = None -> has_type (context_of al) p sp -> positive sp ->
      lifts (Program al (l1 ++ Assign x (subst t p e) :: l2))
            (Program (Alloc t sp :: al) (l1 ++ Assign t p :: Assign x e :: l2))
  | L_None : forall p, lifts p p
  | L_Then : forall p q r, lifts p q -> lifts q r -> lifts p r.

  Lemma evaluates_run : forall p fill m, ok_program has_type p ->
    evaluates (value D) p fill m <-> run (value D) (context_of (allocs p)) (memory_of (allocs p) fill) (stmts p) = Some m.
  Proof.
    intros p fill m [A S].
    destruct (run_correct has_type (value D) (value_defined D) _ (stmts p) (memory_of (allocs p) fill)
      (memory_of_agrees _ fill) (positive_context_of _ A) S) as (m' & R & E & _).
    split; intro H.
    - rewrite (deterministic _ _ _ _ _ H _ E). exact R.
    - rewrite R in H. injection H as <-. exact E.
  Qed.

  Lemma subst_absent : forall t p e, ~ occurs t e -> subst t p e = e.
  Proof.
    intros t p. induction e; cbn [subst occurs]; intro N;
      repeat match goal with IH : ~ occurs t ?e -> _ |- _ => rewrite IH by tauto; clear IH end; try reflexivity.
    destruct (Nat.eqb_spec t x); [congruence|reflexivity].
  Qed.

  Lemma context_of_allocated : forall al t, context_of al t = None -> ~ In t (map allocated al).
  Proof.
    induction al as [|a al IH]; simpl; intros t N; [tauto|]. unfold bind in N.
    destruct (Nat.eqb_spec (allocated a) t) as [|Q]; [discriminate|]. intros [E|I]; [congruence|]. exact (IH t N I).
  Qed.

  Theorem lifts_correct : forall p p', lifts p p' -> ok_program has_type p ->
    ok_program has_type p' /\
    (forall y s, context_of (allocs p) y = Some s -> context_of (allocs p') y = Some s) /\
    forall fill m m', evaluates (value D) p fill m -> evaluates (value D) p' fill m' ->
      forall y, context_of (allocs p) y <> None -> same (m' y) (m y).
  Proof.
    intros p p' L. induction L as [al l1 l2 x e t p sp N Hp Ps|p|p q r L1 IH1 L2 IH2]; intro Ok.
    - pose proof Ok as [[Nd Pa] S]. simpl in Nd, Pa, S. apply Forall_app in S. destruct S as [S1 S2].
      inversion S2 as [|? ? Sx S3]; subst. inversion Sx as [? ? s Hx He]; subst.
      assert (Np : ~ occurs t p) by eauto using typed_names.
      assert (X : t <> x) by congruence.
      assert (He' : has_type (bind (context_of al) t sp) e s).
      { apply type_sound. rewrite (subst_type _ _ _ _ (type_complete _ _ _ Hp) Np). apply type_complete. exact He. }
      assert (Ok' : ok_program has_type (Program (Alloc t sp :: al) (l1 ++ Assign t p :: Assign x e :: l2))).
      { split; [split; simpl|].
        - constructor; [apply context_of_allocated; exact N|exact Nd].
        - constructor; assumption.
        - apply Forall_app. simpl. split; [apply ok_frame; assumption|]. constructor; [|constructor].
          + econstructor; [apply bind_same|]. apply type_sound. rewrite type_frame by exact Np. apply type_complete. exact Hp.
          + econstructor; [rewrite bind_other by exact X; exact Hx|exact He'].
          + apply ok_frame; assumption. }
      split; [exact Ok'|]. split.
      { simpl. intros y u Hy. rewrite bind_other by congruence. exact Hy. }
      intros fill m m' E E' y Hy. apply evaluates_run in E; [|exact Ok]. apply evaluates_run in E'; [|exact Ok'].
      simpl in E, E', Hy.
      assert (M0 : forall y, y <> t -> same (memory_of (Alloc t sp :: al) fill y) (memory_of al fill y)).
      { intros z Z. unfold memory_of. simpl. rewrite bind_other by congruence. apply same_refl. }
      rewrite run_app in E, E'.
      destruct (run_frame (context_of al) t sp l1 N S1 _ _ M0) as (r1 & r2 & R1 & R2 & M1).
      rewrite R2 in E. rewrite R1 in E'.
      assert (P : positive_context (context_of al)) by (apply positive_context_of; split; assumption).
      assert (A2 : agrees r2 (context_of al)).
      { destruct (run_correct has_type (value D) (value_defined D) _ l1 (memory_of al fill) (memory_of_agrees _ _) P S1) as (r & Rr & _ & Ar).
        assert (r = r2) as <- by congruence. exact Ar. }
      destruct (lifting (context_of al) r2 t p sp x e s A2 P Hp Np X Hx He') as (q1 & q2 & Q1 & Q2 & M2).
      (* The two statements from r1, which may hold anything under t, and from r2. *)
      cbn [run] in E', E, Q1, Q2. rewrite bind_same, bind_other, Hx in Q1, E' by congruence. rewrite Hx in Q2, E.
      injection Q1 as <-. injection Q2 as <-.
      set (m1 := assign (assign r1 t sp _) x s _) in E'. set (m2 := assign r2 x s _) in *.
      assert (M3 : forall y, y <> t -> same (m1 y) (m2 y)).
      { intros z Z. specialize (M2 z Z).
        enough (W : same (m1 z) (assign (assign r2 t sp (value D (bind (context_of al) t sp) r2 p)) x s
          (value D (bind (context_of al) t sp) (assign r2 t sp (value D (bind (context_of al) t sp) r2 p)) e) z)).
        { unfold same in *. destruct (m1 z), (assign _ x s _ z), (m2 z); try contradiction; auto. intro k. rewrite W. apply M2. }
        unfold m1. unfold assign at 1 4. destruct (x =? z).
        - intro k. destruct (inb_dec k s); [|reflexivity]. apply value_occurring. intros w _.
          unfold assign. destruct (Nat.eqb_spec t w).
          + intro j. destruct (inb_dec j sp); [|reflexivity]. apply value_occurring. intros v W. apply M1. intros ->. contradiction.
          + apply M1. congruence.
        - unfold assign. destruct (Nat.eqb_spec t z); [congruence|]. apply M1. exact Z. }
      destruct (run_frame (context_of al) t sp l2 N S3 _ _ M3) as (f1 & f2 & F1 & F2 & M4).
      rewrite F1 in E'. rewrite F2 in E. injection E as <-. injection E' as <-. apply M4. congruence.
    - split; [exact Ok|]. split; [auto|]. intros fill m m' E E' y _.
      rewrite (deterministic _ _ _ _ _ E _ E'). apply same_refl.
    - destruct (IH1 Ok) as (Ok1 & C1 & V1). destruct (IH2 Ok1) as (Ok2 & C2 & V2).
      split; [exact Ok2|]. split; [auto|]. intros fill m m' E E' y Hy.
      destruct (type_safety has_type (value D) (value_defined D) q fill Ok1) as (mq & Eq & _).
      destruct (context_of (allocs p) y) as [s|] eqn:Cy; [|congruence].
      pose proof (V1 fill m mq E Eq y) as W1. rewrite Cy in W1. specialize (W1 ltac:(congruence)).
      pose proof (V2 fill mq m' Eq E' y) as W2. rewrite (C1 y s Cy) in W2. specialize (W2 ltac:(congruence)).
      unfold same in *. destruct (m' y), (mq y), (m y); try contradiction; auto. intro k. rewrite W2. apply W1.
  Qed.
End Lifting.
