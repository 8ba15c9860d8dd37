package petrichor.apps.router.http;

import petrichor.base.PetrichorException;

/**
 * Limits of the messages on a connection.
 *
 * @param lineBytesMax of the request or status line, and thus of the URI
 * @param headerBytesMax of all header fields, and of all trailers
 * @param fieldsMax header fields
 * @param chunkFramingBytesMax sizes, extensions and ends of chunks, more than chunks of one byte
 *     need
 * @param bodyBytesMax of one body
 */
public record MessageLimits(
        int lineBytesMax,
        int headerBytesMax,
        int fieldsMax,
        int chunkFramingBytesMax,
        long bodyBytesMax) {
    /** App Engine's limit of a request's body is 32 MB. */
    public static final MessageLimits REQUESTS =
            new MessageLimits(16 << 10, 64 << 10, 128, 16 << 10, 32 << 20);

    /** Responses may be streams without end; the limit of their body only stops defects. */
    public static final MessageLimits RESPONSES =
            new MessageLimits(16 << 10, 64 << 10, 256, 1 << 20, 1L << 40);

    public MessageLimits {
        if (lineBytesMax <= 0
                || headerBytesMax <= 0
                || fieldsMax <= 0
                || chunkFramingBytesMax <= 0
                || bodyBytesMax <= 0) {
            throw PetrichorException.invalid("all limits of HTTP messages must be positive");
        }
    }
}
