package petrichor.kv.ranges;

import java.util.ArrayList;
import java.util.List;
import petrichor.kv.KeyRange;
import petrichor.kv.WriteBatch;

/** Divides changes into requests of limited size. */
final class Requests {
    private static final int CHANGES_MAX = 1_000;

    private Requests() {}

    /** Keeps their order; a change larger than the limit is sent in its own request. */
    static List<List<WriteBatch.Op>> of(List<WriteBatch.Op> ops, long bytesMax) {
        List<List<WriteBatch.Op>> requests = new ArrayList<>();
        List<WriteBatch.Op> request = new ArrayList<>();
        long bytes = 0;
        for (WriteBatch.Op op : LastChanges.of(ops)) {
            long more = bytes(op);
            boolean full = bytes + more > bytesMax || request.size() == CHANGES_MAX;
            if (full && !request.isEmpty()) {
                requests.add(request);
                request = new ArrayList<>();
                bytes = 0;
            }
            request.add(op);
            bytes += more;
        }
        if (!request.isEmpty()) {
            requests.add(request);
        }
        return requests;
    }

    static long bytes(WriteBatch.Op op) {
        return switch (op) {
            case WriteBatch.Put put -> put.key().length + put.value().length;
            case WriteBatch.Delete delete -> delete.key().length;
            case WriteBatch.DeleteRange(_, KeyRange range) -> {
                byte[] to = range.to();
                yield range.from().length + (to == null ? 0 : to.length);
            }
        };
    }
}
