package offer

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/civil"
	"verdict/internal/exact"
	"verdict/internal/loan"
	"verdict/internal/wire"
)

//go:embed language/*.json
var languageFiles embed.FS

// Language is the catalogue of the texts of one language.
type Language struct {
	Tag   string // such as "en", as in the lang attribute of HTML
	texts map[string]string
}

// languages has the catalogue of each language, by tag. The files are part of the binary and the tests read them, so
// none of them can be malformed.
var languages = func() map[string]*Language {
	all := map[string]*Language{}
	files, err := languageFiles.ReadDir("language")
	if err != nil {
		panic(err)
	}
	for _, file := range files {
		content, err := languageFiles.ReadFile("language/" + file.Name())
		if err != nil {
			panic(err)
		}
		tag := strings.TrimSuffix(file.Name(), ".json")
		document, err := wire.Parse(content)
		if err != nil {
			panic(fmt.Errorf("language %s: %w", tag, err))
		}
		l := &Language{Tag: tag, texts: map[string]string{}}
		for key, text := range document.Members() {
			l.texts[strings.Clone(key)] = strings.Clone(text.Text())
		}
		all[tag] = l
	}
	return all
}()

// DefaultLanguage is the language of a document if none is asked for.
const DefaultLanguage = "en"

// Languages lists the tags of the languages, in order.
func Languages() []string {
	var tags []string
	for tag := range languages {
		tags = append(tags, tag)
	}
	slices.Sort(tags)
	return tags
}

// LanguageOf returns the language with a tag. ok is false if there is none.
func LanguageOf(tag string) (l *Language, ok bool) {
	l, ok = languages[tag]
	return l, ok
}

// Has reports whether the catalogue has a text.
func (l *Language) Has(key string) bool {
	_, ok := l.texts[key]
	return ok
}

// Text returns a text of the catalogue. pairs are names and values: each {name} in the text is replaced by its value.
// Text never returns a text of another language; if the catalogue lacks the key, which the tests exclude, it returns
// the key.
func (l *Language) Text(key string, pairs ...string) string {
	text, ok := l.texts[key]
	if !ok {
		return key
	}
	if len(pairs) == 0 {
		return text
	}
	replaced := make([]string, len(pairs))
	for i, p := range pairs {
		if replaced[i] = p; i%2 == 0 {
			replaced[i] = "{" + p + "}"
		}
	}
	return strings.NewReplacer(replaced...).Replace(text)
}

// Day writes a date, such as 17 November 2026.
func (l *Language) Day(d civil.Day) string {
	year, month, day := d.Date()
	return l.Text("date", "day", strconv.Itoa(day), "month", l.Text("month."+strconv.Itoa(int(month))),
		"year", strconv.Itoa(year))
}

// Months writes a number of months.
func (l *Language) Months(n int) string {
	if n == 1 {
		return l.Text("months.one")
	}
	return l.Text("months.many", "n", strconv.Itoa(n))
}

// Days writes a number of days.
func (l *Language) Days(n int) string {
	if n == 1 {
		return l.Text("days.one")
	}
	return l.Text("days.many", "n", strconv.Itoa(n))
}

// YesNo writes yes or no.
func (l *Language) YesNo(yes bool) string {
	if yes {
		return l.Text("yes")
	}
	return l.Text("no")
}

// APR writes an annual percentage rate. The engine computes no rate above loan.MaxAPR. So if the rate is
// loan.MaxAPR or more, APR writes that it is above loan.MaxAPR, and states no figure that could be wrong.
func (l *Language) APR(hundredths int64) string {
	if hundredths >= loan.MaxAPR {
		return l.Text("apr.above", "apr", Percent(loan.MaxAPR))
	}
	return Percent(hundredths)
}

// Rupees writes an amount in paise with the digits grouped as in India, such as ₹5,00,000.00.
func Rupees(paise int64) string {
	sign := ""
	if paise < 0 {
		sign, paise = "−", -paise
	}
	digits := strconv.FormatInt(paise/exact.PaisePerRupee, 10)
	grouped := digits
	if len(digits) > 3 {
		grouped = digits[len(digits)-3:]
		for digits = digits[:len(digits)-3]; len(digits) > 2; digits = digits[:len(digits)-2] {
			grouped = digits[len(digits)-2:] + "," + grouped
		}
		grouped = digits + "," + grouped
	}
	return fmt.Sprintf("%s₹%s.%02d", sign, grouped, paise%exact.PaisePerRupee)
}

// Percent writes hundredths of a percent with two decimals, such as 16.00 %.
func Percent(hundredths int64) string {
	return fmt.Sprintf("%d.%02d %%", hundredths/100, hundredths%100)
}
