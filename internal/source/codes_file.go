package source

// The codes of files.
const (
	CodeNotText   Code = "E0801"
	CodeExtension Code = "E0802"
)

var fileCodes = []CodeInfo{
	{
		Code:  CodeNotText,
		Title: "A file is not a text",
		Explanation: "Programs are texts in UTF-8. This file has bytes of value 0, is in UTF-16, or a tenth of it and more is control characters " +
			"or no UTF-8: probably it is an array, a picture or a compiled program.",
		Fix: "ricci run blur.tc -i image=photo.png    # the program first, arrays behind -i\niconv -f UTF-16 -t UTF-8 old.tc > new.tc  # a text in UTF-16",
	},
	{
		Code:  CodeExtension,
		Title: "No notation has files of this name",
		Explanation: "The extension of a file says in which notation its program is written: .tc for Tensor Comprehensions, .mdh, .teil and .teml. " +
			"Ricci does not guess. A program from the standard input is called -, and its notation is given by --notation: mdh, for instance, and tc where nothing is said.",
		Fix: "mv program.txt program.tc\nricci check - --notation mdh < program.txt",
	},
}
