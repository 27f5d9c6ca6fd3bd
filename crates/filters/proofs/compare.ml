(* compare.ml CASES   computes each case again with the definitions extracted from the proof and compares it
   with what the Rust code gave. A line is one of
     strings;WORD;PLACE:STRING,...;EXTENDED,...   the stored strings of a word and its 1-extension
     finds;WORD,...;CANDIDATE;0|1                 whether a candidate is found in a dictionary
     shares;WORD;CANDIDATE;0|1                    whether two 1-extensions have a string in common
   Words are digits, one a symbol; - is no place, * the don't-care symbol. Exits 1 at the first difference. *)

open Distance_one

let eq_symbol : int -> int -> bool = ( = )

let digit c = Char.code c - Char.code '0'

let word text = List.init (String.length text) (fun i -> digit text.[i])

let words text = List.map word (String.split_on_char ',' text)

let plain symbols = String.concat "" (List.map string_of_int symbols)

let entry (layer, string) =
  let place = match layer with Word -> "-" | Deletion at -> string_of_int at in
  place ^ ":" ^ plain string

let extended symbols =
  String.concat "" (List.map (function None -> "*" | Some symbol -> string_of_int symbol) symbols)

let same_set texts listed =
  List.sort_uniq compare texts = List.sort_uniq compare (String.split_on_char ',' listed)

let answer text = match text with "0" -> false | "1" -> true | _ -> failwith ("an answer is " ^ text)

let near dictionary q = List.exists (fun w -> distance eq_symbol w q <= 1) dictionary

let agrees line =
  match String.split_on_char ';' line with
  | [ "strings"; w; strings; extensions ] ->
      let w = word w in
      same_set (List.map entry (stored w)) strings
      && same_set (List.map extended (extension w)) extensions
  | [ "finds"; dictionary; q; found ] ->
      let dictionary, q, found = (words dictionary, word q, answer found) in
      finds eq_symbol dictionary q = found && near dictionary q = found
  | [ "shares"; w; q; shared ] ->
      let w, q, shared = (word w, word q, answer shared) in
      extensions_share eq_symbol w q = shared && near [ w ] q = shared
  | _ -> false

let () =
  let cases = open_in Sys.argv.(1) in
  let rec compare_from count =
    match input_line cases with
    | line when agrees line -> compare_from (count + 1)
    | line ->
        Printf.printf "case %d differs from the proof: %s\n" (count + 1) line;
        exit 1
    | exception End_of_file -> count
  in
  let count = compare_from 0 in
  if count = 0 then (print_endline "there are no cases"; exit 1);
  Printf.printf "%d cases are as the extracted definitions say\n" count
