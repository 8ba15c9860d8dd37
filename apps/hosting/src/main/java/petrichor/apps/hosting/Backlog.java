package petrichor.apps.hosting;

import petrichor.apps.router.table.VersionName;

/** Work that waits outside of the router. Thread-safe; does not block. */
@FunctionalInterface
public interface Backlog {
    /** Tasks of queues that are due and wait for this version. */
    int tasks(VersionName version);
}
