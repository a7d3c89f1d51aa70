(** The typing rules of full TeIL (Figure 8) and the function that computes types
    (Lemma 4.1). *)

From Coq Require Import List Arith Lia.
From Ricci Require Import Lists Syntax Statements.
Import ListNotations.

Inductive has_type (G : context) : expr -> shape -> Prop :=
| T_Var : forall x s, G x = Some s -> has_type G (Var x) s
| T_Const : forall c, has_type G (Const c) []
| T_Unary : forall f e s, has_type G e s -> has_type G (Unary f e) s
| T_Binary : forall b e0 e1 s, has_type G e0 s -> has_type G e1 s -> has_type G (Binary b e0 e1) s
| T_Mul : forall e0 e1 s, has_type G e0 s -> has_type G e1 s -> has_type G (Mul e0 e1) s
| T_SMul : forall e0 e1 s, has_type G e0 [] -> has_type G e1 s -> has_type G (Mul e0 e1) s
| T_Prod : forall e0 e1 s0 s1, has_type G e0 s0 -> has_type G e1 s1 -> has_type G (Prod e0 e1) (s0 ++ s1)
| T_Gather : forall i e0 e1 s0 s1, has_type G e0 s0 -> has_type G e1 s1 -> 1 <= i <= length s1 ->
    has_type G (Gather i e0 e1) (s0 ++ remove (i - 1) s1)
| T_Red : forall r i e s, has_type G e s -> 1 <= i <= length s -> has_type G (Red r i e) (remove (i - 1) s)
| T_Transp : forall i0 i1 e s, has_type G e s -> 1 <= i0 < i1 -> i1 <= length s ->
    has_type G (Transp i0 i1 e) (swap (i0 - 1) (i1 - 1) s)
| T_Diag : forall i0 i1 e s n, has_type G e s -> 1 <= i0 < i1 ->
    nth_error s (i0 - 1) = Some n -> nth_error s (i1 - 1) = Some n ->
    has_type G (Diag i0 i1 e) (remove (i1 - 1) s)
| T_Expa : forall i n e s, has_type G e s -> 1 <= i <= S (length s) -> 1 <= n ->
    has_type G (Expa i n e) (insert (i - 1) n s)
| T_Proj : forall i m e s n, has_type G e s -> 1 <= i -> nth_error s (i - 1) = Some n -> 1 <= m <= n ->
    has_type G (Proj i m e) (remove (i - 1) s)
| T_Shift : forall i o m e s n, has_type G e s -> 1 <= i -> nth_error s (i - 1) = Some n -> 1 <= m -> o + m <= n ->
    has_type G (Shift i o m e) (set (i - 1) m s)
| T_Window : forall i w e s n, has_type G e s -> 1 <= i -> nth_error s (i - 1) = Some n -> 1 <= w <= n ->
    has_type G (Window i w e) (insert i w (set (i - 1) (n + 1 - w) s))
| T_Stride : forall i d e s n, has_type G e s -> 1 <= i -> nth_error s (i - 1) = Some n -> 1 <= d ->
    has_type G (Stride i d e) (set (i - 1) (strided n d) s)
| T_Flip : forall i e s n, has_type G e s -> 1 <= i -> nth_error s (i - 1) = Some n -> has_type G (Flip i e) s
| T_Pad : forall i l h e s n, has_type G e s -> 1 <= i -> nth_error s (i - 1) = Some n ->
    has_type G (Pad i l h e) (set (i - 1) (l + n + h) s)
| T_Remap : forall i f e s n, has_type G e s -> 1 <= i -> nth_error s (i - 1) = Some n -> admissible f n = true ->
    has_type G (Remap i f e) (set (i - 1) (resized f n) s)
| T_Replace : forall i o d e0 e1 s n m, has_type G e0 s -> 1 <= i -> nth_error s (i - 1) = Some n ->
    has_type G e1 (set (i - 1) m s) -> 1 <= d -> o + (m - 1) * d + 1 <= n -> has_type G (Replace i o d e0 e1) s
| T_Iota : forall n, 1 <= n -> has_type G (Iota n) [n].

Definition shape_eqb (s t : shape) : bool := if list_eq_dec Nat.eq_dec s t then true else false.

Lemma shape_eqb_eq : forall s t, shape_eqb s t = true <-> s = t.
Proof. intros. unfold shape_eqb. destruct (list_eq_dec Nat.eq_dec s t); split; congruence. Qed.

Definition guard {A} (b : bool) (x : A) : option A := if b then Some x else None.

Fixpoint type (G : context) (e : expr) : option shape :=
  match e with
  | Var x => G x
  | Const _ => Some []
  | Unary _ e => type G e
  | Binary _ e0 e1 =>
      match type G e0, type G e1 with
      | Some s0, Some s1 => guard (shape_eqb s0 s1) s1
      | _, _ => None
      end
  | Mul e0 e1 =>
      match type G e0, type G e1 with
      | Some s0, Some s1 => guard (shape_eqb s0 s1 || shape_eqb s0 []) s1
      | _, _ => None
      end
  | Prod e0 e1 =>
      match type G e0, type G e1 with
      | Some s0, Some s1 => Some (s0 ++ s1)
      | _, _ => None
      end
  | Gather i e0 e1 =>
      match type G e0, type G e1 with
      | Some s0, Some s1 => guard ((1 <=? i) && (i <=? length s1)) (s0 ++ remove (i - 1) s1)
      | _, _ => None
      end
  | Red _ i e =>
      match type G e with
      | Some s => guard ((1 <=? i) && (i <=? length s)) (remove (i - 1) s)
      | None => None
      end
  | Transp i0 i1 e =>
      match type G e with
      | Some s => guard ((1 <=? i0) && (i0 <? i1) && (i1 <=? length s)) (swap (i0 - 1) (i1 - 1) s)
      | None => None
      end
  | Diag i0 i1 e =>
      match type G e with
      | Some s =>
          match nth_error s (i0 - 1), nth_error s (i1 - 1) with
          | Some n0, Some n1 => guard ((1 <=? i0) && (i0 <? i1) && (n0 =? n1)) (remove (i1 - 1) s)
          | _, _ => None
          end
      | None => None
      end
  | Expa i n e =>
      match type G e with
      | Some s => guard ((1 <=? i) && (i <=? S (length s)) && (1 <=? n)) (insert (i - 1) n s)
      | None => None
      end
  | Proj i m e =>
      match type G e with
      | Some s =>
          match nth_error s (i - 1) with
          | Some n => guard ((1 <=? i) && (1 <=? m) && (m <=? n)) (remove (i - 1) s)
          | None => None
          end
      | None => None
      end
  | Shift i o m e =>
      match type G e with
      | Some s =>
          match nth_error s (i - 1) with
          | Some n => guard ((1 <=? i) && (1 <=? m) && (o + m <=? n)) (set (i - 1) m s)
          | None => None
          end
      | None => None
      end
  | Window i w e =>
      match type G e with
      | Some s =>
          match nth_error s (i - 1) with
          | Some n => guard ((1 <=? i) && (1 <=? w) && (w <=? n)) (insert i w (set (i - 1) (n + 1 - w) s))
          | None => None
          end
      | None => None
      end
  | Stride i d e =>
      match type G e with
      | Some s =>
          match nth_error s (i - 1) with
          | Some n => guard ((1 <=? i) && (1 <=? d)) (set (i - 1) (strided n d) s)
          | None => None
          end
      | None => None
      end
  | Flip i e =>
      match type G e with
      | Some s =>
          match nth_error s (i - 1) with
          | Some n => guard (1 <=? i) s
          | None => None
          end
      | None => None
      end
  | Pad i l h e =>
      match type G e with
      | Some s =>
          match nth_error s (i - 1) with
          | Some n => guard (1 <=? i) (set (i - 1) (l + n + h) s)
          | None => None
          end
      | None => None
      end
  | Remap i f e =>
      match type G e with
      | Some s =>
          match nth_error s (i - 1) with
          | Some n => guard ((1 <=? i) && admissible f n) (set (i - 1) (resized f n) s)
          | None => None
          end
      | None => None
      end
  | Replace i o d e0 e1 =>
      match type G e0, type G e1 with
      | Some s, Some t =>
          match nth_error s (i - 1), nth_error t (i - 1) with
          | Some n, Some m => guard ((1 <=? i) && shape_eqb t (set (i - 1) m s) && (1 <=? d) && (o + (m - 1) * d + 1 <=? n)) s
          | _, _ => None
          end
      | _, _ => None
      end
  | Iota n => guard (1 <=? n) [n]
  end.

Lemma guard_some : forall A b (x y : A), guard b x = Some y <-> b = true /\ x = y.
Proof. intros A [] x y; simpl; split; [intros [= ->]|intros [_ ->]|discriminate|intros [[=] _]]; auto. Qed.

Ltac bools :=
  repeat match goal with
         | H : guard _ _ = Some _ |- _ => apply guard_some in H; destruct H
         | H : (_ && _)%bool = true |- _ => apply Bool.andb_true_iff in H; destruct H
         | H : (_ || _)%bool = true |- _ => apply Bool.orb_true_iff in H
         | H : (_ <=? _) = true |- _ => apply Nat.leb_le in H
         | H : (_ <? _) = true |- _ => apply Nat.ltb_lt in H
         | H : (_ =? _) = true |- _ => apply Nat.eqb_eq in H
         | H : shape_eqb _ _ = true |- _ => apply shape_eqb_eq in H
         end.

Lemma type_sound : forall G e s, type G e = Some s -> has_type G e s.
Proof.
  induction e; cbn [type]; intros s H;
    repeat match type of H with
           | match type ?G ?e with _ => _ end = _ => destruct (type G e) eqn:?; [|discriminate H]
           | match nth_error ?l ?k with _ => _ end = _ => destruct (nth_error l k) eqn:?; [|discriminate H]
           end; bools; subst; try (injection H as <-); eauto using has_type.
  - match goal with H : _ \/ _ |- _ => destruct H end; bools; subst; [apply T_Mul|apply T_SMul]; auto.
  all: econstructor; eauto; lia.
Qed.

Lemma type_complete : forall G e s, has_type G e s -> type G e = Some s.
Proof.
  assert (E : forall s, shape_eqb s s = true) by (intro; apply shape_eqb_eq; reflexivity).
  induction 1; cbn [type];
    repeat match goal with
           | H : type _ _ = Some _ |- _ => rewrite H; clear H
           | H : nth_error ?s ?p = Some _ |- context [nth_error (set ?p ?m ?s) ?p] => rewrite (nth_error_set s p m p), Nat.eqb_refl
           | H : nth_error _ _ = Some _ |- _ => rewrite H; clear H
           end; auto; try (apply guard_some; split; [|reflexivity]).
  - apply E.
  - rewrite E. reflexivity.
  - apply Bool.orb_true_iff. right. apply E.
  - apply Bool.andb_true_iff; split; apply Nat.leb_le; lia.
  - apply Bool.andb_true_iff; split; apply Nat.leb_le; lia.
  - rewrite !Bool.andb_true_iff, !Nat.leb_le, Nat.ltb_lt. lia.
  - rewrite !Bool.andb_true_iff, Nat.leb_le, Nat.ltb_lt, Nat.eqb_eq. lia.
  - rewrite !Bool.andb_true_iff, !Nat.leb_le. lia.
  - rewrite !Bool.andb_true_iff, !Nat.leb_le. lia.
  - rewrite !Bool.andb_true_iff, !Nat.leb_le. lia.
  - rewrite !Bool.andb_true_iff, !Nat.leb_le. lia.
  - rewrite !Bool.andb_true_iff, !Nat.leb_le. lia.
  - apply Nat.leb_le. lia.
  - apply Nat.leb_le. lia.
  - rewrite Bool.andb_true_iff, Nat.leb_le. auto.
  - rewrite E, !Bool.andb_true_iff, !Nat.leb_le. lia.
  - apply Nat.leb_le. lia.
Qed.

(** Lemma 4.1: typing is computable. *)
Theorem typing_is_computable : forall G e s, has_type G e s <-> type G e = Some s.
Proof. split; auto using type_sound, type_complete. Qed.

Corollary typing_is_unique : forall G e s t, has_type G e s -> has_type G e t -> s = t.
Proof. intros G e s t H1 H2. apply type_complete in H1, H2. congruence. Qed.

(** Equation (6): a contraction is derived, with this rule. *)
Theorem contr_type : forall G i0 i1 e t, has_type G (contr i0 i1 e) t <->
  exists s n, has_type G e s /\ 1 <= i0 < i1 /\ nth_error s (i0 - 1) = Some n /\ nth_error s (i1 - 1) = Some n /\
    t = remove (i0 - 1) (remove (i1 - 1) s).
Proof.
  intros. split.
  - intro H. inversion H; subst. match goal with H : has_type _ (Diag _ _ _) _ |- _ => inversion H; subst end. eauto 9.
  - intros (s & n & H & L & E0 & E1 & ->). apply T_Red; [econstructor; eauto|].
    assert (i1 - 1 < length s) by (apply nth_error_Some; congruence).
    pose proof (length_remove s (i1 - 1)). lia.
Qed.

(** The rule of functions: all arguments have one shape. *)
Theorem apply_type : forall G f e es s, has_type G (apply f e es) s <->
  has_type G e s /\ Forall (fun a => has_type G a s) es.
Proof.
  intros G f e es s. unfold apply.
  assert (F : has_type G (fold_left (Binary Tuple) es e) s <-> has_type G e s /\ Forall (fun a => has_type G a s) es).
  { revert e. induction es as [|a es IH]; intro e; simpl.
    - intuition.
    - rewrite IH, Forall_cons_iff. split.
      + intros [H E]. inversion H; subst. auto.
      + intros (H & A & E). eauto using has_type. }
  rewrite <- F. split; [intro H; inversion H; subst; assumption|eauto using has_type].
Qed.

Definition stmt_ok (G : context) (c : stmt expr) : bool :=
  match c with
  | Assign x e =>
      match G x, type G e with
      | Some s, Some t => shape_eqb s t
      | _, _ => false
      end
  end.

Fixpoint distinct (l : list name) : bool :=
  match l with
  | [] => true
  | x :: l => negb (existsb (Nat.eqb x) l) && distinct l
  end.

(** The checker of programs. *)
Definition check (p : program expr) : bool :=
  distinct (map allocated (allocs p)) && forallb (fun a => forallb (Nat.leb 1) (extent a)) (allocs p)
  && forallb (stmt_ok (context_of (allocs p))) (stmts p).

Lemma distinct_NoDup : forall l, distinct l = true <-> NoDup l.
Proof.
  induction l as [|x l IH]; simpl.
  - split; auto using NoDup_nil.
  - rewrite Bool.andb_true_iff, IH, Bool.negb_true_iff. split.
    + intros [N D]. constructor; auto. intro I.
      enough (existsb (Nat.eqb x) l = true) by congruence.
      apply existsb_exists. exists x. split; [exact I|apply Nat.eqb_refl].
    + intro H. inversion H as [|? ? N D]; subst. split; [|exact D].
      destruct (existsb (Nat.eqb x) l) eqn:E; auto. exfalso. apply N.
      apply existsb_exists in E. destruct E as (y & I & Q). apply Nat.eqb_eq in Q. subst. exact I.
Qed.

Theorem check_correct : forall p, check p = true <-> ok_program has_type p.
Proof.
  intros [al st]. unfold check, ok_program, ok_allocs, ok_stmts. simpl.
  rewrite !Bool.andb_true_iff, distinct_NoDup, !forallb_forall, !Forall_forall.
  assert (S1 : forall a, forallb (Nat.leb 1) (extent a) = true <-> positive (extent a)).
  { intro a. unfold positive. rewrite forallb_forall, Forall_forall.
    split; intros H n I; apply Nat.leb_le; auto. }
  assert (S2 : forall c, stmt_ok (context_of al) c = true <-> ok_stmt has_type (context_of al) c).
  { intros [x e]. simpl. split.
    - destruct (context_of al x) eqn:Ex; [|discriminate]. destruct (type _ e) eqn:Ee; [|discriminate].
      intro H. bools. subst. econstructor; eauto using type_sound.
    - intro H. inversion H as [? ? s Hx He]; subst. rewrite Hx, (type_complete _ _ _ He). apply shape_eqb_eq. reflexivity. }
  split.
  - intros [[D P] Q]. repeat split; auto; intros; [apply S1|apply S2]; auto.
  - intros [[D P] Q]. repeat split; auto; intros; [apply S1|apply S2]; auto.
Qed.

Lemma positive_type : forall G, (forall x s, G x = Some s -> positive s) ->
  forall e s, has_type G e s -> positive s.
Proof.
  unfold positive. intros G P.
  induction 1; eauto using Forall_remove, Forall_set.
  - apply Forall_app. auto.
  - apply Forall_app. auto using Forall_remove.
  - apply Forall_swap; auto; lia.
  - apply Forall_insert; auto; lia.
  - assert (i - 1 < length s) by (apply nth_error_Some; congruence).
    apply Forall_insert; [rewrite length_set; lia|lia|]. apply Forall_set; [lia|assumption].
  - apply Forall_set; [|assumption]. apply strided_positive; [assumption|].
    exact (Forall_nth_error _ _ _ _ IHhas_type H1).
  - apply Forall_set; [|assumption]. pose proof (Forall_nth_error _ _ _ _ IHhas_type H1). simpl in *. lia.
  - apply Forall_set; [|assumption]. apply resized_positive; [assumption|].
    exact (Forall_nth_error _ _ _ _ IHhas_type H1).
Qed.
