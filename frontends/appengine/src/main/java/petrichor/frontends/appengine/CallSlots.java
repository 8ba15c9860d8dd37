package petrichor.frontends.appengine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Bounds the concurrent calls of each app, so that one app cannot occupy the server. Further calls
 * wait for their turn until their deadline. Thread-safe.
 */
final class CallSlots {
    /** As on App Engine, whose SDKs send no more. */
    static final int CALLS_PER_APP_MAX = 100;

    /** Calls that wait for one of those; more are refused. */
    static final int WAITING_PER_APP_MAX = 900;

    private final Map<String, App> apps = new ConcurrentHashMap<>();

    /** An app with calls; removed when the last one ends. */
    private static final class App {
        private final Semaphore free = new Semaphore(CALLS_PER_APP_MAX, true);
        private int calls;
    }

    /** The slot of one call. */
    final class Slot implements AutoCloseable {
        private final String project;
        private final App app;
        private boolean taken;

        private Slot(String project, App app) {
            this.project = project;
            this.app = app;
        }

        private void take(Cancellation within) {
            try {
                taken = app.free.tryAcquire(within.remainingNanos(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
            }
            if (!taken) {
                close();
                within.check();
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE, "the server stops; nothing was done, retry later");
            }
        }

        @Override
        public void close() {
            if (taken) {
                app.free.release();
            }
            leave(project);
        }
    }

    /**
     * Waits for a slot. RESOURCE_EXHAUSTED if too many calls wait already, DEADLINE_EXCEEDED if the
     * deadline passes first.
     */
    Slot take(String project, Cancellation within) {
        Slot slot = new Slot(project, enter(project));
        slot.take(within);
        return slot;
    }

    private App enter(String project) {
        return apps.compute(
                project,
                (_, known) -> {
                    App app = known == null ? new App() : known;
                    if (app.calls == CALLS_PER_APP_MAX + WAITING_PER_APP_MAX) {
                        throw PetrichorException.of(
                                ErrorCode.RESOURCE_EXHAUSTED,
                                "the app {project} has {callsMax} API calls under way or waiting;"
                                        + " nothing was done, retry later",
                                "project",
                                project,
                                "callsMax",
                                CALLS_PER_APP_MAX + WAITING_PER_APP_MAX);
                    }
                    app.calls++;
                    return app;
                });
    }

    private void leave(String project) {
        apps.computeIfPresent(
                project,
                (_, app) -> {
                    app.calls--;
                    return app.calls == 0 ? null : app;
                });
    }

    /** Apps with calls. */
    int apps() {
        return apps.size();
    }
}
