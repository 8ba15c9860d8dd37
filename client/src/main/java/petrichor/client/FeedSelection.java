package petrichor.client;

import java.util.Optional;

/**
 * What to read of a change feed.
 *
 * @param from a position, a time such as 2026-11-28T05:00:00Z, "oldest" or "newest"
 * @param consumer continues after its stored position, and is created at {@code from}
 * @param kind only entities of this kind
 * @param namespace only entities in this namespace; "" is the default one
 * @param follow whether to wait for further commits
 */
public record FeedSelection(
        String from,
        Optional<String> consumer,
        Optional<String> kind,
        Optional<String> namespace,
        boolean follow) {
    public static final String OLDEST = "oldest";
    public static final String NEWEST = "newest";

    /** Everything after a position, and every later commit. */
    public static FeedSelection from(String position) {
        return new FeedSelection(
                position, Optional.empty(), Optional.empty(), Optional.empty(), true);
    }

    public FeedSelection withConsumer(String name) {
        return new FeedSelection(from, Optional.of(name), kind, namespace, follow);
    }

    public FeedSelection withKind(String name) {
        return new FeedSelection(from, consumer, Optional.of(name), namespace, follow);
    }

    public FeedSelection withNamespace(String name) {
        return new FeedSelection(from, consumer, kind, Optional.of(name), follow);
    }

    /** Ends at the newest commit. */
    public FeedSelection withoutFollowing() {
        return new FeedSelection(from, consumer, kind, namespace, false);
    }
}
