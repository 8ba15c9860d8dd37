package petrichor.services.fetch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import petrichor.base.MemoryBudget;
import petrichor.services.fetch.FetchResult.Reason;

/**
 * The bytes of a response, up to {@link FetchLimits#RESPONSE_BYTES_MAX} after decompression: a
 * decompression bomb ends there, too. The memory is reserved while the response arrives.
 *
 * @param content at most the limit
 * @param truncated whether there were more
 */
record ResponseBody(byte[] content, boolean truncated) {
    static final ResponseBody EMPTY = new ResponseBody(new byte[0], false);

    private static final int CHUNK_BYTES = 64 << 10;

    /** The growing buffer and the final array exist at the same time. */
    private static final int COPIES = 3;

    /**
     * @throws FetchFailure RESPONSE_TOO_LARGE if the budget has too little left, MALFORMED_REPLY if
     *     it is not gzip
     */
    static ResponseBody read(InputStream body, boolean gzip, MemoryBudget.Reservation memory)
            throws IOException {
        try {
            return copy(gzip ? new GZIPInputStream(body, CHUNK_BYTES) : body, memory);
        } catch (ZipException e) {
            throw new FetchFailure(Reason.MALFORMED_REPLY, "the response is not valid gzip");
        }
    }

    private static ResponseBody copy(InputStream from, MemoryBudget.Reservation memory)
            throws IOException {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        byte[] chunk = new byte[CHUNK_BYTES];
        while (true) {
            int wanted = Math.min(CHUNK_BYTES, FetchLimits.RESPONSE_BYTES_MAX + 1 - content.size());
            int read = from.read(chunk, 0, wanted);
            if (read < 0) {
                return new ResponseBody(content.toByteArray(), false);
            }
            if (content.size() + read > FetchLimits.RESPONSE_BYTES_MAX) {
                content.write(chunk, 0, FetchLimits.RESPONSE_BYTES_MAX - content.size());
                return new ResponseBody(content.toByteArray(), true);
            }
            if (!memory.add((long) COPIES * read)) {
                throw new FetchFailure(
                        Reason.RESPONSE_TOO_LARGE,
                        "the server has too little memory left for this response");
            }
            content.write(chunk, 0, read);
        }
    }
}
