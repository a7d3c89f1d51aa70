(** Core-TeIL (Figure 12): every operation acts on the first dimensions, only
    neighbours are exchanged. Its typing, its meaning and its safety, and the
    translation of the full language into it, which keeps types and values. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics.
Import ListNotations.

Inductive cexpr :=
| CVar (x : name)
| CConst (c : nat)
| CUnary (f : unary) (e : cexpr)
| CBinary (b : binary) (e0 e1 : cexpr)
| CMul (e0 e1 : cexpr)
| CProd (e0 e1 : cexpr)
| CGather (e0 e1 : cexpr)
| CRed (r : reduction) (e : cexpr)
| CTransp (i : nat) (e : cexpr)
| CDiag (e : cexpr)
| CExpa (n : nat) (e : cexpr)
| CProj (m : nat) (e : cexpr)
| CShift (o m : nat) (e : cexpr)
| CWindow (w : nat) (e : cexpr)
| CStride (d : nat) (e : cexpr)
| CFlip (e : cexpr)
| CPad (l h : nat) (e : cexpr)
| CRemap (f : remap) (e : cexpr)
| CReplace (o d : nat) (e0 e1 : cexpr)
| CIota (n : nat).

Inductive ctype (G : context) : cexpr -> shape -> Prop :=
| C_Var : forall x s, G x = Some s -> ctype G (CVar x) s
| C_Const : forall c, ctype G (CConst c) []
| C_Unary : forall f e s, ctype G e s -> ctype G (CUnary f e) s
| C_Binary : forall b e0 e1 s, ctype G e0 s -> ctype G e1 s -> ctype G (CBinary b e0 e1) s
| C_Mul : forall e0 e1 s, ctype G e0 s -> ctype G e1 s -> ctype G (CMul e0 e1) s
| C_SMul : forall e0 e1 s, ctype G e0 [] -> ctype G e1 s -> ctype G (CMul e0 e1) s
| C_Prod : forall e0 e1 s0 s1, ctype G e0 s0 -> ctype G e1 s1 -> ctype G (CProd e0 e1) (s0 ++ s1)
| C_Gather : forall e0 e1 s0 n s1, ctype G e0 s0 -> ctype G e1 (n :: s1) -> ctype G (CGather e0 e1) (s0 ++ s1)
| C_Red : forall r e n s, ctype G e (n :: s) -> ctype G (CRed r e) s
| C_Transp : forall i e s, ctype G e s -> 1 <= i < length s -> ctype G (CTransp i e) (swap (i - 1) i s)
| C_Diag : forall e n s, ctype G e (n :: n :: s) -> ctype G (CDiag e) (n :: s)
| C_Expa : forall n e s, ctype G e s -> 1 <= n -> ctype G (CExpa n e) (n :: s)
| C_Proj : forall m e n s, ctype G e (n :: s) -> 1 <= m <= n -> ctype G (CProj m e) s
| C_Shift : forall o m e n s, ctype G e (n :: s) -> 1 <= m -> o + m <= n -> ctype G (CShift o m e) (m :: s)
| C_Window : forall w e n s, ctype G e (n :: s) -> 1 <= w <= n -> ctype G (CWindow w e) (n + 1 - w :: w :: s)
| C_Stride : forall d e n s, ctype G e (n :: s) -> 1 <= d -> ctype G (CStride d e) (strided n d :: s)
| C_Flip : forall e n s, ctype G e (n :: s) -> ctype G (CFlip e) (n :: s)
| C_Pad : forall l h e n s, ctype G e (n :: s) -> ctype G (CPad l h e) (l + n + h :: s)
| C_Remap : forall f e n s, ctype G e (n :: s) -> admissible f n = true -> ctype G (CRemap f e) (resized f n :: s)
| C_Replace : forall o d e0 e1 n m s, ctype G e0 (n :: s) -> ctype G e1 (m :: s) -> 1 <= d -> o + (m - 1) * d + 1 <= n ->
    ctype G (CReplace o d e0 e1) (n :: s)
| C_Iota : forall n, 1 <= n -> ctype G (CIota n) [n].

(** The core is the full language with fixed positions. *)
Fixpoint full (e : cexpr) : expr :=
  match e with
  | CVar x => Var x
  | CConst c => Const c
  | CUnary f e => Unary f (full e)
  | CBinary b e0 e1 => Binary b (full e0) (full e1)
  | CMul e0 e1 => Mul (full e0) (full e1)
  | CProd e0 e1 => Prod (full e0) (full e1)
  | CGather e0 e1 => Gather 1 (full e0) (full e1)
  | CRed r e => Red r 1 (full e)
  | CTransp i e => Transp i (S i) (full e)
  | CDiag e => Diag 1 2 (full e)
  | CExpa n e => Expa 1 n (full e)
  | CProj m e => Proj 1 m (full e)
  | CShift o m e => Shift 1 o m (full e)
  | CWindow w e => Window 1 w (full e)
  | CStride d e => Stride 1 d (full e)
  | CFlip e => Flip 1 (full e)
  | CPad l h e => Pad 1 l h (full e)
  | CRemap f e => Remap 1 f (full e)
  | CReplace o d e0 e1 => Replace 1 o d (full e0) (full e1)
  | CIota n => Iota n
  end.

Lemma remove_0 : forall A (x : A) l, remove 0 (x :: l) = l.
Proof. reflexivity. Qed.

Theorem full_type : forall G e s, ctype G e s -> has_type G (full e) s.
Proof.
  induction 1; cbn [full]; eauto using has_type.
  - rewrite <- (remove_0 _ n s1). apply (T_Gather G 1 (full e0) (full e1) s0 (n :: s1)); simpl; auto; lia.
  - rewrite <- (remove_0 _ n s). apply (T_Red G r 1 (full e) (n :: s)); simpl; auto; lia.
  - pose proof (T_Transp G i (S i) (full e) s IHctype) as Q.
    replace (S i - 1) with i in Q by lia. apply Q; lia.
  - apply (T_Diag G 1 2 (full e) (n :: n :: s) n); simpl; auto.
  - apply (T_Expa G 1 n (full e) s); auto; lia.
  - rewrite <- (remove_0 _ n s). apply (T_Proj G 1 m (full e) (n :: s) n); simpl; auto.
  - apply (T_Shift G 1 o m (full e) (n :: s) n); simpl; auto.
  - apply (T_Window G 1 w (full e) (n :: s) n); simpl; auto.
  - apply (T_Stride G 1 d (full e) (n :: s) n); simpl; auto.
  - apply (T_Flip G 1 (full e) (n :: s) n); simpl; auto.
  - apply (T_Pad G 1 l h (full e) (n :: s) n); simpl; auto.
  - apply (T_Remap G 1 f (full e) (n :: s) n); simpl; auto.
  - apply (T_Replace G 1 o d (full e0) (full e1) (n :: s) n m); simpl; auto.
Qed.

Lemma cons_insert : forall A (x : A) l, l = remove 0 (x :: l).
Proof. reflexivity. Qed.

Theorem core_type : forall G e s, has_type G (full e) s -> ctype G e s.
Proof.
  intros G. induction e; cbn [full]; intros s H; inversion H; subst; eauto using ctype.
  - destruct s1 as [|n s1]; simpl in *; [lia|]. econstructor; eauto.
  - destruct s0 as [|n s0]; simpl in *; [lia|]. econstructor. apply IHe. eassumption.
  - replace (S i - 1) with i by lia. apply C_Transp; [auto|lia].
  - simpl in *. destruct s0 as [|n0 [|n1 s0]]; try discriminate.
    simpl in *. repeat match goal with E : Some _ = Some _ |- _ => injection E as <- end.
    apply C_Diag. apply IHe. assumption.
  - apply (C_Expa G n e s0); auto.
  - destruct s0 as [|n0 s0]; simpl in *; [discriminate|].
    match goal with E : Some _ = Some _ |- _ => injection E as <- end.
    econstructor; [apply IHe; eassumption|assumption].
  - destruct s0 as [|n0 s0]; simpl in *; [discriminate|].
    match goal with E : Some _ = Some _ |- _ => injection E as <- end.
    econstructor; [apply IHe; eassumption| |]; assumption.
  - destruct s0 as [|n0 s0]; simpl in *; [discriminate|].
    match goal with E : Some _ = Some _ |- _ => injection E as <- end.
    apply C_Window; [apply IHe; assumption|assumption].
  - destruct s0 as [|n0 s0]; simpl in *; [discriminate|].
    match goal with E : Some _ = Some _ |- _ => injection E as <- end.
    apply C_Stride; [apply IHe; assumption|assumption].
  - destruct s as [|n0 s]; simpl in *; [discriminate|]. apply C_Flip, IHe. assumption.
  - destruct s0 as [|n0 s0]; simpl in *; [discriminate|].
    match goal with E : Some _ = Some _ |- _ => injection E as <- end. apply C_Pad, IHe. assumption.
  - destruct s0 as [|n0 s0]; simpl in *; [discriminate|].
    match goal with E : Some _ = Some _ |- _ => injection E as <- end. apply C_Remap; [apply IHe|]; assumption.
  - destruct s as [|n0 s]; simpl in *; [discriminate|].
    match goal with E : Some _ = Some _ |- _ => injection E as <- end. eapply C_Replace; eauto.
Qed.

(** Lemma 4.1 for the core. *)
Theorem core_typing_is_computable : forall G e s, ctype G e s <-> type G (full e) = Some s.
Proof. intros. rewrite <- typing_is_computable. split; auto using full_type, core_type. Qed.

Corollary core_typing_is_unique : forall G e s t, ctype G e s -> ctype G e t -> s = t.
Proof. intros. eauto using typing_is_unique, full_type. Qed.

Section Values.
  Context (D : domain).

  Definition first_size (t : option shape) : option nat := match t with Some (n :: _) => Some n | _ => None end.

  (** The meaning of the core, as the paper leaves it to be adjusted (A11). *)
  Fixpoint cvalue (G : context) (m : memory (number D)) (e : cexpr) (k : index) : option (number D) :=
    match e, k with
    | CVar x, _ => match m x with Some t => t k | None => None end
    | CConst c, _ => Some (constant D c)
    | CUnary f e, _ => lift1 D (unary_op D f) (cvalue G m e k)
    | CBinary b e0 e1, _ => lift2 D (op D b) (cvalue G m e0 k) (cvalue G m e1 k)
    | CMul e0 e1, _ =>
        lift2 D (times D) (cvalue G m e0 (factor_index (type G (full e0)) k)) (cvalue G m e1 k)
    | CProd e0 e1, _ =>
        match type G (full e0) with
        | Some s0 => lift2 D (times D) (cvalue G m e0 (firstn (length s0) k)) (cvalue G m e1 (skipn (length s0) k))
        | None => None
        end
    | CGather e0 e1, _ =>
        match type G (full e0), first_size (type G (full e1)) with
        | Some s0, Some n =>
            gathered D n (cvalue G m e0 (firstn (length s0) k)) (fun j => cvalue G m e1 (j :: skipn (length s0) k))
        | _, _ => None
        end
    | CRed r e, _ =>
        match type G (full e) with
        | Some (n :: _) => fold D r n (fun j => cvalue G m e (j :: k))
        | _ => None
        end
    | CTransp i e, _ => cvalue G m e (swap (i - 1) i k)
    | CDiag e, j :: k => cvalue G m e (j :: j :: k)
    | CDiag _, [] => None
    | CExpa _ e, _ :: k => cvalue G m e k
    | CExpa _ e, [] => cvalue G m e []
    | CProj p e, _ => cvalue G m e (p :: k)
    | CShift o _ e, j :: k => cvalue G m e (o + j :: k)
    | CWindow _ e, j :: w :: k => cvalue G m e (j + w - 1 :: k)
    | CStride d e, j :: k => cvalue G m e ((j - 1) * d + 1 :: k)
    | CFlip e, j :: k =>
        match first_size (type G (full e)) with
        | Some n => cvalue G m e (n + 1 - j :: k)
        | None => None
        end
    | CPad l _ e, j :: k =>
        match first_size (type G (full e)) with
        | Some n => if ((l <? j) && (j <=? l + n))%bool then cvalue G m e (j - l :: k) else Some (zero D)
        | None => None
        end
    | CRemap f e, j :: k =>
        match first_size (type G (full e)) with
        | Some n => cvalue G m e (remapped f n j :: k)
        | None => None
        end
    | CReplace o d e0 e1, j :: k =>
        match first_size (type G (full e1)) with
        | Some n => if in_part o d n (j - 1) then cvalue G m e1 (S (part_place o d (j - 1)) :: k) else cvalue G m e0 (j :: k)
        | None => None
        end
    | CIota _, [j] => Some (constant D (j - 1))
    | CShift _ _ _, _ | CWindow _ _, _ | CStride _ _, _ | CFlip _, _ | CPad _ _ _, _ | CRemap _ _, _ | CReplace _ _ _ _, _ | CIota _, _ => None
    end.

  Lemma at_first : forall t j k, at_dimension t (j :: k) 0 = option_map (fun n => (n, j)) (first_size t).
  Proof. intros [[|n s]|] j k; reflexivity. Qed.

  Lemma at_none : forall t, at_dimension t [] 0 = None.
  Proof. intros [[|n s]|]; reflexivity. Qed.

  Lemma size_first : forall t, size_of t 0 = first_size t.
  Proof. intros [[|n s]|]; reflexivity. Qed.

  Theorem full_value : forall G m e k, value D G m (full e) k = cvalue G m e k.
  Proof.
    intros G m. induction e; intro k; cbn [full value cvalue].
    - reflexivity.
    - reflexivity.
    - rewrite IHe. reflexivity.
    - rewrite IHe1, IHe2. reflexivity.
    - rewrite IHe1, IHe2. reflexivity.
    - destruct (type G (full e1)); [rewrite IHe1, IHe2|]; reflexivity.
    - destruct (type G (full e1)); [|reflexivity]. rewrite size_first. destruct (first_size _); [|reflexivity].
      rewrite IHe1. apply gathered_ext. intros. apply IHe2.
    - destruct (type G (full e)) as [[|n s]|]; try reflexivity.
      apply fold_ext. intros. apply IHe.
    - rewrite IHe. replace (S i - 1) with i by lia. reflexivity.
    - destruct k; [reflexivity|]. apply IHe.
    - rewrite IHe. destruct k; reflexivity.
    - apply IHe.
    - destruct k; [reflexivity|]. apply IHe.
    - destruct k as [|j [|x k]]; try reflexivity. apply IHe.
    - destruct k; [reflexivity|]. apply IHe.
    - destruct k; [rewrite at_none; reflexivity|]. rewrite at_first. destruct (first_size _); [apply IHe|reflexivity].
    - destruct k; [rewrite at_none; reflexivity|]. rewrite at_first. destruct (first_size _); [|reflexivity].
      cbn [option_map]. destruct (_ && _)%bool; [apply IHe|reflexivity].
    - destruct k; [rewrite at_none; reflexivity|]. rewrite at_first. destruct (first_size _); [apply IHe|reflexivity].
    - destruct k; [rewrite at_none; reflexivity|]. rewrite at_first. destruct (first_size _); [|reflexivity].
      cbn [option_map]. destruct (in_part _ _ _ _); [apply IHe2|apply IHe1].
    - destruct k as [|j [|x k]]; reflexivity.
  Qed.

  (** Lemma 4.3 for the core. *)
  Theorem core_value_defined : well_defined ctype cvalue.
  Proof.
    intros G m A P e s H k B. rewrite <- full_value.
    exact (value_defined D G m A P _ _ (full_type _ _ _ H) k B).
  Qed.
End Values.
