(** Maps of places: a dimension of n places becomes one whose places read some of these.
    Places count from 0 here. [Clamped l h] puts l copies of the first place before the
    dimension and h of the last behind it; [Mirrored l h] reflects it at its ends, which
    repeats them; [Wrapped l h] goes on at the other end; [Repeated d] reads every place
    d times; [Stepped d m] reads m places, each d behind the one before. *)

From Coq Require Import Arith ZArith Lia PeanoNat.

Inductive remap :=
| Clamped (l h : nat)
| Mirrored (l h : nat)
| Wrapped (l h : nat)
| Repeated (d : nat)
| Stepped (d m : nat).

(** What a map demands of its arguments, and of the size of the dimension. *)
Definition admissible (f : remap) (n : nat) : bool :=
  match f with
  | Repeated d => 1 <=? d
  | Stepped d m => (1 <=? m) && ((m - 1) * d + 1 <=? n)
  | _ => true
  end.

Definition resized (f : remap) (n : nat) : nat :=
  match f with
  | Clamped l h | Mirrored l h | Wrapped l h => l + n + h
  | Repeated d => n * d
  | Stepped _ m => m
  end.

(** p - l modulo n. *)
Definition around (l n p : nat) : nat := (p + (n - l mod n)) mod n.

(** The place of the operand that place p reads. *)
Definition reads (f : remap) (n p : nat) : nat :=
  match f with
  | Clamped l _ => Nat.min (p - l) (n - 1)
  | Mirrored l _ => Nat.min (around l (2 * n) p) (2 * n - 1 - around l (2 * n) p)
  | Wrapped l _ => around l n p
  | Repeated d => p / d
  | Stepped d _ => p * d
  end.

Lemma around_below : forall l n p, 1 <= n -> around l n p < n.
Proof. intros. apply Nat.mod_upper_bound. lia. Qed.

(** Every map is total: what it reads is a place of the dimension. *)
Theorem reads_below : forall f n p, admissible f n = true -> 1 <= n -> p < resized f n -> reads f n p < n.
Proof.
  intros [l h|l h|l h|d|d m] n p A N P; cbn [reads resized admissible] in *.
  - lia.
  - pose proof (around_below l (2 * n) p). lia.
  - apply around_below, N.
  - apply Nat.leb_le in A. apply Nat.div_lt_upper_bound; lia.
  - rewrite Bool.andb_true_iff, !Nat.leb_le in A. nia.
Qed.

Lemma resized_positive : forall f n, admissible f n = true -> 1 <= n -> 1 <= resized f n.
Proof.
  intros [l h|l h|l h|d|d m] n A N; cbn [resized admissible] in *; rewrite ?Bool.andb_true_iff, ?Nat.leb_le in A; nia.
Qed.

(** In integers a place that wraps is p - l modulo n, … *)
Theorem around_modulo : forall l n p, 1 <= n -> Z.of_nat (around l n p) = ((Z.of_nat p - Z.of_nat l) mod Z.of_nat n)%Z.
Proof.
  intros l n p N. unfold around. pose proof (Nat.mod_upper_bound l n).
  rewrite Nat2Z.inj_mod, Nat2Z.inj_add, Nat2Z.inj_sub, Nat2Z.inj_mod by lia.
  replace (Z.of_nat p + (Z.of_nat n - Z.of_nat l mod Z.of_nat n))%Z
    with (Z.of_nat p - Z.of_nat l mod Z.of_nat n + 1 * Z.of_nat n)%Z by lia.
  rewrite Z.mod_add by lia. apply Zminus_mod_idemp_r.
Qed.

(** … and the maps are the functions by which Tensor Comprehensions and MDH move
    subscripts that leave their dimension. *)
Theorem clamped_place : forall l h n p, 1 <= n ->
  Z.of_nat (reads (Clamped l h) n p) = Z.max 0 (Z.min (Z.of_nat p - Z.of_nat l) (Z.of_nat n - 1)).
Proof. intros. cbn [reads]. lia. Qed.

Theorem mirrored_place : forall l h n p, 1 <= n ->
  let around := ((Z.of_nat p - Z.of_nat l) mod (2 * Z.of_nat n))%Z in
  Z.of_nat (reads (Mirrored l h) n p) = Z.min around (2 * Z.of_nat n - 1 - around).
Proof.
  intros l h n p N. cbn [reads]. pose proof (around_modulo l (2 * n) p). pose proof (around_below l (2 * n) p).
  replace (2 * Z.of_nat n)%Z with (Z.of_nat (2 * n)) by lia. lia.
Qed.

Theorem wrapped_place : forall l h n p, 1 <= n ->
  Z.of_nat (reads (Wrapped l h) n p) = ((Z.of_nat p - Z.of_nat l) mod Z.of_nat n)%Z.
Proof. intros. apply around_modulo. assumption. Qed.

Theorem repeated_place : forall d n p, Z.of_nat (reads (Repeated d) n p) = (Z.of_nat p / Z.of_nat d)%Z.
Proof. intros. apply Nat2Z.inj_div. Qed.

Theorem stepped_place : forall d m n p, Z.of_nat (reads (Stepped d m) n p) = (Z.of_nat p * Z.of_nat d)%Z.
Proof. intros. apply Nat2Z.inj_mul. Qed.

(** The same for indices, which count from 1. *)
Definition remapped (f : remap) (n j : nat) : nat := S (reads f n (j - 1)).

Lemma remapped_bound : forall f n j, admissible f n = true -> 1 <= n -> 1 <= j <= resized f n -> 1 <= remapped f n j <= n.
Proof. intros f n j A N J. pose proof (reads_below f n (j - 1) A N). unfold remapped. lia. Qed.

(** The part of a dimension that is n places, every d-th from place o on; the place in the
    part of a place of the dimension. *)
Definition in_part (o d n p : nat) : bool := ((o <=? p) && ((p - o) mod d =? 0) && ((p - o) / d <? n))%bool.

Definition part_place (o d p : nat) : nat := (p - o) / d.

Theorem part_places : forall o d n p, 1 <= d ->
  (in_part o d n p = true <-> part_place o d p < n /\ p = o + part_place o d p * d).
Proof.
  intros o d n p D. unfold in_part, part_place. rewrite !Bool.andb_true_iff, Nat.leb_le, Nat.eqb_eq, Nat.ltb_lt.
  pose proof (Nat.div_mod (p - o) d ltac:(lia)). split; [intros [[L M] Q]; split; lia|].
  intros [Q E]. assert (o <= p) by lia. repeat split; [assumption| |exact Q].
  replace (p - o) with ((p - o) / d * d) by lia. apply Nat.mod_mul. lia.
Qed.
