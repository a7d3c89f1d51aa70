package source

import "strings"

// Suggest returns the candidate that is most likely meant by a mistyped word, or
// "" when none is near: at most one edit (insertion, deletion, replacement or
// exchange of neighbours) for each three letters, in either letter case. Of several that
// are equally near one that begins with the word is, or else one with the same last letter: words are abbreviated in the middle.
func Suggest(word string, candidates []string) string {
	best, bestDistance := "", 2+2*max(1, len(word)/3)
	for _, candidate := range candidates {
		if candidate == word {
			continue
		}
		d := editDistance(strings.ToLower(word), strings.ToLower(candidate))
		if d >= max(len(word), len(candidate)) {
			continue
		}
		if d *= 2; strings.HasPrefix(strings.ToLower(candidate), strings.ToLower(word)) {
			d--
		} else if !strings.HasSuffix(strings.ToLower(word), strings.ToLower(candidate[len(candidate)-1:])) {
			d++
		}
		if d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// DidYouMean is "; did you mean x?" for the end of a message about a mistyped word, or "" when
// no candidate is near.
func DidYouMean(word string, candidates []string) string {
	if near := Suggest(word, candidates); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// editDistance is the optimal string alignment distance of two words. Words
// longer than any sensible name are not compared.
func editDistance(a, b string) int {
	const longest = 64
	if len(a) > longest || len(b) > longest {
		return longest
	}
	var rows [3][longest + 1]int // the rows i-2, i-1 and i of the usual table
	for j := range len(b) + 1 {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		above, row := &rows[1], &rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], rows[0][j-2]+1)
			}
		}
		rows[0], rows[1] = rows[1], rows[2]
	}
	return rows[1][len(b)]
}
