package petrichor.jobs.engine.memory;

import java.util.List;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.KeyOrder;
import petrichor.jobs.records.KeyPrefix;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.RecordView;

/**
 * K-way merge of sorted streams by a loser tree: the next winner costs one comparison per level,
 * mostly of key prefixes. Belongs to one thread.
 */
public final class MergingStream implements RecordStream {
    private final RecordStream[] streams;
    private final KeyOrder order;
    private final KeyPrefix prefix;

    /** The head record of each stream, in a view of its own; null where the stream has ended. */
    private final @Nullable RecordView[] heads;

    private final long[] prefixes;

    /** losers[0] is the winner; losers[i] lost the match at node i. */
    private final int[] losers;

    private boolean started;

    public MergingStream(List<RecordStream> streams, Key key, RecordType type) {
        this.streams = streams.toArray(new RecordStream[0]);
        this.order = KeyOrder.of(key, type);
        this.prefix = KeyPrefix.of(key, type);
        this.heads = new RecordView[this.streams.length];
        this.prefixes = new long[heads.length];
        this.losers = new int[Math.max(1, heads.length)];
    }

    @Override
    public @Nullable RecordView next() {
        if (streams.length == 0) {
            return null;
        }
        if (started) {
            advance(losers[0]);
            replay(losers[0]);
        } else {
            started = true;
            for (int i = 0; i < streams.length; i++) {
                advance(i);
            }
            losers[0] = streams.length == 1 ? 0 : winner(1);
        }
        return heads[losers[0]];
    }

    private void advance(int stream) {
        RecordView record = streams[stream].next();
        heads[stream] = record;
        if (record != null) {
            prefixes[stream] = prefix.of(record);
        }
    }

    /** Plays the matches below a node; leaves are the nodes from the number of streams on. */
    private int winner(int node) {
        if (node >= streams.length) {
            return node - streams.length;
        }
        int left = winner(2 * node);
        int right = winner(2 * node + 1);
        boolean leftWins = before(left, right);
        losers[node] = leftWins ? right : left;
        return leftWins ? left : right;
    }

    private void replay(int changed) {
        int winner = changed;
        for (int node = (changed + streams.length) >>> 1; node > 0; node >>>= 1) {
            if (before(losers[node], winner)) {
                int loser = winner;
                winner = losers[node];
                losers[node] = loser;
            }
        }
        losers[0] = winner;
    }

    private boolean before(int a, int b) {
        RecordView left = heads[a];
        RecordView right = heads[b];
        if (left == null || right == null) {
            return right == null && (left != null || a < b);
        }
        int prefixes = Long.compareUnsigned(this.prefixes[a], this.prefixes[b]);
        if (prefixes == 0 && !prefix.decides(this.prefixes[a])) {
            prefixes = order.compare(left, right);
        }
        return prefixes < 0 || (prefixes == 0 && a < b);
    }

    @Override
    public void close() {
        for (RecordStream stream : streams) {
            stream.close();
        }
    }
}
