(* The oracle: reads TeIL programs, and prints what the extracted checker and evaluator
   say about them. Names are numbers, and everything is an s-expression:

     (program (alloc 0 2 3) (alloc 1 2) (fill 0 1 2 3 4 5 6) (fill 1 0 0)
       (assign 1 (red+ 2 0)))

   An operand is a name, (const 7) or an operation with its positions and sizes, then
   its operands. For every program it prints "ok" or "ill-typed", for each statement the
   type of its expression ("type 2", or "no type"), if the program is ok the values of
   each allocation, and "end". *)

open Teil

type sexp = Atom of string | List of sexp list

exception Malformed of string

(* Reads the next s-expression; None at the end of the input. *)
let rec read input =
  match input_char input with
  | ' ' | '\n' -> read input
  | '(' -> Some (List (read_list input []))
  | ')' -> raise (Malformed "unexpected )")
  | c -> Some (Atom (fst (read_atom input (Buffer.create 8) c)))
  | exception End_of_file -> None

and read_atom input text c =
  Buffer.add_char text c;
  match input_char input with
  | ' ' | '\n' -> (Buffer.contents text, false)
  | ')' -> (Buffer.contents text, true)
  | c -> read_atom input text c

and read_list input items =
  match input_char input with
  | ' ' | '\n' -> read_list input items
  | ')' -> List.rev items
  | '(' -> let item = List (read_list input []) in read_list input (item :: items)
  | c ->
      let text, closed = read_atom input (Buffer.create 8) c in
      let items = Atom text :: items in
      if closed then List.rev items else read_list input items

(* Integers modulo 2^64; quotients are rounded down, and x/0 is 0. Numbers of a narrower
   type are kept as the number of this type that they are. *)
module N = struct
  type t = int64
  let zero = 0L
  let one = 1L
  let of_int = Int64.of_int
  let plus = Int64.add
  let times = Int64.mul
  let minus = Int64.sub
  let modulo x y =
    if y = 0L then 0L
    else let r = Int64.rem x y in if r <> 0L && (r < 0L) <> (y < 0L) then Int64.add r y else r
  let divide x y = if y = 0L then 0L else Int64.div (Int64.sub x (modulo x y)) y
  let negate = Int64.neg
  let narrow shift bits x = shift (Int64.shift_left x (64 - bits)) (64 - bits)
  let conversions = ("int64", Fun.id) :: ("uint64", Fun.id) :: List.concat_map (fun bits -> [
    "int" ^ string_of_int bits, narrow Int64.shift_right bits;
    "uint" ^ string_of_int bits, narrow Int64.shift_right_logical bits ]) [8; 16; 32]
  let is_place y = 0L <= y && y < 64L
  let shift_left x y = if is_place y then Int64.shift_left x (Int64.to_int y) else 0L
  let shift_right x y = Int64.shift_right x (if is_place y then Int64.to_int y else 63)
  let rec ones x = if x = 0L then 0L else Int64.add (Int64.logand x 1L) (ones (Int64.shift_right_logical x 1))
  let rec leading x = if x < 0L then 0L else if x = 0L then 64L else Int64.succ (leading (Int64.shift_left x 1))
  (* The place that a subscript stands for, from 1, and 0 for none. *)
  let place x = if x < 0L || x > 1_000_000L then 0 else Int64.to_int x + 1
  let parse = Int64.of_string
  let print = Int64.to_string
end

(* The proofs compute with any set of values. Truth values are 0 and 1; functions of
   three arguments are given tuples. *)
type value = Number of N.t | Pair of value * value

(* The values of a domain are a type of the proofs, which extraction cannot express:
   they pass as Obj.t, made by [wrap] only. *)
let wrap : value -> Obj.t = Obj.repr
let unwrap : Obj.t -> value = Obj.obj
let number_of = function Number x -> x | Pair _ -> raise (Malformed "a tuple is no number")
let on1 f x = Number (f (number_of x))
let on2 f x y = Number (f (number_of x) (number_of y))
let truth b = if b then N.one else N.zero
let holds x = x <> N.zero

(* The functions by which the proofs know what they do not speak of by name. *)
let functions1 =
  ("not", on1 (fun x -> truth (not (holds x))))
  :: ("bool", on1 (fun x -> truth (holds x)))
  :: ("select", function
       | Pair (Pair (c, x), y) -> if holds (number_of c) then x else y
       | _ -> raise (Malformed "select has three arguments"))
  :: ("abs", on1 Int64.abs) :: ("bitnot", on1 Int64.lognot) :: ("popcount", on1 N.ones) :: ("clz", on1 N.leading)
  :: List.map (fun (name, f) -> (name, on1 f)) N.conversions

let functions2 = List.map (fun (name, f) -> (name, on2 f)) [
  "mod", N.modulo;
  "lt", (fun x y -> truth (x < y)); "le", (fun x y -> truth (x <= y)); "gt", (fun x y -> truth (x > y));
  "ge", (fun x y -> truth (x >= y)); "eq", (fun x y -> truth (x = y)); "ne", (fun x y -> truth (x <> y));
  "and", (fun x y -> truth (holds x && holds y)); "or", (fun x y -> truth (holds x || holds y));
  "bitand", Int64.logand; "bitor", Int64.logor; "bitxor", Int64.logxor; "shl", N.shift_left; "shr", N.shift_right ]

let rec number_of_function table name =
  match table with
  | (other, _) :: _ when other = name -> 0
  | _ :: table -> 1 + number_of_function table name
  | [] -> raise (Malformed ("the function " ^ name))

(* Numbers that are no natural numbers, behind all that are sizes. *)
let first_literal = max_int / 4

let domain (literals : N.t array) =
  let wrap2 f x y = wrap (f (unwrap x) (unwrap y)) in {
  zero = wrap (Number N.zero); one = wrap (Number N.one); plus = wrap2 (on2 N.plus); times = wrap2 (on2 N.times);
  binary_op = (function
    | Add -> wrap2 (on2 N.plus) | Sub -> wrap2 (on2 N.minus) | Div -> wrap2 (on2 N.divide)
    | Min -> wrap2 (on2 min) | Max -> wrap2 (on2 max)
    | Tuple -> wrap2 (fun x y -> Pair (x, y))
    | Function2 f -> wrap2 (snd (List.nth functions2 f)));
  unary_op = (function
    | Negate -> (fun x -> wrap (on1 N.negate (unwrap x)))
    | Function f -> (fun x -> wrap (snd (List.nth functions1 f) (unwrap x))));
  constant = (fun n -> wrap (Number (if n < first_literal then N.of_int n else literals.(n - first_literal))));
  place_of = (fun x -> N.place (number_of (unwrap x)));
  outside = wrap (Number N.zero) }

(* Literals are numbered in the order in which they are read. *)
let literals = ref []
let literal text =
  match int_of_string_opt text with
  | Some n when 0 <= n && n < first_literal -> n
  | _ ->
      literals := N.parse text :: !literals;
      first_literal + List.length !literals - 1

(* The functions, components and constants of folds are numbered from here on. *)
let first_fold = max_int / 2

let number = function
  | Atom text -> int_of_string text
  | List _ -> raise (Malformed "a number is expected")

let rec expr = function
  | Atom name -> Var (int_of_string name)
  | List (Atom op :: rest) -> operation op rest
  | List _ -> raise (Malformed "an operation is expected")

and operation op rest =
  match op, rest with
  | "const", [Atom text] -> Const (literal text)
  | "neg", [e] -> Unary (Negate, expr e)
  | "add", [a; b] -> Binary (Add, expr a, expr b)
  | "sub", [a; b] -> Binary (Sub, expr a, expr b)
  | "div", [a; b] -> Binary (Div, expr a, expr b)
  | "min", [a; b] -> Binary (Min, expr a, expr b)
  | "max", [a; b] -> Binary (Max, expr a, expr b)
  | "mul", [a; b] -> Mul (expr a, expr b)
  | "prod", [a; b] -> Prod (expr a, expr b)
  | "gather", [i; a; b] -> Gather (number i, expr a, expr b)
  | "red+", [i; e] -> Red (Sum, number i, expr e)
  | "red*", [i; e] -> Red (Product, number i, expr e)
  | "redmin", [i; e] -> Red (Minimum, number i, expr e)
  | "redmax", [i; e] -> Red (Maximum, number i, expr e)
  | "contr", [i; j; e] -> contr (number i) (number j) (expr e)
  | "transp", [i; j; e] -> Transp (number i, number j, expr e)
  | "diag", [i; j; e] -> Diag (number i, number j, expr e)
  | "expa", [i; n; e] -> Expa (number i, number n, expr e)
  | "proj", [i; m; e] -> Proj (number i, number m, expr e)
  | "shift", [i; o; n; e] -> Shift (number i, number o, number n, expr e)
  | "window", [i; n; e] -> Window (number i, number n, expr e)
  | "stride", [i; s; e] -> Stride (number i, number s, expr e)
  | "flip", [i; e] -> Flip (number i, expr e)
  | "pad", [i; l; h; e] -> Pad (number i, number l, number h, expr e)
  | "clamp", [i; l; h; e] -> Remap (number i, Clamped (number l, number h), expr e)
  | "mirror", [i; l; h; e] -> Remap (number i, Mirrored (number l, number h), expr e)
  | "wrap", [i; l; h; e] -> Remap (number i, Wrapped (number l, number h), expr e)
  | "step", [i; d; n; e] -> Remap (number i, Stepped (number d, number n), expr e)
  | "repeat", [i; s; e] -> Remap (number i, Repeated (number s), expr e)
  | "replace", [i; o; s; a; b] -> Replace (number i, number o, number s, expr a, expr b)
  | "fold", f :: c :: starts :: i :: e :: es ->
      let f = number f in
      reduce (first_fold + f) (first_fold + number c) (if number starts = 0 then None else Some (first_fold + f))
        (number i) (expr e) (List.map expr es)
  | "iota", [n] -> Iota (number n)
  | "size", [n] -> Const (number n)
  | "mod", [a; b] | "lt", [a; b] | "le", [a; b] | "gt", [a; b] | "ge", [a; b] | "eq", [a; b] | "ne", [a; b]
  | "and", [a; b] | "or", [a; b] | "bitand", [a; b] | "bitor", [a; b] | "bitxor", [a; b] | "shl", [a; b] | "shr", [a; b] ->
      Binary (Function2 (number_of_function functions2 op), expr a, expr b)
  | "not", [e] | "abs", [e] | "bitnot", [e] | "popcount", [e] | "clz", [e] | "bool", [e] | "int8", [e] | "int16", [e] | "int32", [e] | "int64", [e]
  | "uint8", [e] | "uint16", [e] | "uint32", [e] | "uint64", [e]
  | "float16", [e] | "bfloat16", [e] | "float32", [e] | "float64", [e] ->
      Unary (Function (number_of_function functions1 op), expr e)
  | "select", [c; a; b] -> apply (number_of_function functions1 op) (expr c) [expr a; expr b]
  | _ -> raise (Malformed ("the operation " ^ op))

let printed_shape prefix shape = String.concat " " (prefix :: List.map string_of_int shape)

let run items =
  literals := [];
  let allocs = ref [] and fills = Hashtbl.create 8 and stmts = ref [] and folds = ref [] in
  List.iter (function
    | List (Atom "alloc" :: name :: dims) ->
        allocs := { allocated = number name; extent = List.map number dims } :: !allocs
    | List (Atom "fill" :: name :: values) ->
        let value = function Atom text -> N.parse text | List _ -> raise (Malformed "a value is expected") in
        Hashtbl.replace fills (number name) (Array.of_list (List.map value values))
    | List [Atom "fold"; k; List (Atom "all" :: bodies); List (Atom "all" :: starts)] ->
        folds := ({ arity = number k; bodies = List.map expr bodies }, List.map expr starts) :: !folds
    | List [Atom "assign"; name; e] -> stmts := Assign (number name, expr e) :: !stmts
    | _ -> raise (Malformed "alloc, fill or assign is expected")) items;
  let program = { allocs = List.rev !allocs; stmts = List.rev !stmts } in
  let context = context_of program.allocs in
  let numbers = domain (Array.of_list (List.rev !literals)) in
  let folds = List.rev !folds in
  let start e =
    match Teil.value numbers (fun _ -> None) (fun _ -> None) e [] with Some x -> x | None -> raise (Malformed "a fold starts with numbers") in
  let domain = with_operators numbers first_fold (List.map fst folds) (List.map (fun (_, l) -> List.map start l) folds) in
  let leaf x = Obj.repr (Leaf x) in
  let element x = match components numbers (Obj.obj x) with [x] -> x | _ -> raise (Malformed "a tuple is no number") in
  let ok = check program in
  print_endline (if ok then "ok" else "ill-typed");
  List.iter (fun (Assign (_, e)) ->
    print_endline (match type0 context e with Some s -> printed_shape "type" s | None -> "no type")) program.stmts;
  if ok then begin
    let fill name index =
      let shape = match context name with Some s -> s | None -> raise (Malformed "fill") in
      leaf (wrap (Number (Hashtbl.find fills name).(List.fold_left2 (fun place j n -> place * n + j - 1) 0 index shape))) in
    match evaluate domain context (memory_of program.allocs fill) program.stmts with
    | None -> print_endline "stuck"
    | Some memory ->
        List.iter (fun a ->
          let tensor = match memory a.allocated with Some t -> t | None -> fun _ -> None in
          let value k = match tensor k with Some x -> N.print (number_of (unwrap (element x))) | None -> "undefined" in
          print_endline (String.concat " " ("values" :: string_of_int a.allocated :: List.map value (indices a.extent))))
          program.allocs
  end;
  print_endline "end"

let rec all () =
  match read stdin with
  | Some (List (Atom "program" :: items)) -> run items; all ()
  | Some _ -> raise (Malformed "a program is expected")
  | None -> ()

let () = all ()
