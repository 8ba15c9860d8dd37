package petrichor.jobs.service;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;

/**
 * What somebody wants to be run.
 *
 * @param program name of the class, a {@link petrichor.jobs.local.JobProgram}; null for the one
 *     that the jar's manifest names
 */
public record Submission(@Nullable String program, List<String> arguments) {
    public static final int ARGUMENTS_MAX = 1_000;
    public static final int ARGUMENT_CHARS_MAX = 8_192;

    public Submission {
        arguments = List.copyOf(arguments);
        if (arguments.size() > ARGUMENTS_MAX
                || arguments.stream().anyMatch(one -> one.length() > ARGUMENT_CHARS_MAX)) {
            throw PetrichorException.invalid(
                    "a job takes at most "
                            + ARGUMENTS_MAX
                            + " arguments of "
                            + ARGUMENT_CHARS_MAX
                            + " characters; put the rest into a file and name that");
        }
    }
}
