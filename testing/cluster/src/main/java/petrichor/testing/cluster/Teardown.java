package petrichor.testing.cluster;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Undoes what a run has set up, the newest first: at its end, when it fails, and when the program
 * is terminated. Processes of the run do not end with the program by themselves.
 */
final class Teardown implements AutoCloseable {
    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final Thread hook = new Thread(this::undo, "teardown");
    private boolean over;

    Teardown() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Fails, after the step, if everything else is undone already. */
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
            // the hook runs or has run
        }
    }
}
