package cli

import (
	"fmt"
	"strings"
)

// completion is the command completion.
type completion struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

func (c *completion) Run(s *session) (err error) {
	commands, flags := s.words()
	all := strings.Join(append(commands, flags...), " ")
	switch c.Shell {
	case "bash":
		_, err = fmt.Fprintf(s.stdout, "complete -o default -W '%s' rostering\n", all)
	case "zsh":
		_, err = fmt.Fprintf(s.stdout, "autoload -Uz bashcompinit && bashcompinit\ncomplete -o default -W '%s' rostering\n", all)
	case "fish":
		_, err = fmt.Fprintf(s.stdout, "complete -c rostering -n __fish_use_subcommand -f -a '%s'\ncomplete -c rostering -a '%s'\n",
			strings.Join(commands, " "), strings.Join(flags, " "))
	}
	return err
}

// words returns the names of all commands and flags.
func (s *session) words() (commands, flags []string) {
	seen := map[string]bool{}
	for _, command := range s.parser.Model.Leaves(true) {
		commands = append(commands, command.Name)
		for _, group := range command.AllFlags(true) {
			for _, flag := range group {
				if name := "--" + flag.Name; !seen[name] {
					seen[name] = true
					flags = append(flags, name)
				}
			}
		}
	}
	return commands, flags
}
