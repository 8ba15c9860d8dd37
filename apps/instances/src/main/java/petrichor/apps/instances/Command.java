package petrichor.apps.instances;

import java.util.List;
import petrichor.base.PetrichorException;

/** The command that starts an app in its code folder. */
public sealed interface Command {
    /** The program and its arguments. */
    List<String> arguments();

    /** A program with arguments, without a shell. */
    record Program(List<String> arguments) implements Command {
        public Program {
            arguments = List.copyOf(arguments);
            if (arguments.isEmpty() || arguments.getFirst().isEmpty()) {
                throw PetrichorException.invalid("the command of an instance is empty");
            }
            if (arguments.stream().anyMatch(each -> each.indexOf('\0') >= 0)) {
                throw PetrichorException.invalid("the command of an instance contains a NUL");
            }
        }
    }

    /** A line for the shell, such as the {@code entrypoint} of app.yaml; {@code $PORT} is set. */
    record ShellLine(String line) implements Command {
        public ShellLine {
            if (line.isBlank() || line.indexOf('\0') >= 0) {
                throw PetrichorException.invalid(
                        "the entrypoint of an instance is empty or contains a NUL");
            }
        }

        @Override
        public List<String> arguments() {
            return List.of("/bin/sh", "-c", line);
        }
    }
}
