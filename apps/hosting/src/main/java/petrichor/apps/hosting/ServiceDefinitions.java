package petrichor.apps.hosting;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The services that App Engine's files of an app configure, such as {@code queue.yaml}. They are
 * above the apps' layer. Thread-safe; calls block.
 */
public interface ServiceDefinitions {
    /** Names of the files that {@link #check} takes. */
    Set<String> files();

    /**
     * Reads files and compares them with what the project has, without a change. INVALID_ARGUMENT,
     * with file and line, or FAILED_PRECONDITION if they cannot be applied.
     *
     * @param texts by the name of the file
     */
    Checked check(String project, Map<String, String> texts);

    /** Files that can be applied. */
    interface Checked {
        /** Names of the queues of {@code queue.yaml}; empty if the file is not among them. */
        Optional<List<String>> queues();

        /**
         * Applies the files. May be called again after a failure.
         *
         * @param former names of the queues of the app's former {@code queue.yaml}
         */
        List<AppliedFile> apply(List<String> former);
    }
}
