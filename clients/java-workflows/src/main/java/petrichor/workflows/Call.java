package petrichor.workflows;

import java.util.Arrays;
import java.util.List;

/**
 * A pipeline and its arguments.
 *
 * @param after steps that must have ended, whose outputs it does not need
 */
public record Call(Class<? extends Pipeline> pipeline, List<?> arguments, List<Future> after) {
    public static Call of(Class<? extends Pipeline> pipeline, Object... arguments) {
        return new Call(pipeline, Arrays.asList(arguments), List.of());
    }

    public Call after(Future... steps) {
        return new Call(pipeline, arguments, List.of(steps));
    }
}
