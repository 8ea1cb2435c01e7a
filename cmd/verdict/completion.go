package main

import (
	"fmt"
	"strings"
)

const completionHelp = `Print the completions of commands, subcommands and flags for a shell:

  source <(verdict completion bash)
  source <(verdict completion zsh)
  verdict completion fish | source

These three are for the present shell. To keep the completions:

  verdict completion bash > ~/.local/share/bash-completion/completions/verdict
  verdict completion zsh  > "${fpath[1]}/_verdict"
  verdict completion fish > ~/.config/fish/completions/verdict.fish

The folder of the file must exist. For bash the package bash-completion must be
installed; /etc/bash_completion.d is the folder for all users. zsh must have run
compinit. The Debian package of Verdict installs all three.
`

func completionCommand(c *command) int {
	return c.subcommand(completionHelp, verbs{
		"bash": func(c *command) int { return printCompletion(c, bashCompletion) },
		"zsh":  func(c *command) int { return printCompletion(c, zshCompletion) },
		"fish": func(c *command) int { return printCompletion(c, fishCompletion) },
	})
}

func printCompletion(c *command, script func([]description) string) int {
	if code, done := c.parse(c.flags(completionHelp), 0); done {
		return code
	}
	return c.print([]byte(script(describeAll())))
}

// topWords returns the names of all commands.
func topWords(all []description) []string {
	words := []string{"help"}
	for _, d := range all {
		if len(d.path) == 1 {
			words = append(words, d.path[0])
		}
	}
	return words
}

// bashCompletion returns a script that finds the longest command at the
// beginning of the line, and then completes its subcommands or flags.
func bashCompletion(all []description) string {
	var out strings.Builder
	out.WriteString(`# bash completion for verdict, written by "verdict completion bash"

# _verdict_words prints the subcommands (verbs) or the flags of a command.
_verdict_words() {
  case "$1:$2" in
`)
	fmt.Fprintf(&out, "  'verbs:') echo '%s' ;;\n", strings.Join(topWords(all), " "))
	for _, d := range all {
		if len(d.verbs) > 0 {
			fmt.Fprintf(&out, "  'verbs:%s') echo '%s' ;;\n", d.name(), strings.Join(d.verbs, " "))
		}
		var flags []string
		d.eachFlag(func(name, _, _ string) { flags = append(flags, "-"+name) })
		if len(flags) > 0 {
			fmt.Fprintf(&out, "  'flags:%s') echo '%s' ;;\n", d.name(), strings.Join(flags, " "))
		}
	}
	out.WriteString(`  esac
}

_verdict() {
  local current=${COMP_WORDS[COMP_CWORD]} path= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case " $(_verdict_words verbs "$path") " in
    *" ${COMP_WORDS[i]} "*) path="${path:+$path }${COMP_WORDS[i]}" ;;
    *) break ;;
    esac
  done
  local kind=verbs
  case $current in -*) kind=flags ;; esac
  COMPREPLY=($(compgen -W "$(_verdict_words $kind "$path")" -- "$current"))
}
complete -o default -F _verdict verdict
`)
	return out.String()
}

// zshCompletion returns a function for zsh's completion system.
func zshCompletion(all []description) string {
	var out strings.Builder
	out.WriteString(`#compdef verdict
# zsh completion for verdict, written by "verdict completion zsh"

_verdict() {
  local -A verbs flags
`)
	fmt.Fprintf(&out, "  verbs=(\n    '' '%s'\n", strings.Join(topWords(all), " "))
	for _, d := range all {
		if len(d.verbs) > 0 {
			fmt.Fprintf(&out, "    '%s' '%s'\n", d.name(), strings.Join(d.verbs, " "))
		}
	}
	out.WriteString("  )\n  flags=(\n")
	for _, d := range all {
		var flags []string
		d.eachFlag(func(name, _, _ string) { flags = append(flags, "-"+name) })
		if len(flags) > 0 {
			fmt.Fprintf(&out, "    '%s' '%s'\n", d.name(), strings.Join(flags, " "))
		}
	}
	out.WriteString(`  )
  local at= word
  for word in ${words[2,CURRENT-1]}; do
    [[ " $verbs[$at] " == *" $word "* ]] || break
    at="${at:+$at }$word"
  done
  if [[ $words[CURRENT] == -* ]]; then
    compadd -- ${=flags[$at]}
  elif [[ -n $verbs[$at] ]]; then
    compadd -- ${=verbs[$at]}
  else
    _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _verdict "$@"
else
  compdef _verdict verdict
fi
`)
	return out.String()
}

// fishCompletion returns one line for each command and flag, with its meaning.
func fishCompletion(all []description) string {
	var out strings.Builder
	out.WriteString(`# fish completion for verdict, written by "verdict completion fish"

# __verdict_at succeeds if the line begins with exactly these words.
function __verdict_at
    set -l words (commandline -opc)
    set -e words[1]
    set -l path $argv[2..-1]
    set -l n (count $path)
    test (count $words) -ge $n; or return 1
    if test $n -gt 0
        test "$words[1..$n]" = "$path"; or return 1
    end
    test $argv[1] = flags; or test (count $words) -eq $n
end
`)
	line := func(kind string, d description, rest string) {
		condition := strings.TrimSpace("__verdict_at " + kind + " " + d.name())
		fmt.Fprintf(&out, "complete -c verdict -n '%s' %s\n", condition, rest)
	}
	summaries := map[string]string{"help": "print the usage"}
	for _, e := range commandTable() {
		summaries[e.name] = e.forms[0].summary
	}
	for _, word := range topWords(all) {
		line("verbs", description{}, "-f -a "+word+" -d "+fishQuoted(summaries[word]))
	}
	for _, d := range all {
		for _, verb := range d.verbs {
			line("verbs", d, "-f -a "+verb)
		}
		d.eachFlag(func(name, value, usage string) {
			needs := ""
			if value != "" {
				needs = "-r "
			}
			line("flags", d, "-o "+name+" "+needs+"-d "+fishQuoted(firstPart(usage)))
		})
	}
	return out.String()
}

// firstPart returns the text up to the first semicolon or the end of its first
// sentence, which is enough beside a completion.
func firstPart(text string) string {
	text, _, _ = strings.Cut(text, ";")
	text, _, _ = strings.Cut(text, ". ")
	return text
}

func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", " ").Replace(text) + "'"
}
