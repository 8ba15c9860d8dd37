package petrichor.kv.ranges;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyRange;
import petrichor.kv.ranges.PartitionContents.StoredRangeDelete;
import petrichor.kv.ranges.PartitionContents.StoredRow;

/**
 * Copies a sealed partition to its replacements, in steps. A step reads a page, writes it in
 * requests of at most {@link PartitionedRows#writeBytesMax()}, regardless of the sizes of rows, and
 * then records the progress in the sealed partition: any process can resume there, and repeating a
 * step changes nothing. Thread-safe.
 *
 * <p>Page sizes follow the average row size of the previous page, which does not predict the next
 * one. So a page that the store cannot return is read again with fewer rows, and a request that the
 * store refuses as too large is divided, down to a single row: limits may have been lowered since
 * the store was opened.
 */
final class PartitionCopy {
    private static final int PAGE_ROWS_AT_FIRST = 10;
    private static final int PAGE_ROWS_MAX = 500;

    /** Factor by which a failed page is reduced before it is read again. */
    private static final int PAGE_SHRINK = 8;

    /** Size of a row in a request in addition to its key and value, in bytes. */
    private static final int ROW_OVERHEAD_BYTES = 64;

    private final PartitionedRows rows;

    PartitionCopy(PartitionedRows rows) {
        this.rows = rows;
    }

    void run(SplitPlan plan) {
        long partition = plan.replaced().partition();
        byte @Nullable [] from = rows.copied(partition);
        boolean first = from == null;
        if (from == null) {
            from = plan.replaced().range().from();
        }
        int pageRows = PAGE_ROWS_AT_FIRST;
        while (from != null) {
            PartitionContents page = page(partition, from, first, pageRows);
            for (RangeEntry child : plan.children()) {
                for (PartitionContents request : requests(within(child.range(), page))) {
                    write(child.partition(), request);
                }
            }
            from = page.resumeFrom();
            if (from != null) {
                rows.noteCopied(partition, from);
            }
            first = false;
            pageRows = nextPageRows(page.rows());
        }
    }

    private PartitionContents page(long partition, byte[] from, boolean first, int rowsMax) {
        for (int pageRows = rowsMax; ; pageRows = Math.max(1, pageRows / PAGE_SHRINK)) {
            try {
                return rows.contents(partition, from, first, pageRows);
            } catch (PetrichorException failed) {
                if (pageRows == 1) {
                    throw failed;
                }
            }
        }
    }

    private void write(long child, PartitionContents request) {
        try {
            rows.copy(child, request);
        } catch (PetrichorException refused) {
            int size = request.rows().size();
            if (size < 2 || !mayBeTooLarge(refused)) {
                throw refused;
            }
            write(child, ofRows(request.rows().subList(0, size / 2)));
            write(child, ofRows(request.rows().subList(size / 2, size)));
        }
    }

    private static boolean mayBeTooLarge(PetrichorException refused) {
        return switch (refused.code()) {
            case INVALID_ARGUMENT, FAILED_PRECONDITION, RESOURCE_EXHAUSTED -> true;
            case NOT_FOUND,
                    ALREADY_EXISTS,
                    ABORTED,
                    UNAUTHENTICATED,
                    PERMISSION_DENIED,
                    UNAVAILABLE,
                    DEADLINE_EXCEEDED,
                    UNIMPLEMENTED,
                    INTERNAL ->
                    false;
        };
    }

    /** Sizes pages to about as many bytes as one request may have. */
    private int nextPageRows(List<StoredRow> copied) {
        long bytes = 1;
        for (StoredRow row : copied) {
            bytes += bytes(row);
        }
        return Math.clamp(rows.writeBytesMax() * (long) copied.size() / bytes, 1, PAGE_ROWS_MAX);
    }

    /**
     * Divides the content into requests within the store's limit; rows and deleted ranges never
     * share one.
     */
    private List<PartitionContents> requests(PartitionContents contents) {
        List<PartitionContents> requests = new ArrayList<>();
        List<StoredRangeDelete> deletes = new ArrayList<>();
        long bytes = 0;
        for (StoredRangeDelete delete : contents.rangeDeletes()) {
            long more = bytes(delete);
            if (!deletes.isEmpty() && bytes + more > rows.writeBytesMax()) {
                requests.add(new PartitionContents(List.of(), deletes, null));
                deletes = new ArrayList<>();
                bytes = 0;
            }
            deletes.add(delete);
            bytes += more;
        }
        if (!deletes.isEmpty()) {
            requests.add(new PartitionContents(List.of(), deletes, null));
        }
        List<StoredRow> some = new ArrayList<>();
        bytes = 0;
        for (StoredRow row : contents.rows()) {
            long more = bytes(row);
            if (!some.isEmpty() && bytes + more > rows.writeBytesMax()) {
                requests.add(ofRows(some));
                some = new ArrayList<>();
                bytes = 0;
            }
            some.add(row);
            bytes += more;
        }
        if (!some.isEmpty()) {
            requests.add(ofRows(some));
        }
        return requests;
    }

    private static PartitionContents ofRows(List<StoredRow> rows) {
        return new PartitionContents(rows, List.of(), null);
    }

    static long bytes(StoredRow row) {
        byte[] value = row.value();
        return (long) ROW_OVERHEAD_BYTES + row.key().length + (value == null ? 0 : value.length);
    }

    private static long bytes(StoredRangeDelete delete) {
        byte[] to = delete.range().to();
        return (long) ROW_OVERHEAD_BYTES
                + delete.range().from().length
                + (to == null ? 0 : to.length);
    }

    private static PartitionContents within(KeyRange range, PartitionContents page) {
        List<StoredRangeDelete> deletes = new ArrayList<>();
        for (StoredRangeDelete delete : page.rangeDeletes()) {
            KeyRange shared = PartitionSplit.shared(range, delete.range());
            if (!shared.isEmpty()) {
                deletes.add(new StoredRangeDelete(shared, delete.version()));
            }
        }
        return new PartitionContents(
                page.rows().stream().filter(row -> range.contains(row.key())).toList(),
                deletes,
                null);
    }
}
