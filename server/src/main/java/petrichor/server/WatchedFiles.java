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
 * Small files that belong together, and what is to be done when they change. They are compared by
 * content, because secrets are often mounted through symbolic links that are replaced, which no
 * time of modification shows. A change is acted upon when two looks in a row have seen the same
 * content: a certificate and its key are rarely written at once. Belongs to one thread.
 */
final class WatchedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);

    private final String what;
    private final List<Path> files;
    private final Runnable reload;
    private List<Content> acted;
    private List<Content> seen;

    /** What a file holds; empty if it cannot be read. */
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
     * Notes what the files hold now, so that it must be made before they are first used.
     *
     * @param what for the log: "certificate"
     * @param reload throws where the content cannot be used, and then changes nothing
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

    /** Acts on a change that is complete. */
    void look() {
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
