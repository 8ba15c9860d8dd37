package petrichor.bench;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import petrichor.kv.WriteBatch;
import petrichor.transactions.rows.TableLayout;

/**
 * What the records of the change feed add to a durable commit: a bare committer that writes the
 * rows of commits, with and without them. The records cannot be switched off in the product.
 */
public final class FeedRecords {
    /** One, so that a step is one commit: with more clients, several commits share a record. */
    private static final int CLIENTS = 1;

    private static final String WITH = "with records";
    private static final String WITHOUT = "without records";

    /** The key of a record in some database. */
    private static final byte[] FORM = new TableLayout(0).changeKey(0, 0);

    /** After the area and the number of the database: which rows these are. */
    private static final int KIND_AT = 1 + Integer.BYTES;

    private FeedRecords() {}

    /**
     * @param target minimum of the ratio of both rates
     */
    public static void measure(
            Report report, int rounds, Duration length, double target, Progress progress)
            throws Exception {
        try (TemporaryFolder folder = new TemporaryFolder()) {
            List<List<WriteBatch.Op>> with = DurableCommits.capture(folder);
            List<List<WriteBatch.Op>> without =
                    with.stream()
                            .map(ops -> ops.stream().filter(op -> !isRecord(op)).toList())
                            .toList();
            long records =
                    with.stream().flatMap(List::stream).filter(FeedRecords::isRecord).count();
            if (records < with.size()) {
                throw new IllegalStateException(
                        with.size() + " commits had only " + records + " records of the feed");
            }
            report.note(
                    "bytes per commit with records of the feed: "
                            + bytes(with)
                            + ", without: "
                            + bytes(without));
            try (BareCommitter one =
                            new BareCommitter(folder.path("with"), DurableCommits.tables(with));
                    BareCommitter other =
                            new BareCommitter(
                                    folder.path("without"), DurableCommits.tables(with))) {
                report.add(
                        new Contest(
                                        "rows of commits, written with the records of the feed",
                                        WITH,
                                        List.of(
                                                new Contender(WITHOUT, l -> run(other, without, l)),
                                                new Contender(WITH, l -> run(one, with, l))),
                                        Map.of(WITHOUT, target))
                                .run(rounds, length, progress));
            }
        }
    }

    private static boolean isRecord(WriteBatch.Op op) {
        return op instanceof WriteBatch.Put put
                && put.table().equals(TableLayout.META)
                && put.key().length == FORM.length
                && put.key()[0] == FORM[0]
                && put.key()[KIND_AT] == FORM[KIND_AT];
    }

    private static long bytes(List<List<WriteBatch.Op>> commits) {
        long bytes = 0;
        for (List<WriteBatch.Op> ops : commits) {
            for (WriteBatch.Op op : ops) {
                if (op instanceof WriteBatch.Put put) {
                    bytes +=
                            put.table().getBytes(StandardCharsets.UTF_8).length
                                    + put.key().length
                                    + put.value().length;
                }
            }
        }
        return bytes / commits.size();
    }

    private static Sample run(
            BareCommitter committer, List<List<WriteBatch.Op>> commits, Duration length)
            throws Exception {
        SplittableRandom[] random = new SplittableRandom[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            random[i] = new SplittableRandom(i);
        }
        return ClosedLoop.run(
                CLIENTS,
                length,
                (client, _) ->
                        committer.commit(commits.get(random[client].nextInt(commits.size()))));
    }
}
