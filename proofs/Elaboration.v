(** Full TeIL into Core-TeIL: operations are composed with exchanges of neighbours
    (A11). Types and values are kept. *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements Typing Semantics Core.
Import ListNotations.

(** Moves dimension p (from 0) to the front, or the front to p; the order of the
    others is kept. *)
Fixpoint front (p : nat) (e : cexpr) : cexpr :=
  match p with 0 => e | S p => front p (CTransp (S p) e) end.

Fixpoint back (p : nat) (e : cexpr) : cexpr :=
  match p with 0 => e | S p => CTransp (S p) (back p e) end.

(** Exchanges dimensions p and p+d+1: neighbours around a shorter exchange. *)
Fixpoint exchange (p d : nat) (e : cexpr) : cexpr :=
  match d with
  | 0 => CTransp (S p) e
  | S d => CTransp (S p) (exchange (S p) d (CTransp (S p) e))
  end.

Fixpoint elaborate (e : expr) : cexpr :=
  match e with
  | Var x => CVar x
  | Const c => CConst c
  | Unary f e => CUnary f (elaborate e)
  | Binary b e0 e1 => CBinary b (elaborate e0) (elaborate e1)
  | Mul e0 e1 => CMul (elaborate e0) (elaborate e1)
  | Prod e0 e1 => CProd (elaborate e0) (elaborate e1)
  | Gather i e0 e1 => CGather (elaborate e0) (front (i - 1) (elaborate e1))
  | Red r i e => CRed r (front (i - 1) (elaborate e))
  | Transp i0 i1 e => exchange (i0 - 1) (i1 - i0 - 1) (elaborate e)
  | Diag i0 i1 e => back (i0 - 1) (CDiag (front i0 (front (i1 - 1) (elaborate e))))
  | Expa i n e => back (i - 1) (CExpa n (elaborate e))
  | Proj i m e => CProj m (front (i - 1) (elaborate e))
  | Shift i o m e => back (i - 1) (CShift o m (front (i - 1) (elaborate e)))
  | Window i w e => back i (back i (CWindow w (front (i - 1) (elaborate e))))
  | Stride i d e => back (i - 1) (CStride d (front (i - 1) (elaborate e)))
  | Flip i e => back (i - 1) (CFlip (front (i - 1) (elaborate e)))
  | Pad i l h e => back (i - 1) (CPad l h (front (i - 1) (elaborate e)))
  | Remap i f e => back (i - 1) (CRemap f (front (i - 1) (elaborate e)))
  | Replace i o d e0 e1 => back (i - 1) (CReplace o d (front (i - 1) (elaborate e0)) (front (i - 1) (elaborate e1)))
  | Iota n => CIota n
  end.

Lemma swap_insert_back : forall A (l : list A) p x, p < length l ->
  swap p (S p) (insert (S p) x l) = insert p x l.
Proof.
  intros. rewrite <- swap_insert by assumption.
  apply swap_swap; rewrite length_insert; lia.
Qed.

(** Types. *)

Lemma C_Neighbours : forall G p e s, ctype G e s -> S p < length s -> ctype G (CTransp (S p) e) (swap p (S p) s).
Proof.
  intros G p e s H L. replace p with (S p - 1) at 2 by lia. apply C_Transp; [exact H|lia].
Qed.

Lemma front_type : forall G p e n s, ctype G e (insert p n s) -> p <= length s -> ctype G (front p e) (n :: s).
Proof.
  intros G p. induction p as [|p IH]; intros e n s H L; [exact H|].
  cbn [front]. apply IH; [|lia]. rewrite <- swap_insert_back by lia.
  apply C_Neighbours; [exact H|rewrite length_insert; lia].
Qed.

Lemma back_type : forall G p e n s, ctype G e (n :: s) -> p <= length s -> ctype G (back p e) (insert p n s).
Proof.
  intros G p. induction p as [|p IH]; intros e n s H L; [exact H|].
  cbn [back]. rewrite <- swap_insert by lia.
  apply C_Neighbours; [apply IH; [exact H|lia]|rewrite length_insert; lia].
Qed.

Lemma exchange_type : forall G d p e s, ctype G e s -> S (p + d) < length s ->
  ctype G (exchange p d e) (swap p (S (p + d)) s).
Proof.
  intros G d. induction d as [|d IH]; intros p e s H L; cbn [exchange].
  - replace (p + 0) with p in * by lia. apply C_Neighbours; [exact H|lia].
  - rewrite <- swap_conjugate by lia. apply C_Neighbours; [|rewrite !length_swap; lia].
    replace (S (p + S d)) with (S (S p + d)) by lia. apply IH; [|rewrite length_swap; lia].
    apply C_Neighbours; [exact H|lia].
Qed.

Lemma insert_exists : forall A (l : list A) p x, nth_error l p = Some x -> l = insert p x (remove p l) /\ p <= length (remove p l).
Proof.
  intros A l p x E. split; [symmetry; apply insert_remove; exact E|].
  assert (p < length l) by (apply nth_error_Some; congruence). pose proof (length_remove l p). lia.
Qed.

Theorem elaboration_keeps_types : forall G e s, has_type G e s -> ctype G (elaborate e) s.
Proof.
  induction 1; cbn [elaborate]; eauto using ctype.
  - destruct (nth_error s1 (i - 1)) as [n|] eqn:E; [|apply nth_error_None in E; lia].
    destruct (insert_exists _ _ _ _ E) as [Q L]. rewrite Q in IHhas_type2.
    econstructor; [exact IHhas_type1|]. apply front_type; eassumption.
  - destruct (nth_error s (i - 1)) as [n|] eqn:E; [|apply nth_error_None in E; lia].
    destruct (insert_exists _ _ _ _ E) as [Q L]. rewrite Q in IHhas_type.
    econstructor. apply front_type; eassumption.
  - replace (i1 - 1) with (S (i0 - 1 + (i1 - i0 - 1))) by lia. apply exchange_type; [assumption|lia].
  - destruct (insert_exists _ _ _ _ H2) as [Q L]. rewrite Q in IHhas_type.
    apply front_type in IHhas_type; [|exact L].
    assert (E : nth_error (remove (i1 - 1) s) (i0 - 1) = Some n).
    { rewrite nth_error_remove. destruct (Nat.ltb_spec (i0 - 1) (i1 - 1)); [assumption|lia]. }
    destruct (insert_exists _ _ _ _ E) as [Q' L'].
    rewrite Q'. apply back_type; [|exact L']. apply C_Diag.
    apply front_type; [|simpl; lia]. destruct i0 as [|i0]; [lia|].
    simpl Nat.sub in Q' |- *. rewrite Nat.sub_0_r in *.
    change (insert (S i0) n (n :: remove i0 (remove (i1 - 1) s))) with (n :: insert i0 n (remove i0 (remove (i1 - 1) s))).
    rewrite <- Q'. exact IHhas_type.
  - apply back_type; [|lia]. apply C_Expa; assumption.
  - destruct (insert_exists _ _ _ _ H1) as [Q L]. rewrite Q in IHhas_type.
    econstructor; [|exact H2]. apply front_type; eassumption.
  - destruct (insert_exists _ _ _ _ H1) as [Q L]. rewrite Q in IHhas_type |- *. rewrite set_insert by exact L.
    apply back_type; [|exact L]. eapply C_Shift; eauto using front_type.
  - destruct (insert_exists _ _ _ _ H1) as [Q L]. rewrite Q in IHhas_type |- *. rewrite set_insert by exact L.
    apply front_type in IHhas_type; [|exact L]. apply C_Window with (w := w) in IHhas_type; [|exact H2].
    destruct i as [|i]; [lia|]. replace (S i - 1) with i in * by lia.
    apply (back_type G (S i)); [|rewrite length_insert by lia; lia].
    apply (back_type G (S i) _ _ (w :: remove i s)); [exact IHhas_type|simpl; lia].
  - destruct (insert_exists _ _ _ _ H1) as [Q L]. rewrite Q in IHhas_type |- *. rewrite set_insert by exact L.
    apply back_type; [|exact L]. apply C_Stride; [apply front_type; assumption|assumption].
  - destruct (insert_exists _ _ _ _ H1) as [Q L]. rewrite Q in IHhas_type |- *.
    apply back_type, L. apply C_Flip, front_type; assumption.
  - destruct (insert_exists _ _ _ _ H1) as [Q L]. rewrite Q in IHhas_type |- *. rewrite set_insert by exact L.
    apply back_type, L. apply C_Pad, front_type; assumption.
  - destruct (insert_exists _ _ _ _ H1) as [Q L]. rewrite Q in IHhas_type |- *. rewrite set_insert by exact L.
    apply back_type, L. apply C_Remap; [apply front_type|]; assumption.
  - destruct (insert_exists _ _ _ _ H1) as [Q L]. rewrite Q in IHhas_type1, IHhas_type2 |- *. rewrite set_insert in IHhas_type2 by exact L.
    apply back_type, L. eapply C_Replace; eauto using front_type.
Qed.

(** Values. *)

Section Values.
  Context (D : domain) (G : context) (m : memory (number D)).
  Notation cv := (cvalue D G m).

  Lemma front_value : forall p e j k, p <= length k -> cv (front p e) (j :: k) = cv e (insert p j k).
  Proof.
    induction p as [|p IH]; intros e j k L; [reflexivity|].
    cbn [front]. rewrite IH by lia. cbn [cvalue].
    replace (S p - 1) with p by lia. rewrite swap_insert by lia. reflexivity.
  Qed.

  Lemma back_value : forall p e j k, p <= length k -> cv (back p e) (insert p j k) = cv e (j :: k).
  Proof.
    induction p as [|p IH]; intros e j k L; [reflexivity|].
    cbn [back cvalue]. replace (S p - 1) with p by lia. rewrite swap_insert_back by lia. apply IH. lia.
  Qed.

  Lemma exchange_value : forall d p e k, S (p + d) < length k ->
    cv (exchange p d e) k = cv e (swap p (S (p + d)) k).
  Proof.
    induction d as [|d IH]; intros p e k L; cbn [exchange cvalue].
    - replace (S p - 1) with p by lia. replace (p + 0) with p by lia. reflexivity.
    - replace (S p - 1) with p by lia. rewrite IH by (rewrite length_swap; lia). cbn [cvalue].
      replace (S p - 1) with p by lia. rewrite <- (swap_conjugate k p (S (p + S d))) by lia.
      replace (S (p + S d)) with (S (S p + d)) by lia. reflexivity.
  Qed.

  (** The same at an index that has the dimension. *)
  Lemma back_at : forall p e k j, nth_error k p = Some j -> cv (back p e) k = cv e (j :: remove p k).
  Proof. intros p e k j E. destruct (insert_exists _ _ _ _ E) as [Q L]. rewrite Q at 1. apply back_value. exact L. Qed.

  Lemma front_at : forall p e k j x, nth_error k p = Some j -> cv (front p e) (x :: remove p k) = cv e (set p x k).
  Proof.
    intros p e k j x E. destruct (insert_exists _ _ _ _ E) as [Q L]. rewrite front_value by exact L.
    rewrite Q at 2. rewrite set_insert by exact L. reflexivity.
  Qed.

  Lemma front_size : forall p e s n, has_type G e s -> nth_error s p = Some n ->
    first_size (type G (full (front p (elaborate e)))) = Some n.
  Proof.
    intros p e s n H E. destruct (insert_exists _ _ _ _ E) as [Q L]. apply elaboration_keeps_types in H. rewrite Q in H.
    rewrite (type_complete _ _ _ (full_type _ _ _ (front_type _ _ _ _ _ H L))). reflexivity.
  Qed.

  Theorem elaboration_keeps_values : positive_context G -> forall e s, has_type G e s -> forall k, inb k s ->
    cv (elaborate e) k = value D G m e k.
  Proof.
    intro P. induction 1; intros k B; pose proof (inb_length _ _ B) as L; cbn [elaborate value].
    - reflexivity.
    - reflexivity.
    - cbn [cvalue]. rewrite IHhas_type by assumption. reflexivity.
    - cbn [cvalue]. rewrite IHhas_type1, IHhas_type2 by assumption. reflexivity.
    - cbn [cvalue].
      rewrite (type_complete _ _ _ (full_type _ _ _ (elaboration_keeps_types _ _ _ H))), (type_complete _ _ _ H).
      rewrite IHhas_type2 by assumption. rewrite IHhas_type1; [reflexivity|].
      destruct s; [constructor|exact B].
    - cbn [cvalue].
      rewrite (type_complete _ _ _ (full_type _ _ _ (elaboration_keeps_types _ _ _ H))), (type_complete _ _ _ H).
      rewrite IHhas_type2 by assumption. rewrite IHhas_type1; [reflexivity|constructor].
    - cbn [cvalue].
      rewrite (type_complete _ _ _ (full_type _ _ _ (elaboration_keeps_types _ _ _ H))), (type_complete _ _ _ H).
      destruct (inb_split _ _ _ B). rewrite IHhas_type1, IHhas_type2 by assumption. reflexivity.
    - cbn [cvalue]. destruct (nth_error s1 (i - 1)) as [n|] eqn:E; [|apply nth_error_None in E; lia].
      rewrite (type_complete _ _ _ (full_type _ _ _ (elaboration_keeps_types _ _ _ H))), (front_size _ _ _ _ H0 E).
      rewrite (type_complete _ _ _ H), (type_complete _ _ _ H0). cbn [size_of]. rewrite E.
      destruct (inb_split _ _ _ B) as [B0 B1]. rewrite IHhas_type1 by exact B0. apply gathered_ext. intros j Bj.
      pose proof (inb_length _ _ B1). pose proof (length_remove s1 (i - 1)).
      rewrite front_value by lia. apply IHhas_type2. eapply inb_insert; eauto.
    - cbn [cvalue]. rewrite (type_complete _ _ _ H).
      destruct (nth_error s (i - 1)) as [n|] eqn:E; [|apply nth_error_None in E; lia].
      destruct (insert_exists _ _ _ _ E) as [Q L'].
      pose proof (elaboration_keeps_types _ _ _ H) as C. rewrite Q in C.
      rewrite (type_complete _ _ _ (full_type _ _ _ (front_type _ _ _ _ _ C L'))).
      apply fold_ext. intros j Bj. rewrite front_value by lia.
      apply IHhas_type. eapply inb_insert; eauto.
    - rewrite length_swap in L. rewrite exchange_value by lia.
      replace (S (i0 - 1 + (i1 - i0 - 1))) with (i1 - 1) by lia.
      apply IHhas_type. rewrite <- (swap_swap s (i0 - 1) (i1 - 1)) by lia.
      apply Forall2_swap; [exact B| |]; lia.
    - assert (i1 - 1 < length s) by (apply nth_error_Some; congruence).
      pose proof (length_remove s (i1 - 1)).
      destruct (nth_error k (i0 - 1)) as [j|] eqn:E; [|apply nth_error_None in E; lia].
      destruct (insert_exists _ _ _ _ E) as [Q L']. rewrite Q at 1. rewrite back_value by exact L'.
      cbn [cvalue]. rewrite front_value by (simpl; lia). destruct i0 as [|i0]; [lia|].
      simpl Nat.sub in *. rewrite Nat.sub_0_r in *.
      change (insert (S i0) j (j :: remove i0 k)) with (j :: insert i0 j (remove i0 k)). rewrite <- Q.
      rewrite front_value by lia. apply IHhas_type. eapply inb_insert; eauto.
      eapply Forall2_nth_error with (1 := B); [exact E|].
      rewrite nth_error_remove. destruct (Nat.ltb_spec i0 (i1 - 1)); [assumption|lia].
    - rewrite length_insert in L by lia.
      destruct (nth_error k (i - 1)) as [j|] eqn:E; [|apply nth_error_None in E; lia].
      destruct (insert_exists _ _ _ _ E) as [Q L']. rewrite Q at 1. rewrite back_value by exact L'.
      cbn [cvalue]. apply IHhas_type. rewrite <- (remove_insert s (i - 1) n) by lia. apply Forall2_remove. exact B.
    - cbn [cvalue]. assert (i - 1 < length s) by (apply nth_error_Some; congruence).
      pose proof (length_remove s (i - 1)). rewrite front_value by lia.
      apply IHhas_type. eapply inb_insert; eauto.
    - destruct (inb_set_nth _ _ _ _ _ B H1) as (j & Ej & Bj). rewrite Ej, (back_at _ _ _ _ Ej). cbn [cvalue].
      rewrite (front_at _ _ _ _ _ Ej). apply IHhas_type. eapply inb_set; [exact B|exact H1|lia].
    - destruct i as [|i]; [lia|]. replace (S i - 1) with i in * by lia.
      destruct (inb_window _ _ _ _ _ B H1) as (j & x & Ej & Ex & In). rewrite Ej, Ex.
      destruct (insert_exists _ _ _ _ Ex) as [Q L']. set (k' := remove (S i) k) in *. clearbody k'.
      assert (Ej' : nth_error k' i = Some j).
      { rewrite Q, nth_error_insert in Ej by exact L'. destruct (Nat.ltb_spec i (S i)); [exact Ej|lia]. }
      destruct (insert_exists _ _ _ _ Ej') as [Q' L'']. set (k'' := remove i k') in *. clearbody k''.
      rewrite Q. rewrite back_value by exact L'.
      rewrite Q'. change (x :: insert i j k'') with (insert (S i) j (x :: k'')). rewrite back_value by (simpl; lia).
      cbn [cvalue]. rewrite front_value by exact L''. rewrite set_insert by exact L''.
      apply IHhas_type. rewrite Q', set_insert in In by exact L''. exact In.
    - destruct (inb_set_nth _ _ _ _ _ B H1) as (j & Ej & Bj). rewrite Ej, (back_at _ _ _ _ Ej). cbn [cvalue].
      rewrite (front_at _ _ _ _ _ Ej). apply IHhas_type. eapply inb_set; [exact B|exact H1|]. apply strided_bound; assumption.
    - rewrite <- (set_same _ _ _ H1) in B. destruct (inb_dimension _ _ _ _ _ B H1) as (j & Ej & At & Bj & In).
      rewrite (type_complete _ _ _ H), At, (back_at _ _ _ _ Ej). cbn [cvalue].
      rewrite (front_size _ _ _ _ H H1), (front_at _ _ _ _ _ Ej). apply IHhas_type, In. lia.
    - destruct (inb_dimension _ _ _ _ _ B H1) as (j & Ej & At & Bj & In).
      rewrite (type_complete _ _ _ H), At, (back_at _ _ _ _ Ej). cbn [cvalue].
      rewrite (front_size _ _ _ _ H H1), (front_at _ _ _ _ _ Ej).
      destruct (_ && _)%bool eqn:E; [|reflexivity]. apply IHhas_type, In, inside, E.
    - destruct (inb_dimension _ _ _ _ _ B H1) as (j & Ej & At & Bj & In).
      rewrite (type_complete _ _ _ H), At, (back_at _ _ _ _ Ej). cbn [cvalue].
      rewrite (front_size _ _ _ _ H H1), (front_at _ _ _ _ _ Ej).
      apply IHhas_type, In, remapped_bound; [assumption| |exact Bj]. exact (Forall_nth_error _ _ _ _ (positive_type G P _ _ H) H1).
    - destruct (inb_replaced _ _ _ _ m0 B H1) as (j & Ej & At). rewrite (type_complete _ _ _ H2), At, (back_at _ _ _ _ Ej). cbn [cvalue].
      assert (E : nth_error (set (i - 1) m0 s) (i - 1) = Some m0) by (rewrite nth_error_set, Nat.eqb_refl, H1; reflexivity).
      rewrite (front_size _ _ _ _ H2 E). destruct (in_part _ _ _ _) eqn:I; rewrite (front_at _ _ _ _ _ Ej).
      + apply IHhas_type2, inb_part; assumption.
      + rewrite (set_same _ _ _ Ej). apply IHhas_type1, B.
    - reflexivity.
  Qed.
End Values.
