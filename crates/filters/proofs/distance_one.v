(** No word is ever missed, and nothing else is ever found.

    The definitions follow [crates/filters/src/neighbours.rs]: which strings are stored for the words of a dictionary
    ([SchemeId::each_stored]), which are looked up for a candidate, and Manber and Wu's 1-extension (section 2
    of their paper). A store here holds exactly what was stored: a Bloom filter holds more by accident, never
    less, so what is found here is found there.

    - [deletions_meet]: a candidate is found if and only if some word of the dictionary is within Levenshtein
      distance 1 of it.
    - [extensions_meet]: the 1-extensions of two words have a string in common if and only if their
      Levenshtein distance is at most 1.

    Symbols are any type whose equality can be decided. Nothing is assumed beyond that: the file ends with
    [Print Assumptions]. *)

From Coq Require Import List Arith Bool Lia.
Import ListNotations.

Section Words.

Variable symbol : Type.
Variable eq_symbol : forall a b : symbol, {a = b} + {a <> b}.

Definition word := list symbol.

Definition eq_word : forall w q : word, {w = q} + {w <> q} := list_eq_dec eq_symbol.

(** * Definitions *)

(** The Levenshtein distance: the fewest insertions, deletions and substitutions that make [q] of [w]. *)
Fixpoint distance (w q : word) : nat :=
  match w with
  | [] => length q
  | a :: w' =>
      (fix along (q : word) : nat :=
         match q with
         | [] => length w
         | b :: q' =>
             Nat.min (S (distance w' q))
               (Nat.min (S (along q'))
                  ((if eq_symbol a b then 0 else 1) + distance w' q'))
         end) q
  end.

(** The word without its symbol [i]. *)
Definition without (i : nat) (w : word) : word := firstn i w ++ skipn (S i) w.

(** The word with [c] in place of its symbol [i]. *)
Definition replaced (i : nat) (c : symbol) (w : word) : word := firstn i w ++ c :: skipn (S i) w.

(** The word with [c] put in before its symbol [j]. *)
Definition put_in (j : nat) (c : symbol) (w : word) : word := firstn j w ++ c :: skipn j w.

(** A string is stored as a word, or as what a deletion at a place leaves. *)
Inductive layer := Word | Deletion (at_place : nat).

Definition eq_entry : forall x y : layer * word, {x = y} + {x <> y}.
Proof. repeat decide equality. Defined.

(** [SchemeId::Deletions]: the word, and the word without each of its symbols, with the place. *)
Definition stored (w : word) : list (layer * word) :=
  (Word, w) :: map (fun i => (Deletion i, without i w)) (seq 0 (length w)).

Definition holds (store : list (layer * word)) (l : layer) (s : word) : bool :=
  if in_dec eq_entry (l, s) store then true else false.

Definition completes (store : list (layer * word)) (alphabet : list symbol) (make : symbol -> word) : bool :=
  existsb (fun c => holds store Word (make c)) alphabet.

(** What is looked up for a candidate: as a word; with one symbol more than a word; with one symbol of a word
    substituted; with one symbol fewer. A deletion proposes, a word decides. *)
Definition finds (dictionary : list word) (q : word) : bool :=
  let store := flat_map stored dictionary in
  let alphabet := concat dictionary in
  let places := seq 0 (length q) in
  let gaps := seq 0 (S (length q)) in
  holds store Word q
  || existsb (fun i => holds store Word (without i q)) places
  || existsb
       (fun i => holds store (Deletion i) (without i q) && completes store alphabet (fun c => replaced i c q))
       places
  || existsb (fun j => holds store (Deletion j) q && completes store alphabet (fun c => put_in j c q)) gaps.

(** A string of the paper's scheme: [None] is the don't-care symbol. *)
Definition extended := list (option symbol).

Definition eq_extended : forall s t : extended, {s = t} + {s <> t}.
Proof. repeat decide equality. Defined.

Definition dont_care (before after : word) : extended := map Some before ++ None :: map Some after.

(** [SchemeId::Paper]: a don't-care symbol in place of each symbol and in each gap, 2d + 1 strings. *)
Definition extension (w : word) : list extended :=
  map (fun i => dont_care (firstn i w) (skipn (S i) w)) (seq 0 (length w))
  ++ map (fun i => dont_care (firstn i w) (skipn i w)) (seq 0 (S (length w))).

Definition extensions_share (w q : word) : bool :=
  existsb (fun s => if in_dec eq_extended s (extension q) then true else false) (extension w).

(** * One edit *)

Inductive near : word -> word -> Prop :=
| same : forall w, near w w
| substituted : forall p a b s, near (p ++ a :: s) (p ++ b :: s)
| inserted : forall p b s, near (p ++ s) (p ++ b :: s)
| deleted : forall p a s, near (p ++ a :: s) (p ++ s).

Lemma near_cons : forall a w q, near w q -> near (a :: w) (a :: q).
Proof.
  intros a w q H. destruct H as [w | p x y s | p y s | p x s].
  - apply same.
  - exact (substituted (a :: p) x y s).
  - exact (inserted (a :: p) y s).
  - exact (deleted (a :: p) x s).
Qed.

Lemma distance_step : forall a w b q,
  distance (a :: w) (b :: q) =
  Nat.min (S (distance w (b :: q)))
    (Nat.min (S (distance (a :: w) q)) ((if eq_symbol a b then 0 else 1) + distance w q)).
Proof. reflexivity. Qed.

Lemma distance_0_same : forall w q, distance w q = 0 -> w = q.
Proof.
  induction w as [| a w IH]; intros [| b q] H; try discriminate; auto.
  rewrite distance_step in H. destruct (eq_symbol a b) as [-> |]; [f_equal; apply IH |]; lia.
Qed.

Lemma distance_same : forall w, distance w w = 0.
Proof.
  induction w as [| a w IH]; auto.
  rewrite distance_step. destruct (eq_symbol a a); [| contradiction]. lia.
Qed.

Lemma distance_prefix : forall p w q, distance (p ++ w) (p ++ q) <= distance w q.
Proof.
  induction p as [| a p IH]; intros w q; auto.
  cbn [app]. rewrite distance_step. destruct (eq_symbol a a); [| contradiction]. specialize (IH w q). lia.
Qed.

Lemma near_of_distance : forall w q, distance w q <= 1 -> near w q.
Proof.
  induction w as [| a w IH]; intros [| b q] H.
  - apply same.
  - destruct q; [exact (inserted [] b []) | cbn in H; lia].
  - destruct w; [exact (deleted [] a []) | cbn in H; lia].
  - rewrite distance_step in H.
    destruct (le_lt_dec (S (distance w (b :: q))) 1) as [H1 | H1].
    { rewrite (distance_0_same w (b :: q)) by lia. exact (deleted [] a (b :: q)). }
    destruct (le_lt_dec (S (distance (a :: w) q)) 1) as [H2 | H2].
    { rewrite <- (distance_0_same (a :: w) q) by lia. exact (inserted [] b (a :: w)). }
    destruct (eq_symbol a b) as [-> |].
    + apply near_cons, IH. lia.
    + rewrite (distance_0_same w q) by lia. exact (substituted [] a b q).
Qed.

Lemma distance_of_near : forall w q, near w q -> distance w q <= 1.
Proof.
  intros w q H. destruct H as [w | p a b s | p b s | p a s].
  - rewrite distance_same. auto.
  - etransitivity; [apply distance_prefix |]. rewrite distance_step, distance_same.
    destruct (eq_symbol a b); lia.
  - etransitivity; [apply distance_prefix |].
    destruct s as [| c s]; [auto |]. rewrite distance_step, distance_same. lia.
  - etransitivity; [apply distance_prefix |].
    destruct s as [| c s]; [auto |]. rewrite distance_step, distance_same. lia.
Qed.

Theorem distance_1 : forall w q, distance w q <= 1 <-> near w q.
Proof. split; [apply near_of_distance | apply distance_of_near]. Qed.

(** * Places of a word *)

Lemma split_place : forall i (w : word), i < length w -> exists a, w = firstn i w ++ a :: skipn (S i) w.
Proof.
  induction i as [| i IH]; intros [| a w] H; cbn in H; try lia.
  - exists a. reflexivity.
  - destruct (IH w) as [b E]; [lia |]. exists b. cbn. f_equal. exact E.
Qed.

Lemma firstn_place : forall p s : word, firstn (length p) (p ++ s) = p.
Proof. induction p as [| a p IH]; intro s; cbn; [reflexivity | f_equal; apply IH]. Qed.

Lemma skipn_gap : forall p s : word, skipn (length p) (p ++ s) = s.
Proof. induction p as [| a p IH]; intro s; cbn; [reflexivity | apply IH]. Qed.

Lemma skipn_place : forall p a (s : word), skipn (S (length p)) (p ++ a :: s) = s.
Proof. induction p as [| b p IH]; intros a s; cbn; [reflexivity | apply IH]. Qed.

Lemma length_place : forall (p : word) a s, length p < length (p ++ a :: s).
Proof. intros p a s. rewrite app_length. cbn. lia. Qed.

Lemma without_place : forall p a s, without (length p) (p ++ a :: s) = p ++ s.
Proof. intros. unfold without. rewrite firstn_place, skipn_place. reflexivity. Qed.

Lemma replaced_place : forall p a b s, replaced (length p) b (p ++ a :: s) = p ++ b :: s.
Proof. intros. unfold replaced. rewrite firstn_place, skipn_place. reflexivity. Qed.

Lemma put_in_gap : forall p b s, put_in (length p) b (p ++ s) = p ++ b :: s.
Proof. intros. unfold put_in. rewrite firstn_place, skipn_gap. reflexivity. Qed.

Lemma without_near : forall i q, i < length q -> near (without i q) q.
Proof.
  intros i q H. destruct (split_place i q H) as [a E]. unfold without.
  rewrite E at 3. apply inserted.
Qed.

Lemma replaced_near : forall i c q, i < length q -> near (replaced i c q) q.
Proof.
  intros i c q H. destruct (split_place i q H) as [a E]. unfold replaced.
  rewrite E at 3. apply substituted.
Qed.

Lemma put_in_near : forall j c q, near (put_in j c q) q.
Proof.
  intros j c q. unfold put_in. rewrite <- (firstn_skipn j q) at 3. apply deleted.
Qed.

(** * Deletions propose, words decide *)

Lemma holds_true : forall store l s, holds store l s = true <-> In (l, s) store.
Proof. intros. unfold holds. destruct (in_dec eq_entry (l, s) store); intuition discriminate. Qed.

Lemma holds_word : forall dictionary s,
  holds (flat_map stored dictionary) Word s = true <-> In s dictionary.
Proof.
  intros dictionary s. rewrite holds_true, in_flat_map. split.
  - intros (w & Hw & [E | H]); [congruence |].
    apply in_map_iff in H as (i & E & _). discriminate.
  - intro H. exists s. cbn. auto.
Qed.

Lemma holds_deletion : forall dictionary w p a s,
  In w dictionary -> w = p ++ a :: s ->
  holds (flat_map stored dictionary) (Deletion (length p)) (p ++ s) = true.
Proof.
  intros dictionary w p a s Hw E. apply holds_true, in_flat_map. exists w. split; [exact Hw |].
  right. apply in_map_iff. exists (length p). subst w. rewrite without_place. split; [reflexivity |].
  apply in_seq. pose proof (length_place p a s). lia.
Qed.

Lemma completes_true : forall dictionary make c,
  In (make c) dictionary -> In c (make c) ->
  completes (flat_map stored dictionary) (concat dictionary) make = true.
Proof.
  intros dictionary make c Hw Hc. apply existsb_exists. exists c. split.
  - apply in_concat. eauto.
  - apply holds_word, Hw.
Qed.

Lemma completes_word : forall dictionary make,
  completes (flat_map stored dictionary) (concat dictionary) make = true ->
  exists c, In (make c) dictionary.
Proof.
  intros dictionary make H. apply existsb_exists in H as (c & _ & H). exists c. apply holds_word, H.
Qed.

(** Every word within distance 1 is found. *)
Lemma never_missed : forall dictionary w q, In w dictionary -> near w q -> finds dictionary q = true.
Proof.
  intros dictionary w q Hw H. unfold finds. rewrite !orb_true_iff.
  destruct H as [w | p a b s | p b s | p a s].
  - left. left. left. apply holds_word, Hw.
  - left. right. apply existsb_exists. exists (length p). split.
    + apply in_seq. pose proof (length_place p b s). lia.
    + apply andb_true_iff. split.
      * rewrite without_place. exact (holds_deletion _ _ p a s Hw eq_refl).
      * apply (completes_true _ _ a); rewrite replaced_place; auto. apply in_elt.
  - left. left. right. apply existsb_exists. exists (length p). split.
    + apply in_seq. pose proof (length_place p b s). lia.
    + rewrite without_place. apply holds_word, Hw.
  - right. apply existsb_exists. exists (length p). split.
    + apply in_seq. rewrite app_length. lia.
    + apply andb_true_iff. split.
      * exact (holds_deletion _ _ p a s Hw eq_refl).
      * apply (completes_true _ _ a); rewrite put_in_gap; auto. apply in_elt.
Qed.

(** Only a word within distance 1 makes a candidate found. *)
Lemma nothing_else : forall dictionary q,
  finds dictionary q = true -> exists w, In w dictionary /\ near w q.
Proof.
  intros dictionary q H. unfold finds in H. rewrite !orb_true_iff in H.
  destruct H as [[[H | H] | H] | H].
  - apply holds_word in H. exists q. split; [exact H | apply same].
  - apply existsb_exists in H as (i & Hi & H). apply in_seq in Hi. apply holds_word in H.
    exists (without i q). split; [exact H | apply without_near; lia].
  - apply existsb_exists in H as (i & Hi & H). apply in_seq in Hi.
    apply andb_true_iff in H as [_ H]. apply completes_word in H as [c H].
    exists (replaced i c q). split; [exact H | apply replaced_near; lia].
  - apply existsb_exists in H as (j & _ & H).
    apply andb_true_iff in H as [_ H]. apply completes_word in H as [c H].
    exists (put_in j c q). split; [exact H | apply put_in_near].
Qed.

(** Deletion neighbourhoods with places meet if and only if the distance is at most 1. *)
Theorem deletions_meet : forall dictionary q,
  finds dictionary q = true <-> exists w, In w dictionary /\ distance w q <= 1.
Proof.
  intros dictionary q. split.
  - intro H. apply nothing_else in H as (w & Hw & H). exists w. rewrite distance_1. auto.
  - intros (w & Hw & H). apply distance_1 in H. exact (never_missed _ _ _ Hw H).
Qed.

(** * The paper's 1-extension *)

(** A don't-care symbol tells what is before and behind it. *)
Lemma dont_care_splits : forall p p' s s', dont_care p s = dont_care p' s' -> p = p' /\ s = s'.
Proof.
  unfold dont_care. induction p as [| a p IH]; intros [| b p'] s s' E; cbn in E; try discriminate.
  - injection E as E. split; [reflexivity |].
    revert s' E. induction s as [| c s IH]; intros [| d s'] E; try discriminate; auto.
    injection E as -> E. f_equal. apply IH, E.
  - injection E as -> E. apply IH in E as [-> ->]. auto.
Qed.

(** An extended word stands for a word with a symbol, or with none, in place of the don't-care symbol. *)
Definition stands_for (p s w : word) : Prop := w = p ++ s \/ exists a, w = p ++ a :: s.

Lemma in_extension : forall w t,
  In t (extension w) <-> exists p s, t = dont_care p s /\ stands_for p s w.
Proof.
  intros w t. unfold extension, stands_for. rewrite in_app_iff, !in_map_iff. split.
  - intros [(i & <- & Hi) | (i & <- & Hi)]; apply in_seq in Hi.
    + exists (firstn i w), (skipn (S i) w). split; [reflexivity |]. right. apply split_place. lia.
    + exists (firstn i w), (skipn i w). split; [reflexivity |]. left. symmetry. apply firstn_skipn.
  - intros (p & s & -> & [-> | (a & ->)]).
    + right. exists (length p). rewrite firstn_place, skipn_gap. split; [reflexivity |].
      apply in_seq. rewrite app_length. lia.
    + left. exists (length p). rewrite firstn_place, skipn_place. split; [reflexivity |].
      apply in_seq. pose proof (length_place p a s). lia.
Qed.

(** Two words are within distance 1 if and only if their extensions meet (Manber and Wu, section 2). *)
Theorem extensions_meet : forall w q, extensions_share w q = true <-> distance w q <= 1.
Proof.
  intros w q. rewrite distance_1. unfold extensions_share. rewrite existsb_exists. split.
  - intros (t & Hw & Hq). destruct (in_dec eq_extended t (extension q)) as [Hq' |]; [| discriminate].
    apply in_extension in Hw as (p & s & -> & Hw). apply in_extension in Hq' as (p' & s' & E & Hq').
    apply dont_care_splits in E as [<- <-].
    destruct Hw as [-> | (a & ->)], Hq' as [-> | (b & ->)].
    + apply same.
    + apply inserted.
    + apply deleted.
    + apply substituted.
  - assert (both : forall p s, stands_for p s w -> stands_for p s q ->
      exists t, In t (extension w)
        /\ (if in_dec eq_extended t (extension q) then true else false) = true).
    { intros p s Hw Hq. exists (dont_care p s). split; [apply in_extension; eauto |].
      destruct (in_dec eq_extended (dont_care p s) (extension q)) as [| N]; [reflexivity |].
      destruct N. apply in_extension. eauto. }
    intro H. destruct H as [w | p a b s | p b s | p a s].
    + apply (both [] w); left; reflexivity.
    + apply (both p s); right; eauto.
    + apply (both p s); [left; reflexivity | right; eauto].
    + apply (both p s); [right; eauto | left; reflexivity].
Qed.

Theorem extension_length : forall w, length (extension w) = 2 * length w + 1.
Proof. intro w. unfold extension. rewrite app_length, !map_length, !seq_length. lia. Qed.

End Words.

Print Assumptions deletions_meet.
Print Assumptions extensions_meet.
