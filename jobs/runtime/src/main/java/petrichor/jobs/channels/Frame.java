package petrichor.jobs.channels;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.compression.DrainReport;

/**
 * One message on a connection, in a file or in another runtime's stream: a header of 16 bytes, then
 * its content.
 *
 * <pre>
 * byte 0        type
 *      1 … 3    zero
 *      4 … 7    length of what follows, little-endian
 *      8 … 15   channel
 * </pre>
 *
 * @param type the kind of message
 * @param length of the content, in bytes
 * @param channel the channel's number
 */
record Frame(Type type, int length, long channel) {
    static final int HEADER_BYTES = 16;
    static final int REASON_BYTES_MAX = 4096;
    private static final int CREDIT_BYTES = 8 * 10;

    /** The types, by their number on the wire. */
    enum Type {
        /** From the writer: attaches it and requests credits. */
        OPEN(0, 0, 0),
        /** From the writer: a {@link BlockHeader} and stored bytes. */
        BLOCK(1, BlockHeader.BYTES + 1, BlockHeader.BYTES + Block.FRAME_BYTES_MAX),
        /** From the writer: end of the stream, with the number of blocks. */
        END(2, Long.BYTES, Long.BYTES),
        /** From the writer: the stream has failed, with the reason. */
        FAIL(3, 0, REASON_BYTES_MAX),
        /**
         * From the reader: how many blocks the writer may have sent in total, and a {@link
         * DrainReport}.
         */
        CREDIT(4, CREDIT_BYTES, CREDIT_BYTES),
        /** From the reader: it wants no more (early termination). */
        ENOUGH(5, 0, 0),
        /** Keeps the connection alive. */
        PING(6, 0, 0);

        /** In the order of their codes. */
        private static final List<Type> ALL = List.of(values());

        private final int code;

        private final int lengthMin;
        private final int lengthMax;

        Type(int code, int lengthMin, int lengthMax) {
            this.code = code;
            this.lengthMin = lengthMin;
            this.lengthMax = lengthMax;
        }

        int code() {
            return code;
        }
    }

    /**
     * Parses a header and refuses an invalid one.
     *
     * @param what names the connection, file or stream in the failure
     */
    static Frame parse(byte[] header, String what) {
        ByteBuffer in = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
        int first = in.getInt();
        int length = in.getInt();
        if (first < 0 || first >= Type.ALL.size()) {
            throw BlockHeader.broken(what, "a message has the unknown type " + first);
        }
        Type type = Type.ALL.get(first);
        if (length < type.lengthMin || length > type.lengthMax) {
            throw BlockHeader.broken(
                    what, "a message " + type + " has the invalid length of " + length + " bytes");
        }
        return new Frame(type, length, in.getLong());
    }

    void write(byte[] to, int at) {
        ByteBuffer.wrap(to, at, HEADER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(type.code)
                .putInt(length)
                .putLong(channel);
    }

    /** Encodes a message with its header. */
    static byte[] of(Type type, long channel, byte[] content) {
        byte[] message = new byte[HEADER_BYTES + content.length];
        new Frame(type, content.length, channel).write(message, 0);
        System.arraycopy(content, 0, message, HEADER_BYTES, content.length);
        return message;
    }

    /** Encodes the end of a stream. */
    static byte[] end(long channel, long blocks) {
        return of(
                Type.END,
                channel,
                ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(blocks)
                        .array());
    }

    /** Decodes the block count of an {@link Type#END}. */
    static long blocks(byte[] content) {
        return ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    /** Content of a {@link Type#CREDIT}. */
    record Credit(long granted, DrainReport report) {
        byte[] bytes() {
            ByteBuffer out = ByteBuffer.allocate(CREDIT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            out.putLong(granted);
            out.putLong(report.readerNanos()).putLong(report.arrivedBytes());
            out.putLong(report.trainBytes()).putLong(report.burstNanos());
            out.putLong(report.othersNanos()).putLong(report.consumedBytes());
            out.putLong(report.idleNanos()).putLong(report.decompressNanos());
            return out.putLong(report.consumeNanos()).array();
        }

        static Credit parse(byte[] bytes) {
            ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            return new Credit(
                    in.getLong(),
                    new DrainReport(
                            in.getLong(),
                            in.getLong(),
                            in.getLong(),
                            in.getLong(),
                            in.getLong(),
                            in.getLong(),
                            in.getLong(),
                            in.getLong(),
                            in.getLong()));
        }
    }

    static PetrichorException broken(String peer, String what) {
        return BlockHeader.broken("the connection to " + peer, "the process there sent " + what);
    }
}
