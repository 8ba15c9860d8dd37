package petrichor.analytics.worker;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import petrichor.analytics.SegmentSource;
import petrichor.analytics.Wire;
import petrichor.sql.entities.PropertyType;

/** Loads that wait for their streams of rows, by id. Thread-safe. */
final class Loads {
    /** How long a load waits for a stream to connect. */
    private static final long STREAM_WAIT_S = 60;

    private final Map<String, Load> loads = new ConcurrentHashMap<>();

    /** Throws if a load must end. */
    interface Check {
        void run() throws SQLException;
    }

    /** Rows of one table or kind, in one or more streams. */
    static final class Load implements AutoCloseable {
        final SegmentSource source;
        final Check check;

        /** Types that the columns of a kind need beside their own. */
        final Map<String, PropertyType> misfits = new ConcurrentHashMap<>();

        final AtomicLong rows = new AtomicLong();
        private final LinkedBlockingQueue<Wire> streams = new LinkedBlockingQueue<>();
        private final AtomicInteger unclaimed;
        private volatile boolean closed;

        /**
         * @param check throws if the load must end; called for each block
         */
        Load(SegmentSource source, int parts, Check check) {
            this.source = source;
            this.unclaimed = new AtomicInteger(parts);
            this.check = check;
        }

        /** A stream that no other thread reads; null if all have been claimed. */
        @Nullable Wire claim() throws IOException, InterruptedException {
            if (closed || unclaimed.getAndDecrement() <= 0) {
                return null;
            }
            Wire stream = streams.poll(STREAM_WAIT_S, TimeUnit.SECONDS);
            if (stream == null) {
                throw new IOException("the rows did not arrive");
            }
            return stream;
        }

        int parts() {
            return Math.max(1, unclaimed.get());
        }

        @Override
        public void close() {
            closed = true;
            for (Wire rest = streams.poll(); rest != null; rest = streams.poll()) {
                rest.close();
            }
        }
    }

    void expect(String id, Load load) {
        loads.put(id, load);
    }

    Load find(String id) {
        Load load = loads.get(id);
        if (load == null) {
            throw new IllegalArgumentException("no such stream of rows");
        }
        return load;
    }

    void ended(String id) {
        Load load = loads.remove(id);
        if (load != null) {
            load.close();
        }
    }

    void arrived(String id, Wire stream) {
        Load load = loads.get(id);
        if (load == null) {
            stream.close();
            return;
        }
        load.streams.add(stream);
        if (load.closed) {
            load.close();
        }
    }
}
