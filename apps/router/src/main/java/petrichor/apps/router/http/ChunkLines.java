package petrichor.apps.router.http;

import io.netty.buffer.ByteBuf;

/**
 * Follows the chunks of a body beside Netty, which accepts white space and zero bytes around the
 * size of a chunk, and trailers that continue on a second line. Confined to its decoder.
 */
final class ChunkLines {
    private static final int SIZE_DIGITS_MAX = 15;
    private static final int HEXADECIMAL = 16;
    private static final int END_BYTES = 2;

    private Place place = Place.NONE;
    private long dataLeft;
    private int endLeft;
    private int lineBytes;

    private enum Place {
        /** The body has no chunks. */
        NONE,
        SIZE,
        DATA,
        /** CR and LF after the data. */
        END,
        TRAILERS
    }

    void start(boolean chunked) {
        place = chunked ? Place.SIZE : Place.NONE;
    }

    /** What is wrong with the line that Netty reads next; empty if nothing is. */
    String problem(ByteBuf in) {
        lineBytes = 0;
        return switch (place) {
            case NONE, DATA, END -> "";
            case SIZE -> sizeProblem(in);
            case TRAILERS -> StrictRequestDecoder.fieldsProblem(in, in.readerIndex(), true);
        };
    }

    private String sizeProblem(ByteBuf in) {
        int from = in.readerIndex();
        int lf = in.indexOf(from, in.writerIndex(), (byte) '\n');
        if (lf < 0) {
            return "";
        }
        long size = 0;
        int i = from;
        for (; i < lf; i++) {
            int digit = Character.digit(in.getByte(i), HEXADECIMAL);
            if (digit < 0) {
                break;
            }
            size = size * HEXADECIMAL + digit;
        }
        if (i == from || i - from > SIZE_DIGITS_MAX) {
            return "the size of a chunk is not a hexadecimal number";
        }
        if (in.getByte(i) != ';' && i != lf - 1) {
            return "the size of a chunk is followed by other characters";
        }
        for (; i < lf - 1; i++) {
            byte b = in.getByte(i);
            if ((b >= 0 && b < ' ' && b != '\t') || b == 0x7f) {
                return "the extension of a chunk contains a control character";
            }
        }
        if (in.getByte(lf - 1) != '\r') {
            return "a line of the request ends without CR";
        }
        lineBytes = lf + 1 - from;
        dataLeft = size;
        place = size == 0 ? Place.TRAILERS : Place.DATA;
        return size == 0 ? StrictRequestDecoder.fieldsProblem(in, lf + 1, false) : "";
    }

    /** Netty has read so many bytes. */
    void read(int bytes) {
        long rest = bytes - (long) lineBytes;
        if (place == Place.DATA) {
            long data = Math.min(dataLeft, rest);
            dataLeft -= data;
            rest -= data;
            if (dataLeft == 0) {
                place = Place.END;
                endLeft = END_BYTES;
            }
        }
        if (place == Place.END) {
            endLeft -= (int) rest;
            if (endLeft <= 0) {
                place = Place.SIZE;
            }
        }
    }
}
