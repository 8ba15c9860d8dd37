package petrichor.jobs.engine;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * The call of {@code System.exit} that is ending this process, found by a shutdown hook from the
 * stacks of all threads. A process ended by a signal has none.
 *
 * @param thread the caller, which is blocked in that call
 * @param place the code that called it
 */
public record ExitCall(Thread thread, String place) {
    /** Empty unless code is ending this process. */
    public static Optional<ExitCall> find() {
        for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
            Optional<ExitCall> found = in(each.getKey(), each.getValue());
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Whether this thread made the call, and so will not return from it. */
    public static boolean isIn(Thread thread) {
        return in(thread, thread.getStackTrace()).isPresent();
    }

    private static Optional<ExitCall> in(Thread thread, StackTraceElement[] stack) {
        // Other threads that call it meanwhile wait for a lock before the hooks run.
        boolean runsHooks =
                Arrays.stream(stack)
                        .anyMatch(
                                frame ->
                                        frame.getClassName()
                                                .equals("java.lang.ApplicationShutdownHooks"));
        int exit = -1;
        for (int i = 0; i < stack.length; i++) {
            String name = stack[i].getClassName() + "." + stack[i].getMethodName();
            if (name.equals("java.lang.Runtime.exit") || name.equals("java.lang.System.exit")) {
                exit = i;
            }
        }
        return !runsHooks || exit < 0
                ? Optional.empty()
                : Optional.of(
                        new ExitCall(
                                thread,
                                exit + 1 < stack.length
                                        ? stack[exit + 1].toString()
                                        : "thread " + thread.getName()));
    }
}
