package petrichor.bench.tuning;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.records.Out;
import petrichor.jobs.records.RecordType;

/**
 * Pages that arrive over one shared link, one after the other, regardless of the number of readers:
 * the thesis' NFS server. One run in one process.
 */
final class PageSource implements Source {
    private static final long serialVersionUID = 1L;

    private final RecordType type;
    private final int pages;
    private final long linkNanos;
    private final byte[] image;

    /** When the link becomes free. */
    private final AtomicLong free = new AtomicLong();

    PageSource(RecordType type, int pages, long linkNanos, int bytes) {
        this(type, pages, linkNanos, new byte[bytes]);
    }

    /**
     * @param image content of every page
     */
    PageSource(RecordType type, int pages, long linkNanos, byte[] image) {
        this.type = type;
        this.pages = pages;
        this.linkNanos = linkNanos;
        this.image = image.clone();
    }

    private record Pages(int from, int to) implements Split {}

    @Override
    public String name() {
        return "file reader";
    }

    @Override
    public RecordType type() {
        return type;
    }

    @Override
    public List<Split> splits(int wanted) {
        List<Split> splits = new ArrayList<>();
        for (int i = 0; i < wanted; i++) {
            splits.add(
                    new Pages(
                            (int) ((long) pages * i / wanted),
                            (int) ((long) pages * (i + 1) / wanted)));
        }
        return splits;
    }

    @Override
    public SplitReader open(Split split) {
        Pages mine = (Pages) split;
        return new SplitReader() {
            private int next = mine.from();

            @Override
            public boolean read(Out out) {
                if (next < mine.to()) {
                    carry();
                    out.record().int64(0, next++).bytes(1, image).emit();
                }
                return next < mine.to();
            }

            @Override
            public String position() {
                return "page " + next;
            }

            @Override
            public void close() {}
        };
    }

    /** Waits until the link has transferred one more page. */
    private void carry() {
        long now = System.nanoTime();
        long until =
                free.updateAndGet(before -> Math.max(before == 0 ? now : before, now) + linkNanos);
        for (long left = until - now; left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
