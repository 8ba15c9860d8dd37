package petrichor.testing.cluster;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Undoes the setup of a run in reverse order: at its end, when it fails, and when the program is
 * terminated, because the run's processes do not end with the program.
 */
final class Teardown implements AutoCloseable {
    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final Thread hook = new Thread(this::undo, "teardown");
    private boolean over;

    Teardown() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** If everything is already undone, undoes the step immediately and fails. */
    synchronized void add(Runnable step) {
        if (over) {
            step.run();
            throw new IllegalStateException("the run was terminated");
        }
        steps.push(step);
    }

    private synchronized void undo() {
        over = true;
        RuntimeException first = null;
        while (!steps.isEmpty()) {
            try {
                steps.pop().run();
            } catch (RuntimeException failed) {
                first = first == null ? failed : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public void close() {
        undo();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException terminated) {
            // the shutdown hook is running or has run
        }
    }
}
