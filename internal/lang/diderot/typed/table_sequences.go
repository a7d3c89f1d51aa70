package typed

// Sequences and reductions.
var sequenceRows = []*Row{
	{Name: "@", Form: Infix, Signature: "T[], T -> T[]", Means: Joined, Text: "a sequence and one more element"},
	{Name: "@", Form: Infix, Signature: "T, T[] -> T[]", Means: Joined, Text: "an element and a sequence"},
	{Name: "@", Form: Infix, Signature: "T[], T[] -> T[]", Means: Joined, Text: "one sequence behind another"},
	{Name: "length", Form: Named, Signature: "T[] -> int", Means: Length, Text: "the number of elements"},
	{Name: "all", Form: Fold, Signature: "bool -> bool", Means: Folds, With: "all", Text: "whether all are true; of none, true"},
	{Name: "exists", Form: Fold, Signature: "bool -> bool", Means: Folds, With: "exists", Text: "whether one is true; of none, false"},
	{Name: "max", Form: Fold, Signature: "int -> int", Means: Folds, With: "max", Text: "the greatest; of none, the least int"},
	{Name: "max", Form: Fold, Signature: "real -> real", Means: Folds, With: "max", Text: "the greatest; of none, -∞"},
	{Name: "min", Form: Fold, Signature: "int -> int", Means: Folds, With: "min", Text: "the least; of none, the greatest int"},
	{Name: "min", Form: Fold, Signature: "real -> real", Means: Folds, With: "min", Text: "the least; of none, ∞"},
	{Name: "product", Form: Fold, Signature: "int -> int", Means: Folds, With: "product", Text: "the product; of none, 1"},
	{Name: "product", Form: Fold, Signature: "real -> real", Means: Folds, With: "product", Text: "the product; of none, 1"},
	{Name: "sum", Form: Fold, Signature: "int -> int", Means: Folds, With: "sum", Text: "the sum; of none, 0"},
	{Name: "sum", Form: Fold, Signature: "real -> real", Means: Folds, With: "sum", Text: "the sum; of none, 0"},
	{Name: "mean", Form: Fold, Signature: "real -> real", Means: Folds, With: "mean", Text: "the mean; of none, nan"},
	{Name: "variance", Form: Fold, Signature: "real -> real", Means: Folds, With: "variance", Text: "the mean of the squares of the distances from the mean; of none, nan"},
}

// Strands that see each other.
var strandRows = []*Row{
	{Name: "sphere", Form: Named, Signature: "real -> S[]", Means: Query, Text: "the other strands that are nearer to pos than a radius"},
	{Name: "sphere", Form: Named, Signature: "tensor[n], real -> S[]", Means: Query, Text: "the other strands that are nearer to a place than a radius"},
	{Name: "numActive", Form: Named, Signature: "-> int", Means: Count, With: "active", Text: "the number of strands that are active"},
	{Name: "numStable", Form: Named, Signature: "-> int", Means: Count, With: "stable", Text: "the number of strands that are stable"},
	{Name: "numStrands", Form: Named, Signature: "-> int", Means: Count, With: "all", Text: "the number of strands that are active or stable"},
}
