package countersign

import (
	"strings"
	"unicode"
)

// recipientOf leaves a text that cannot be read as it is, for the service to judge. "+44 (0) 7400" stays wrong: which
// digits to leave out is not for us to guess.
func recipientOf(written string) string {
	// Inside an address marks that nobody sees may belong to it.
	trimmed := strings.TrimFunc(written, isUnseenOrBlank)
	if strings.Contains(trimmed, "@") {
		return trimmed
	}
	digits := strings.Map(func(written rune) rune {
		letter := inASCII(written)
		if isSeparator(letter) {
			return -1
		}
		return letter
	}, trimmed)
	if len(digits) < 2 || digits[0] != '+' || strings.Trim(digits[1:], "0123456789") != "" {
		return trimmed
	}
	return digits
}

// isSeparator is true for blanks, and for the marks that people put between digits.
func isSeparator(letter rune) bool {
	return isUnseenOrBlank(letter) || isDash(letter) || strings.ContainsRune("()./", letter)
}

func codeOf(written string) string {
	return strings.Map(func(written rune) rune {
		letter := inASCII(written)
		if isUnseenOrBlank(letter) || isDash(letter) {
			return -1
		}
		return letter
	}, written)
}

func isDash(letter rune) bool {
	return letter == '-' || letter >= 0x2010 && letter <= 0x2015
}

// isUnseenOrBlank also finds marks that nobody sees, such as those for the direction of a text, which come along with
// what is copied.
func isUnseenOrBlank(letter rune) bool {
	return unicode.IsSpace(letter) || unicode.Is(unicode.Cf, letter)
}

// inASCII converts digits of other scripts, and full-width characters of input methods.
func inASCII(letter rune) rune {
	switch {
	case letter >= 0xff01 && letter <= 0xff5e:
		return letter - 0xfee0
	// Mathematical digits are five runs of zero to nine, one after the other.
	case letter >= 0x1d7ce && letter <= 0x1d7ff:
		return '0' + (letter-0x1d7ce)%10
	case letter < 0x80 || !unicode.IsDigit(letter):
		return letter
	}
	// In every script the digits are consecutive, beginning with its zero.
	worth := '0'
	for ; worth < '9' && unicode.IsDigit(letter-1); letter-- {
		worth++
	}
	return worth
}
