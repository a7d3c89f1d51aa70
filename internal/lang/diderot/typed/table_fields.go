package typed

// What makes and takes images and fields. k-1 of a smooth field is smooth; that of continuity 0 is an error.
var fieldRows = []*Row{
	{Name: "⊛", Form: Infix, Signature: "image(n)[σ], kernel#k -> field#k(n)[σ]", Means: Convolve, Text: "the field that a kernel reconstructs from the samples of an image"},
	{Name: "⊛", Form: Infix, Signature: "kernel#k, image(n)[σ] -> field#k(n)[σ]", Means: Convolve, Swap: true, Text: "the same"},
	{Name: "∘", Form: Infix, Signature: "field#k(n)[σ], field#l(m)[n] -> field#k∧l(m)[σ]", Means: Compose, Text: "composition: (F ∘ G)(x) is F(G(x))"},
	{Name: "∇", Form: Prefix, Signature: "field#k(n)[] -> field#k-1(n)[n]", Means: Generic, With: "∇", Text: "gradient; over a line the derivative"},
	{Name: "∇⊗", Form: Prefix, Signature: "field#k(n)[σ,d] -> field#k-1(n)[σ,d,n]", Means: Generic, With: "∇⊗", Text: "derivatives along all axes; the axis of the derivative is the last"},
	{Name: "∇•", Form: Prefix, Signature: "field#k(n)[σ,n] -> field#k-1(n)[σ]", Means: Generic, With: "∇•", Text: "divergence"},
	{Name: "∇×", Form: Prefix, Signature: "field#k(2)[2] -> field#k-1(2)[]", Means: Generic, With: "∇×", Text: "curl in the plane"},
	{Name: "∇×", Form: Prefix, Signature: "field#k(3)[3] -> field#k-1(3)[3]", Means: Generic, With: "∇×", Text: "curl"},
	{Name: "inside", Form: Named, Signature: "tensor[n], field#k(n)[σ] -> bool", Means: Inside, Text: "whether the field can be probed there"},
	{Name: "size", Form: Named, Signature: "image(n)[σ] -> int[n]", Means: Sizes, Text: "the sizes of the axes, the fastest first"},
	{Name: "clamp", Form: Named, Signature: "image(n)[σ] -> image(n)[σ]", Means: Border, With: "clamp", Text: "beyond the border, the nearest sample"},
	{Name: "mirror", Form: Named, Signature: "image(n)[σ] -> image(n)[σ]", Means: Border, With: "mirror", Text: "beyond the border, the mirror image"},
	{Name: "wrap", Form: Named, Signature: "image(n)[σ] -> image(n)[σ]", Means: Border, With: "wrap", Text: "beyond the border, the other end"},
	{Name: "border", Form: Named, Signature: "image(n)[σ], tensor[σ] -> image(n)[σ]", Means: Border, With: "constant", Text: "beyond the border, one value"},
}
