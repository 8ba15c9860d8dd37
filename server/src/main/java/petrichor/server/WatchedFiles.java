package petrichor.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group of small files, and an action for when they change. They are compared by content: secrets
 * are often mounted through symbolic links that are replaced, which modification times do not show.
 * A change is applied when two consecutive checks have seen the same content, because a certificate
 * and its key are rarely written at the same time. Confined to one thread.
 */
final class WatchedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);

    private final String what;
    private final List<Path> files;
    private final Runnable reload;
    private List<Content> acted;
    private List<Content> seen;

    /** Content of a file; empty if it cannot be read. */
    private record Content(byte[] bytes) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Content content && Arrays.equals(bytes, content.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    /**
     * Records the current content of the files, so it must be created before they are first used.
     *
     * @param what name for the log, such as "certificate"
     * @param reload must throw and change nothing if the content is invalid
     */
    WatchedFiles(String what, List<Path> files, Runnable reload) {
        this.what = what;
        this.files = List.copyOf(files);
        this.reload = reload;
        this.acted = contents();
        this.seen = acted;
    }

    private List<Content> contents() {
        return files.stream().map(WatchedFiles::content).toList();
    }

    private static Content content(Path file) {
        try {
            return new Content(Files.readAllBytes(file));
        } catch (IOException unreadable) {
            return new Content(new byte[0]);
        }
    }

    /** Checks the files and applies a complete change. */
    void poll() {
        List<Content> now = contents();
        boolean settled = now.equals(seen);
        seen = now;
        if (!settled || now.equals(acted)) {
            return;
        }
        acted = now;
        try {
            reload.run();
            LOG.info("reloaded the {} from {}", what, names());
        } catch (RuntimeException unusable) {
            LOG.warn(
                    "the changed {} in {} cannot be used; keeping the previous content: {}",
                    what,
                    names(),
                    Objects.requireNonNullElse(unusable.getMessage(), ""));
        }
    }

    private String names() {
        return String.join(", ", files.stream().map(Path::toString).toList());
    }
}
