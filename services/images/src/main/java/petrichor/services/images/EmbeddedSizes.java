package petrichor.services.images;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Sizes of images inside containers, which need not be those that the container claims: an icon of
 * 16 pixels can contain a PNG of a billion, and a canvas of WebP a larger frame.
 */
final class EmbeddedSizes {
    private static final long PNG_SIGNATURE = 0x89504E470D0A1A0AL;
    private static final int ICON_HEADER_BYTES = 6;
    private static final int ICON_ENTRY_BYTES = 16;
    private static final int RIFF_HEADER_BYTES = 12;
    private static final int CHUNK_HEADER_BYTES = 8;
    private static final int FRAME_HEADER_BYTES = 16;
    private static final int FOURTEEN_BITS = 0x3FFF;

    private EmbeddedSizes() {}

    /** Pixels of the largest image inside; 0 if the format has no containers. */
    static long pixelsMax(byte[] content, ImageFormat format) {
        ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        return switch (format) {
            case ICO -> icon(bytes);
            case WEBP -> webp(bytes, RIFF_HEADER_BYTES, content.length);
            case PNG, JPEG, GIF, BMP, TIFF -> 0;
        };
    }

    private static long icon(ByteBuffer bytes) {
        long most = 0;
        int count = bytes.limit() < ICON_HEADER_BYTES ? 0 : Short.toUnsignedInt(bytes.getShort(4));
        for (int i = 0; i < count; i++) {
            int entry = ICON_HEADER_BYTES + i * ICON_ENTRY_BYTES;
            if (entry + ICON_ENTRY_BYTES > bytes.limit()) {
                break;
            }
            int at = bytes.getInt(entry + 12);
            if (at >= 0 && at <= bytes.limit() - 24) {
                most = Math.max(most, iconImage(bytes, at));
            }
        }
        return most;
    }

    private static long iconImage(ByteBuffer bytes, int at) {
        boolean png = Long.reverseBytes(bytes.getLong(at)) == PNG_SIGNATURE;
        int width = png ? Integer.reverseBytes(bytes.getInt(at + 16)) : bytes.getInt(at + 4);
        int height = png ? Integer.reverseBytes(bytes.getInt(at + 20)) : bytes.getInt(at + 8);
        return Math.abs((long) width) * Math.abs((long) height);
    }

    private static long webp(ByteBuffer bytes, int from, int to) {
        long most = 0;
        int at = from;
        while (at <= to - CHUNK_HEADER_BYTES - FRAME_HEADER_BYTES) {
            int data = at + CHUNK_HEADER_BYTES;
            long end = Math.min(to, data + Integer.toUnsignedLong(bytes.getInt(at + 4)));
            most = Math.max(most, chunk(bytes, bytes.getInt(at), data, (int) end));
            at = (int) Math.min(to, end + (end - data) % 2);
        }
        return most;
    }

    private static long chunk(ByteBuffer bytes, int type, int data, int end) {
        return switch (type) {
            case 0x20385056 -> // "VP8 "
                    (long) (bytes.getShort(data + 6) & FOURTEEN_BITS)
                            * (bytes.getShort(data + 8) & FOURTEEN_BITS);
            case 0x4C385056 -> // "VP8L"
                    ((bytes.getInt(data + 1) & FOURTEEN_BITS) + 1L)
                            * ((bytes.getInt(data + 1) >>> 14 & FOURTEEN_BITS) + 1);
            case 0x464D4E41 -> // "ANMF": chunks in a chunk
                    webp(bytes, Math.min(end, data + FRAME_HEADER_BYTES), end);
            default -> 0;
        };
    }
}
