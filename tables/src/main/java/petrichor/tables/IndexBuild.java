package petrichor.tables;

/**
 * The stored progress of an index build, by which any server continues it.
 *
 * @param builder identifies the process that builds; another one takes over if the progress stands
 *     still
 * @param rows that have been read
 * @param attempts steps that were tried: it changes with each one
 * @param position the last row that has its entry; empty at the start
 */
public record IndexBuild(
        int table, int index, long builder, long rows, long attempts, byte[] position) {
    private static final int FORMAT = 1;

    static IndexBuild start(int table, int index, long builder) {
        return new IndexBuild(table, index, builder, 0, 0, new byte[0]);
    }

    IndexBuild by(long newBuilder) {
        return new IndexBuild(table, index, newBuilder, rows, attempts + 1, position);
    }

    IndexBuild after(long moreRows, byte[] last) {
        return new IndexBuild(table, index, builder, rows + moreRows, attempts + 1, last);
    }

    byte[] encode() {
        return new ValueWriter(64)
                .put(FORMAT)
                .putNumber(table)
                .putNumber(index)
                .putSigned(builder)
                .putNumber(rows)
                .putNumber(attempts)
                .putBytes(position)
                .toBytes();
    }

    static IndexBuild decode(byte[] bytes) {
        ValueReader in = new ValueReader(bytes);
        int format = in.take();
        if (format != FORMAT) {
            throw in.damaged("the progress of an index build has format " + format);
        }
        return new IndexBuild(
                in.takeInt(),
                in.takeInt(),
                in.takeSigned(),
                in.takeNumber(),
                in.takeNumber(),
                in.takeBytes());
    }
}
